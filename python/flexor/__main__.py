"""python -m flexor: the command line."""

import sys

from flexor.cli import main

sys.exit(main())
