/* ---------------------------------------------------- launcher (MPI impl) ---
   Which ranks of the job have the layer? A rank without it takes part in
   nothing of ours, but its MPI_Init leaves addresses with the launcher and
   waits there for all ranks, as every rank's does. So a word that is left with
   the launcher before PMPI_Init can be read by everybody after it, and a word
   that isn't there then never will be: no messages, no patience, no doubt.

   Open MPI's launchers speak PMIx; MPICH's Hydra reads PMI-1's lines from a
   descriptor that it has given us. Both take a second client of one process. */

#if !defined PERFCOMP_SMPI && defined OPEN_MPI

typedef struct pfc__pmix_process { char space[256]; pfc__u32 rank; } pfc__pmix_process_t;
typedef struct pfc__pmix_value { /* no smaller than PMIx's own */
    unsigned short type;
    union { int number; unsigned char yes; pfc__i64 room[8]; } data;
} pfc__pmix_value_t;
typedef struct pfc__pmix_info { char key[512]; pfc__u32 flags; pfc__pmix_value_t value; } pfc__pmix_info_t;

enum { PFC__PMIX_BOOL = 1, PFC__PMIX_INT = 6, PFC__PMIX_GLOBAL = 3 };

static struct {
    int joined;
    int apart;    /* Open MPI is to find PMIx as if nobody had joined: see pfc__launcher_join */
    pid_t told;   /* the process that has left its word then */
    int succeeds; /* this one is ending, with a status of 0 */
    pfc__pmix_process_t self;
    int (*init)(pfc__pmix_process_t *, void *, size_t);
    int (*put)(unsigned char, const char *, pfc__pmix_value_t *);
    int (*commit)(void);
    int (*get)(const pfc__pmix_process_t *, const char *, const pfc__pmix_info_t *, size_t, pfc__pmix_value_t **);
    int (*abort)(int, const char *, const pfc__pmix_process_t *, size_t);
    int (*finalize)(const void *, size_t);
} pfc__pmix;

static PFC__QUIET int pfc__pmix_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != 0;
}

/* The PMIx library that Open MPI will use: where it isn't loaded yet, the
   system's, when it is as old as the launcher's. A second one would be taken
   for another process. */
static PFC__QUIET void *pfc__pmix_library(void)
{
    const char *(*version)(void), *launchers = pfc__environment("PMIX_VERSION");
    void *library = dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD);
    if (library) return library;
    if (!launchers || !(library = dlopen("libpmix.so.2", RTLD_LAZY))) return 0;
    if (pfc__pmix_find(library, "PMIx_Get_version", &version) && strstr(version(), launchers)) return library;
    dlclose(library);
    return 0;
}

/* To the launcher, who has left PMIx once may end when it likes, though others wait for it. Without us it would have found that the
   process ended with success, but without MPI_Finalize, and have ended the job: now we say so. */
static PFC__QUIET void pfc__ends_with(int status, void *unused) { (void)unused, pfc__pmix.succeeds = status == 0; }

static PFC__QUIET void pfc__launcher_told_apart(void)
{
#ifdef __GLIBC__
    if (!on_exit(pfc__ends_with, 0)) pfc__pmix.told = getpid();
#endif
}

static PFC__QUIET void pfc__launcher_unended(void)
{
    static const char why[] = "it has ended without MPI_Finalize";
    int ended = 1;
    if (!pfc__pmix.succeeds || pfc__pmix.told != getpid()) return; /* a child's end isn't the rank's */
    PMPI_Finalized(&ended);
    if (!ended) pfc__pmix.abort(1, why, 0, 0);
}

static PFC__QUIET void pfc__pmix_join(void)
{
    void *library;
    if (!pfc__environment("PMIX_NAMESPACE") || !pfc__environment("PMIX_RANK") || !(library = pfc__pmix_library())) return;
    pfc__pmix.joined = pfc__pmix_find(library, "PMIx_Init", &pfc__pmix.init) && pfc__pmix_find(library, "PMIx_Put", &pfc__pmix.put) &&
                       pfc__pmix_find(library, "PMIx_Commit", &pfc__pmix.commit) && pfc__pmix_find(library, "PMIx_Get", &pfc__pmix.get) &&
                       pfc__pmix_find(library, "PMIx_Abort", &pfc__pmix.abort) &&
                       pfc__pmix_find(library, "PMIx_Finalize", &pfc__pmix.finalize) && !pfc__pmix.init(&pfc__pmix.self, 0, 0);
}

/* PMIx counts who has joined. */
static PFC__QUIET void pfc__launcher_leave(void)
{
    if (pfc__pmix.joined) pfc__pmix.finalize(0, 0);
    pfc__pmix.joined = 0;
}

/* Before PMPI_Init, which then finds it done: its time isn't ours. But Open MPI 5 doesn't join where somebody has, and then
   doesn't know who it is (ompi_rte_init, as of 5.0.9). */
static PFC__QUIET void pfc__launcher_join(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int n = 0, major = 0;
    PMPI_Get_library_version(library, &n);
    pfc__pmix.apart = sscanf(library, "Open MPI v%d", &major) != 1 || major >= 5;
    if (!pfc__pmix.apart) pfc__pmix_join();
}

/* Before PMPI_Init. 0: the launcher can't be asked. The word stays when who has left it leaves. */
static PFC__QUIET int pfc__launcher_tell(void)
{
    pfc__pmix_value_t here;
    int told;
    memset(&here, 0, sizeof here);
    here.type = PFC__PMIX_INT;
    here.data.number = 1;
    if (pfc__pmix.apart) pfc__pmix_join();
    told = pfc__pmix.joined && !pfc__pmix.put(PFC__PMIX_GLOBAL, "perfcomp_mpi", &here) && !pfc__pmix.commit();
    if (!pfc__pmix.apart) return told;
    pfc__launcher_leave();
    if (told) pfc__launcher_told_apart();
    return told;
}

/* After PMPI_Init. */
static PFC__QUIET int pfc__launcher_knows(int rank)
{
    pfc__pmix_process_t process;
    pfc__pmix_value_t *there = 0;
    pfc__pmix_info_t at_once;
    int found;
    if (!pfc__pmix.joined) pfc__pmix_join();
    memset(&at_once, 0, sizeof at_once);
    strcpy(at_once.key, "pmix.immediate"); /* what isn't there isn't waited for */
    at_once.value.type = PFC__PMIX_BOOL;
    at_once.value.data.yes = 1;
    process = pfc__pmix.self;
    process.rank = (pfc__u32)rank;
    found = pfc__pmix.joined && !pfc__pmix.get(&process, "perfcomp_mpi", &at_once, 1, &there) && there != 0;
    free(there);
    return found;
}

#elif !defined PERFCOMP_SMPI && defined MPICH_VERSION && !defined I_MPI_VERSION

enum { PFC__HYDRA_LINE = 1024, PFC__HYDRA_PATIENCE_MS = 30000 };

static struct { int fd; char space[256]; } pfc__hydra;

/* No byte more than a line: what follows is MPICH's. 0: it didn't come in time. */
static PFC__QUIET int pfc__hydra_line(char answer[PFC__HYDRA_LINE])
{
    struct pollfd ready = { pfc__hydra.fd, POLLIN, 0 };
    size_t n;
    for (n = 0; n < PFC__HYDRA_LINE; n++) {
        if (poll(&ready, 1, PFC__HYDRA_PATIENCE_MS) <= 0 || read(pfc__hydra.fd, answer + n, 1) != 1) return 0;
        if (answer[n] != '\n') continue;
        answer[n] = 0;
        return 1;
    }
    return 0;
}

/* One line there, one line back, whatever signals come: MPICH would take half an exchange for one of its own. 0: not in time,
   or not the answer that was expected. */
static PFC__QUIET int pfc__hydra_ask(const char *question, const char *expected, char answer[PFC__HYDRA_LINE])
{
    const size_t length = strlen(question);
    sigset_t all, held;
    int came;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &held);
    came = write(pfc__hydra.fd, question, length) == (ssize_t)length && pfc__hydra_line(answer);
    pthread_sigmask(SIG_SETMASK, &held, 0);
    return came && !strncmp(answer, expected, strlen(expected));
}

static PFC__QUIET void pfc__launcher_join(void) { } /* to Hydra it's a line */

/* Before PMPI_Init. 0: the launcher can't be asked. */
static PFC__QUIET int pfc__launcher_tell(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", line[PFC__HYDRA_LINE], answer[PFC__HYDRA_LINE];
    const char *fd = pfc__environment("PMI_FD"), *rank = pfc__environment("PMI_RANK"), *space;
    int n = 0;
    if (!fd || !rank || !pfc__environment("HYDI_CONTROL_FD")) return 0; /* not Hydra */
    PMPI_Get_library_version(library, &n);
    if (strstr(library, "pmi2")) return 0; /* MPICH will speak PMI-2: the first to speak decides on the language */
    pfc__hydra.fd = atoi(fd);
    if (!pfc__hydra_ask("cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init", answer) || !strstr(answer, "rc=0"))
        return 0;
    if (!pfc__hydra_ask("cmd=get_my_kvsname\n", "cmd=my_kvsname", answer) || !(space = strstr(answer, "kvsname="))) return 0;
    space += strlen("kvsname=");
    snprintf(pfc__hydra.space, sizeof pfc__hydra.space, "%.*s", (int)strcspn(space, " "), space);
    snprintf(line, sizeof line, "cmd=put kvsname=%s key=perfcomp_mpi.%d value=1\n", pfc__hydra.space, atoi(rank));
    return pfc__hydra_ask(line, "cmd=put_result", answer) && strstr(answer, "rc=0");
}

/* After PMPI_Init. */
static PFC__QUIET int pfc__launcher_knows(int rank)
{
    char line[PFC__HYDRA_LINE], answer[PFC__HYDRA_LINE];
    snprintf(line, sizeof line, "cmd=get kvsname=%s key=perfcomp_mpi.%d\n", pfc__hydra.space, rank);
    return pfc__hydra_ask(line, "cmd=get_result", answer) && strstr(answer, "rc=0");
}

static PFC__QUIET void pfc__launcher_leave(void) { pfc__hydra.fd = -1; }
static PFC__QUIET void pfc__launcher_unended(void) { }

#else

static PFC__QUIET void pfc__launcher_join(void) { }
static PFC__QUIET int pfc__launcher_tell(void) { return 0; }
static PFC__QUIET int pfc__launcher_knows(int rank) { return rank < 0; }
static PFC__QUIET void pfc__launcher_leave(void) { }
#ifndef PERFCOMP_SMPI
static PFC__QUIET void pfc__launcher_unended(void) { }
#endif

#endif
