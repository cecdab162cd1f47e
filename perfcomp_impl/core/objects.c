/* ------------------------------------------------------- objects (impl) ---
   Threads and barriers of the program, of which something is to be known when
   they are named again. The number or address of one that is gone may be
   another one's: the newer takes its place. */

#if defined PFC__THREADS_MEET

typedef struct pfc__object {
    struct pfc__object *next;
    pfc__uptr name;
    unsigned holders; /* the list, and who is just using it */
} pfc__object_t;

/* These four under the lock. */
static PFC__QUIET void pfc__object_release(pfc__object_t *o)
{
    if (!--o->holders) free(o);
}

static PFC__QUIET pfc__object_t **pfc__object_find(pfc__object_t **list, pfc__uptr name)
{
    while (*list && (*list)->name != name) list = &(*list)->next;
    return list;
}

static PFC__QUIET void pfc__object_unlist(pfc__object_t **at)
{
    pfc__object_t *o = *at;
    if (!o) return;
    *at = o->next;
    pfc__object_release(o);
}

/* By this name, from here on. NULL: there is nothing to be known of it. */
static PFC__QUIET void pfc__object_put(pfc__object_t **list, pfc__uptr name, pfc__object_t *o)
{
    pfc__object_unlist(pfc__object_find(list, name));
    if (!o) return;
    o->name = name;
    o->next = *list;
    *list = o;
}

static PFC__QUIET void pfc__object_list(pfc__object_t **list, pfc__uptr name, pfc__object_t *o)
{
    pfc__waits_enter();
    pfc__object_put(list, name, o);
    pfc__waits_leave();
}

/* For who is about to use it. NULL: nothing is known. */
static PFC__QUIET pfc__object_t *pfc__object_hold(pfc__object_t **list, pfc__uptr name)
{
    pfc__object_t *o;
    pfc__waits_enter();
    if ((o = *pfc__object_find(list, name)) != 0) o->holders++;
    pfc__waits_leave();
    return o;
}

/* It is used no more. */
static PFC__QUIET void pfc__object_leave(pfc__object_t *o)
{
    pfc__waits_enter();
    pfc__object_release(o);
    pfc__waits_leave();
}

/* And it is gone, whoever has its name now. */
static PFC__QUIET void pfc__object_drop(pfc__object_t **list, pfc__object_t *o)
{
    pfc__waits_enter();
    while (*list && *list != o) list = &(*list)->next;
    pfc__object_unlist(list);
    pfc__object_release(o);
    pfc__waits_leave();
}

#endif
