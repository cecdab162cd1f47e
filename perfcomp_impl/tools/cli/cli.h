/* What the verbs of the command line share. They know profiles only through
   the reader in perfcomp.h. */
#ifndef PERFCOMP_CLI_H
#define PERFCOMP_CLI_H

#ifndef _GNU_SOURCE
#  define _GNU_SOURCE 1
#endif
#include "perfcomp.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, BAD_INPUT = 1, BAD_USAGE = 2 };

typedef struct verb {
    const char *name, *summary, *help;
    int (*run)(const struct verb *verb, int argc, char **argv);
} verb_t;

extern const verb_t verb_report, verb_annotate, verb_export, verb_merge, verb_check, verb_compare, verb_filter, verb_watch,
                     verb_represent, verb_predict;

/* What the options of a verb came to. A verb accepts those of its `accepted`
   letters: j --json, a --all, b --blocks, F --format, o -o, n -n, p --overhead, s --source, d --source-dir,
   i --interval, w --within, r --share, q --at-least, S --shape, A --at; +: what follows the first argument that is no option isn't ours. */
typedef struct options {
    int json, all, blocks, shape;
    int times;                   /* -n; 0: not given */
    int least;                   /* without the option 5 */
    double overhead, share;      /* without the options 5 % and 90 % */
    double within;               /* a distance; without the option 0.1 */
    double interval;             /* s; without the option 1 */
    const char *format, *output, *source, *source_dir, *at;
    int first;                   /* index of the first argument that is no option */
} options_t;

/* -1: go on; otherwise the exit status (--help, or a wrong option that was named). */
int options_read(options_t *options, const verb_t *verb, const char *accepted, int argc, char **argv);
/* 1: it is empty, which was said: the file system would only say that there is no such file, and name nothing. */
int is_nameless(const char *verb, const char *name);

/* One line on stderr: "perfcomp VERB: …", or where it is no one verb's (NULL) "perfcomp: …". The names in it may hold anything. */
__attribute__((format(printf, 2, 3))) void say(const char *verb, const char *format, ...);

/* The end of a result's file: whether it is whole. If not, errno tells why, and it is removed: it would be taken for whole. */
int output_end(FILE *f, const char *name);

/* In which a time is shown with six decimals: ms, or where one is so long that its column (of 13) doesn't hold it, s. */
typedef struct unit { const char *name; double ns; } unit_t;
unit_t unit_for(double longest_ns);

enum contents { TIMES, TIMES_AND_BLOCKS }; /* what of a profile is wanted */

/* Profiles by name, folders and merged files with all of theirs; no name: the
   present folder. Sorted by rank; each process is taken once, also where there
   are copies of its profile. What can't be read is named on stderr. */
typedef struct profiles {
    pfc_profile_t **p;
    size_t n;
    enum contents wanted;
    enum { ALL_IS_TOLD, BAD_ONES_ARE_TOLD, NOTHING_IS_TOLD } told; /* on stderr */
    int status;                  /* OK, or BAD_INPUT when a file was refused */
    struct profiles *before;     /* while they are read again: those of the look before */
} profiles_t;

int profiles_open(profiles_t *profiles, char **names, int n, enum contents wanted); /* OK: there is at least one, to be closed */

/* Of several runs that are named by one word each: whether this one was named before, which is said then, and it is closed. */
int is_named_again(const char *verb, const char *name, profiles_t *run, const char *other, const profiles_t *before);
/* Of a run that is held against others: what hasn't ended, or died, would pass for a shorter one. Says how many of its processes. */
void say_unfinished(const char *verb, const char *name, const profiles_t *run);
/* Of one whose LT is held against others', where it is CT (PERFCOMP_COMPENSATE=0). */
void say_uncompensated(const char *verb, const char *name, const profiles_t *run);
/* The first of what the runs noted that begins so; NULL: none does. */
const char *profiles_note(const profiles_t *profiles, const char *begin);
/* Where counters for one thread have lost counts, as several ran: these would look exact, and are too low. */
void say_lost_counts(const profiles_t *profiles);
void profiles_close(profiles_t *profiles);
/* The same, of programs that may yet begin: what isn't there isn't looked at. `before`: of the look before, if there was one; what
   had ended then is taken from there, not read again, and what is no profile was named then. */
void profiles_look(profiles_t *profiles, char **names, int n, profiles_t *before);
/* Of the profiles from `first` on, all of that folder, closes those of earlier runs, and says how many. */
void leave_out_earlier(profiles_t *profiles, size_t first, const char *folder);
/* How many files in the folder are called like profiles; -1: it can't be read, or is no folder. */
int profiles_in(const char *folder);
/* 1: the folder holds no profile, but folders in it do, as where each job has one. */
int has_profiles_below(const char *folder);
/* 1: a profile lies there, which was said. `merges`: a merged file may be merged anew, but one process's would be lost, or be
   found under another name. */
int is_spared(const verb_t *verb, const char *output, int merges);
#define PROFILES(profiles) (const pfc_profile_t *const *)(profiles)->p, (profiles)->n

/* A basic block, in all profiles that have it. */
typedef struct block_sum {
    const pfc_profile_t *profile; /* the first of them, */
    const pfc_unit_info_t *unit;  /* and what it tells of the block */
    const pfc_function_info_t *function;
    const pfc_source_info_t *source;
    const char *folder;          /* where the unit was compiled, below where the program was */
    const pfc_block_info_t *block;
    size_t index;                /* in the unit: equal in all profiles of one program */
    uint64_t low, high;
    int is_timed;                /* 1: its function is, */
    double lt;                   /* which took so long, exclusive */
} block_sum_t;

block_sum_t *blocks_summed(const profiles_t *profiles, size_t *n); /* in block_order; for free() */
int block_order(const void *a, const void *b);                     /* for qsort: 0: they are one */

/* Of a graph with n vertices and the adjacency matrix `joined` the largest clique: its vertices go to `member`, how many is
   returned. sure: 0: a larger one wasn't found in some seconds. */
size_t clique_largest(const unsigned char *joined, size_t n, size_t *member, int *sure);

/* constant · x^fall + factor · x^power · log2(x)^logs; fall: 0, or less. error: by how much a point is missed by the others' fit, relative, rms. */
typedef struct trend { double constant, factor, power; int logs; double error, fall; } trend_t;
typedef struct trends {
    trend_t best, *likely;       /* likely: those that may be the truth, for free() */
    size_t n;
} trends_t;
typedef struct points {
    const double *x, *y;         /* x: rising */
    double *scale;               /* room for as many; what errors are relative to */
    size_t n;                    /* at least 1 */
    double least, most;          /* x that will be asked for, between these */
    double roughness;            /* how far a trend may be from what is measured and still be the truth; relative */
} points_t;

void trends_find(trends_t *all, points_t *points);
double trend_at(const trend_t *trend, double x);
double trends_least(const trends_t *all, double x); /* of those that may be the truth */
double trends_most(const trends_t *all, double x);
void trend_print(FILE *file, const trend_t *trend, double unit);

/* What a process has done until now, or between two looks at its profile. */
typedef struct account {
    const pfc_profile_t *p;      /* as it is now */
    char host[256];
    int64_t pid, begin_utc_ns;
    double passed;               /* ns; CT of the process */
    pfc_time_t sum;              /* over its threads */
    double delay_in, wait_lt;    /* as in the profile, and in its MPI part */
    uint64_t bytes;              /* in MPI calls */
    size_t regions;
    pfc_stats_t *region;         /* by the profile's index: count, exclusive */
} account_t;
typedef struct accounts { account_t *account; size_t n; } accounts_t;

accounts_t accounts_of(const profiles_t *profiles);
accounts_t accounts_since(const profiles_t *profiles, const accounts_t *earlier); /* of new processes: all */
void accounts_free(accounts_t *accounts);

/* How often each line of each source ran, summed over units and profiles. */
typedef struct line_count { uint32_t line; uint64_t low, high; } line_count_t;
typedef struct function_count { const char *name; uint32_t line; uint64_t low, high; } function_count_t;
typedef struct source {
    char *path;                  /* where it should be */
    const char *name;            /* as the compiler named it */
    int64_t compiled_before_ns;  /* the oldest run's start, UTC */
    line_count_t *line;
    size_t lines;
    function_count_t *function;
    size_t functions;
    const pfc_function_info_t **untouched; /* what couldn't be instrumented */
    size_t untouched_n;
} source_t;
typedef struct sources { source_t *source; size_t n; } sources_t;

int sources_count(sources_t *sources, const profiles_t *profiles, const char *directory); /* 0: done */
void sources_free(sources_t *sources);

/* What one call begins and another one ends, and both are in traces: a message, or a collective that doesn't block. */
typedef struct span {
    uint32_t kind;               /* of the event that begins it: PFC__EVENT_SENT, of a message, or STARTED, of a collective */
    uint32_t sender;             /* a message's, which knows it by when it was sent; a rank */
    uint64_t whose;              /* a message's job, or a collective's profile */
    int64_t number;              /* there: differs from all others' */
    uint32_t rank;               /* where it ends */
    pfc_event_info_t what;       /* RECEIVED, or the COLLECTIVE */
} span_t;
typedef struct spans { span_t *span; size_t n; } spans_t;

spans_t spans_of(const profiles_t *profiles);
const span_t *spans_find(const spans_t *spans, const pfc_profile_t *p, const pfc_event_info_t *event); /* NULL: not both ends */
void spans_free(spans_t *spans);

/* A rank in a communicator of its job, whose MPI_COMM_WORLD has the name 0. */
typedef struct member {
    uint64_t world;              /* the job */
    int64_t name;
    uint32_t rank;               /* there */
    uint32_t in_world;           /* its rank in MPI_COMM_WORLD */
    uint64_t place;              /* of its profile, among those of ranks */
} member_t;
typedef struct communicator {
    const member_t *member;      /* by rank; of those whose profiles are there */
    uint32_t members;
} communicator_t;
typedef struct communicators {
    communicator_t *communicator; /* each job's MPI_COMM_WORLD, and then the others */
    member_t *member;
    size_t n, members;
} communicators_t;

communicators_t communicators_of(const profiles_t *profiles);
const communicator_t *communicator_of(const communicators_t *all, const pfc_profile_t *p, int64_t name); /* NULL: there is none */
uint32_t communicator_index(const communicator_t *communicator, uint32_t rank); /* among its members; PFC_NONE: it's none */
const char *communicator_title(const communicators_t *all, const communicator_t *communicator, char *text, size_t bytes);
void communicators_free(communicators_t *all);

/* What a thread did at one moment. */
typedef struct instant {
    uint32_t kind;               /* enum pfc__event_kind */
    double ns;                   /* since the first process began; never less than that of the one before */
    uint32_t region;             /* index, or PFC_NONE */
    int calls;                   /* ENTER: of so many that asked in vain; 0: of one that didn't */
    int is_late;                 /* ENTER: it was before this, the first moment that the trace knows of */
    const pfc_event_info_t *collective; /* COLLECTIVE; just behind the call's ENTER */
    const span_t *span;          /* SENT, RECEIVED, STARTED, COMPLETED */
} instant_t;
typedef struct timelines {
    const profiles_t *profiles;
    spans_t spans;
    communicators_t communicators;
    double first;
} timelines_t;
typedef void told_t(void *to, const instant_t *instant); /* every region that is entered is left */

void timelines_open(timelines_t *timelines, const profiles_t *profiles);
void timelines_close(timelines_t *timelines);
/* The record of a thread, or of several that have used it one after the other; undisturbed, they may have run at the same time, and
   lie in different rows then. */
typedef struct life { uint64_t from, to; uint32_t row; } life_t; /* a thread's events */
typedef struct course {
    const pfc_profile_t *p;
    uint32_t thread, rows;       /* rows: one at least */
    uint64_t events;
    double zero, *ns;            /* when the process begins; of each event */
    life_t *life;
    size_t lives;
} course_t;

course_t timeline_course(const timelines_t *timelines, const pfc_profile_t *p, uint32_t thread);
void course_free(course_t *course);
void timeline_tell(const timelines_t *timelines, const course_t *course, uint32_t row, told_t *tell, void *to);
uint32_t timeline_further(const pfc_profile_t *p); /* the first number that no thread has: for a record's further rows */

/* Formats of traces, 0: done. And whether that can be, before anything is written; why not is said on stderr. */
int export_chrome(FILE *file, const profiles_t *profiles, const options_t *options);
int export_otf2(FILE *file, const profiles_t *profiles, const options_t *options); /* a folder: the output */
int has_trace(const profiles_t *profiles, const options_t *options);
int can_export_otf2(const profiles_t *profiles, const options_t *options);

/* Of one profile: calls' places, by function and source line where they can be found. */
void places_name(const pfc_profile_t *p);

/* In a function that compares two: the first field in which they differ decides. */
#define ORDER(a, b) if ((a) != (b)) return (a) < (b) ? -1 : 1

/* Memory, or the end with a message. */
void *must(void *memory);
/* "12", "12..15", "?" */
const char *count_text(char *text, size_t bytes, uint64_t low, uint64_t high);
/* On stdout: ,"low":12,"high":15; null, where nothing is known. */
void json_count(uint64_t low, uint64_t high);

#endif
