/* ------------------------------------------------------------ collection ---
   The profiles of a job in one file, as `perfcomp merge` and PERFCOMP_MPI_MERGE
   make it: this header, the profiles byte by byte, each at a multiple of
   PFC__COLLECTION_PAGE, and behind them the index, one entry a profile. A file
   that is shorter than its header says was cut off; header and entries have
   checksums of their own, and an entry has one of its profile. */

#define PFC__COLLECTION_MAGIC "PFCMERGE"
#define PFC__COLLECTION_MAJOR 1 /* as in a profile: a reader refuses another one, … */
#define PFC__COLLECTION_MINOR 0 /* … and accepts any: fields are only appended */
#define PFC__COLLECTION_PAGE 4096u

typedef struct pfc__collection {
    char magic[8];
    pfc__u32 byte_order;
    pfc__u32 major, minor;
    pfc__u32 entry_bytes;    /* sizeof(pfc__collection_entry_t) of the writer */
    pfc__u64 profiles;
    pfc__u64 index;          /* where it begins */
    pfc__u64 bytes;          /* of the file */
    pfc__u64 checksum;       /* of the fields above */
} pfc__collection_t;

typedef struct pfc__collection_entry {
    pfc__u64 at, bytes;      /* of the profile */
    pfc__u64 checksum;       /* of all of these bytes */
    char name[64];           /* its file's, without folders; of several that have it, the second's is perfcomp.0.pfc.2 */
    pfc__u64 entry_checksum; /* of the fields above */
} pfc__collection_entry_t;

PFC__EXTERN_C_BEGIN
/* How many profiles a file holds: as many as were merged into it; of any other file that can be read 1, and whether that is a
   profile pfc_profile_open_one finds out; 0: refused, and `why` says why. */
size_t pfc_profiles_in(const char *file, char *why, size_t why_bytes);
/* One of them, counted from 0; of a profile that was never merged, 0. */
pfc_profile_t *pfc_profile_open_one(const char *file, size_t index, char *why, size_t why_bytes);
/* Writes these profiles, one at least, into one file. 0: it can't be done, and `why` says why. */
int pfc_profiles_write(const char *file, const pfc_profile_t *const *profiles, size_t n, char *why, size_t why_bytes);

/* For perfcomp_mpi.h, which writes the same with MPI-IO. Room that a profile takes; the header of so many
   whose index begins there; the entry of one, whose place is filled in already. */
PFC__COLD pfc__u64 pfc__collection_room(pfc__u64 bytes);
PFC__COLD pfc__collection_t pfc__collection_of(pfc__u64 profiles, pfc__u64 index);
PFC__COLD void pfc__collection_entry_seal(pfc__collection_entry_t *entry, const void *profile, const char *name);
PFC__EXTERN_C_END
