/* ---------------------------------------------------------- reader (MPI) ---
   What an MPI program's profile holds beside the others': its calls, how long
   they took and waited, as measured (ct) and undisturbed (lt), and for whom.
   Times are in ns, sums are signed: a wait that instrumentation has shortened
   shows as such. Names are the layout's: enum pfc__mpi_wait, pfc__mpi_rule. */

/* Calls from one place, of one kind, or all. */
typedef struct pfc_mpi_calls {
    const char *name;            /* MPI_Send … */
    const char *place;           /* where it is called: object file + offset, for addr2line; "": several */
    uint32_t rule;               /* PFC__RULE_NONE: perfcomp doesn't know what it waits for: counts as the program's own time */
    uint64_t calls, bytes;       /* bytes: perfcomp_mpi.h tells which */
    double time_ct, time_lt;     /* in the call; what it has more in ct is delay that came in */
    double wait_ct, wait_lt, wait_u; /* of it: waiting for other ranks; half the width of lt's 95 % interval */
    double wait[PFC__WAIT_KINDS_READ]; /* wait_lt, by who waited for whom */
} pfc_mpi_calls_t;

/* Waiting of this rank for messages of, or to, another one. */
typedef struct pfc_mpi_peer {
    uint32_t rank;               /* PFC_NONE: all others, together */
    uint64_t waits;
    double wait_ct, wait_lt;
} pfc_mpi_peer_t;

/* Receives from anybody: what came first in this run, and what would have undisturbed. */
typedef struct pfc_mpi_order {
    uint64_t taken;              /* messages that they, or receives after a probe of anybody, have got */
    uint64_t overtaken;          /* of them: one that was received before would have come later */
    uint64_t undecided;          /* of them: can't be told */
    double most;                 /* the most by which one was overtaken: */
    uint32_t rank, by;           /* whose it was, and by whose */
    const char *place;           /* where it was received: object file + offset, for addr2line */
    int holds;                   /* 1: PERFCOMP_MPI_ORDER=hold, by which … */
    uint64_t held;               /* messages were held back, or could have been, … */
    double held_ns;              /* … for so long, all together */
} pfc_mpi_order_t;

typedef struct pfc_mpi {
    uint32_t rank, size;         /* of MPI_COMM_WORLD */
    uint64_t world;              /* which MPI_COMM_WORLD; 0: not known */
    const char *library;
    int finalized;               /* 1: MPI_Finalize was reached, … */
    double delay, delay_u;       /* … so much later than undisturbed */
    double clock_u;              /* how far this rank's clock may be from the job's */
    double clock_strayed;        /* how far it was when they were compared at MPI_Finalize; 0: they are one, or not yet */
    double zero;                 /* where this process's times begin on the job's clock; ns, 0: not known */
    int64_t eager_bytes;         /* longest message that doesn't wait for its receiver */
    uint64_t unacknowledged;     /* sends of which the receiver's time was never learnt */
    uint64_t tried;              /* kinds of collectives, by their ranks, call and length, that were tried out, … */
    double tried_ns;             /* … and for how long; CT: it isn't in LT, but who runs it waits for it */
    pfc_mpi_order_t order;
    size_t places, kinds, peers;
    pfc_mpi_calls_t *place, *kind, total; /* kinds by name */
    pfc_mpi_peer_t *peer;        /* by rank */
} pfc_mpi_t;
