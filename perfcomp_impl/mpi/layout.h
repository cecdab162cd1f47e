/* ---------------------------------------------------------- layout (MPI) ---
   What perfcomp_mpi.h adds to the profile: PFC__MPI extents; an extent's
   `owner` tells which of these it is. Times are ns on the job's common clock.
   It stands here, in perfcomp.h, because reading it needs no MPI. */

enum pfc__mpi_extent { PFC__MPI_JOB = 1, PFC__MPI_SITES = 2, PFC__MPI_PEERS = 3, PFC__MPI_ORDER = 4, PFC__MPI_AT = 5 };

enum { PFC__MPI_NAME = 40, PFC__MPI_PLACE = 88 };

/* This process in its job; one element. */
typedef struct pfc__mpi_job {
    pfc__u32 rank, size;
    pfc__i64 begin_ct;           /* MPI_Init has ended, on every rank */
    pfc__i64 end_ct, end_lt;     /* MPI_Finalize has begun; lt: the uninstrumented program's; 0: not yet */
    pfc__i64 end_u;
    pfc__i64 clock_u;            /* how far this rank's clock may be from the common one */
    pfc__i64 eager_bytes;        /* longest message that doesn't wait for its receiver */
    pfc__u64 unacknowledged;     /* sends whose receiver's post was never learnt (R4) */
    pfc__u64 uncovered;          /* calls that took part in no rule */
    char library[PFC__MPI_PLACE];
    pfc__i64 clock_strayed;      /* how far it was, when they were compared at MPI_Finalize; 0: they are one */
    pfc__i64 begin_tick;         /* begin_ct on the clock of the profile's header; 0: not known */
    pfc__u64 world;              /* of its MPI_COMM_WORLD's ranks and no others: a job spawns others; 0: not known */
    pfc__u64 tried;              /* since minor 17: so many kinds of collectives were tried out (see PERFCOMP_MPI_TRIALS), */
    pfc__i64 tried_ns;           /* and for so long; CT */
} pfc__mpi_job_t;
#define PFC__MPI_JOB_LEAST offsetof(pfc__mpi_job_t, begin_tick)

/* How a call takes part in §3. README's table of calls has these words. */
enum pfc__mpi_rule {
    PFC__RULE_NONE,      /* none: passed on; its time counts as the program's, and `perfcomp report` names it */
    PFC__RULE_LOCAL,     /* local: depends on no other rank */
    PFC__RULE_SEND,      /* R3, R4: may wait for its receiver */
    PFC__RULE_RECEIVE,   /* R1, R2: waits for its sender */
    PFC__RULE_COMPLETE,  /* R5, R11: ends when what was begun before has ended, by the rule of each */
    PFC__RULE_PROBE,     /* as found: its wait is settled by the receive that follows, or the completion */
    PFC__RULE_ALL,       /* R6: ends when the last rank has come; of Alltoallv and w, Allgatherv and Reduce_scatter, the last of those that have a part in it for this rank, where the library is so */
    PFC__RULE_FROM_ROOT, /* R7: waits for the root, or for those that hand on from it; with long data, for those to whom it hands on, too */
    PFC__RULE_TO_ROOT,   /* R8: the root waits for all, others for those that hand on to them; with long data, for those to whom they hand on, too */
    PFC__RULE_PREFIX,    /* R9: waits for the ranks before, in some libraries for later ones, too */
    PFC__RULE_NEIGHBOUR, /* R10: waits for the neighbours that send to it; that those were late to whom it sends long data isn't known, and what that took is in ± */
    PFC__RULE_EPOCH,     /* R1, R4: waits for the ranks of its group */
    PFC__RULE_LOCK,      /* R6: waits for those that held the lock before */
    PFC__RULE_ANSWER     /* R3: ends when its target has answered; that it was late to answer isn't known, and what that took is in ± */
};

enum pfc__mpi_wait {             /* who waited for whom, in local time */
    PFC__NO_WAIT = 0,
    PFC__LATE_SENDER = 1,        /* a receiver waited for its sender */
    PFC__LATE_RECEIVER = 2,      /* a sender waited for its receiver */
    PFC__WAIT_AT_BARRIER = 3,
    PFC__WAIT_AT_NXN = 4,        /* at another all-to-all */
    PFC__WAIT_AT_COLLECTIVE = 5, /* for a root, for a rank before, for a neighbour */
    PFC__WAIT_KINDS = 6,         /* that a profile tells apart */
    PFC__WAIT_FOR_LOCK = 6,      /* for those that held it: LATE_SENDER in a profile, told from it by PFC__RULE_LOCK */
    PFC__WAIT_KINDS_READ = 7
};

/* One MPI call at one place of the program. */
typedef struct pfc__mpi_site {
    char name[PFC__MPI_NAME];    /* MPI_Send … */
    char place[PFC__MPI_PLACE];  /* object file + offset, for addr2line; or function */
    pfc__u64 address;            /* return address, in this process */
    pfc__u32 call, rule;         /* of this process, tells calls from one another; enum pfc__mpi_rule */
    pfc__u64 calls, bytes;
    pfc__i64 time_ct, time_lt;   /* inside the MPI library, as measured and undisturbed */
    pfc__i64 wait_ct, wait_lt;
    pfc__i64 wait_u;             /* uncertainty of wait_lt */
    pfc__i64 wait_kind[PFC__WAIT_KINDS]; /* wait_lt by kind */
    double off_flat, off_tree;   /* collectives: by how much the clock at their ends contradicts data that go straight, and by steps; ns */
} pfc__mpi_site_t;

/* Whom this rank waited for. Bounded: the last entry takes the others together. */
typedef struct pfc__mpi_peer {
    pfc__u32 rank, used;         /* of MPI_COMM_WORLD; 0xffffffff: all others */
    pfc__u64 waits;
    pfc__i64 wait_ct, wait_lt;
} pfc__mpi_peer_t;

/* What receives from anybody took, and what they would have; one element. */
typedef struct pfc__mpi_order {
    pfc__u64 taken;              /* messages that such a receive, or one after such a probe, has got */
    pfc__u64 overtaken;          /* of them: one that was received before would have come later */
    pfc__u64 undecided;          /* it may have */
    pfc__i64 most;               /* by how much, at most */
    pfc__u32 rank, by;           /* then: whose it was, and whose was taken before */
    char place[PFC__MPI_PLACE];  /* of its receive */
    pfc__u64 holds, held;        /* PERFCOMP_MPI_ORDER=hold: 1; messages that were held back, or could have been, */
    pfc__i64 held_ns;            /* and for how long */
} pfc__mpi_order_t;

#define PFC__MPI_ORDER_LEAST offsetof(pfc__mpi_order_t, holds)

/* Where this rank is now, for others that hold messages back (bound.c, which says what follows from it); one element.
   Behind it, by rank, to whom it has sent how many messages: pfc__u32 each. */
typedef struct pfc__mpi_at {
    pfc__u32 depth;              /* calls of MPI that it is in */
    pfc__u32 waits_for, got;     /* not 0: rank + 1, whose message that call waits for; of which it has got so many */
    pfc__u32 sends_to;           /* not 0: rank + 1, which that call waits for to receive the last message to it */
    pfc__u32 gone;               /* it is in MPI_Finalize */
    pfc__u32 polls;              /* for a while it has done nothing but poll in vain */
    pfc__i64 lt;                 /* when the call began */
    pfc__i64 held;               /* when the first message that it holds back would have come */
} pfc__mpi_at_t;
