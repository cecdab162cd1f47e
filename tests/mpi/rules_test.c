/* The rules against a reference that replays the law event by event: random
   programs run twice, undisturbed (the truth) and with overhead; from what can
   be observed in the disturbed run the rules must give the truth back. */
#include <stdint.h>
#include <stdlib.h>

#include "../../perfcomp_impl/core/config.h"
#include "../../perfcomp_impl/core/moments.h"
#include "../../perfcomp_impl/mpi/rules.h"
#include "../../perfcomp_impl/mpi/ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 8, OPEN = 64, STEPS = 400 };

static uint64_t seed;

static pfc__i64 uniform(pfc__i64 low, pfc__i64 high) /* both inclusive */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (pfc__i64)((seed >> 33) % (uint64_t)(high - low + 1));
}

/* How wrong the observations are: bounds, 0 everywhere: none. */
typedef struct faults { pfc__i64 clock, cost, transfer, charge; } faults_t;

/* 1: short programs of small numbers, whose observations are as wrong as they may be, or not at all: of each term of an
   uncertainty it shows whether it is there. */
static int small;

static pfc__i64 length_of(pfc__i64 most) { return uniform(0, small ? 10 : most); }
static pfc__i64 wrong_by(pfc__i64 most) { return small ? uniform(-1, 1) * most : uniform(-most, most); }
static pfc__i64 bound(pfc__i64 most) { return small ? uniform(0, 3) * uniform(0, 1) : uniform(0, most); }

typedef struct rank {
    pfc__i64 truth;   /* the undisturbed program's time here */
    pfc__i64 ct;      /* the disturbed program's, on a perfect clock */
    pfc__i64 offset;  /* this rank's clock − the perfect clock */
    pfc__i64 delta, u;
    pfc__i64 tau;     /* Δ by TAU's rule */
} rank_t;

typedef struct message {
    int from, to, waits;               /* waits: rendezvous */
    pfc__i64 truth_start, ct_start, length, tau;
    pfc__moment_t start;               /* what the piggyback tells */
    pfc__moment_t sent;                /* waits: what the sender knows without the post */
} message_t;

static rank_t rank[RANKS];
static message_t open_message[OPEN];
static int ranks, opened, posts_get_lost;
static faults_t fault;

static pfc__moment_t now(const rank_t *r)
{
    pfc__moment_t m;
    m.ct = r->ct + r->offset;
    m.lt = m.ct - r->delta;
    m.u = r->u;
    m.clock = fault.clock;
    return m;
}

static void check_at(const char *what, pfc__i64 lt, pfc__i64 u, pfc__i64 truth)
{
    if (llabs(lt - truth) > u) fail_msg("%s: LT %lld ± %lld, truth %lld", what, (long long)lt, (long long)u, (long long)truth);
}

static void check(const rank_t *r) { check_at("rank", r->ct - r->delta, r->u, r->truth); }

static void begin(pfc__u64 run, int exact)
{
    static const faults_t most = { 700, 40, 900, 30 };
    int i;
    seed = run * 2654435761u + 1;
    ranks = (int)uniform(2, RANKS);
    opened = 0;
    fault.clock = exact ? 0 : bound(most.clock);
    fault.cost = exact ? 0 : bound(most.cost);
    fault.transfer = exact ? 0 : bound(most.transfer);
    fault.charge = exact ? 0 : bound(most.charge);
    memset(rank, 0, sizeof rank);
    for (i = 0; i < ranks; i++) rank[i].offset = wrong_by(fault.clock);
}

static void compute(rank_t *r)
{
    pfc__i64 work = length_of(20000), overhead = uniform(0, 3) ? length_of(30000) : 0;
    pfc__i64 charged = overhead + wrong_by(fault.charge);
    r->truth += work;
    r->ct += work + overhead;
    r->delta += charged;
    r->tau += charged;
    r->u += fault.charge;
}

/* Rank r calls something that depends on `start`, travels `length`, and itself takes `cost`. */
static void complete(rank_t *r, pfc__moment_t start, pfc__i64 tau, pfc__i64 truth_start, pfc__i64 ct_start, pfc__i64 length)
{
    pfc__i64 cost = length_of(500), ct_begin = r->ct;
    pfc__transfer_t believed_cost = { cost + wrong_by(fault.cost), fault.cost };
    pfc__transfer_t believed = { length + wrong_by(fault.transfer), fault.transfer };
    pfc__moment_t begin_at = now(r), arrival, end;
    pfc__wait_t wait;
    r->truth = pfc__max(r->truth, truth_start + length) + cost;
    r->ct = pfc__max(r->ct, ct_start + length) + cost;
    wait = pfc__wait_on(start, begin_at, pfc__wait_of(begin_at, r->ct + r->offset, believed_cost), believed);
    arrival = pfc__arrival(start, begin_at, wait, believed);
    if (!wait.ns) check_at("arrival", arrival.lt - r->offset, arrival.u, truth_start + length);
    end = pfc__end_of_call(begin_at, r->ct + r->offset, wait, arrival);
    r->delta = end.ct - end.lt;
    r->u = end.u;
    r->tau = pfc__min(r->tau + r->ct - ct_begin - cost, tau);
    check(r);
}

/* A send of r's that waits, from `begin` on, of whose receiver nothing is known. */
static void complete_alone(rank_t *r, pfc__moment_t start, pfc__i64 truth_start, pfc__i64 ct_start, pfc__i64 length)
{
    pfc__transfer_t none = { 0, 0 };
    pfc__moment_t begin_at = now(r), end;
    pfc__wait_t wait;
    r->truth = pfc__max(r->truth, truth_start + length);
    r->ct = pfc__max(r->ct, ct_start + length);
    wait = pfc__wait_on(start, begin_at, pfc__wait_of(begin_at, r->ct + r->offset, none), none);
    end = pfc__end_of_call(begin_at, r->ct + r->offset, wait, pfc__arrival(start, begin_at, wait, none));
    end = pfc__post_unknown(begin_at, end, none, 0);
    r->delta = end.ct - end.lt;
    r->u = end.u;
    check(r);
}

static void start_message(int waits)
{
    message_t *m = &open_message[opened++];
    rank_t *s, *d;
    m->from = (int)uniform(0, ranks - 1);
    m->to = (m->from + (int)uniform(1, ranks - 1)) % ranks;
    m->waits = waits;
    m->length = 1 + length_of(5000);
    s = &rank[m->from];
    d = &rank[m->to];
    m->start = m->sent = now(s);
    m->tau = s->tau;
    m->truth_start = s->truth;
    m->ct_start = s->ct;
    if (!waits) return;
    m->start = pfc__latest_moment(pfc__latest_merge(pfc__latest_of(now(s)), pfc__latest_of(now(d)))); /* R4: the post travels back */
    m->truth_start = pfc__max(s->truth, d->truth);
    m->ct_start = pfc__max(s->ct, d->ct);
}

static void end_message(int i)
{
    message_t m = open_message[i];
    open_message[i] = open_message[--opened];
    complete(&rank[m.to], m.start, m.tau, m.truth_start, m.ct_start, m.length);
    if (m.waits && posts_get_lost && uniform(0, 1)) complete_alone(&rank[m.from], m.sent, m.truth_start, m.ct_start, m.length);
    else if (m.waits) complete(&rank[m.from], m.start, rank[m.from].tau, m.truth_start, m.ct_start, m.length);
}

/* Every rank in `from` (a set) hands on to every rank in `to`. */
static void collective(unsigned from, unsigned to)
{
    rank_t before[RANKS];
    pfc__i64 length = 1 + length_of(3000);
    int i, j;
    memcpy(before, rank, sizeof before);
    for (i = 0; i < ranks; i++) {
        pfc__latest_t latest = pfc__latest_none();
        pfc__i64 truth = PFC__NEVER, ct = PFC__NEVER, tau = -PFC__NEVER;
        if (!(to >> i & 1)) continue;
        for (j = 0; j < ranks; j++) {
            if (!(from >> j & 1)) continue;
            latest = pfc__latest_merge(latest, pfc__latest_of(now(&before[j])));
            truth = pfc__max(truth, before[j].truth);
            ct = pfc__max(ct, before[j].ct);
            tau = pfc__min(tau, before[j].tau);
        }
        if (!pfc__latest_is_none(latest)) complete(&rank[i], pfc__latest_moment(latest), tau, truth, ct, length);
    }
}

/* All hand on to all, in steps: each ends at a time of its own. Returns by how much one end for all would be off. */
static pfc__i64 collective_in_steps(void)
{
    pfc__i64 truth[RANKS], ct[RANKS], before_truth[RANKS], before_ct[RANKS], tau = -PFC__NEVER, length = 1 + length_of(3000), flat = 0;
    pfc__moment_t way[RANKS], before[RANKS];
    pfc__latest_t latest = pfc__latest_none();
    int i, distance;
    for (i = 0; i < ranks; i++) {
        truth[i] = rank[i].truth;
        ct[i] = rank[i].ct;
        way[i] = pfc__passed_first(now(&rank[i]));
        latest = pfc__latest_merge(latest, pfc__latest_of(now(&rank[i])));
        tau = pfc__min(tau, rank[i].tau);
    }
    for (distance = 1; distance < ranks; distance *= 2) {
        memcpy(before_truth, truth, sizeof truth);
        memcpy(before_ct, ct, sizeof ct);
        memcpy(before, way, sizeof way);
        for (i = 0; i < ranks; i++) {
            pfc__transfer_t believed = { length + wrong_by(fault.transfer), fault.transfer };
            int from = (i - distance + ranks) % ranks;
            truth[i] = pfc__max(truth[i], before_truth[from] + length);
            ct[i] = pfc__max(ct[i], before_ct[from] + length);
            way[i] = pfc__passed_on(way[i], before[from], believed);
        }
    }
    for (i = 0; i < ranks; i++) {
        flat = pfc__max(flat, llabs(ct[i] - (latest.ct - latest.lt) - truth[i]));
        complete(&rank[i], pfc__passed_moment(latest, way[i]), tau, truth[i], ct[i], 0);
    }
    return flat;
}

static void step(void)
{
    unsigned all = (1u << ranks) - 1, one = 1u << uniform(0, ranks - 1), some = (unsigned)uniform(1, all);
    pfc__i64 choice = uniform(0, 99);
    if (choice < 40) compute(&rank[uniform(0, ranks - 1)]);
    else if (choice < 60 && opened < OPEN) start_message(0);
    else if (choice < 70 && opened < OPEN) start_message(1);
    else if (choice < 90) { if (opened) end_message((int)uniform(0, opened - 1)); }
    else if (choice < 91) collective(all, all);            /* R6 */
    else if (choice < 92) collective_in_steps();
    else if (choice < 94) collective(one, all & ~one);     /* R7 */
    else if (choice < 96) collective(all & ~one, one);     /* R8 */
    else if (choice < 98) collective(one - 1, one);        /* R9, for one of the ranks */
    else collective(some, some);                           /* R10, R12 */
}

static void gives_the_truth_back(void **state)
{
    int run, i;
    (void)state;
    for (run = 0; run < 4000; run++) {
        begin((pfc__u64)run, 1);
        for (i = 0; i < STEPS; i++) step();
        for (i = 0; i < ranks; i++) {
            assert_int_equal(rank[i].ct - rank[i].delta, rank[i].truth);
            assert_int_equal(rank[i].u, 0);
        }
    }
}

static void truth_is_within_the_uncertainty(void **state)
{
    int run, i;
    (void)state;
    for (run = 0; run < 4000; run++) {
        begin((pfc__u64)run, 0);
        for (i = 0; i < STEPS; i++) step(); /* each completion checks */
        for (i = 0; i < ranks; i++) check(&rank[i]);
    }
}

static void where_all_that_can_be_wrong_is(void **state)
{
    int run, i;
    (void)state;
    small = 1;
    for (run = 0; run < 100000; run++) {
        begin((pfc__u64)run, 0);
        for (i = 0; i < 12; i++) step();
    }
    small = 0;
}

static void without_posts_too(void **state)
{
    posts_get_lost = 1;
    truth_is_within_the_uncertainty(state);
    where_all_that_can_be_wrong_is(state);
    posts_get_lost = 0;
}

/* Sends that nobody tells of and that wait for nothing, of a rank with a delay. */
static void doubts_about_one_delay_do_not_add_up(void **state)
{
    pfc__i64 delta;
    int i;
    (void)state;
    begin(1, 1);
    rank[0].ct = delta = rank[0].delta = 5000;
    for (i = 0; i < 1000; i++) complete_alone(&rank[0], now(&rank[0]), rank[0].truth, rank[0].ct, 0);
    assert_int_equal(rank[0].u, delta);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void taus_rule_leaves_perturbation_in(void **state)
{
    static double error[1000];
    int run, i;
    (void)state;
    for (run = 0; run < 1000; run++) {
        begin((pfc__u64)run, 1);
        for (i = 0; i < STEPS; i++) step();
        error[run] = 0;
        for (i = 0; i < ranks; i++) {
            double e = (double)llabs(rank[i].ct - rank[i].tau - rank[i].truth) / (double)(rank[i].truth + 1);
            if (e > error[run]) error[run] = e;
        }
    }
    qsort(error, 1000, sizeof *error, by_size);
    print_message("random programs, worst rank: TAU's rule off by %.0f %% (median), %.0f %% (worst); the law: 0\n",
                  100 * error[500], 100 * error[999]);
    assert_true(error[500] > 0.1);
}

static void one_end_for_all_is_not_what_steps_give(void **state)
{
    pfc__i64 flat = 0;
    int run, i;
    (void)state;
    for (run = 0; run < 1000; run++) {
        begin((pfc__u64)run, 1);
        for (i = 0; i < ranks; i++) compute(&rank[i]);
        flat = pfc__max(flat, collective_in_steps()); /* checks that by steps nothing is off */
    }
    assert_true(flat > 3000); /* a step's length at most, more than once */
}

/* Two ranks, by hand. */
static pfc__moment_t at(pfc__i64 ct, pfc__i64 delta)
{
    pfc__moment_t m = { ct, ct - delta, 0, 0 };
    return m;
}

static pfc__i64 delta_after(pfc__moment_t start, pfc__moment_t call, pfc__i64 end_ct, pfc__i64 length)
{
    pfc__transfer_t no_cost = { 0, 0 }, transfer = { length, 0 };
    pfc__wait_t wait = pfc__wait_on(start, call, pfc__wait_of(call, end_ct, no_cost), transfer);
    pfc__moment_t end = pfc__end_of_call(call, end_ct, wait, pfc__arrival(start, call, wait, transfer));
    return end.ct - end.lt;
}

static void rules_by_hand(void **state)
{
    (void)state;
    /* R1: waited 100; the sender's delay, or one's own and the wait */
    assert_int_equal(delta_after(at(80, 30), at(0, 0), 100, 20), 30);
    assert_int_equal(delta_after(at(80, 300), at(0, 10), 100, 20), 110);
    /* R2a: the message lay there, and its sender was the more delayed one */
    assert_int_equal(delta_after(at(0, 50), at(1000, 20), 1000, 20), 20);
    /* R2b: the receiver is delayed by 400, the message would still have been there before it: TAU gives 0 */
    assert_int_equal(delta_after(at(0, 0), at(1000, 400), 1000, 20), 400);
    /* R2b: undisturbed, the receiver would have come at 600 and waited until 820 */
    assert_int_equal(delta_after(at(800, 0), at(1000, 400), 1000, 20), 180);
    /* slow by 100, but the message had come 980 before: nothing was waited for; R1 would give 0 */
    assert_int_equal(delta_after(at(0, 0), at(1000, 400), 1100, 20), 400);
    /* longer than the message is late: it waited */
    assert_int_equal(delta_after(at(900, 0), at(1000, 400), 1500, 20), 0);
}

/* It lasted 100 longer than it takes, and its message, L = 20, was there 980 before it by the clocks: it was slow, unless
   they, or L, are as far off as that. */
static pfc__wait_t slow_call(pfc__i64 start_clock, pfc__i64 begin_clock, pfc__i64 transfer_u)
{
    pfc__moment_t start = { 0, 0, 0, start_clock }, begin_at = { 1000, 1000, 0, begin_clock };
    pfc__transfer_t cost = { 5, 5 }, transfer = { 20, transfer_u };
    return pfc__wait_on(start, begin_at, pfc__wait_of(begin_at, 1105, cost), transfer);
}

static void a_slow_call_has_not_waited(void **state)
{
    (void)state;
    assert_int_equal(slow_call(0, 0, 0).ns, 0);
    assert_int_equal(slow_call(0, 0, 0).u, 105); /* unless it has */
    assert_int_equal(slow_call(300, 300, 279).ns, 0);
    assert_int_equal(slow_call(880, 0, 0).ns, 100);
    assert_int_equal(slow_call(0, 880, 0).ns, 100);
    assert_int_equal(slow_call(0, 0, 880).ns, 100);
    assert_int_equal(slow_call(0, 0, 880).u, 5);
}

/* What was found had come by then, however long it seems to have travelled. */
static void an_arrival_is_no_later_than_it_was_seen(void **state)
{
    pfc__transfer_t transfer = { 20, 0 };
    pfc__wait_t found = { 0, 0 };
    pfc__moment_t here = at(1000, 400);
    (void)state;
    assert_int_equal(pfc__arrival(at(850, 30), here, found, transfer).ct, 870);
    assert_int_equal(pfc__arrival(at(850, 30), here, found, transfer).lt, 840);
    assert_int_equal(pfc__arrival(at(990, 30), here, found, transfer).ct, 1000);
    assert_int_equal(pfc__arrival(at(990, 30), here, found, transfer).lt, 970);
}

static void a_send_without_a_post_took_its_data_s_time(void **state)
{
    pfc__transfer_t transfer = { 60, 10 }, unknown = { 10, 60 };
    (void)state;
    assert_int_equal(pfc__post_unknown(at(1000, 0), at(1100, 0), transfer, 0).u, 50);
    assert_int_equal(pfc__post_unknown(at(1000, 0), at(1100, 0), unknown, 0).u, 100);
    assert_int_equal(pfc__post_unknown(at(1000, 70), at(1100, 70), transfer, 0).u, 70);   /* as late as it was, at most; */
    assert_int_equal(pfc__post_unknown(at(1000, 170), at(1100, 170), transfer, 90).u, 80); /* but for what delayed all */
}

enum { ABSENCES = 6 };

/* Where a rank would be at `truth` that is off by up to `u`. */
static pfc__moment_t told_of(pfc__i64 truth, pfc__i64 delta, pfc__i64 u)
{
    pfc__moment_t m = { truth + delta, truth + uniform(-u, u), u, 0 };
    return m;
}

/* A receiver goes away and comes back, has posted once, and probes make it late, mostly while it is away: word of a message, sent at
   any time, comes to it as it would have undisturbed. */
static void who_is_away_hears_when_it_is_back(void **state)
{
    int run, i;
    (void)state;
    for (run = 0; run < 20000; run++) {
        pfc__absence_t away[ABSENCES];
        pfc__i64 u = run % 2 ? uniform(0, 3) : 0, sent = uniform(0, 300), posted = uniform(0, 100), truth = 0, delta = 0, heard = sent;
        pfc__moment_t word = told_of(sent, uniform(0, 100), u), there;
        int at_once = 0; /* with a departure */
        for (i = 0; i < ABSENCES; i++) {
            pfc__i64 left = truth += uniform(1, 30);
            away[i].ct = left + delta;
            away[i].lt = left + uniform(-u, u);
            at_once |= sent == left;
            truth += uniform(1, 30);
            if (posted < truth && !uniform(0, 3)) delta += uniform(0, 60);
            away[i].back = told_of(truth, delta, u);
            if (sent > left && sent < truth) heard = truth;
        }
        there = pfc__both_there(word, told_of(posted, 0, 0));
        for (i = ABSENCES; i-- > 0;) there = pfc__heard(there, word, &away[i], 2 * u);
        check_at("word", there.lt, there.u, pfc__max(posted, heard));
        if (!u && !at_once) assert_int_equal(there.u, 0);
    }
}

/* Nothing holds the greatest CT less the greatest LT to that range but what they are. */
static void a_delay_lies_among_those_it_comes_from(void **state)
{
    int run, i;
    (void)state;
    for (run = 0; run < 10000; run++) {
        pfc__latest_t l = pfc__latest_none();
        pfc__transfer_t travel = { uniform(0, 50), uniform(0, 5) };
        pfc__moment_t way = pfc__never(), m;
        pfc__i64 least = INT64_MAX, most = INT64_MIN, off = 0;
        for (i = 0; i < 4; i++) {
            pfc__i64 ct = uniform(0, 100), delta = uniform(-20, 100);
            pfc__moment_t one = { ct, ct - delta, uniform(0, 9), uniform(0, 99) };
            l = pfc__latest_merge(l, pfc__latest_of(one));
            way = pfc__passed_on(way, pfc__passed_first(one), travel);
            least = pfc__min(least, delta - one.u);
            most = pfc__max(most, delta + one.u);
        }
        assert_int_equal(pfc__latest_range(l), most - least);
        for (i = 0; i < 2; i++) {
            m = i ? pfc__latest_moment(l) : pfc__passed_moment(l, way);
            assert_true(m.ct - m.lt >= least && m.ct - m.lt <= most);
            off = pfc__max(most - (m.ct - m.lt), m.ct - m.lt - least);
            assert_true(m.u <= off);
            assert_int_equal(pfc__latest_off(l, m), off);
        }
    }
}

static void a_call_that_ended_before_has_not_waited(void **state)
{
    pfc__moment_t last = { 1000, 1000, 0, 30 }, end = { 950, 950, 0, 20 };
    (void)state;
    assert_true(pfc__latest_is_before(pfc__latest_of(last), end));
    end.ct = 949;
    assert_false(pfc__latest_is_before(pfc__latest_of(last), end));
}

static void the_range_of_delays_bounds_a_collective_without_a_common_clock(void **state)
{
    pfc__moment_t a = { 1000, 900, 0, 1000000 }, b = { 999000, 998960, 0, 1000000 }, m;
    (void)state;
    m = pfc__latest_moment(pfc__latest_merge(pfc__latest_of(a), pfc__latest_of(b)));
    assert_in_range(m.ct - m.lt, 40, 100);
    assert_true(m.u <= 60);
}

/* The last one as measured may not be the last one undisturbed. */
static void the_latest_has_a_name(void **state)
{
    pfc__moment_t slow = { 5000000, 1000000, 0, 0 }, late = { 4000000, 3000000, 0, 0 };
    pfc__latest_t l = pfc__latest_merge(pfc__latest_by(7, slow), pfc__latest_by(9, late));
    (void)state;
    assert_int_equal(pfc__signer(l.last.ct), 7);
    assert_int_equal(pfc__signer(l.last.lt), 9);
    l = pfc__latest_merge(pfc__latest_none(), pfc__latest_of(slow));
    assert_int_equal(pfc__signer(l.last.ct), PFC__NOBODY);
    assert_int_equal(pfc__signer(pfc__signed_by(5, 1 << 24)), PFC__NOBODY);
}

static void names_follow_the_clock(void **state)
{
    int i, step = 1 << PFC__NAME_STEP_BITS;
    (void)state;
    for (i = 0; i < 100000; i++) {
        pfc__i64 years = uniform(-((pfc__i64)1 << 57), (pfc__i64)1 << 57) & ~(pfc__i64)0xffffffff; /* no new turn of the steps */
        pfc__i64 a = years + uniform(0, 1000000000), b = a + step + uniform(0, 1000000000);
        int of_a = (int)uniform(0, PFC__NOBODY - 1), of_b = (int)uniform(0, PFC__NOBODY - 1);
        assert_true(pfc__signed_by(a, of_a) >= 0);
        assert_int_equal(pfc__signer(pfc__max(pfc__signed_by(b, of_b), pfc__signed_by(a, of_a))), of_b);
    }
}

static void one_rank_alone_keeps_its_moment(void **state)
{
    pfc__moment_t a = { 1000, 900, 7, 500 }, m = pfc__latest_moment(pfc__latest_merge(pfc__latest_none(), pfc__latest_of(a)));
    (void)state;
    assert_memory_equal(&a, &m, sizeof a);
}

/* ---- by which way the data of a rooted collective go */

enum { PLACES = 70, TREES = PFC__WAY_ALL };

static void each_place_is_its_parents_child(void **state)
{
    int way, size, place, i;
    (void)state;
    for (way = 0; way < TREES; way++)
        for (size = 1; size < PLACES; size++) {
            int parent[PLACES] = { 0 }, reached = 0;
            for (place = 0; place < size; place++)
                for (i = pfc__way_children((enum pfc__way)way, place, size) - 1; i >= 0; i--, reached++) {
                    int child = pfc__way_child((enum pfc__way)way, place, i);
                    assert_in_range(child, place + 1, size - 1);
                    parent[child] = place;
                }
            assert_int_equal(reached, size - 1);
            for (place = 1; place < size; place++) assert_int_equal(pfc__way_parent((enum pfc__way)way, place), parent[place]);
        }
}

/* The parents of places 1 to 9, as the libraries' sources have them. */
static void trees_by_hand(void **state)
{
    static const int parents[TREES][9] = {
        [PFC__WAY_HALVING] = { 0, 0, 2, 0, 4, 4, 6, 0, 8 },  [PFC__WAY_FLAT] = { 0 },
        [PFC__WAY_DOUBLING] = { 0, 0, 1, 0, 1, 2, 3, 0, 1 }, [PFC__WAY_KNOMIAL] = { 0, 0, 0, 0, 4, 4, 4, 0, 8 },
        [PFC__WAY_CHAIN] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 },    [PFC__WAY_BINARY] = { 0, 0, 1, 2, 1, 2, 3, 4, 5 },
        [PFC__WAY_HEAP] = { 0, 0, 1, 1, 2, 2, 3, 3, 4 },      [PFC__WAY_TURNED] = { 0, 0, 2, 0, 4, 4, 6, 0, 8 }
    };
    int way, place;
    (void)state;
    for (way = 0; way < TREES; way++)
        for (place = 1; place <= 9; place++) assert_int_equal(pfc__way_parent((enum pfc__way)way, place), parents[way][place - 1]);
}

/* A call whose data go by `way`, ranks come at random, and leave later than they could by up to `noise`. */
static void observe(pfc__observed_t *o, enum pfc__way way, pfc__i64 noise)
{
    pfc__i64 last = PFC__NEVER;
    int at, place, i;
    for (i = 0; i < o->size; i++) {
        o->stay[i].begin = o->stay[i].end = uniform(0, o->most);
        last = pfc__max(last, o->stay[i].begin);
    }
    for (at = 0; at < o->size; at++) { /* parents before children, or after them */
        pfc__stay_t *s;
        place = o->to_root ? o->size - 1 - at : at;
        s = &o->stay[(place + o->root) % o->size];
        if (way == PFC__WAY_ALL) s->end = last + uniform(1, o->size) * o->travel;
        else if (way == PFC__WAY_BY_FIRST) {
            s = &o->stay[at];
            s->end = pfc__max(s->begin, (at ? o->stay[at & (at - 1)].end : o->stay[o->root].begin) + o->travel);
        } else s->end = pfc__way_leaves(o, way, place);
        s->end += uniform(0, noise);
    }
}

/* One is told from another as far as it makes a difference: of so few ranks some are the same. */
static void clocks_tell_the_way(void **state)
{
    pfc__stay_t stay[PLACES];
    pfc__observed_t o = { .stay = stay, .travel = 1000, .most = 100000 };
    int run, way, call;
    (void)state;
    for (run = 0; run < 4000; run++) {
        pfc__i64 off[PFC__WAYS] = { 0 }, noise;
        enum pfc__way truth, found;
        seed = (uint64_t)run * 2654435761u + 7;
        o.size = (int)uniform(2, PLACES - 1);
        o.root = (int)uniform(0, o.size - 1);
        o.to_root = (int)uniform(0, 1);
        truth = (enum pfc__way)uniform(0, PFC__WAYS - 1);
        if (truth == PFC__WAY_BY_FIRST) {
            o.to_root = 0;
            o.root = (int)uniform(1, o.size - 1);
        }
        noise = uniform(0, 1) ? o.travel / 2 : 0;
        for (call = 0; call < 16; call++) {
            observe(&o, truth, noise);
            for (way = 0; way < PFC__WAYS; way++) off[way] += pfc__contradicted(&o, (enum pfc__way)way);
        }
        found = pfc__way_least(off, PFC__WAY_HALVING, o.size * o.travel);
        for (call = 0; call < 8; call++) { /* other calls, which both explain */
            observe(&o, truth, 0);
            if (found == PFC__WAY_ALL) assert_int_equal(truth, PFC__WAY_ALL);
            else assert_true(16 * pfc__contradicted(&o, found) < o.size * o.most);
        }
    }
}

/* Where nobody has anything for anybody, all wait for all, or nobody does: no tree is in question, though some explain the second. */
static void clocks_tell_whether_empty_messages_go_on(void **state)
{
    static const enum pfc__way ways[] = { PFC__WAY_NONE, PFC__WAY_ALL };
    pfc__stay_t stay[PLACES];
    pfc__observed_t o = { .stay = stay, .empty = 1, .travel = 1000, .most = 100000 };
    int run, way, call;
    (void)state;
    for (run = 0; run < 1000; run++) {
        pfc__i64 off[PFC__WAYS] = { 0 };
        enum pfc__way truth = ways[run % 2];
        seed = (uint64_t)run * 2654435761u + 7;
        o.size = (int)uniform(2, PLACES - 1);
        for (call = 0; call < 4; call++) {
            observe(&o, truth, o.travel / 2);
            assert_false(truth == PFC__WAY_ALL && pfc__one_left_before(&o));
            for (way = 0; way < PFC__WAYS; way++) off[way] += pfc__contradicted(&o, (enum pfc__way)way);
        }
        assert_int_equal(pfc__way_least(off, ways[uniform(0, 1)], o.size * o.travel), truth);
    }
}

/* A scan's ranks come at random, and leave when they have what comes by `way`. */
static void observe_scan(pfc__observed_t *o, enum pfc__way way)
{
    pfc__i64 before = PFC__NEVER, last = PFC__NEVER, here[PLACES], next[PLACES];
    int i, distance;
    for (i = 0; i < o->size; i++) {
        here[i] = o->stay[i].begin = uniform(0, o->most);
        last = pfc__max(last, here[i]);
    }
    for (distance = 1; distance < o->size; distance *= 2, memcpy(here, next, sizeof here))
        for (i = 0; i < o->size; i++)
            next[i] = (i ^ distance) < o->size ? pfc__max(here[i], here[i ^ distance] + o->travel) : here[i];
    for (i = 0; i < o->size; i++) {
        pfc__stay_t *s = &o->stay[i];
        s->end = way == PFC__WAY_ALL ? last + uniform(1, o->size) * o->travel
                 : way == PFC__WAY_DOUBLING ? here[i] : pfc__max(s->begin, before);
        before = s->end + o->travel;
    }
}

static void clocks_tell_a_scans_way(void **state)
{
    static const enum pfc__way ways[] = { PFC__WAY_CHAIN, PFC__WAY_DOUBLING, PFC__WAY_ALL };
    pfc__stay_t stay[PLACES];
    pfc__i64 left[PLACES];
    pfc__observed_t o = { .stay = stay, .scan = 1, .travel = 1000, .most = 4000000, .left = left };
    int run, way, call;
    (void)state;
    for (run = 0; run < 1000; run++) {
        pfc__i64 off[PFC__WAYS] = { 0 };
        enum pfc__way truth, found;
        seed = (uint64_t)run * 2654435761u + 7;
        o.size = (int)uniform(2, PLACES - 1);
        truth = ways[uniform(0, 2)];
        for (call = 0; call < 16; call++) {
            observe_scan(&o, truth);
            for (way = 0; way < PFC__WAYS; way++) off[way] += pfc__contradicted(&o, (enum pfc__way)way);
        }
        found = pfc__way_least(off, ways[uniform(0, 2)], o.size * o.travel);
        observe_scan(&o, truth);
        assert_true(16 * pfc__contradicted(&o, found) < o.size * o.most);
        if (truth == PFC__WAY_CHAIN || found == PFC__WAY_CHAIN) assert_int_equal(found, truth);
    }
}

/* ---- the same where messages wait for their receivers

   As libraries do it: each place goes through its messages one after the other. One that waits takes both ends as long as it travels
   from when both have come to it; of another one the sender goes on at once. The message between a place and the one before it has
   the number of the place; BEFORE_ALL goes from the root to rank 0. */

enum { BEFORE_ALL = PLACES, MESSAGES };

typedef struct hop { int number, sends; } hop_t;
typedef struct trip { hop_t hop[PLACES]; int hops, done; pfc__i64 now; } trip_t;

static trip_t process[PLACES];

static void will(int place, int number, int sends)
{
    trip_t *p = &process[place];
    p->hop[p->hops].number = number;
    p->hop[p->hops++].sends = sends;
}

static hop_t *next_hop(int place)
{
    trip_t *p = &process[place];
    return p->done < p->hops ? p->hop + p->done : NULL;
}

static void processes_by(const pfc__observed_t *o, enum pfc__way way)
{
    int tree = way == PFC__WAY_BY_FIRST ? PFC__WAY_HALVING : (int)way, place, i, n, towards;
    memset(process, 0, sizeof process);
    if (way == PFC__WAY_BY_FIRST) will(o->root, BEFORE_ALL, 1), will(0, BEFORE_ALL, 0);
    for (place = 0; place < o->size; place++) {
        n = pfc__way_children((enum pfc__way)tree, place, o->size);
        towards = o->to_root != (way == PFC__WAY_TURNED); /* the nearest first */
        if (place && !o->to_root) will(place, place, 0);
        for (i = 0; i < n; i++) will(place, pfc__way_child((enum pfc__way)tree, place, towards ? i : n - 1 - i), !o->to_root);
        if (place && o->to_root) will(place, place, 1);
    }
}

static int waits_there(const pfc__observed_t *o, enum pfc__way way, int number, pfc__i64 *travel)
{
    int weight = o->shared && (way == PFC__WAY_HALVING || way == PFC__WAY_TURNED) ? (int)pfc__min(number & -number, o->size - number) : 1;
    *travel = weight * o->travel;
    return weight >= o->waits;
}

/* Two places whose next message is the same one, or one that sends without waiting, go on. */
static int goes_on(const pfc__observed_t *o, enum pfc__way way, int a, pfc__i64 *there)
{
    hop_t *mine = next_hop(a), *theirs;
    pfc__i64 travel;
    int b;
    if (!mine) return 0;
    if (!waits_there(o, way, mine->number, &travel)) {
        if (mine->sends) there[mine->number] = process[a].now + travel;
        else if (there[mine->number] == PFC__NEVER) return 0;
        else process[a].now = pfc__max(process[a].now, there[mine->number]);
        return ++process[a].done;
    }
    for (b = 0; b < o->size; b++) {
        theirs = next_hop(b);
        if (b == a || !theirs || theirs->number != mine->number) continue;
        process[a].now = process[b].now = pfc__max(process[a].now, process[b].now) + travel;
        return ++process[b].done, ++process[a].done;
    }
    return 0;
}

static void observe_waiting(pfc__observed_t *o, enum pfc__way way)
{
    int first = way == PFC__WAY_BY_FIRST ? 0 : o->root, place, more = 1;
    pfc__i64 there[MESSAGES];
    for (place = 0; place < MESSAGES; place++) there[place] = PFC__NEVER;
    processes_by(o, way);
    for (place = 0; place < o->size; place++)
        process[place].now = o->stay[(place + first) % o->size].begin = uniform(0, o->most);
    while (more)
        for (place = more = 0; place < o->size; place++) more |= goes_on(o, way, place, there);
    for (place = 0; place < o->size; place++) {
        assert_null(next_hop(place));
        o->stay[(place + first) % o->size].end = process[place].now;
    }
}

/* A flat way's messages are on their way at once. */
static void observe_flat_waiting(pfc__observed_t *o)
{
    pfc__i64 begin, last = 0;
    int i;
    for (i = 0; i < o->size; i++) o->stay[i].begin = uniform(0, o->most);
    begin = o->stay[o->root].begin;
    for (i = 0; i < o->size; i++) {
        o->stay[i].end = pfc__max(begin, o->stay[i].begin) + o->travel;
        last = pfc__max(last, o->stay[i].end);
    }
    o->stay[o->root].end = last;
}

static void clocks_tell_the_way_of_messages_that_wait(void **state)
{
    pfc__stay_t stay[PLACES];
    pfc__i64 left[PLACES], takes_of[PFC__WEIGHTS], cost_of[PFC__WEIGHTS] = { 0 };
    pfc__observed_t o = { .stay = stay, .travel = 1000, .most = 200000, .left = left, .takes_of = takes_of, .cost_of = cost_of };
    int run, way, call, i;
    (void)state;
    for (i = 0; i < PFC__WEIGHTS; i++) takes_of[i] = o.travel << i;
    for (run = 0; run < 500; run++) {
        pfc__i64 off[PFC__WAYS] = { 0 };
        enum pfc__way truth, found;
        seed = (uint64_t)run * 2654435761u + 11;
        o.size = (int)uniform(2, 32);
        o.root = (int)uniform(0, o.size - 1);
        o.to_root = (int)uniform(0, 1);
        truth = (enum pfc__way)uniform(0, PFC__WAY_ALL - 1);
        if (run % 10 == 0) truth = PFC__WAY_BY_FIRST, o.to_root = 0, o.root = (int)uniform(1, o.size - 1);
        o.shared = truth != PFC__WAY_BY_FIRST && uniform(0, 1);
        o.waits = (int)uniform(1, o.shared && (truth == PFC__WAY_HALVING || truth == PFC__WAY_TURNED) ? o.size : 1);
        for (call = 0; call < 8; call++) {
            if (truth == PFC__WAY_FLAT) observe_flat_waiting(&o);
            else observe_waiting(&o, truth);
            assert_int_equal(pfc__contradicted(&o, truth), 0);
            for (way = 0; way < PFC__WAYS; way++) off[way] += pfc__contradicted(&o, (enum pfc__way)way);
        }
        found = pfc__way_least(off, PFC__WAY_HALVING, o.size * o.travel);
        if (truth == PFC__WAY_FLAT) observe_flat_waiting(&o);
        else observe_waiting(&o, truth);
        assert_true(16 * pfc__contradicted(&o, found) < o.size * o.most);
    }
}

/* ---- single calls, of five ranks: travel 10, and nobody may say more than 1000 against a way */

static pfc__stay_t five[5];
static pfc__i64 five_left[5];

static pfc__observed_t five_stays(pfc__i64 a, pfc__i64 b, pfc__i64 c, pfc__i64 d, pfc__i64 e)
{
    pfc__observed_t o = { .stay = five, .size = 5, .travel = 10, .most = 1000, .left = five_left };
    const pfc__i64 end[5] = { a, b, c, d, e };
    int i;
    for (i = 0; i < 5; i++) five[i].begin = 100 * i, five[i].end = end[i];
    return o;
}

static void one_rank_does_not_outvote_all(void **state)
{
    pfc__observed_t o = five_stays(0, 100, 200, 300, 1000000);
    (void)state;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_FLAT), 1000);
}

/* 400: when the last one comes. */
static void what_speaks_against_a_way_among_all(void **state)
{
    pfc__observed_t o = five_stays(500, 500, 500, 500, 500);
    (void)state;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_ALL), 50);           /* for it says so little */
    o = five_stays(501, 502, 503, 504, 505);                             /* a ring's length behind, and more */
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_ALL), 50 + 1 + 2 + 3 + 4 + 5);
    o = five_stays(420, 170, 420, 420, 420);                             /* beyond a power of two one may leave, when it has given */
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_ALL), 50 + 70);
    o = five_stays(420, 170, 270, 420, 420);                             /* not two */
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_ALL), 50 + 230 + 130);
}

static void what_speaks_against_a_scan_s_ways(void **state)
{
    pfc__observed_t o = five_stays(0, 100, 190, 300, 400);               /* who leaves before it can have come … */
    (void)state;
    o.scan = 1;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_CHAIN), 10);
    o = five_stays(30, 120, 270, 300, 400);                              /* … and later than one rank after another takes twice */
    o.scan = 1;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_CHAIN), 30 + 30);
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_FLAT), 5000);        /* no scan's */
}

/* An odd rank beyond a power of two leaves when its neighbour has taken its data. */
static void what_is_given_away_waits_for_the_neighbour(void **state)
{
    pfc__observed_t o = five_stays(420, 110, 420, 420, 420);
    (void)state;
    o.to_root = 1;
    assert_true(pfc__one_gave_away(&o));
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_ALL), 50 + 10);
    o.waits = 1;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_ALL), 50);
    five[0].begin = 240;
    five[1].end = 250;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_ALL), 50);
    o.root = 1;                                                          /* who is the root has to stay */
    assert_false(pfc__one_gave_away(&o));
    o.root = 0, o.to_root = 0;
    assert_false(pfc__one_gave_away(&o));
}

static void ways_that_are_out_of_the_question(void **state)
{
    pfc__observed_t o = five_stays(0, 100, 200, 300, 400);
    (void)state;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_BY_FIRST), 5000);    /* from rank 0 there's nobody to hand it to first */
    o.root = 1;
    assert_true(pfc__contradicted(&o, PFC__WAY_BY_FIRST) < 5000);
    o.to_root = 1;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_BY_FIRST), 5000);
    o.empty = 1;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_CHAIN), 5000);
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_NONE), 0);
}

static void a_scan_without_data_may_wait_for_nobody(void **state)
{
    pfc__observed_t o = five_stays(0, 100, 200, 300, 400);
    (void)state;
    o.scan = 1;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_NONE), 5000);
    o.idle = 1;
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_NONE), 0);
    assert_int_equal(pfc__contradicted(&o, PFC__WAY_FLAT), 5000);
}

static void the_usual_way_unless_another_is_notably_better(void **state)
{
    pfc__i64 off[PFC__WAYS];
    int i;
    (void)state;
    for (i = 0; i < PFC__WAYS; i++) off[i] = 1000;
    off[PFC__WAY_CHAIN] = 451;
    assert_int_equal(pfc__way_least(off, PFC__WAY_HALVING, 100), PFC__WAY_HALVING);
    off[PFC__WAY_CHAIN] = 449;
    assert_int_equal(pfc__way_least(off, PFC__WAY_HALVING, 100), PFC__WAY_CHAIN);
    off[PFC__WAY_HALVING] = 99;
    off[PFC__WAY_CHAIN] = 0;
    assert_int_equal(pfc__way_least(off, PFC__WAY_HALVING, 100), PFC__WAY_HALVING);
}

static void leaving_a_little_before_the_last_comes_says_nothing(void **state)
{
    pfc__observed_t o = five_stays(339, 500, 500, 500, 500);
    (void)state;
    assert_false(pfc__one_left_before(&o));
    five[0].end = 338;
    assert_true(pfc__one_left_before(&o));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_by_hand),
        cmocka_unit_test(gives_the_truth_back),
        cmocka_unit_test(truth_is_within_the_uncertainty),
        cmocka_unit_test(where_all_that_can_be_wrong_is),
        cmocka_unit_test(without_posts_too),
        cmocka_unit_test(doubts_about_one_delay_do_not_add_up),
        cmocka_unit_test(taus_rule_leaves_perturbation_in),
        cmocka_unit_test(one_end_for_all_is_not_what_steps_give),
        cmocka_unit_test(a_slow_call_has_not_waited),
        cmocka_unit_test(an_arrival_is_no_later_than_it_was_seen),
        cmocka_unit_test(a_send_without_a_post_took_its_data_s_time),
        cmocka_unit_test(who_is_away_hears_when_it_is_back),
        cmocka_unit_test(a_delay_lies_among_those_it_comes_from),
        cmocka_unit_test(a_call_that_ended_before_has_not_waited),
        cmocka_unit_test(the_range_of_delays_bounds_a_collective_without_a_common_clock),
        cmocka_unit_test(the_latest_has_a_name),
        cmocka_unit_test(names_follow_the_clock),
        cmocka_unit_test(one_rank_alone_keeps_its_moment),
        cmocka_unit_test(each_place_is_its_parents_child),
        cmocka_unit_test(trees_by_hand),
        cmocka_unit_test(clocks_tell_the_way),
        cmocka_unit_test(clocks_tell_the_way_of_messages_that_wait),
        cmocka_unit_test(clocks_tell_a_scans_way),
        cmocka_unit_test(clocks_tell_whether_empty_messages_go_on),
        cmocka_unit_test(one_rank_does_not_outvote_all),
        cmocka_unit_test(what_speaks_against_a_way_among_all),
        cmocka_unit_test(what_is_given_away_waits_for_the_neighbour),
        cmocka_unit_test(what_speaks_against_a_scan_s_ways),
        cmocka_unit_test(ways_that_are_out_of_the_question),
        cmocka_unit_test(a_scan_without_data_may_wait_for_nobody),
        cmocka_unit_test(the_usual_way_unless_another_is_notably_better),
        cmocka_unit_test(leaving_a_little_before_the_last_comes_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
