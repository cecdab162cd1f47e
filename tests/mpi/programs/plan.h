/* Plans of random MPI programs that can't deadlock, for random.c: drawn from a seed, and then searched through all orders in which
   messages may come. Those that could wait for ever, or leave a message behind, are rejected. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define OWN static _Thread_local

enum { RANKS = 6, MESSAGES = 10, OPS = 72, MIDDLE = 3000, LONG = 30000, NONE = -1, NO_TAG = 3 };
enum { DUP, REVERSED, INTER, PARTED, KINDS }; /* of communicators; the last: of partitioned messages */
enum mode { STANDARD, BUFFERED, SYNCHRONOUS, READY };

enum kind {
    SEND, ISEND, RECEIVE, IRECEIVE,
    IMEET,              /* one rank's part in a nonblocking collective that all must have begun; one for each rank */
    WAIT_ALL,           /* for all that is open, but for what is cancelled or freed later */
    WAIT_ONE, TRY_ONE,  /* for any of what is open */
    WAIT_FOR, FREE, CANCEL,
    MEET,               /* all ranks, in a collective */
    LOOK, NULLS, WORK   /* that change nothing */
};

typedef struct op {
    enum kind kind;
    int rank;
    int message;         /* NONE: of a receive */
    enum mode mode;      /* of a send */
    int way;             /* which call */
    int comm, from, tag; /* of a receive: what it asks for */
    int of;              /* WAIT_FOR, FREE, CANCEL: which op; IMEET: the first rank's */
} op_t;

typedef struct message { int from, to, comm, tag, n; } message_t;

OWN struct { int ops, messages; op_t op[OPS]; message_t message[MESSAGES]; } plan;
static int size;

static int half(void) { return size / 2; }
static int is_send(const op_t *o) { return o->kind == SEND || o->kind == ISEND; }
static int is_receive(const op_t *o) { return o->kind == RECEIVE || o->kind == IRECEIVE; }
static int is_request(const op_t *o) { return o->kind == ISEND || o->kind == IRECEIVE || o->kind == IMEET; }

/* The op that cancels or frees it; 0: there is none. */
static int end_of(int i)
{
    int k;
    for (k = i + 1; k < plan.ops; k++)
        if ((plan.op[k].kind == CANCEL || plan.op[k].kind == FREE) && plan.op[k].of == i) return k;
    return 0;
}
static int is_awaited(int i, int by)
{
    return is_request(&plan.op[i]) && plan.op[i].rank == plan.op[by].rank && i < by && end_of(i) <= by;
}

static int accepts(const op_t *o, const message_t *m)
{
    return is_receive(o) && o->rank == m->to && o->comm == m->comm && (o->from == MPI_ANY_SOURCE || o->from == m->from) &&
           (o->tag == MPI_ANY_TAG || o->tag == m->tag);
}

/* Its rank's next op, from `at` on. */
static int next_op(int rank, int at)
{
    while (at < plan.ops && plan.op[at].rank != rank && plan.op[at].kind != MEET) at++;
    return at;
}

/* ---- whether it may deadlock */

typedef struct state {
    unsigned char at[RANKS];          /* place of each rank */
    unsigned char message[MESSAGES];  /* UNSENT … */
    unsigned char waits[MESSAGES];    /* whether its send, which may wait or not, does: UNDECIDED … */
    unsigned char op[OPS];            /* IDLE … */
    unsigned char here, order[MESSAGES]; /* messages that have come, and no receive has got */
} state_t;

enum { UNSENT, FLYING, HERE, TAKEN };
enum { UNDECIDED, RETURNS, WAITS };
enum { IDLE, OPEN, COMPLETE, ENDED };
enum { TABLE = 1 << 15, MOST = TABLE / 2 };

OWN state_t table[TABLE];
OWN char used[TABLE];
OWN int states;

static int place_of(const state_t *s, int rank) { return next_op(rank, s->at[rank]); }

static void complete(state_t *s, int i) { if (s->op[i] == OPEN) s->op[i] = COMPLETE; }

static int sender_of(int m)
{
    int i = 0;
    while (!is_send(&plan.op[i]) || plan.op[i].message != m) i++;
    return i;
}

static void take(state_t *s, int receive, int m)
{
    s->message[m] = TAKEN;
    complete(s, receive);
    complete(s, sender_of(m));
}

/* Whether all ranks meet between those ops. */
static int is_known_at(int receive, int send)
{
    int i;
    for (i = receive + 1; i < send; i++)
        if (plan.op[i].kind == MEET) return 1;
    return 0;
}

/* 0: it was sent by MPI_Rsend, and there may be no receive. */
static int arrive(state_t *s, int m)
{
    int i, send = sender_of(m), ready = plan.op[send].mode == READY;
    for (i = 0; i < plan.ops; i++)
        if (s->op[i] == OPEN && accepts(&plan.op[i], &plan.message[m])) {
            take(s, i, m);
            return !ready || is_known_at(i, send);
        }
    s->message[m] = HERE;
    s->order[s->here++] = (unsigned char)m;
    return !ready;
}

/* The first message of that sender that is here, and may be for that receive; NONE: there is none. */
static int here_of(const state_t *s, int receive, int from)
{
    int k;
    for (k = 0; k < s->here; k++) {
        const message_t *m = &plan.message[s->order[k]];
        if (m->from == from && accepts(&plan.op[receive], m)) return s->order[k];
    }
    return NONE;
}

static void get(state_t *s, int receive, int m)
{
    int k = 0;
    while (s->order[k] != m) k++;
    memmove(&s->order[k], &s->order[k + 1], (size_t)(s->here - k - 1));
    s->order[--s->here] = 0;
    s->op[receive] = OPEN;
    take(s, receive, m);
}

/* Whether another sender's message that it accepts may come before it is posted. */
static int another_may_come(const state_t *s, int receive, int from)
{
    int m, send;
    for (m = 0; m < plan.messages; m++) {
        if (s->message[m] > FLYING || plan.message[m].from == from || !accepts(&plan.op[receive], &plan.message[m])) continue;
        send = sender_of(m);
        if (plan.op[send].rank != plan.op[receive].rank || send < receive) return 1;
    }
    return 0;
}

/* 0: it is to be decided whose message it gets; of those of several senders, MPI may give it any. */
static int post(state_t *s, int i)
{
    int from, m, first = NONE;
    for (from = 0; from < size; from++) {
        if ((m = here_of(s, i, from)) == NONE) continue;
        if (first != NONE) return 0;
        first = m;
    }
    if (first != NONE && another_may_come(s, i, plan.message[first].from)) return 0;
    s->op[i] = OPEN;
    if (first != NONE) get(s, i, first);
    return 1;
}

/* 0: it is to be decided whether it waits. */
static int begin_send(state_t *s, int i)
{
    const op_t *o = &plan.op[i];
    int m = o->message, may_wait = (o->mode == STANDARD || o->mode == READY) && plan.message[m].n >= MIDDLE;
    if (may_wait && s->waits[m] == UNDECIDED) return 0;
    s->message[m] = FLYING;
    s->op[i] = o->mode == SYNCHRONOUS || s->waits[m] == WAITS ? OPEN : COMPLETE;
    s->waits[m] = UNDECIDED;
    return 1;
}

static void begin_meeting(state_t *s, int i)
{
    int first = plan.op[i].of, r;
    s->op[i] = OPEN;
    for (r = 0; r < size; r++) if (s->op[first + r] == IDLE) return;
    for (r = 0; r < size; r++) complete(s, first + r);
}

static int all_complete(const state_t *s, int by)
{
    int i;
    for (i = 0; i < by; i++)
        if (is_awaited(i, by) && s->op[i] < COMPLETE) return 0;
    return 1;
}

static int all_meet(state_t *s, int i)
{
    int r;
    for (r = 0; r < size; r++) if (place_of(s, r) != i) return 0;
    for (r = 0; r < size; r++) s->at[r] = (unsigned char)(i + 1);
    return 1;
}

/* A step of that rank that no other one can forestall. 0: there is none. */
static int advance(state_t *s, int rank)
{
    int i = place_of(s, rank), k;
    const op_t *o = &plan.op[i];
    if (i == plan.ops) return 0;
    switch (o->kind) {
    case SEND: case ISEND:
        if (s->op[i] == IDLE && !begin_send(s, i)) return 0;
        if (o->kind == SEND && s->op[i] != COMPLETE) return 0;
        break;
    case RECEIVE:
        if ((s->op[i] == IDLE && !post(s, i)) || s->op[i] != COMPLETE) return 0;
        break;
    case IRECEIVE:
        if (s->op[i] == IDLE && !post(s, i)) return 0;
        break;
    case IMEET: begin_meeting(s, i); break;
    case WAIT_ALL:
        if (!all_complete(s, i)) return 0;
        for (k = 0; k < i; k++) if (is_awaited(k, i)) s->op[k] = ENDED;
        break;
    case WAIT_FOR:
        if (s->op[o->of] < COMPLETE) return 0;
        s->op[o->of] = ENDED;
        break;
    case FREE: s->op[o->of] = ENDED; break;
    case MEET: return all_meet(s, i);
    case WAIT_ONE: case TRY_ONE: case CANCEL: return 0;
    default: break;
    }
    s->at[rank] = (unsigned char)(i + 1);
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

static int search(state_t s);

/* Messages of one sender come in their order. */
static int may_arrive(const state_t *s, int m)
{
    const message_t *a = &plan.message[m], *b;
    int i;
    if (s->message[m] != FLYING) return 0;
    for (i = 0; i < sender_of(m); i++) {
        if (!is_send(&plan.op[i]) || s->message[plan.op[i].message] != FLYING) continue;
        b = &plan.message[plan.op[i].message];
        if (a->from == b->from && a->to == b->to && a->comm == b->comm) return 0;
    }
    return 1;
}

static int search_arrivals(const state_t *s, int *choices)
{
    int m;
    for (m = 0; m < plan.messages; m++) {
        state_t next = *s;
        if (!may_arrive(s, m)) continue;
        ++*choices;
        if (!arrive(&next, m) || !search(next)) return 0;
    }
    return 1;
}

/* That of what is open, or nothing. */
static int search_completions(const state_t *s, int i, int *choices)
{
    const op_t *o = &plan.op[i];
    int k, active = 0;
    state_t next = *s;
    next.at[o->rank] = (unsigned char)(i + 1);
    for (k = 0; k < i; k++) {
        if (plan.op[k].rank != o->rank || !is_request(&plan.op[k])) continue;
        active += s->op[k] == OPEN || s->op[k] == COMPLETE;
        if (s->op[k] != COMPLETE) continue;
        next.op[k] = ENDED;
        ++*choices;
        if (!search(next)) return 0;
        next.op[k] = COMPLETE;
    }
    if (active && o->kind == WAIT_ONE) return 1;
    ++*choices;
    return search(next);
}

/* It gets one of several senders' messages. */
static int search_senders(const state_t *s, int i, int *choices)
{
    int from, m;
    for (from = 0; from < size; from++) {
        state_t next = *s;
        if ((m = here_of(s, i, from)) == NONE) continue;
        get(&next, i, m);
        ++*choices;
        if (!search(next)) return 0;
    }
    return 1;
}

/* What a rank may do in more than one way. */
static int search_rank(const state_t *s, int rank, int *choices)
{
    int i = place_of(s, rank);
    const op_t *o = &plan.op[i];
    state_t next = *s;
    if (i == plan.ops) return 1;
    if (o->kind == WAIT_ONE || o->kind == TRY_ONE) return search_completions(s, i, choices);
    if (o->kind == CANCEL) {
        if (next.op[o->of] < COMPLETE) next.op[o->of] = COMPLETE;
        next.at[rank] = (unsigned char)(i + 1);
        ++*choices;
        return search(next);
    }
    if (s->op[i] != IDLE) return 1;
    if (is_receive(o)) return search_senders(s, i, choices);
    if (!is_send(o)) return 1;
    ++*choices;
    for (next.waits[o->message] = RETURNS; next.waits[o->message] <= WAITS; next.waits[o->message]++)
        if (!search(next)) return 0;
    return 1;
}

static int is_at_end(const state_t *s)
{
    int r, m;
    for (r = 0; r < size; r++) if (place_of(s, r) < plan.ops) return 0;
    for (m = 0; m < plan.messages; m++) if (s->message[m] != TAKEN) return 0;
    return 1;
}

/* Whether all that may follow ends well. */
static int search(state_t s)
{
    int r, moved = 1, choices = 0;
    while (moved)
        for (moved = r = 0; r < size; r++) while (advance(&s, r)) moved = 1;
    if (visited(&s)) return 1;
    if (states > MOST || !search_arrivals(&s, &choices)) return 0;
    for (r = 0; r < size; r++) if (!search_rank(&s, r, &choices)) return 0;
    return choices || is_at_end(&s);
}

static int is_good(void)
{
    static const state_t start;
    memset(used, 0, sizeof used);
    states = 0;
    return search(start);
}

/* ---- drawn */

OWN unsigned long long drawn;

static int draw(int n)
{
    drawn = drawn * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((drawn >> 33) % (unsigned long long)n);
}
static int chance(int percent) { return draw(100) < percent; }

static op_t *insert(int place, enum kind kind, int rank)
{
    op_t *o = &plan.op[place];
    int i;
    for (i = 0; i < plan.ops; i++) plan.op[i].of += plan.op[i].of >= place;
    memmove(o + 1, o, (size_t)(plan.ops - place) * sizeof *o);
    plan.ops++;
    memset(o, 0, sizeof *o);
    o->kind = kind;
    o->rank = rank;
    o->message = o->of = NONE;
    o->way = draw(8);
    return o;
}
static int somewhere(void) { return draw(plan.ops + 1); }
static int behind(int place) { return place + 1 + draw(plan.ops - place); }

static void insert_send(int place, enum kind kind, int m, enum mode mode)
{
    op_t *o = insert(place, kind, plan.message[m].from);
    o->message = m;
    o->mode = plan.message[m].comm == PARTED ? STANDARD : mode;
}

static void insert_receive(int place, enum kind kind, const message_t *m, int wild)
{
    op_t *o = insert(place, kind, m->to);
    if (m->comm == PARTED) wild = 0;
    o->comm = m->comm;
    o->from = chance(wild) ? MPI_ANY_SOURCE : m->from;
    o->tag = chance(wild) ? MPI_ANY_TAG : m->tag;
}

static void insert_for(int of, enum kind kind) { insert(behind(of), kind, plan.op[of].rank)->of = of; }

static message_t some_message(int comm)
{
    static const int lengths[] = { 0, 1, 2, 100, MIDDLE, LONG };
    message_t m;
    int i;
    m.from = draw(size);
    m.to = chance(40) ? 0 : draw(size); /* who has several senders is of interest */
    m.comm = chance(70) ? comm : draw(KINDS);
    m.tag = draw(3);
    m.n = lengths[draw(6)];
    if (m.comm == INTER && (m.from < half()) == (m.to < half())) m.comm = DUP;
    if (m.comm == PARTED) m.n = MIDDLE;
    for (i = 0; i < plan.messages; i++) { /* empty ones are known by these only */
        const message_t *e = &plan.message[i];
        if (e->from == m.from && e->to == m.to && e->comm == m.comm && e->tag == m.tag && !m.n) m.n = 1;
    }
    return m;
}

/* A message, and a receive for it, by any calls. */
static void insert_pair(int m, int wild)
{
    int place = somewhere();
    enum kind send = chance(50) ? SEND : ISEND;
    insert_send(place, send, m, (enum mode)draw(3));
    if (chance(50)) insert_receive(somewhere(), IRECEIVE, &plan.message[m], wild);
    else insert_receive(behind(place), RECEIVE, &plan.message[m], wild);
}

/* The same, which is received by then. */
static void insert_ready(int m, int wild)
{
    int place = somewhere();
    insert_send(place, chance(50) ? SEND : ISEND, m, READY);
    insert(place, MEET, 0);
    insert_receive(place, IRECEIVE, &plan.message[m], wild);
}

/* Two messages, of which a rank sends one and receives the other by MPI_Sendrecv: see is_exchange(). */
static void insert_exchange(int m, int wild)
{
    message_t *a = &plan.message[m], *b = &plan.message[m + 1];
    int place = somewhere();
    b->to = a->from;
    b->comm = a->comm;
    if (b->comm == INTER && (b->from < half()) == (b->to < half())) b->from = a->to;
    if (!b->n || b->comm == PARTED) b->n = MIDDLE;
    insert(place, WAIT_FOR, a->from)->of = place;
    insert_receive(place, RECEIVE, b, wild);
    insert_send(place, ISEND, m, STANDARD);
    plan.op[place + 2].of = place;
    insert_receive(somewhere(), chance(50) ? RECEIVE : IRECEIVE, a, wild);
    insert_send(somewhere(), chance(50) ? SEND : ISEND, m + 1, (enum mode)draw(3));
}

static void insert_messages(int wild)
{
    int m, way;
    for (m = 0; m < plan.messages; m++) {
        way = draw(20);
        if (way == 0) insert_ready(m, wild);
        else if (way == 1 && m + 1 < plan.messages) insert_exchange(m++, wild);
        else insert_pair(m, wild);
    }
}

static void insert_cancelled(int comm)
{
    message_t m = some_message(comm);
    int place = somewhere();
    if (m.comm == PARTED) return;
    insert_receive(place, IRECEIVE, &m, 50);
    if (chance(70)) plan.op[place].tag = NO_TAG;
    insert_for(place, CANCEL);
}

static void insert_free(void)
{
    int i = draw(plan.ops);
    if (plan.op[i].kind == ISEND && !end_of(i) && plan.message[plan.op[i].message].comm != PARTED) insert_for(i, FREE);
}

static void insert_other(int comm)
{
    static const enum kind kinds[] = { WAIT_ALL, WAIT_ONE, WAIT_ONE, TRY_ONE, MEET, LOOK, NULLS, WORK, WORK };
    insert(somewhere(), kinds[draw(9)], chance(40) ? 0 : draw(size))->comm = comm == PARTED ? DUP : comm;
}

/* After all else, so that it is in the same order on all ranks. */
static void insert_imeet(void)
{
    int place = somewhere(), r, way = draw(8);
    if (place < plan.ops && plan.op[place].kind == IMEET) place = plan.op[place].of;
    for (r = 0; r < size; r++) insert(place + r, IMEET, r);
    for (r = 0; r < size; r++) plan.op[place + r].of = place, plan.op[place + r].way = way;
}

static void make(int messages, int wild, int comm)
{
    int i, r;
    memset(&plan, 0, sizeof plan);
    for (i = 0; i < messages; i++) {
        message_t m = some_message(comm);
        plan.message[plan.messages++] = m;
    }
    insert_messages(wild);
    for (i = draw(3); i; i--) insert_cancelled(comm);
    for (i = draw(3); i; i--) insert_free();
    for (i = draw(8); i; i--) insert_other(comm);
    for (i = chance(70) ? 0 : 1 + draw(2); i; i--) insert_imeet();
    for (r = 0; r < size; r++) insert(plan.ops, WAIT_ALL, r);
}

static void make_good(int seed)
{
    int messages, wild, comm, tried;
    drawn = (unsigned long long)seed * 2654435761u + 12345u;
    draw(2); draw(2);
    messages = 2 + draw(MESSAGES - 1);
    wild = draw(3) * 40 + 10;
    comm = draw(KINDS - 1);
    for (tried = 0;; tried++) {
        if (tried % 200 == 199 && messages > 1) messages--;
        make(messages, wild, comm);
        if (is_good()) return;
    }
}

/* ---- shown */

static const char *name_of(int v, char *text) { return sprintf(text, "%d", v), v < 0 ? "any" : text; }

static void show(void)
{
    static const char *const kinds[] = { "send", "isend", "receive", "ireceive", "imeet", "wait all", "wait one", "try one", "wait for",
                                         "free", "cancel", "meet", "look", "nulls", "work" };
    static const char *const modes[] = { "", " buffered", " synchronous", " ready" };
    int i;
    for (i = 0; i < plan.ops; i++) {
        const op_t *o = &plan.op[i];
        char a[16], b[16];
        printf("%2d  %*s%d %s", i, o->kind == MEET ? 0 : o->rank * 24, "", o->rank, kinds[o->kind]);
        if (is_send(o)) {
            const message_t *m = &plan.message[o->message];
            printf("%s m%d to %d comm %d tag %d n %d", modes[o->mode], o->message, m->to, m->comm, m->tag, m->n);
        } else if (is_receive(o)) printf(" from %s comm %d tag %s", name_of(o->from, a), o->comm, name_of(o->tag, b));
        else if (o->of != NONE) printf(" %d", o->of);
        printf(" way %d\n", o->way);
    }
}
