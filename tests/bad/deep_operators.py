# Ten thousand operators in one expression.
source = "x = " + "+".join(["1"] * 100000)
try:
    exec(source)
    print(x)
except (SyntaxError, MemoryError, RecursionError) as error:
    print(type(error).__name__)
exec("x = " + "-" * 50000 + "1")
