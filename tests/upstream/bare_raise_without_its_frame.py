# A bare `raise` where no exception is being handled leaves its own function out of the traceback.
#
# The frame gets no entry, as is right for an exception that is raised again; here it is a new one, a RuntimeError.
#@ cpython    ['<module>', 'raiser']
#@ rustpython ['<module>']
import traceback


def raiser():
    raise


try:
    raiser()
except RuntimeError as error:
    print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
