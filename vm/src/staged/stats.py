class Stats(dict):
    """What was compiled, why, how long it took and how often it was called: a dict, printed as a table."""

    __slots__ = ()

    def __str__(self):
        calls, plain = self["calls"], self["plain_calls"]
        counted = f"{calls} call{'s' * (calls != 1)} of compiled code, {plain} as plain Python"
        lines = [f"{self['name']} ({self['backend']}): {counted}"]
        verdict = self["verdict"]
        if verdict["plain_us"] is not None and verdict["staged_us"] is not None:
            took = f"a call takes {verdict['staged_us']:.1f} us staged, {verdict['plain_us']:.1f} us plain"
            lines.append(f"  {took}: calls are {verdict['runs']}")
        elif verdict["runs"] == "plain":
            lines.append("  calls are plain: each needed code of its own")
        if self["specialisations"]:
            lines += _specialisations(self["specialisations"])
        for place in self["reentries"]:
            lines += ["", f"comes back: {place['name']}"] + _specialisations(place["specialisations"])
        exits = [exit for row in self["specialisations"] for exit in row["resumes"] if exit["count"]]
        exits += [
            exit
            for place in self["reentries"]
            for row in place["specialisations"]
            for exit in row["resumes"]
            if exit["count"]
        ]
        places = {}
        for row in self["specialisations"] + [row for it in self["reentries"] for row in it["specialisations"]]:
            for crossing in row["crossings"]:
                key = crossing["what"], crossing["where"]
                places[key] = places.get(key, 0) + crossing["count"]
        if any(places.values()):
            rows = [(count, what, where) for (what, where), count in places.items() if count]
            lines += ["", *_table((">times", "<by the interpreter", "<where"), rows)]
        if exits:
            rows = [(e["count"], e["came_back"], e["code"], e["where"], e["why"]) for e in exits]
            lines += ["", *_table((">left", ">back", "<code", "<where", "<why"), rows)]
        return "\n".join(lines)


def _specialisations(specialisations):
    head = (">calls", ">instructions", ">capture", ">optimise", ">compile", "<arguments", "<why")
    rows = []
    for it in specialisations:
        times = [f"{it[name]:.1f} ms" for name in ("capture_ms", "optimise_ms", "compile_ms")]
        rows.append((it["calls"], it["instructions"], *times, it["arguments"], it["why"]))
    return _table(head, rows)


def _table(head, rows):
    columns = list(zip([title[1:] for title in head], *(map(str, row) for row in rows)))
    widths = [max(map(len, column)) for column in columns]
    # Nothing stands behind the last column.
    widths[-1] = 0
    return [
        "  " + "  ".join(f"{cell:{title[0]}{width}}" for cell, title, width in zip(line, head, widths)).rstrip()
        for line in zip(*columns)
    ]
