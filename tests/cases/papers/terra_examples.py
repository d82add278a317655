# Terra's figure 1 and table 1 without tensors: examples/terra.py, compiled around what the interpreter carries out.
import pathlib
import runpy

example = pathlib.Path(__file__).resolve().parents[3] / "examples" / "terra.py"
terra = runpy.run_path(str(example))

results, *rest = terra["run"]()
for function, result in results:
    print(function.__name__, result)
for it in rest:
    print(it)

#: What each has the interpreter do in the first call.
EXPECTED = {
    "library_call": [".match()", ".group()", ".append()", ".popleft()"],
    "object_mutation": ["append"],
    "dynamic_types": [".partition()", ".isdigit()", "unpack"],
    "third_party": ["append"],
    "prints_and_files": [".write()"],
}

for function, _ in results:
    is_staged = hasattr(function, "stats") and function.stats()["specialisations"]
    # Unstaged, there is nothing to look at.
    counts = terra["crossings"](function) if is_staged else {}
    missing = [it for it in EXPECTED[function.__name__] if is_staged and not counts[it]]
    print(function.__name__, "does not cross at", missing)
