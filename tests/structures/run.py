"""run.py BIN FIRST COUNT"""
import os, subprocess, sys, tempfile
BIN, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
MODES = [("off", ["-X", "snek:stage=off"]), ("interp", ["-X", "snek:backend=interp"]), ("always", ["-X", "snek:stage=always"])]
if len(sys.argv) > 4: MODES = [MODES[0]] + [m for m in MODES if m[0] == sys.argv[4]]
bad = 0
for seed in range(first, first + count):
    prog = subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "gen.py"), str(seed)], capture_output=True, text=True).stdout
    path = f"{tempfile.gettempdir()}/structures{seed}.py"; open(path, "w").write(prog)
    outs = []
    for name, flags in MODES:
        try: r = subprocess.run([BIN, *flags, "-X", "snek:cache=off", path], capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired: outs.append((name, "TIMEOUT")); continue
        outs.append((name, r.stdout + (f"\nRC {r.returncode} {r.stderr[-400:]}" if r.returncode else "")))
    if any(o != outs[0][1] for _, o in outs[1:]):
        bad += 1; print("DIFF", seed)
        for name, o in outs[1:]:
            if o != outs[0][1]:
                a, b = outs[0][1].splitlines(), o.splitlines()
                for x, y in zip(a + [""] * 9, b + [""] * 9):
                    if x != y: print("  off  ", x[:300]); print("  " + name, y[:300]); break
    else:
        os.remove(path)
print(count, "programs", bad, "differ")
