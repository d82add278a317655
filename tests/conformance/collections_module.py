# collections, heapq, bisect.
import bisect
import collections
import heapq

print(collections.Counter("abracadabra").most_common(2), collections.Counter(a=3) - collections.Counter(a=1))
d = collections.defaultdict(list)
d["x"].append(1)
print(dict(d), dict(collections.OrderedDict(a=1)), collections.deque([1, 2, 3], maxlen=2), collections.ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])
Point = collections.namedtuple("Point", "x y", defaults=[0])
p = Point(1)
print(p, p.x, p._replace(y=5), p._asdict(), Point._fields, p == (1, 0))
h = [5, 1, 4]
heapq.heapify(h)
heapq.heappush(h, 0)
print([heapq.heappop(h) for _ in range(3)], heapq.nlargest(2, [1, 9, 5]), bisect.bisect([1, 3, 5], 3), bisect.insort(h, 2), h)
q = collections.deque("abc")
q.rotate(1)
q.appendleft("z")
print(q, q.pop(), list(q))
