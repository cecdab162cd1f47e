"""Runs commands. Python's own subprocess takes longer to load than many a file to instrument."""

import os
import signal

_DEPENDENCIES = "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES" # gcc adds a source's to the file that these name


def start(words, stdin=None, stdout=None, stderr=None, environment=os.environ):
    """Starts a command; its process id. Files are descriptors; None: this process's own."""
    files = [(os.POSIX_SPAWN_DUP2, file, number) for number, file in enumerate((stdin, stdout, stderr)) if file is not None]
    return os.posix_spawnp(words[0], words, environment, file_actions=files)


def wait(process):
    """Its exit status; -n: killed by signal n."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def run(words, text=b""):
    """Runs a command of ours with `text` as its input: (exit status, what it wrote, its messages)."""
    files = [holding(text), holding(b""), holding(b"")]
    try:
        process = start(words, *files, {name: value for name, value in os.environ.items() if name not in _DEPENDENCIES})
        try:
            status = wait(process)
        except BaseException:                  # interrupted, or asked to end
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:         # so was that one, and it has ended
                pass
            raise
        return status, _content(files[1]), _content(files[2])
    finally:
        for file in files:
            os.close(file)


def holding(content):
    """The descriptor of a file without a name that has this content."""
    file = os.memfd_create("perfcomp-cc")
    with open(file, "wb", closefd=False) as stream:
        stream.write(content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _content(file):
    os.lseek(file, 0, os.SEEK_SET)
    with open(file, "rb", closefd=False) as stream:
        return stream.read()
