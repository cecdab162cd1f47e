/* --------------------------------------------------------------- profile ---
   The mapped layout. A profile is a header page, then extents, one
   behind the other. The header of an extent tells its kind, its size, and the
   size and number of its elements, so that a reader can step over kinds that
   it doesn't know and over fields that were appended later.

   All integers are in the writer's byte order (the header shows which). Times
   are ticks of the header's clock; Δ has PFC__FRACTION more binary places.
   Fields marked (process) are pointers of the process that wrote them: a
   reader subtracts `base` to get an offset, or ignores them. */

#define PFC__MAGIC "PERFCOMP"
#define PFC__LAYOUT_MAJOR 2 /* a reader refuses a newer one, … */
#define PFC__LAYOUT_OLDEST 1 /* … and reads those since this one. "Since minor N" below: since 1.N */
#define PFC__LAYOUT_MINOR 3 /* it accepts any: fields are only appended */
/* Of a program with pointers of 64 bits, or of 32, whose records are laid out otherwise. */
#define PFC__BYTE_ORDER_64 0x01020304u
#define PFC__BYTE_ORDER_32 0x01020305u
#define PFC__BYTE_ORDER (sizeof(void *) == 8 ? PFC__BYTE_ORDER_64 : PFC__BYTE_ORDER_32)
#define PFC__FRACTION 8 /* binary places of Δ below the tick */
#define PFC__EXTENT_MAGIC 0x78434650u

enum pfc__state { PFC__RUNNING = 1, PFC__ENDED = 2, PFC__WAITING = 3 }; /* WAITING: a thread, in a call that waits for others */
enum pfc__left { PFC__LEFT_BY_EXIT = 1, PFC__LEFT_BY_EXEC = 2 }; /* without exit handlers, or to become another program */
enum pfc__clock_kind { PFC__CLOCK_SYSTEM = 1, PFC__CLOCK_TSC = 2, PFC__CLOCK_CNTVCT = 3, PFC__CLOCK_USER = 4 };

/* The costs of §2 of the model, in ticks. `spread` is the uncertainty of its
   neighbour: the distance from the low quantile to the median. */
typedef struct pfc__cost {
    double pair;         /* one enter and one exit: what the program is slower by */
    double inside;       /* the part of it that falls between the two stamps */
    double light;        /* an enter and exit left untimed: by PERFCOMP_BUDGET, or in a light window (context.c) */
    double hit;          /* one counted basic block */
    double mpi;          /* one MPI wrapper, in virtual time; in real time it charges what it takes */
    double pair_spread, inside_spread, light_spread, hit_spread;
    double dilation;     /* of which the costs have had their share: as others ran on the processor; 0: not known */
    double empty_pair;   /* what empty pairs cost; `pair` is what they cost in the program's own code */
    double windows;      /* in which that was measured; 0: it wasn't */
} pfc__cost_t;

typedef struct pfc__header {
    char magic[8];
    pfc__u32 byte_order;
    pfc__u32 major, minor;
    pfc__u32 header_bytes;  /* sizeof(pfc__header_t) of the writer */
    pfc__u32 page;          /* extents begin at multiples of 64, counters at multiples of this */
    pfc__u32 state;         /* enum pfc__state */
    pfc__shared_u64 bytes;  /* header page and all extents */
    pfc__u64 base;          /* (process) address of this header */
    pfc__u64 checksum;      /* of all bytes behind the header page, when state is ENDED */
    pfc__u32 rank, size;    /* 0 of 1 in a serial program */
    pfc__i64 pid, parent_pid;
    pfc__u64 process_start; /* the kernel's start time of pid: tells a reused pid from this process */
    pfc__u32 clock_kind;    /* enum pfc__clock_kind */
    pfc__u32 compensate;    /* 0: PERFCOMP_COMPENSATE=0 */
    double ticks_per_ns;
    pfc__i64 tick_begin, tick_end; /* tick_end: last known while running */
    pfc__i64 utc_begin_ns;
    double budget;          /* 0: none; 0.02: PERFCOMP_BUDGET=2% */
    pfc__cost_t cost;
    pfc__u64 lost_regions, lost_nodes; /* went into the overflow entry */
    pfc__u64 lost_units;    /* translation units that found no room */
    pfc__u64 stray_ends, unclosed, unwound; /* END without BEGIN; BEGIN without END; left by longjmp */
    pfc__u32 fork_child;    /* 1: this process was forked from an instrumented one; since layout 2.2, 2: which had other threads,
                               whose activations nobody goes on in */
    pfc__u32 until_finalize; /* 1: it ends at MPI_Finalize, for PERFCOMP_MPI_MERGE */
    pfc__u64 header_checksum; /* of the fields above that never change; see service.c */
    pfc__i64 stop_ticks;    /* what pfc_stop itself took, behind tick_end */
    double scale, scale_doubt; /* PERFCOMP_SCALE, of which the costs have had their share; 0: none */
    pfc__i64 start_ticks;   /* what beginning the profile, and MPI's layer, took; part of Δ */
    pfc__u64 lost_threads;  /* that found no room for a record */
    pfc__u64 left;          /* enum pfc__left: its last sign of life was its end; 0: unknown */
    pfc__u64 strays;        /* as `strayed`, of layouts before 2.1 */
    pfc__u64 atomic_hits;   /* an atomic hit takes as long as so many others; since minor 7 */
    double atomic_doubt;    /* and its cost is uncertain by so much of it */
    double fetch_doubt;     /* as what threads' counters are found with; since minor 8 */
    pfc__u64 amid;          /* 1: a signal's handler may have ended it, amid any function; since minor 10 */
    pfc__u64 virtual_time;  /* 1: Δ has all that hits took; since minor 15 */
    pfc__u64 ended_checksum; /* of all fields above, when state is ENDED; since minor 15 */
    /* What forked processes count here, maybe behind its end, and so in steps of PFC__STEP; since layout 2.1 */
    pfc__shared_u64 strayed; /* that wrote in here until they found out (strays.c) */
    pfc__shared_u64 unsaved; /* for which there are no profiles */
} pfc__header_t;

/* Numbers below 2^32 times that are sparse: most other values are damage. */
#define PFC__STEP 0x9E3779B97F4A7C15u
#define PFC__STEPS(n) ((n) * 0xF1DE83E19937733Du) /* how many steps that is */

enum pfc__extent_kind {
    PFC__META = 1,     /* text: "key=value\0", once, service data */
    PFC__STRINGS = 2,  /* bytes: zero-terminated strings, referred to by file offset */
    PFC__REGIONS = 3,  /* pfc__region_t, in the order of their ids (first id: `first`) */
    PFC__THREADS = 4,  /* one pfc__thread_t; owner: thread id */
    PFC__NODES = 5,    /* pfc__node_t; owner: thread id; first: id of the first node */
    PFC__STACK = 6,    /* pfc__frame_t; owner: thread id */
    PFC__SAMPLES = 7,  /* pfc__sample_t; owner: thread id */
    PFC__UNIT = 8,     /* one pfc__unit_record_t, then its function and block tables; owner: unit id */
    PFC__COUNTERS = 9, /* pfc__u64; owner: unit id; first: thread id + 1, or 0 for the process's own array */
    PFC__EVENTS = 10,  /* pfc__event_t ring; owner: thread id */
    PFC__NOTES = 11,   /* text: "message\0", what went wrong in the run */
    PFC__MPI = 12,     /* perfcomp_mpi.h's; owner: enum pfc__mpi_extent */
    PFC__FREE = 13,    /* not in use any more (a stack that was outgrown) */
    PFC__INHERITED = 14 /* pfc__u64 a function: activations that a forked process took over; owner: unit id */
};

typedef struct pfc__extent {
    pfc__u32 magic;
    pfc__u32 kind;
    pfc__u64 bytes;      /* from this header to the next one */
    pfc__u32 data;       /* bytes from this header to the first element */
    pfc__u32 elem_bytes;
    pfc__u64 capacity;   /* elements */
    pfc__shared_u64 count; /* elements in use; an EVENTS ring: written so far, may exceed capacity */
    pfc__u32 owner;
    pfc__u32 first;
    pfc__u64 adding;     /* COUNTERS: enum pfc__adding */
    union {
        pfc__i64 fetch;  /* UNIT: what its functions take to find their thread's counters; ticks, fixed point */
        pfc__u64 summed; /* COUNTERS: place of their unit's table of that name in the profile; 0: none */
        pfc__u64 written; /* EVENTS, in a reader's copy: `count` when it had all of them */
    } of;
} pfc__extent_t;         /* 64 bytes */

typedef struct pfc__region {
    pfc__u64 name, file;      /* offsets of strings; 0: none */
    pfc__u32 line, kind;
    pfc__u32 spare[2];
} pfc__region_t;

#define PFC__FEW_CHILDREN 4

/* A call path: a region under its caller's path. Recursion is folded: a region
   that is entered below itself goes back to its older node, so that the tree is
   no deeper than the program has regions. Only exclusive sums are kept, and an
   inclusive one is the sum over the subtree: a child never exceeds its parent. */
typedef struct pfc__node {
    pfc__u64 timed, untimed;     /* entries: by the clock, and only counted (budget.c, context.c) */
    pfc__u64 nested;             /* of untimed: below an entry that was untimed as well, with whose time theirs lies */
    pfc__i64 exclusive;          /* Σ CT, ticks */
    pfc__i64 exclusive_delta;    /* Σ Δ, fixed point */
    pfc__i64 shortest, longest;  /* of one entry, inclusive, LT, ticks; INT64_MAX and INT64_MIN: none ended yet */
    pfc__u32 region;             /* 0: the thread's root */
    pfc__u32 due_in;             /* timed by sampling: 1: the next entry is timed, n: n − 1 more aren't; 0: every one is timed */
    struct pfc__node **child;    /* (process) cache of children, by their regions' low bits: `few`, or a larger one */
    struct pfc__node *few[PFC__FEW_CHILDREN];
    struct pfc__node *up;        /* (process) parent */
    unsigned short mask;         /* of those bits */
    unsigned short manner;       /* (process) bits of enum pfc__manner */
    pfc__u32 parent;             /* node id */
    pfc__u32 id;
    pfc__u32 sample;             /* where its pfc__sample_t is, in 64ths of bytes from the header; 0: has none */
} pfc__node_t;                   /* 128 bytes, two cache lines: for its entries, and for those of its children */

/* A path whose entries are timed by sampling: since then. */
typedef struct pfc__sample {
    pfc__u64 timed;              /* with what direct recursion had inside of these */
    double sum, sum_squares;     /* of the timed entries' exclusive LT, ticks */
    pfc__u64 stride;             /* mean distance of timed entries */
    pfc__u64 random;
    pfc__u32 node, spare;
    pfc__u64 inside;             /* (process) of the entry that is timed now */
} pfc__sample_t;

typedef struct pfc__frame {      /* an open region */
    struct pfc__node *node;      /* (process) */
    pfc__i64 begin;              /* ticks, or PFC__UNTIMED… */
    pfc__i64 delta;              /* the thread's Δ at begin */
    pfc__i64 child, child_delta; /* what the regions inside have taken of it */
    pfc__uptr sp;                /* stack pointer at enter: an older one at the next enter means longjmp */
    pfc__u64 depth;
} pfc__frame_t;                  /* 56 bytes */

/* A region that wasn't open at `depth` and below, when an end of it came: nor is it while the frame there is the same one. Where a
   clock of the program's own stands still, Δ tells them apart. */
typedef struct pfc__sought { pfc__u64 depth; pfc__i64 begin, delta; pfc__u32 region, spare; } pfc__sought_t;

/* What the enters of this stretch of the run do, as bits: see context.c. */
enum pfc__window { PFC__WINDOW_USUAL = 0, PFC__WINDOW_LIGHT = 1, PFC__WINDOW_DOUBLED = 2, PFC__WINDOW_KINDS = 4 };

/* What is known of a path's entries, as bits: only brief ones are left untimed in a light window; a mean wouldn't stand
   for uneven ones; folded ones came from further below. */
enum pfc__manner { PFC__MANNER_BRIEF = PFC__WINDOW_LIGHT, PFC__MANNER_UNEVEN = 4, PFC__MANNER_FOLDED = 8 };
#define PFC__REVIEW 256 /* after so many timed entries a path is looked at */

/* Begins of frames of which no time is taken. Theirs lies with the frame above; NESTED: which has none either, so further
   up; AGAIN: which is of the same path, so that it belongs there. */
#define PFC__UNTIMED (-(pfc__i64)0x7fffffffffffffff - 1)
#define PFC__UNTIMED_NESTED (PFC__UNTIMED + 1)
#define PFC__UNTIMED_AGAIN (PFC__UNTIMED + 2)
#define PFC__NOT_BEGUN (PFC__UNTIMED + 3) /* on its way: a signal handler may have left that by siglongjmp */
#define PFC__HAS_TIME(begin) ((begin) > PFC__NOT_BEGUN)

typedef struct pfc__thread {
    pfc__frame_t *top;           /* (process) innermost open region; the bottom frame is the root's */
    pfc__frame_t *limit;         /* (process) */
    pfc__i64 delta;              /* Δ, fixed point */
    pfc__i64 enter, enter_pre;   /* costs charged per operation, fixed point */
    pfc__i64 exit, exit_pre;
    pfc__i64 light;
    pfc__i64 brief;              /* ticks: paths that take longer than this on average are timed always */
    struct pfc__ring *ring;      /* (process) NULL: no trace */
    pfc__i64 enters_left;        /* until the next window of context.c */
    pfc__u32 window, exceptions; /* enum pfc__window; entries that are timed in a light one */
    pfc__frame_t *bottom;        /* (process) */
    pfc__i64 own;                /* time spent in slow paths, fixed point: part of Δ */
    pfc__i64 tick_begin, tick_end;
    pfc__u32 id, state;          /* enum pfc__state */
    pfc__i64 os_id;
    struct pfc__node *root;      /* (process) */
    struct pfc__table *table;    /* (process) children that the caches don't hold */
    pfc__u64 stack_low, stack_high; /* this thread's own stack; 0: unknown yet */
    pfc__u64 unwound, stray_ends, unclosed;
    pfc__u64 generations;        /* threads that have used this record, one after the other */
    struct pfc__node *overflow;  /* (process) takes the paths for which there was no memory */
    struct pfc__thread *next;    /* (process) */
    struct pfc__extent *nodes;   /* (process) the extent that new nodes come from */
    struct pfc__extent *slots;   /* (process) and the one for their larger caches */
    pfc__i64 hits_charged;       /* of Δ: the share of counted hits, which the counters tell too; fixed point */
    pfc__u64 hits_own, hits_shared; /* up to which it was taken: this thread's counters, or PFC__UNSEEN; the process's */
    pfc__i64 hits_due, hits_took; /* when it is taken next, and how long that took; ticks */
    struct pfc__child *child;    /* (process) how it was started, for who joins it */
    pfc__i64 met_delta, met_doubt, met_hits; /* Δ, its uncertainty, hits_charged when it last met another thread or rank; fixed
                                    point. What the clock has told of Δ since is in met_delta too */
    pfc__i64 met_change;         /* Σ what meetings have made of that uncertainty */
    double pair_doubt, hit_doubt; /* uncertainty of the costs charged, as a part of them */
    pfc__i64 met_gain;           /* Σ what meetings have made of Δ: delay of others, less what its own was hidden by waiting */
    pfc__i64 met_most;           /* the largest uncertainty of Δ that a meeting has left; fixed point */
    pfc__u32 first_unwound, first_stray_end, first_unclosed; /* regions; 0: none, or not known; since minor 13 */
    pfc__u32 waits_in;           /* (process) the depth of the region in which it waits */
    pfc__i64 earlier;            /* ticks: of the threads that have used this record before */
    pfc__i64 waits_since, waited; /* ticks: in calls that wait for others; this one's begin, and Σ of those before */
    pfc__i64 slept;              /* ticks that it neither ran nor was ready to, as the system told at its end; 0: not told; since minor 14 */
    pfc__i64 looked;             /* of Δ: what reading its own timers has taken; fixed point; since layout 2.2 */
    pfc__sought_t sought[4];     /* (process) by the low bits of the region; since layout 2.3 */
} pfc__thread_t;

#define PFC__UNSEEN (~(pfc__u64)0)
#define PFC__THREAD_LEAST offsetof(pfc__thread_t, hits_charged) /* of layout 1.0 */

/* SENT, RECEIVED: a message, known at both ends by its sender and when that sent it. COLLECTIVE (since minor 15): inside of the
   call's region, in which communicator it is, which has the same name on all of its ranks. Since minor 16: STARTED, behind a
   COLLECTIVE that goes on beside the program; COMPLETED: inside of the call that completes it, by any thread. Since layout 2.3:
   BEGUN, where another thread continues the record of one that has ended. */
enum pfc__event_kind {
    PFC__EVENT_ENTER = 1, PFC__EVENT_EXIT = 2, PFC__EVENT_SENT = 4, PFC__EVENT_RECEIVED = 5, PFC__EVENT_COLLECTIVE = 6,
    PFC__EVENT_STARTED = 7, PFC__EVENT_COMPLETED = 8, PFC__EVENT_BEGUN = 9
};

typedef struct pfc__event {
    pfc__i64 lt;                 /* ticks */
    pfc__u32 kind;
    pfc__u32 region;             /* COLLECTIVE: its call's; a persistent one's, where it was initialised */
    pfc__i64 sent;               /* from here on 0, but of messages: ns on the job's clock; differs between one sender's;
                                    COLLECTIVE: the communicator's name; 0: MPI_COMM_WORLD; STARTED, COMPLETED: its number
                                    in this process */
    pfc__u32 sender;             /* rank in MPI_COMM_WORLD; COLLECTIVE: the root's there, or PFC_NONE */
    int tag;                     /* RECEIVED; since minor 11. COLLECTIVE: this rank's there. ENTER, since minor 16: of so many
                                    calls that asked in vain, one after the other, until the EXIT; 0: of one that didn't */
    pfc__u64 bytes;              /* RECEIVED: of the user's data; COLLECTIVE: as in pfc__mpi_site_t */
    pfc__i64 communicator;       /* RECEIVED, since minor 17: its name, as of a collective's; 0: MPI_COMM_WORLD, or one without a
                                    name, as those with two sides */
    int source, rank;            /* the sender and this rank, there */
} pfc__event_t;

#define PFC__TRACE_MOST (1u << 24) /* events of a thread that may be asked for */
#define PFC__EVENT_LEAST offsetof(pfc__event_t, bytes) /* of layout 1.0 */

typedef struct pfc__ring {       /* in front of an EVENTS extent's elements */
    pfc__event_t *event;         /* (process) */
    pfc__u64 mask;
    pfc__shared_u64 *written;    /* (process) the extent's count */
} pfc__ring_t;
