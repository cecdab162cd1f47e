/* Random programs that can't deadlock (plan.h), with work between their calls: plain (the truth), and with the layer and probes,
   unevenly (-DLAYER). Prints of each op when it ended, undisturbed as far as this build knows, and how far off that may be, in ns:

       random FIRST END POLLS      the programs' seeds; 1: whether something has come is also asked again and again

   Receives name their sender, and no program asks what has come first: what each gets is the same in both builds. Left out is what
   SimGrid can't do, or does otherwise than MPI: requests that are freed before their end, intercommunicators, partitioned messages, nonblocking collectives beside others in
   one wait, a receive that may get a message of either of its two queues, MPI_Testall (which completes some, though it says no).
   With POLLS ranks also meet in barriers, of which the layer may take one way of two, so that ranks end by a step earlier or later. */
#if defined LAYER
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"
#endif
#include "../mpi/programs/plan.h"
#include "builds.h"
#include <stdint.h>
#include <stdlib.h>

enum { PROBES = 100, WORK_NS = 100000 };

static int rank, polls;
static MPI_Comm comms[REVERSED + 1];
static MPI_Request request[OPS];
static int is_open[OPS], *room[OPS], out[MESSAGES][LONG];

static int in_comm(int kind, int world) { return kind == REVERSED ? size - 1 - world : world; }

/* ---- requests */

static void completed(int i)
{
    is_open[i] = 0;
    if (request[i] != MPI_REQUEST_NULL) MPI_Request_free(&request[i]); /* persistent */
}

static void wait_for(int i)
{
    if (!is_open[i]) return;
    MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    completed(i);
}

typedef int send_t(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_t(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static send_t *const sends[] = { MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend };
static isend_t *const isends[] = { MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend };
static isend_t *const send_inits[] = { MPI_Send_init, MPI_Isend, MPI_Ssend_init, MPI_Isend };

static void isend(int i)
{
    const op_t *o = &plan.op[i];
    const message_t *m = &plan.message[o->message];
    int is_persistent = o->way >= 5 && (o->mode == STANDARD || o->mode == SYNCHRONOUS);
    (is_persistent ? send_inits : isends)[o->mode](out[o->message], m->n, MPI_INT, in_comm(m->comm, m->to), m->tag, comms[m->comm],
                                                   &request[i]);
    if (is_persistent) MPI_Start(&request[i]);
    is_open[i] = 1;
}

static void send(int i)
{
    const op_t *o = &plan.op[i];
    const message_t *m = &plan.message[o->message];
    if (o->way == 0) isend(i), wait_for(i);
    else sends[o->mode](out[o->message], m->n, MPI_INT, in_comm(m->comm, m->to), m->tag, comms[m->comm]);
}

/* How long what it gets may be; NONE: short or long, of which SimGrid has a queue each. */
static int room_for(const op_t *o)
{
    int m, most = NONE, least = LONG;
    for (m = 0; m < plan.messages; m++) {
        if (!accepts(o, &plan.message[m])) continue;
        if (plan.message[m].n > most) most = plan.message[m].n;
        if (plan.message[m].n < least) least = plan.message[m].n;
    }
    return (most == LONG) == (least == LONG) ? most : NONE;
}

static int *room_of(int i)
{
    if (!room[i]) room[i] = malloc(LONG * sizeof(int));
    return room[i];
}

static void ireceive(int i)
{
    const op_t *o = &plan.op[i];
    int from = in_comm(o->comm, o->from), n = room_for(o);
    if (o->way < 5) MPI_Irecv(room_of(i), n, MPI_INT, from, o->tag, comms[o->comm], &request[i]);
    else {
        MPI_Recv_init(room_of(i), n, MPI_INT, from, o->tag, comms[o->comm], &request[i]);
        MPI_Start(&request[i]);
    }
    is_open[i] = 1;
}

static void receive(int i)
{
    const op_t *o = &plan.op[i];
    MPI_Comm c = comms[o->comm];
    int from = in_comm(o->comm, o->from), there = 0;
    if (o->way == 7) {
        ireceive(i);
        wait_for(i);
        return;
    }
    if (polls && o->way == 2) MPI_Probe(from, o->tag, c, MPI_STATUS_IGNORE);
    if (polls && o->way == 3) while (!there) MPI_Iprobe(from, o->tag, c, &there, MPI_STATUS_IGNORE);
    MPI_Recv(room_of(i), room_for(o), MPI_INT, from, o->tag, c, MPI_STATUS_IGNORE);
}

/* Returns how many of n have ended; index: which. */
static int wait_for_some(MPI_Request array[], int n, int index[], int way)
{
    int done = 0, k;
    for (k = 0; k < n; k++) index[k] = k;
    if (way > 5) index[0] = (int)(random_of(5, (uint64_t)rank, (uint64_t)n) * n);
    switch (way) {
    case 1: MPI_Waitany(n, array, index, MPI_STATUS_IGNORE); return 1;
    case 2: MPI_Waitsome(n, array, &done, index, MPI_STATUSES_IGNORE); return done;
    case 6: MPI_Wait(&array[index[0]], MPI_STATUS_IGNORE); return 1;
    case 4: while (polls && !done) MPI_Testany(n, array, index, &done, MPI_STATUS_IGNORE); break;
    case 5: while (polls && !done) MPI_Testsome(n, array, &done, index, MPI_STATUSES_IGNORE); break;
    case 7: while (polls && !done) MPI_Test(&array[index[0]], &done, MPI_STATUS_IGNORE); break;
    default: break;
    }
    if (done > 0 && index[0] >= 0) return done; /* else to SimGrid none was active any more */
    for (k = 0; k < n; k++) index[k] = k;
    MPI_Waitall(n, array, MPI_STATUSES_IGNORE);
    return n;
}

static void wait_all(int by, int way)
{
    MPI_Request array[OPS];
    int i, k, n, done, listed[OPS], index[OPS];
    for (;;) {
        for (n = i = 0; i < by; i++) if (is_open[i] && is_awaited(i, by)) listed[n] = i, array[n++] = request[i];
        if (!n) return;
        done = wait_for_some(array, n, index, way);
        for (k = 0; k < done; k++) request[listed[index[k]]] = array[index[k]], completed(listed[index[k]]);
    }
}

/* In one place, for the layer learns by place which way a barrier takes; of ranks in their usual order. */
static __attribute__((noinline)) void meet(void) { MPI_Barrier(comms[DUP]); }

/* ---- a program */

static int is_fit(const op_t *o)
{
    const message_t *m = is_send(o) ? &plan.message[o->message] : NULL;
    if ((o->kind == MEET && !polls) || o->kind == FREE || o->kind == CANCEL || o->kind == WAIT_ONE || o->kind == TRY_ONE || o->kind == IMEET) return 0;
    if (is_receive(o)) return o->comm <= REVERSED && o->from != MPI_ANY_SOURCE && room_for(o) != NONE;
    return !m || (m->comm <= REVERSED && m->from != m->to);
}

static int all_fit(void)
{
    int i;
    for (i = 0; i < plan.ops; i++) if (!is_fit(&plan.op[i])) return 0;
    return 1;
}

static void make_fit(void)
{
    drawn = seed * 2654435761u + 12345u;
    draw(2); draw(2);
    do make(2 + draw(MESSAGES - 1), 0, draw(2)); while (!all_fit() || !is_good());
}

static void run_op(int i)
{
    const op_t *o = &plan.op[i];
    switch (o->kind) {
    case SEND: send(i); break;
    case ISEND: isend(i); break;
    case RECEIVE: receive(i); break;
    case IRECEIVE: ireceive(i); break;
    case WAIT_ALL: wait_all(i, o->way); break;
    case WAIT_FOR: wait_for(o->of); break;
    case MEET: meet(); break;
    default: break;
    }
}

int main(int argc, char **argv)
{
    static const int bytes[] = { 0, 4, 8, 400, 4 * MIDDLE, 4 * LONG };
    static char buffer[16 << 20];
    int i;
    MPI_Init(&argc, &argv);
    if (argc != 4) {
        fprintf(stderr, "usage: random FIRST END POLLS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[DUP]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[REVERSED]);
    polls = atoi(argv[3]);
    warm_up(out[0], bytes, 6, MPI_COMM_WORLD);
    for (i = 0; i < 8; i++) meet();
    for (seed = strtoull(argv[1], NULL, 10); seed < strtoull(argv[2], NULL, 10); seed++) {
        make_fit();
        for (i = next_op(rank, 0); i < plan.ops; i = next_op(rank, i + 1)) {
            work_unevenly(rank, i, PROBES, WORK_NS);
            run_op(i);
            printf("%d %d %d %.0f %.0f\n", (int)seed, rank, i, now(), doubt());
        }
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
