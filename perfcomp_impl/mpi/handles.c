/* ----------------------------------------------------- handles (MPI impl) ---
   A table from MPI handles (integers or pointers, by library) to what we know
   of them. Several entries may have one handle, and the newest is found first:
   libraries give all requests that were complete at once the same one, and any
   of its entries will do. */

typedef struct pfc__by_handle {
    struct pfc__by_handle *next; /* in its bucket */
    pfc__uptr key;
} pfc__by_handle_t;

typedef struct pfc__table_of_handles {
    pfc__by_handle_t **bucket;
    size_t buckets, entries; /* buckets: a power of two, or 0 */
    pfc__by_handle_t *all;   /* the one chain, where there was no memory for any bucket */
} pfc__handles_t;

#define PFC__KEY(handle) pfc__key(&(handle), sizeof(handle))

PFC__HOT pfc__uptr pfc__key(const void *handle, size_t bytes)
{
    pfc__uptr key = 0;
    memcpy(&key, handle, bytes < sizeof key ? bytes : sizeof key);
    return key;
}

/* The chain that one with this key is in. */
PFC__HOT pfc__by_handle_t **pfc__bucket(pfc__handles_t *t, pfc__uptr key)
{
    size_t hash = (size_t)(((pfc__u64)key * 0x9e3779b97f4a7c15u) >> 32);
    return PFC__LIKELY(t->buckets != 0) ? &t->bucket[hash & (t->buckets - 1)] : &t->all;
}

/* To go through all: chain i of buckets + 1. */
static PFC__QUIET pfc__by_handle_t *pfc__handles_chain(const pfc__handles_t *t, size_t i)
{
    return i < t->buckets ? t->bucket[i] : t->all;
}

static PFC__QUIET void pfc__handles_grow(pfc__handles_t *t)
{
    size_t i, more = t->buckets ? 2 * t->buckets : 64, old = t->buckets ? t->buckets : 1;
    pfc__by_handle_t **from = t->buckets ? t->bucket : &t->all, **to = (pfc__by_handle_t **)calloc(more, sizeof *to);
    if (!to) return; /* longer chains */
    t->bucket = to;
    t->buckets = more;
    for (i = 0; i < old; i++) {
        pfc__by_handle_t *e, *turned = 0; /* and turned again on its way, so that the newest stays in front */
        while ((e = from[i]) != 0) from[i] = e->next, e->next = turned, turned = e;
        while ((e = turned) != 0) {
            turned = e->next;
            e->next = *pfc__bucket(t, e->key);
            *pfc__bucket(t, e->key) = e;
        }
    }
    if (from != &t->all) free(from);
}

static PFC__QUIET void pfc__handles_put(pfc__handles_t *t, pfc__uptr key, pfc__by_handle_t *e)
{
    pfc__by_handle_t **at;
    if (t->entries >= t->buckets) pfc__handles_grow(t);
    at = pfc__bucket(t, key);
    e->key = key;
    e->next = *at;
    *at = e;
    t->entries++;
}

PFC__HOT pfc__by_handle_t *pfc__handles_find(pfc__handles_t *t, pfc__uptr key)
{
    pfc__by_handle_t *e = *pfc__bucket(t, key);
    while (e && e->key != key) e = e->next;
    return e;
}

static PFC__QUIET void pfc__handles_remove(pfc__handles_t *t, pfc__by_handle_t *entry)
{
    pfc__by_handle_t **at = pfc__bucket(t, entry->key);
    while (*at && *at != entry) at = &(*at)->next;
    if (!*at) return;
    *at = entry->next;
    t->entries--;
}

/* ---- with the lock taken for this alone */

static PFC__QUIET void pfc__handles_keep(pfc__handles_t *t, pfc__uptr key, pfc__by_handle_t *e)
{
    pfc__mpi_lock();
    pfc__handles_put(t, key, e);
    pfc__mpi_unlock();
}

static PFC__QUIET pfc__by_handle_t *pfc__handles_look(pfc__handles_t *t, pfc__uptr key)
{
    pfc__by_handle_t *e;
    pfc__mpi_lock();
    e = pfc__handles_find(t, key);
    pfc__mpi_unlock();
    return e;
}

/* Out of the table, before another thread can be given the same handle. NULL: it wasn't there. */
static PFC__QUIET pfc__by_handle_t *pfc__handles_take(pfc__handles_t *t, pfc__uptr key)
{
    pfc__by_handle_t *e;
    pfc__mpi_lock();
    e = pfc__handles_find(t, key);
    if (e) pfc__handles_remove(t, e);
    pfc__mpi_unlock();
    return e;
}
