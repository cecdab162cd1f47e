/* ---------------------------------------------------------- model (impl) ---
   From checked extents to times with their uncertainty, and counts. What holds
   for a path's exclusive time:
       LT = Σ CT − Σ Δ − κ_hit · hits
   and an inclusive time is the sum over the subtree. How far LT is off when a
   cost is off by its spread is known with its sign: what is inside of a region
   is missing outside of it, so that most of it cancels out in inclusive times. */

/* What the estimate for a path's untimed entries comes from, and leads to. */
typedef struct pfc__untimed {
    pfc__sample_t sample;        /* if it was timed by sampling */
    double nested;               /* entries below one that was untimed as well */
    double before, within;       /* exclusive and inclusive LT as measured, ns */
    double carried;              /* ns of nested entries below, to be taken from a path further up; */
    double carried_inside;       /* and how uncertain by PFC_ERROR_INSIDE */
    double variance;             /* of the estimate, ns² */
    double carried_variance;     /* of what is carried, */
    double taken_variance;       /* of what is taken from here for estimates below, */
    double within_variance;      /* and of the inclusive time: what of the path's time lies in another one's further up */
    int folded;                  /* its inclusive times hold one another: see pfc__callers_t */
} pfc__untimed_t;

typedef struct pfc__build {
    pfc__image_t *image;
    pfc_profile_t *p;
    double ns;                   /* of one tick */
    pfc__i64 now;                /* until when open regions are counted, ticks */
    pfc__thread_t *thread;       /* as in the profile */
    double *delta;               /* of a path, exclusive, ticks */
    pfc__untimed_t *untimed;     /* of a path */
    pfc__u64 *counter;           /* of all units, one behind the other, summed over the threads */
    pfc__u32 *counter_function;  /* whose it is */
    unsigned char *counter_summed; /* 1: see pfc__unit_t */
    pfc__u64 *unit_counter;      /* where a unit's counters begin; one more than there are units */
    pfc__u32 *unit_id;
    pfc__u64 *unit_part;
    pfc__facts_t *facts;         /* of all functions */
} pfc__build_t;

/* a − b; they may be anything */
static PFC__QUIET double pfc__ticks(pfc__i64 a, pfc__i64 b) { return (double)(pfc__i64)((pfc__u64)a - (pfc__u64)b); }
static PFC__QUIET int pfc__is_over(const pfc__build_t *b) { return b->image->header.state == PFC__ENDED; }
static PFC__QUIET double pfc__fraction(pfc__i64 fixed) { return (double)fixed / (1 << PFC__FRACTION); }
static PFC__QUIET double pfc__cost_ns(const pfc__build_t *b, double ticks) { return ticks * b->ns; }

/* sum += sign · part; the variance of a difference of which one is part of the other. */
static PFC__QUIET void pfc__time_add_signed(pfc_time_t *sum, double sign, const pfc_time_t *part)
{
    double systematic = 0;
    int i;
    sum->ct += sign * part->ct;
    sum->lt += sign * part->lt;
    sum->variance = fabs(sum->variance + sign * part->variance);
    for (i = 0; i < PFC_ERRORS; i++) {
        sum->error[i] += sign * part->error[i];
        systematic += fabs(sum->error[i]);
    }
    sum->u = systematic + sqrt(sum->variance);
}

void pfc_time_add(pfc_time_t *sum, const pfc_time_t *part) { pfc__time_add_signed(sum, 1, part); }
void pfc_time_since(pfc_time_t *time, const pfc_time_t *earlier) { pfc__time_add_signed(time, -1, earlier); }
