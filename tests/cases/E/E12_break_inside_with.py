# E12: `break` inside `with`: __exit__ runs.
from snekpy import stage


class Manager:
    def __enter__(self):
        print("enter")

    def __exit__(self, *error):
        print("exit")


def f(n):
    while True:
        with Manager():
            n -= 1
            if n <= 0:
                break
    return n


f = stage(f)
print(f(2), f(1))
