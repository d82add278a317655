# dataclasses, enum, typing.
import dataclasses
import enum
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Optional, TypeVar

T = TypeVar("T")


@dataclass(order=True)
class Item:
    name: str
    price: float = 1.0
    tags: list = field(default_factory=list, compare=False)

    def __post_init__(self):
        self.name = self.name.strip()


@dataclass(frozen=True)
class Fixed(Generic[T]):
    value: T
    next: Optional["Fixed"] = None


i = Item(" a ", 2.5)
print(i, i < Item("b"), dataclasses.asdict(i), dataclasses.replace(i, price=3), [f.name for f in dataclasses.fields(i)])
try:
    Fixed(1).value = 2
except dataclasses.FrozenInstanceError as error:
    print(type(error).__name__)


class Color(enum.Enum):
    RED = 1
    BLUE = enum.auto()


class Flag(enum.Flag):
    A = 1
    B = 2


class Pair(NamedTuple):
    a: int
    b: str = "x"


print(Color.RED, Color["BLUE"].value, Color(2).name, list(Color), Flag.A | Flag.B in Flag(3), Pair(1), Fixed(1, Fixed(2)))
