import sys
import time

stream = sys.stderr if "stderr" in sys.argv else sys.stdout
stream.write(" ".join(word for word in sys.argv[1:] if word != "stderr"))
stream.flush()
time.sleep(300)
