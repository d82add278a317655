import math


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def hull(points):
    points = sorted(set(points))
    if len(points) <= 1:
        return points
    lower = []
    for p in points:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    upper = []
    for p in reversed(points):
        while len(upper) >= 2 and cross(upper[-2], upper[-1], p) <= 0:
            upper.pop()
        upper.append(p)
    return lower[:-1] + upper[:-1]


def area(polygon):
    total = 0
    for i in range(len(polygon)):
        x0, y0 = polygon[i - 1]
        x1, y1 = polygon[i]
        total += x0 * y1 - x1 * y0
    return total / 2


def inside(polygon, x, y):
    result = False
    j = len(polygon) - 1
    for i in range(len(polygon)):
        xi, yi = polygon[i]
        xj, yj = polygon[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            result = not result
        j = i
    return result


def closest(points):
    best = float("inf")
    pair = None
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            d = math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1])
            if d < best:
                best = d
                pair = (points[i], points[j])
    return best, pair


def intersect(p1, p2, p3, p4):
    d = (p1[0] - p2[0]) * (p3[1] - p4[1]) - (p1[1] - p2[1]) * (p3[0] - p4[0])
    if d == 0:
        return None
    t = ((p1[0] - p3[0]) * (p3[1] - p4[1]) - (p1[1] - p3[1]) * (p3[0] - p4[0])) / d
    return (p1[0] + t * (p2[0] - p1[0]), p1[1] + t * (p2[1] - p1[1]))


def crossings(segments):
    found = 0
    for i in range(len(segments)):
        for j in range(i):
            hit = intersect(*segments[i], *segments[j])
            if hit is not None and 0 <= hit[0] <= 50:
                found += 1
    return found


def rotate(points, angle):
    c, s = math.cos(angle), math.sin(angle)
    return [(x * c - y * s, x * s + y * c) for x, y in points]


POINTS = [(i * 37 % 101, i * 53 % 97) for i in range(160)]
POLYGON = [(0, 0), (60, 10), (90, 50), (55, 80), (20, 95), (5, 40)]
SEGMENTS = [((i % 13, i % 7), (i % 17 + 20, i % 11 + 5)) for i in range(40)]


def bench_hull():
    ring = hull(POINTS)
    return ring, area(ring)


def bench_inside():
    return sum(inside(POLYGON, x, y) for x in range(0, 100, 4) for y in range(0, 100, 4))


def bench_closest():
    return closest(POINTS)


def bench_crossings():
    return crossings(SEGMENTS)


def bench_rotate():
    return rotate(POINTS, 0.3)[-1]
