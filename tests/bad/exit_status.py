# The program's own exit status.
#@ args 3
import sys

print("leaving")
sys.exit(int(sys.argv[1]))
