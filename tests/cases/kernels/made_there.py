# Arrays like another one lie where that does, as in the array API, and `device=` says another place.
#@ reference snekpy: CPython has no devices
import snekpy.numpy as np
from snekpy import stage

x = np.ones((2, 3), dtype="float32").to("simt")
for f in (np.zeros_like, np.ones_like, np.empty_like, lambda x, **more: np.full_like(x, 2.5, **more)):
    for g in (f, stage(lambda x, **more: f(x, **more))):
        made = g(x)
        print(made.device, made.dtype, made.to("cpu").tolist(), g(x, device="cpu").device)
    print(f(np.ones(2)).device, f(np.ones(2), device="simt").device)
for made in (
    np.zeros((2,), device="simt"), np.ones(2, device="simt"), np.full(3, 7, device="simt"),
    np.full((2,), np.asarray([1.0, 2.0]), device="simt"), np.arange(3, device="simt"), np.full((1,), True),
):  # fmt: skip
    print(made.device, made.dtype, made.to("cpu").tolist())
print(stage(lambda x: np.zeros((3,), device=x.device) + x[0], strict=True)(x).to("cpu"))
try:
    np.zeros(3, device="abacus")
except ValueError as error:
    print(error)
