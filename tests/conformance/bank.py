# A small program with classes, errors and formatting.
class InsufficientFunds(Exception):
    def __init__(self, needed, available):
        super().__init__(f"needed {needed:.2f}, available {available:.2f}")


class Account:
    interest = 0.02

    def __init__(self, owner, balance=0.0):
        self.owner = owner
        self._balance = balance
        self.history = []

    @property
    def balance(self):
        return self._balance

    def deposit(self, amount):
        self._balance += amount
        self.history.append(("deposit", amount))
        return self

    def withdraw(self, amount):
        if amount > self._balance:
            raise InsufficientFunds(amount, self._balance)
        self._balance -= amount
        self.history.append(("withdraw", amount))
        return self

    def __str__(self):
        return f"{self.owner:<8}|{self.balance:>10,.2f}"


class Savings(Account):
    def year(self):
        self._balance *= 1 + self.interest
        return self


accounts = [Account("ann", 100), Savings("bob", 2500.5)]
for account in accounts:
    try:
        account.deposit(50).withdraw(200)
    except InsufficientFunds as error:
        print("refused:", error)
    print(account)
print(accounts[1].year(), accounts[1].history)
