/* The programs that look into the layer and leave it as it is. It takes ten times as long to compile as all of them: so they are
   one, whose first argument says which one is to run. */
#include "layer.c"

#define main named
#include "named.c"
#undef main
#define main announced
#include "announced.c"
#undef main
#define main travel
#include "travel.c"
#undef main
#define main doubt_of_waits
#include "doubt.c"
#undef main
#define main nested
#include "nested.c"
#undef main
#define main unseen
#include "unseen.c"
#undef main
#define main absent
#include "absent.c"
#undef main
#define main failed
#include "failed.c"
#undef main
#define main overlong
#include "overlong.c"
#undef main
#define main halves
#include "halves.c"
#undef main
#define main serialized
#include "serialized.c"
#undef main
#define main within
#include "within.c"
#undef main
#define main handed_on
#include "handed_on.c"
#undef main
#define main away
#include "away.c"
#undef main

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*program)(int, char **); } programs[] = {
        { "named", named }, { "announced", announced }, { "travel", travel }, { "doubt", doubt_of_waits }, { "nested", nested },
        { "unseen", unseen }, { "absent", absent }, { "failed", failed }, { "overlong", overlong }, { "halves", halves },
        { "serialized", serialized }, { "within", within }, { "within_threads", within }, { "away", away }, { "handed_on", handed_on },
    };
    for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(argv[1], programs[i].name)) return programs[i].program(argc, argv);
    fprintf(stderr, "which of the programs?\n");
    return 2;
}
