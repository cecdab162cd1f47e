/* --------------------------------------------------- handed on (MPI impl) ---
   Nonblocking collectives: what ranks give goes from rank to rank, and one that
   is to hand it on, but computes since it has begun, does so when it is back in
   the library. Which ranks hand on to which, is the library's choice; most have
   partners a power of two away. These tell one another of their absences, as
   partners in long messages do (away), and the clock shows whose a call has
   waited for. */

enum {
    PFC__CIRCLE = 2 * 31,
    PFC__CIRCLE_WHOLE = 5,            /* of so many ranks each is a power of two away from each other one */
    PFC__HANDING_PATIENCE = 50000,    /* ns: libraries hand on within some us; */
    PFC__HANDING_CROWDED = 1000000    /* where all tell of their absences, a rank that takes longer may wait for a processor */
};

/* Neighbours give to each other without; a file's data aren't handed on, and in virtual time data move by themselves. */
static PFC__QUIET int pfc__request_is_handed_on(const pfc__request_t *r)
{
    return r->kind == PFC__COLLECTING && r->rule != PFC__RULE_NEIGHBOUR && !r->in_turn && !PFC__ONE_PROGRAM;
}

/* It begins, or (`on` 0) is over. */
static PFC__QUIET void pfc__circle_turn(pfc__request_t *r, int on)
{
    int i;
    if (r->circle_on == on) return;
    r->circle_on = on;
    for (i = 0; i < r->circled; i++) {
        pfc__partner_t *p = r->circle[i];
        if (on) pfc__partner_begins(p->world);
        else pfc__partner_ends(&p);
    }
}

/* When that began by which a step of a call, from `begin` to `end`, had all that had begun at `start`: with the last rank to begin, or
   to be back and to hand on. Another may have been the last undisturbed, which ± has. */
static PFC__QUIET pfc__moment_t pfc__handed_on(const pfc__request_t *r, pfc__moment_t start, pfc__i64 begin, pfc__i64 end)
{
    pfc__moment_t last = start;
    pfc__i64 most = start.lt;
    int i;
    if (r->circled) pfc__absences_drain();
    for (i = 0; i < r->circled; i++) {
        const pfc__partner_t *p = r->circle[i];
        pfc__moment_t heard = pfc__heard_amid(&p->away, start, pfc__sent_on(start, p->world));
        if (heard.ct > end) continue; /* not from this one */
        if (heard.ct > last.ct) last = heard;
        most = pfc__max(most, heard.lt + heard.u);
    }
    if (last.ct <= begin) last = start; /* it waited for nobody who shows that it was needed */
    last.u = pfc__max(last.u, most - last.lt);
    return last;
}
