/* Sets of ranks that have none in common, whose communicators have the same numbers in the library, make windows at the same
   time: each set has its own records of who had locked what. */
#define PERFCOMP_IMPLEMENTATION
#define PERFCOMP_MPI_IMPLEMENTATION
#include "perfcomp_mpi.h"

#include <mpi.h>
#include <stdio.h>

enum { TURNS = 300, UNUSED = PFC__WINS_SHARING - 1 };

static int rank, wrong;

/* Each says who it is, and reads what the others of its half have said. */
static void look(const pfc__wins_shared_t *s)
{
    const int64_t half = rank % 2;
    int i;
    if (s->locks == MPI_WIN_NULL) {
        wrong++;
        return;
    }
    s->unlocked[UNUSED].usual_wait = half;
    PMPI_Win_sync(s->locks);
    PMPI_Barrier(s->comm);
    for (i = 0; i < s->size; i++) {
        pfc__unlocked_t there;
        pfc__lock_ask(s, UNUSED, i, &there);
        wrong += there.usual_wait != half;
    }
    PMPI_Barrier(s->comm);
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_Win window;
    int *part, turn, all_wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (turn = 0; turn < TURNS; turn++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Win_allocate_shared(sizeof *part, sizeof *part, MPI_INFO_NULL, half, &part, &window);
        look(pfc__win_of(window)->shared);
        MPI_Win_free(&window);
        MPI_Comm_free(&half);
    }
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf(all_wrong ? "%d times the other half's\n" : "ok\n", all_wrong);
    MPI_Finalize();
    return 0;
}
