/* ---------------------------------------------------------------- reader ---
   For those who build tools: read a profile file, of a program that has ended,
   has died, or is still running (then it is a snapshot: read again to see
   more). The program is not disturbed. Any input is survived: what isn't a
   sound profile is refused with one line that names the file and the mend.
   A tool compiles the implementation in one C file, as a program does; it
   leaves no profile unless it has probes.

       char why[PFC_WHY];
       pfc_profile_t *p = pfc_profile_open("perfcomp.0.pfc", why, sizeof why);
       if (!p) { fprintf(stderr, "%s\n", why); return 1; }
       for (size_t i = 0; i < p->regions; i++) …p->region[i]…
       pfc_profile_close(p);

   Times are in ns. `lt ± u` is what the uninstrumented program would have
   taken; sums are signed: noise around zero shows as noise around zero.

   Any thread may read any profile; only none that another one closes, or forgets
   the blocks of, meanwhile. All that hangs on a profile is its own, until it is closed. */

#define PFC_WHY 512 /* room for one message */

/* A length of time. Lengths are added by pfc_time_add: the error of a cost is
   the same in all of them and adds up with its sign, chance adds in quadrature. */
enum { PFC_ERROR_PAIR, PFC_ERROR_INSIDE, PFC_ERROR_LIGHT, PFC_ERROR_HIT, PFC_ERROR_WAIT, PFC_ERRORS };
typedef struct pfc_time {
    double ct;                   /* as measured */
    double lt;                   /* undisturbed */
    double u;                    /* half the width of lt's 95 % interval */
    double error[PFC_ERRORS];    /* what the uncertainty of each cost makes of lt, signed */
    double variance;             /* of what was sampled */
} pfc_time_t;

typedef struct pfc_stats {
    uint64_t count;              /* entries */
    uint64_t open;               /* of them: not left yet */
    uint64_t untimed;            /* of them: left untimed by PERFCOMP_BUDGET or to learn what timing costs; their time is estimated */
    pfc_time_t inclusive, exclusive;
    double shortest, longest;    /* LT of one entry, inclusive; longest < shortest: none. Of one that recursion has folded, what is
                                    inside may be the older node's, and longest more than all of inclusive */
    double hits;                 /* counter hits that were charged to it */
} pfc_stats_t;

typedef struct pfc_region_info {
    const char *name, *file;     /* file: "" when there is none */
    uint32_t line, kind;         /* enum pfc__region_kind; 0: outside of all regions. One is for what finds no room, if anything does */
    pfc_stats_t stats;           /* over all paths and threads */
} pfc_region_info_t;

#define PFC_NONE UINT32_MAX

/* A call path. A parent's index is below its children's. */
typedef struct pfc_path_info {
    uint32_t region, parent;     /* indices; a thread's root has no parent: PFC_NONE */
    uint32_t thread, depth;
    pfc_stats_t stats;
} pfc_path_info_t;

typedef struct pfc_thread_info {
    uint32_t id;
    int64_t os_id;
    int ended;                   /* before its profile did: the main thread seldom has */
    double begin, end;           /* ns since the program's start, CT */
    double end_lt;               /* where its trace ends: `end` on the events' clock */
    pfc_time_t total;
    uint32_t root;               /* path */
    uint32_t now;                /* path of its innermost open region, at the end of the profile; PFC_NONE: it has ended, or was just moving */
    double since;                /* when that was entered, ns since the program's start, CT; below zero: untimed, not known */
    int waits;                   /* for another thread, as at a join, a lock or a barrier */
    int sleeps;                  /* it runs on this host, and the kernel has put it to sleep: it waits, for whatever that is, or is stopped */
    uint64_t events, events_lost; /* of the trace: kept; overwritten by later ones */
    size_t ring;                 /* the reader's own */
} pfc_thread_info_t;

/* Frequencies. low == high: exact. Otherwise activations were in flight, at
   the end or at a fork, or left by longjmp or exit, and all that is sure is
   the interval. high == UINT64_MAX: the counts contradict each other, nothing
   is known. */
typedef struct pfc_block_info {
    uint64_t low, high;
    uint32_t function, file;     /* indices into the profile's functions; into its source files */
    uint32_t line, line_end, column;
    uint32_t kind;               /* enum pfc__block_kind */
    uint32_t counted;            /* 1: it has a counter of its own; 0: completed by flow conservation */
    uint32_t amid;               /* 1: code of another block stands before it in its line */
} pfc_block_info_t;

typedef struct pfc_function_info {
    const char *name;
    const char *holder;          /* of a PFC_HIT, whose name this is: the function that it stands in; NULL: it is a function */
    uint32_t unit, file, line, line_end, flags; /* PFC__TIMED … */
    uint32_t region;             /* where its time is, or its holder's; PFC_NONE: nowhere */
    uint64_t hits;
} pfc_function_info_t;

typedef struct pfc_source_info { const char *name; uint32_t unit; } pfc_source_info_t;

/* Lines inside functions that hold no code: blank ones, comments, single braces, what the preprocessor has left out. */
typedef struct pfc_gap_info { uint32_t file, line, line_end; } pfc_gap_info_t;

typedef struct pfc_unit_info {
    const char *name, *directory, *compiler;
    uint32_t file, files, function, functions; /* first, number */
    uint64_t block, blocks, counters, hits, gap, gaps;
    const char *trouble;         /* why its blocks could not be completed; "" */
} pfc_unit_info_t;

/* What PFC_HIT has counted; of one place in several units: together. */
typedef struct pfc_counter_info {
    const char *name, *file;
    const char *function;        /* that it stands in; NULL: not known, as in profiles of before */
    uint32_t line;
    uint64_t count;
} pfc_counter_info_t;

typedef struct pfc_event_info {
    double lt;                   /* ns since the program's start; noise: it may lie a little before the last one's. Of what isn't
                                    ENTER or EXIT it may be far off, as Δ isn't settled before its call's EXIT */
    uint32_t kind, region;       /* enum pfc__event_kind; index, or PFC_NONE. BEGUN: what follows is another thread's, which began when
                                    the one before had ended; undisturbed it may have been before that */
    int64_t sent;                /* of a message, known by when its sender sent it, ns on the job's clock, … */
    uint32_t sender;             /* … and that's rank in MPI_COMM_WORLD: the same at both ends */
    int32_t tag;                 /* of one that was received */
    uint64_t bytes;              /* and its data's length */
                                 /* COLLECTIVE: the communicator's name in the job, 0: MPI_COMM_WORLD; its root, or PFC_NONE, and
                                    this rank, both by their ranks there; and what this rank gave, as in pfc_mpi_calls_t */
    int64_t communicator;        /* of a message: its name in the job; 0: MPI_COMM_WORLD, or not known */
    int32_t source, rank;        /* the sender and this rank, there; of MPI_COMM_WORLD nothing */
} pfc_event_info_t;

typedef enum pfc_run { PFC_RUNNING, PFC_ENDED, PFC_DIED, PFC_ELSEWHERE /* not ended, on another host or in a container */ } pfc_run_t;

typedef struct pfc_profile {
    const char *file;
    pfc_run_t run;
    int left;                    /* PFC_DIED: 1: by _exit or the like, 2: it became another program, 0: unknown, as by a signal */
    uint32_t rank, size, threads, units, functions, sources, clock_kind;
    int64_t pid, parent_pid;
    int forked, compensated;
    const char *host, *command, *directory, *executable, *compiler, *version, *clock, *clock_reason;
    int64_t begin_utc_ns, last_utc_ns; /* start, and last sign of life */
    double ticks_per_ns, budget;
    double scale, scale_doubt;   /* PERFCOMP_SCALE, of which `cost` has had its share; 0: none */
    double start_ns;             /* what calibrating and beginning the profile, and MPI's layer, took, within the total; of several processes the sum */
    double stop_ns;              /* what writing the profile at the end took, behind the total */
    pfc__cost_t cost;            /* in ns */
    uint64_t lost_regions, lost_paths, lost_units, lost_threads, strays, unsaved, stray_ends, unclosed, unwound;
    uint32_t first_stray_end, first_unclosed, first_unwound; /* regions; 0: none, or not known */
    int clock_fell;              /* the program's own clock (PERFCOMP_CLOCK) went so far back that times come out below zero */
    pfc_time_t total;            /* the first thread, from start to end: the run */
    pfc_time_t sum;              /* over all threads */
    double fork_delta;           /* ns: by how much later than undisturbed it was forked; 0 where it wasn't, or that isn't known */
    double delay_in;             /* of its ct − lt: delay of other threads and ranks, by waiting for them; below zero: own
                                    delay that a wait has hidden. The rest is instrumentation */
    double slept;                /* ns that threads slept in calls of which nobody knows whom they wait for (a pipe, input): as far as
                                    that was one another, their probes are in lt, and u holds it. 0 where there is one thread */
    uint64_t pairs, untimed, hits; /* operations: timed enters and exits, untimed ones, counted blocks */
    uint64_t atomic_hits;        /* of hits: by PFC_HIT with PERFCOMP_THREADS, */
    double atomic_hit, atomic_hit_spread; /* which cost so much; ns */
    uint64_t summed_hits;        /* of hits: that the compiler is likely to count in a register, or to add up behind their loops, for next to nothing */
    double fetches, fetch, fetch_spread; /* entries that had to find their thread's counters, and what that cost each; ns */
    uint64_t hits_spread;        /* of hits: in functions that aren't regions, shared out by time */
    size_t regions, paths, blocks, gaps, counters, notes;
    pfc_region_info_t *region;
    pfc_path_info_t *path;
    pfc_thread_info_t *thread;
    pfc_unit_info_t *unit;
    pfc_function_info_t *function;
    pfc_source_info_t *source;
    pfc_block_info_t *block;
    pfc_gap_info_t *gap;
    pfc_counter_info_t *counter; /* by file, name and line */
    const char **note;           /* what the program noted, and what the reader found */
    uint32_t *noted;             /* merged: by how many processes; otherwise NULL */
    int collected;               /* 1: it came from a file with those of several processes */
    int until_finalize;          /* 1: it ends at MPI_Finalize: what the process did after it isn't in here */
    struct pfc_mpi *mpi;         /* what perfcomp_mpi.h recorded: see below; NULL: nothing */
    struct pfc__image *image;
} pfc_profile_t;

PFC__EXTERN_C_BEGIN
/* NULL: refused, and `why` says why; so is a merged file, even of one profile: pfc_profile_open_one opens both kinds. */
pfc_profile_t *pfc_profile_open(const char *file, char *why, size_t why_bytes);
void pfc_profile_close(pfc_profile_t *profile); /* NULL: nothing */
/* Gives back the memory for what is known of blocks and lines, most of what a large program's profile takes: of thousands of
   ranks there may not be room for all. Afterwards it has none, and can't be written by pfc_profiles_write; functions, regions,
   paths, named counters and MPI calls stay as they are. */
void pfc_profile_forget_blocks(pfc_profile_t *profile);
/* One profile out of several: regions and paths of equal names are summed, in one tree for all threads, and what PFC_HIT has
   counted. `total` is the longest run's; what describes a run (command, host, clock, cost …) is the first one's. Units, blocks,
   events and MPI calls stay with the profiles, and these must stay open. NULL: there is none, or no memory. */
pfc_profile_t *pfc_profile_merge(const pfc_profile_t *const *profiles, size_t n);
/* A trace's event, oldest first; 0: there is no such one. */
int pfc_profile_event(const pfc_profile_t *profile, uint32_t thread, uint64_t index, pfc_event_info_t *event);
void pfc_time_add(pfc_time_t *sum, const pfc_time_t *part);
/* What has come to a time since an earlier look at it. */
void pfc_time_since(pfc_time_t *time, const pfc_time_t *earlier);
/* Of regions of two profiles: 0: they are one, as they are called the same, functions in the same file; otherwise which comes first. */
int pfc_region_order(const pfc_region_info_t *a, const pfc_region_info_t *b);
PFC__EXTERN_C_END
