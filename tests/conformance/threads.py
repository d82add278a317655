# Threads, locks, queues.
import queue
import threading

total = 0
lock = threading.Lock()


def add(n):
    global total
    for _ in range(n):
        with lock:
            total += 1


threads = [threading.Thread(target=add, args=(200,)) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(total)
q = queue.Queue()
worker = threading.Thread(target=lambda: [q.put(i * i) for i in range(4)])
worker.start()
worker.join()
print([q.get() for _ in range(4)])
