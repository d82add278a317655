#@ coverage varies: the interrupt comes at any time
# `_thread.interrupt_main()` stops a loop of compiled code, which handles it; no signal is sent.
import _thread
import threading
import time

from snekpy import stage


@stage
def waits(x):
    n = 0
    try:
        while True:
            n += 1
            x = x * 0.5
    except KeyboardInterrupt:
        return n > 0, x < 0.5


def interrupt():
    # By then it is compiled.
    time.sleep(0.5)
    _thread.interrupt_main()


for _ in range(3):
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        print(waits(1.0))
    except KeyboardInterrupt:
        print("outside")
    thread.join()
