import os
import time

print("that is all", flush=True)
os.close(1)
os.close(2)
time.sleep(300)
