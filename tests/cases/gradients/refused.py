# What is refused, and as what: never a silent zero.
#@ reference snekpy: differences refuse nothing
from array import array

from snekpy import StagingError, grad, hessian, jacrev, jvp, vjp


def outcome(name, call):
    try:
        print(name, call())
    except (TypeError, StagingError, OverflowError) as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


def stores(x, cells):
    cells[0] = x * x
    return cells[0]


outcome("int", lambda: grad(lambda x: x * x)(3))
outcome("bool", lambda: grad(lambda x: x * x)(True))
outcome("text", lambda: grad(lambda s: 1.0)("s"))
outcome("int in a list", lambda: grad(lambda xs: xs[0] * xs[1])([1.0, 2]))
outcome("int result", lambda: grad(lambda x: int(x))(3.0))
outcome("no result", lambda: grad(lambda x: None)(3.0))
outcome("pair", lambda: grad(lambda x: (x, x))(3.0))
outcome("no pair", lambda: grad(lambda x: x, has_aux=True)(3.0))
outcome("sometimes none", lambda: grad(lambda x: None if x > 2.0 else x * x)(1.0))
outcome("sometimes none", lambda: grad(lambda x: None if x > 2.0 else x * x)(3.0))
outcome("no argument", lambda: grad(lambda x: x, argnums=3)(3.0))
outcome("argnums", lambda: grad(lambda x: x, argnums="x")(3.0))
outcome("array", lambda: grad(stores)(3.0, array("d", [0.0])))
outcome("by an array", lambda: grad(lambda a: a[0])(array("d", [0.0])))
outcome("tangents", lambda: jvp(lambda x: x, (1.0,), (1,)))
outcome("cotangents", lambda: vjp(lambda x: (x, x), 1.0)[1](1.0))
outcome("too large", lambda: grad(lambda x, n: x * (n * n))(1.0, 2**40))
outcome("texts", lambda: jacrev(lambda x: (x, "text"))(1.0))
outcome("hessian", lambda: hessian(lambda x: (x, 1))(1.0))
