# A message in place of an exit status.
import sys

sys.exit("cannot go on")
