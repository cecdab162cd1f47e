"""A compiler's command line as gcc and clang take it."""

import os
import re
import shlex

from . import process

# Options whose value is a word of its own. (-o x; those of -Dx, -Ix and so on may also be one word.)
_WITH_VALUE = frozenset("""
-o -D -U -I -L -l -A -include -imacros -idirafter -iprefix -iwithprefix -iwithprefixbefore -iquote -isystem
-isysroot -imultilib -MF -MT -MQ -MJ -x -Xpreprocessor -Xassembler -Xlinker -Xclang -Xarch_host -Xarch_device
-Xanalyzer -T -u -z -e -h -R -Wp -arch --param -aux-info -dumpbase -dumpbase-ext -dumpdir -target -mllvm -B
-G -specs --sysroot --serialize-diagnostics -serialize-diagnostics -include-pch -ccc-install-dir -gcc-toolchain -wrapper -rpath -soname -b -V -Tdata -Ttext
-Tbss -iframework -framework -F -undef -current_version -install_name
""".split()) - {"-undef", "-Wp", "-h", "-R", "-b", "-V", "-specs", "-gcc-toolchain", "-rpath", "-soname"}

# Long names of options that matter here. Of those with a value it follows, as a word of its own or behind a "=".
_LONG = dict(pair.split(":") for pair in """
--ansi:-ansi --assemble:-S --comments:-C --comments-in-macros:-CC --compile:-c --debug:-g --define-macro:-D --dependencies:-M
--entry:-e --for-assembler:-Xassembler --for-linker:-Xlinker --force-link:-u --imacros:-imacros --include:-include
--include-directory:-I --include-directory-after:-idirafter --language:-x --library-directory:-L --no-line-commands:-P
--no-standard-includes:-nostdinc --no-standard-libraries:-nostdlib --no-warnings:-w --optimize:-O --output:-o --pie:-pie
--prefix:-B --preprocess:-E --shared:-shared --static:-static --std:-std= --traditional:-traditional --trigraphs:-trigraphs
--undefine-macro:-U --user-dependencies:-MM --write-dependencies:-MD --write-user-dependencies:-MMD
""".split())

_LEFT_ALONE = re.compile(r"-fmodules|-emit-llvm$|-ffreestanding$|-nostdinc$|-fcoverage-mapping$")
_NOTHING_TO_DO = re.compile(
    r"-E$|-M$|-MM$|-fsyntax-only$|-###$|--version$|-dump(machine|version|fullversion|specs)$|-print-|--print-|"
    r"--help|--target-help|-emit-ast$|--analyze$|--precompile$|-C$|-CC$|-traditional$|" + _LEFT_ALONE.pattern)
_PREPROCESSOR = re.compile(
    r"-D|-U|-I|-A|-include|-imacros|-idirafter|-iprefix|-iwithprefix|-iquote|-isystem|-isysroot|-imultilib|"
    r"-M[A-Z]*|-Wp,|-Xpreprocessor|-undef$|-nostdinc|-trigraphs$|-iframework|-F|-fpreprocessed$|-P$|"
    r"-fmacro-prefix-map=")
_CHARSET = re.compile("-finput-charset=")
_DEPENDENCIES = re.compile(r"-M[A-Z]*$|-M[FTQJ]|-Wp,-M")
_AUXILIARY = re.compile(r"--?save-temps|-fdump-|-aux-info|-fanalyzer$|-d[A-Z]$|-fcallgraph-info|-fstack-usage$|-fopt-info|"
                        r"-fsave-optimization-record|-foptimization-record|--?serialize-diagnostics|-fcompare-debug|-Werror|-pedantic|"
                        r"--pedantic|-fdiagnostics-(format|generate)|-Wsystem-headers$|-time$|-ftime-(?:report|trace)|-dumpbase|-dumpdir")
_LINKER = re.compile(r"-l|-L|-Wl,|-Xlinker|-shared$|-static|-pie$|-no-pie$|-rdynamic$|-s$|-T|-u$|-z$|-nostdlib$|"
                     r"-nodefaultlibs$|-nostartfiles$|-fuse-ld=|-e$|-r$|-rpath|-Bstatic|-Bdynamic")
_LIBRARY = re.compile(r"^-l|^-Wl,-B|^-Wl,--start-group|^-Wl,--whole-archive|^@|^[^-].*\.(?:a|so)(?:\.[\d.]+)?$")
_DEBUG = re.compile(r"-g")
_CXX = re.compile(r"(?:\+\+|cxx|cpp|CC)(?:-[\d.]+)?$")
_LAUNCHERS = frozenset(["ccache", "distcc", "sccache", "icecc", "env", "nice", "time"])
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_FOR_PARSER = re.compile(r"-std=|-ansi$|-m32$|-m64$|-mx32$|-fgnu89-inline$|-f(un)?signed-char$|-fms-extensions$|"
                         r"-fplan9-extensions$|-fshort-enums$|-fshort-wchar$|-f(no-)?asm$|-fblocks$|-target$|--target=|-f(no-)?builtin")
_PROFILES = r"--?coverage$|-fprofile-arcs$|-ftest-coverage$|-fprofile-(?:generate|use)"
_SPLIT = r"-gsplit-dwarf"
_USES_PROFILE = r"-fprofile-(?:instr-)?use|-fbranch-probabilities$"
_TARGET = re.compile(r"-m32$|-m64$|-mx32$|-mabi=|-mfloat-abi=|-target$|--target=|--sysroot|-isysroot$|-B")


class Item:
    """One argument, with its value if that is a word of its own; or an input file with its language."""
    __slots__ = ("words", "language")

    def __init__(self, words, language=None):
        self.words = words
        self.language = language

    @property
    def is_input(self):
        return self.language is not None

    @property
    def name(self):
        """What says which option it is. (Of -include, clang itself would make -include-pch where there is such a header.)"""
        return self.words[1] if self.words[0] == "-Xclang" and len(self.words) == 4 else self.words[0]

    @property
    def is_stdin(self):
        return self.words[0] in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def _before_the_compiler(words):
    """How many words start it, as of `env LC_ALL=C nice -n 5 ccache gcc`."""
    started = 0
    while started + 1 < len(words) and (os.path.basename(words[started]) in _LAUNCHERS or _ASSIGNMENT.match(words[started])):
        started = _behind_options(words, started + 1)
    return started


def _behind_options(words, first):
    """Where a launcher's options, if it has some, and their values are over: at a program."""
    if not words[first].startswith("-"):
        return first
    from shutil import which
    return next((n for n in range(first, len(words)) if not words[n].startswith("-") and which(words[n])), first)


class CommandLine:
    """The compiler's words, its options and its inputs."""

    def __init__(self, words):
        count = _before_the_compiler(words) + 1
        self.compiler = words[:count]
        self.words = words
        self.items = []
        self.output = None
        self.action = None                     # "-c", "-S", or None: link
        self.passes = False                    # nothing is compiled or linked
        self.is_cxx = bool(_CXX.search(os.path.basename(self.compiler[-1])))
        self._read(_expanded(words[count:], self.compiler))
        if not self.inputs and not self.has("-l|-Wl,|-Xlinker$"):  # main may be in a library
            self.passes = True

    def _read(self, arguments):
        language, position = "none", 0
        while position < len(arguments):
            arguments[position:position + 1] = _short(arguments[position])
            word = arguments[position]
            size = 2 if word in _WITH_VALUE and position + 1 < len(arguments) else 1
            words = arguments[position:position + size]
            position += size
            if word == "-Xclang" and words[1:] in (["-include"], ["-include-pch"]): # as cmake has it: for us it's one option
                words += arguments[position:position + 2]
                position += 2
            if word == "-" or not word.startswith("-"):
                self.items.append(Item(words, language if language != "none" else _language(word)))
                continue
            if word == "-x" or (word.startswith("-x") and size == 1):
                language = words[1] if size == 2 else word[2:]
            elif word == "-o" or (word.startswith("-o") and size == 1):
                self.output = words[1] if size == 2 else word[2:]
            elif word in ("-c", "-S"):
                self.action = "-S" if "-S" in (word, self.action) else "-c"
            elif _NOTHING_TO_DO.match(word):
                self.passes = True
                self.items.append(Item(words))
            else:
                self.items.append(Item(words))

    @property
    def inputs(self):
        return [item for item in self.items if item.is_input]

    def sources(self):
        """The inputs that can be instrumented. A C++ compiler takes .c files for C++."""
        return [] if self.is_cxx else [i for i in self.inputs if i.language in ("c", "cpp-output", "c-cpp-output")]

    def options(self, *unwanted):
        """All words of options that none of the patterns matches."""
        return [word for item in self.items if not item.is_input
                and not any(pattern.match(item.name) for pattern in unwanted) for word in item.words]

    def has(self, pattern):
        return any(re.match(pattern, item.words[0]) for item in self.items if not item.is_input)

    def left_alone(self):
        """The option for whose sake nothing is instrumented, though it's compiled; None: there is none."""
        if self.has("-E$|-M$|-MM$|-fsyntax-only$|-###$"):
            return None
        return next((item.words[0] for item in self.items if not item.is_input and _LEFT_ALONE.match(item.words[0])), None)

    def optimises(self):
        """Whether loops are optimised, in the knowledge that objects of other types aren't changed by a store."""
        levels = [item.words[0] for item in self.items if not item.is_input and re.match(r"-O", item.words[0])]
        return bool(levels) and bool(re.match(r"-O(?:[2-9s]|fast|z)", levels[-1])) and not self.has(r"-fno-strict-aliasing$")

    def is_partial(self):
        """Whether objects are linked to one object, which isn't a program yet."""
        return self.has(r"-r$|-Wl,(?:.*,)?(?:-r|-i|--relocatable)(?:,|$)")

    def original(self):
        """The user's own command. That the optimiser's profile is of another program isn't to be said, or to be an error:
        an instrumented one has written it."""
        if not self.has(_USES_PROFILE):
            return self.words
        return self.words + (["-Wno-profile-instr-out-of-date", "-Wno-backend-plugin"] if self._is_clang else ["-Wno-coverage-mismatch"])

    @property
    def _is_clang(self):
        return "clang" in os.path.basename(self.compiler[-1])

    def preprocess(self, source):
        """Command that writes the preprocessed text with line markers to stdout."""
        return self.compiler + self.options(_DEPENDENCIES, _AUXILIARY, _LINKER, _DEBUG, re.compile("-P$|-fdirectives-only$|-fpch-preprocess$")) \
            + ["-w", "-E", "-x", "c", source.words[0]]

    def profile_names(self, source):
        """Options by which an object that has another name keeps those of the files beside it: gcov's, and the debugger's."""
        stem, extension = os.path.splitext(os.path.basename(source.words[0]))
        if not self.has(_PROFILES + "|" + _SPLIT):
            return []
        if self._is_clang:
            path, words = self._prefix_of_clang() + stem, []
            if self.has(_PROFILES):
                full = os.path.join(os.getcwd(), path)
                words += ["-coverage-data-file=%s.gcda" % full, "-coverage-notes-file=%s.gcno" % full]
            if self.has(_SPLIT):
                words += ["-split-dwarf-file", path + ".dwo", "-split-dwarf-output", path + ".dwo"]
            return [word for option in words for word in ("-Xclang", option)]
        return ["-dumpdir", self._prefix_of_gcc(stem), "-dumpbase", stem + extension, "-dumpbase-ext", extension]

    def _prefix_of_clang(self):
        """The same of clang, which up to 16 sets nothing before them."""
        version = process.run(alone(self.compiler) + ["-dumpversion"])[1].split(b".")[0]
        output = self.output_of()
        return ("a" if output == "a.out" else output) + "-" if version.isdigit() and int(version) > 16 else ""

    def _prefix_of_gcc(self, stem):
        """What gcc sets before the names of files that are left beside a program: the program's own name, unless its only
        input has the same."""
        folder, name = os.path.split(self.output_of())
        program = "a" if name == "a.out" else re.sub(r"\.exe$", "", name)
        alone_and_same = len(self.inputs) == 1 and program == stem
        return os.path.join(folder or ".", "" if alone_and_same else program + "-")

    def compile(self, action, output):
        """Command that compiles instrumented text on stdin. The preprocessor has written it as UTF-8."""
        done = [_PREPROCESSOR] + [_CHARSET] * all(source.language == "c" for source in self.sources())
        return alone(self.compiler) + self.options(*done, _DEPENDENCIES, _AUXILIARY, _LINKER) \
            + ["-w", action, "-x", "cpp-output", "-", "-o", output]

    def link(self, objects, runtime):
        """The link command: sources replaced by `objects` (by item), and the runtime added."""
        words = []
        for item in self.items:
            if item in objects:
                words += ["-x", "none", objects[item]]
            elif item.is_input and item.language != _language(item.words[0]):
                words += ["-x", item.language] + item.words + ["-x", "none"]
            elif item.is_input or not (_DEPENDENCIES.match(item.words[0]) or _AUXILIARY.match(item.words[0])):
                words += item.words
        return with_runtime(self.compiler + words + (["-o", self.output] if self.output else []), runtime)

    def parser_arguments(self):
        """What libclang must know to take the text as the compiler does."""
        words = [{"-std=gnu23": "-std=gnu2x", "-std=c23": "-std=c2x"}.get(word, word)
                 for word in self._matching(_FOR_PARSER)]
        triple = re.match(r"(.+)-(?:gcc|clang|cc)(?:-[\d.]+)?$", os.path.basename(self.compiler[-1]))
        if triple and triple[1].count("-") >= 1 and not self.has("--target=|-target$"):
            words.append("--target=" + triple[1])
        return words

    def target_options(self):
        """What decides about the machine that is compiled for."""
        return self._matching(_TARGET)

    def _matching(self, pattern):
        return [word for item in self.items if not item.is_input and pattern.match(item.words[0])
                for word in item.words]

    def output_of(self, source=None):
        """The file that is written: the program, or what becomes of this source."""
        if self.output or not self.action:
            return self.output or "a.out"
        stem = os.path.splitext(os.path.basename(source.words[0]))[0]
        return stem + (".s" if self.action == "-S" else ".o")


def with_runtime(words, runtime):
    """A link command with the runtime's archive before all libraries, so that no shared library's
    copy is taken for it, and with the libraries that it needs at the end."""
    archive, libraries = runtime
    position, language = 1, []
    while position < len(words) and not _LIBRARY.search(words[position]):
        size = 2 if _LONG.get(words[position], words[position]) in _WITH_VALUE else 1
        if _is_language(words[position]):
            language = words[position:position + size]
        position += size
    no_language = ["-x", "none"]               # or archives would be taken for sources, too
    if language and archive:
        archive = no_language + archive + language
    if libraries and any(_is_language(word) or word.startswith("@") for word in words):
        libraries = no_language + libraries
    return words[:position] + archive + words[position:] + libraries


def _is_language(word):
    return _short(word)[0].startswith("-x")


def _short(word):
    """A long option, and its value if that is behind a "=", by the short name that everything else here knows."""
    name, equals, value = word.partition("=")
    if name not in _LONG:
        return [word]
    short = _LONG[name]
    return [short, value] if equals and short in _WITH_VALUE else [short + value]


def _language(name):
    if name == "-":
        return "none"
    extension = os.path.splitext(name.replace("/", "/_"))[1]  # to compilers folder/.c is a source
    return {".c": "c", ".i": "cpp-output"}.get(extension, "other")


def _expanded(arguments, compiler, depth=0):
    """Response files read."""
    words = []
    for word in arguments:
        if word.startswith("@") and len(word) > 1 and depth < 10:
            try:
                with open(word[1:], encoding="utf-8", errors="surrogateescape") as file:
                    words += _expanded(_split(file.read(), compiler), compiler, depth + 1)
                continue
            except (OSError, ValueError):
                pass
        words.append(word)
    return words


def _split(text, compiler):
    """The words of a response file. Compilers differ in what a backslash does between quotes: asked where it matters."""
    words, others = shlex.split(text), _split_escaped(text)
    if words == others:
        return words
    import tempfile
    with tempfile.NamedTemporaryFile("w", prefix="perfcomp-cc-") as file:
        file.write(r"""'-DQUOTED="\\n"'""")
        file.flush()
        shown = process.run([*compiler, "-E", "-P", "-x", "c", "-", "@" + file.name], b"QUOTED")[1]
    return others if shown.strip() == rb'"\n"' else words


def _split_escaped(text):
    """The words where whatever follows a backslash is taken as it is, between quotes, too."""
    words, word, quote, escaped = [], None, None, False
    for letter in text:
        if escaped:
            word, escaped = word + letter, False
        elif letter == "\\":
            word, escaped = word or "", True
        elif quote is None and letter in "'\"":
            word, quote = word or "", letter
        elif letter == quote:
            quote = None
        elif quote is None and letter in " \t\n\r\v\f":
            words += [] if word is None else [word]
            word = None
        else:
            word = (word or "") + letter
    return words + ([] if word is None else [word])


def is_simulated(compiler):
    """Whether this is SimGrid's compiler."""
    return bool(re.search(r"(?:^|-)smpi", os.path.basename(compiler[-1])))


def alone(compiler):
    """The compiler without headers that it would include by itself in whatever it compiles."""
    return ["env", "SMPI_PRETEND_CC=1"] + compiler if is_simulated(compiler) else compiler
