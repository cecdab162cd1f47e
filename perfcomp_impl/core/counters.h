/* -------------------------------------------------------------- counters ---
   Frequency profiles: per translation unit one plain integer array, one 64-bit
   element a counter. Plain, static and not volatile, so that the optimiser may
   keep a counter in a register through a loop, or add the trip count at once.
   At start the profile file is mapped over the arrays: the counts are in the
   file from then on, and the hot path knows nothing of it. That takes arrays
   of whole pages, aligned to pages. */

#if defined __aarch64__ /* the largest page that this architecture's kernels use */
#  define PFC__PAGE 65536
#else
#  define PFC__PAGE 4096
#endif

/* One basic block of a unit. Flow conservation completes the blocks without a
   counter: block = edge (from → to) of a graph in which what flows into a
   vertex flows out of it (Knuth & Stevenson, BIT 13, 1973). The outside of a
   function is a vertex too: its ENTRY comes from there, its EXIT leads there,
   and so may a block whose call may not return, and a way back from it.
   Vertices are numbered densely, below 4 * blocks + 1024. */
typedef struct pfc__block {
    pfc__u32 line, line_end;   /* of the user's source; 0: no code, a way that control takes between blocks */
    pfc__u32 column;
    pfc__u32 function;         /* index into the unit's functions */
    pfc__u32 file;             /* index into the unit's files */
    pfc__u32 kind;             /* enum pfc__block_kind */
    pfc__u32 counter;          /* index into the array, or PFC__NO_COUNTER: completed by the reader */
    pfc__u32 from, to;         /* vertices of the unit's flow graph; from == to == 0: counted by itself */
} pfc__block_t;

#define PFC__NO_COUNTER 0xffffffffu
enum pfc__block_kind {
    PFC__BLOCK_PLAIN = 0,
    PFC__BLOCK_ENTRY = 1,      /* how often the function was entered */
    PFC__BLOCK_EXIT = 2,       /* how often it was left; entries − exits = activations in flight or abandoned */
    PFC__BLOCK_HIT = 3,        /* a user's PFC_HIT, whose name its function has */
    PFC__BLOCK_AMID = 256      /* a bit: code of another block stands before it in its line; since minor 16 */
};

/* Packed, a unit's blocks take a sixth of the room, in its object as in each process's profile. Each is a byte that tells what
   it has, and then that: unsigned numbers (LEB128: DWARF 5, 7.6), or differences to what is likely, as numbers whose lowest
   bit is the sign (zigzag). */
enum pfc__packed {
    PFC__PACKED_LINES = 1,     /* line − the last one, line_end − line, unsigned column; otherwise all are 0 */
    PFC__PACKED_FUNCTION = 2,  /* function − the last one; otherwise the same */
    PFC__PACKED_FILE = 4,      /* likewise */
    PFC__PACKED_KIND = 8,      /* unsigned kind; otherwise PLAIN */
    PFC__PACKED_NEXT = 16,     /* nothing: its counter is the one behind the last */
    PFC__PACKED_COUNTER = 32,  /* counter − the one behind the last. Without both bits it has none */
    PFC__PACKED_GRAPH = 64     /* from − the last block's, to − from; otherwise both are 0 */
};

/* How an array is added to, as bits. CHARGED: in virtual time, what it costs has been charged then. */
enum pfc__adding { PFC__ADDED_ATOMICALLY = 1, PFC__ADDED_AND_CHARGED = 2 };

typedef struct pfc__function {
    const char *name;          /* the reader's copy: a string's file offset */
    pfc__u32 file, line, line_end;
    pfc__u32 flags;            /* PFC__TIMED … */
} pfc__function_t;

/* Lines of a function's extent that hold no code, as comments do: counts of blocks aren't theirs. */
typedef struct pfc__gap { pfc__u32 file, line, line_end; } pfc__gap_t;

/* Where a function is called whose ENTRY has no counter: it is entered as often as its calling blocks are, all together.
   A block that calls it twice has two of these. */
typedef struct pfc__caller {
    pfc__u32 entry, block;     /* indices into the unit's blocks */
} pfc__caller_t;

/* A call that may not return, and where flow is lost if it doesn't. Which of them didn't is told by how often the functions
   that they call were entered and left (model_stops.c). */
enum pfc__stop_kind {
    PFC__STOP_INSIDE = 0,      /* behind the block's counter: flow is lost where the block leads to */
    PFC__STOP_BEFORE = 1,      /* before it: where the block comes from */
    PFC__STOP_LEFT = 2,        /* nowhere: the EXIT has been counted before, or isn't */
    PFC__STOP_ENDS = 3,        /* the same, and it never returns */
    PFC__STOP_JUMPS = 4        /* the same; signals' handlers may call it, too, amid anything: longjmp, pthread_exit */
};

typedef struct pfc__stop {
    pfc__u32 block;            /* index into the unit's blocks */
    pfc__u32 callee;           /* its name's place in the unit's; 0: through a pointer */
    pfc__u32 kind;             /* enum pfc__stop_kind */
    pfc__u32 sure;             /* 1: if the program has none of that name, it's a library's that returns, unless its thread is
                                  cancelled; of one that never returns: it is made whenever its block is counted */
} pfc__stop_t;

#define PFC__TIMED 1u          /* it is a region as well */
#define PFC__MAY_NOT_RETURN 2u /* contains calls: entries and exits may differ */
#define PFC__UNTOUCHED 4u      /* couldn't be instrumented: it has no blocks */
#define PFC__STOPS_KNOWN 8u    /* those of its calls that may not return are in the table of stops, all of them */
#define PFC__STATIC 16u
#define PFC__REPLACES 32u      /* one that has the name of a library's, and the whole program sees */

/* What a unit hands over at start-up. `abi` is checked: objects made by another
   version are named and left out. The runtime and a unit may be compiled with other
   options: structures that both know have no gaps, which -fpack-struct would close
   and -malign-double move. */
typedef struct pfc__unit {
    pfc__u32 abi;
    pfc__u32 files, functions, blocks;
    pfc__u64 counters;                 /* elements in use */
    pfc__u64 array_bytes;              /* whole pages; 0 under threads */
    unsigned long long *array;         /* page-aligned; NULL under threads */
    const char *const *file;
    const pfc__function_t *function;
    const pfc__block_t *block;
    const char *name;                  /* the main source file, as the compiler was given it */
    const char *directory;             /* where it was compiled */
    const char *compiler;              /* version and flags */
    pfc__u32 id;                       /* filled in at registration; 0: not registered */
    pfc__u32 adding;                   /* enum pfc__adding */
    pfc__u32 gaps, unused;
    const pfc__gap_t *gap;
    unsigned long long *(*own)(void);  /* under threads: finds them as its functions do; NULL: it's known what that takes */
    const unsigned char *summed;       /* [counter] 1: turns of a loop, which the compiler counts in a register or not at all; NULL: none is */
    pfc__u64 callers;
    const pfc__caller_t *caller;
    const char *const *holder;         /* [function] of a PFC_HIT: the function that it stands in; NULL: they are functions themselves */
    pfc__u64 stops, names;             /* names: bytes */
    const pfc__stop_t *stop;
    const char *called;                /* names, one behind the other, the first one empty */
    pfc__u64 packed_bytes;
    const unsigned char *packed;       /* the blocks, in place of `block`; NULL: they aren't packed */
} pfc__unit_t;

#define PFC__ABI 9u

/* A unit in the profile: the head of a UNIT extent. The tables are places in
   the extent, counted in bytes from its header: files are 64-bit string
   offsets, functions are pfc__function_t with a string offset as name, blocks
   are pfc__block_t, gaps are pfc__gap_t, callers are pfc__caller_t. */
typedef struct pfc__unit_record {
    pfc__u64 name, directory, compiler;   /* offsets of strings; 0: none */
    pfc__u32 files, functions, blocks;
    pfc__u32 threaded;                    /* 1: each thread has an array of its own */
    pfc__u64 counters;                    /* elements of an array in use */
    pfc__u64 file_table, function_table, block_table;
    pfc__u64 gaps, gap_table;             /* since minor 6 */
    pfc__u64 summed_table;                /* bytes, one a counter; 0: none; since minor 8 */
    pfc__u64 callers, caller_table;       /* since minor 9 */
    pfc__u64 holder_table;                /* offsets of strings, one a function; 0: none; since minor 12 */
    pfc__u64 stops, stop_table;           /* since minor 12 */
    pfc__u64 names, name_table;           /* bytes that end with a zero; since minor 12 */
    pfc__u64 packed, packed_table;        /* bytes, in place of the block table, which has none then; 0: it has; since layout 2 */
} pfc__unit_record_t;

#define PFC__UNIT_RECORD_LEAST offsetof(pfc__unit_record_t, gaps)

PFC__EXTERN_C_BEGIN
/* Registers a unit; weak where a unit calls it, so that objects of perfcomp-cc --count also link without perfcomp. Others
   need it: functions that are timed, and counters of threads, call it by strong names. */
PFC__COLD void pfc__unit_register(pfc__unit_t *unit);
/* The unit's library is unloaded: its array goes, the counts stay in the profile. */
PFC__COLD void pfc__unit_unregister(pfc__unit_t *unit);
/* Under threads: this thread's own counters of the unit, in the profile; also stored to *slot. */
PFC__COLD unsigned long long *pfc__unit_thread(pfc__unit_t *unit, unsigned long long **slot);
PFC__EXTERN_C_END

/* Stands in the body of a loop whose turns are said to be independent of each other (omp simd, dynamic schedules). Clang takes
   that for a promise about the counters, too: of the turns that it makes one vector of, only some would be counted. */
PFC__HOT void pfc__each_turn(void)
{
#if defined __clang__
    __asm__ __volatile__(""); /* which can't be made a vector of */
#endif
}
