import sys
from pathlib import Path

Path(sys.argv[1]).write_text("the review")
