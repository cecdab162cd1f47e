/* ----------------------------------------------------- Fortran (MPI impl) ---
   MPICH's Fortran binding calls MPI_Send and the others: it is covered by
   itself. Open MPI's calls PMPI_Send, past us; so that a job with Fortran parts
   is known for one (agreement.c), its beginning and its end come by here. Weak:
   a program may have such names of its own. */

#if defined OPEN_MPI && !defined PERFCOMP_SMPI

#define PFC__FORTRAN(name, parameters, call) \
    void name parameters __attribute__((weak)); \
    void name parameters \
    { \
        int result = call; \
        if (error) *error = result; \
    }

PFC__FORTRAN(mpi_init_, (MPI_Fint *error), MPI_Init(0, 0))
PFC__FORTRAN(mpi_init__, (MPI_Fint *error), MPI_Init(0, 0))
PFC__FORTRAN(ompi_init_f, (MPI_Fint *error), MPI_Init(0, 0))
PFC__FORTRAN(mpi_init_thread_, (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error),
             MPI_Init_thread(0, 0, *required, provided))
PFC__FORTRAN(mpi_init_thread__, (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error),
             MPI_Init_thread(0, 0, *required, provided))
PFC__FORTRAN(ompi_init_thread_f, (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error),
             MPI_Init_thread(0, 0, *required, provided))
PFC__FORTRAN(mpi_finalize_, (MPI_Fint *error), MPI_Finalize())
PFC__FORTRAN(mpi_finalize__, (MPI_Fint *error), MPI_Finalize())
PFC__FORTRAN(ompi_finalize_f, (MPI_Fint *error), MPI_Finalize())

#endif
