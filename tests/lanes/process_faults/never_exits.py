import time

print('{"done": true, "text": "a whole answer"}', flush=True)
time.sleep(300)
