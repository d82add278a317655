# What a SimpleNamespace is given goes into its dict, whatever its class has under these names.
import types


class Own(types.SimpleNamespace):
    @property
    def a(self):
        return 1

    def __setattr__(self, name, value):
        print("set", name)
        super().__setattr__(name, value)


own = Own(a=5, b=2)
own.c = 3
print(own.a, own.b, own.__dict__, own)
n = types.SimpleNamespace(x=1, y=[2])
n.z = n.x + 1
print(n, n == types.SimpleNamespace(x=1, y=[2], z=2), vars(types.SimpleNamespace()))
