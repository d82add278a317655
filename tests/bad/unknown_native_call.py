# A native function that staging knows nothing about, with a staged argument.
import zlib

from snekpy import stage


@stage(strict=True)
def checksum(x):
    if x > 10:
        return zlib.crc32(x)
    return x


print(checksum(3))
print(checksum(30))
