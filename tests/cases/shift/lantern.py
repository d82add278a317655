# The example runs: gradients by reverse-mode AD are those by finite differences, staged and unstaged.
import pathlib
import runpy

example = pathlib.Path(__file__).resolve().parents[3] / "examples" / "lantern_ad.py"
runpy.run_path(str(example), run_name="__main__")
