/* --------------------------------------------------- piggyback (MPI impl) ---
   Every message carries the sender's moment in front of the user's data, so
   that MPI's own matching brings the right one to every receive, wildcards
   included. In front, because a message may be shorter than the receive that
   it meets. Two ways to put it there, which look the same on the way:

   - data of a predefined type are copied behind it into a buffer of ours;
   - otherwise a datatype spans both; made once per (buffer, count, type).

   Beyond 4 to 8 KB it goes apart from the data (apart.c). */

typedef struct pfc__piggy {
    pfc__i64 ct, lt;
    pfc__u32 u, clock;  /* ns, saturated */
    pfc__u32 rank;      /* the sender's, in MPI_COMM_WORLD */
    pfc__u32 k;         /* not 0: the sender waits, and wants to know of the post that met message k of the stream (R4) */
} pfc__piggy_t;

enum { PFC__PIGGY = sizeof(pfc__piggy_t), PFC__COPY_LEAST = 4096, PFC__COPY_MAX = 8320 };

typedef union pfc__copy { /* on the stack of a blocking call */
    pfc__piggy_t piggy;
    unsigned char bytes[PFC__PIGGY + PFC__COPY_MAX + PFC__PIGGY]; /* room for what is bare, too */
} pfc__copy_t;

PFC__HOT pfc__u32 pfc__saturated(pfc__i64 ns) { return ns < 0 ? 0 : ns > 0xffffffffLL ? 0xffffffffu : (pfc__u32)ns; }

PFC__HOT void pfc__piggy_write(pfc__piggy_t *p, pfc__moment_t m, pfc__u32 k)
{
    p->ct = PFC__UNLIKELY(pfc__is_traced()) ? pfc__event_sent(m.ct, (pfc__u32)pfc__mpi.rank) : m.ct;
    p->lt = m.lt;
    p->u = pfc__saturated(m.u);
    p->clock = pfc__saturated(m.clock);
    p->rank = (pfc__u32)pfc__mpi.rank;
    p->k = k;
}

PFC__HOT pfc__moment_t pfc__piggy_read(const pfc__piggy_t *p)
{
    pfc__moment_t m = { p->ct, p->lt, p->u, p->clock };
    return m;
}

/* ---- datatypes */

typedef struct pfc__type {
    pfc__by_handle_t entry;
    pfc__i64 size;
    int plain; /* predefined and without gaps: may be copied */
    int pair;  /* predefined, with gaps, as MPI_DOUBLE_INT: MPICH 4.0 takes no other data into a span of them than a span's */
} pfc__type_t;

static pfc__handles_t pfc__types;

/* 0: the library wouldn't say, or it isn't committed: it will tell the user. Without memory it is asked again. Under the lock. */
static PFC__COLD int pfc__type_ask(MPI_Datatype type, pfc__type_t *known)
{
    pfc__type_t *t;
    pfc__made_of_t made;
    MPI_Count size; /* may be too long for an int */
    MPI_Aint low, extent;
    if (!pfc__envelope_of(type, &made) || PMPI_Type_size_x(type, &size) || PMPI_Type_get_extent(type, &low, &extent))
        return 0;
    if (made.combiner != MPI_COMBINER_NAMED && !PFC__ONE_PROGRAM && PMPI_Send(known, 1, type, MPI_PROC_NULL, 0, pfc__mpi.alone)) return 0;
    memset(known, 0, sizeof *known);
    known->size = size;
    known->plain = made.combiner == MPI_COMBINER_NAMED && low == 0 && extent == size && size > 0;
    known->pair = made.combiner == MPI_COMBINER_NAMED && !known->plain && size > 0;
    t = (pfc__type_t *)malloc(sizeof *t);
    if (!t) return 1;
    *t = *known;
    pfc__handles_put(&pfc__types, PFC__KEY(type), &t->entry);
    return 1;
}

/* All ranks must find the same. */
PFC__HOT int pfc__type_known(MPI_Datatype type, pfc__type_t *known)
{
    const pfc__type_t *t;
    int is_known = 1;
    if (type == MPI_DATATYPE_NULL) return 0;
    pfc__mpi_lock();
    t = (const pfc__type_t *)(const void *)pfc__handles_find(&pfc__types, PFC__KEY(type));
    if (PFC__LIKELY(t != 0)) known->size = t->size, known->plain = t->plain, known->pair = t->pair;
    else is_known = pfc__type_ask(type, known);
    pfc__mpi_unlock();
    return is_known;
}

#ifndef PFC__BARE_MOST             /* longer data carry their piggyback again (apart.c); tests make it less */
#define PFC__BARE_MOST (1 << 30)
#endif

PFC__HOT int pfc__is_copied(const pfc__type_t *known, pfc__i64 bytes) { return known->plain && bytes <= pfc__link.copied; }

/* Of a receive. Into its copy fits what carries a piggyback, and what doesn't. */
PFC__HOT int pfc__is_received_copied(const pfc__type_t *known, pfc__i64 room)
{
    return known->plain && room <= pfc__link.copied + PFC__PIGGY;
}

/* Of derived data that are long: into the user's buffer as they are; and so they are sent. (Pairs come behind their piggyback.) */
PFC__HOT int pfc__is_received_bare(const pfc__type_t *known, pfc__i64 room)
{
    return !known->plain && !known->pair && room > pfc__link.copied + PFC__PIGGY && room <= PFC__BARE_MOST;
}

/* Bytes of data in `count` elements; 0 where that can't be told. */
static PFC__QUIET pfc__i64 pfc__bytes_of(pfc__i64 count, MPI_Datatype type)
{
    pfc__type_t t;
    return count > 0 && pfc__type_known(type, &t) ? count * t.size : 0;
}

/* MPI_Pack; MPICH 4.0 refuses MPI_BOTTOM there: the same data, as seen from `out`. */
static PFC__QUIET int pfc__pack(const void *buffer, int count, MPI_Datatype type, void *out, int room, int *used)
{
    MPI_Aint here;
    MPI_Datatype seen;
    int error;
    if (buffer != MPI_BOTTOM) return PMPI_Pack(buffer, count, type, out, room, used, pfc__mpi.comm);
    PMPI_Get_address(out, &here);
    here = -here;
    if ((error = PMPI_Type_create_hindexed(1, &count, &here, type, &seen))) return error;
    PMPI_Type_commit(&seen);
    error = PMPI_Pack(out, 1, seen, out, room, used, pfc__mpi.comm);
    PMPI_Type_free(&seen);
    return error;
}

/* ---- a datatype over piggyback and user's data */

typedef struct pfc__span {
    pfc__piggy_t piggy;
    struct pfc__span *next;
    const void *buffer;
    pfc__i64 count;
    MPI_Datatype of, type; /* the user's; ours, from &piggy on */
    int busy, plain;       /* plain: the user's has no gaps */
    pfc__prefix_t prefix;  /* of a receive that is bare, if it has one: then there is no `type` */
} pfc__span_t;

enum { PFC__SPAN_BUCKETS = 256, PFC__SPANS = 1024 };
static pfc__span_t *pfc__spans[PFC__SPAN_BUCKETS];
static int pfc__spans_count;

static PFC__QUIET unsigned pfc__span_bucket(const void *buffer, pfc__i64 count)
{
    pfc__u64 x = ((pfc__u64)(pfc__uptr)buffer ^ (pfc__u64)count << 44) * 0x9e3779b97f4a7c15u;
    return (unsigned)(x >> 40) % PFC__SPAN_BUCKETS;
}

static PFC__QUIET void pfc__span_free(pfc__span_t *s)
{
    if (s->prefix.held) pfc__prefix_free(&s->prefix);
    else PMPI_Type_free(&s->type);
    free(s);
    pfc__spans_count--;
}

/* Frees spans that nobody uses: those over `of`, or, when `of` is the null type, all. Under the lock. */
static PFC__QUIET void pfc__spans_drop(MPI_Datatype of)
{
    int i;
    for (i = 0; i < PFC__SPAN_BUCKETS; i++) {
        pfc__span_t **at = &pfc__spans[i];
        while (*at) {
            pfc__span_t *s = *at;
            if (of != MPI_DATATYPE_NULL && s->of != of) { at = &s->next; continue; }
            *at = s->next;
            if (s->busy) s->next = 0, s->of = MPI_DATATYPE_NULL; /* its request frees it */
            else pfc__span_free(s);
        }
    }
}

static PFC__QUIET int pfc__span_build(pfc__span_t *s)
{
    pfc__type_t known;
    int lengths[2];
    MPI_Aint places[2], here, there;
    MPI_Datatype types[2];
    if (!pfc__type_known(s->of, &known)) return 1;
    s->plain = known.plain;
    if (pfc__is_received_bare(&known, s->count * known.size) && s->buffer != MPI_BOTTOM &&
        pfc__prefix_make(&s->prefix, s->count, s->of, pfc__link.copied + PFC__PIGGY))
        return 0;
    lengths[0] = PFC__PIGGY;
    lengths[1] = (int)s->count;
    PMPI_Get_address(&s->piggy, &here);
    if (s->buffer == MPI_BOTTOM) there = 0;
    else PMPI_Get_address((void *)(pfc__uptr)s->buffer, &there);
    places[0] = 0;
    places[1] = there - here;
    types[0] = MPI_BYTE;
    types[1] = s->of;
    return PMPI_Type_create_struct(2, lengths, places, types, &s->type) || PMPI_Type_commit(&s->type);
}

/* Its handle may soon mean another type. */
static PFC__QUIET void pfc__type_forget(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL) return;
    free(pfc__handles_take(&pfc__types, PFC__KEY(type)));
    pfc__mpi_lock();
    pfc__spans_drop(type);
    pfc__mpi_unlock();
}

/* A span to use until it is given back; NULL: no memory. */
static PFC__QUIET pfc__span_t *pfc__span_take(const void *buffer, pfc__i64 count, MPI_Datatype of)
{
    unsigned bucket = pfc__span_bucket(buffer, count);
    pfc__span_t *s;
    pfc__mpi_lock();
    for (s = pfc__spans[bucket]; s; s = s->next)
        if (!s->busy && s->buffer == buffer && s->count == count && s->of == of) break;
    if (!s) {
        if (pfc__spans_count >= PFC__SPANS) pfc__spans_drop(MPI_DATATYPE_NULL);
        s = (pfc__span_t *)calloc(1, sizeof *s);
        if (s) {
            s->buffer = buffer;
            s->count = count;
            s->of = of;
            if (pfc__span_build(s)) { free(s); s = 0; }
        }
        if (s) {
            s->next = pfc__spans[bucket];
            pfc__spans[bucket] = s;
            pfc__spans_count++;
        }
    }
    if (s) s->busy = 1;
    pfc__mpi_unlock();
    return s;
}

static PFC__QUIET void pfc__span_give(pfc__span_t *s)
{
    pfc__mpi_lock();
    s->busy = 0;
    if (s->of == MPI_DATATYPE_NULL) pfc__span_free(s); /* its type was freed meanwhile */
    pfc__mpi_unlock();
}

/* ---- status */

/* Of the two libraries whose structure is known, it says so itself: asking them takes as long as all of a rule. */
PFC__HOT pfc__i64 pfc__status_bytes(const MPI_Status *status)
{
#if defined PERFCOMP_SMPI
    return status->count;
#elif defined OPEN_MPI
    return (pfc__i64)status->_ucount;
#elif defined MPICH_NUMVERSION
    return (pfc__i64)(status->count_hi_and_cancelled >> 1) << 32 | (pfc__u32)status->count_lo;
#else
    MPI_Count bytes = 0;
    PMPI_Get_elements_x((MPI_Status *)(pfc__uptr)status, MPI_BYTE, &bytes);
    return bytes;
#endif
}

/* The user's status tells of the user's data only. */
PFC__HOT void pfc__status_set(MPI_Status *status, pfc__i64 bytes)
{
    if (bytes < 0) return;
#if defined PERFCOMP_SMPI
    status->count = (int)bytes;
#elif defined OPEN_MPI
    status->_ucount = (size_t)bytes;
#elif defined MPICH_NUMVERSION
    status->count_lo = (int)(pfc__u32)bytes;
    status->count_hi_and_cancelled = (int)(bytes >> 32 << 1) | (status->count_hi_and_cancelled & 1);
#else
    PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
#endif
}

/* The user's MPI_ERROR stays as it is: single completions don't set it. */
static PFC__QUIET void pfc__status_copy(MPI_Status *to, const MPI_Status *from)
{
    int error = to->MPI_ERROR;
    *to = *from;
    to->MPI_ERROR = error;
}

/* Calls that complete several write MPI_ERROR in some libraries (Open MPI), in others (MPICH) only where something failed. */
enum { PFC__ERROR_UNTOLD = INT_MIN };

/* Before such a call, so that it shows. */
static PFC__QUIET void pfc__statuses_untold(MPI_Status *status, int n)
{
    int i;
    for (i = 0; i < n; i++) status[i].MPI_ERROR = PFC__ERROR_UNTOLD;
}

/* After it, to the user's: where nothing was told, its MPI_ERROR stays. */
static PFC__QUIET void pfc__status_tell(MPI_Status *to, const MPI_Status *from)
{
    if (from->MPI_ERROR == PFC__ERROR_UNTOLD) pfc__status_copy(to, from);
    else *to = *from;
}
