# G27: the variables of a class body are not visible in its methods.
from support import show


class Config:
    factor = 3
    doubled = factor * 2
    values = [factor, doubled]

    def bare(self, x):
        return x * factor

    def by_class(self, x):
        return x * Config.factor

    def by_self(self, x):
        if x > 1:
            return x * self.doubled
        return x + self.values[-1]


def bare(x):
    config = Config()
    if x > 1:
        return config.by_class(x)
    return config.bare(x)


def through_self(x):
    return Config().by_self(x), Config().by_class(x)


def caught(x):
    try:
        return Config().bare(x)
    except NameError as error:
        return "caught", error.args[0]


show(bare, 2, 1, 0.5)
show(through_self, 2, 1, 0.5)
show(caught, 2)
factor = 7
show(bare, 2, 1, 0.5)
show(caught, 2)
Config.factor = 100
show(bare, 2, 1)
