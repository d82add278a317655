# Ints without bounds, floats, complex numbers.
print(2**100, -(7**50) // 13, (2**64) % 1000, divmod(-(10**20), 3**30), pow(3, 200, 10**9 + 7))
print(0.1 + 0.2, 1e16, 1e-5, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, float("inf") - 1, 2.5e22)
print(7 // -2, 7 % -2, -7.5 // 2, -7.5 % 2, divmod(7.5, -2), 2**-1, 2**0.5, True + True)
print((1 + 2j) * (3 - 1j), abs(3 + 4j), (1j) ** 2, complex("1-2j").conjugate())
print(round(2.5), round(3.5), round(-2.675, 2), round(1234, -2), int(-3.9), int("ff", 16), int("-0b101", 0))
print(1 << 70, -1 >> 3, ~5, 6 & 3, 6 | 3, 6 ^ 3, (255).bit_length(), (1000).to_bytes(2, "big"), hex(-255))
print(float("1e3"), float(" -2.5 "), (0.5).as_integer_ratio(), (10.0).is_integer(), float.fromhex("0x1.8p1"))
print(10**18 == 1e18, 2**53 + 1 == float(2**53 + 1), 1 < 1.5 < 2, float("nan") == float("nan"))
