"""Record classes that refer to one another, annotations of every spelling, fields of every type, sharing and `is`."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field
from typing import ClassVar, Optional, Union

from snekpy import stage
from support import specialisations


@dataclass
class Point:
    x: float
    y: float


@dataclass
class City:
    name_length: int
    open: bool
    place: Point
    road: Optional[Road] = None
    kind: ClassVar[int] = 7


@dataclass(frozen=True)
class Road:
    length: float
    to: Union[City, None] = None
    other: typing.Optional["Road"] = field(default=None)


@dataclass
class Pair:
    a: Pair | None = None
    b: "Pair | None" = None
    n: int = 1


def tour(city):
    length, letters, x = 0.0, 0, 0.0
    while city is not None:
        letters += city.name_length * city.kind
        x += city.place.x if city.open else city.place.y
        road = city.road
        if road is None:
            break
        while road.other is not None and road.other.length < road.length:
            road = road.other
        length += road.length
        city = road.to
    return length, letters, x


def shared(pair, other):
    if pair is None or other is None:
        return pair is other, 0
    return (
        pair is other,
        pair is not other,
        pair.a is pair.b,
        pair.a is other,
        pair.a is not None and pair.a.a is pair,
        pair.n is None,
    )


def same_parts(pair, other):
    """How many places of two trees hold the same object."""
    if pair is None or other is None:
        return 0
    here = 1 if pair is other else 0
    return here + same_parts(pair.a, other.a) + same_parts(pair.b, other.b)


def class_is(city):
    return type(city) is City, city.__class__ is Point, isinstance(city, (Road, City)), isinstance(city.road, Road)


def kinds(city):
    match city:
        case City(open=True, road=None):
            return "open end"
        case City(n, True, Point(x, y), Road(length=l)) if l > x:
            return n + l + y
        case City(place=Point(x=x)):
            return x
        case None:
            return "nothing"


def local_classes():
    @dataclass
    class Even:
        n: int
        odd: Optional[Odd] = None

    @dataclass
    class Odd:
        n: int
        even: Even | None = None

    return Even, Odd


go = stage(tour, strict=True)
end = City(5, True, Point(1.5, 2.5))
middle = City(3, False, Point(0.5, 4.5), Road(10.0, end, Road(7.0, end, Road(8.0))))
start = City(6, True, Point(9.0, 1.0), Road(2.25, middle))
print([go(city) for city in (start, middle, end)], specialisations(go))
end.road = Road(1.0)
print(go(start))
end.place.x = 100.0
print(go(start), specialisations(go))

leaf = Pair()
twice = Pair(leaf, leaf)
ring = Pair()
ring.a = ring.b = ring
is_same = stage(shared, strict=True)
for a in (leaf, twice, ring, None):
    print([is_same(a, b) for b in (leaf, twice, ring, None)])
count = stage(same_parts, strict=True)
big = Pair(twice, Pair(twice, leaf))
print(count(big, big), count(big, Pair(twice, Pair(leaf, leaf))), count(big, twice), count(None, big))
print(specialisations(is_same) <= 4, specialisations(count) <= 2)
print([stage(class_is, strict=True)(city) for city in (start, end)])
match_city = stage(kinds, strict=True)
print([match_city(city) for city in (start, middle, end, City(1, True, Point(0.0, 0.0)), None)])

Even, Odd = local_classes()


def alternate(even):
    total = even.n
    while even.odd is not None:
        total = total * 10 + even.odd.n
        even = even.odd.even
        if even is None:
            break
        total = total * 10 + even.n
    return total


print(stage(alternate)(Even(1, Odd(2, Even(3, Odd(4))))), stage(alternate)(Even(7)))


def carried(pair, items, *rest, **named):
    """Records in tuples and lists."""
    first, second = pair
    return first is items[0], second.n + items[1].n, len(rest), rest[0] is named["key"], (second, items)


one, two = Pair(n=1), Pair(n=2)
staged = stage(carried, strict=True)
for args in (((one, two), [one, two], two), ((two, two), [one, two], one)):
    result = staged(*args, key=two)
    print(result[:4], result[4][0] is two, result[4][1] is args[1])
print(specialisations(staged))
