# bytes, struct, array, hashlib, base64, zlib, gzip, csv, io.
import array
import base64
import csv
import gzip
import hashlib
import io
import struct
import zlib

b = bytes([1, 2, 255])
print(b, b.hex(), bytearray(b"abc")[1], b"a,b".split(b","), bytes.fromhex("ff00"), b[0:2] + b"x", int.from_bytes(b, "little"))
print(struct.pack("<IhB", 1, -2, 3), struct.unpack(">d", struct.pack(">d", 1.5)), struct.calcsize("<qd"))
a = array.array("d", [1.5, 2.5])
a.append(3.5)
a.extend([4.5])
print(a.tolist(), a.typecode, a.itemsize, len(a.tobytes()), sum(a), a[1:3].tolist(), a.index(2.5))
print(hashlib.sha256(b"abc").hexdigest()[:16], hashlib.md5(b"").hexdigest(), base64.b64encode(b"hello"), zlib.crc32(b"abc"))
print(zlib.decompress(zlib.compress(b"x" * 100)) == b"x" * 100, gzip.decompress(gzip.compress(b"data")))
out = io.StringIO()
writer = csv.writer(out)
writer.writerow(["a", "b,c", 'q"', 1])
print(repr(out.getvalue()), list(csv.reader(["x,y", '"1,2",3'])), list(csv.DictReader(["h,i", "1,2"])))
view = memoryview(bytearray(b"abcd"))
view[1] = 90
print(bytes(view[:3]), io.BytesIO(b"ab\ncd").readlines())
