import sys

from linkshelf.cli import main

sys.exit(main())
