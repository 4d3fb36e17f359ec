"""`python -m maxsynth`."""

import sys

from maxsynth.cli import main

sys.exit(main())
