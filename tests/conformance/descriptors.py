# Descriptors, __set_name__, __getattribute__, __setattr__.
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name, 0)

    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(instance, self.name, value)


class Box:
    width = Positive()
    height = Positive()


b = Box()
b.width = 3
print(b.width, b.height, vars(b), type(Box.width).__name__)
try:
    b.height = -1
except ValueError as error:
    print(error)


class Watched:
    def __setattr__(self, name, value):
        print("set", name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name):
        print("del", name)
        super().__delattr__(name)


w = Watched()
w.a = 1
del w.a
