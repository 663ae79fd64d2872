import sys
from pathlib import Path

Path(sys.argv[2]).symlink_to(sys.argv[1])
