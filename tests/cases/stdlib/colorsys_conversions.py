# stdlib: the six conversions of `colorsys`, of staged numbers.
import colorsys

from support import show


def blue(x):
    return colorsys.rgb_to_hsv(x, 0.5, 0.25)


def round_trip(r, g, b):
    return colorsys.hsv_to_rgb(*colorsys.rgb_to_hsv(r, g, b))


def hls_round_trip(r, g, b):
    return colorsys.hls_to_rgb(*colorsys.rgb_to_hls(r, g, b))


def yiq_round_trip(r, g, b):
    return colorsys.yiq_to_rgb(*colorsys.rgb_to_yiq(r, g, b))


def rainbow(n):
    reds = 0.0
    for i in range(n):
        r, g, b = colorsys.hsv_to_rgb(i / n, 1.0, 1.0)
        reds += r - g * b
    return reds


def hex_of(h, s, v):
    r, g, b = colorsys.hsv_to_rgb(h, s, v)
    return "#%02x%02x%02x" % (int(r * 255), int(g * 255), int(b * 255))


def lighter(r, g, b, by):
    h, l, s = colorsys.rgb_to_hls(r, g, b)
    return colorsys.hls_to_rgb(h, min(1.0, l * by), s)


def wrong(r):
    return colorsys.rgb_to_hls(r, None, 0.5)


COLOURS = (
    (0.1, 0.2, 0.3),
    (0.3, 0.2, 0.1),
    (0.2, 0.3, 0.1),
    (0, 0, 0),
    (1, 1, 1),
    (1.0, 0.0, 0.0),
    (0, 1, 0),
    (0.0, 0, 1),
    (0.5, 0.5, 0.5),
    (-0.5, 0.25, 2),
    (2, 3, 5),
    (True, False, 0.5),
)

show(blue, 0.1, 0.5, 0.9, 0, 1, -1, 7)
show(round_trip, *COLOURS)
show(hls_round_trip, *COLOURS[:-3])
show(yiq_round_trip, *COLOURS)
show(rainbow, 6, 1, 0, 100, -1)
show(hex_of, (0.0, 1, 1), (0.5, 0.5, 0.5), (1.0, 1.0, 1.0), (0.33, 0, 0.2), (-0.25, 1.0, 1))
show(lighter, (0.2, 0.4, 0.6, 1.5), (0.2, 0.4, 0.6, 1), (0.9, 0.8, 0.7, 2), (0, 0, 0, 3))
show(wrong, 1, 0.5, 0)

# The functions themselves, staged.
show(colorsys.rgb_to_yiq, *COLOURS)
show(colorsys.yiq_to_rgb, *COLOURS, (0.5, -0.7, 0.3), (1.0, 0.59, -0.52))
show(colorsys.rgb_to_hls, *COLOURS[:-3])
show(colorsys.hls_to_rgb, *COLOURS)
show(colorsys.rgb_to_hsv, *COLOURS)
show(colorsys.hsv_to_rgb, *COLOURS, (0.9, 1, 1), (0.7, 1, 0.5), (-0.1, 0.5, 0.5))
