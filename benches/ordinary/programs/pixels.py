def blur(image):
    height, width = len(image), len(image[0])
    out = [[0] * width for _ in range(height)]
    for y in range(height):
        for x in range(width):
            total = count = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if 0 <= y + dy < height and 0 <= x + dx < width:
                        total += image[y + dy][x + dx]
                        count += 1
            out[y][x] = total // count
    return out


def sobel(image):
    height, width = len(image), len(image[0])
    gx = ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1))
    gy = ((-1, -2, -1), (0, 0, 0), (1, 2, 1))
    out = []
    for y in range(1, height - 1):
        row = []
        for x in range(1, width - 1):
            sx = sy = 0
            for j in range(3):
                for i in range(3):
                    pixel = image[y + j - 1][x + i - 1]
                    sx += gx[j][i] * pixel
                    sy += gy[j][i] * pixel
            row.append(min(255, int((sx * sx + sy * sy) ** 0.5)))
        out.append(row)
    return out


def fill(image, x, y, new):
    old = image[y][x]
    if old == new:
        return 0
    stack = [(x, y)]
    changed = 0
    while stack:
        x, y = stack.pop()
        if 0 <= y < len(image) and 0 <= x < len(image[0]) and image[y][x] == old:
            image[y][x] = new
            changed += 1
            stack.extend([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)])
    return changed


def equalise(image):
    counts = [0] * 256
    for row in image:
        for pixel in row:
            counts[pixel] += 1
    total = 0
    table = []
    for count in counts:
        total += count
        table.append(total)
    low = next(c for c in table if c > 0)
    size = table[-1]
    scale = [round((c - low) / (size - low) * 255) if size > low else 0 for c in table]
    return [[scale[pixel] for pixel in row] for row in image]


def dither(image):
    work = [[float(pixel) for pixel in row] for row in image]
    height, width = len(work), len(work[0])
    lines = []
    for y in range(height):
        line = ""
        for x in range(width):
            old = work[y][x]
            new = 255.0 if old > 127 else 0.0
            line += "#" if new == 0.0 else " "
            error = old - new
            if x + 1 < width:
                work[y][x + 1] += error * 7 / 16
            if y + 1 < height:
                if x > 0:
                    work[y + 1][x - 1] += error * 3 / 16
                work[y + 1][x] += error * 5 / 16
                if x + 1 < width:
                    work[y + 1][x + 1] += error * 1 / 16
        lines.append(line)
    return lines


def resize(image, width, height):
    rows = []
    for y in range(height):
        source = image[y * len(image) // height]
        rows.append([source[x * len(source) // width] for x in range(width)])
    return rows


def transpose(image):
    return [list(row) for row in zip(*image)]


def palette(pixels):
    seen = {}
    for r, g, b in pixels:
        key = (r // 64, g // 64, b // 64)
        if key not in seen:
            seen[key] = [0, 0, 0, 0]
        entry = seen[key]
        entry[0] += r
        entry[1] += g
        entry[2] += b
        entry[3] += 1
    return sorted((n, r // n, g // n, b // n) for r, g, b, n in seen.values())


IMAGE = [[(x * y + x * 7 + y * 3) % 256 for x in range(32)] for y in range(24)]
PIXELS = [(i * 7 % 256, i * 13 % 256, i * 29 % 256) for i in range(800)]


def bench_blur():
    return blur(IMAGE)


def bench_sobel():
    return sobel(IMAGE)


def bench_fill():
    image = [[1 if (x * y) % 5 else 0 for x in range(32)] for y in range(24)]
    return fill(image, 1, 1, 9), image


def bench_equalise():
    return equalise(IMAGE)


def bench_dither():
    return dither(IMAGE)


def bench_shape():
    return resize(IMAGE, 50, 40)[-1], transpose(IMAGE)[3]


def bench_palette():
    return palette(PIXELS)
