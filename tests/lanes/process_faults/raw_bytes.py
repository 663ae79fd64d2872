import os

os.write(1, b"\xff\xfe" + "review".encode("utf-16-le") + b"\0\0\xc3\x28\x80" + "caf\u00e9".encode("cp1252"))
os.write(2, b"\0" * 1000)
