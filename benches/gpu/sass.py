"""What the assembler makes of our PTX and of hand-written CUDA, side by side, with no GPU: instructions of the kernels and of
their hottest loops.

    python3 benches/gpu/sass.py WHEELS [rows]

WHEELS is a folder with the unpacked wheels nvidia-cuda-nvcc, nvidia-cuda-nvrtc and nvidia-cuda-nvdisasm of PyPI. snekpy is
SNEKPY_BIN or target/release/snekpy. With `rows`, for which the second is not needed, what is counted is what a thread executes
for each element of softmax and layer norm: where nothing is zero, subnormal, infinite or no number.
"""

import collections
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SNEKPY = os.environ.get("SNEKPY_BIN") or str(HERE.parent.parent / "target/release/snekpy")
NAMES = {
    "mandelbrot": "mandelbrot<long long>",
    "nbody": "nbody",
    "monte_carlo": "monte_carlo",
    "ray_march": "ray_march",
}
ARCH = "sm_90"


def main():
    wheels = pathlib.Path(sys.argv[1])
    find = lambda name: str(next(it for it in wheels.rglob(name) if it.is_file()))
    ptxas, disassembler = find("ptxas"), find("nvdisasm")
    if sys.argv[2:] == ["rows"]:
        return rows(ptxas, disassembler)
    nvrtc = Nvrtc(find("libnvrtc.so.1*"))
    source = (HERE / "kernels.cuh").read_text()
    print(f"{'':34} {'all':>5} {'loop':>5} {'f64':>5}  in the loop")
    with tempfile.TemporaryDirectory() as work:
        cubin = pathlib.Path(work) / "it.cubin"
        for name, expression in NAMES.items():
            for mode, flag in (("strict", "--fmad=false"), ("fast", "--fmad=true")):
                text = subprocess.run([SNEKPY, "-c", SHOW, name, mode, str(HERE)], capture_output=True, text=True, check=True).stdout
                ptx = pathlib.Path(work) / "it.ptx"
                ptx.write_text(text)
                subprocess.run([ptxas, f"-arch={ARCH}", "-o", cubin, ptx], check=True)
                show(f"{name} snekpy {mode}", disassemble(disassembler, cubin, None))
                cubin.write_bytes(nvrtc.compile(source, expression, [f"--gpu-architecture={ARCH}", flag]))
                show(f"{name} CUDA {flag}", disassemble(disassembler, cubin, expression.split("<")[0]))


SHOW = """
import sys
name, mode, here = sys.argv[1:]
source = open(here + "/programs.py").read().replace("\\nmain()\\n", "").replace("1 << 14", "1 << 4")
exec(compile(source, "programs.py", "exec"))
function, shape, *args = PROGRAMS[name]
print(kernel(function, shape, *args, target="cuda", fast=mode == "fast").inspect("ptx").replace(".target sm_80", ".target sm_90"))
"""


class Nvrtc:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)

    def compile(self, source, expression, options):
        program = ctypes.c_void_p()
        call = lambda name, *args: getattr(self.lib, name)(*args)
        assert not call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"it.cu", 0, None, None)
        call("nvrtcAddNameExpression", program, expression.encode())
        given = (ctypes.c_char_p * len(options))(*[it.encode() for it in options])
        if call("nvrtcCompileProgram", program, len(options), given):
            size = ctypes.c_size_t()
            call("nvrtcGetProgramLogSize", program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            call("nvrtcGetProgramLog", program, log)
            sys.exit(log.value.decode())
        size = ctypes.c_size_t()
        call("nvrtcGetCUBINSize", program, ctypes.byref(size))
        cubin = ctypes.create_string_buffer(size.value)
        call("nvrtcGetCUBIN", program, cubin)
        return cubin.raw


SHOW_ROWS = """
import sys
import snekpy.numpy as np
from snekpy import stage

def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def layer_norm(x):
    d = x - x.mean(axis=-1, keepdims=True)
    return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)

name, dtype, length = sys.argv[1:]
x = np.zeros((4, int(length)), dtype=dtype)
print(stage(globals()[name], target="cuda").inspect("ptx", x).replace(".target sm_80", ".target sm_90"))
"""
PER_THREAD = 64


def rows(ptxas, disassembler):
    with tempfile.TemporaryDirectory() as work:
        ptx, cubin = pathlib.Path(work) / "it.ptx", pathlib.Path(work) / "it.cubin"
        for dtype in ("float32", "bfloat16", "float16", "float64"):
            for name in ("softmax", "layer_norm"):
                for length in ("8192", "1024"):
                    command = [SNEKPY, "-c", SHOW_ROWS, name, dtype, length]
                    ptx.write_text(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                    subprocess.run([ptxas, f"-arch={ARCH}", "-o", cubin, ptx], check=True)
                    path = shortest(disassemble(disassembler, cubin, None))
                    counts = collections.Counter(op(it).split(".")[0] for it in path)
                    common = " ".join(f"{name}:{count / PER_THREAD:.1f}" for name, count in counts.most_common(12))
                    print(f"{name} {dtype}, rows of {length}".ljust(36), f"{len(path) / PER_THREAD:5.1f}  {common}")


def shortest(lines):
    """The fewest instructions from the first one to the end that store as much as any do: what is rare is longer."""
    labels = {label: at for at, (label, _) in enumerate(lines) if label}
    best = {len(lines): (0, 0, None)}
    for at in reversed(range(len(lines))):
        word = lines[at][1]
        ends = word and re.match(r"(EXIT|RET)", word)
        jump = word and re.search(r"BRA.*?(\.L_x_\d+)", word)
        goes = [] if ends or jump and not word.startswith("@") else [at + 1]
        goes += [labels[jump[1]]] if jump and labels[jump[1]] > at else []
        is_one = word is not None and not word.startswith("NOP")
        found = [best[it] for it in goes if it in best] or [(0, 0, None)]
        stores, count, _ = min(found)
        following = next((it for it in goes if best.get(it) == min(found)), None)
        best[at] = (stores - bool(word and "STG" in word), count + is_one, following)
    path, at = [], 0
    while at is not None and at < len(lines):
        path += [lines[at][1]] if lines[at][1] and not lines[at][1].startswith("NOP") else []
        at = best[at][2]
    return path


def disassemble(disassembler, cubin, name):
    """The instructions of a kernel: labels and words."""
    text = subprocess.run([disassembler, "-c", cubin], capture_output=True, text=True, check=True).stdout
    lines, inside = [], False
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.(\S+)", line)
        if section:
            inside = name is None or name in section[1]
        if not inside:
            continue
        label = re.match(r"\s*(\.L_x_\d+):", line)
        if label:
            lines.append((label[1], None))
        found = re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?);", line)
        if found:
            lines.append((None, found[1]))
    return lines


def show(title, lines):
    code = [word for _, word in lines if word and not word.startswith("NOP")]
    labels = {label: at for at, (label, _) in enumerate(lines) if label}
    loops = []
    for at, (_, word) in enumerate(lines):
        jump = word and re.search(r"BRA.*?(\.L_x_\d+)", word)
        if jump and labels.get(jump[1], at) < at:
            body = [it for _, it in lines[labels[jump[1]] : at + 1] if it]
            if len(body) > 2:
                loops.append(body)
    # The loop with the most arithmetic of doubles is the one that counts; the innermost of those.
    double = lambda body: sum(op(it).startswith("D") for it in body)
    best = max(loops, key=lambda body: double(body) / len(body), default=[])
    counts = collections.Counter(op(it).split(".")[0] for it in best)
    common = " ".join(f"{name}:{count}" for name, count in counts.most_common(9))
    print(f"{title:34} {len(code):5} {len(best):5} {double(best):5}  {common}")


def op(word):
    return re.sub(r"^@!?U?P\w+\s+", "", word).split()[0]


main()
