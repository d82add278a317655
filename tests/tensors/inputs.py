"""Arrays that the expressions of the recording name. Run by NumPy when recording, and by snekpy.numpy when checking."""

NAN, INF = float("nan"), float("inf")


def inputs(np):
    """All of them, by name."""
    made = {"np": np, "NAN": NAN, "INF": INF}
    shapes = {"s": (), "e": (0,), "e2": (2, 0), "v": (5,), "m": (2, 3), "c": (3, 1), "t": (2, 3, 2)}
    state = 12345

    def draw(low, high):
        nonlocal state
        state = (state * 1103515245 + 12345) % (1 << 31)
        return low + state * (high - low) / (1 << 31)

    for dtype in ("bool", "int32", "int64", "float16", "float32", "float64"):
        short = {"bool": "b", "int32": "i", "int64": "l", "float16": "h", "float32": "f", "float64": "d"}[dtype]
        for name, shape in shapes.items():
            count = 1
            for n in shape:
                count *= n
            for which in ("", "2"):
                if dtype == "bool":
                    flat = [draw(0, 1) > 0.5 for _ in range(count)]
                elif dtype.startswith("int"):
                    flat = [int(draw(-6, 7)) for _ in range(count)]
                else:
                    flat = [round(draw(-4, 4), 3) for _ in range(count)]
                made[short + name + which] = np.array(flat, dtype=dtype).reshape(shape)
        if dtype.startswith("float"):
            special = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, INF, -INF, NAN, 1e-5, 1000.0, 3.0]
            made[short + "x"] = np.array(special, dtype=dtype)
            made[short + "u"] = np.array([0.0, -0.0, 0.25, -0.5, 1.0, -1.0, 0.9, NAN], dtype=dtype)
    def whole(dtype, shape, seed):
        """An array of small numbers for random expressions."""
        count = 1
        for n in shape:
            count *= n
        flat = [(i * 7 + seed * 13) % 23 - 11 for i in range(count)]
        return np.array([it % 2 for it in flat] if dtype == "bool" else flat, dtype=dtype).reshape(shape)

    made["A"] = whole
    made["sq"] = np.array([[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 6.0]])
    made["sqf"] = made["sq"].astype("float32")
    made["batch"] = np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 2.0], [3.0, 5.0]]])
    made["tall"] = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    made["at"] = np.array([2, 0, 1, 1])
    made["srt"] = np.array([-3, -1, 0, 0, 2, 5])
    return made
