/* Random programs that can't deadlock, for PERFCOMP_MPI_ORDER=hold as well. Arguments: for how many seconds (3), the first seed (1), how
   many at most; and a number of ranks, to show the first one's plan instead.

   Each is a few messages and receives of some ranks, by calls of every kind, with wildcards, and what cancels, asks and meets between
   them. A search through all orders in which messages may come rejects what could wait for ever or leave one behind; the others must
   end, and what they get must be what MPI promises. Rank 0 prints "ok". */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 5, MESSAGES = 10, OPS = 64, SETS = 3, KINDS = 3, MIDDLE = 3000, LONG = 30000, ROOM = LONG + 8, NONE = -1, NO_TAG = 3 };
enum kind { SEND, ISEND, RECEIVE, IRECEIVE, WAIT_ALL, WAIT_ONE, TRY_ONE, CANCEL, SYNC, LOOK, NULLS, WORK };
enum { DUP, REVERSED, INTER };
enum { STANDARD, BUFFERED, SYNCHRONOUS, PERSISTENT };

typedef struct op {
    enum kind kind;
    int rank, message; /* NONE: of a receive */
    int way;           /* which call */
    int comm, from, tag; /* of a receive: what it asks for */
    int of;            /* CANCEL: which op */
} op_t;

typedef struct message { int from, to, comm, tag, n; } message_t;

static struct { int ops, messages; op_t op[OPS]; message_t message[MESSAGES]; } plan;

static int rank, size, wrong, seed;
static unsigned long long state_of_random;

static int draw(int n)
{
    state_of_random = state_of_random * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state_of_random >> 33) % (unsigned long long)n);
}
static int chance(int percent) { return draw(100) < percent; }
static int own_draw(int n) { static unsigned x; x = x * 1103515245u + 12345u; return (int)((x >> 16) % (unsigned)n); }

/* ---- whether a plan may deadlock */

enum { UNSENT, FLYING, HERE, TAKEN };
enum { IDLE, OPEN, COMPLETE, WAITED };

typedef struct state {
    unsigned char at[RANKS], message[MESSAGES], op[OPS], waits[MESSAGES], here, order[MESSAGES];
} state_t;

enum { TABLE = 1 << 15, MOST = TABLE / 2 };
static state_t table[TABLE];
static char used[TABLE];
static int states;

static int next_op(int of, int after)
{
    int i;
    for (i = after; i < plan.ops; i++)
        if (plan.op[i].rank == of || plan.op[i].kind == SYNC) return i;
    return plan.ops;
}
static int place_of(const state_t *s, int of) { return next_op(of, s->at[of]); }

static int accepts(const op_t *o, const message_t *m)
{
    return o->rank == m->to && o->comm == m->comm && (o->from == MPI_ANY_SOURCE || o->from == m->from) &&
           (o->tag == MPI_ANY_TAG || o->tag == m->tag);
}
static int sender_of(int m)
{
    int i;
    for (i = 0; i < plan.ops; i++)
        if (plan.op[i].kind <= ISEND && plan.op[i].message == m) return i;
    return NONE;
}
static void take(state_t *s, int receive, int m)
{
    s->message[m] = TAKEN;
    s->op[receive] = COMPLETE;
    if (s->op[sender_of(m)] == OPEN) s->op[sender_of(m)] = COMPLETE;
}
static void arrive(state_t *s, int m)
{
    int i;
    for (i = 0; i < plan.ops; i++) {
        const op_t *o = &plan.op[i];
        if ((o->kind == RECEIVE || o->kind == IRECEIVE) && s->op[i] == OPEN && accepts(o, &plan.message[m])) { take(s, i, m); return; }
    }
    s->message[m] = HERE;
    s->order[s->here++] = (unsigned char)m;
}
static void post(state_t *s, int i)
{
    int k;
    s->op[i] = OPEN;
    for (k = 0; k < s->here; k++) {
        int m = s->order[k];
        if (!accepts(&plan.op[i], &plan.message[m])) continue;
        memmove(&s->order[k], &s->order[k + 1], (size_t)(s->here - k - 1));
        s->order[--s->here] = 0;
        take(s, i, m);
        return;
    }
}
static int is_request(int i) { return plan.op[i].kind == ISEND || plan.op[i].kind == IRECEIVE; }
static int is_extra(int i) /* to be cancelled */
{
    int k;
    for (k = i + 1; k < plan.ops; k++)
        if (plan.op[k].kind == CANCEL && plan.op[k].of == i) return k;
    return 0;
}
static int is_awaited(int i, int by) { return is_request(i) && plan.op[i].rank == plan.op[by].rank && i < by && is_extra(i) <= by; }

static int all_complete(const state_t *s, int by)
{
    int i;
    for (i = 0; i < by; i++)
        if (is_awaited(i, by) && s->op[i] < COMPLETE) return 0;
    return 1;
}

/* A step of that rank that no other one can forestall. */
static int advance(state_t *s, int of)
{
    int i = place_of(s, of), k;
    const op_t *o = &plan.op[i];
    if (i == plan.ops) return 0;
    switch (o->kind) {
    case SEND: case ISEND:
        if (s->op[i] == IDLE) {
            if (o->way == STANDARD && plan.message[o->message].n >= MIDDLE && s->waits[o->message] == 0) return 0; /* to be decided */
            s->message[o->message] = FLYING;
            s->op[i] = o->way == SYNCHRONOUS || s->waits[o->message] == 2 ? OPEN : COMPLETE;
            s->waits[o->message] = 0;
        } else if (s->op[i] == OPEN) return 0;
        if (o->kind == ISEND || s->op[i] == COMPLETE) break;
        return 1;
    case RECEIVE:
        if (s->op[i] == OPEN) return 0;
        if (s->op[i] == IDLE) post(s, i);
        if (s->op[i] == COMPLETE) break;
        return 1;
    case IRECEIVE: post(s, i); break;
    case WAIT_ALL:
        if (!all_complete(s, i)) return 0;
        for (k = 0; k < i; k++) if (is_awaited(k, i)) s->op[k] = WAITED;
        break;
    case SYNC:
        for (k = 0; k < size; k++) if (place_of(s, k) != i) return 0;
        for (k = 0; k < size; k++) s->at[k] = (unsigned char)(i + 1);
        return 1;
    case WAIT_ONE: case TRY_ONE: case CANCEL: return 0;
    default: break;
    }
    s->at[of] = (unsigned char)(i + 1);
    return 1;
}

static int visited(const state_t *s)
{
    unsigned long long h = 1469598103934665603ull;
    size_t i;
    for (i = 0; i < sizeof *s; i++) h = (h ^ ((const unsigned char *)s)[i]) * 1099511628211ull;
    for (i = (size_t)(h >> 20) % TABLE; used[i]; i = (i + 1) % TABLE)
        if (!memcmp(&table[i], s, sizeof *s)) return 1;
    used[i] = 1;
    table[i] = *s;
    states++;
    return 0;
}

static int search(state_t s)
{
    int r, i, m, moved = 1, choices = 0, done = 1;
    while (moved)
        for (moved = r = 0; r < size; r++) while (advance(&s, r)) moved = 1;
    if (visited(&s)) return 1;
    if (states > MOST) return 0;
    for (m = 0; m < plan.messages; m++) {
        int first = s.message[m] == FLYING;
        for (i = 0; i < plan.ops && first; i++) { /* in the order of its sender */
            const op_t *o = &plan.op[i];
            const message_t *e;
            if (o->kind > ISEND) continue;
            if (o->message == m) break;
            e = &plan.message[o->message];
            if (e->from == plan.message[m].from && e->to == plan.message[m].to && e->comm == plan.message[m].comm &&
                s.message[o->message] == FLYING) first = 0;
        }
        if (first) {
            state_t next = s;
            arrive(&next, m);
            choices++;
            if (!search(next)) return 0;
        }
    }
    for (r = 0; r < size; r++) {
        const op_t *o = &plan.op[i = place_of(&s, r)];
        state_t next = s;
        if (i == plan.ops) continue;
        done = 0;
        if (o->kind == SEND || o->kind == ISEND) {
            if (s.op[i] != IDLE) continue;
            for (next.waits[o->message] = 1; next.waits[o->message] <= 2; next.waits[o->message]++)
                if (!search(next)) return 0;
            choices++;
        } else if (o->kind == CANCEL) {
            if (next.op[o->of] < COMPLETE) next.op[o->of] = COMPLETE;
            next.at[r] = (unsigned char)(i + 1);
            choices++;
            if (!search(next)) return 0;
        } else if (o->kind == WAIT_ONE || o->kind == TRY_ONE) {
            int k, active = 0;
            for (k = 0; k < i; k++) {
                if (plan.op[k].rank != r || !is_request(k)) continue;
                active += s.op[k] == OPEN || s.op[k] == COMPLETE;
                if (s.op[k] != COMPLETE) continue;
                next = s;
                next.op[k] = WAITED;
                next.at[r] = (unsigned char)(i + 1);
                choices++;
                if (!search(next)) return 0;
            }
            if (active && o->kind == WAIT_ONE) continue;
            next = s;
            next.at[r] = (unsigned char)(i + 1);
            choices++;
            if (!search(next)) return 0;
        }
    }
    if (choices) return 1;
    for (m = 0; m < plan.messages; m++) done &= s.message[m] == TAKEN;
    return done;
}

static int is_good(void)
{
    static const state_t start;
    memset(used, 0, sizeof used);
    states = 0;
    return search(start);
}

/* ---- plans */

static op_t *insert(int place, enum kind kind, int of, int message)
{
    op_t *o = &plan.op[place];
    int i;
    for (i = 0; i < plan.ops; i++)
        if (plan.op[i].kind == CANCEL && plan.op[i].of >= place) plan.op[i].of++;
    memmove(o + 1, o, (size_t)(plan.ops - place) * sizeof *o);
    plan.ops++;
    memset(o, 0, sizeof *o);
    o->kind = kind;
    o->rank = of;
    o->message = message;
    return o;
}

static int half(void) { return size / 2; }

static void ask(op_t *o, const message_t *m, int wild)
{
    o->comm = m->comm;
    o->from = chance(wild) ? MPI_ANY_SOURCE : m->from;
    o->tag = chance(wild) ? MPI_ANY_TAG : m->tag;
    o->way = draw(8);
}

static message_t some_message(int comms)
{
    static const int lengths[] = { 0, 1, 2, 100, MIDDLE, LONG };
    message_t m;
    int i;
    m.from = draw(size);
    m.to = chance(40) ? 0 : draw(size); /* who has several senders is of interest */
    m.comm = chance(70) ? comms : draw(KINDS);
    m.tag = draw(3);
    m.n = lengths[draw(6)];
    if (m.comm == INTER && (m.from < half()) == (m.to < half())) m.comm = DUP;
    for (i = 0; i < plan.messages; i++) { /* empty ones are known by these only */
        const message_t *e = &plan.message[i];
        if (e->from == m.from && e->to == m.to && e->comm == m.comm && e->tag == m.tag && !m.n) m.n = 1;
    }
    return m;
}

static void make(int messages, int wild, int comm)
{
    int i, r;
    memset(&plan, 0, sizeof plan);
    plan.messages = messages;
    for (i = 0; i < messages; i++) {
        message_t *m = &plan.message[i];
        int place = draw(plan.ops + 1);
        op_t *o;
        *m = some_message(comm);
        o = insert(place, chance(50) ? SEND : ISEND, m->from, i);
        o->way = draw(4);
        if (chance(50)) {
            o = insert(draw(plan.ops + 1), IRECEIVE, m->to, NONE);
            ask(o, m, wild);
        } else {
            o = insert(place + 1 + draw(plan.ops - place), RECEIVE, m->to, NONE);
            ask(o, m, wild);
        }
    }
    for (i = draw(3); i; i--) {
        message_t m = some_message(comm);
        int place = draw(plan.ops + 1), cancel;
        op_t *o = insert(place, IRECEIVE, m.to, NONE);
        ask(o, &m, 50);
        if (chance(70)) o->tag = NO_TAG;
        cancel = place + 1 + draw(plan.ops - place);
        insert(cancel, CANCEL, m.to, NONE)->of = place;
    }
    for (i = draw(8); i; i--) {
        static const enum kind kinds[] = { WAIT_ALL, WAIT_ONE, WAIT_ONE, TRY_ONE, SYNC, LOOK, NULLS, WORK, WORK };
        op_t *o = insert(draw(plan.ops + 1), kinds[draw(9)], chance(40) ? 0 : draw(size), NONE);
        o->way = draw(8);
        o->comm = comm;
    }
    for (r = 0; r < size; r++) insert(plan.ops, WAIT_ALL, r, NONE)->way = draw(8);
}

static void make_good(int of_seed)
{
    int messages, wild, comm, tried;
    state_of_random = (unsigned long long)of_seed * 2654435761u + 12345u;
    draw(2); draw(2);
    messages = 2 + draw(MESSAGES - 1);
    wild = draw(3) * 40 + 10;
    comm = draw(KINDS);
    for (tried = 0;; tried++) {
        if (tried % 200 == 199 && messages > 1) messages--;
        make(messages, wild, comm);
        if (is_good()) return;
    }
}

static const char *name_of(int v, char *text) { return sprintf(text, "%d", v), v < 0 ? "any" : text; }

static void show(void)
{
    static const char *const kinds[] = { "send", "isend", "receive", "ireceive", "wait all", "wait one", "try one", "cancel", "sync", "look",
                                         "nulls", "work" };
    int i;
    for (i = 0; i < plan.ops; i++) {
        const op_t *o = &plan.op[i];
        char a[16], b[16];
        printf("%2d  %*s%d %s", i, o->kind == SYNC ? 0 : o->rank * 24, "", o->rank, kinds[o->kind]);
        if (o->kind <= ISEND) {
            const message_t *m = &plan.message[o->message];
            printf(" way %d m%d to %d comm %d tag %d n %d", o->way, o->message, m->to, m->comm, m->tag, m->n);
        } else if (o->kind <= IRECEIVE) printf(" way %d from %s comm %d tag %s", o->way, name_of(o->from, a), o->comm, name_of(o->tag, b));
        else if (o->kind == CANCEL) printf(" %d", o->of);
        else printf(" way %d", o->way);
        printf("\n");
    }
}

/* ---- and their execution */

static MPI_Comm comms[SETS][KINDS];
static MPI_Datatype spread; /* an int with a gap behind it */
static MPI_Request request[OPS];
static int open_[OPS], got[OPS], place_now; /* got: the message; NONE */
static int *room[OPS], outbox[MESSAGES][ROOM];
static int set;

static void fail(const char *what, int is, int should)
{
    wrong++;
    printf("seed %d, rank %d, op %d: %s is %d instead of %d\n", seed, rank, place_now, what, is, should);
    fflush(stdout);
}
static void expect(const char *what, int is, int should) { if (is != should) fail(what, is, should); }

static int in_comm(int kind, int world)
{
    if (kind == REVERSED) return size - 1 - world;
    return kind == INTER && world >= half() ? world - half() : world;
}
static int peer(const op_t *o) { return o->from == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : in_comm(o->comm, o->from); }
static int gaps(const op_t *o) { return o->way & 1; } /* of a receive: whether its data are spread */

static int value(int m, int i) { return i ? seed * 31 + m * 1000 + i : m; }

static void check_receive(int i, const MPI_Status *s)
{
    const op_t *o = &plan.op[i];
    int m, k, n, cancelled, step = gaps(o) ? 2 : 1, *data = room[i];
    got[i] = NONE;
    MPI_Test_cancelled(s, &cancelled);
    if (cancelled) { if (!is_extra(i)) fail("cancelled", 1, 0); return; }
    MPI_Get_count(s, gaps(o) ? spread : MPI_INT, &n);
    for (m = 0; m < plan.messages; m++) {
        const message_t *e = &plan.message[m];
        int taken = 0;
        if (!accepts(o, e) || e->n != n || e->tag != s->MPI_TAG || in_comm(e->comm, e->from) != s->MPI_SOURCE) continue;
        for (k = 0; k < plan.ops; k++) taken |= got[k] == m;
        if (n ? data[0] == m : !taken) { got[i] = m; if (taken) fail("taken before", m, NONE); break; }
    }
    if (m == plan.messages) {
        printf("seed %d, rank %d, op %d: nobody sent that: source %d tag %d n %d, data %d\n", seed, rank, i, s->MPI_SOURCE, s->MPI_TAG, n, data[0]);
        wrong++;
        return;
    }
    for (k = 0; k < n && data[k * step] == value(m, k); k++) {}
    expect("first wrong one", k, n);
    for (; k < ROOM && data[k * step] == -7; k++) {}
    expect("first that was written to behind", k, ROOM);
    if (step == 2) for (k = 0; k < ROOM && data[k * 2 + 1] == -7; k++) {}
    if (step == 2) expect("first gap that was written to", k, ROOM);
}

/* A receive that gets one takes the earliest that it may have, but for what went to those before it. */
static void check_order(void)
{
    int i, a, b, k;
    for (i = 0; i < plan.ops; i++) {
        if (plan.op[i].rank != rank || got[i] == NONE || plan.op[i].kind > IRECEIVE) continue;
        for (a = 0; a < plan.ops; a++) { /* an earlier one of the same sender */
            int m = plan.op[a].message;
            if (plan.op[a].kind > ISEND) continue;
            if (m == got[i]) break;
            b = got[i];
            if (plan.message[m].from != plan.message[b].from || !accepts(&plan.op[i], &plan.message[m])) continue;
            for (k = 0; k < i && got[k] != m; k++) {}
            if (k == i) { place_now = i; fail("order: the message", b, m); }
        }
    }
}

static void completed(int i, const MPI_Status *s)
{
    if (!open_[i]) fail("completed twice", i, NONE);
    open_[i] = 0;
    if (plan.op[i].kind == IRECEIVE) check_receive(i, s);
    if (request[i] != MPI_REQUEST_NULL) MPI_Request_free(&request[i]); /* persistent */
}

static void send(int i)
{
    const op_t *o = &plan.op[i];
    const message_t *m = &plan.message[o->message];
    MPI_Comm c = comms[set][m->comm];
    int to = in_comm(m->comm, m->to), k, *data = outbox[o->message];
    for (k = 0; k < m->n; k++) data[k] = value(o->message, k);
    if (o->kind == SEND) {
        if (o->way == STANDARD || o->way == PERSISTENT) {
            if (o->way == PERSISTENT && m->n >= MIDDLE) MPI_Bsend(data, m->n, MPI_INT, to, m->tag, c);
            else MPI_Send(data, m->n, MPI_INT, to, m->tag, c);
        } else if (o->way == BUFFERED) MPI_Bsend(data, m->n, MPI_INT, to, m->tag, c);
        else MPI_Ssend(data, m->n, MPI_INT, to, m->tag, c);
        return;
    }
    open_[i] = 1;
    if (o->way == STANDARD) MPI_Isend(data, m->n, MPI_INT, to, m->tag, c, &request[i]);
    else if (o->way == BUFFERED) MPI_Ibsend(data, m->n, MPI_INT, to, m->tag, c, &request[i]);
    else if (o->way == SYNCHRONOUS) MPI_Issend(data, m->n, MPI_INT, to, m->tag, c, &request[i]);
    else {
        MPI_Bsend_init(data, m->n, MPI_INT, to, m->tag, c, &request[i]);
        MPI_Start(&request[i]);
    }
}

static void receive(int i)
{
    const op_t *o = &plan.op[i];
    MPI_Comm c = comms[set][o->comm];
    MPI_Datatype type = gaps(o) ? spread : MPI_INT;
    MPI_Message message;
    MPI_Status s, found;
    int from = peer(o), k, there = 0, *data, probed = 1, n;
    if (!room[i]) room[i] = malloc(2 * ROOM * sizeof(int));
    data = room[i];
    for (k = 0; k < 2 * ROOM; k++) data[k] = -7;
    if (o->kind == IRECEIVE) {
        open_[i] = 1;
        if (o->way < 5) MPI_Irecv(data, ROOM, type, from, o->tag, c, &request[i]);
        else {
            MPI_Recv_init(data, ROOM, type, from, o->tag, c, &request[i]);
            if (o->way == 5) MPI_Start(&request[i]); else MPI_Startall(1, &request[i]);
        }
        return;
    }
    switch (o->way) {
    case 2: MPI_Probe(from, o->tag, c, &found); break;
    case 3: while (!there) MPI_Iprobe(from, o->tag, c, &there, &found); break;
    case 4: MPI_Mprobe(from, o->tag, c, &message, &found); break;
    case 5: while (!there) MPI_Improbe(from, o->tag, c, &there, &message, &found); break;
    default: probed = 0;
    }
    switch (o->way) {
    case 2: case 3: MPI_Recv(data, ROOM, type, found.MPI_SOURCE, found.MPI_TAG, c, &s); break;
    case 4: MPI_Mrecv(data, ROOM, type, &message, &s); break;
    case 5: MPI_Imrecv(data, ROOM, type, &message, &request[i]); MPI_Wait(&request[i], &s); break;
    case 6: MPI_Sendrecv(&k, 1, MPI_INT, MPI_PROC_NULL, 0, data, ROOM, type, from, o->tag, c, &s); break;
    case 7: MPI_Irecv(data, ROOM, type, from, o->tag, c, &request[i]); MPI_Wait(&request[i], &s); break;
    default: MPI_Recv(data, ROOM, type, from, o->tag, c, &s);
    }
    if (probed) {
        int m;
        MPI_Get_count(&found, MPI_INT, &m);
        MPI_Get_count(&s, type, &n);
        expect("probed length", m, n);
        expect("probed source", found.MPI_SOURCE, s.MPI_SOURCE);
        expect("probed tag", found.MPI_TAG, s.MPI_TAG);
    }
    check_receive(i, &s);
}

/* Those of this rank that are open, in arrays for MPI. */
static int listed[OPS];
static MPI_Request array[OPS];
static MPI_Status statuses[OPS];
static int gather(int by, int extras)
{
    int i, n = 0;
    for (i = 0; i < by; i++) {
        if (!open_[i] || (!extras && !is_awaited(i, by))) continue;
        listed[n] = i;
        array[n++] = request[i];
    }
    return n;
}
static void one_of(int k, const MPI_Status *s)
{
    request[listed[k]] = array[k];
    completed(listed[k], s);
}

static void wait_all(int by, int way)
{
    int n, k, done, index[OPS];
    while ((n = gather(by, 0)) > 0) {
        switch (way) {
        case 0: MPI_Waitall(n, array, statuses); done = n; for (k = 0; k < n; k++) index[k] = k; break;
        case 1: MPI_Waitany(n, array, index, statuses); done = 1; break;
        case 2: MPI_Waitsome(n, array, &done, index, statuses); break;
        case 3: for (done = 0; !done;) MPI_Testall(n, array, &done, statuses); for (k = 0; k < n; k++) index[k] = k; done = n; break;
        case 4: for (done = 0; !done;) MPI_Testany(n, array, index, &done, statuses); break;
        case 5: for (done = 0; !done;) MPI_Testsome(n, array, &done, index, statuses); break;
        case 6: index[0] = own_draw(n); MPI_Wait(&array[index[0]], statuses); done = 1; break;
        default: index[0] = own_draw(n);
                 for (done = 0; !done;) MPI_Request_get_status(array[index[0]], &done, MPI_STATUS_IGNORE);
                 for (done = 0; !done;) MPI_Test(&array[index[0]], &done, statuses);
        }
        if (done < 1 || done > n) { fail("completed", done, n); return; }
        for (k = 0; k < done; k++) one_of(index[k], &statuses[k]);
    }
}

static void wait_one(int by, int way)
{
    int n = gather(by, 1), index = 0, done = 0;
    if (way & 1) MPI_Waitany(n, array, &index, statuses);
    else while (!done) MPI_Testany(n, array, &index, &done, statuses);
    if (index == MPI_UNDEFINED) { expect("active", n, 0); return; }
    one_of(index, &statuses[0]);
}

static void try_one(int by, int way)
{
    int n = gather(by, 1), index, done = 0;
    if (!n) return;
    if (way & 1) MPI_Testany(n, array, &index, &done, statuses);
    else { index = own_draw(n); MPI_Test(&array[index], &done, statuses); }
    if (done) one_of(index, &statuses[0]);
}

static void nulls(const op_t *o)
{
    MPI_Status s;
    MPI_Request two[2];
    int n = 1, x = -7;
    MPI_Comm c = comms[set][o->comm];
    switch (o->way & 3) {
    case 0: MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, c, &s); break;
    case 1: MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, c, &two[0]); MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, c, &two[1]);
            { MPI_Status t[2]; MPI_Waitall(2, two, t); s = t[0]; s.MPI_SOURCE = MPI_PROC_NULL; s.MPI_TAG = MPI_ANY_TAG; } break;
    case 2: MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, c, &s); break;
    default: MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, &x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, c, &s);
    }
    MPI_Get_count(&s, MPI_INT, &n);
    expect("count from nobody", n, 0);
    expect("source nobody", s.MPI_SOURCE, MPI_PROC_NULL);
    expect("tag from nobody", s.MPI_TAG, MPI_ANY_TAG);
    expect("data from nobody", x, -7);
}

static void meet(int i, int way)
{
    MPI_Comm c = comms[set][DUP];
    MPI_Request q;
    int mine = rank + i, sum = 0, all[RANKS] = { 0 };
    switch (way) {
    case 0: case 1: MPI_Barrier(c); break;
    case 2: MPI_Ibarrier(c, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); break;
    case 3: MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c); expect("sum", sum, size * (size - 1) / 2 + size * i); break;
    case 4: MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c, &q); for (mine = 0; !mine;) MPI_Test(&q, &mine, MPI_STATUS_IGNORE); break;
    case 5: MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, c); expect("last", all[size - 1], size - 1 + i); break;
    default: MPI_Barrier(comms[set][INTER]);
    }
}

static void work(int way) { if (way) usleep((unsigned)(way * 50)); }

static void run(void)
{
    int i, there;
    for (i = 0; i < plan.ops; i++) got[i] = NONE, open_[i] = 0, request[i] = MPI_REQUEST_NULL;
    for (i = 0; i < plan.ops; i++) {
        const op_t *o = &plan.op[i];
        MPI_Status s;
        if (o->rank != rank && o->kind != SYNC) continue;
        place_now = i;
        switch (o->kind) {
        case SEND: case ISEND: send(i); break;
        case RECEIVE: case IRECEIVE: receive(i); break;
        case WAIT_ALL: wait_all(i, o->way); break;
        case WAIT_ONE: wait_one(i, o->way); break;
        case TRY_ONE: try_one(i, o->way); break;
        case CANCEL: if (open_[o->of]) MPI_Cancel(&request[o->of]); break;
        case SYNC: meet(i, o->way); break;
        case LOOK: MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[set][o->comm], &there, &s); break;
        case NULLS: nulls(o); break;
        default: work(o->way);
        }
    }
    check_order();
}

static void hangs(int signal)
{
    char text[200];
    int n = snprintf(text, sizeof text, "seed %d, rank %d hangs at op %d\n", seed, rank, place_now);
    (void)signal;
    if (write(1, text, (size_t)n)) {}
    sleep(1);
    _exit(1);
}

static void between(int way)
{
    MPI_Comm c = comms[draw(SETS)][draw(2)];
    int root = draw(size), r, n = draw(3) * 100 + 1, data[RANKS * 201], all[RANKS * 201], i;
    MPI_Request q;
    MPI_Comm_rank(c, &r);
    place_now = 100 + way;
    for (i = 0; i < RANKS * 201; i++) data[i] = r + i, all[i] = -7;
    switch (way) {
    case 0: MPI_Bcast(data, n, MPI_INT, root, c); expect("broadcast", data[n - 1], root + n - 1); break;
    case 1: MPI_Reduce(data, all, n, MPI_INT, MPI_MAX, root, c); if (r == root) expect("reduced", all[n - 1], size - 1 + n - 1); break;
    case 2: MPI_Gather(data, n, MPI_INT, all, n, MPI_INT, root, c); if (r == root) expect("gathered", all[size * n - 1], size - 1 + n - 1); break;
    case 3: MPI_Scan(data, all, n, MPI_INT, MPI_SUM, c); expect("scanned", all[0], r * (r + 1) / 2); break;
    case 4: MPI_Alltoall(data, n, MPI_INT, all, n, MPI_INT, c); expect("exchanged", all[(size - 1) * n], size - 1 + r * n); break;
    case 5: MPI_Ibcast(data, n, MPI_INT, root, c, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); expect("ibroadcast", data[n - 1], root + n - 1); break;
    case 6: MPI_Scatter(data, n, MPI_INT, all, n, MPI_INT, root, c); expect("scattered", all[0], root + r * n); break;
    case 7: { MPI_Comm d; MPI_Comm_dup(c, &d); MPI_Comm_free(&d); break; }
    default: break;
    }
}

static void make_comms(void)
{
    MPI_Comm halves;
    int i, upper = rank >= half();
    for (i = 0; i < SETS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i][DUP]);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[i][REVERSED]);
        MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &halves);
        MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, upper ? 0 : half(), 5, &comms[i][INTER]);
        MPI_Comm_free(&halves);
    }
}

int main(int argc, char **argv)
{
    static char buffer[8 << 20];
    double limit = argc > 1 ? atof(argv[1]) : 3, start;
    int first = argc > 2 ? atoi(argv[2]) : 1, most = argc > 3 ? atoi(argv[3]) : 100000, ends = 0;
    if (argc > 4) {
        size = atoi(argv[4]);
        make_good(first);
        show();
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    make_comms();
    signal(SIGALRM, hangs);
    start = MPI_Wtime();
    for (seed = first; !ends && seed < first + most; seed++) { /* a set of communicators has one program at a time */
        int late = MPI_Wtime() - start > limit;
        alarm(50);
        make_good(seed);
        set = seed % SETS;
        run();
        if (chance(30)) between(draw(8));
        if (set == SETS - 1) MPI_Allreduce(&late, &ends, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d programs\n%s\n", seed - first, wrong ? "wrong" : "ok");
    MPI_Finalize();
    return wrong > 0;
}
