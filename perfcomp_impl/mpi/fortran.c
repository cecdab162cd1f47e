/* ----------------------------------------------------- Fortran (MPI impl) ---
   MPICH's mpif.h and `use mpi` call MPI_Send and the others: they are covered by
   themselves. Open MPI's goes past them, so its names are wrapped here, those of
   mpif.h and `use mpi` (mpi_send_) and those that `use mpi_f08` comes by
   (ompi_send_f; pmpi_test_ and the others that have logicals): all sends,
   receives, completions and collectives but the ones on topologies. They only
   translate to C; the rest is done by MPI_Send and the others, ours: a tool that
   is loaded before us, and comes here by pmpi_send_, would meet itself in them.
   All have their pmpi_ name: a program that wraps some of them itself would else
   have messages without piggybacks there, and look for those here.
   Weak: a program may have such names of its own. */

#if defined OPEN_MPI && defined PFC__LOOKS_FOR_MPI
#  error "perfcomp: define PERFCOMP_MPI_IMPLEMENTATION before perfcomp.h is included"
#elif defined OPEN_MPI && !defined PERFCOMP_SMPI

extern int mpi_fortran_bottom_ __attribute__((weak)), mpi_fortran_in_place_ __attribute__((weak));

#define PFC__OURS(name) pfc__ours_MPI_##name
static __typeof__(MPI_Init) pfc__ours_MPI_Init __attribute__((alias("MPI_Init")));
static __typeof__(MPI_Init_thread) pfc__ours_MPI_Init_thread __attribute__((alias("MPI_Init_thread")));
static __typeof__(MPI_Abort) pfc__ours_MPI_Abort __attribute__((alias("MPI_Abort")));
static __typeof__(MPI_Finalize) pfc__ours_MPI_Finalize __attribute__((alias("MPI_Finalize")));

typedef MPI_Fint *pfc__f; /* an integer, a handle, a logical, a status, or an array of them */

#define PFC__FORTRAN_NAME(symbol, name, parameters) \
    void symbol parameters __attribute__((weak, alias("pfc__fortran_" #name)));

#define PFC__FORTRAN(name, parameters, ...) \
    void pfc__fortran_##name parameters; \
    void pfc__fortran_##name parameters \
    { \
        int result = MPI_SUCCESS; \
        pfc__fortran_place = __builtin_return_address(0); \
        __VA_ARGS__; \
        pfc__fortran_place = 0; /* of a call that wasn't measured */ \
        if (error) *error = result; \
    } \
    PFC__FORTRAN_NAME(mpi_##name##_, name, parameters) \
    PFC__FORTRAN_NAME(mpi_##name##__, name, parameters) \
    PFC__FORTRAN_NAME(pmpi_##name##_, name, parameters) \
    PFC__FORTRAN_NAME(pmpi_##name##__, name, parameters) \
    PFC__FORTRAN_NAME(ompi_##name##_f, name, parameters)

/* ---- translation */

static PFC__QUIET void *pfc__fbuffer(void *p)
{
    if (p && p == (void *)&mpi_fortran_bottom_) return MPI_BOTTOM;
    return p && p == (void *)&mpi_fortran_in_place_ ? MPI_IN_PLACE : p;
}

#define PFC__FCOMM(f) PMPI_Comm_f2c(*(f))
#define PFC__FTYPE(f) PMPI_Type_f2c(*(f))
#define PFC__FOP(f) PMPI_Op_f2c(*(f))

/* The status of one completion goes back to Fortran's. */
static PFC__QUIET void pfc__fstatus(const MPI_Status *status, pfc__f to)
{
    if (to != MPI_F_STATUS_IGNORE) PMPI_Status_c2f(status, to);
}

/* What is there before the call: single completions leave MPI_ERROR as it is. */
static PFC__QUIET MPI_Status pfc__fstatus_before(pfc__f from)
{
    MPI_Status status;
    memset(&status, 0, sizeof status);
    if (from != MPI_F_STATUS_IGNORE) PMPI_Status_f2c(from, &status);
    return status;
}

/* Arrays of requests and statuses, in C. Few ones need no memory. */
enum { PFC__FEW_REQUESTS = 16 };

typedef struct pfc__frequests {
    MPI_Request *request, few[PFC__FEW_REQUESTS];
    MPI_Status *status, few_statuses[PFC__FEW_REQUESTS];
} pfc__frequests_t;

static PFC__QUIET void pfc__frequests_close(pfc__frequests_t *r)
{
    if (r->request != r->few) free(r->request);
    if (r->status != r->few_statuses) free(r->status);
}

static PFC__QUIET int pfc__frequests_open(pfc__frequests_t *r, int n, pfc__f from)
{
    int i;
    r->request = r->few;
    r->status = r->few_statuses;
    if (n > PFC__FEW_REQUESTS) {
        r->request = (MPI_Request *)malloc((size_t)n * sizeof *r->request);
        r->status = (MPI_Status *)malloc((size_t)n * sizeof *r->status);
    }
    if (!r->request || !r->status) {
        pfc__frequests_close(r);
        return MPI_ERR_NO_MEM;
    }
    for (i = 0; i < n; i++) r->request[i] = PMPI_Request_f2c(from[i]);
    pfc__statuses_untold(r->status, n);
    return MPI_SUCCESS;
}

/* Of a request that is none the library makes nothing, and says so: it stays what it is. */
static PFC__QUIET void pfc__frequest_back(MPI_Request request, pfc__f to)
{
    if (request != PMPI_Request_f2c(*to)) *to = PMPI_Request_c2f(request);
}

static PFC__QUIET void pfc__frequests_back(const pfc__frequests_t *r, int n, pfc__f to)
{
    int i;
    for (i = 0; i < n; i++) pfc__frequest_back(r->request[i], &to[i]);
}

/* What such a call doesn't tell, neither do we. */
enum { PFC__FUNTOLD = INT_MIN };

static PFC__QUIET void pfc__ftell(int told, pfc__f to) { if (told != PFC__FUNTOLD) *to = told; }

static PFC__QUIET void pfc__fstatuses_back(const pfc__frequests_t *r, int result, int n, pfc__f to)
{
    int i;
    if (to == MPI_F_STATUSES_IGNORE || (result && result != MPI_ERR_IN_STATUS)) return;
    for (i = 0; i < n; i++, to += sizeof(MPI_Status) / sizeof(MPI_Fint)) {
        MPI_Status told = pfc__fstatus_before(to);
        pfc__status_tell(&told, &r->status[i]);
        PMPI_Status_c2f(&told, to);
    }
}

/* ---- sends and receives */

#define PFC__FORTRAN_SEND(name, call) \
    PFC__FORTRAN(name, (void *b, pfc__f n, pfc__f type, pfc__f to, pfc__f tag, pfc__f comm, pfc__f error), \
                 result = call(pfc__fbuffer(b), *n, PFC__FTYPE(type), *to, *tag, PFC__FCOMM(comm)))

PFC__FORTRAN_SEND(send, PFC__OURS(Send))
PFC__FORTRAN_SEND(ssend, PFC__OURS(Ssend))
PFC__FORTRAN_SEND(rsend, PFC__OURS(Rsend))
PFC__FORTRAN_SEND(bsend, PFC__OURS(Bsend))

/* Calls that give a request. */
#define PFC__FORTRAN_STARTS(name, parameters, call) \
    PFC__FORTRAN(name, parameters, MPI_Request started = MPI_REQUEST_NULL; \
                 result = call; \
                 if (!result) *request = PMPI_Request_c2f(started))

#define PFC__FORTRAN_TRANSFER(name, call) \
    PFC__FORTRAN_STARTS(name, (void *b, pfc__f n, pfc__f type, pfc__f to, pfc__f tag, pfc__f comm, pfc__f request, pfc__f error), \
                        call(pfc__fbuffer(b), *n, PFC__FTYPE(type), *to, *tag, PFC__FCOMM(comm), &started))

PFC__FORTRAN_TRANSFER(isend, PFC__OURS(Isend))
PFC__FORTRAN_TRANSFER(issend, PFC__OURS(Issend))
PFC__FORTRAN_TRANSFER(irsend, PFC__OURS(Irsend))
PFC__FORTRAN_TRANSFER(ibsend, PFC__OURS(Ibsend))
PFC__FORTRAN_TRANSFER(send_init, PFC__OURS(Send_init))
PFC__FORTRAN_TRANSFER(ssend_init, PFC__OURS(Ssend_init))
PFC__FORTRAN_TRANSFER(rsend_init, PFC__OURS(Rsend_init))
PFC__FORTRAN_TRANSFER(bsend_init, PFC__OURS(Bsend_init))
PFC__FORTRAN_TRANSFER(irecv, PFC__OURS(Irecv))
PFC__FORTRAN_TRANSFER(recv_init, PFC__OURS(Recv_init))

/* Calls that tell one status. */
#define PFC__FORTRAN_TELLS(name, parameters, call) \
    PFC__FORTRAN(name, parameters, MPI_Status told = pfc__fstatus_before(status); \
                 result = call; \
                 if (!result) pfc__fstatus(&told, status))

PFC__FORTRAN_TELLS(recv, (void *b, pfc__f n, pfc__f type, pfc__f from, pfc__f tag, pfc__f comm, pfc__f status, pfc__f error),
                   PFC__OURS(Recv)(pfc__fbuffer(b), *n, PFC__FTYPE(type), *from, *tag, PFC__FCOMM(comm), &told))
PFC__FORTRAN_TELLS(sendrecv, (void *s, pfc__f n, pfc__f type, pfc__f to, pfc__f stag, void *r, pfc__f m, pfc__f rtype, pfc__f from,
                              pfc__f rtag, pfc__f comm, pfc__f status, pfc__f error),
                   PFC__OURS(Sendrecv)(pfc__fbuffer(s), *n, PFC__FTYPE(type), *to, *stag, pfc__fbuffer(r), *m, PFC__FTYPE(rtype), *from,
                                *rtag, PFC__FCOMM(comm), &told))
PFC__FORTRAN_TELLS(sendrecv_replace, (void *b, pfc__f n, pfc__f type, pfc__f to, pfc__f stag, pfc__f from, pfc__f rtag, pfc__f comm,
                                      pfc__f status, pfc__f error),
                   PFC__OURS(Sendrecv_replace)(pfc__fbuffer(b), *n, PFC__FTYPE(type), *to, *stag, *from, *rtag, PFC__FCOMM(comm), &told))
PFC__FORTRAN_TELLS(probe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f status, pfc__f error),
                   PFC__OURS(Probe)(*from, *tag, PFC__FCOMM(comm), &told))
PFC__FORTRAN(iprobe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f flag, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); int there = 0;
             result = PFC__OURS(Iprobe)(*from, *tag, PFC__FCOMM(comm), &there, &told); *flag = there;
             if (!result && there) pfc__fstatus(&told, status))
PFC__FORTRAN(mprobe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f message, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); MPI_Message found;
             result = PFC__OURS(Mprobe)(*from, *tag, PFC__FCOMM(comm), &found, &told);
             if (!result) { *message = PMPI_Message_c2f(found); pfc__fstatus(&told, status); })
PFC__FORTRAN(improbe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f flag, pfc__f message, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); MPI_Message found; int there = 0;
             result = PFC__OURS(Improbe)(*from, *tag, PFC__FCOMM(comm), &there, &found, &told); *flag = there;
             if (!result && there) { *message = PMPI_Message_c2f(found); pfc__fstatus(&told, status); })
PFC__FORTRAN(mrecv, (void *b, pfc__f n, pfc__f type, pfc__f message, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); MPI_Message found = PMPI_Message_f2c(*message);
             result = PFC__OURS(Mrecv)(pfc__fbuffer(b), *n, PFC__FTYPE(type), &found, &told); *message = PMPI_Message_c2f(found);
             if (!result) pfc__fstatus(&told, status))
PFC__FORTRAN(imrecv, (void *b, pfc__f n, pfc__f type, pfc__f message, pfc__f request, pfc__f error),
             MPI_Request started = MPI_REQUEST_NULL; MPI_Message found = PMPI_Message_f2c(*message);
             result = PFC__OURS(Imrecv)(pfc__fbuffer(b), *n, PFC__FTYPE(type), &found, &started); *message = PMPI_Message_c2f(found);
             if (!result) *request = PMPI_Request_c2f(started))

/* ---- completion */

PFC__FORTRAN(start, (pfc__f request, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request); result = PFC__OURS(Start)(&r);
             pfc__frequest_back(r, request))
PFC__FORTRAN(cancel, (pfc__f request, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request); result = PFC__OURS(Cancel)(&r))
PFC__FORTRAN(request_free, (pfc__f request, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request);
             result = PFC__OURS(Request_free)(&r); pfc__frequest_back(r, request))
PFC__FORTRAN(wait, (pfc__f request, pfc__f status, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request);
             MPI_Status told = pfc__fstatus_before(status); result = PFC__OURS(Wait)(&r, &told); pfc__frequest_back(r, request);
             pfc__fstatus(&told, status))
PFC__FORTRAN(test, (pfc__f request, pfc__f flag, pfc__f status, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request);
             MPI_Status told = pfc__fstatus_before(status); int done = PFC__FUNTOLD; result = PFC__OURS(Test)(&r, &done, &told);
             pfc__ftell(done, flag); pfc__frequest_back(r, request); if (done) pfc__fstatus(&told, status))
PFC__FORTRAN(request_get_status, (pfc__f request, pfc__f flag, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); int done = PFC__FUNTOLD;
             result = PFC__OURS(Request_get_status)(PMPI_Request_f2c(*request), &done, &told); pfc__ftell(done, flag);
             if (done) pfc__fstatus(&told, status))

/* Calls on `*n` requests; `body` has them in r.request. */
#define PFC__FORTRAN_MANY(name, parameters, ...) \
    PFC__FORTRAN(name, parameters, pfc__frequests_t r; result = pfc__frequests_open(&r, *n, request); \
                 if (!result) { __VA_ARGS__; pfc__frequests_back(&r, *n, request); pfc__frequests_close(&r); })

/* Fortran counts from 1. */
static PFC__QUIET int pfc__findex(int index) { return index == MPI_UNDEFINED || index == PFC__FUNTOLD ? index : index + 1; }

/* So many of them, with their statuses. */
static PFC__QUIET void pfc__fsome(const pfc__frequests_t *r, int result, int some, pfc__f n, pfc__f index, pfc__f status)
{
    int i;
    pfc__ftell(some, n);
    for (i = 0; some != MPI_UNDEFINED && i < some; i++) index[i]++;
    if (some > 0) pfc__fstatuses_back(r, result, some, status);
}

PFC__FORTRAN_MANY(startall, (pfc__f n, pfc__f request, pfc__f error), result = PFC__OURS(Startall)(*n, r.request))
PFC__FORTRAN_MANY(waitall, (pfc__f n, pfc__f request, pfc__f status, pfc__f error),
                  result = PFC__OURS(Waitall)(*n, r.request, r.status); pfc__fstatuses_back(&r, result, *n, status))
PFC__FORTRAN_MANY(testall, (pfc__f n, pfc__f request, pfc__f flag, pfc__f status, pfc__f error), int done = PFC__FUNTOLD;
                  result = PFC__OURS(Testall)(*n, r.request, &done, r.status); pfc__ftell(done, flag);
                  if (done) pfc__fstatuses_back(&r, result, *n, status))
PFC__FORTRAN_MANY(waitany, (pfc__f n, pfc__f request, pfc__f index, pfc__f status, pfc__f error), int at = PFC__FUNTOLD;
                  MPI_Status told = pfc__fstatus_before(status); result = PFC__OURS(Waitany)(*n, r.request, &at, &told);
                  pfc__ftell(pfc__findex(at), index); pfc__fstatus(&told, status))
PFC__FORTRAN_MANY(testany, (pfc__f n, pfc__f request, pfc__f index, pfc__f flag, pfc__f status, pfc__f error),
                  int at = PFC__FUNTOLD, done = PFC__FUNTOLD;
                  MPI_Status told = pfc__fstatus_before(status); result = PFC__OURS(Testany)(*n, r.request, &at, &done, &told);
                  pfc__ftell(pfc__findex(at), index); pfc__ftell(done, flag); if (done) pfc__fstatus(&told, status))
PFC__FORTRAN_MANY(waitsome, (pfc__f n, pfc__f request, pfc__f done, pfc__f index, pfc__f status, pfc__f error), int some = PFC__FUNTOLD;
                  result = PFC__OURS(Waitsome)(*n, r.request, &some, index, r.status); pfc__fsome(&r, result, some, done, index, status))
PFC__FORTRAN_MANY(testsome, (pfc__f n, pfc__f request, pfc__f done, pfc__f index, pfc__f status, pfc__f error), int some = PFC__FUNTOLD;
                  result = PFC__OURS(Testsome)(*n, r.request, &some, index, r.status); pfc__fsome(&r, result, some, done, index, status))

/* ---- collectives, and their nonblocking forms */

#define PFC__FOPEN(...) __VA_ARGS__
#define PFC__FORTRAN_COLLECTIVE(name, Name, parameters, arguments) \
    PFC__FORTRAN(name, (PFC__FOPEN parameters, pfc__f error), result = PFC__OURS(Name) arguments) \
    PFC__FORTRAN_STARTS(i##name, (PFC__FOPEN parameters, pfc__f request, pfc__f error), PFC__OURS(I##name)(PFC__FOPEN arguments, &started))

PFC__FORTRAN_COLLECTIVE(barrier, Barrier, (pfc__f comm), (PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(bcast, Bcast, (void *b, pfc__f n, pfc__f type, pfc__f root, pfc__f comm),
                        (pfc__fbuffer(b), *n, PFC__FTYPE(type), *root, PFC__FCOMM(comm)))

#define PFC__FORTRAN_ROOTED(name, Name) \
    PFC__FORTRAN_COLLECTIVE(name, Name, \
        (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f rtype, pfc__f root, pfc__f comm), \
        (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), *m, PFC__FTYPE(rtype), *root, PFC__FCOMM(comm)))
PFC__FORTRAN_ROOTED(gather, Gather)
PFC__FORTRAN_ROOTED(scatter, Scatter)
PFC__FORTRAN_COLLECTIVE(gatherv, Gatherv,
    (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f at, pfc__f rtype, pfc__f root, pfc__f comm),
    (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), m, at, PFC__FTYPE(rtype), *root, PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(scatterv, Scatterv,
    (void *s, pfc__f n, pfc__f from, pfc__f type, void *r, pfc__f m, pfc__f rtype, pfc__f root, pfc__f comm),
    (pfc__fbuffer(s), n, from, PFC__FTYPE(type), pfc__fbuffer(r), *m, PFC__FTYPE(rtype), *root, PFC__FCOMM(comm)))

#define PFC__FORTRAN_EQUAL(name, Name) \
    PFC__FORTRAN_COLLECTIVE(name, Name, (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f rtype, pfc__f comm), \
        (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), *m, PFC__FTYPE(rtype), PFC__FCOMM(comm)))
PFC__FORTRAN_EQUAL(allgather, Allgather)
PFC__FORTRAN_EQUAL(alltoall, Alltoall)
PFC__FORTRAN_COLLECTIVE(allgatherv, Allgatherv,
    (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f at, pfc__f rtype, pfc__f comm),
    (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), m, at, PFC__FTYPE(rtype), PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(alltoallv, Alltoallv,
    (void *s, pfc__f n, pfc__f from, pfc__f type, void *r, pfc__f m, pfc__f at, pfc__f rtype, pfc__f comm),
    (pfc__fbuffer(s), n, from, PFC__FTYPE(type), pfc__fbuffer(r), m, at, PFC__FTYPE(rtype), PFC__FCOMM(comm)))

#define PFC__FORTRAN_REDUCES(name, Name) \
    PFC__FORTRAN_COLLECTIVE(name, Name, (void *s, void *r, pfc__f n, pfc__f type, pfc__f op, pfc__f comm), \
        (pfc__fbuffer(s), pfc__fbuffer(r), *n, PFC__FTYPE(type), PFC__FOP(op), PFC__FCOMM(comm)))
PFC__FORTRAN_REDUCES(allreduce, Allreduce)
PFC__FORTRAN_REDUCES(scan, Scan)
PFC__FORTRAN_REDUCES(exscan, Exscan)
PFC__FORTRAN_REDUCES(reduce_scatter_block, Reduce_scatter_block)
PFC__FORTRAN_COLLECTIVE(reduce_scatter, Reduce_scatter, (void *s, void *r, pfc__f n, pfc__f type, pfc__f op, pfc__f comm),
    (pfc__fbuffer(s), pfc__fbuffer(r), n, PFC__FTYPE(type), PFC__FOP(op), PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(reduce, Reduce, (void *s, void *r, pfc__f n, pfc__f type, pfc__f op, pfc__f root, pfc__f comm),
    (pfc__fbuffer(s), pfc__fbuffer(r), *n, PFC__FTYPE(type), PFC__FOP(op), *root, PFC__FCOMM(comm)))

/* ---- communicators, and what our tables must forget */

/* Calls that make a communicator. */
#define PFC__FORTRAN_MAKES(name, parameters, call) \
    PFC__FORTRAN(name, parameters, MPI_Comm comm_made = MPI_COMM_NULL; \
                 result = call; \
                 if (!result) *made = PMPI_Comm_c2f(comm_made))

PFC__FORTRAN_MAKES(comm_dup, (pfc__f comm, pfc__f made, pfc__f error), PFC__OURS(Comm_dup)(PFC__FCOMM(comm), &comm_made))
PFC__FORTRAN_MAKES(comm_create, (pfc__f comm, pfc__f group, pfc__f made, pfc__f error),
                   PFC__OURS(Comm_create)(PFC__FCOMM(comm), PMPI_Group_f2c(*group), &comm_made))
PFC__FORTRAN_MAKES(comm_split, (pfc__f comm, pfc__f color, pfc__f key, pfc__f made, pfc__f error),
                   PFC__OURS(Comm_split)(PFC__FCOMM(comm), *color, *key, &comm_made))
PFC__FORTRAN_MAKES(comm_split_type, (pfc__f comm, pfc__f kind, pfc__f key, pfc__f info, pfc__f made, pfc__f error),
                   PFC__OURS(Comm_split_type)(PFC__FCOMM(comm), *kind, *key, PMPI_Info_f2c(*info), &comm_made))
PFC__FORTRAN_MAKES(intercomm_merge, (pfc__f comm, pfc__f high, pfc__f made, pfc__f error),
                   PFC__OURS(Intercomm_merge)(PFC__FCOMM(comm), *high, &comm_made))
PFC__FORTRAN_MAKES(cart_create, (pfc__f comm, pfc__f n, pfc__f size, pfc__f periodic, pfc__f reorder, pfc__f made, pfc__f error),
                   PFC__OURS(Cart_create)(PFC__FCOMM(comm), *n, size, periodic, *reorder, &comm_made))
PFC__FORTRAN_MAKES(cart_sub, (pfc__f comm, pfc__f keep, pfc__f made, pfc__f error),
                   PFC__OURS(Cart_sub)(PFC__FCOMM(comm), keep, &comm_made))

PFC__FORTRAN(comm_free, (pfc__f comm, pfc__f error), MPI_Comm c = PFC__FCOMM(comm); result = PFC__OURS(Comm_free)(&c);
             *comm = PMPI_Comm_c2f(c))
PFC__FORTRAN(comm_disconnect, (pfc__f comm, pfc__f error), MPI_Comm c = PFC__FCOMM(comm); result = PFC__OURS(Comm_disconnect)(&c);
             *comm = PMPI_Comm_c2f(c))
PFC__FORTRAN(type_free, (pfc__f type, pfc__f error), MPI_Datatype t = PFC__FTYPE(type); result = PFC__OURS(Type_free)(&t);
             *type = PMPI_Type_c2f(t))

/* ---- life */

PFC__FORTRAN(init, (pfc__f error), result = PFC__OURS(Init)(0, 0))
PFC__FORTRAN(init_thread, (pfc__f required, pfc__f provided, pfc__f error), int level = *required;
             result = PFC__OURS(Init_thread)(0, 0, *required, &level); *provided = level)
PFC__FORTRAN(abort, (pfc__f comm, pfc__f code, pfc__f error), result = PFC__OURS(Abort)(PFC__FCOMM(comm), *code))
PFC__FORTRAN(finalize, (pfc__f error), result = PFC__OURS(Finalize)())

#endif
