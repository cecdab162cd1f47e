"""Where perfcomp's headers are, and where is kept what was made of them for a compiler."""

import os

HEADER = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "perfcomp.h"))
MPI_HEADER = os.path.join(os.path.dirname(HEADER), "perfcomp_mpi.h")
# By which the user names the compiler behind MPI's.
_MPI_CHOICE = "MPICH_CC", "OMPI_CC", "I_MPI_CC", "MPICH_CXX", "OMPI_CXX", "I_MPI_CXX"


def folder():
    """What is below is made anew when it is missing."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "perfcomp")


def identity(path):
    """A text that changes when the file does."""
    try:
        status = os.stat(path)
    except OSError:
        return path
    return "%s %d %d" % (os.path.realpath(path), status.st_size, status.st_mtime_ns)


def compiler_identity(compiler):
    """A text that changes when the compiler does, or the one behind it."""
    name = compiler[-1]
    if "/" not in name:
        found = (os.path.join(place, name) for place in os.get_exec_path())
        name = next((path for path in found if os.access(path, os.X_OK)), name)
    return " ".join([identity(name)] + compiler[:-1] + ["%s=%s" % (choice, os.environ[choice]) for choice in _MPI_CHOICE if os.environ.get(choice)])
