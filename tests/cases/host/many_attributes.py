# Lists of objects that hold more than is taken apart: compiled code hands them on.
from snekpy import stage


class Account:
    RATE = 3

    def __init__(self, number):
        self.number = number
        self.owner = f"owner {number % 5}"
        self.entries = [number, number + 1]
        self.limits = {"day": number, "month": number * 10}
        self.other = None

    def fee(self):
        return self.number % 7 + self.RATE

    def book(self, amount):
        self.entries.append(amount)
        self.limits["day"] -= amount
        return self


class Savings(Account):
    def fee(self):
        return super().fee() - 1

    def book(self, amount):
        self.number += 1
        return super().book(amount * 2)


class Locked(Savings):
    def fee(self):
        fee = super().fee
        return fee() + super().RATE

    def book(self, amount):
        raise ValueError(f"{self.owner} is locked")


CLASSES = [Account, Savings, Locked]


def accounts(kinds, count):
    made = [CLASSES[i % kinds](i) for i in range(count)]
    for one, other in zip(made, made[1:]):
        one.other = other
    return made


def state(accounts):
    return [(it.number, it.entries, it.limits) for it in accounts[:4]], len(accounts)


@stage
def fees(accounts):
    total = 0
    for account in accounts:
        total += account.fee()
    return total


@stage
def book(accounts, amount):
    done = 0
    try:
        for account in accounts:
            done += account.book(amount).number
    except ValueError as error:
        return done, str(error), error.__traceback__.tb_lineno
    return done


@stage
def chained(account):
    count = 0
    while account is not None:
        count += account.fee()
        account = account.other
    return count


for kinds in (1, 2, 3):
    for count in (3, 90, 300, 300):
        all_of_them = accounts(kinds, count)
        print(fees(all_of_them), book(all_of_them, 5), chained(all_of_them[0]), state(all_of_them))


# Lists inside lists inside lists.
@stage
def depth(items):
    count = 0
    while items:
        items = items[0]
        count += 1
    return count


for levels in (3, 15, 20, 40):
    items = []
    for _ in range(levels):
        items = [items, levels]
    print(depth(items))


# What is handed on, and what is changed in it, is the object that the caller has.
@stage
def swap(accounts, one):
    last = accounts[-1]
    accounts[-1] = one
    one.number = last.number
    return last


for count in (5, 200, 200):
    all_of_them = accounts(2, count)
    last, one = all_of_them[-1], Account(1000)
    print(swap(all_of_them, one) is last, all_of_them[-1] is one, one.number == count - 1)
    print(swap(all_of_them, all_of_them[0]) is one, all_of_them[-1] is all_of_them[0], all_of_them[0].number)
