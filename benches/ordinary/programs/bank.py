class InsufficientFunds(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(f"{self.owner} has {self.balance}")
        self.balance -= amount
        self.history.append(("withdraw", amount))


def simulate(days):
    accounts = [Account("ann", 100), Account("bob", 50), Account("cid", 10)]
    failed = 0
    seed = 7
    for day in range(days):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        account = accounts[seed % 3]
        amount = (seed >> 8) % 60
        try:
            if seed & 64:
                account.deposit(amount)
            else:
                account.withdraw(amount)
        except InsufficientFunds:
            failed += 1
        except ValueError:
            failed += 100
    return failed, [(a.owner, a.balance, len(a.history)) for a in accounts]


def interest(days):
    balance, total = 1000.0, 0.0
    for day in range(days):
        rate = 0.01 if balance < 2000 else 0.005
        gain = balance * rate / 365
        balance += gain
        total += gain
    return round(balance, 6), round(total, 6)


def bench():
    return simulate(8000)


def bench_interest():
    return interest(60000)
