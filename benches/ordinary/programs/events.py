import heapq
from collections import deque


class Event:
    def __init__(self, time, kind, who):
        self.time, self.kind, self.who = time, kind, who

    def __lt__(self, other):
        return self.time < other.time


class Sim:
    def __init__(self, seed):
        self.state = seed
        self.queue = []
        self.now = 0.0
        self.waiting = deque()
        self.busy = False
        self.served = 0
        self.total_wait = 0.0

    def rand(self):
        self.state = (self.state * 16807) % 2147483647
        return self.state / 2147483647

    def schedule(self, delay, kind, who):
        heapq.heappush(self.queue, Event(self.now + delay, kind, who))

    def step(self):
        e = heapq.heappop(self.queue)
        self.now = e.time
        if e.kind == "arrive":
            self.waiting.append((e.who, self.now))
            if e.who < 300:
                self.schedule(self.rand() * 2, "arrive", e.who + 1)
        else:
            self.busy = False
            self.served += 1
        if not self.busy and self.waiting:
            who, since = self.waiting.popleft()
            self.total_wait += self.now - since
            self.busy = True
            self.schedule(self.rand() * 1.9, "leave", who)

    def run(self):
        self.schedule(0.0, "arrive", 0)
        while self.queue:
            self.step()
        return self.served, self.total_wait


def bench():
    return Sim(42).run()
