/* Random programs that can't deadlock (plan.h), with calls of every kind, for PERFCOMP_MPI_ORDER=hold as well. Each must end, and what
   it gets must be what MPI promises. Rank 0 prints "ok".

   Arguments: ["threads":] two of them on each rank, each in its own communicators; for how many seconds (3), the first seed (1), how
   many programs at most; and a number of ranks, to show the first one's plan instead. */
#include "mpi4.h"
#include "plan.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SETS = 3, THREADS = 2, ROOM = LONG + 8, PARTS = 3, UNTOLD = -2 };

static int rank, wrong, threads = 1, first_seed = 1, most = 100000;
static double limit = 3;
static MPI_Datatype spread; /* an int with a gap behind it */
static MPI_Comm all_comms[THREADS][SETS][KINDS];

static struct at { int seed, op; } where[THREADS];
OWN struct at *at;

OWN MPI_Comm (*comms)[KINDS];
OWN int set; /* of communicators: has one program at a time */
OWN MPI_Request request[OPS];
OWN int is_open[OPS], got[OPS]; /* got: the message; NONE, UNTOLD */
OWN int *room[OPS], (*outbox)[MESSAGES][ROOM]; /* of each set, for a freed send may go on */
OWN int meets[OPS], met[OPS][RANKS]; /* what nonblocking collectives give and get */

static void fail(const char *what, int is, int should)
{
    __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    printf("seed %d, rank %d, op %d: %s is %d instead of %d\n", at->seed, rank, at->op, what, is, should);
    fflush(stdout);
}
static void expect(const char *what, int is, int should) { if (is != should) fail(what, is, should); }

/* What is drawn while it runs. */
static int own_draw(int n) { OWN unsigned x; x = x * 1103515245u + 12345u; return (int)((x >> 16) % (unsigned)n); }

static int in_comm(int kind, int world)
{
    if (kind == REVERSED) return size - 1 - world;
    return kind == INTER && world >= half() ? world - half() : world;
}

/* ---- of requests */

static void check_receive(int i, const MPI_Status *s);
static void check_meeting(int i);

static void completed(int i, const MPI_Status *s)
{
    if (!is_open[i]) fail("completed twice", i, NONE);
    is_open[i] = 0;
    if (plan.op[i].kind == IRECEIVE) check_receive(i, s);
    if (plan.op[i].kind == IMEET) check_meeting(i);
    if (request[i] != MPI_REQUEST_NULL) MPI_Request_free(&request[i]); /* persistent */
}

static void wait_for(int i)
{
    MPI_Status s;
    if (!is_open[i]) return;
    MPI_Wait(&request[i], &s);
    completed(i, &s);
}

/* Of persistent requests some are started together. */
OWN int unstarted[OPS], n_unstarted;

static void start(int i, int together)
{
    if (together) unstarted[n_unstarted++] = i;
    else MPI_Start(&request[i]);
}
static void start_together(void)
{
    MPI_Request array[OPS];
    int k;
    for (k = 0; k < n_unstarted; k++) array[k] = request[unstarted[k]];
    if (k) MPI_Startall(k, array);
    for (k = 0; k < n_unstarted; k++) request[unstarted[k]] = array[k];
    n_unstarted = 0;
}

/* ---- sends */

typedef int send_t(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_t(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static send_t *const sends[] = { MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend };
static isend_t *const isends[] = { MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend };
static isend_t *const send_inits[] = { MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init };

static int is_parted(int comm) { return HAS_MPI_4 && comm == PARTED; }
static int value(int m, int i) { return i ? at->seed * 31 + m * 1000 + i : m; }

static int *data_of(int m)
{
    int k, *data = outbox[set][m];
    for (k = 0; k < plan.message[m].n; k++) data[k] = value(m, k);
    return data;
}

static void isend_parted(int i, const int *data, const message_t *m, int to)
{
#if HAS_MPI_4
    int k;
    MPI_Psend_init(data, PARTS, m->n / PARTS, MPI_INT, to, m->tag, comms[set][PARTED], MPI_INFO_NULL, &request[i]);
    MPI_Start(&request[i]);
    for (k = PARTS; k--;) MPI_Pready(k, request[i]);
#else
    (void)i; (void)data; (void)m; (void)to;
#endif
}

static void isend(int i)
{
    const op_t *o = &plan.op[i];
    const message_t *m = &plan.message[o->message];
    int to = in_comm(m->comm, m->to), *data = data_of(o->message);
    is_open[i] = 1;
    if (is_parted(m->comm)) isend_parted(i, data, m, to);
    else if (o->way < 5) isends[o->mode](data, m->n, MPI_INT, to, m->tag, comms[set][m->comm], &request[i]);
    else {
        send_inits[o->mode](data, m->n, MPI_INT, to, m->tag, comms[set][m->comm], &request[i]);
        start(i, o->way > 5);
    }
}

static void send(int i)
{
    const op_t *o = &plan.op[i];
    const message_t *m = &plan.message[o->message];
    MPI_Comm c = comms[set][m->comm];
    int to = in_comm(m->comm, m->to), none = -7;
    if (is_parted(m->comm) || o->way == 0) {
        isend(i);
        wait_for(i);
    } else if (o->mode == STANDARD && o->way == 1)
        MPI_Sendrecv(data_of(o->message), m->n, MPI_INT, to, m->tag, &none, 1, MPI_INT, MPI_PROC_NULL, 0, c, MPI_STATUS_IGNORE);
    else sends[o->mode](data_of(o->message), m->n, MPI_INT, to, m->tag, c);
}

/* ---- receives */

static int peer(const op_t *o) { return o->from == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : in_comm(o->comm, o->from); }
static int gaps(const op_t *o) { return o->way & 1 && !is_parted(o->comm); } /* whether its data are spread */
static MPI_Datatype type_of(const op_t *o) { return gaps(o) ? spread : MPI_INT; }

static int *room_of(int i)
{
    int k;
    if (!room[i]) room[i] = malloc(2 * ROOM * sizeof(int));
    for (k = 0; k < 2 * ROOM; k++) room[i][k] = -7;
    return room[i];
}

/* Which message it is; NONE: none of those. What is empty is the first that it can be; UNTOLD: `s` is NULL, for it tells nothing, and
   there are several. */
static int message_of(const op_t *o, const MPI_Status *s, int n, const int *data)
{
    int m, k, found = NONE, several = 0;
    for (m = 0; m < plan.messages; m++) {
        const message_t *e = &plan.message[m];
        int taken = 0;
        if (!accepts(o, e) || (s && (e->n != n || e->tag != s->MPI_TAG || in_comm(e->comm, e->from) != s->MPI_SOURCE))) continue;
        for (k = 0; k < plan.ops; k++) taken |= got[k] == m;
        if (e->n ? data[0] != m : taken || data[0] != -7) continue;
        if (taken) fail("taken before", m, NONE);
        several |= found != NONE;
        if (found == NONE) found = m;
    }
    if (found != NONE) return several && !s ? UNTOLD : found;
    if (s) printf("source %d tag %d n %d, ", s->MPI_SOURCE, s->MPI_TAG, n);
    fail("message", data[0], NONE);
    return NONE;
}

static void check_receive(int i, const MPI_Status *s)
{
    const op_t *o = &plan.op[i];
    int k, n = 0, cancelled = 0, step = gaps(o) ? 2 : 1, *data = room[i];
    if (is_parted(o->comm)) s = 0; /* MPICH */
    if (s) MPI_Test_cancelled(s, &cancelled);
    if (cancelled && !end_of(i)) fail("cancelled", 1, 0);
    if (cancelled) return;
    if (s) MPI_Get_count(s, type_of(o), &n);
    if ((got[i] = message_of(o, s, n, data)) < 0) return;
    n = plan.message[got[i]].n;
    for (k = 0; k < n && data[k * step] == value(got[i], k); k++) {}
    expect("first wrong one", k, n);
    for (; k < ROOM && data[k * step] == -7; k++) {}
    expect("first that was written to behind", k, ROOM);
    for (k = 0; step == 2 && k < ROOM && data[k * 2 + 1] == -7; k++) {}
    if (step == 2) expect("first gap that was written to", k, ROOM);
}

/* A receive that gets one takes the earliest that it may have, but for what went to those before it. */
static void check_order(void)
{
    int i, a, b, k;
    for (i = 0; i < plan.ops; i++) {
        if ((b = got[i]) < 0) continue;
        for (a = 0; a < sender_of(b); a++) {
            int m = plan.op[a].message;
            if (!is_send(&plan.op[a]) || plan.message[m].from != plan.message[b].from || !accepts(&plan.op[i], &plan.message[m])) continue;
            for (k = 0; k < i && got[k] != m && !(got[k] == UNTOLD && accepts(&plan.op[k], &plan.message[m])); k++) {}
            at->op = i;
            if (k == i) fail("order: the message", b, m);
        }
    }
}

static void ireceive_parted(int i, const op_t *o)
{
#if HAS_MPI_4
    MPI_Precv_init(room[i], PARTS - 1, MIDDLE / (PARTS - 1), MPI_INT, o->from, o->tag, comms[set][PARTED], MPI_INFO_NULL, &request[i]);
    MPI_Start(&request[i]);
#else
    (void)i; (void)o;
#endif
}

static void ireceive(int i)
{
    const op_t *o = &plan.op[i];
    int *data = room_of(i);
    is_open[i] = 1;
    if (is_parted(o->comm)) ireceive_parted(i, o);
    else if (o->way < 5) MPI_Irecv(data, ROOM, type_of(o), peer(o), o->tag, comms[set][o->comm], &request[i]);
    else {
        MPI_Recv_init(data, ROOM, type_of(o), peer(o), o->tag, comms[set][o->comm], &request[i]);
        start(i, o->way > 5);
    }
}

static void probe(int way, int from, int tag, MPI_Comm c, MPI_Message *message, MPI_Status *s)
{
    int there = 0;
    if (way == 2) MPI_Probe(from, tag, c, s);
    if (way == 3) while (!there) MPI_Iprobe(from, tag, c, &there, s);
    if (way == 4) MPI_Mprobe(from, tag, c, message, s);
    if (way == 5) while (!there) MPI_Improbe(from, tag, c, &there, message, s);
}

static void receive(int i)
{
    const op_t *o = &plan.op[i];
    MPI_Comm c = comms[set][o->comm];
    MPI_Datatype type = type_of(o);
    MPI_Message message;
    MPI_Status s, found;
    int from = peer(o), none = -7, n, m, *data = room_of(i);
    if (is_parted(o->comm) || o->way == 7) {
        ireceive(i);
        start_together();
        MPI_Wait(&request[i], &s);
        is_open[i] = 0;
        if (request[i] != MPI_REQUEST_NULL) MPI_Request_free(&request[i]);
        check_receive(i, &s);
        return;
    }
    probe(o->way, from, o->tag, c, &message, &found);
    switch (o->way) {
    case 2: case 3: MPI_Recv(data, ROOM, type, found.MPI_SOURCE, found.MPI_TAG, c, &s); break;
    case 4: MPI_Mrecv(data, ROOM, type, &message, &s); break;
    case 5: MPI_Imrecv(data, ROOM, type, &message, &request[i]); MPI_Wait(&request[i], &s); break;
    case 6: MPI_Sendrecv(&none, 1, MPI_INT, MPI_PROC_NULL, 0, data, ROOM, type, from, o->tag, c, &s); break;
    default: MPI_Recv(data, ROOM, type, from, o->tag, c, &s);
    }
    if (o->way >= 2 && o->way <= 5) {
        MPI_Get_count(&found, MPI_INT, &m);
        MPI_Get_count(&s, type, &n);
        expect("probed length", m, n);
        expect("probed source", found.MPI_SOURCE, s.MPI_SOURCE);
        expect("probed tag", found.MPI_TAG, s.MPI_TAG);
    }
    check_receive(i, &s);
}

/* ---- both: where a send, a receive and the wait for the send follow each other */

/* That receive; 0: it isn't so. */
static int is_exchange(int i)
{
    int j = next_op(rank, i + 1), k = j < plan.ops ? next_op(rank, j + 1) : j;
    const op_t *o = &plan.op[i], *r = &plan.op[j];
    return k < plan.ops && o->kind == ISEND && o->mode == STANDARD && r->kind == RECEIVE && plan.op[k].kind == WAIT_FOR && plan.op[k].of == i &&
           plan.message[o->message].comm == r->comm && !is_parted(r->comm) ? j : 0;
}

static void exchange(int i, int j)
{
    const op_t *o = &plan.op[i], *r = &plan.op[j];
    const message_t *m = &plan.message[o->message];
    int to = in_comm(m->comm, m->to), *out = data_of(o->message), *in = room_of(j);
    MPI_Comm c = comms[set][r->comm];
    MPI_Status s;
#if HAS_MPI_4
    if (o->way & 1) {
        MPI_Isendrecv(out, m->n, MPI_INT, to, m->tag, in, ROOM, type_of(r), peer(r), r->tag, c, &request[i]);
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        check_receive(j, 0); /* MPICH's status tells nothing */
        return;
    }
#endif
    MPI_Sendrecv(out, m->n, MPI_INT, to, m->tag, in, ROOM, type_of(r), peer(r), r->tag, c, &s);
    check_receive(j, &s);
}

/* ---- completions */

OWN int listed[OPS]; /* which ops are in: */
OWN MPI_Request array[OPS];
OWN MPI_Status statuses[OPS];

/* Those of this rank that are open; `all`: what is to be cancelled or freed, too. */
static int gather(int by, int all)
{
    int i, n = 0;
    for (i = 0; i < by; i++) {
        if (!is_open[i] || (!all && !is_awaited(i, by))) continue;
        listed[n] = i;
        array[n++] = request[i];
    }
    return n;
}
static void one_of(int k, const MPI_Status *s)
{
    request[listed[k]] = array[k];
    completed(listed[k], s);
}

/* MPICH's MPI_Testall (4.0.2) fails of persistent collectives and partitioned messages. */
static int is_of_mpi4(int i)
{
    const op_t *o = &plan.op[i];
    return o->kind == IMEET || is_parted(o->kind == ISEND ? plan.message[o->message].comm : o->comm);
}

/* That of MPICH 4.2 and 4.3 ends persistent requests. */
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40200000
enum { LOOKS = 0 };
#else
enum { LOOKS = 1 };
#endif

static void wait_all(int by, int way)
{
    int n, k, done, index[OPS];
    while ((n = gather(by, 0)) > 0) {
        for (k = 0; k < n; k++) if (way == 3 && is_of_mpi4(listed[k])) way = 5;
        for (k = 0; k < n; k++) index[k] = k;
        if (way > 5) index[0] = own_draw(n);
        done = 0;
        switch (way) {
        case 0: MPI_Waitall(n, array, statuses); done = n; break;
        case 1: MPI_Waitany(n, array, index, statuses); done = 1; break;
        case 2: MPI_Waitsome(n, array, &done, index, statuses); break;
        case 3: while (!done) MPI_Testall(n, array, &done, statuses); done = n; break;
        case 4: while (!done) MPI_Testany(n, array, index, &done, statuses); break;
        case 5: while (!done) MPI_Testsome(n, array, &done, index, statuses); break;
        case 6: MPI_Wait(&array[index[0]], statuses); done = 1; break;
        default:
            while (LOOKS && !done) MPI_Request_get_status(array[index[0]], &done, MPI_STATUS_IGNORE);
            for (done = 0; !done;) MPI_Test(&array[index[0]], &done, statuses);
        }
        if (done < 1 || done > n) { fail("completed", done, n); return; }
        for (k = 0; k < done; k++) one_of(index[k], &statuses[k]);
    }
}

static void wait_one(int by, int way)
{
    int n = gather(by, 1), index = 0, done = 0;
    if (way & 1) MPI_Waitany(n, array, &index, statuses);
    else while (!done) MPI_Testany(n, array, &index, &done, statuses);
    if (index == MPI_UNDEFINED) { expect("active", n, 0); return; }
    one_of(index, &statuses[0]);
}

static void try_one(int by, int way)
{
    int n = gather(by, 1), index, done = 0;
    if (!n) return;
    if (way & 1) MPI_Testany(n, array, &index, &done, statuses);
    else { index = own_draw(n); MPI_Test(&array[index], &done, statuses); }
    if (done) one_of(index, &statuses[0]);
}

static void free_send(int i)
{
    if (is_open[i]) MPI_Request_free(&request[i]);
    is_open[i] = 0;
}

/* ---- collectives */

static void check_meeting(int i)
{
    int r;
    for (r = 0; meets[i] >= 0 && r < size; r++) expect("met", met[i][r], meets[i] - rank + r);
}

static void imeet(int i, int way)
{
    MPI_Comm c = comms[set][DUP];
    meets[i] = way < 4 ? NONE : 1000 * plan.op[i].of + rank;
    is_open[i] = 1;
    if (way < 2) MPI_Ibarrier(c, &request[i]);
#if HAS_MPI_4
    else if (way < 4) { MPI_Barrier_init(c, MPI_INFO_NULL, &request[i]); MPI_Start(&request[i]); }
    else if (way < 6) {
        MPI_Allgather_init(&meets[i], 1, MPI_INT, met[i], 1, MPI_INT, c, MPI_INFO_NULL, &request[i]);
        MPI_Start(&request[i]);
    }
#else
    else if (way < 4) MPI_Ibarrier(c, &request[i]);
#endif
    else MPI_Iallgather(&meets[i], 1, MPI_INT, met[i], 1, MPI_INT, c, &request[i]);
}

static void meet(int i, int way)
{
    MPI_Comm c = comms[set][DUP];
    MPI_Request q;
    int mine = rank + i, sum = 0, all[RANKS] = { 0 };
    switch (way) {
    case 0: case 1: MPI_Barrier(c); break;
    case 2: MPI_Ibarrier(c, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); break;
    case 3: MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c); expect("sum", sum, size * (size - 1) / 2 + size * i); break;
    case 4: MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c, &q); for (mine = 0; !mine;) MPI_Test(&q, &mine, MPI_STATUS_IGNORE); break;
    case 5: MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c); expect("last", all[size - 1], size - 1 + i); break;
    default: MPI_Barrier(comms[set][REVERSED]); MPI_Barrier(comms[set][INTER]);
    }
}

/* Between two programs. */
static void between(int way)
{
    MPI_Comm c = comms[draw(SETS)][draw(2)], d;
    int root = draw(size), r, n = draw(3) * 100 + 1, data[RANKS * 201], all[RANKS * 201], i;
    MPI_Request q;
    MPI_Comm_rank(c, &r);
    at->op = 100 + way;
    for (i = 0; i < RANKS * 201; i++) data[i] = r + i, all[i] = -7;
    switch (way) {
    case 0: MPI_Bcast(data, n, MPI_INT, root, c); expect("broadcast", data[n - 1], root + n - 1); break;
    case 1: MPI_Reduce(data, all, n, MPI_INT, MPI_MAX, root, c); if (r == root) expect("reduced", all[n - 1], size - 1 + n - 1); break;
    case 2: MPI_Gather(data, n, MPI_INT, all, n, MPI_INT, root, c); if (r == root) expect("gathered", all[size * n - 1], size - 1 + n - 1); break;
    case 3: MPI_Scan(data, all, n, MPI_INT, MPI_SUM, c); expect("scanned", all[0], r * (r + 1) / 2); break;
    case 4: MPI_Alltoall(data, n, MPI_INT, all, n, MPI_INT, c); expect("exchanged", all[(size - 1) * n], size - 1 + r * n); break;
    case 5: MPI_Ibcast(data, n, MPI_INT, root, c, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); expect("ibroadcast", data[n - 1], root + n - 1); break;
    case 6: MPI_Scatter(data, n, MPI_INT, all, n, MPI_INT, root, c); expect("scattered", all[0], root + r * n); break;
    case 7: MPI_Comm_dup(c, &d); MPI_Comm_free(&d); break;
    default: MPI_Comm_idup(c, &d, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); MPI_Barrier(d); MPI_Comm_free(&d);
    }
}

/* ---- what changes nothing */

static void nulls(const op_t *o)
{
    MPI_Status s, both[2];
    MPI_Request two[2];
    int n = 1, x = -7;
    MPI_Comm c = comms[set][o->comm];
    switch (o->way & 3) {
    case 0: MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, c, &s); break;
    case 1:
        MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, c, &two[0]);
        MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, c, &two[1]);
        MPI_Waitall(2, two, both);
        return;
    case 2: MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, c, &s); break;
    default: MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, &x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, c, &s);
    }
    MPI_Get_count(&s, MPI_INT, &n);
    expect("count from nobody", n, 0);
    expect("source nobody", s.MPI_SOURCE, MPI_PROC_NULL);
    expect("tag from nobody", s.MPI_TAG, MPI_ANY_TAG);
    expect("data from nobody", x, -7);
}

/* ---- a program */

static void run_op(int i)
{
    const op_t *o = &plan.op[i];
    MPI_Status s;
    int there;
    switch (o->kind) {
    case SEND: send(i); break;
    case ISEND: isend(i); break;
    case RECEIVE: receive(i); break;
    case IRECEIVE: ireceive(i); break;
    case IMEET: imeet(i, o->way); break;
    case WAIT_ALL: wait_all(i, o->way); break;
    case WAIT_ONE: wait_one(i, o->way); break;
    case TRY_ONE: try_one(i, o->way); break;
    case WAIT_FOR: wait_for(o->of); break;
    case FREE: free_send(o->of); break;
    case CANCEL: if (is_open[o->of]) MPI_Cancel(&request[o->of]); break;
    case MEET: meet(i, o->way); break;
    case LOOK: MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[set][o->comm], &there, &s); break;
    case NULLS: nulls(o); break;
    case WORK: if (o->way) usleep((unsigned)(o->way * 50));
    }
}

/* Nothing else is done between persistent requests that are started together. */
static int goes_on(const op_t *o) { return (o->kind == ISEND || o->kind == IRECEIVE) && o->way > 5; }

static void run(void)
{
    int i, j;
    for (i = 0; i < OPS; i++) got[i] = NONE, is_open[i] = 0, request[i] = MPI_REQUEST_NULL;
    for (i = next_op(rank, 0); i < plan.ops; i = next_op(rank, i + 1)) {
        at->op = i;
        if (!goes_on(&plan.op[i]) || is_exchange(i)) start_together();
        if ((j = is_exchange(i)) != 0) exchange(i, j), i = j;
        else run_op(i);
    }
    check_order();
}

static void *run_all(void *of)
{
    int thread = (int)(size_t)of, ends = 0, *seed;
    double begin = MPI_Wtime();
    at = &where[thread];
    comms = all_comms[thread];
    outbox = malloc(SETS * sizeof *outbox);
    seed = &at->seed;
    for (*seed = first_seed; !ends && *seed < first_seed + most; ++*seed) {
        int late = MPI_Wtime() - begin > limit;
        alarm(50);
        make_good(*seed + thread * most);
        set = *seed % SETS;
        run();
        if (chance(30)) between(draw(9));
        if (set == SETS - 1) MPI_Allreduce(&late, &ends, 1, MPI_INT, MPI_MAX, comms[0][DUP]); /* all have ended those of these sets */
    }
    return 0;
}

static void hangs(int signal)
{
    char text[200];
    int t;
    (void)signal;
    for (t = 0; t < threads; t++) {
        int n = snprintf(text, sizeof text, "seed %d, rank %d hangs at op %d\n", where[t].seed + t * most, rank, where[t].op);
        if (write(1, text, (size_t)n)) {}
    }
    sleep(1);
    _exit(1);
}

static void make_comms(MPI_Comm (*of)[KINDS])
{
    MPI_Comm halves;
    int i, upper = rank >= half();
    for (i = 0; i < SETS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &of[i][DUP]);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &of[i][REVERSED]);
        MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &halves);
        MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, upper ? 0 : half(), 5, &of[i][INTER]);
        MPI_Comm_free(&halves);
        MPI_Comm_dup(MPI_COMM_WORLD, &of[i][PARTED]);
    }
}

static void arguments(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "threads")) threads = THREADS, argv++, argc--;
    if (argc > 1) limit = atof(argv[1]);
    if (argc > 2) first_seed = atoi(argv[2]);
    if (argc > 3) most = atoi(argv[3]);
    if (argc <= 4) return;
    size = atoi(argv[4]);
    make_good(first_seed);
    show();
    exit(0);
}

int main(int argc, char **argv)
{
    static char buffer[16 << 20];
    pthread_t thread[THREADS];
    int t, level;
    arguments(argc, argv);
    MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    if (level < MPI_THREAD_MULTIPLE) threads = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    for (t = 0; t < threads; t++) make_comms(all_comms[t]);
    signal(SIGALRM, hangs);
    for (t = 1; t < threads; t++) pthread_create(&thread[t], 0, run_all, (void *)(size_t)t);
    run_all(0);
    for (t = 1; t < threads; t++) pthread_join(thread[t], 0);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d programs\n%s\n", where[0].seed - first_seed, wrong ? "wrong" : "ok");
    MPI_Finalize();
    return wrong > 0;
}
