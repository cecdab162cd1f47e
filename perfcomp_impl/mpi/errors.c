/* ------------------------------------------------------- errors (MPI impl) ---
   An error handler of the program's may leave by longjmp, or by throwing. The
   library calls it amid a call of ours, which has still to find out what has
   failed, what of our own messages goes with it, and whose records end. So a
   handler that the program makes is called when the wrapper has done all that. */

#ifndef PERFCOMP_SMPI

typedef struct pfc__errhandler { pfc__by_handle_t entry; MPI_Comm_errhandler_function *users; } pfc__errhandler_t;
static pfc__handles_t pfc__errhandlers;

/* message: Open MPI's third argument, which stays where it is. */
typedef struct pfc__error { MPI_Comm_errhandler_function *users; MPI_Comm comm; int code; const void *message; } pfc__error_t;

enum { PFC__ERRORS_MOST = 4 }; /* of one call; more are told at once */
typedef struct pfc__errors { int n; pfc__error_t error[PFC__ERRORS_MOST]; } pfc__errors_t;
static PFC__TLS pfc__errors_t pfc__errors;
static int pfc__errors_untold; /* of all threads */

/* That it has now. NULL: it isn't one that we know. */
static PFC__COLD MPI_Comm_errhandler_function *pfc__errhandler_of(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    const pfc__errhandler_t *e;
    if (PMPI_Comm_get_errhandler(comm, &handler)) return 0;
    e = (const pfc__errhandler_t *)(const void *)pfc__handles_look(&pfc__errhandlers, PFC__KEY(handler));
    PMPI_Errhandler_free(&handler);
    return e ? e->users : 0;
}

static PFC__COLD void pfc__error_tell(pfc__error_t *e)
{
#ifdef OPEN_MPI
    e->users(&e->comm, &e->code, e->message, (void *)0);
#else
    e->users(&e->comm, &e->code, 0);
#endif
}

/* The library calls it. */
static void pfc__error_raised(MPI_Comm *comm, int *code, ...)
{
    pfc__error_t e;
    e.users = pfc__errhandler_of(*comm);
    e.comm = *comm;
    e.code = *code;
    e.message = 0;
#ifdef OPEN_MPI
    {
        va_list more;
        va_start(more, code);
        e.message = va_arg(more, const void *);
        va_end(more);
    }
#endif
    if (!e.users) return;
    if (!pfc__mpi.on || !pfc__is_amid(PFC__MPI_CALL) || pfc__errors.n == PFC__ERRORS_MOST) {
        pfc__error_tell(&e);
        return;
    }
    pfc__errors.error[pfc__errors.n++] = e;
    __atomic_fetch_add(&pfc__errors_untold, 1, __ATOMIC_RELAXED);
}

/* This thread's call has ended. The first one may be left for ever: of the others nobody hears then, as from the library. */
static PFC__COLD void pfc__errors_tell(void)
{
    pfc__errors_t told = pfc__errors;
    int i;
    pfc__errors.n = 0;
    __atomic_fetch_sub(&pfc__errors_untold, told.n, __ATOMIC_RELAXED);
    for (i = 0; i < told.n; i++) pfc__error_tell(&told.error[i]);
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *users, MPI_Errhandler *made)
{
    pfc__errhandler_t *e = pfc__mpi.on && users && made ? (pfc__errhandler_t *)malloc(sizeof *e) : 0;
    int error = PMPI_Comm_create_errhandler(e ? pfc__error_raised : users, made);
    if (!e) return error;
    e->users = users;
    if (error) free(e);
    else {
        free(pfc__handles_take(&pfc__errhandlers, PFC__KEY(*made))); /* of one that is no more */
        pfc__handles_keep(&pfc__errhandlers, PFC__KEY(*made), &e->entry);
    }
    return error;
}

#else
static const int pfc__errors_untold = 0;
static void pfc__errors_tell(void) { }
#endif
