#@ run -X snek:colour=blue -c pass
# A setting of ours that there is not.
