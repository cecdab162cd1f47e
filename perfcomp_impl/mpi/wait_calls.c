/* -------------------------------------------------- wait calls (MPI impl) ---
   Wait*, Test*: what the library says is complete goes to completion's steps,
   and to the user. Where messages are held back, pick tells what is complete. */

/* As pick, of a call that only tests or waits for some; 0 where nothing is hidden. */
PFC__HOT int pfc__hides(pfc__completion_t *k, int waits) { return PFC__UNLIKELY(pfc__bound.on) ? pfc__held_pick(k, waits) : 0; }

static pfc__own_parts_t pfc__own_completion;

/* For few requests, what is done before the library's call is always as much; and what follows, until one has come. */
static PFC__QUIET void pfc__completion_begin(pfc__call_t *c, int n)
{
    if (n <= PFC__REQUESTS_ON_STACK) c->own = pfc__own_soon(&pfc__own_completion, c->tick_in);
    pfc__call_begin(c);
    c->end = c->begin;
}

/* It has completed nothing; if it only `asks`, something may come. */
static PFC__QUIET void pfc__completion_none(const pfc__completion_t *k, int asks)
{
    pfc__call_end(k->call);
    if (!asks) return;
    pfc__poll_in_vain(k->call);
    pfc__polls_asked(k->call, k->request, k->n);
}

static PFC__QUIET int pfc__wait_for(pfc__call_t *c, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    int error;
    pfc__completion_open(&k, c, 1, request);
    k.index[0] = 0;
    k.for_all = 1;
    pfc__completion_begin(c, 1);
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_await(1, request);
    error = PMPI_Wait(request, &k.status[0]);
    error = pfc__step_take_one(&k, error);
    pfc__completion_close(&k, error);
    if (status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    return error;
}

static PFC__QUIET int pfc__test(pfc__call_t *c, MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error = MPI_SUCCESS;
    pfc__completion_open(&k, c, 1, request);
    pfc__completion_begin(c, 1);
    if (pfc__hides(&k, 0)) pfc__held_show(&k), *flag = 0;
    else error = PMPI_Test(request, flag, &k.status[0]);
    k.index[0] = 0;
    if (*flag) error = pfc__step_take_one(&k, error);
    else pfc__completion_none(&k, !error);
    pfc__completion_close(&k, error);
    if (*flag && status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    return error;
}

/* Waitany; with a flag: Testany. A call that the library refuses tells no index. */
static PFC__QUIET int pfc__any(pfc__call_t *c, int n, MPI_Request *request, int *index, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error, done, at, hidden, none;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    do {
        hidden = pfc__hides(&k, !flag);
        at = -1;
        error = flag ? PMPI_Testany(n, request, &at, flag, &k.status[0]) : PMPI_Waitany(n, request, &at, &k.status[0]);
        none = hidden && !flag && !error && at == MPI_UNDEFINED;
        if (none) pfc__held_ignore_shown(&k);
        if (hidden) pfc__held_show(&k);
    } while (PFC__UNLIKELY(none));
    if (hidden && flag && at == MPI_UNDEFINED) *flag = 0;
    if (at != -1) *index = at;
    done = at != -1 && (!flag || *flag);
    k.index[0] = at;
    if (done && at != MPI_UNDEFINED) error = pfc__step_take_one(&k, error);
    else pfc__completion_none(&k, !done && !error);
    if (done && status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    pfc__completion_close(&k, error);
    return error;
}

/* Waitsome, Testsome */
static PFC__QUIET int pfc__some(pfc__call_t *c, int blocking, int n, MPI_Request *request, int *done, int *index, MPI_Status *status)
{
    pfc__completion_t k;
    int error, i, hidden, none;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    do {
        hidden = pfc__hides(&k, blocking);
        pfc__statuses_untold(k.status, n);
        error = blocking ? PMPI_Waitsome(n, request, done, index, k.status) : PMPI_Testsome(n, request, done, index, k.status);
        none = hidden && blocking && !error && *done == MPI_UNDEFINED;
        if (none) pfc__held_ignore_shown(&k);
        if (hidden) pfc__held_show(&k);
    } while (PFC__UNLIKELY(none));
    if (hidden && *done == MPI_UNDEFINED) *done = 0;
    if ((!error || error == MPI_ERR_IN_STATUS) && *done != MPI_UNDEFINED && *done > 0) {
        memcpy(k.index, index, (size_t)*done * sizeof *index);
        error = pfc__step_take(&k, *done, error);
        for (i = 0; status != MPI_STATUSES_IGNORE && i < *done; i++) pfc__status_tell(&status[i], &k.status[i]);
    } else pfc__completion_none(&k, !blocking && !error && *done == 0);
    pfc__completion_close(&k, error);
    return error;
}

/* The status of a request that isn't active, as a call tells it that completes several. */
static PFC__QUIET void pfc__status_empty(MPI_Status *status)
{
    MPI_Request none = MPI_REQUEST_NULL;
    PMPI_Waitall(1, &none, status);
}

/* How many of them are requests; the status of those that aren't is known at once. */
static PFC__QUIET int pfc__requests_there(int n, const MPI_Request *request, MPI_Status *status)
{
    int i, there = 0;
    for (i = 0; i < n; i++) {
        if (request[i] != MPI_REQUEST_NULL) there++;
        else if (status != MPI_STATUSES_IGNORE) pfc__status_empty(&status[i]);
    }
    return there;
}

/* A step of Waitall is done: the user's statuses, and what is left for the next ones. */
static PFC__QUIET void pfc__step_given(pfc__completion_t *k, int done, int error, MPI_Status *status)
{
    int i;
    for (i = 0; i < done; i++) {
        int at = k->index[i], own = error ? k->status[i].MPI_ERROR : MPI_SUCCESS;
        k->handle[at] = k->request[at];
        k->request[at] = MPI_REQUEST_NULL; /* to MPICH 4.0 an inactive persistent collective is complete */
        if (status == MPI_STATUSES_IGNORE) continue;
        status[at] = k->status[i];
        status[at].MPI_ERROR = own;
    }
}

/* The first, from the at-th on, that must be waited for in its turn, as Waitall does: k->n if none is left. */
static PFC__COLD int pfc__in_turn(const pfc__completion_t *k, int at)
{
    for (; at < k->n; at++) {
        const pfc__request_t *r = pfc__completion_record(k, at);
        if (r && r->in_turn) break;
    }
    return at;
}

/* Waits for some of Waitall's: as Waitsome. *at: where those begin that have their turn. */
static PFC__QUIET int pfc__wait_for_some(pfc__completion_t *k, int *at, int *done)
{
    int error;
    if (PFC__LIKELY(!__atomic_load_n(&pfc__requests_in_turn, __ATOMIC_RELAXED)) || (*at = pfc__in_turn(k, *at)) == k->n)
        return PMPI_Waitsome(k->n, k->request, done, k->index, k->status);
    k->index[0] = *at;
    error = PMPI_Wait(&k->request[*at], &k->status[0]);
    *done = 1;
    k->status[0].MPI_ERROR = error;
    return error ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

/* Of the `done` ones those are put off whose exchange is under way while others of Waitall's are: in the time that we waited for
   it, those come, and so it would be the program's. (Not a file's, whose status tells how much was moved.) Returns how many are left
   to be taken now. */
static PFC__QUIET int pfc__put_off(pfc__completion_t *k, int done, int *off)
{
    int i, n = 0;
    if (PFC__LIKELY(!__atomic_load_n(&pfc__requests_collect, __ATOMIC_RELAXED))) return done;
    for (i = 0; i < done; i++) {
        int at = k->index[i];
        pfc__request_t *r = pfc__completion_record(k, at);
        if (r && r->active && r->kind == PFC__COLLECTING && !r->in_turn && pfc__is_collecting(r)) {
            r->put_off = 1;
            k->request[at] = MPI_REQUEST_NULL;
            ++*off;
            continue;
        }
        k->index[n] = at;
        k->status[n++] = k->status[i];
    }
    return n;
}

/* Those again, when all others are complete: as the library left them. */
static PFC__QUIET int pfc__put_off_no_more(pfc__completion_t *k)
{
    int at, n = 0;
    for (at = 0; at < k->n; at++) {
        pfc__request_t *r = pfc__completion_record(k, at);
        if (!r || !r->put_off) continue;
        r->put_off = 0;
        if (r->persistent) k->request[at] = k->handle[at];
        pfc__status_empty(&k->status[n]);
        k->index[n++] = at;
    }
    return n;
}

/* What is complete of Waitall's since `begun`. Returns the error. */
static PFC__QUIET int pfc__take_some(pfc__completion_t *k, pfc__i64 begun, int done, int error, MPI_Status *status)
{
    k->call->end.ct = begun;
    error = pfc__step_take(k, done, error);
    pfc__step_given(k, done, error, status);
    return error;
}

/* Waitall, after its begin: step by step, what comes. `left`: how many requests there are. */
static PFC__QUIET int pfc__complete_all(pfc__completion_t *k, int left, MPI_Status *status)
{
    pfc__call_t *c = k->call;
    MPI_Request *request = k->request;
    pfc__i64 begun = c->end.ct;
    int error, result = MPI_SUCCESS, i, done, steps = 0, turn = 0, off = 0;
    k->for_all = 1;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_await(k->n, request);
    do {
        error = pfc__wait_for_some(k, &turn, &done);
        if ((error && error != MPI_ERR_IN_STATUS) || done == MPI_UNDEFINED || done <= 0) {
            if (error) result = error;
            break;
        }
        if (!error && done + off < left) done = pfc__put_off(k, done, &off);
        if (!done) continue;
        error = pfc__take_some(k, begun, done, error, status);
        if (error) result = error;
        steps++;
        begun = pfc__common_ns(pfc__clock()); /* since the step's end only we were at work */
    } while ((left -= done) > off);
    if (off) {
        done = pfc__put_off_no_more(k);
        error = pfc__take_some(k, begun, done, MPI_SUCCESS, status);
        if (error) result = error;
        left -= done;
        steps++;
    }
    for (i = 0; i < k->n && left && status != MPI_STATUSES_IGNORE; i++)
        if (request[i] != MPI_REQUEST_NULL) pfc__status_empty(&status[i]);
    if (k->n > 0) memcpy(request, k->handle, (size_t)k->n * sizeof *request);
    if (!steps) pfc__call_end(c);
    pfc__completion_close(k, result);
    return result;
}

/* The two of Sendrecv. */
static PFC__QUIET int pfc__complete_pair(pfc__call_t *c, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    pfc__completion_open(&k, c, 2, request); /* two have room */
    c->end = c->begin;
    return pfc__complete_all(&k, 2, status);
}

static PFC__QUIET int pfc__waitall(pfc__call_t *c, int n, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    int there;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    there = pfc__requests_there(n, request, status);
    pfc__completion_begin(c, n);
    return pfc__complete_all(&k, there, status);
}

/* Testall has failed, as MPICH does as soon as one of them has: those that are complete, with their statuses; the others'
   statuses are told now: of those that aren't complete, and, by MPICH from 4.2 on, of all: it keeps them to be asked for again.
   Returns how many there are. */
static PFC__COLD int pfc__testall_some(pfc__completion_t *k, MPI_Status *status)
{
    int i, done = 0;
    for (i = 0; i < k->n; i++) {
        pfc__request_t *r = pfc__completion_record(k, i);
        int complete = k->status[i].MPI_ERROR != MPI_ERR_PENDING, kept = k->request[i] != MPI_REQUEST_NULL && !(r && r->persistent);
        if (complete && !kept) {
            k->index[done] = i;
            k->status[done++] = k->status[i];
            continue;
        }
        if (complete && r && r->kind == PFC__RECEIVING && r->active) pfc__request_settle(r, &k->status[i], k->status[i].MPI_ERROR);
        if (status != MPI_STATUSES_IGNORE) pfc__status_tell(&status[i], &k->status[i]);
    }
    return done;
}

static PFC__QUIET int pfc__testall(pfc__call_t *c, int n, MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error = MPI_SUCCESS, done = 0, i;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    pfc__statuses_untold(k.status, n);
    if (pfc__hides(&k, 0)) pfc__held_show(&k), *flag = 0;
    else error = PMPI_Testall(n, request, flag, k.status);
    if (PFC__UNLIKELY(error == MPI_ERR_IN_STATUS)) done = pfc__testall_some(&k, status);
    else if (*flag && !error)
        for (; done < n; done++) k.index[done] = done;
    if (done > 0) {
        error = pfc__step_take(&k, done, error);
        for (i = 0; status != MPI_STATUSES_IGNORE && i < done; i++) pfc__status_tell(&status[k.index[i]], &k.status[i]);
    } else pfc__completion_none(&k, !*flag && !error);
    pfc__completion_close(&k, error);
    return error;
}
