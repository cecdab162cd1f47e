"""tests/bench/fetch, with an apt-get of ours: what a pool lacks is fetched by another entry of the source list."""

import os
import shutil
import unittest

from harness import TOP, Folder, run

APT_GET = """#!/bin/sh
# Has the package in the list's last entry only, and finds it when that is asked alone.
for word; do case $word in Dir::Etc::sourcelist=*) list=${word#*=} ;; Dir::State::lists=*) lists=${word#*=} ;; esac; done
case " $* " in
*" update "*) touch "$lists/a_Sources" ;;
*" source "*) touch half.$$; tail -n 1 "${list%/*}/sources.list" | cmp -s - "$list" && touch package.dsc ;;
esac
"""
DPKG_SOURCE = """#!/bin/sh
ls >unpacked.files && mkdir unpacked && mv unpacked.files unpacked/files
"""


class Fetch(unittest.TestCase):
    def fetch(self, folder, package):
        for name, text in (("bin/apt-get", APT_GET), ("bin/dpkg-source", DPKG_SOURCE)):
            os.chmod(folder.file(name, text), 0o755)
        os.makedirs(folder.file("tests/bench"))
        script = shutil.copy(os.path.join(TOP, "tests/bench/fetch"), folder.file("tests/bench/fetch"))
        return run([script, package], env={"PATH": folder.file("bin") + ":" + os.environ["PATH"]})

    def test_goes_on_with_the_next_entry(self):
        with Folder() as folder:
            status, out, messages = self.fetch(folder, "something")
            self.assertEqual(status, 0, messages)
            self.assertEqual(out.strip(), os.path.realpath(folder.file("build/sources/something")))
            with open(os.path.join(out.strip(), "files"), encoding="utf-8") as files:
                names = files.read().split()
            self.assertIn("package.dsc", names)
            self.assertEqual(sum(name.startswith("half.") for name in names), 1) # of the other entries nothing is left


if __name__ == "__main__":
    unittest.main()
