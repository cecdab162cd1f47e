/* Receives and probes of anybody, in every way, also while others are open: data, statuses and their order of one sender are as MPI
   promises, and nothing waits for ever. For PERFCOMP_MPI_ORDER=hold as well. Prints "ok". */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 200000, TAG = 1, OTHER_TAG = 2, STEPS = 20, MOST_RANKS = 16 };
enum { RECV, IRECV, TEST, PERSISTENT, PROBE, IPROBE, MPROBE, IMPROBE, SENDRECV, SOME, WAYS };

static int rank, size, wrong, data[LONG], own[LONG], next_of[MOST_RANKS];

static void expect(int holds, const char *what, int is, int should)
{
    if (holds) return;
    wrong++;
    printf("%s is %d instead of %d\n", what, is, should);
}

/* The next one of that sender: its number, then its rank as often as the number tells. */
static void expect_next(const MPI_Status *s)
{
    int n, i, from = s->MPI_SOURCE;
    MPI_Get_count(s, MPI_INT, &n);
    expect(data[0] == next_of[from], "the number", data[0], next_of[from]);
    expect(n == 2 + data[0] % 3 * (LONG - 2) / 2, "the length", n, data[0]);
    for (i = 1; i < n; i++)
        if (data[i] != from) break;
    expect(i == n, "the first wrong one", i, n);
    next_of[from]++;
}

static void send_next(int number)
{
    own[0] = number;
    MPI_Send(own, 2 + number % 3 * (LONG - 2) / 2, MPI_INT, 0, TAG, MPI_COMM_WORLD);
}

static void receive_by(int way)
{
    static MPI_Request persistent = MPI_REQUEST_NULL;
    MPI_Request request, two[2];
    MPI_Message message;
    MPI_Status s;
    int there = 0, index, none = 0;
    switch (way) {
    case RECV: MPI_Recv(data, LONG, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s); break;
    case IRECV:
        MPI_Irecv(data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &s);
        break;
    case TEST:
        MPI_Irecv(data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
        while (!there) MPI_Request_get_status(request, &there, MPI_STATUS_IGNORE);
        for (there = 0; !there;) MPI_Test(&request, &there, &s);
        break;
    case PERSISTENT:
        if (persistent == MPI_REQUEST_NULL) MPI_Recv_init(data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &persistent);
        MPI_Start(&persistent);
        MPI_Wait(&persistent, &s);
        if (next_of[1] >= STEPS) MPI_Request_free(&persistent);
        break;
    case PROBE:
        MPI_Probe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &s);
        MPI_Recv(data, LONG, MPI_INT, s.MPI_SOURCE, TAG, MPI_COMM_WORLD, &s);
        break;
    case IPROBE:
        while (!there) MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &s);
        MPI_Recv(data, LONG, MPI_INT, s.MPI_SOURCE, TAG, MPI_COMM_WORLD, &s);
        break;
    case MPROBE:
        MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, LONG, MPI_INT, &message, &s);
        break;
    case IMPROBE:
        while (!there) MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, LONG, MPI_INT, &message, &s);
        break;
    case SENDRECV:
        MPI_Sendrecv(&none, 1, MPI_INT, 0, OTHER_TAG, data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &s);
        MPI_Recv(&none, 1, MPI_INT, 0, OTHER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    default: /* one that nobody sends to is open as well */
        MPI_Irecv(data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &two[0]);
        MPI_Irecv(&none, 1, MPI_INT, MPI_ANY_SOURCE, OTHER_TAG, MPI_COMM_WORLD, &two[1]);
        MPI_Waitany(2, two, &index, &s);
        expect(index == 0, "the index", index, 0);
        MPI_Cancel(&two[1]);
        MPI_Wait(&two[1], MPI_STATUS_IGNORE);
    }
    expect_next(&s);
}

static void each_way(void)
{
    for (int way = 0; way < WAYS; way++) {
        memset(next_of, 0, sizeof next_of);
        for (int i = 0; rank ? i < STEPS : i < STEPS * (size - 1); i++) rank ? send_next(i) : receive_by(way);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* What is posted first gets what comes first, also where the second is of one rank only. */
static void posted_in_turn(void)
{
    MPI_Request request[2];
    int got[2] = { -1, -1 }, numbers[2] = { 7, 8 };
    if (rank == 1)
        for (int i = 0; i < 2; i++) MPI_Send(&numbers[i], 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&got[1], 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &request[1]);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        expect(got[0] == 7 && got[1] == 8, "the first posted one's", got[0], 7);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A message has been matched, or is another receive's: what comes next of the same length isn't taken for it. */
static void as_long_as_another(void)
{
    enum { N = 100 };
    MPI_Request request[4];
    MPI_Message message;
    MPI_Status s;
    int way, i, x[3][N];
    for (way = 0; way < 3 && rank < 2; way++) {
        if (rank == 1) {
            MPI_Issend(own, way == 2 ? 3 * N : N, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request[0]);
            MPI_Issend(own, N, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request[1]);
            MPI_Isend(own, 1, MPI_INT, 0, OTHER_TAG, MPI_COMM_WORLD, &request[2]);
            MPI_Isend(own, N, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request[3]);
            MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
            continue;
        }
        if (way < 2) MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        else MPI_Irecv(x, 3 * N, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[0]);
        usleep(1000);
        MPI_Recv(x[way < 2], N, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (way == 1) MPI_Imrecv(x, N, MPI_INT, &message, &request[0]);
        for (i = 0; i < 2; i++) {
            MPI_Recv(x[2], N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
            expect(s.MPI_TAG == (i ? TAG : OTHER_TAG), "the tag", s.MPI_TAG, i ? TAG : OTHER_TAG);
        }
        if (way) MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        else MPI_Mrecv(x, N, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One is open whose message may come late, or never: others of any tag wait for what is there, and leave it what is its own. */
static void beside_one_of_another_tag(void)
{
    MPI_Request request[2];
    MPI_Status s;
    int there, way, first = 0, x = 0;
    for (way = 0; way < 5 && rank < 2; way++) {
        if (rank) {
            MPI_Send(&way, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
            MPI_Recv(&x, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &s);
            MPI_Send(&way, way == 4 ? 0 : 1, MPI_INT, 0, OTHER_TAG, MPI_COMM_WORLD);
            MPI_Send(&way, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
            continue;
        }
        MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, OTHER_TAG, MPI_COMM_WORLD, &request[0]);
        for (int i = 0; i < 2; i++) {
            x = -1, there = 0;
            switch (way) {
            case 0: MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s); break;
            case 1: MPI_Recv(&x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &s); break;
            case 2:
                while (!there) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &s);
                MPI_Recv(&x, 1, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
                break;
            case 3:
                MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[1]);
                MPI_Wait(&request[1], &s);
                break;
            default:
                MPI_Irecv(&x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &request[1]);
                while (!there) MPI_Test(&request[1], &there, &s);
            }
            expect(s.MPI_TAG == TAG && x == way, "the tag beside one of another", s.MPI_TAG, TAG);
            if (i == 0) MPI_Send(&way, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
        }
        MPI_Wait(&request[0], &s);
        expect(s.MPI_TAG == OTHER_TAG && first == (way == 4 ? 3 : way), "what one of another tag got", first, way);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* MPI ignores requests that aren't active: persistent ones before their start, of which the library says that they are complete. */
static void inactive_beside(void)
{
    MPI_Request request[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int flag = 1, index, one = 5, done, indices[3];
    MPI_Send_init(&one, 1, MPI_INT, 1, OTHER_TAG, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(&one, 1, MPI_INT, MPI_PROC_NULL, OTHER_TAG, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 6; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            usleep(5000);
            MPI_Send(&one, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        }
        if (rank) continue;
        MPI_Irecv(data, 1, MPI_INT, i % 2 ? 1 : MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[2]);
        done = 1, indices[0] = 2;
        if (i / 2 == 0) MPI_Waitany(3, request, &indices[0], MPI_STATUS_IGNORE);
        if (i / 2 == 1) MPI_Waitsome(3, request, &done, indices, MPI_STATUSES_IGNORE);
        for (flag = i / 2 < 2; !flag;) MPI_Testany(3, request, &indices[0], &flag, MPI_STATUS_IGNORE);
        expect(done == 1 && indices[0] == 2, "the active one", indices[0], 2);
    }
    index = 0;
    MPI_Testany(3, request, &index, &flag, MPI_STATUS_IGNORE);
    if (!rank) expect(flag && index == MPI_UNDEFINED, "of none that is active the index", index, MPI_UNDEFINED);
    for (int i = 0; i < 2; i++) MPI_Request_free(&request[i]);
}

/* Open while its rank sends what waits, or is in a collective: who sends to it may come there only then. */
static void open_elsewhere(void)
{
    MPI_Request request;
    MPI_Comm copy;
    int i;
    MPI_Irecv(data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
    MPI_Ssend(own, LONG, MPI_INT, !rank, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (i = 0; i < 2; i++) { /* and freed, of a communicator that is freed */
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Irecv(data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, copy, &request);
        if (i) MPI_Request_free(&request);
        MPI_Send(own, 1, MPI_INT, 0, TAG, copy);
        MPI_Comm_free(&copy);
        if (!i) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* All ranks poll for a receive from anybody and for a send that waits for its receiver: each for others that poll. */
static void polled_ring(void)
{
    MPI_Request request[2];
    double begun = MPI_Wtime();
    for (int i = 0; i < 8; i++) {
        int all = 0;
        MPI_Issend(own, 5, MPI_INT, (rank + 1) % size, TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(data, 5, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[1]);
        while (!all) MPI_Testall(2, request, &all, MPI_STATUSES_IGNORE);
        expect(data[4] == (rank + size - 1) % size, "whose it is", data[4], (rank + size - 1) % size);
    }
    expect(MPI_Wtime() - begun < 8, "the seconds for polling", (int)(MPI_Wtime() - begun), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Messages of two intercommunicators with the same ranks, the second one's first; also of one that MPI_Comm_idup made. */
static void two_sides(int by_idup)
{
    MPI_Comm side, one, other;
    MPI_Request request;
    int numbers[2] = { 7, 8 }, first = 0, second = 0, lengths[2] = { 2, LONG };
    double begun = MPI_Wtime();
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, !rank, OTHER_TAG, &one);
    if (by_idup) MPI_Comm_idup(one, &other, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    else MPI_Comm_dup(one, &other);
    for (int i = 0; i < 2 && rank; i++) {
        MPI_Request both[2];
        own[0] = numbers[0], data[0] = numbers[1];
        MPI_Isend(own, lengths[i], MPI_INT, 0, TAG, one, &both[0]);
        MPI_Isend(data, lengths[i], MPI_INT, 0, TAG, other, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4 * (size - 1) && !rank; i++) {
        MPI_Recv(data, LONG, MPI_INT, MPI_ANY_SOURCE, TAG, i % 2 ? one : other, MPI_STATUS_IGNORE);
        *(i % 2 ? &first : &second) += data[0];
    }
    if (!rank) expect(first == 2 * 7 * (size - 1) && second == 2 * 8 * (size - 1), "of two communicators the first's", first, 2 * 7 * (size - 1));
    expect(MPI_Wtime() - begun < 8, "the seconds for two sides", (int)(MPI_Wtime() - begun), 0);
    MPI_Comm_free(&side);
    MPI_Comm_free(&one);
    MPI_Comm_free(&other);
}

/* What the library refuses isn't expected by anybody. */
static void refused_tags(void)
{
    MPI_Request request;
    int i, x = 0, is_set, *largest;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &is_set);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (*largest < INT_MAX) expect(MPI_Send(&x, 1, MPI_INT, 0, *largest + 1, MPI_COMM_WORLD) != 0, "a send of too large a tag", 0, 1);
    expect(MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD) != 0, "a send of a tag that is none", 0, 1);
    expect(MPI_Isend(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request) != 0, "such an Isend", 0, 1);
    expect(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, -5, MPI_COMM_WORLD, &request) != 0, "such an Irecv", 0, 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank) MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    for (i = 1; i < size && !rank; i++) {
        double begun = MPI_Wtime();
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(MPI_Wtime() - begun < 8, "the seconds behind refused tags", (int)(MPI_Wtime() - begun), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A persistent receive of one rank has counted as received when others ask how far this one is. */
static void polled_behind_a_persistent_one(void)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, i, x = 0, there;
    double begun = MPI_Wtime();
    MPI_Request request;
    MPI_Status status;
    MPI_Recv_init(&x, 1, MPI_INT, previous, TAG, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Send(&rank, 1, MPI_INT, next, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    for (i = 0; i < 20; i++) {
        MPI_Isend(&rank, 1, MPI_INT, next, TAG, MPI_COMM_WORLD, &request);
        for (there = i % 2; !there;) MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
        MPI_Recv(&x, 1, MPI_INT, previous, TAG, MPI_COMM_WORLD, &status);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    expect(MPI_Wtime() - begun < 8, "the seconds behind a persistent receive", (int)(MPI_Wtime() - begun), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int told_world, told_copy;
static void tell_world(MPI_Comm *comm, int *error, ...) { (void)comm, (void)error, told_world++; }
static void tell_copy(MPI_Comm *comm, int *error, ...) { (void)comm, (void)error, told_copy++; }

/* Of one that is too long the handler hears once, when it is completed, and it's the one that the library calls. */
static void truncated_ones(void)
{
    enum { WAIT, TEST, WAITANY, TESTANY, WAITALL, WAYS };
    MPI_Errhandler handler[2];
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_errhandler(tell_world, &handler[0]);
    MPI_Comm_create_errhandler(tell_copy, &handler[1]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler[0]);
    MPI_Comm_set_errhandler(copy, handler[1]);
    for (int i = 0; i < 2 * WAYS && rank < 2; i++) {
        MPI_Request request[2];
        MPI_Status status[2];
        int error = 0, done = 0, index, numbers[4] = { 0 };
        if (rank) {
            MPI_Send(numbers, 4, MPI_INT, 0, TAG, copy);
            MPI_Send(numbers, 1, MPI_INT, 0, TAG + 1, copy);
            continue;
        }
        told_world = told_copy = 0;
        MPI_Irecv(numbers, 2, MPI_INT, i % 2 ? MPI_ANY_SOURCE : 1, TAG, copy, &request[0]);
        MPI_Irecv(numbers + 2, 1, MPI_INT, 1, TAG + 1, copy, &request[1]);
        if (i / 2 != WAITALL) MPI_Wait(&request[1], status);
        switch (i / 2) {
        case WAIT: error = MPI_Wait(request, status); break;
        case TEST: while (!done && !error) error = MPI_Test(request, &done, status); break;
        case WAITANY: error = MPI_Waitany(1, request, &index, status); break;
        case TESTANY: while (!done && !error) error = MPI_Testany(1, request, &index, &done, status); break;
        default: error = MPI_Waitall(2, request, status); if (request[1] != MPI_REQUEST_NULL) MPI_Wait(&request[1], status);
        }
        expect(error != 0, "an error of one that is too long", error, MPI_ERR_TRUNCATE);
#ifdef MPICH /* from 4.2 on, MPI_Wait and MPI_Test know of which communicator it is */
        expect(told_world + told_copy == 1, "how often a handler hears of it", told_world + told_copy, 1);
#else
        expect(told_world == 0 && told_copy == 1, "how often a handler hears of it", 10 * told_world + told_copy, 1);
#endif
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler[0]);
    MPI_Errhandler_free(&handler[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    int i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < LONG; i++) own[i] = rank;
    each_way();
    posted_in_turn();
    as_long_as_another();
    beside_one_of_another_tag();
    inactive_beside();
    polled_ring();
    for (i = 0; i < 2; i++) two_sides(i);
    if (rank < 2) open_elsewhere();
    refused_tags();
    polled_behind_a_persistent_one();
    truncated_ones();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0 && !wrong) puts("ok");
    return wrong != 0;
}
