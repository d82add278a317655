"""What is assigned to an attribute behind a read of it, where the objects are others, or share what they hold."""

from snekpy import stage


class Point:
    def __init__(self, x):
        self.x = x
        self.y = 0.5
        self.held = None


class Noticed:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("end of", self.name)


@stage
def crosswise(points, others):
    k = 0
    for one, other in zip(points, others):
        one.x += 1
        old = one.x
        other.x = old + 2
        one.x = other.x + k
        k += one.y > 0.25
        one.y, other.y = other.y, one.y
    return k


@stage
def let_go(points, things):
    """What an attribute held ends where it is assigned."""
    names = []
    for point in points:
        point.x += 1
        point.held = things.pop()
        point.x += 2
        point.held = None
        names.append(point.x)
    return names


def shown(points):
    return [(point.x, point.y) for point in points]


for n in range(4):
    points, others = [Point(k) for k in range(3)], [Point(10 * k) for k in range(3)]
    others[0].__dict__ = points[0].__dict__
    others[1] = points[1]
    if n > 1:
        others[2].y = -1
        points[2].__dict__ = {"x": 7.5, "y": 1}
    print(crosswise(points, others), shown(points), shown(others))
for n in range(3):
    points = [Point(k + 0.5) for k in range(3)]
    print(let_go(points, [[k] for k in range(4)]))
    print(let_go(points, [Noticed(f"{n}.{k}") for k in range(4)]))
