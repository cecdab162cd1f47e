/* ------------------------------------------------------ merged (MPI impl) ---
   PERFCOMP_MPI_MERGE=1: at MPI_Finalize the profiles of all ranks go into one
   file, perfcomp.pfc, by MPI-IO, in place of the one file per rank. MPI-IO ends
   with MPI, so the profiles do so too, and say it. Until the file has its name
   every rank's own file stays: whatever fails, nothing is lost. */

#ifndef PERFCOMP_SMPI

/* This rank's part of it. */
typedef struct pfc__part_of_job { void *profile; pfc__collection_entry_t entry; pfc__u64 index; } pfc__part_of_job_t;

/* The worst of what the ranks have met: an errno, or 0. */
static PFC__QUIET int pfc__worst(int error)
{
    int worst = error;
    PMPI_Allreduce(&error, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static PFC__QUIET int pfc__merge_wanted(void)
{
    return pfc__mpi.rank == 0 && *pfc__profile_file_name() && pfc__switch("PERFCOMP_MPI_MERGE", 0);
}

/* Spawned processes are a job of their own, in the same folder: their one file would replace that of those who spawned them. */
static PFC__QUIET int pfc__is_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

/* Rank 0 decides: environments may differ. */
static PFC__QUIET void pfc__merge_agree(void)
{
    pfc__mpi.merges = pfc__merge_wanted() && !pfc__is_spawned();
    PMPI_Bcast(&pfc__mpi.merges, 1, MPI_INT, 0, pfc__mpi.comm);
}

/* At MPI_Finalize of a job that isn't followed. */
static PFC__QUIET void pfc__merge_refuse(void)
{
    if (pfc__merge_wanted())
        pfc__note("PERFCOMP_MPI_MERGE needs perfcomp_mpi.h on all ranks: each rank's profile stays in a file of its own");
}

/* Ends the profile, and finds its place in the file. 0, or an errno. */
static PFC__QUIET int pfc__part_take(pfc__part_of_job_t *part)
{
    pfc__u64 room, before = 0, all = 0;
    char name[sizeof part->entry.name];
    memset(part, 0, sizeof *part);
    part->profile = pfc__profile_finish(&part->entry.bytes);
    room = pfc__collection_room(part->entry.bytes);
    PMPI_Exscan(&room, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(&room, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    part->entry.at = PFC__COLLECTION_PAGE + (pfc__mpi.rank ? before : 0);
    part->index = PFC__COLLECTION_PAGE + all;
    if (!part->profile) return ENOMEM;
    snprintf(name, sizeof name, "perfcomp.%d.pfc", pfc__mpi.rank);
    pfc__collection_entry_seal(&part->entry, part->profile, name);
    return 0;
}

#ifndef PFC__WRITTEN_MOST         /* bytes in one call, which counts them by an int; tests make it less */
#define PFC__WRITTEN_MOST (1 << 30)
#endif

/* On all ranks alike, until each has written its own: of a large trace a profile has more than one call can write.
   0, or an errno. */
static PFC__QUIET int pfc__write_all(MPI_File file, pfc__u64 at, const char *bytes, pfc__u64 n)
{
    MPI_Status status;
    int error = 0, more = 1;
    while (!error && more) {
        const int part = n < PFC__WRITTEN_MOST ? (int)n : PFC__WRITTEN_MOST;
        int written = 0;
        error = PMPI_File_write_at_all(file, (MPI_Offset)at, bytes, part, MPI_BYTE, &status);
        if (!error) error = PMPI_Get_count(&status, MPI_BYTE, &written);
        error = pfc__worst(error || written != part ? EIO : 0);
        at += (pfc__u64)part;
        bytes += part;
        n -= (pfc__u64)part;
        more = pfc__worst(n != 0);
    }
    return error;
}

/* Profiles, index, and the header when all of them are there. */
static PFC__QUIET int pfc__parts_write(MPI_File file, const pfc__part_of_job_t *part)
{
    pfc__collection_t header = pfc__collection_of((pfc__u64)pfc__mpi.size, part->index);
    int error = pfc__write_all(file, part->entry.at, (const char *)part->profile, part->entry.bytes);
    if (!error) error = pfc__write_all(file, part->index + (pfc__u64)pfc__mpi.rank * sizeof part->entry, (const char *)&part->entry, sizeof part->entry);
    return error ? error : pfc__write_all(file, 0, (const char *)&header, pfc__mpi.rank ? 0 : sizeof header);
}

/* Into a file that is there and has its room. Where not every rank can open it, it isn't closed: that takes all. */
static PFC__QUIET int pfc__job_file_write(const char *path, const pfc__part_of_job_t *part)
{
    MPI_File file;
    int error;
    PMPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    error = pfc__worst(PMPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file) ? EIO : 0);
    if (error) return error;
    error = pfc__parts_write(file, part);
    return pfc__worst(PMPI_File_close(&file) && !error ? EIO : error);
}

static PFC__QUIET void pfc__job_merge(void)
{
    char path[PATH_MAX] = "";
    pfc__part_of_job_t part;
    int error;
    error = pfc__part_take(&part);
    if (!error && pfc__mpi.rank == 0) error = pfc__job_file_create(path, pfc__collection_of((pfc__u64)pfc__mpi.size, part.index).bytes);
    else if (!error && !pfc__fits_file_limit((size_t)part.index)) error = EFBIG;
    PMPI_Bcast(path, PATH_MAX, MPI_CHAR, 0, MPI_COMM_WORLD);
    error = pfc__worst(error);
    if (!error) error = pfc__job_file_write(path, &part);
    if (pfc__mpi.rank == 0) error = pfc__job_file_settle(error);
    if (!pfc__worst(error)) pfc__profile_remove();
    free(part.profile);
}

#else

/* Its MPI-IO writes no file. */
static PFC__QUIET void pfc__merge_agree(void)
{
    if (pfc__mpi.rank == 0 && pfc__switch("PERFCOMP_MPI_MERGE", 0))
        pfc__note("PERFCOMP_MPI_MERGE can't be done in a simulation: each rank's profile stays in a file of its own, and perfcomp merge makes one of them");
}

static PFC__QUIET void pfc__merge_refuse(void) { }

#endif
