/* Long messages travel otherwise for their piggybacks: what that is known to make of them is taken out of all that
   depended on them. Here it is told to be more than it is: they came earlier than they would have by 10 us, and by
   15 while others went the other way. So local time goes ahead by as much with each of them. Prints "ok". */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 1 << 20, TIMES = 100, ONE_WAY = -10000, BOTH_WAYS = -15000 };

static char *data;
static int other, wrong;

static void to_and_fro(void)
{
    if (other == 1) MPI_Send(data, BYTES, MPI_CHAR, other, 1, MPI_COMM_WORLD);
    MPI_Recv(data, BYTES, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (other == 0) MPI_Send(data, BYTES, MPI_CHAR, other, 1, MPI_COMM_WORLD);
}

/* `n` messages each way. */
static void exchange(int n)
{
    MPI_Request request[4];
    MPI_Status status[4];
    for (int i = 0; i < n; i++) {
        MPI_Irecv(data + (2 * i + 1) * BYTES, BYTES, MPI_CHAR, other, i, MPI_COMM_WORLD, &request[i]);
        MPI_Isend(data + 2 * i * BYTES, BYTES, MPI_CHAR, other, i, MPI_COMM_WORLD, &request[n + i]);
    }
    MPI_Waitall(2 * n, request, status);
}

static void one_each(void) { exchange(1); }
static void two_each(void) { exchange(2); }

static void at_once(void)
{
    MPI_Sendrecv(data, BYTES, MPI_CHAR, other, 1, data + BYTES, BYTES, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    static MPI_Request request[2];
    MPI_Status status[2];
    if (!request[0]) {
        MPI_Recv_init(data + BYTES, BYTES, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Send_init(data, BYTES, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request[1]);
    }
    MPI_Startall(2, request);
    MPI_Waitall(2, request, status);
}

static void known(pfc__i64 one_way, pfc__i64 both_ways)
{
    for (int i = 0; i < PFC__SIZES; i++) {
        pfc__link.piggy.ns[i] = one_way;
        pfc__link.both.ns[i] = both_ways;
    }
    memset(pfc__sizes_met, 0, sizeof pfc__sizes_met);
}

/* ns by which local time went ahead of the clock in each of TIMES. */
static double ahead(void (*messages)(void))
{
    pfc_timers_t begin, end;
    messages();
    MPI_Barrier(MPI_COMM_WORLD);
    begin = pfc_timers();
    for (int i = 0; i < TIMES; i++) messages();
    end = pfc_timers();
    return (double)((end.lt - end.ct) - (begin.lt - begin.ct)) / TIMES;
}

enum { TRIES = 8 }; /* the machine changes its speed between two measurements now and then */

/* `least`: how much of it must be seen. */
static void expect(const char *what, void (*messages)(void), double expected, double least)
{
    double without, with;
    int good, all = 0;
    for (int i = 0; i < TRIES && !all; i++) {
        known(0, 0);
        without = ahead(messages);
        known(ONE_WAY, BOTH_WAYS);
        with = ahead(messages);
        good = (with - without > least * expected && with - without < 1.3 * expected) ||
               without < -expected; /* MPICH's ranks, busy with data, hear late of what the other has posted: ours, too */
        PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    if (all) return;
    printf("%s: %.0f ns ahead of the clock each time, and %.0f when they are said to be early: not %.0f more\n", what, without, with,
           expected);
    wrong++;
}

int main(int argc, char **argv)
{
    int rank;
    data = calloc(4, BYTES);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
    other = 1 - rank;
    expect("Send, Recv", to_and_fro, -2 * ONE_WAY, 0.7);
    expect("Irecv, Isend, Waitall", one_each, -BOTH_WAYS, 0.7);
    expect("two of each", two_each, -2 * BOTH_WAYS, 0.25); /* one that came before the other was seen to is held to have waited less */
    expect("Sendrecv", at_once, -BOTH_WAYS, 0.7);
    expect("Startall", persistent, -BOTH_WAYS, 0.7);
    MPI_Finalize();
    free(data);
    if (rank == 0 && !wrong) puts("ok");
    return wrong != 0;
}
