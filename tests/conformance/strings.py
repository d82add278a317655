# Methods, slices, formats.
s = "The quick brown fox"
print(s.upper(), s.lower(), s.title(), s.swapcase(), s.replace("quick", "slow"), s.split(), s[::-1], s[4:9])
print(s.find("fox"), s.count("o"), s.startswith("The"), s.partition(" "), s.rsplit(" ", 1), "x" * 3, "-".join("abc"))
print("%5d|%-5s|%05.1f|%x|%r" % (42, "ab", 3.14159, 255, "q"), "{:>8}|{:^8}|{:<8}|{:08.3f}".format("a", "b", "c", 3.14159))
value, width = 1234567.891, 15
print(f"{value:,.2f} {value:{width}.1f} {value:e} {42:b} {42:#x} {-5:+d} {'x':*^7} {value!r} {width=}")
print("a,b,,c".split(","), " a b ".strip(), "abc".center(9, "."), "12".zfill(5), "a\tb".expandtabs(4), "ab\ncd".splitlines())
print("ß".upper(), "é".encode(), b"\xc3\xa9".decode(), ascii("é"), ord("€"), chr(8364), "naïve".casefold())
print("abc" < "abd", "a" in s, "abc".isalpha(), "12".isdigit(), " ".isspace(), "Abc".istitle(), "abc".translate({97: "A"}))
print(repr("it's \"q\" \n\t\\ \x00 \u200b"), "\N{SNOWMAN}", r"\n", "a" "b")
