/* -------------------------------------------------- partitioned (MPI impl) ---
   Messages whose parts become ready one by one (MPI 4). The receiver depends on
   the last of them (R1, R2), and the sender on the receiver's start, where the
   library waits for it (R4). The data stay as they are; both moments travel as
   receivers' posts do (see posts), ahead of the library's own messages.

   MPI matches the n-th initialisation at one end with the n-th at the other, for
   the same communicator, tag and ranks. So both ends count them, and the starts
   of each: that is the number of the moment. */

/* Added to a communicator's number: they have streams of their own, one for each direction. */
#define PFC__PARTS_TO 0x40000000u
#define PFC__PARTS_FROM 0x80000000u
enum { PFC__PARTS_STARTS = 0xffff }; /* the lower half of the number */

static PFC__QUIET void pfc__parts_tell(const pfc__request_t *r, pfc__moment_t m)
{
    pfc__post_send(r->stream->world, &r->comm, r->tag, r->k, m, 0);
}

/* Before it starts. */
static PFC__QUIET void pfc__parts_start(pfc__request_t *r, pfc__call_t *c)
{
    pfc__mpi_lock();
    r->k = (r->k & ~(pfc__u32)PFC__PARTS_STARTS) | ((r->k + 1) & PFC__PARTS_STARTS);
    r->stream->waiting++;
    pfc__mpi_unlock();
    r->ready = 0;
    r->mine = pfc__latest_none();
    if (r->kind == PFC__PARTS_RECEIVING) pfc__parts_tell(r, pfc__call_so_far(c));
}

/* When the transfer of what was received began: both ends were there. 0: not known. */
static PFC__QUIET int pfc__parts_began(const pfc__request_t *r, pfc__moment_t *start)
{
    pfc__post_t sent;
    memset(&sent, 0, sizeof sent);
    if (!pfc__post_of(r->stream, r->k, &sent)) return 0;
    *start = pfc__both_there(r->begin, pfc__post_moment(&sent));
    return 1;
}

#if PFC__MPI_4

/* The next one is initialised. NULL: its moments don't travel. */
static PFC__QUIET pfc__stream_t *pfc__parts_stream(const pfc__comm_t *in, MPI_Comm comm, int sends, int peer, int tag, pfc__u32 *nth)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = in->number ? pfc__stream_of(in->number + (sends ? PFC__PARTS_TO : PFC__PARTS_FROM), peer, tag) : 0;
    if (s) *nth = ++s->posted;
    if (s && s->world < 0) s->world = pfc__world_rank(comm, peer);
    pfc__mpi_unlock();
    return s && s->world >= 0 ? s : 0;
}

/* The library has initialised it. */
static PFC__QUIET void pfc__parts_made(enum pfc__request_kind kind, int parts, pfc__i64 count, MPI_Datatype type, int peer,
                                       int tag, MPI_Comm comm, MPI_Request request)
{
    const pfc__comm_t *in = peer == MPI_PROC_NULL ? 0 : pfc__comm_carries(comm);
    int sends = kind == PFC__PARTS_SENDING;
    pfc__type_t known;
    pfc__u32 nth = 0;
    pfc__stream_t *s = in ? pfc__parts_stream(in, comm, sends, peer, tag, &nth) : 0;
    pfc__request_t *r = s && pfc__type_known(type, &known) ? pfc__request_new(kind) : 0;
    if (!r) return;
    r->persistent = 1;
    r->span = 0;
    r->comm = *in;
    r->comm.number += sends ? PFC__PARTS_FROM : PFC__PARTS_TO; /* to the other end */
    r->stream = s;
    r->tag = tag;
    r->k = nth * (PFC__PARTS_STARTS + 1u);
    r->parts = parts;
    r->bytes = parts * count * known.size;
    pfc__request_keep(r, request);
}

/* So many more parts are ready, perhaps by several threads. The last one takes the rest along. */
static PFC__QUIET void pfc__parts_ready(pfc__call_t *c, MPI_Request request, int parts)
{
    pfc__request_t *r = pfc__request_of(request);
    pfc__moment_t now;
    int all;
    if (!r || r->kind != PFC__PARTS_SENDING || !r->active || parts <= 0) return;
    now = pfc__call_so_far(c);
    pfc__mpi_lock();
    r->mine = pfc__latest_merge(r->mine, pfc__latest_of(now));
    r->ready += parts;
    all = r->ready == r->parts;
    if (all) r->begin = pfc__latest_moment(r->mine);
    pfc__mpi_unlock();
    if (all) pfc__parts_tell(r, r->begin);
}

static PFC__QUIET int pfc__psend_init(pfc__call_t *c, const void *b, int parts, MPI_Count n, MPI_Datatype type, int to, int tag,
                                      MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int error;
    pfc__call_begin(c);
    error = PMPI_Psend_init(b, parts, n, type, to, tag, comm, info, request);
    pfc__call_end(c);
    if (!error) pfc__parts_made(PFC__PARTS_SENDING, parts, n, type, to, tag, comm, *request);
    return error;
}

static PFC__QUIET int pfc__precv_init(pfc__call_t *c, void *b, int parts, MPI_Count n, MPI_Datatype type, int from, int tag,
                                      MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int error;
    pfc__call_begin(c);
    error = PMPI_Precv_init(b, parts, n, type, from, tag, comm, info, request);
    pfc__call_end(c);
    if (!error) pfc__parts_made(PFC__PARTS_RECEIVING, parts, n, type, from, tag, comm, *request);
    return error;
}

static PFC__QUIET int pfc__parrived(pfc__call_t *c, MPI_Request request, int part, int *flag)
{
    int error;
    pfc__call_begin(c);
    error = PMPI_Parrived(request, part, flag);
    pfc__call_end(c);
    if (!error) pfc__poll_looked(c, *flag);
    return error;
}

#endif
