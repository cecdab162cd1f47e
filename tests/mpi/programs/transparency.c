/* What a user sees of MPI must be the same with the layer: data, counts,
   statuses, errors. The same program is also run without it. Prints "ok". */
#include "mpi4.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = 10, MANY = 300000 };

static int rank, size, other, failures;
static int from[TEN] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, to[TEN];
static MPI_Status status;

#define W MPI_COMM_WORLD
#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            failures++; \
            fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition); \
        } \
    } while (0)

static int count(const MPI_Status *s, MPI_Datatype type)
{
    int n;
    MPI_Get_count(s, type, &n);
    return n;
}

static int class_of(int error)
{
    int class;
    MPI_Error_class(error, &class);
    return class;
}

static void shorter_than_its_receive(void)
{
    int n, i;
    for (n = 0; n <= TEN; n++) {
        memset(to, 0xff, sizeof to);
        if (rank == 0) MPI_Send(from, n, MPI_INT, 1, 7, W);
        else {
            MPI_Recv(to, TEN, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
            CHECK(count(&status, MPI_INT) == n && status.MPI_SOURCE == 0 && status.MPI_TAG == 7);
            CHECK(!memcmp(from, to, (size_t)n * sizeof(int)));
            for (i = n; i < TEN; i++) CHECK(to[i] == -1);
        }
    }
}

static void derived_types(void)
{
    MPI_Datatype every_third;
    int a[12], b[12], i, turn, n;
    MPI_Type_vector(4, 1, 3, MPI_INT, &every_third);
    MPI_Type_commit(&every_third);
    for (i = 0; i < 12; i++) a[i] = i;
    for (turn = 0; turn < 3; turn++) {
        memset(b, 0xff, sizeof b);
        if (rank == 0) MPI_Send(a, 1, every_third, 1, 1, W);
        else {
            MPI_Recv(b, 1, every_third, 0, 1, W, &status);
            MPI_Get_elements(&status, every_third, &n);
            CHECK(count(&status, every_third) == 1 && n == 4);
            for (i = 0; i < 12; i++) CHECK(b[i] == (i % 3 ? -1 : i));
        }
    }
    if (rank == 0) MPI_Send(a, 1, every_third, 1, 1, W);
    else {
        MPI_Recv(to, TEN, MPI_INT, 0, 1, W, &status);
        CHECK(count(&status, MPI_INT) == 4 && to[1] == 3 && to[3] == 9);
    }
    MPI_Type_free(&every_third);
}

static void probes(void)
{
    MPI_Message message;
    if (rank == 0) {
        MPI_Send(from, 5, MPI_INT, 1, 3, W);
        MPI_Send(from, 6, MPI_INT, 1, 3, W);
        return;
    }
    MPI_Probe(0, 3, W, &status);
    CHECK(count(&status, MPI_INT) == 5);
    MPI_Recv(to, 5, MPI_INT, 0, 3, W, MPI_STATUS_IGNORE);
    CHECK(to[4] == 5);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, W, &message, &status);
    CHECK(count(&status, MPI_INT) == 6);
    MPI_Mrecv(to, 6, MPI_INT, &message, &status);
    CHECK(count(&status, MPI_INT) == 6 && to[5] == 6);
}

/* Its data are there when anything that was sent later is. */
static void freed_receive(void)
{
    MPI_Request request;
    int turn;
    for (turn = 0; turn < 2; turn++) {
        memset(to, 0xff, sizeof to);
        if (rank == 1) {
            MPI_Irecv(to, TEN, MPI_INT, 0, 12, W, &request);
            MPI_Request_free(&request);
        }
        MPI_Barrier(W);
        if (rank == 0) MPI_Send(from, TEN, MPI_INT, 1, 12, W), MPI_Send(from, 1, MPI_INT, 1, 13, W);
        else if (rank == 1) {
            int last;
            MPI_Recv(&last, 1, MPI_INT, 0, 13, W, &status);
            CHECK(!memcmp(from, to, sizeof to));
        }
    }
}

static void errors(void)
{
    MPI_Datatype pairs;
    MPI_Request request;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (rank == 0) MPI_Send(from, TEN, MPI_INT, 1, 4, W);
    else CHECK(class_of(MPI_Recv(to, 2, MPI_INT, 0, 4, W, &status)) == MPI_ERR_TRUNCATE);
    CHECK(class_of(MPI_Send(from, -1, MPI_INT, other, 1, W)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Send(from, 1, MPI_INT, size + 5, 1, W)) == MPI_ERR_RANK);
    MPI_Type_vector(2, 2, 3, MPI_INT, &pairs); /* not committed */
    CHECK(class_of(MPI_Isend(from, 1, pairs, other, 1, W, &request)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Irecv(to, 1, pairs, other, 1, W, &request)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Send_init(from, 1, pairs, other, 1, W, &request)) == MPI_ERR_TYPE);
    MPI_Type_commit(&pairs);
    if (rank == 0) MPI_Send(from, 1, pairs, 1, 5, W);
    else MPI_Recv(to, 1, pairs, 0, 5, W, &status);
    CHECK(rank == 0 || (count(&status, MPI_INT) == 4 && to[4] == from[4]));
    MPI_Type_free(&pairs);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
}

/* Testall may end as soon as one has failed: it tells which are complete, and these have their data. */
static void errors_of_some(void)
{
    enum { TURNS = 1000 };
    MPI_Request request[3];
    MPI_Status some[3];
    int flag = 0, error = 0, i;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (i = 0; i < 2; i++) MPI_Send(from, i ? 2 : TEN, MPI_INT, 1, 20 + i, W);
        MPI_Recv(to, 1, MPI_INT, 1, 23, W, &status);
        MPI_Send(from, 2, MPI_INT, 1, 22, W);
    } else {
        memset(to, 0, sizeof to);
        memset(some, 0, sizeof some);
        for (i = 0; i < 3; i++) MPI_Irecv(to + 2 * i, 2, MPI_INT, 0, 20 + i, W, &request[i]);
        for (i = 0; !error && !flag; i++) {
            if (i == TURNS) MPI_Send(from, 1, MPI_INT, 0, 23, W);
            error = MPI_Testall(3, request, &flag, some);
        }
        if (i <= TURNS) MPI_Send(from, 1, MPI_INT, 0, 23, W);
        CHECK(class_of(error) == MPI_ERR_IN_STATUS && class_of(some[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
        if (request[0] != MPI_REQUEST_NULL) CHECK(class_of(MPI_Wait(&request[0], &some[0])) == MPI_ERR_TRUNCATE); /* MPICH from 4.2 on */
        for (i = 1; i < 3; i++) {
            if (request[i] != MPI_REQUEST_NULL) MPI_Wait(&request[i], &some[i]);
            CHECK(count(&some[i], MPI_INT) == 2 && !memcmp(to + 2 * i, from, 2 * sizeof *from));
        }
    }
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
}

/* Where something must be, null is an error. */
static void null_pointers(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int flag, index;
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Wait(NULL, &status) && MPI_Test(NULL, &flag, &status) && MPI_Test(&request, NULL, &status));
    CHECK(MPI_Waitany(2, NULL, &index, &status) && MPI_Waitany(1, &request, NULL, &status) && MPI_Testany(1, &request, &index, NULL, &status));
    CHECK(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE) && MPI_Testall(2, NULL, &flag, MPI_STATUSES_IGNORE));
    CHECK(MPI_Testall(1, &request, NULL, MPI_STATUSES_IGNORE) && MPI_Waitsome(2, NULL, &flag, &index, MPI_STATUSES_IGNORE));
    CHECK(MPI_Start(NULL) && MPI_Startall(2, NULL) && MPI_Request_free(NULL) && MPI_Buffer_attach(NULL, 100));
    CHECK(!MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    CHECK(class_of(MPI_Send(NULL, 1, MPI_INT, other, 1, W)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Recv(NULL, 1, MPI_INT, other, 1, W, &status)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Irecv(NULL, 1, MPI_INT, other, 1, W, &request)) == MPI_ERR_BUFFER);
    MPI_Sendrecv(NULL, 0, MPI_INT, other, 1, NULL, 0, MPI_INT, other, 1, W, &status);
    CHECK(count(&status, MPI_INT) == 0);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
}

static int heard_of;
static void hear_of(MPI_Comm *comm, int *error, ...) { heard_of += comm && *error; }

/* An error handler hears of an error as often as from the library. */
static void heard_once(void)
{
    MPI_Errhandler handler;
    int *all = (int *)calloc((size_t)size, sizeof *all), by_library;
    MPI_Comm_create_errhandler(hear_of, &handler);
    MPI_Comm_set_errhandler(W, handler);
    CHECK(PMPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, W)); /* W has no neighbours */
    by_library = heard_of;
    CHECK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, W));
    CHECK(by_library && heard_of == 2 * by_library);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    free(all);
}

static void long_messages(void)
{
    int *a = malloc(MANY * sizeof *a), *b = malloc(MANY * sizeof *b), turn, i, same;
    MPI_Request request[2];
    MPI_Status both[2];
    for (turn = 0; turn < 5; turn++) {
        for (i = 0; i < MANY; i++) a[i] = i * rank + turn, b[i] = -1;
        MPI_Irecv(b, MANY, MPI_INT, other, 9, W, &request[0]);
        MPI_Isend(a, MANY, MPI_INT, other, 9, W, &request[1]);
        MPI_Waitall(2, request, both);
        for (same = 1, i = 0; i < MANY; i++) same &= b[i] == i * other + turn;
        CHECK(same && count(&both[0], MPI_INT) == MANY);
    }
    free(a);
    free(b);
}

static void testsome(void)
{
    int a[4], b[4], index[8], done = 0, n, i;
    MPI_Request request[8];
    MPI_Status some[8];
    for (i = 0; i < 4; i++) {
        a[i] = i + 10 * rank;
        MPI_Irecv(&b[i], 1, MPI_INT, other, i, W, &request[i]);
    }
    for (i = 0; i < 4; i++) MPI_Isend(&a[i], 1, MPI_INT, other, i, W, &request[4 + i]);
    while (done < 8) {
        MPI_Testsome(8, request, &n, index, some);
        for (i = 0; i < n; i++)
            if (index[i] < 4) CHECK(count(&some[i], MPI_INT) == 1 && some[i].MPI_TAG == index[i]);
        done += n;
    }
    for (i = 0; i < 4; i++) CHECK(b[i] == i + 10 * other);
    for (i = 0; i < 8; i++) CHECK(request[i] == MPI_REQUEST_NULL);
}

/* What is in the statuses of three messages to oneself, one of which was received before. */
static void complete(int by_library, int how, MPI_Status *s)
{
    int i, done = 0, index[3], b[3];
    MPI_Request request[3];
    for (i = 0; i < 3; i++) s[i].MPI_ERROR = 1000 + i;
    for (i = 0; i < 3; i++) (by_library ? PMPI_Irecv : MPI_Irecv)(&b[i], 1, MPI_INT, rank, i, W, &request[i]);
    for (i = 0; i < 3; i++) (by_library ? PMPI_Send : MPI_Send)(&from[i], 1, MPI_INT, rank, i, W);
    (by_library ? PMPI_Wait : MPI_Wait)(&request[1], MPI_STATUS_IGNORE);
    while (!done) switch (how) {
    case 0: (by_library ? PMPI_Waitall : MPI_Waitall)(3, request, s), done = 1; break;
    case 1: (by_library ? PMPI_Testall : MPI_Testall)(3, request, &done, s); break;
    case 2: (by_library ? PMPI_Waitsome : MPI_Waitsome)(3, request, &done, index, s); break;
    default: (by_library ? PMPI_Testsome : MPI_Testsome)(3, request, &done, index, s); break;
    }
    (by_library ? PMPI_Waitall : MPI_Waitall)(3, request, MPI_STATUSES_IGNORE);
}

/* Where all is well, some libraries write MPI_ERROR and others don't. */
static void errors_of_statuses(void)
{
    MPI_Status theirs[3], ours[3];
    int how, i;
    for (how = 0; how < 4; how++) {
        complete(1, how, theirs);
        complete(0, how, ours);
        for (i = 0; i < (how < 2 ? 3 : 1); i++) CHECK(ours[i].MPI_ERROR == theirs[i].MPI_ERROR);
    }
}

static void persistent(void)
{
    int a = 0, b = 0, turn;
    MPI_Request request[2];
    MPI_Send_init(&a, 1, MPI_INT, other, 5, W, &request[0]);
    MPI_Recv_init(&b, 1, MPI_INT, other, 5, W, &request[1]);
    for (turn = 0; turn < 6; turn++) {
        a = turn * 7 + rank;
        MPI_Startall(2, request);
        if (turn & 1) MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        else {
            MPI_Wait(&request[0], MPI_STATUS_IGNORE);
            MPI_Wait(&request[1], &status);
            CHECK(count(&status, MPI_INT) == 1);
        }
        CHECK(b == turn * 7 + other);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void cancelled_and_looked_at(void)
{
    MPI_Request request;
    int b = -1, flag = 0;
    MPI_Irecv(&b, 1, MPI_INT, other, 77, W, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    if (rank == 0) {
        MPI_Send(from, 1, MPI_INT, 1, 55, W);
        return;
    }
    MPI_Irecv(&b, 1, MPI_INT, 0, 55, W, &request);
    for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
    CHECK(b == 1 && count(&status, MPI_INT) == 1);
    MPI_Wait(&request, &status);
    CHECK(b == 1 && count(&status, MPI_INT) == 1);
}

/* The buffer has room for exactly these two messages. */
static void buffered(void)
{
    int bytes = 2 * (MPI_BSEND_OVERHEAD + TEN * (int)sizeof(int)), back_bytes, i;
    void *buffer = malloc((size_t)bytes), *back;
    MPI_Buffer_attach(buffer, bytes);
    for (i = 0; i < 2; i++) {
        if (rank == 0) MPI_Bsend(from, TEN, MPI_INT, 1, 8, W);
        else {
            MPI_Recv(to, TEN, MPI_INT, 0, 8, W, MPI_STATUS_IGNORE);
            CHECK(to[9] == 10);
        }
    }
    MPI_Buffer_detach(&back, &back_bytes);
    CHECK(back == buffer && back_bytes == bytes);
    free(buffer);
}

#if HAS_MPI_4_1
/* The library's own, which grows; and a communicator's, with room for exactly these two messages. */
static void buffered_in_new_ways(void)
{
    int bytes = 2 * (MPI_BSEND_OVERHEAD + TEN * (int)sizeof(int)), back_bytes = 0, i;
    void *buffer = malloc((size_t)bytes), *back;
    MPI_Group all, both;
    MPI_Comm own;
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 2, (const int[]){ 0, 1 }, &both);
    MPI_Comm_create_group(W, both, 0, &own);
    MPI_Group_free(&all);
    MPI_Group_free(&both);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    MPI_Comm_attach_buffer(own, buffer, bytes);
    for (i = 0; i < 4; i++) {
        memset(to, 0, sizeof to);
        if (rank == 0) MPI_Bsend(from, TEN, MPI_INT, 1, 8, i < 2 ? W : own);
        else MPI_Recv(to, TEN, MPI_INT, 0, 8, i < 2 ? W : own, MPI_STATUS_IGNORE);
        CHECK(rank != 1 || to[9] == 10);
    }
    MPI_Comm_detach_buffer(own, &back, &back_bytes);
    CHECK(back == buffer && back_bytes == bytes);
    MPI_Buffer_detach(&back, &back_bytes);
    CHECK(back == MPI_BUFFER_AUTOMATIC);
    MPI_Comm_free(&own);
    free(buffer);
}

/* Of three requests, of which one is none and one isn't complete: 0, then 1 of two, then all. */
static void several_looked_at(void)
{
    MPI_Request request[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status one, many[3];
    int flag = 0, index = -1, indices[3], n = 0, i;
    if (rank == 0) {
        MPI_Send(from, TEN, MPI_INT, 1, 8, W);
        MPI_Recv(to, 1, MPI_INT, 1, 9, W, MPI_STATUS_IGNORE);
        MPI_Send(from, 2, MPI_INT, 1, 10, W);
    } else {
        memset(to, 0, sizeof to);
        MPI_Irecv(to, TEN, MPI_INT, 0, 8, W, &request[1]);
        MPI_Irecv(&i, 1, MPI_INT, 0, 11, W, &request[2]);
        while (!flag) MPI_Request_get_status_any(3, request, &index, &flag, &one);
        CHECK(index == 1 && count(&one, MPI_INT) == TEN && to[9] == 10 && request[1] != MPI_REQUEST_NULL);
        MPI_Request_get_status_some(3, request, &n, indices, many);
        CHECK(n == 1 && indices[0] == 1 && count(&many[0], MPI_INT) == TEN);
        MPI_Request_get_status_all(3, request, &flag, many);
        CHECK(!flag);
        MPI_Cancel(&request[2]);
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
        MPI_Irecv(to, TEN, MPI_INT, 0, 10, W, &request[2]);
        MPI_Send(from, 1, MPI_INT, 0, 9, W);
        for (flag = 0; !flag;) MPI_Request_get_status_all(3, request, &flag, many);
        CHECK(count(&many[0], MPI_INT) == 0 && count(&many[1], MPI_INT) == TEN && count(&many[2], MPI_INT) == 2 && many[2].MPI_TAG == 10);
        MPI_Waitall(3, request, many);
        CHECK(count(&many[1], MPI_INT) == TEN && count(&many[2], MPI_INT) == 2);
        MPI_Request_get_status_any(3, request, &index, &flag, &one);
        CHECK(flag && index == MPI_UNDEFINED);
        MPI_Request_get_status_some(3, request, &n, indices, many);
        CHECK(n == MPI_UNDEFINED);
    }
}
#endif

static void both_ways(void)
{
    int a = rank, b = -1;
    if (rank == 0) MPI_Ssend(from, 3, MPI_INT, 1, 6, W);
    else MPI_Recv(to, TEN, MPI_INT, 0, 6, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&a, 1, MPI_INT, rank, 2, &b, 1, MPI_INT, rank, 2, W, &status);
    CHECK(b == rank);
    MPI_Sendrecv_replace(&a, 1, MPI_INT, other, 2, other, 2, W, &status);
    CHECK(a == other && count(&status, MPI_INT) == 1);
}

#if MPI_VERSION >= 4
/* Made by counts of MPI-4, of which the older calls tell nothing: short, and long, on either side. */
static void large_datatypes(void)
{
    enum { LONG = 50000 };
    static const int counts[2] = { 4, LONG };
    static int a[2 * LONG], b[2 * LONG];
    MPI_Datatype small, large;
    int turn, i;
    for (i = 0; i < 2 * LONG; i++) a[i] = i;
    for (turn = 0; turn < 4; turn++) {
        int n = counts[turn % 2];
        MPI_Type_vector(n, 1, 2, MPI_INT, &small);
        MPI_Type_vector_c(n, 1, 2, MPI_INT, &large);
        MPI_Type_commit(&small);
        MPI_Type_commit(&large);
        memset(b, 0xff, sizeof b);
        if (rank == 0) MPI_Send(a, 1, turn < 2 ? small : large, 1, 14, W);
        else MPI_Recv(b, 1, turn < 2 ? large : small, 0, 14, W, &status);
        for (i = 0; rank == 1 && i < 2 * n && b[i] == (i % 2 ? -1 : i);) i++;
        CHECK(rank == 0 || i == 2 * n);
        MPI_Type_free(&small);
        MPI_Type_free(&large);
    }
}

static void large_counts(void)
{
    MPI_Request request;
    MPI_Count n;
    int b = -1;
    if (rank == 0) {
        MPI_Send_c(from, 2, MPI_INT, 1, 11, W);
        MPI_Send(from, 2, MPI_INT, 1, 11, W);
        MPI_Isend_c(from, 1, MPI_INT, 1, 11, W, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(to, 2, MPI_INT, 0, 11, W, &status);
        CHECK(count(&status, MPI_INT) == 2 && to[1] == 2);
        MPI_Recv_c(to, TEN, MPI_INT, 0, 11, W, &status);
        MPI_Get_count_c(&status, MPI_INT, &n);
        CHECK(n == 2 && to[1] == 2);
        MPI_Irecv_c(&b, 1, MPI_INT, 0, 11, W, &request);
        MPI_Wait(&request, &status);
        CHECK(b == 1);
    }
    large_datatypes();
}

/* In both directions at once, and once to oneself; others are initialised and never started. */
static void partitioned(void)
{
    int a[4], b[4], own = -1, turn, i, list[2] = { 3, 0 }, there;
    MPI_Request request[4], unused[2];
    MPI_Psend_init(a, 1, 1, MPI_INT, other, 21, W, MPI_INFO_NULL, &unused[0]);
    MPI_Precv_init(b, 1, 1, MPI_INT, other, 21, W, MPI_INFO_NULL, &unused[1]);
    MPI_Psend_init(a, 4, 1, MPI_INT, other, 21, W, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(b, 2, 2, MPI_INT, other, 21, W, MPI_INFO_NULL, &request[1]);
    MPI_Psend_init(&rank, 1, 1, MPI_INT, rank, 21, W, MPI_INFO_NULL, &request[2]);
    MPI_Precv_init(&own, 1, 1, MPI_INT, rank, 21, W, MPI_INFO_NULL, &request[3]);
    for (turn = 0; turn < 3; turn++) {
        MPI_Status each[4];
        for (i = 0; i < 4; i++) a[i] = 100 * turn + 10 * rank + i, b[i] = -1;
        own = -1;
        MPI_Startall(4, request);
        MPI_Pready_list(2, list, request[0]);
        MPI_Pready(0, request[2]);
        MPI_Pready_range(1, 2, request[0]);
        for (there = 0; turn == 1 && !there;) MPI_Parrived(request[1], 1, &there);
        if (turn < 2) MPI_Waitall(4, request, each);
        else
            for (i = 3; i >= 0; i--) MPI_Wait(&request[i], &each[i]);
        for (i = 0; i < 4; i++) CHECK(b[i] == 100 * turn + 10 * other + i);
        CHECK(own == rank && count(&each[1], MPI_INT) == 4 && each[1].MPI_SOURCE == other && each[1].MPI_TAG == 21);
    }
    for (i = 0; i < 4; i++) MPI_Request_free(&request[i]);
    for (i = 0; i < 2; i++) MPI_Request_free(&unused[i]);
    CHECK(request[0] == MPI_REQUEST_NULL);
}

static void persistent_collectives(MPI_Comm all)
{
    MPI_Request request[2];
    int b, turn;
    MPI_Bcast_init(&b, 1, MPI_INT, 0, all, MPI_INFO_NULL, &request[0]);
    MPI_Barrier_init(all, MPI_INFO_NULL, &request[1]);
    for (turn = 0; turn < 3; turn++) {
        b = rank ? -1 : turn;
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        CHECK(b == turn && request[0] != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}
#endif

/* To the bit what the library gives; the longest one doesn't travel with moments. */
static void same_sums(MPI_Comm comm)
{
    const MPI_Datatype types[] = { MPI_INT, MPI_UNSIGNED_LONG, MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE };
    const size_t bytes[] = { sizeof(int), sizeof(long), sizeof(double), sizeof(float), sizeof(long double) };
    const MPI_Op ops[] = { MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LXOR, MPI_BOR, MPI_BXOR };
    char mine[9 * sizeof(long double)], got[sizeof mine], expected[sizeof mine];
    const int lengths[] = { 0, 1, 8, 9 };
    int type, op, n, i, length;
    for (type = 0; type < 5; type++)
        for (op = 0; op < (type < 2 ? 8 : 4); op++)
            for (length = 0; length < 4; length++) {
                n = lengths[length];
                memset(mine, 0, sizeof mine);
                memset(expected, 7, sizeof expected);
                memset(got, 7, sizeof got);
                for (i = 0; i < n; i++) {
                    double value = (rank + 1) * 0.1 + i * 1e-3;
                    unsigned long bits = (unsigned long)(rank + 3) * 0x9e3779b97f4a7c15u + (unsigned long)i;
                    if (type < 2) memcpy(mine + (size_t)i * bytes[type], &bits, bytes[type]);
                    else if (type == 2) memcpy(mine + (size_t)i * sizeof value, &value, sizeof value);
                    else if (type == 3) ((float *)(void *)mine)[i] = (float)value;
                    else ((long double *)(void *)mine)[i] = (long double)value;
                }
                PMPI_Allreduce(mine, expected, n, types[type], ops[op], comm);
                if ((rank + op) % 2) {
                    memcpy(got, mine, (size_t)n * bytes[type]);
                    MPI_Allreduce(MPI_IN_PLACE, got, n, types[type], ops[op], comm);
                } else MPI_Allreduce(mine, got, n, types[type], ops[op], comm);
                CHECK(!memcmp(got, expected, sizeof got));
            }
}

/* The greater one of 0 and -0, or of NaN and 1, is whichever the library takes; maybe not the same on all ranks. */
static void same_extremes(void)
{
    const MPI_Op ops[] = { MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD };
    const double values[] = { 0.0, -0.0, NAN, 1.0, -NAN };
    int op, a, b;
    for (op = 0; op < 4; op++)
        for (a = 0; a < 5; a++)
            for (b = 0; b < 5; b++) {
                double mine = values[rank % 2 ? b : a], got, expected;
                float mine_short = (float)mine, got_short, expected_short;
                PMPI_Allreduce(&mine, &expected, 1, MPI_DOUBLE, ops[op], W);
                MPI_Allreduce(&mine, &got, 1, MPI_DOUBLE, ops[op], W);
                CHECK(!memcmp(&got, &expected, sizeof got));
                PMPI_Allreduce(&mine_short, &expected_short, 1, MPI_FLOAT, ops[op], W);
                MPI_Allreduce(&mine_short, &got_short, 1, MPI_FLOAT, ops[op], W);
                CHECK(!memcmp(&got_short, &expected_short, sizeof got_short));
            }
}

static void collectives(MPI_Comm all, MPI_Comm half)
{
    int sum = 0, before = -1, ranks[64], half_sum = -1, i;
    MPI_Request request;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Exscan(&rank, &before, 1, MPI_INT, MPI_SUM, all);
    if (rank) CHECK(before == rank * (rank - 1) / 2);
    MPI_Gather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, size - 1, all);
    for (i = 0; rank == size - 1 && i < size; i++) CHECK(ranks[i] == i);
    MPI_Iallreduce(&rank, &half_sum, 1, MPI_INT, MPI_SUM, half, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    CHECK(half_sum == sum);
    MPI_Ibarrier(all, &request);
    MPI_Wait(&request, &status);
    MPI_Bcast(&sum, 1, MPI_INT, 0, half);
}

/* What one rank's arguments are wrong in never was a call: its next one is the one that the others make. */
static void begin_with_nothing(int how, MPI_Comm comm, MPI_Request *request)
{
    if (how == 0) MPI_Ireduce(from, to, 0, MPI_INT, MPI_SUM, 1, comm, request);
    else if (how == 1) MPI_Iallreduce(from, to, 0, MPI_INT, MPI_SUM, comm, request);
    else if (how == 2) MPI_Iallgather(from, 0, MPI_INT, to, 0, MPI_INT, comm, request);
    else MPI_Ibcast(to, 0, MPI_INT, 0, comm, request);
}

/* Libraries give one handle to all that are complete at once. Rank 1 begins in the second communicator when it hears that the first
   one's is complete. */
static void collectives_of_nothing(int how, MPI_Comm one, MPI_Comm another)
{
    MPI_Request request[2];
    begin_with_nothing(how, one, &request[0]);
    if (rank == 0) begin_with_nothing(how, another, &request[1]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Send(from, 1, MPI_INT, 1, how, W);
    else MPI_Recv(to, 1, MPI_INT, 0, how, W, &status), begin_with_nothing(how, another, &request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

static void refused(MPI_Comm all)
{
    int a[64], b[64], i, turn, sum, wrong = rank == size - 1;
#ifdef OPEN_MPI
    MPI_Comm part;
#endif
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    for (turn = 0; turn < 2; turn++) {
        for (i = 0; i < size; i++) a[i] = rank, b[i] = -1;
        if (wrong) CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_DATATYPE_NULL, MPI_SUM, all));
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
        CHECK(sum == size * (size - 1) / 2);
        if (wrong) CHECK(MPI_Alltoall(a, -1, MPI_INT, b, -1, MPI_INT, all));
        MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, all);
        for (i = 0; i < size; i++) CHECK(b[i] == i);
        if (wrong) CHECK(MPI_Allgather(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, all));
        MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, all);
        for (i = 0; i < size; i++) CHECK(b[i] == i);
        sum = rank ? -1 : turn;
        if (wrong) CHECK(MPI_Bcast(&sum, 1, MPI_DATATYPE_NULL, 0, all));
        if (wrong) CHECK(MPI_Bcast(&sum, 1, MPI_INT, size, all));
        MPI_Bcast(&sum, 1, MPI_INT, 0, all);
        CHECK(sum == turn);
        if (wrong) CHECK(MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_OP_NULL, all));
        MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
        CHECK(sum == rank * (rank + 1) / 2);
#ifdef OPEN_MPI /* MPICH finds it when it has spoken with the others */
        if (wrong) CHECK(MPI_Comm_split(all, -17, 0, &part));
        MPI_Comm_split(all, 0, 0, &part);
        MPI_Comm_free(&part);
#endif
    }
    MPI_Comm_set_errhandler(all, MPI_ERRORS_ARE_FATAL);
}

/* A rank that has its part of a collective frees the communicator, where others may still be at theirs. */
static void freed_after_its_collectives(void)
{
    int turn, one = 1, sum, all[64];
    MPI_Request request;
    MPI_Comm copy;
    for (turn = 0; turn < 200; turn++) {
        int root = turn % size;
        MPI_Comm_dup(W, &copy);
        sum = 0;
        if (turn % 3 == 0) MPI_Ireduce(&one, &sum, 1, MPI_INT, MPI_SUM, root, copy, &request);
        else if (turn % 3 == 1) MPI_Igather(&one, 1, MPI_INT, all, 1, MPI_INT, root, copy, &request);
        else MPI_Ibcast(&one, 1, MPI_INT, root, copy, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (turn % 3 == 0 && rank == root) CHECK(sum == size);
        if (turn % 2) MPI_Comm_free(&copy);
        else MPI_Comm_disconnect(&copy);
        CHECK(copy == MPI_COMM_NULL);
    }
}

/* Even ranks on one side, odd ones on the other. */
static void intercommunicator(MPI_Comm half)
{
    MPI_Comm inter;
    int mine, here, there, a = rank, b = -1, root;
    MPI_Comm_rank(half, &mine);
    MPI_Comm_size(half, &here);
    MPI_Intercomm_create(half, 0, W, rank & 1 ? 0 : 1, 12, &inter);
    MPI_Barrier(inter);
    MPI_Comm_remote_size(inter, &there);
    if (mine < there) {
        MPI_Sendrecv(&a, 1, MPI_INT, mine, 0, &b, 1, MPI_INT, mine, 0, inter, MPI_STATUS_IGNORE);
        CHECK(b == (rank ^ 1));
    }
    root = rank & 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    a = rank == 0 ? 42 : 0;
    MPI_Bcast(&a, 1, MPI_INT, root, inter);
    if (rank & 1) CHECK(a == 42);
    MPI_Comm_free(&inter);
}

static void shift_with_an_edge(MPI_Comm all)
{
    MPI_Comm line;
    int periodic = 0, left, right, a = rank, b = -5;
    MPI_Cart_create(all, 1, &size, &periodic, 0, &line);
    MPI_Cart_shift(line, 0, 1, &left, &right);
    MPI_Sendrecv(&a, 1, MPI_INT, right, 0, &b, 1, MPI_INT, left, 0, line, MPI_STATUS_IGNORE);
    CHECK(b == (rank ? rank - 1 : -5));
    MPI_Comm_free(&line);
}

#ifdef MPICH_VERSION
/* More than there is room for where three communicators are taken for each: MPICH has 2,048. */
static void many_windows(void)
{
    enum { WINDOWS = 800, BYTES = 4096 }; /* MPICH 4.0.2 mistakes places in windows of a few bytes */
    static MPI_Win window[WINDOWS];
    static int *part[WINDOWS];
    int i, got;
    for (i = 0; i < WINDOWS; i++) MPI_Win_allocate(BYTES, sizeof(int), MPI_INFO_NULL, W, &part[i], &window[i]);
    for (i = 0; i < WINDOWS; i += 99) {
        int mine = 1000 * rank + i;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window[i]);
        MPI_Put(&mine, 1, MPI_INT, other, 0, 1, MPI_INT, window[i]);
        MPI_Win_unlock(other, window[i]);
        MPI_Barrier(W);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window[i]);
        MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, window[i]);
        MPI_Win_unlock(rank, window[i]);
        CHECK(got == 1000 * other + i);
    }
    for (i = 0; i < WINDOWS; i++) MPI_Win_free(&window[(i * 7) % WINDOWS]);
}
#endif

static int heard;

static void hear(MPI_Win *window, int *error, ...) { heard += *window != MPI_WIN_NULL && *error; }

/* The library tells it, to the window's handler, and does nothing else. */
static void unlocked_without_a_lock(void)
{
    int *part, i;
    MPI_Win window;
    MPI_Errhandler handler;
    MPI_Win_allocate(TEN * sizeof(int), sizeof(int), MPI_INFO_NULL, W, &part, &window);
    MPI_Win_create_errhandler(hear, &handler);
    MPI_Win_set_errhandler(window, handler);
    for (i = 0; i < 2; i++) {
        heard = 0;
        CHECK(class_of(MPI_Win_unlock(rank, window)) == MPI_ERR_RMA_SYNC && heard == 1);
        CHECK(MPI_Win_unlock(size + 99, window) && heard == 2);
        CHECK(class_of(MPI_Win_unlock_all(window)) == MPI_ERR_RMA_SYNC && heard == 3);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        MPI_Win_unlock(rank, window);
        MPI_Win_lock_all(0, window);
        MPI_Win_unlock_all(window);
        CHECK(heard == 3);
    }
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Comm all, half;
    int how, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    other = rank ^ 1;
    if (size >= 2 && rank < 2) {
        shorter_than_its_receive();
        derived_types();
        probes();
        errors();
        errors_of_some();
        null_pointers();
        long_messages();
        testsome();
        persistent();
        cancelled_and_looked_at();
        buffered();
#if HAS_MPI_4_1
        buffered_in_new_ways();
        several_looked_at();
#endif
        both_ways();
#if MPI_VERSION >= 4
        large_counts();
        partitioned();
#endif
    }
    errors_of_statuses();
    heard_once();
    if (size >= 2) freed_receive();
#ifdef MPICH_VERSION
    if (size == 2) many_windows();
#endif
    unlocked_without_a_lock();
    MPI_Comm_dup(W, &all);
    MPI_Comm_split(all, rank & 1, rank, &half);
    collectives(all, half);
    for (how = 0; size == 2 && how < 4; how++) collectives_of_nothing(how, all, W);
    refused(W);
    refused(all);
    freed_after_its_collectives();
    same_sums(W);
    same_extremes();
    same_sums(half);
#if MPI_VERSION >= 4
    persistent_collectives(all);
#endif
    if (size >= 2) intercommunicator(half);
    shift_with_an_edge(all);
    MPI_Comm_free(&half);
    MPI_Comm_free(&all);
    MPI_Reduce(&failures, &total, 1, MPI_INT, MPI_SUM, 0, W);
    if (rank == 0) printf(total ? "%d failures\n" : "ok\n", total);
    MPI_Finalize();
    return total != 0;
}
