import sys

sys.stdout.write(f"read {len(sys.stdin.buffer.read())} bytes\n")
sys.stderr.write("on stderr\n")
