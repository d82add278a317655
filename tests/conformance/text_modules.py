# re, json, textwrap, string, difflib.
import json
import re
import string
import textwrap

print(re.findall(r"(\w)(\d+)", "a1 b22 c"), re.sub(r"(?P<n>\d+)", lambda m: str(int(m["n"]) * 2), "x1 y20"), re.split(r"[,;]\s*", "a, b;c"))
m = re.match(r"(?P<year>\d{4})-(?P<month>\d\d)", "2024-05-01")
print(m.groupdict(), m.span(), m.group(1, 2), re.fullmatch("a+", "aab"), bool(re.search("(?i)ABC", "xabc")))
data = {"a": [1, 2.5, None, True], "b": {"c": "é\n"}}
text = json.dumps(data, sort_keys=True)
print(text, json.loads(text) == data, json.dumps([1, {"x": 2}], indent=1), json.loads("[1e3, -0.5]"))
try:
    json.loads("{bad}")
except json.JSONDecodeError as error:
    print(error.pos, error.lineno)
print(textwrap.fill("the quick brown fox jumps", 10), textwrap.dedent("  a\n   b"), string.ascii_lowercase[:5], string.Template("$x!").substitute(x=1))
