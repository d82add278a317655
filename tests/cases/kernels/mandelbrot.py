# A function of two indices with a loop and an early return, for every index at once: on the CPU and as threads of a
# simulated GPU.
from snekpy import parallel


def mandelbrot(i, j, limit, step):
    cr = -2.0 + j * step
    ci = -1.25 + i * step
    x = y = 0.0
    for n in range(limit):
        xx = x * x
        yy = y * y
        if xx + yy > 4.0:
            return n
        y = 2.0 * x * y + ci
        x = xx - yy + cr
    return limit


WIDTH, HEIGHT = 60, 24
for target in ("cpu", "simt"):
    counts = parallel(mandelbrot, (HEIGHT, WIDTH), 50, 0.05, target=target)
    for row in range(HEIGHT):
        line = counts[row * WIDTH : (row + 1) * WIDTH]
        print("".join("#" if count == 50 else ".:-=+*%@"[count % 8] for count in line).rstrip())
