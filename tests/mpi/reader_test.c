/* What the reader and the report make of PFC__MPI extents, on profiles built by
   hand. Damage at every place: tests/core/reader_test.c, tests/fuzz/reader.c. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include "../core/opened.h"

static built_t of_job(uint32_t rank, uint32_t size, uint64_t world)
{
    built_t b = built_new();
    pfc__mpi_job_t job;
    pfc__mpi_peer_t peer;
    memset(&job, 0, sizeof job);
    memset(&peer, 0, sizeof peer);
    job.rank = rank, job.size = size, job.world = world;
    peer.rank = 2, peer.used = 1, peer.waits = 1, peer.wait_ct = 500, peer.wait_lt = 100;
    built_put(&b, built_extent(&b, PFC__MPI, sizeof job, 1, 1, PFC__MPI_JOB, 0), &job, sizeof job);
    built_put(&b, built_extent(&b, PFC__MPI, sizeof peer, 1, 1, PFC__MPI_PEERS, 0), &peer, sizeof peer);
    return b;
}

static built_t of_world(uint32_t rank, uint64_t world) { return of_job(rank, 4, world); }
static built_t of_rank(uint32_t rank) { return of_world(rank, 0); }

static void everything_read(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    const pfc_mpi_t *mpi;
    (void)state;
    mpi = p->mpi;
    assert_non_null(mpi);
    assert_int_equal(mpi->rank, 2);
    assert_int_equal(mpi->size, 4);
    assert_string_equal(mpi->library, "Some MPI");
    assert_true(mpi->finalized);
    near(mpi->delay, 200000);
    near(mpi->delay_u, 5000);
    assert_int_equal(mpi->eager_bytes, 4096);
    assert_int_equal((int)mpi->clock_strayed, -7);
    near(mpi->zero, 500000 - 20000);
    assert_int_equal(mpi->tried, 1);
    near(mpi->tried_ns, 7000);
    assert_int_equal(mpi->places, 2); /* the third isn't in use */
    assert_int_equal(mpi->kinds, 2);
    assert_string_equal(mpi->kind[0].name, "MPI_Recv");
    assert_string_equal(mpi->kind[0].place, "");
    assert_string_equal(mpi->place[0].place, "program+0x10");
    near(mpi->kind[0].wait[PFC__LATE_SENDER], 150000);
    assert_int_equal(mpi->kind[1].rule, PFC__RULE_NONE);
    assert_int_equal(mpi->total.calls, 13);
    near(mpi->total.time_ct, 301000);
    near(mpi->total.wait_lt, 150000);
    near(mpi->total.wait_u, 2000);
    assert_int_equal(mpi->peers, 2);
    assert_int_equal(mpi->peer[0].rank, 3);
    assert_int_equal(mpi->peer[1].rank, PFC_NONE);
    near(mpi->peer[1].wait_ct - mpi->peer[1].wait_lt, -10000);
    assert_int_equal(mpi->order.taken, 9);
    assert_int_equal(mpi->order.undecided, 2);
    assert_string_equal(mpi->order.place, "program+0x40");
    pfc_profile_close(p);
}

/* Calls of one kind from several places are one kind. */
static void places_folded(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_mpi(&b);
    {
        pfc__mpi_site_t s;
        memset(&s, 0, sizeof s);
        strcpy(s.name, "MPI_Recv");
        s.rule = PFC__RULE_RECEIVE;
        s.calls = 5, s.time_ct = 7, s.wait_kind[PFC__LATE_SENDER] = 1;
        built_put(&b, built_extent(&b, PFC__MPI, sizeof s, 1, 1, PFC__MPI_SITES, 0), &s, sizeof s);
    }
    p = opened(&b);
    assert_int_equal(p->mpi->places, 3);
    assert_int_equal(p->mpi->kinds, 2);
    assert_int_equal(p->mpi->kind[0].calls, 15);
    near(p->mpi->kind[0].time_ct, 300007);
    near(p->mpi->kind[0].wait[PFC__LATE_SENDER], 150001);
    pfc_profile_close(p);
}

static double delay_out(pfc_profile_t **p, size_t n, const pfc_mpi_t *of)
{
    pfc_mpi_peer_t awaited = pfc__mpi_waited_for((const pfc_profile_t *const *)p, n, of);
    return pfc__mpi_peer_delay(&awaited);
}

/* Spawned processes have the same ranks: who waits for one of them doesn't wait for its namesake. */
static void worlds_apart(void **state)
{
    built_t b[4] = { of_world(2, 7), of_world(2, 8), of_world(3, 7), of_world(3, 9) };
    pfc_profile_t *p[4];
    char *text;
    int i;
    (void)state;
    for (i = 0; i < 4; i++) p[i] = opened(&b[i]);
    text = text_of((const pfc_profile_t *const *)p, 4, 0, 0);
    holds(text, "MPI by rank, world of process 42\n");
    holds(text, "MPI: who waited for whom, world of process 42\n");
    free(text);
    near(delay_out(p, 4, p[0]->mpi), 800);
    near(delay_out(p, 4, p[1]->mpi), 400);
    text = text_of((const pfc_profile_t *const *)p + 2, 1, 0, 0);
    assert_null(strstr(text, "world of process"));
    free(text);
    for (i = 0; i < 4; i++) pfc_profile_close(p[i]);
}

/* Who holds a lock sends nothing. */
static void locks_apart(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p;
    char *text;
    pfc__mpi_site_t s;
    (void)state;
    memset(&s, 0, sizeof s);
    strcpy(s.name, "MPI_Win_lock");
    s.rule = PFC__RULE_LOCK;
    s.calls = 1, s.wait_kind[PFC__LATE_SENDER] = 20000;
    built_put(&b, built_extent(&b, PFC__MPI, sizeof s, 1, 1, PFC__MPI_SITES, 0), &s, sizeof s);
    p = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "Undisturbed waiting: 0.150000 ms for late senders, 0.020000 ms for locks of windows.");
    free(text);
    text = json_of((const pfc_profile_t *const *)&p, 1);
    holds(text, "\"late_sender\":150000,\"late_receiver\":0,\"barrier\":0,\"nxn\":0,\"collective\":0,\"lock\":20000");
    free(text);
    pfc_profile_close(p);
}

static void none(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p = opened(&b);
    char *text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    (void)state;
    assert_null(p->mpi);
    assert_null(strstr(text, "MPI"));
    free(text);
    text = json_of((const pfc_profile_t *const *)&p, 1);
    assert_null(strstr(text, "\"mpi\":{"));
    free(text);
    pfc_profile_close(p);
}

static void reported(void **state)
{
    built_t b = built_full();
    pfc_profile_t *p = opened(&b);
    char *text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    (void)state;
    holds(text, "Some MPI; rank 2 of 4; longest eager message 4096 bytes; clock within ± 30 ns of the job's; at the end it was -7 ns from it");
    holds(text, "delay      0.200000 ± 0.005000 ms at MPI_Finalize, of which 0.100000 came in");
    holds(text, "     10      0  0.300000  0.200000  0.250000  0.150000  0.002000  0.100000  MPI_Recv\n");
    holds(text, "Undisturbed waiting: 0.150000 ms for late senders.\n  Regions of the same name hold perfcomp's own messages as well (CT)");
    holds(text, "Unknown calls, whose waiting counts as the program's own time: MPI_Strange (3).\n");
    holds(text, "MPI_Recv  program+0x10");
    holds(text, "     2      3      8  0.240000  0.130000  0.110000\n");
    holds(text, "     2 others      2  0.010000  0.020000 -0.010000\n");
    assert_null(strstr(text, "Probes:"));
    assert_null(strstr(text, "finding out")); /* 7 us aren't felt */
    holds(text, "6 sends may have waited longer");
    holds(text, "Order: of 9 messages received from anybody, undisturbed 4 would have come before one that was received first\n"
                "    (by up to 0.003000 ms: rank 1's before rank 3's, at program+0x40); 2 can't be told.\n");
    free(text);
    p->mpi->unacknowledged = 1;
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "1 send may have waited longer, or shorter, than is shown: when its receiver asked");
    free(text);
    p->total.ct = 2e9, p->mpi->tried_ns = 0.3e9; /* also of a job that hasn't come to its end */
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "  - Of rank 2's 2.0 s 0.3 went into finding out by which way the data of collectives go, of 1 kind by\n");
    free(text);
    pfc_profile_close(p);
}

static void probes_explained(void **state)
{
    built_t b = built_new();
    pfc__mpi_site_t s;
    pfc_profile_t *p;
    char *text;
    (void)state;
    built_mpi(&b);
    memset(&s, 0, sizeof s);
    strcpy(s.name, "MPI_Iprobe");
    s.rule = PFC__RULE_PROBE, s.calls = 5;
    built_put(&b, built_extent(&b, PFC__MPI, sizeof s, 1, 1, PFC__MPI_SITES, 0), &s, sizeof s);
    p = opened(&b);
    text = text_of((const pfc_profile_t *const *)&p, 1, 0, 0);
    holds(text, "Probes: how long they would have waited is settled by the receive that follows, or the completion.");
    free(text);
    pfc_profile_close(p);
}

/* Of many, those are shown that were awaited the longest. */
static void many_ranks(void **state)
{
    enum { MANY = PFC__ROWS + 2 };
    built_t b[MANY];
    pfc_profile_t *p[MANY];
    char *text;
    int i;
    (void)state;
    for (i = 0; i < MANY; i++) {
        b[i] = of_job((uint32_t)i, MANY, 0);
        p[i] = opened(&b[i]);
    }
    text = text_of((const pfc_profile_t *const *)p, MANY, 0, 0);
    holds(text, " 2 ranks that were awaited less left out");
    holds(text, "\n     2 ");
    holds(text, "\n  Most awaited, undisturbed: rank 2, for 4200.000000 of 4200.000000 ns.\n");
    free(text);
    for (i = 0; i < MANY; i++) pfc_profile_close(p[i]);
}

static void several_ranks(void **state)
{
    built_t a = built_full(), b = of_rank(3), c = built_new();
    pfc_profile_t *p[3];
    char *text;
    int i;
    (void)state;
    p[0] = opened(&a);
    p[1] = opened(&b);
    p[2] = opened(&c); /* not of the job: without MPI */
    text = text_of((const pfc_profile_t *const *)p, 3, 0, 0);
    holds(text, "MPI by rank");
    holds(text, "     2     13  0.301000  0.201000  0.250000  0.150000  0.002000  0.100000  0.000100  0.000400  0.200000  0.005000\n");
    holds(text, "     3      0  0.000000  0.000000  0.000000  0.000000  0.000000  0.000000  0.130000  0.110000 not ended\n");
    holds(text, "\n  Most awaited, undisturbed: rank 3, for 0.130000 of 0.130100 ms.\n");
    holds(text, "\n  - 2 more ranks of this job are in none of these tables: their profiles aren't here, or found no room for MPI.\n");
    assert_null(strstr(text, "program+0x10"));
    free(text);
    text = json_of((const pfc_profile_t *const *)p, 3);
    holds(text, "\"delay\":200000,\"delay_u\":5000,\"delay_in\":100000,\"awaited_ct\":500,\"awaited_lt\":100,\"delay_out\":400,\"clock_u\":30,\"clock_strayed\":-7,\"eager_bytes\":4096");
    holds(text, "\"order\":{\"from_anybody\":9,\"overtaken\":4,\"undecided\":2,\"held\":7,\"held_time\":2000,\"most\":3000,\"rank\":1,\"by\":3,\"place\":\"program+0x40\"}");
    holds(text, "{\"name\":\"MPI_Strange\",\"known\":false,\"calls\":3");
    holds(text, "{\"rank\":null,\"waits\":2,\"wait_ct\":10000,\"wait_lt\":20000}");
    holds(text, "\"late_sender\":150000");
    free(text);
    for (i = 0; i < 3; i++) pfc_profile_close(p[i]);
}

/* One of them twice, as of a process that it has forked. */
static void ranks_missing(void **state)
{
    built_t b[5] = { of_rank(0), of_rank(1), of_rank(1), of_rank(3), of_rank(2) };
    pfc_profile_t *p[5];
    char *text;
    int i;
    (void)state;
    for (i = 0; i < 5; i++) p[i] = opened(&b[i]);
    text = text_of((const pfc_profile_t *const *)p, 4, 0, 0);
    holds(text, "\n  - 1 more rank of this job is in none of these tables: its profile isn't here, or found no room for MPI.\n");
    free(text);
    text = text_of((const pfc_profile_t *const *)p, 5, 0, 0);
    assert_null(strstr(text, "of this job"));
    free(text);
    for (i = 0; i < 5; i++) pfc_profile_close(p[i]);
}

/* ---- doubts */

/* main (open) > work, 100 times > MPI_Recv, and main > MPI_Recv, with three times as long; Δ was at most `most` ns off. */
static pfc_profile_t *received(int64_t most)
{
    built_t b = built_new();
    pfc__u64 nodes;
    pfc__thread_t *t;
    built_regions_and(&b, "MPI_Recv", PFC__MPI_CALL);
    t = built_next_thread(&b);
    nodes = built_thread(&b);
    t->met_most = built_fixed(most * BUILT_TICKS_PER_NS);
    t->met_change = built_fixed(70 * BUILT_TICKS_PER_NS);
    built_node(&b, nodes, 3, 2, 3, 10, 1000, 0);
    ((pfc__extent_t *)(void *)(b.bytes + nodes) - 1)->count = 5;
    built_node(&b, nodes, 4, 1, 3, 5, 3000, 0);
    built_mpi(&b);
    return opened(&b);
}

static double waits_of(const pfc_time_t *t) { return t->error[PFC_ERROR_WAIT]; }

/* Those of the calls are their regions', in proportion to their paths' time; what is left at the end is the run's. */
static void doubts_are_where_it_waited(void **state)
{
    pfc_profile_t *p = received(1000000);
    (void)state;
    near(waits_of(&p->region[3].stats.exclusive), 2000);
    near(waits_of(&p->region[3].stats.inclusive), 2000);
    assert_true(p->region[3].stats.exclusive.u >= 2000);
    near(waits_of(&p->path[3].stats.exclusive), 500);
    near(waits_of(&p->path[4].stats.exclusive), 1500);
    near(waits_of(&p->path[2].stats.exclusive), 0);
    near(waits_of(&p->path[2].stats.inclusive), 500);
    near(waits_of(&p->path[1].stats.inclusive), 2000);
    near(waits_of(&p->total), 0);
    near(p->path[0].stats.exclusive.error[PFC_ERROR_PAIR], 70 + (double)p->path[1].stats.count * p->cost.pair_spread);
    pfc_profile_close(p);
}

/* One entry of main can't be off by more than Δ was. */
static void doubts_replace_one_another(void **state)
{
    pfc_profile_t *p = received(300);
    (void)state;
    near(waits_of(&p->path[4].stats.inclusive), 1500);
    near(waits_of(&p->path[2].stats.inclusive), 500); /* 100 entries, up to 300 each */
    near(p->path[1].stats.inclusive.u, 300);
    assert_true(waits_of(&p->path[1].stats.inclusive) > 0);
    near(waits_of(&p->total), 0);
    pfc_profile_close(p);
}

/* ---- damage */

static void refused_as_damaged(built_t *b, const char *because)
{
    built_seal(b);
    refused(b, because);
    holds(why, "damaged at byte ");
}

static void damaged(void **state)
{
    pfc__mpi_job_t job;
    pfc__mpi_site_t site;
    pfc__mpi_order_t order;
    built_t b = built_new();
    (void)state;
    built_extent(&b, PFC__MPI, PFC__MPI_JOB_LEAST - 8, 1, 1, PFC__MPI_JOB, 0);
    refused_as_damaged(&b, "size of an MPI extent's elements");

    b = built_new();
    built_mpi(&b);
    built_mpi(&b);
    refused_as_damaged(&b, "MPI job");

    memset(&job, 0, sizeof job);
    job.rank = job.size = 4;
    b = built_new();
    built_put(&b, built_extent(&b, PFC__MPI, sizeof job, 1, 1, PFC__MPI_JOB, 0), &job, sizeof job);
    refused_as_damaged(&b, "MPI job");

    memset(&site, 'x', sizeof site);
    b = built_new();
    built_mpi(&b);
    built_put(&b, built_extent(&b, PFC__MPI, sizeof site, 1, 1, PFC__MPI_SITES, 0), &site, sizeof site);
    refused_as_damaged(&b, "place of an MPI call");

    memset(&order, 'x', sizeof order);
    b = built_new();
    built_mpi(&b);
    built_put(&b, built_extent(&b, PFC__MPI, sizeof order, 1, 1, PFC__MPI_ORDER, 0), &order, sizeof order);
    refused_as_damaged(&b, "MPI order");
}

/* An earlier version's. */
static void without_a_zero(void **state)
{
    pfc__mpi_job_t job;
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    memset(&job, 0, sizeof job);
    job.size = 4, job.clock_strayed = -7;
    built_put(&b, built_extent(&b, PFC__MPI, PFC__MPI_JOB_LEAST, 1, 1, PFC__MPI_JOB, 0), &job, PFC__MPI_JOB_LEAST);
    p = opened(&b);
    near(p->mpi->clock_strayed, -7);
    near(p->mpi->zero, 0);
    pfc_profile_close(p);
}

/* Extents that a later version may add are stepped over. */
static void unknown_extents(void **state)
{
    built_t b = built_new();
    pfc_profile_t *p;
    (void)state;
    built_mpi(&b);
    built_extent(&b, PFC__MPI, 1, 10, 10, PFC__MPI_ORDER + 1, 0);
    p = opened(&b);
    assert_int_equal(p->mpi->places, 2);
    pfc_profile_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_read), cmocka_unit_test(places_folded), cmocka_unit_test(locks_apart), cmocka_unit_test(worlds_apart), cmocka_unit_test(none),
        cmocka_unit_test(reported), cmocka_unit_test(probes_explained), cmocka_unit_test(several_ranks),
        cmocka_unit_test(many_ranks), cmocka_unit_test(ranks_missing), cmocka_unit_test(damaged),
        cmocka_unit_test(unknown_extents), cmocka_unit_test(without_a_zero), cmocka_unit_test(doubts_are_where_it_waited),
        cmocka_unit_test(doubts_replace_one_another),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
