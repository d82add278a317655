# The Snek paper, 6.4: lambdas, and stage_lambda.
from snekpy import stage, stage_lambda

twice = stage_lambda(lambda x: x * 2 if x > 0 else x)
print(twice(3), twice(-3), twice(0.5))


@stage
def f(x):
    g = lambda y: y + x
    return g(1) * g(2)


print(f(3), f(0.5))
