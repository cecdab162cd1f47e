/* Call paths of random programs: threads and forked processes enter regions of
   all kinds at random, and keep the tree of their paths themselves, in which
   recursion is folded as in the profile: what is entered anew while it is open
   goes on where it was. The profile has that tree, and exactly so many calls,
   however entries are timed and the process ends. */
#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cmocka.h>

enum { NAMES = 8, NODES = 1 << 20, DEEPEST = 25 };
static const char *const names[NAMES] = { "r0", "r1", "r2", "r3", "scope", "block", "region", "leaf" };

typedef struct node {
    struct node *parent, *child[NAMES];
    int name, process;
    unsigned long long expected, found;
} node_t;

/* Of all processes: the test reads what they have written. */
static struct { node_t node[NODES]; int nodes, processes; } *forest;
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER; /* a process's threads share its tree */
static node_t *tree;

static node_t *node_new(node_t *parent, int name)
{
    int i = __atomic_fetch_add(&forest->nodes, 1, __ATOMIC_RELAXED);
    node_t *node = &forest->node[i];
    assert_true(i < NODES);
    node->parent = parent;
    node->name = name;
    node->process = (int)getpid();
    return node;
}

/* ---- the random program */

static __thread uint32_t seed, steps;
static __thread node_t *place;

static uint32_t draw(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5; /* Marsaglia, Xorshift RNGs, 2003 */
    return (seed >> 3) % n;
}

/* Returns where it came from. */
static node_t *enter(int name)
{
    node_t *from = place, *open = from;
    while (open && open->name != name) open = open->parent;
    pthread_mutex_lock(&growing);
    if (!open && !from->child[name]) from->child[name] = node_new(from, name);
    place = open ? open : from->child[name];
    place->expected++;
    pthread_mutex_unlock(&growing);
    return from;
}

static void go(int depth);

static void inside(int name, int depth)
{
    node_t *from = enter(name);
    go(depth + 1);
    place = from;
}

static __attribute__((noinline)) void r0(int depth) { PFC_FUNCTION(); inside(0, depth); }
static __attribute__((noinline)) void r1(int depth) { PFC_FUNCTION(); inside(1, depth); }
static __attribute__((noinline)) void r2(int depth) { PFC_FUNCTION(); inside(2, depth); }
static __attribute__((noinline)) void r3(int depth) { PFC_FUNCTION(); inside(3, depth); }
static void in_scope(int depth) { PFC_SCOPE("scope"); inside(4, depth); }
static void in_block(int depth) { PFC_BLOCK("block") { inside(5, depth); } }
static void in_region(int depth) { PFC_BEGIN("region"); inside(6, depth); PFC_END("region"); }
static void leaf(int depth) { PFC_FUNCTION(); (void)depth; place = enter(7); }

static void go(int depth)
{
    static void (*const kinds[NAMES])(int) = { r0, r1, r2, r3, in_scope, in_block, in_region, leaf };
    uint32_t n = 1 + draw(4), again;
    for (; n && steps; n--) {
        steps--;
        if (depth == DEEPEST) leaf(depth);
        else if (draw(12) == 0) for (again = draw(300); again; again--) leaf(depth);
        else kinds[draw(NAMES)](depth);
    }
}

static void walk(uint32_t from)
{
    seed = from;
    steps = 10000;
    place = tree;
    while (steps) go(0);
}

static void *thread(void *from) { walk((uint32_t)(uintptr_t)from); return 0; }

static void process(uint32_t from, int end);

/* It waits for none of its threads and children before it has walked itself, and walks once more when they have ended. */
static void work(uint32_t from, uint32_t threads, uint32_t children)
{
    pthread_t other[3];
    uint32_t i;
    tree = node_new(0, -1);
    __atomic_fetch_add(&forest->processes, 1, __ATOMIC_RELAXED);
    for (i = 0; i < threads; i++) assert_int_equal(pthread_create(&other[i], 0, thread, (void *)(uintptr_t)(from + 1000 + i)), 0);
    walk(from);
    for (i = 0; i < threads; i++) pthread_join(other[i], 0);
    for (i = 0; i < children; i++) process(from + 2000 + i, (int)i);
    walk(from + 3000);
}

enum { EXITS, EXITS_AT_ONCE, IS_KILLED, ENDS };

static void finish(int end)
{
    if (end == IS_KILLED) kill(getpid(), SIGKILL);
    if (end == EXITS_AT_ONCE) _exit(0);
    exit(0);
}

static void process(uint32_t from, int end)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        work(from, from % 4, from < 2000 ? from % 3 : 0); /* children have no children */
        finish(end);
    }
    assert_int_equal(waitpid(child, 0, 0), child);
}

/* ---- what its profiles say */

static node_t *node_of(node_t *parent, const char *name)
{
    int i = 0;
    while (i < NAMES && strcmp(names[i], name)) i++;
    return parent && i < NAMES ? parent->child[i] : 0;
}

static void compare(const pfc_profile_t *p)
{
    node_t **at = (node_t **)calloc(p->paths, sizeof *at);
    size_t i;
    int n = 0;
    while (n < forest->nodes && (forest->node[n].process != (int)p->pid || forest->node[n].parent)) n++;
    assert_true(n < forest->nodes);
    for (i = 0; i < p->paths; i++) {
        const pfc_path_info_t *path = &p->path[i];
        at[i] = path->parent == PFC_NONE ? &forest->node[n] : node_of(at[path->parent], p->region[path->region].name);
        if (at[i]) at[i]->found += path->stats.count;
        else if (path->stats.count) fail_msg("%s: no such path", p->region[path->region].name);
    }
    free(at);
}

static void compare_all(void)
{
    char why[PFC_WHY];
    DIR *folder = opendir(".");
    struct dirent *e;
    int profiles = 0, i;
    while ((e = readdir(folder))) {
        pfc_profile_t *p = strstr(e->d_name, ".pfc") ? pfc_profile_open(e->d_name, why, sizeof why) : 0;
        if (!p) continue;
        compare(p);
        pfc_profile_close(p);
        unlink(e->d_name);
        profiles++;
    }
    closedir(folder);
    assert_int_equal(profiles, forest->processes);
    for (i = 0; i < forest->nodes; i++) {
        const node_t *node = &forest->node[i];
        if (node->parent && node->found != node->expected)
            fail_msg("%s in %s: %llu calls instead of %llu", names[node->name], node->parent->parent ? names[node->parent->name] : "no region",
                     node->found, node->expected);
    }
}

static void every_path_has_its_calls(void **state)
{
    static const char *const ways[][2] = { { "PERFCOMP", "on" }, { "PERFCOMP_BUDGET", "1%" }, { "PERFCOMP_CONTEXT", "light" },
        { "PERFCOMP_CONTEXT", "doubled" }, { "PERFCOMP_CONTEXT", "off" }, { "PERFCOMP_TRACE", "1" } };
    uint32_t i;
    (void)state;
    for (i = 0; i < 12; i++) {
        const char *const *way = ways[i % 6];
        void *all = mmap(0, sizeof *forest, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_true(all != MAP_FAILED);
        memcpy(&forest, &all, sizeof all);
        setenv(way[0], way[1], 1);
        process(1 + i, (int)i % ENDS);
        unsetenv(way[0]);
        compare_all();
        munmap(all, sizeof *forest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_path_has_its_calls) };
    return cmocka_run_group_tests(tests, 0, 0);
}
