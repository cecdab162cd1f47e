"""Random C programs of which it is known how often each line runs.

A program is text with marks. In the one that tells the truth a mark is a counter, in the one that is instrumented it's
nothing, so that their lines are the same:

    @;          before a statement
    @{ ... @}   around a statement: braces that the instrumented text hasn't
    @( ... @)   around an operand

Programs are made by the rules below: what stands in <> is made by the rule of that name, <1-3> is one of these numbers, and
~ a number that nothing else in the program has. They end, as loops and jumps use up the fuel; what is evaluated in no certain
order has no effects.
"""

import random
import re

_MARK = re.compile(r"@[;{(]")
_LINE = re.compile(r'#line (\d+) "(.*)"')
_TOKEN = re.compile(r"<(\w+)>|<(\d+)-(\d+)>")
NESTING = ("statement", "cond", "value")       # rules that may make themselves,
DEEP = 4                                       # inside of one another no deeper

RULES = {
    "v": ["a", "b", "c"],
    "pure": ["<v>", "<v> + <0-8>", "<v> % <2-4>", "<v> & <1-7>", "(<v> ^ <v>)", "<v> > <0-5>", "<v> * 3"],
    "effect": ["<v> += <pure>", "<v>++", "out ^= <v>", "state = state * 5 + 1"],
    "test": ["<v> % <2-3>", "<v> & <1-3>", "<v> % 5 > 2", "!(<v> & 1)", "<v> % 3 == <v> % 3", "likely(<v> % 4)",
             "unlikely(<v> % 4 == 1)", "bump(&<v>) & 2", "odd(<v>)", "odd(bump(&<v>))"],
    "yes": ["1", "ON", "2 > 1", "!0", "!OFF", "(1)"],
    "no": ["0", "OFF", "1 > 2", "!1", "!ON", "(0)"],
    "constant": ["<yes>", "<no>"],

    # Conditions and values. What is evaluated only sometimes stands in a line of its own.
    "cond": [
        "<test>", "<test>", "<test>", "<test>", "(<cond>) &&\n@((<cond>)@)", "(<cond>)\n|| @((<cond>)@)", "!(<cond>)", "(<cond>) != 0",
        "((<cond>)\n? @((<cond>)@)\n: @((<cond>)@))", "(<effect>, <cond>)", "((<cond>)\n?: @((<cond>)@))", "BOTH(<test>, <test>)",
        "(<yes> &&\n@((<cond>)@))", "(<no> ||\n@((<cond>)@))", "(<constant> ?\n@((<cond>)@)\n: @((<cond>)@))",
        "((<cond>) &&\n(<constant> ||\n@((<test>)@)))", "((<cond>) ||\n@((<constant> &&\n@((<test>)@))@))", "<inner>",
        "((<cond>) &&\n@(<yes>@))", "((<cond>) ||\n@(<no>@))",
        "(sizeof(<v>) > <2-5> ?\n@((<cond>)@)\n: @((<cond>)@))", "(!(<constant> && sizeof(struct pair) == 8) ||\n@((<cond>)@))",
    ],
    "value": [
        "<pure>", "<pure>", "<pure>", "(<cond>)\n? @((<value>)@)\n: @((<value>)@)", "((<cond>) &&\n@((<cond>)@))", "((<cond>) ||\n@((<cond>)@))",
        "(<effect>,\n(<value>))", "((<cond>) ?:\n@((<value>)@))", "<inner>", "PICK(<test>, <pure>, <pure>)", "<call>", "<call>",
        "((unsigned[2]){ [0] = <pure>, [1] = (<pure>)\n? @(<pure>@)\n: @(<pure>@) })[1]",
        "((unsigned[2]){ [OFF] = (<test>) &&\n@(<pure>@), [ON] = <pure> })[<0-1>]", "((union one){ .b = (<test>) ?\n@(<pure>@)\n: 3 }).b",
        "((struct pair){ .second = (<test>) ?\n@(<pure>@)\n: @(<pure>@), .first = <pure> }).second",
        "((unsigned[2]){ [ON] = (<test>) && <pure>, [1] = <pure> })[1]", "((union one){ .a = (<test>) && <pure>, .b = <pure> }).b",
        "((struct pair){ .first = <pure>, .second = (<test>) &&\n@((<pure>)@) }).second",
        "(<constant> ? (<cond>)\n? @(<pure>@)\n: @(<pure>@) : 7)", "_Generic(<v>, unsigned: <pure>, default: 3)",
        "__builtin_choose_expr(1, <pure>, 3)", "<v> * (unsigned)sizeof(<v>)",
    ],
    "inner": ["({\n<block>\n@;(unsigned)(<pure>); })"],
    "call": ["<function>(<pure>, <pure>)"],

    # Statements.
    "simple": ["<v> = <value>;", "<v> = <value>;", "<v> = <value>;", "<v> += <pure>;", "<effect>,\n<effect>;",
               "<v> = (<value>),\nout = out * 7 + <v>;", "SWAP(<v>, <v>);", "(void)(<value>);", "if (<cond>)\nout++;",
               "__asm__ volatile (\"\" : \"+r\"(<v>));", "__extension__ (<effect>);"],
    "leaf": [
        "@;<simple>", "@;<simple>", "@;<simple>", "@;<simple>", "@;<simple>", "@;unsigned t~ = <value>;\n@;out += t~;",
        "@;if (<cond>)\n@{<leave>@}", "@;if (<cond>)\n@{<leave>@}", "@;if (<cond>)\n@{return <value>;@}",
        "@;if (MORE && (<test>))\n@{<jump>@}", "@;if (MORE && (<cond>))\n@{<jump>@}", "@;if (MORE)\n@{<jump>@}",
        "@;RETURN_IF((<test>) && <v> % 5 == 1);", "@;if (<cond>)\n;\nelse\n@{<simple>@}",
        "_Static_assert(sizeof(int) > 1, \"\");\n@;<simple>", "_Static_assert(sizeof(int) > 1, \"\"); @;<simple>",
        "@;if (armed && <v> % 4 == 1 && (<test>))\n@{<die>@}",
        "{\n@;unsigned t~ __attribute__((cleanup(drop))) = <value>;\n@;out += t~;\n}",
        "#if 1\n@;<simple>\n#else\nnothing here(;\n#endif", "/* over\nlines */ @;<simple>", "@;TWICE(<effect>;)", "<sometimes>", "<sometimes>", ";",
        "{ struct pair p~ = { .second = <pure> }; @;out += p~.second; }", "static const unsigned t~ = 3;\n@;out += t~;",
    ],
    "die": ["die(<v>);", "longjmp(back, 1);", "return die(3), 1u;"],
    "statement": ["<leaf>", "<leaf>", "<leaf>", "<compound>", "<compound>", "<labelled>"],
    "block": ["<statement>", "<statement>\n<statement>", "<statement>\n<statement>\n<statement>"],
    "body": ["\n@{<simple>@}", " {\n<block>\n}", " {\n<block>\n}", " {\n<block>\n}", " BEGIN\n<block>\nEND", " <%\n<block>\n%>", "\n{\n<block>\n}"],
    "braced": [" {\n<block>\n}"],
    "compound": [
        "@;if (<cond>)<body>", "@;if (<cond>)<body>", "@;if (<cond>)<braced>\nelse<body>", "@;UNLESS(<test>)<body>", "{\n<block>\n}",
        "@;if (<cond>)<braced> else\n@{if (<cond>)<braced> else\n@{if (<cond>)<braced>@}@}",
        "<loop>", "<loop>", "<loop>", "<loop>", "<switch>", "<switch>", "<switch>",
        "{ __label__ k~;\n@;if (<cond>)\n@{goto k~;@}\n<block>\nk~: @;out++;\n}",
    ],
    "loop": [
        "while (@(MORE@) && (<head>))\n;", "while (@(MORE@)\n&& @((<head>)@))<body>", "while (@(MORE@) && (<head>))<body>",
        "while (1) {\n@;if (!MORE || (<cond>))\n@{break;@}\n<block>\n}", "do\n@{<simple>@}\nwhile (@(MORE@) && (<head>));",
        "do {\n<block>\n} while (0);", "do {\n<block>\n} while (@(MORE@)\n&& @((<head>)@));", "do ; while (@(MORE@) && (<head>)\n);",
        "for (@(<effect>@);\n@(MORE && (<head>)@);\n@(<effect>@))<body>", "for (unsigned i~ = 0; @(i~ < <1-4>@); i~++)<scope>",
        "for (unsigned i~ = <pure>; @(MORE && i~ < 90 && (<head>)@);) {<scope>\n}", "for (;;) {\n@;if (!MORE)\n@{break;@}\n<block>\n}",
        "for (; @(MORE && (<head>)@);\n<effect>, <effect>)\n;", "FOREVER {\n@;if (!MORE)\n@{break;@}\n<block>\n}",
        "for (unsigned i~ = 0,\nj~ = @(<pure>@);\n@(i~ < 3 && MORE && j~ < 99@);\n@(i~++@))<scope>",
        "@;switch (<v> % 4) {\ncase 0: do {@; out++;\ncase 3:@; out += 2;\n<statement>\ncase 2:@; out *= 3;\n"
        "case 1:@; out ^= 4;\n} while (@(MORE@) && (<head>));\n}",
    ],
    "switch": ["@;switch (<pure>) {<cases>\n}", "@;switch (<chosen>) {\n<cases>\n}", "@;switch (<pure>) {\nunsigned never~;<cases>\n}"],
    "case": ["@; <simple>", "@; {\n<labelled>\n}", "@; {\n<block>\n}", "@;\n<unlabelled>", "\n<unlabelled>", "@;\n@;<simple>"],
    "unlabelled": ["@;<simple>", "<compound>"],
    "end": ["\n@;break;", "\n@;break;", "\n__attribute__((fallthrough));", ""],

    # What not every program, or place, may have: see Program.
    "vla": ["{ @;unsigned v~[1 + (<pure>) % 3]; v~[0] = 1; out += v~[0] + sizeof v~; }",],
    "setjmp": ["@;if (!armed && setjmp(back) == 0) {\n@;armed = 1;\n@;out += <call>;\n@;out += <call>;\n@;armed = 0;\n} else {\n"
               "@;out ^= 5; armed = 0;\n}"],
    "assembly": ["@;__asm__ goto (\"\" : : : : <target>);"],
    "nested": ["unsigned g~(unsigned n)\n{\nreturn n + a;\n}\n@;out += g~(<pure>);"],
    "renamed": ["#line ~000 \"other.y\"\n@;<simple>"],
}

MACROS = r"""
#define RETURN_IF(x) do { if (x) return 3; } while (0)
#define PICK(x, y, z) ((x) ? (y) : (z))
#define BOTH(x, y) ((x) && (y))
#define CASE(n) case n
#define FOREVER for (;;)
#define UNLESS(x) if (!(x))
#define BEGIN {
#define END }
#define SWAP(x, y) \
    do { \
        unsigned t_ = x; \
        x = y; \
        y = t_; \
    } while (0)
#define LEAVE_TO(label) goto label
#define TWICE(statement) statement statement
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define MORE (fuel-- > 0)
"""

COMMON = r"""#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <pthread.h>
#ifdef __clang__
#pragma clang diagnostic ignored "-Weverything"
#endif
extern __thread int fuel, armed;
extern __thread unsigned state, out;
extern __thread jmp_buf back;
enum { OFF, ON };
struct pair { unsigned first, second; };
union one { unsigned a, b; };
static inline int odd(unsigned n) { return n & 1; }
static inline unsigned bump(volatile unsigned *n) { *n += 3; return *n; }
static inline void drop(unsigned *n) { out += *n; }
static inline unsigned same(unsigned a, unsigned b) { return a + b; }
__attribute__((noreturn)) static inline void die(int n) { out ^= n; longjmp(back, 2); }
""" + MACROS

MAIN = r"""
__thread int fuel, armed;
__thread unsigned state, out;
__thread jmp_buf back;
static void *work(void *seed)
{
    state = *(unsigned *)seed;
    for (unsigned i = 0; i < 5; i++) {
        %s
        printf("%%u %%u %%d\n", out, state, fuel);
    }
    return 0;
}
int main(void)
{
    unsigned seeds[2] = { %d, 77 };
    work(&seeds[0]);
    pthread_t thread;
    if (pthread_create(&thread, 0, work, &seeds[1]) == 0)
        pthread_join(thread, 0);
    return 0;
}
"""


_TELL = """unsigned long runs[%(marks)d];
__attribute__((destructor)) static void tell(void)
{
    FILE *file = fopen("truth", "w");
    for (int i = 0; i < %(marks)d; i++) fprintf(file, "%%lu\\n", runs[i]);
    fclose(file);
}
"""


class Program:
    """The files of one, by name, with marks. The same seed gives the same program."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._number = 0
        self.files = {}
        self.is_gccs = self._chance(0.1)       # clang knows no nested functions
        self._depth = self._no_labels = self._leaves = self._around = 0
        self._is_static = self._chance(0.6)
        self.leaves = False                    # whether functions are left by longjmp
        self._write([self._function(n) for n in range(self._random.randrange(5, 9))], seed)

    def _write(self, texts, seed):
        """Functions that aren't static stand in two units, some of them in headers."""
        units = ["", ""]
        self.files["common.h"] = COMMON + "".join("%sunsigned f%d(unsigned, unsigned);\n" % ("static " * self._is_static, n)
                                                  for n in range(len(texts)))
        for n, text in enumerate(texts):
            if self._chance(0.2):
                self.files["part%d.h" % n] = text
                text = '#define PART%d "part%d.h"\n#include PART%d\n' % (n, n, n)
            units[0 if self._is_static else self._random.randrange(2)] += text
        calls = "\n        ".join("fuel = 60; armed = 0; out = out * 31 + f%d(i, state %% 7);" % n for n in range(len(texts)))
        self.files["a.c"] = '#include "common.h"\n' + units[0] + MAIN % (calls, seed % 1000 + 3)
        if not self._is_static:
            self.files["b.c"] = '#include "common.h"\n' + units[1]

    def _chance(self, share):
        return self._random.random() < share

    def _function(self, number):
        self._labels = ["l%d_%d" % (number, n) for n in range(self._random.choice((0, 1, 2, 3)))]
        self._unplaced = list(self._labels)
        self._is_computed = bool(self._labels) and self._chance(0.5)
        self._setjmps = self._chance(0.3)
        self._callees = ["f%d" % n for n in range(max(0, number - 4), number)]
        self._calls = 0
        volatile = "volatile " if self._setjmps else ""
        table = "static void *const table[] = { %s };\n(void)table;\n" % ", ".join("&&" + label for label in self._labels) \
            if self._is_computed else ""
        body = self._make("<block>\n<block>\n")
        rest = "".join("%s: @;%s\n" % (label, self._make("<simple>")) for label in self._unplaced)
        head = "%s%sunsigned f%d" % ("static " * self._is_static, self._random.choice(("inline ", "", "", "", "__attribute__((noinline))\n"))
                                     if self._is_static else "", number)
        head += self._random.choice(("(unsigned a_, unsigned b_)", "(unsigned a_,\n    unsigned b_)", "(a_, b_) unsigned a_, b_;"))
        return "%s\n{\n@;%sunsigned a = a_, b = b_, c = state;\n%s%s%s@;return a + b * 3 + c;\n}\n" % (head, volatile, table, body, rest)

    def _make(self, rule):
        if "~" in rule:
            self._number += 1
            rule = rule.replace("~", str(self._number))
        return _TOKEN.sub(self._token, rule)

    def _token(self, match):
        if match[2]:
            return str(self._random.randint(int(match[2]), int(match[3])))
        name = match[1]
        own = getattr(self, "_make_" + name, None)
        return own() if own else self._make_any(name)

    def _make_any(self, name):
        """By one of the rules of that name; deep down by the first, which makes nothing more."""
        nests = name in NESTING
        self._depth += nests
        text = self._make(self._random.choice(RULES[name][:1] if nests and self._depth > DEEP else RULES[name]))
        self._depth -= nests
        return text

    def _make_within(self, name, leaves, labels=True):
        """Inside of what can be left by a break (`leaves` is 1), by a continue, too (2), or by neither (0)."""
        before, self._leaves = self._leaves, leaves
        self._no_labels += not labels
        text = self._make_any(name)
        self._no_labels -= not labels
        self._leaves = before
        return text

    def _make_head(self):
        return self._make_within("cond", 0)

    def _make_inner(self):
        return self._make_within("inner", self._leaves, labels=False)

    def _make_scope(self):
        return self._make_within("braced", 2, labels=False)

    def _make_loop(self):
        return self._make_within("loop", 2)

    def _make_switch(self):
        before, self._around = self._around, self._leaves
        text = self._make_within("switch", max(self._leaves, 1))
        self._around = before
        return text

    def _make_chosen(self):
        """What a switch chooses by isn't inside of it."""
        return self._make_within("value", self._around)

    def _make_cases(self):
        numbers = self._random.sample(range(8), self._random.randrange(1, 4))
        heads = [self._random.choice(("case {0}:", "case {0}:", "case 9{0}0 ... 9{0}5:", "CASE({0}):", "case {0}: case 1{0}0:",
                                      "case {0}:\n@;case 2{0}0:", "case\n{0}:")).format(n) for n in numbers]
        if self._chance(0.6):
            heads.insert(self._random.randrange(len(heads) + 1), self._random.choice(("default:", "default:", "case 300: default:")))
        text = ""
        for head in heads:
            end = self._make("<end>")
            text += "\n" + head + self._make("<case>") + ("" if "fallthrough" in end and head is heads[-1] else end)
        return text

    def _make_leave(self):
        return self._random.choice(("break;", "continue;", "continue;")[:(0, 1, 3)[self._leaves]] or ("return 5;",))

    def _make_jump(self):
        if not self._labels:
            return "return 7;"
        if self._is_computed and self._chance(0.6):
            return self._make("goto *table[<v> %% %d];" % len(self._labels))
        return self._random.choice(("goto %s;", "LEAVE_TO(%s);")) % self._make_target()

    def _make_target(self):
        return self._random.choice(self._labels)

    def _make_labelled(self):
        """With one of the function's labels that hasn't a place yet; none may stand where nothing may jump to."""
        if self._no_labels or not self._unplaced:
            return self._make_any("leaf")
        label = self._unplaced.pop()
        return self._make(label + self._random.choice((": @;<simple>", ":@;\n<unlabelled>", ": @;;\n<statement>",
                                                       ": __attribute__((unused)) @;;\n<leaf>", ":\n<unlabelled>")))

    def _make_function(self):
        self._calls += 1
        return self._random.choice(self._callees) if self._callees and self._calls < 4 else "same"

    def _make_sometimes(self):
        """What is rare, or not allowed everywhere."""
        is_outside = not self._no_labels
        allowed = ["leaf", "leaf", *["vla"] * (3 * (not self._labels)), *["assembly"] * (is_outside and bool(self._labels)),
                   *["nested"] * self.is_gccs, *["setjmp"] * (3 * (is_outside and self._setjmps and bool(self._callees))),
                   *["renamed"] * (is_outside and self._chance(0.2)), *["piece"] * self._chance(0.2)]
        name = self._random.choice(allowed)
        if name == "setjmp":
            self._setjmps, self.leaves = False, True
        if name == "piece":
            self._number += 1
            file = "piece%d.h" % self._number
            self.files[file] = self._make_within("block", self._leaves) + "\n"
            return '#include "%s"' % file
        return self._make_any(name)


def truth(files):
    """The program's files in which marks count, which it writes to the file `truth` at its end; and the places of the marks,
    by number: file and line."""
    places, texts = [], {}

    def counting(mark):
        places.append(None)
        return {"@;": "runs[%d]++; ", "@{": "{ runs[%d]++; ", "@(": "(runs[%d]++, "}[mark[0]] % (len(places) - 1)

    for name, text in files.items():
        rows, file, line = [], name, 0
        for row in text.split("\n"):
            renamed = _LINE.match(row)
            file, line = (renamed[2], int(renamed[1]) - 1) if renamed else (file, line + 1)
            first = len(places)
            rows.append(_MARK.sub(counting, row).replace("@}", " }").replace("@)", ")"))
            places[first:] = [(file, line)] * (len(places) - first)
        texts[name] = "\n".join(rows)
    texts["common.h"] = "extern unsigned long runs[];\n" + texts["common.h"]
    texts["a.c"] += _TELL % {"marks": len(places)}
    return texts, places


def plain(files):
    """The program's files without marks."""
    return {name: re.sub("@[;{}()]", "", text) for name, text in files.items()}
