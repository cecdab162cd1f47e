/* What processes had done at some moment, so that a later look can tell what they did since. */
#include "cli.h"

static account_t account_of(const pfc_profile_t *p)
{
    account_t a;
    size_t i;
    memset(&a, 0, sizeof a);
    a.p = p;
    snprintf(a.host, sizeof a.host, "%s", p->host);
    a.pid = p->pid;
    a.begin_utc_ns = p->begin_utc_ns;
    a.passed = (double)(p->last_utc_ns - p->begin_utc_ns);
    a.sum = p->sum;
    a.delay_in = p->delay_in;
    a.regions = p->regions;
    a.region = (pfc_stats_t *)must(calloc(p->regions + 1, sizeof *a.region));
    for (i = 0; i < p->regions; i++) a.region[i] = p->region[i].stats;
    if (!p->mpi) return a;
    a.bytes = p->mpi->total.bytes;
    a.wait_lt = p->mpi->total.wait_lt;
    return a;
}

/* By what stays as it is while a process runs. */
static const account_t *same_process(const accounts_t *accounts, const account_t *a)
{
    size_t i;
    for (i = 0; i < accounts->n; i++) {
        const account_t *b = &accounts->account[i];
        if (a->pid == b->pid && a->begin_utc_ns == b->begin_utc_ns && a->regions >= b->regions && !strcmp(a->host, b->host)) return b;
    }
    return 0;
}

/* Of what runs, an entry that was just ending may have been seen twice before. */
static uint64_t count_since(uint64_t count, uint64_t earlier) { return count > earlier ? count - earlier : 0; }

static int has_run(const pfc_stats_t *now, const pfc_stats_t *earlier) { return now->count > earlier->count || now->open || earlier->open; }

/* What a region took: nothing where it hasn't run, whatever its earlier probes are found to have cost by now. Where it has, that may
   be less than nothing: more of its time is found to be that of regions inside, whose untimed entries are estimated. */
static void region_since(pfc_stats_t *now, const pfc_stats_t *earlier)
{
    if (has_run(now, earlier)) pfc_time_since(&now->exclusive, &earlier->exclusive);
    else memset(&now->exclusive, 0, sizeof now->exclusive);
    now->count = count_since(now->count, earlier->count);
}

/* A process's regions keep their places. */
static void account_since(account_t *a, const account_t *earlier)
{
    size_t i;
    a->passed -= earlier->passed;
    pfc_time_since(&a->sum, &earlier->sum);
    a->delay_in -= earlier->delay_in;
    a->bytes = count_since(a->bytes, earlier->bytes);
    a->wait_lt -= earlier->wait_lt;
    for (i = 0; i < earlier->regions; i++) region_since(&a->region[i], &earlier->region[i]);
}

accounts_t accounts_of(const profiles_t *profiles)
{
    accounts_t accounts;
    accounts.account = (account_t *)must(calloc(profiles->n + 1, sizeof *accounts.account));
    for (accounts.n = 0; accounts.n < profiles->n; accounts.n++) accounts.account[accounts.n] = account_of(profiles->p[accounts.n]);
    return accounts;
}

accounts_t accounts_since(const profiles_t *profiles, const accounts_t *earlier)
{
    accounts_t now = accounts_of(profiles);
    size_t i;
    for (i = 0; i < now.n; i++) {
        const account_t *before = same_process(earlier, &now.account[i]);
        if (before) account_since(&now.account[i], before);
    }
    return now;
}

void accounts_free(accounts_t *accounts)
{
    size_t i;
    for (i = 0; i < accounts->n; i++) free(accounts->account[i].region);
    free(accounts->account);
}
