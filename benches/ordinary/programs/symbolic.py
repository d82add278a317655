class Num:
    def __init__(self, v):
        self.v = v

    def eval(self, env):
        return self.v

    def diff(self, x):
        return Num(0)

    def __str__(self):
        return str(self.v)


class Var:
    def __init__(self, n):
        self.n = n

    def eval(self, env):
        return env[self.n]

    def diff(self, x):
        return Num(1 if self.n == x else 0)

    def __str__(self):
        return self.n


class Add:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def eval(self, env):
        return self.a.eval(env) + self.b.eval(env)

    def diff(self, x):
        return Add(self.a.diff(x), self.b.diff(x))

    def __str__(self):
        return "(%s + %s)" % (self.a, self.b)


class Mul:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def eval(self, env):
        return self.a.eval(env) * self.b.eval(env)

    def diff(self, x):
        return Add(Mul(self.a.diff(x), self.b), Mul(self.a, self.b.diff(x)))

    def __str__(self):
        return "(%s * %s)" % (self.a, self.b)


def build(n):
    e = Var("x")
    for i in range(n):
        e = Add(Mul(e, Var("x")), Num(i))
    return e


def table(e, n):
    return [e.eval({"x": i / 10}) for i in range(n)]


def tuple_eval(e, env):
    match e:
        case ("num", v):
            return v
        case ("var", n):
            return env[n]
        case ("+", a, b):
            return tuple_eval(a, env) + tuple_eval(b, env)
        case ("*", a, b):
            return tuple_eval(a, env) * tuple_eval(b, env)
        case ("-", a):
            return -tuple_eval(a, env)
        case _:
            raise TypeError(e)


def tuple_build(n):
    e = ("var", "x")
    for i in range(n):
        e = ("+", ("*", e, ("var", "x")), ("-", ("num", i)))
    return e


E1, T1 = build(8), tuple_build(8)


def bench():
    return table(E1, 100)


def bench_diff():
    return str(E1.diff("x"))[:100], table(E1.diff("x"), 20)


def tuple_table(e, n):
    return [tuple_eval(e, {"x": i}) for i in range(n)]


def bench_tuple():
    return tuple_table(T1, 60)
