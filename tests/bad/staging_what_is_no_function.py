# `stage` of something that cannot be called.
from snekpy import stage

stage(3)
