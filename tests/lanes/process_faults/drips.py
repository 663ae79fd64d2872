import sys
import time

while True:
    sys.stdout.write(".")
    sys.stdout.flush()
    time.sleep(float(sys.argv[1]))
