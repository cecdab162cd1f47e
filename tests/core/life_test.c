/* How programs end, and what stands in the way of a profile: each test runs
   this program again as one of the scenarios below, and reads what it left. */
#include "sanitized.h"
#if ADDRESS_SANITIZED || THREAD_SANITIZED
#  define PFC__BY_THE_LIBRARY /* calls our mmap and munmap, below */
#endif

#define PERFCOMP_IMPLEMENTATION
#include "perfcomp.h"
#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/mount.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <wchar.h>
#include <cmocka.h>

/* ---- scenarios */

static char *self;

/* Behind perfcomp's own handler, as it is there before that: the fork is prepared, and the profile's end comes. */
static int is_prepared, ends;
static int lets_end;

/* As a library has one, which calls the program while it has it. */
static pthread_mutex_t librarys = PTHREAD_MUTEX_INITIALIZER;
static int forks_under_lock, has_lock;

static void prepared(void)
{
    int i;
    __atomic_store_n(&is_prepared, 1, __ATOMIC_RELEASE);
    if (forks_under_lock) pthread_mutex_lock(&librarys);
    while (lets_end && !__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) sched_yield();
    for (i = 0; lets_end && !pfc__is_off() && i < 100; i++) usleep(1000);
}

static void has_forked(void)
{
    if (forks_under_lock) pthread_mutex_unlock(&librarys);
}

static void __attribute__((constructor(101))) prepare_first(void) { pthread_atfork(prepared, has_forked, has_forked); }

enum { REGIONS = 40000 };
static char names[REGIONS][16];
static pfc__site_t sites[REGIONS];

static void some_work(void)
{
    int i;
    PFC_SCOPE("some work");
    for (i = 0; i < 100; i++) PFC_HIT("turn");
    PFC_BEGIN("inner");
    PFC_END("inner");
}

enum { TICKS = 1000 };
static volatile sig_atomic_t ticks;

static void tick(int signal)
{
    (void)signal;
    PFC_BEGIN("tick");
    ticks++;
    PFC_END("tick");
}

/* Signals meet the hot path at every place, timed or not. */
static int interrupted(void)
{
    static const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never;
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &often, 0);
    while (ticks < TICKS) {
        PFC_BEGIN("around");
        PFC_BEGIN("within");
        PFC_END("within");
        PFC_END("around");
    }
    setitimer(ITIMER_REAL, &never, 0);
    return ticks - TICKS;
}

/* Each third one leaves by siglongjmp whatever it has come upon, perfcomp's own work too, from its very beginning. */
static sigjmp_buf landing;

static void leave(int signal)
{
    PFC_SCOPE("leave");
    if (++ticks % 3 == 0) siglongjmp(landing, signal);
}

static int left_by_signals(void)
{
    static const struct itimerval often = { { 0, 300 }, { 0, 300 } }, never;
    signal(SIGALRM, leave);
    setitimer(ITIMER_REAL, &often, 0);
    sigsetjmp(landing, 1);
    while (ticks < TICKS / 10) {
        PFC_BEGIN("around");
        some_work();
        PFC_END("around");
    }
    setitimer(ITIMER_REAL, &never, 0);
    return 0;
}

/* A new region. */
static void region(int number)
{
    pfc__site_t s = PFC__SITE(PFC__NAMED, names[number], 1, "x.c");
    snprintf(names[number], sizeof names[number], "region %d", number);
    sites[number] = s;
    pfc__begin(&sites[number]);
    pfc__end(&sites[number]);
}

/* Where they are called, signals come just when perfcomp gives an outgrown table back, and when it asks for a larger one. */
static int growing;

static void larger(void)
{
    PFC_BEGIN("larger");
    PFC_END("larger");
}

int munmap(void *at, size_t bytes)
{
    int result = (int)syscall(SYS_munmap, at, bytes);
    if (growing) tick(0);
    return result;
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    void *result = (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
    if (growing) larger();
    return result;
}

enum { BEFORE = 100, AFTER = 20000 };
static int done;

/* So many paths that the handlers' are found in the table, below the scope's. */
static int interrupted_growing(void)
{
    tick(0);
    larger();
    for (done = 0; done < REGIONS; done++) {
        growing = done > 2 * BEFORE;
        region(done);
    }
    growing = 0;
    return 0;
}

static void *goes_on(void *unused)
{
    for (; done < AFTER; __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE)) region(done);
    return unused;
}

/* The profile ends while a thread is at work, and needs more room afterwards. */
static int outlived(void)
{
    pthread_t thread;
    if (pthread_create(&thread, 0, goes_on, 0)) return 1;
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < BEFORE) sched_yield();
    pfc_stop();
    return pthread_join(thread, 0);
}

static void *works(void *unused)
{
    some_work();
    return unused;
}

static int forked(void)
{
    int status = 1;
    pid_t child = fork();
    if (!child) { some_work(); some_work(); exit(0); }
    return waitpid(child, &status, 0) < 0 || status;
}

/* By a thread whose record has been another's, and which has been through much. */
static void *forks_late(void *failed)
{
    const struct timespec past = { 0, 20000000 };
    int status = 1;
    pid_t child;
    { PFC_SCOPE("at times"); }
    { PFC_SCOPE("at times"); nanosleep(&past, 0); }
    PFC_END("never begun");
    pfc__note("a note");
    pfc__self->delta += (pfc__i64)1 << (40 + PFC__FRACTION);
    pfc__identity(2, 4);
    PFC__HEADER->lost_regions = 1;
    errno = ENOTTY;
    child = fork();
    if (!child && errno == ENOTTY) {
        { PFC_SCOPE("at times"); some_work(); }
        exit(fcntl(501, F_GETFD) >= 0); /* its own profile is 500 */
    }
    *(int *)failed = !child || errno != ENOTTY || waitpid(child, &status, 0) < 0 || status;
    return 0;
}

static int forked_late(void)
{
    pthread_t thread;
    int failed = 1;
    if (pthread_create(&thread, 0, works, 0) || pthread_join(thread, 0)) return 1;
    return pthread_create(&thread, 0, forks_late, &failed) || pthread_join(thread, 0) || failed;
}

/* As a daemon that starts itself anew; its parent is gone by then. */
static int forked_and_replaced(void)
{
    int gate[2];
    char nothing;
    if (pipe(gate)) return 1;
    if (fork()) return 0; /* its end closes the gate */
    close(gate[1]);
    if (read(gate[0], &nothing, 1) == 0) execl("/proc/self/exe", self, "exit", (char *)0);
    return 1;
}

static int mapped(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    int lines = 0, c;
    while (f && (c = getc(f)) != EOF) lines += c == '\n';
    if (f) fclose(f);
    return lines;
}

/* Of each process its child goes on: what it had in common with its parent, or that with its own, is of no use to it. */
static int forked_again_and_again(void)
{
    int generation, first = 0, status;
    for (generation = 0; generation < 20; generation++) {
        pid_t child = fork();
        if (child) return waitpid(child, &status, 0) < 0 || status;
        if (generation == 1) first = mapped();
    }
    return !first || mapped() > first + 9;
}

static void *forks(void *failed)
{
    PFC_SCOPE("forks");
    *(int *)failed = forked();
    return 0;
}

static int forked_thrice(void) { return forked() || forked() || forked(); }

/* Not even addresses are left, since the program has set itself a limit. */
static int forked_without_memory(void)
{
    struct rlimit limit = { 256 << 20, RLIM_INFINITY };
    return setrlimit(RLIMIT_AS, &limit) || forked();
}

static int forked_by_a_thread(void)
{
    pthread_t thread;
    int failed = 1;
    return pthread_create(&thread, 0, forks, &failed) || pthread_join(thread, 0) || failed;
}

/* By the program's end, too: its handlers are forgotten before ours, which may still be at work. */
static int forked_as_it_ends(int exits)
{
    pthread_t thread;
    int failed = 1;
    lets_end = 1;
    if (pthread_create(&thread, 0, forks, &failed)) return 1;
    while (!__atomic_load_n(&is_prepared, __ATOMIC_ACQUIRE)) sched_yield();
    __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
    if (exits) exit(0);
    pfc_stop();
    return pthread_join(thread, 0) || failed;
}

static void *called_under_lock(void *unused)
{
    pthread_mutex_lock(&librarys);
    __atomic_store_n(&has_lock, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&is_prepared, __ATOMIC_ACQUIRE)) sched_yield();
    region(0);
    pthread_mutex_unlock(&librarys);
    return unused;
}

/* The fork waits for the library's lock, and who has that for us. */
static int forked_beside_a_lock(void)
{
    pthread_t thread;
    int failed;
    alarm(60);
    forks_under_lock = 1;
    if (pthread_create(&thread, 0, called_under_lock, 0)) return 1;
    while (!__atomic_load_n(&has_lock, __ATOMIC_ACQUIRE)) sched_yield();
    failed = forked();
    return pthread_join(thread, 0) || failed;
}

static void *enters_new_regions(void *first)
{
    int i;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    for (i = *(int *)first;; i = (i + 1) % REGIONS) region(i);
    return 0;
}

/* Some of them have the lock then. */
static int cancelled_at_any_time(void)
{
    pthread_t thread;
    void *result;
    int i;
    alarm(60);
    for (i = 0; i < 300; i++) {
        if (pthread_create(&thread, 0, enters_new_regions, &i)) return 1;
        usleep((useconds_t)(i % 7) * 50);
        if (pthread_cancel(thread) || pthread_join(thread, &result) || result != PTHREAD_CANCELED) return 1;
    }
    return 0;
}

static void *enters_two(void *unused)
{
    static pfc__site_t outer = PFC__SITE(PFC__NAMED, "outer", 1, "x.c"), inner = PFC__SITE(PFC__NAMED, "inner of many", 1, "x.c");
    int i;
    for (i = 0; i < 500000; i++) {
        pfc__begin(&outer);
        pfc__begin(&inner);
        pfc__end(&inner);
        pfc__end(&outer);
    }
    return unused;
}

static int two_threads(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, 0, one, 0)) return 1;
    other(0);
    return pthread_join(thread, 0);
}

enum { NOTES = 30000 };
static void *notes_much(void *unused)
{
    int i;
    for (i = 0; i < NOTES; i++) pfc__note_keep("note %d", i);
    return unused;
}

static void *enters_all(void *unused)
{
    int i;
    for (i = 0; i < REGIONS; i++) region(i);
    return unused;
}

/* In its child: whose windows are they? */
static void *forks_from_beside(void *failed)
{
    pid_t child = fork();
    int status = 1;
    if (!child) {
        enters_two(0);
        _exit(pfc__context.thread != (pfc__uptr)pfc__self);
    }
    *(int *)failed = waitpid(child, &status, 0) != child || status != 0;
    return 0;
}

static int forked_from_beside(void)
{
    pthread_t thread;
    int failed = 1;
    enters_two(0);
    return pthread_create(&thread, 0, forks_from_beside, &failed) || pthread_join(thread, 0) || failed;
}

/* As its profile grows: the new pieces have room already, and nothing else. */
static void killed_growing(void)
{
    pfc__extent_new(PFC__REGIONS, sizeof(pfc__region_t), 4, 0, 0);
    pfc__extent_new(PFC__NODES, sizeof(pfc__node_t), 4, pfc__self->id, 0);
    kill(getpid(), SIGKILL);
}

static int grows_without_descriptors(void)
{
    int fd;
    for (fd = 3; fd < 1024; fd++) close(fd);
    pfc__arena.used = pfc__arena.backed;
    errno = 77;
    return !pfc__slots_new(pfc__self, 8) || errno != 77;
}

static int forks_failed;
static void forks_in_a_handler(int signal)
{
    (void)signal;
    if (!fork()) { some_work(); return; } /* and goes on where the signal came */
    forks_failed = wait(&forks_failed) < 0 || forks_failed;
}

/* Where a wait has the lock. */
static int forked_amid_a_wait(void)
{
    alarm(60);
    signal(SIGUSR1, forks_in_a_handler);
    pfc__waits_enter();
    raise(SIGUSR1);
    pfc__waits_leave();
    some_work();
    return forks_failed || forked();
}

/* As a server ends its workers. */
static int forked_and_killed(void)
{
    int status;
    pid_t child = fork();
    if (!child) {
        some_work();
        raise(SIGKILL);
    }
    return waitpid(child, &status, 0) != child || !WIFSIGNALED(status);
}

/* A server that waits for requests. */
static void serves(void)
{
    int i;
    for (i = 0; i < 3; i++) {
        usleep(50000);
        some_work();
    }
    raise(SIGKILL);
}

/* Daemons do, and can't open a file of their former folder from then on. */
static int gives_up_privileges(void)
{
    if (setgid(65534) || setuid(65534) || !access(".", W_OK)) return 1;
    for (done = 0; done < REGIONS; done++) region(done);
    return 0;
}

static int scenario(const char *name)
{
    PFC_SCOPE("scenario");
    some_work();
    if (!strcmp(name, "stack")) return pfc__self->stack_low < pfc__self->stack_high;
    if (!strncmp(name, "exit", 4)) exit(7);
    if (!strcmp(name, "_exit")) _exit(7);
    if (!strcmp(name, "pthread_exit")) pthread_exit(0);
    if (!strcmp(name, "abort")) abort();
    if (!strcmp(name, "segfault")) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }
    if (!strcmp(name, "kill")) raise(SIGKILL);
    if (!strcmp(name, "serve")) serves();
    if (!strcmp(name, "cleared")) return unlink(pfc__arena.path);
    if (!strcmp(name, "exec")) execl("/proc/self/exe", self, "exit", (char *)0);
    if (!strcmp(name, "gone") && !mkdir("gone", 0700) && !chdir("gone") && !rmdir("../gone"))
        execl("/proc/self/exe", self, "exit", (char *)0);
    if (!strcmp(name, "spawn")) return system("\"$LIFE_TEST\" return; \"$LIFE_TEST\" return") != 0;
    if (!strcmp(name, "fork")) return forked();
    if (!strcmp(name, "fork late")) return forked_late();
    if (!strcmp(name, "fork and kill")) return forked_and_killed();
    if (!strcmp(name, "fork and exec")) return forked_and_replaced();
    if (!strcmp(name, "fork again and again")) return forked_again_and_again();
    if (!strcmp(name, "fork thrice")) return forked_thrice();
    if (!strcmp(name, "fork without memory")) return forked_without_memory();
    if (!strcmp(name, "fork beside a lock")) return forked_beside_a_lock();
    if (!strcmp(name, "windows of threads")) return two_threads(enters_two, enters_two);
    if (!strcmp(name, "notes of threads")) return two_threads(notes_much, enters_all);
    if (!strcmp(name, "fork beside windows")) return forked_from_beside();
    if (!strcmp(name, "kill growing")) killed_growing();
    if (!strcmp(name, "grow without descriptors")) return grows_without_descriptors();
    if (!strcmp(name, "cancel")) return cancelled_at_any_time();
    if (!strcmp(name, "fork by a thread")) return forked_by_a_thread();
    if (!strcmp(name, "fork amid a wait")) return forked_amid_a_wait();
    if (!strcmp(name, "fork as it ends")) return forked_as_it_ends(0);
    if (!strcmp(name, "fork as all ends")) alarm(60), forked_as_it_ends(1);
    if (!strcmp(name, "close all")) {
        int fd, user;
        for (fd = 3; fd < 1024; fd++) close(fd);
        user = open("user.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
        for (fd = 0; fd < REGIONS; fd++) region(fd);
        return lseek(user, 0, SEEK_END) != 0; /* perfcomp must not have grown a file of the program's */
    }
    if (!strcmp(name, "many")) {
        pthread_t thread;
        for (done = 0; done < REGIONS; done++) region(done);
        return pthread_create(&thread, 0, works, 0) || pthread_join(thread, 0);
    }
    if (!strcmp(name, "small files only")) {
        const struct rlimit none = { 0, 0 };
        return setrlimit(RLIMIT_FSIZE, &none);
    }
    if (!strcmp(name, "privileges")) return gives_up_privileges();
    if (!strcmp(name, "interrupted")) return interrupted();
    if (!strcmp(name, "left by signals")) return left_by_signals();
    if (!strcmp(name, "interrupted growing")) return interrupted_growing();
    if (!strcmp(name, "outlived")) return outlived();
    if (!strcmp(name, "chdir")) return chdir("/");
    if (!strcmp(name, "named late")) {
        char *argument[] = { self, names[0], 0 };
        strcpy(names[0], "its name");
        pfc_start(2, argument);
        pfc_start(2, argument);
    }
    if (!strcmp(name, "data at 2")) { /* where stderr was */
        int data = close(2) ? -1 : open("data.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
        pfc__note("late");
        pfc_stop();
        return data != 2 || lseek(data, 0, SEEK_END) != 0;
    }
    if (!strcmp(name, "wide stderr")) {
        pfc__note("between");
        done = fputws(L"wide\n", stderr) >= 0 && fwide(stderr, 0) > 0;
        pfc__note("behind it");
        return !done;
    }
    if (!strcmp(name, "closes stderr")) return fclose(stderr);
    if (!strcmp(name, "report")) return errno = 77, pfc_report(0), pfc_report(stderr), errno != 77;
    return 0;
}

/* ---- running them */

static char folder[64];

/* `name`, with the environment's settings; stderr goes to `out`. */
static pid_t started(const char *name, const int *out)
{
    pid_t child;
    pfc__off = 1; /* the scenario isn't a fork of a profiled process: it is a program of its own */
    child = fork();
    if (!child) {
        dup2(out[1], 2);
        close(out[0]);
        close(out[1]);
        if (chdir(folder)) _exit(99);
        execl(self, self, name, (char *)0);
        _exit(98);
    }
    close(out[1]);
    return child;
}

/* Its exit status, or -signal. */
static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Exit status (or -signal) of `name`; what it says on stderr is in `said`. */
static char said[8192];
static int run(const char *name)
{
    int out[2];
    ssize_t n;
    size_t used = 0;
    pid_t child;
    assert_int_equal(pipe(out), 0);
    child = started(name, out);
    while ((n = read(out[0], said + used, sizeof said - 1 - used)) > 0) used += (size_t)n;
    said[used] = 0;
    close(out[0]);
    return status_of(child);
}

static const char *in_folder(const char *file)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

/* The profile `file` of the folder, which must be sound. */
static pfc_profile_t *profile(const char *file)
{
    char why[PFC_WHY];
    pfc_profile_t *p = pfc_profile_open(in_folder(file), why, sizeof why);
    if (!p) fail_msg("%s", why);
    return p;
}

static uint64_t calls(const pfc_profile_t *p, const char *region)
{
    size_t i;
    for (i = 0; i < p->regions; i++)
        if (!strcmp(p->region[i].name, region)) return p->region[i].stats.count;
    return 0;
}

static uint64_t hits(const pfc_profile_t *p)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < p->blocks; i++) sum += p->block[i].low;
    return sum;
}

/* How many profiles lie in the folder; the name of one that isn't perfcomp.0.pfc. */
static char other[300];
static int profiles(void)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    int n = 0;
    other[0] = 0;
    while ((e = readdir(d)))
        if (strstr(e->d_name, ".pfc")) {
            n++;
            if (strcmp(e->d_name, "perfcomp.0.pfc")) snprintf(other, sizeof other, "%s", e->d_name);
        }
    closedir(d);
    return n;
}

static int fresh(void **state)
{
    static const char *const settings[] = { "PERFCOMP", "PERFCOMP_DIR", "PERFCOMP_LIVE", "PERFCOMP_FILE", "PERFCOMP_BUDGET",
                                            "PERFCOMP_REPORT", "PERFCOMP_TRACE", "PERFCOMP_CLOCK", "PERFCOMP_VERBOSE", "PERFCOMP_BUGDET",
                                            "PERFCOMP_SCALE", "PERFCOMP_CONTEXT", "LOCPATH", "PMI_RANK" };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof settings / sizeof *settings; i++) unsetenv(settings[i]);
    strcpy(folder, "/tmp/perfcomp-life-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int clean(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- ends */

static void left_behind(const char *name, int status, pfc_run_t how)
{
    pfc_profile_t *p;
    assert_int_equal(run(name), status);
    p = profile("perfcomp.0.pfc");
    assert_int_equal(p->run, how);
    assert_int_equal(calls(p, "some work"), 1);
    assert_int_equal(calls(p, "inner"), 1);
    assert_int_equal(hits(p), 100);
    assert_int_equal(calls(p, "scenario"), 1); /* open or not */
    pfc_profile_close(p);
}

static void ends_by_return(void **state) { (void)state; left_behind("return", 0, PFC_ENDED); }
static void ends_by_exit_inside_a_region(void **state) { (void)state; left_behind("exit", 7, PFC_ENDED); }
static void ends_by__exit(void **state) { (void)state; left_behind("_exit", 7, PFC_DIED); }
static void ends_by_abort(void **state) { (void)state; left_behind("abort", -SIGABRT, PFC_DIED); }
static void ends_by_segfault(void **state) { (void)state; left_behind("segfault", -SIGSEGV, PFC_DIED); }
static void ends_by_kill(void **state) { (void)state; left_behind("kill", -SIGKILL, PFC_DIED); }

/* Up to when what it last did began: what it waited before is in its time. */
static void a_killed_servers_waits_are_known(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("serve"), -SIGKILL);
    p = profile("perfcomp.0.pfc");
    assert_int_equal(calls(p, "some work"), 4);
    assert_true(p->total.ct > 150e6);
    pfc_profile_close(p);
}

/* The start is in its time, as it is in its Δ. */
static void main_may_end_before_the_program(void **state)
{
    pfc_profile_t *p;
    (void)state;
    left_behind("pthread_exit", 0, PFC_ENDED);
    p = profile("perfcomp.0.pfc");
    assert_true(p->thread[0].ended);
    assert_true(fabs(p->thread[0].end - p->thread[0].begin - p->total.ct) < 1);
    assert_true(p->total.lt > 0);
    pfc_profile_close(p);
}

static void threads_may_outlive_it(void **state)
{
    int i;
    (void)state;
    for (i = 0; i < 10; i++) left_behind("outlived", 0, PFC_ENDED);
}

static void exec_keeps_what_was_there(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("exec"), 7);
    assert_int_equal(profiles(), 2);
    p = profile("perfcomp.0.pfc");
    assert_int_equal(hits(p), 100);
    pfc_profile_close(p);
    p = profile(other);
    assert_int_equal(p->run, PFC_ENDED);
    assert_int_equal(hits(p), 100);
    pfc_profile_close(p);
}

static void exec_of_a_forked_child_keeps_its_parents(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("fork and exec"), 0); /* reads what the child says, too, and so until it has ended */
    assert_string_equal(said, "");
    assert_int_equal(profiles(), 3);
    p = profile("perfcomp.0.pfc");
    assert_false(p->forked);
    assert_int_equal(calls(p, "scenario"), 1);
    assert_int_equal(p->run, PFC_ENDED);
    pfc_profile_close(p);
}

static void a_forked_child_has_its_own(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("fork"), 0);
    assert_int_equal(profiles(), 2);
    p = profile("perfcomp.0.pfc");
    assert_int_equal(hits(p), 100);
    assert_int_equal(calls(p, "some work"), 1);
    assert_int_equal(p->run, PFC_ENDED);
    pfc_profile_close(p);
    p = profile(other);
    assert_int_equal(hits(p), 200);
    assert_int_equal(calls(p, "some work"), 2);
    assert_int_equal(p->run, PFC_ENDED);
    assert_true(p->forked);
    assert_true(fabs(p->thread[0].end - p->thread[0].begin - p->total.ct) < 1.5 / p->ticks_per_ns); /* a tick tells the start apart */
    assert_true(p->start_ns > 0 && p->start_ns < p->total.ct - p->total.lt); /* its own, not its parent's */
    pfc_profile_close(p);
}

/* What its parent has been through isn't its own; whose child and which rank it is stays. */
static void a_forked_child_has_no_past(void **state)
{
    pfc_profile_t *p;
    size_t i, found = 0;
    int64_t parent;
    double ct;
    (void)state;
    setenv("PERFCOMP_TRACE", "1", 1);
    assert_int_equal(run("fork late"), 0);
    p = profile("perfcomp.2.pfc");
    parent = p->pid, ct = p->total.ct;
    assert_true(p->notes > 0);
    assert_int_equal(p->stray_ends, 1);
    assert_int_equal(p->lost_regions, 1);
    assert_int_equal(p->threads, 2);
    pfc_profile_close(p);
    assert_int_equal(unlink(in_folder("perfcomp.2.pfc")), 0);
    assert_int_equal(profiles(), 1);
    p = profile(other);
    assert_int_equal(p->parent_pid, parent);
    assert_int_equal(p->rank, 2);
    assert_int_equal(p->size, 4);
    assert_int_equal(p->stray_ends + p->lost_regions + p->notes, 0);
    assert_int_equal(p->threads, 1);
    assert_int_equal(p->thread[0].events, 6);
    assert_true(p->total.ct + 20e6 < ct && p->total.lt > 0 && p->fork_delta > 1e9);
    for (i = 0; i < p->regions; i++) {
        const pfc_stats_t *s = &p->region[i].stats;
        if (strcmp(p->region[i].name, "at times")) continue;
        found += s->count;
        assert_true(s->shortest == s->longest);
    }
    assert_int_equal(found, 1);
    pfc_profile_close(p);
}

static void a_handler_may_fork_amid_a_wait(void **state)
{
    pfc_profile_t *p;
    (void)state;
#if THREAD_SANITIZED /* it takes what the child writes for its parent's */
    skip();
#endif
    assert_int_equal(run("fork amid a wait"), 0);
    assert_string_equal(said, "");
    assert_int_equal(profiles(), 2); /* its own, and that of the last child, which is forked as usual */
    p = profile("perfcomp.0.pfc");
    assert_int_equal(hits(p), 200);
    assert_int_equal(calls(p, "some work"), 2);
    assert_int_equal(p->strays, 1);
    pfc_profile_close(p);
}

/* Of a killed one nobody knows until when it ran; its start and what it has done are in its time, though. */
static void a_killed_childs_time_has_its_start(void **state)
{
    pfc_profile_t *p;
    size_t i;
    (void)state;
    assert_int_equal(run("fork and kill"), 0);
    assert_int_equal(profiles(), 2);
    p = profile(other);
    assert_int_equal(p->run, PFC_DIED);
    for (i = 0; i < p->regions; i++)
        if (!strcmp(p->region[i].name, "some work")) assert_true(p->total.ct > p->start_ns + p->region[i].stats.inclusive.ct - 1);
    pfc_profile_close(p);
}

static void children_of_children_map_no_more(void **state)
{
    (void)state;
    assert_int_equal(run("fork again and again"), 0);
    assert_int_equal(profiles(), 21);
}

/* And its run is that of the thread which forked it, its only one. */
static void a_threads_child_has_one_thread(void **state)
{
    pfc_profile_t *p;
    size_t i;
    (void)state;
    assert_int_equal(run("fork by a thread"), 0);
    p = profile("perfcomp.0.pfc");
    assert_int_equal(p->threads, 2);
    pfc_profile_close(p);
    profiles();
    p = profile(other);
    assert_int_equal(p->threads, 1);
    assert_int_equal(calls(p, "scenario"), 0);
    assert_int_equal(calls(p, "forks"), 1);
    assert_int_equal(calls(p, "some work"), 2);
    assert_int_equal(hits(p), 200);
    assert_true(p->total.lt > 0);
    for (i = 0; i < p->notes; i++) assert_null(strstr(p->note[i], "several threads"));
    pfc_profile_close(p);
}

/* What it counts isn't its parent's. */
static void both_have_their_own(const char *scenario, pfc_run_t childs)
{
    pfc_profile_t *p;
    int looks;
    assert_int_equal(run(scenario), 0); /* reads what the child says, too, and so until it is about to end */
    assert_int_equal(profiles(), 2);
    p = profile("perfcomp.0.pfc");
    assert_int_equal(hits(p), 100);
    assert_int_equal(p->run, PFC_ENDED);
    pfc_profile_close(p);
    p = profile(other);
    for (looks = 0; p->run == PFC_RUNNING && looks < 1000; looks++) { /* its files are closed before the process has gone */
        pfc_profile_close(p);
        usleep(10000);
        p = profile(other);
    }
    assert_int_equal(hits(p), 200);
    assert_int_equal(p->run, childs);
    pfc_profile_close(p);
}

static void a_child_may_begin_as_its_parents_profile_ends(void **state)
{
    (void)state;
    both_have_their_own("fork as it ends", PFC_ENDED);
}

static void a_child_may_begin_as_its_parent_ends(void **state)
{
    (void)state;
#if THREAD_SANITIZED /* it takes what the child writes for its parent's */
    skip();
#endif
    both_have_their_own("fork as all ends", PFC_DIED); /* the library believes that it has run the child's destructors */
}

static void a_program_that_runs_others_keeps_its_name(void **state)
{
    (void)state;
    assert_int_equal(run("spawn"), 0);
    assert_int_equal(profiles(), 3);
}

static void the_next_run_replaces_an_ended_one(void **state)
{
    (void)state;
    run("return");
    run("kill");
    run("return");
    assert_int_equal(profiles(), 1);
}

/* Its path can't be told, and the root isn't the place for a profile. */
static void the_working_directory_may_be_gone(void **state)
{
    struct stat before, after; /* a daemon may have left its own there */
    int there = !stat("/perfcomp.0.pfc", &before);
    (void)state;
    assert_int_equal(run("gone"), 7);
    assert_non_null(strstr(said, "the working directory is gone"));
    assert_non_null(strstr(said, "PERFCOMP_DIR"));
    assert_int_equal(profiles(), 1); /* of the program that began there */
    assert_int_equal(!stat("/perfcomp.0.pfc", &after), there);
    assert_true(!there || before.st_mtime == after.st_mtime);
}

static void the_working_directory_may_change(void **state)
{
    (void)state;
    assert_int_equal(run("chdir"), 0);
    assert_int_equal(profiles(), 1);
}

static void closed_descriptors_are_not_written_to(void **state)
{
    (void)state;
    assert_int_equal(run("close all"), 0);
    setenv("PERFCOMP_FILE", "none", 1);
    assert_int_equal(run("close all"), 0);
}

static void privileges_may_be_given_up(void **state)
{
    pfc_profile_t *p;
    (void)state;
    if (geteuid()) skip();
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(run("privileges"), 0);
    assert_string_equal(said, "");
    p = profile("perfcomp.0.pfc");
    assert_int_equal(p->run, PFC_ENDED);
    assert_true(p->regions > REGIONS);
    assert_int_equal(p->lost_regions, 0);
    pfc_profile_close(p);
}

/* ---- settings */

static void signals_lose_no_count(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_in_range(run("interrupted"), 0, 3);
    p = profile("perfcomp.0.pfc");
    assert_in_range(calls(p, "tick"), TICKS, TICKS + 3);
    assert_int_equal(calls(p, "around"), calls(p, "within"));
    assert_int_equal(p->unclosed, 0);
    pfc_profile_close(p);
}

/* Where the stack lies the C library tells by way of malloc: a handler that has come upon malloc would wait for itself. */
static void signal_handlers_need_not_ask_for_the_stack(void **state)
{
    (void)state;
    assert_int_equal(run("stack"), 1);
}

static void signal_handlers_may_not_come_back(void **state)
{
    pfc_profile_t *p;
    int i;
    (void)state;
#if THREAD_SANITIZED /* it doesn't get over siglongjmp out of a handler */
    skip();
#endif
    for (i = 0; i < 5; i++) {
        assert_int_equal(run("left by signals"), 0);
        p = profile("perfcomp.0.pfc");
        assert_int_equal(p->run, PFC_ENDED);
        assert_true(p->total.ct < 1.001 * p->thread[0].end); /* nothing is counted twice */
        assert_in_range(calls(p, "leave"), TICKS / 10 - 8, TICKS / 10 + TICKS / 30 + 1); /* an exit that was left counts again */
        pfc_profile_close(p);
    }
}

static void signals_meet_growing_tables(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("interrupted growing"), 0);
    p = profile("perfcomp.0.pfc");
#if defined PFC__BY_THE_LIBRARY
    assert_true(calls(p, "larger") > 5);
#endif
    assert_true(p->regions > REGIONS);
    pfc_profile_close(p);
}

static void off_leaves_nothing(void **state)
{
    (void)state;
    setenv("PERFCOMP", "off", 1);
    assert_int_equal(run("exit"), 7);
    assert_int_equal(profiles(), 0);
    assert_string_equal(said, "");
    assert_int_equal(run("report"), 0); /* errno stays */
    assert_non_null(strstr(said, "perfcomp: off, nothing to report"));
}

static void pfc_start_names_a_run_that_has_begun(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("named late"), 0);
    p = profile("perfcomp.0.pfc");
    assert_non_null(strstr(p->command, " its name"));
    assert_string_not_equal(p->host, ""); /* all else that is known of it stays */
    assert_string_equal(p->directory, folder);
    assert_int_equal(hits(p), 100);
    pfc_profile_close(p);
}

static void no_file_but_a_report(void **state)
{
    (void)state;
    setenv("PERFCOMP_FILE", "none", 1);
    setenv("PERFCOMP_REPORT", "1", 1);
    assert_int_equal(run("exit"), 7);
    assert_int_equal(profiles(), 0);
    assert_non_null(strstr(said, "some work"));
}

static void a_live_folder_is_left_at_the_end(void **state)
{
    char live[80];
    pfc_profile_t *p;
    (void)state;
    snprintf(live, sizeof live, "%s/live", folder);
    assert_int_equal(mkdir(live, 0700), 0);
    setenv("PERFCOMP_LIVE", live, 1);
    left_behind("exit", 7, PFC_ENDED);
    assert_int_equal(rmdir(live), 0); /* empty again */
    assert_int_equal(mkdir(live, 0700), 0);
    assert_int_equal(run("kill"), -SIGKILL);
    p = profile("perfcomp.0.pfc"); /* a link to where it lies */
    assert_int_equal(p->run, PFC_DIED);
    assert_int_equal(hits(p), 100);
    pfc_profile_close(p);
    left_behind("exit", 7, PFC_ENDED);
    assert_int_equal(rmdir(live), 0); /* what the killed run had left there is gone with its link */
}

static void a_live_folder_may_be_cleared(void **state)
{
    (void)state;
    setenv("PERFCOMP_LIVE", folder, 1);
    assert_int_equal(run("cleared"), 0);
    assert_non_null(strstr(said, "the profile is lost: "));
    assert_null(strstr(said, "it stays in"));
}

static void nonsense_is_named(void **state)
{
    (void)state;
    setenv("PERFCOMP", "maybe", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP=maybe"));
    unsetenv("PERFCOMP");
    setenv("PERFCOMP_BUDGET", "lots", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_BUDGET=lots"));
    unsetenv("PERFCOMP_BUDGET");
    setenv("PERFCOMP_SCALE", "1.05", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_SCALE=1.05 isn't understood"));
    setenv("PERFCOMP_SCALE", "1.05,0.01,", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_SCALE=1.05,0.01, isn't understood"));
    setenv("PERFCOMP_SCALE", "1,05", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_SCALE=1,05 isn't understood"));
    assert_non_null(strstr(said, "with decimal points, like PERFCOMP_SCALE=1.05,0.01"));
    unsetenv("PERFCOMP_SCALE");
    setenv("PERFCOMP_TRACE", "all", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_TRACE=all isn't understood: use PERFCOMP_TRACE=1, or the number of events"));
    setenv("PERFCOMP_TRACE", "99999999999999999999", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_TRACE=99999999999999999999 is more than the 16777216 events that can be kept"));
    unsetenv("PERFCOMP_TRACE");
    setenv("PERFCOMP_CLOCK", "sundial", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_CLOCK=sundial"));
    unsetenv("PERFCOMP_CLOCK");
    setenv("PERFCOMP_SMPI_COST_NS", "200", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_SMPI_COST_NS=200 is left aside: only in virtual time"));
    unsetenv("PERFCOMP_SMPI_COST_NS");
    setenv("PERFCOMP_BUGDET", "2%", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_BUGDET"));
    unsetenv("PERFCOMP_BUGDET");
    setenv("PERFCOMP_A_NAME_THAT_IS_LONGER_THAN_ANY_OF_THOSE_THAT_ARE_KNOWN", "1", 1);
    assert_int_equal(run("exit"), 7);
    unsetenv("PERFCOMP_A_NAME_THAT_IS_LONGER_THAN_ANY_OF_THOSE_THAT_ARE_KNOWN");
    assert_non_null(strstr(said, "_THAT_ARE_KNOWN is set, but is no setting of perfcomp"));
}

/* Each rank's profile has it, but it is said once. */
static void nonsense_is_named_by_a_jobs_first_rank(void **state)
{
    pfc_profile_t *p;
    (void)state;
    setenv("PERFCOMP_CLOCK", "sundial", 1);
    setenv("PMI_RANK", "0", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_CLOCK=sundial"));
    setenv("PMI_RANK", "2", 1);
    assert_int_equal(run("exit"), 7);
    assert_string_equal(said, "");
    p = profile("perfcomp.2.pfc");
    assert_true(p->notes > 0);
    assert_non_null(strstr(p->note[0], "PERFCOMP_CLOCK=sundial"));
    pfc_profile_close(p);
}

/* Also in a program whose locale has a comma in them, where such a one can be made. */
static void numbers_have_a_point(void **state)
{
    pfc_profile_t *p;
    const char *end;
    char command[128];
    (void)state;
    assert_true(fabs(pfc__number("1.05,0.01", &end) - 1.05) < 1e-12);
    assert_string_equal(end, ",0.01");
    assert_true(fabs(pfc__number("60", &end) - 60) < 1e-12);
    assert_string_equal(end, "");
    assert_true(fabs(pfc__number(".5%", &end) - .5) < 1e-12);
    assert_string_equal(end, "%");
    assert_true(fabs(pfc__number("1.5e-9", &end) - 1.5e-9) < 1e-15);
    assert_string_equal(end, "");
    assert_true(fabs(pfc__number("2E+3e", &end) - 2000) < 1e-9);
    assert_string_equal(end, "e");
    assert_true(pfc__number("1e999", &end) > 1e308);
    pfc__number(".", &end);
    assert_string_equal(end, ".");
    pfc__number("-1", &end);
    assert_string_equal(end, "-1");
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", folder);
    if (system(command)) print_message("no locale with a comma could be made\n");
    setenv("LOCPATH", folder, 1);
    setenv("PERFCOMP_SCALE", "1.05,0.01", 1);
    setenv("PERFCOMP_BUDGET", "2.5%", 1);
    assert_int_equal(run("exit with a comma"), 7);
    assert_string_equal(said, "");
    p = profile("perfcomp.0.pfc");
    assert_true(fabs(p->scale - 1.05) < 1e-12);
    assert_true(fabs(p->budget - .025) < 1e-12);
    pfc_profile_close(p);
    setenv("PERFCOMP_REPORT", "1", 1);
    setenv("PERFCOMP_VERBOSE", "1", 1);
    assert_int_equal(run("exit with a comma"), 7);
    assert_non_null(strstr(said, "of the run: "));
    assert_non_null(strstr(said, "null probe: "));
    for (end = said; (end = strchr(end, ',')) != 0; end++) /* 1,234 is a count */
        assert_true(strspn(end + 1, "0123456789") == 3 || !isdigit((unsigned char)end[1]));
}

/* Descriptor 2 may be a file of the program's by then: nothing of ours comes into it. */
static void only_what_was_stderr_at_the_start_is_written_to(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("data at 2"), 0);
    assert_string_equal(said, "");
    p = profile("perfcomp.0.pfc");
    assert_true(p->notes > 0); /* reports show it */
    assert_string_equal(p->note[0], "late");
    pfc_profile_close(p);
    setenv("PERFCOMP_REPORT", "1", 1);
    assert_int_equal(run("data at 2"), 0);
    assert_non_null(strstr(said, "of the run: "));
    assert_int_equal(run("closes stderr"), 0);
    assert_non_null(strstr(said, "of the run: "));
}

/* As by `2>&1 | head`. */
static void a_report_that_nobody_reads_ends_no_program(void **state)
{
    int out[2];
    (void)state;
    setenv("PERFCOMP_REPORT", "1", 1);
    setenv("PERFCOMP_VERBOSE", "1", 1);
    assert_int_equal(pipe(out), 0);
    close(out[0]);
    assert_int_equal(status_of(started("exit", out)), 7);
}

static void a_note_leaves_stderr_to_wide_characters(void **state)
{
    (void)state;
    assert_int_equal(run("wide stderr"), 0);
    assert_string_equal(said, "perfcomp: between\nwide\nperfcomp: behind it\n");
}

static void verbose_says_what_is_done(void **state)
{
    (void)state;
    setenv("PERFCOMP_VERBOSE", "1", 1);
    setenv("PERFCOMP_CLOCK", "system", 1);
    left_behind("exit", 7, PFC_ENDED);
    assert_non_null(strstr(said, "begins; profile: "));
    assert_non_null(strstr(said, "/perfcomp.0.pfc; clock: clock_gettime(CLOCK_MONOTONIC) (PERFCOMP_CLOCK=system); null probe: "));
    assert_non_null(strstr(said, "ends; profile: "));
}

/* ---- obstacles: the program runs as ever, and one line says what is wrong and what mends it */

static void in_memory_instead_unless(const char *word, const char *mend)
{
    setenv("PERFCOMP_REPORT", "1", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, word));
    assert_non_null(strstr(said, mend));
    assert_non_null(strstr(said, "some work")); /* the report is there all the same */
}

static void in_memory_instead(const char *word) { in_memory_instead_unless(word, "PERFCOMP_DIR"); }

static void the_folder_is_missing(void **state)
{
    (void)state;
    setenv("PERFCOMP_DIR", "/proc/no/such/folder", 1);
    in_memory_instead("No such file or directory");
    setenv("PERFCOMP_DIR", "/sys/perfcomp", 1); /* where nobody makes one: that it isn't there is not the reason */
    in_memory_instead("perfcomp.0.pfc");
    assert_null(strstr(said, "No such file or directory"));
}

static void the_folder_is_made(void **state)
{
    (void)state;
    setenv("PERFCOMP_DIR", "made/at/all/levels", 1);
    assert_int_equal(run("exit"), 7);
    assert_string_equal(said, "");
    pfc_profile_close(profile("made/at/all/levels/perfcomp.0.pfc"));
}

/* As of a test suite's programs, none of which takes the place of another one. */
static void each_process_has_a_folder(void **state)
{
    glob_t found;
    size_t i;
    (void)state;
    setenv("PERFCOMP_DIR", "%p%/of %p", 1);
    assert_int_equal(run("exit"), 7);
    assert_int_equal(run("exit"), 7);
    assert_string_equal(said, "");
    assert_int_equal(glob(in_folder("*/of */perfcomp.0.pfc"), 0, 0, &found), 0);
    assert_int_equal(found.gl_pathc, 2);
    for (i = 0; i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i] + strlen(folder) + 1;
        pfc_profile_t *p = profile(name);
        char own[80];
        snprintf(own, sizeof own, "%ld%%/of %ld/perfcomp.0.pfc", (long)p->pid, (long)p->pid);
        assert_string_equal(name, own);
        pfc_profile_close(p);
    }
    globfree(&found);
}

/* The folder is there, and what stands in the way is an older thing of that name. */
static void the_name_is_taken_for_good(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_folder("perfcomp.0.pfc"), 0700), 0);
    in_memory_instead("Is a directory");
}

static void a_pipe_of_that_name_gives_way(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_folder("perfcomp.0.pfc"), 0600), 0);
    left_behind("return", 0, PFC_ENDED);
}

static void the_live_folder_is_missing(void **state)
{
    static char long_name[PATH_MAX + 1];
    (void)state;
    setenv("PERFCOMP_LIVE", "no/such/folder", 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "no/such/folder/perfcomp.0."));
    assert_non_null(strstr(said, "set PERFCOMP_LIVE"));
    assert_null(strstr(said, "PERFCOMP_DIR"));
    assert_int_equal(profiles(), 1); /* where it would have come to lie; and no link to nowhere */
    pfc_profile_close(profile("perfcomp.0.pfc"));
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    setenv("PERFCOMP_LIVE", long_name, 1);
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "PERFCOMP_LIVE is longer than a path may be: the profile lies in its own folder"));
    assert_int_equal(profiles(), 1);
    pfc_profile_close(profile("perfcomp.0.pfc"));
    setenv("PERFCOMP_LIVE", "no/such/folder", 1);
    setenv("PERFCOMP_DIR", "/proc/no/such/folder", 1); /* neither that */
    assert_int_equal(run("exit"), 7);
    assert_non_null(strstr(said, "set PERFCOMP_DIR"));
    assert_null(strstr(said, "PERFCOMP_LIVE"));
}

static void the_file_size_is_limited(void **state)
{
    struct rlimit old, limit;
    (void)state;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 65536;
    setrlimit(RLIMIT_FSIZE, &limit);
    in_memory_instead_unless("File too large", "ulimit -f");
    setrlimit(RLIMIT_FSIZE, &old);
}

/* By the program, when the profile is larger already: its end can't be written there any more. */
static void the_file_size_becomes_limited(void **state)
{
    (void)state;
    assert_int_equal(run("small files only"), 0);
    pfc_profile_close(profile("perfcomp.0.pfc"));
}

/* As by `2>messages`. */
static void a_report_beyond_the_limit_of_files_ends_no_program(void **state)
{
    struct rlimit old, limit;
    int out[2];
    (void)state;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 100;
    setenv("PERFCOMP_REPORT", "1", 1);
    assert_int_equal(pipe(out), 0);
    close(out[1]);
    out[1] = open(in_folder("messages"), O_WRONLY | O_CREAT, 0600);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(status_of(started("exit", out)), 7);
    setrlimit(RLIMIT_FSIZE, &old);
    close(out[0]);
}

/* A file system of our own, for those who may have one. */
static int mounted(const char *options, unsigned long flags)
{
    char where[80];
    snprintf(where, sizeof where, "%s/mount", folder);
    if (mkdir(where, 0700) || unshare(CLONE_NEWNS) || mount("", "/", 0, MS_REC | MS_PRIVATE, 0) ||
        mount("tmpfs", where, "tmpfs", flags, options)) return 0;
    setenv("PERFCOMP_DIR", where, 1);
    return 1;
}

static void unmounted(void)
{
    char where[80];
    snprintf(where, sizeof where, "%s/mount", folder);
    umount(where);
}

static void the_disk_is_full(void **state)
{
    (void)state;
    if (!mounted("size=16k", 0)) skip();
    in_memory_instead("No space left on device");
    unmounted();
}

static void the_file_system_is_read_only(void **state)
{
    char below[128];
    (void)state;
    if (!mounted("size=1m", MS_RDONLY)) skip();
    in_memory_instead("Read-only file system");
    snprintf(below, sizeof below, "%s/a/b", getenv("PERFCOMP_DIR")); /* a says why, b only that there is no a */
    setenv("PERFCOMP_DIR", below, 1);
    in_memory_instead("Read-only file system");
    unmounted();
}

static void the_disk_becomes_full_later(void **state)
{
    pfc_profile_t *p;
    (void)state;
    if (!mounted("size=600k", 0)) skip();
    assert_int_equal(run("many"), 0);
    assert_non_null(strstr(said, "overflow"));
    p = profile("mount/perfcomp.0.pfc");
    assert_int_equal(p->run, PFC_ENDED);
    assert_true(p->lost_regions > 0);
    assert_int_equal(p->lost_threads, 1);
    pfc_profile_close(p);
    unmounted();
}

/* As it was; and one line is enough, however many are forked. */
static void parent_tells_of_unsaved(const char *file, pfc__u64 unsaved)
{
    const char *line = strstr(said, "forked process");
    pfc_profile_t *p = profile(file);
    assert_non_null(line);
    assert_null(strstr(line + 1, "forked process"));
    assert_int_equal(p->run, PFC_ENDED);
    assert_int_equal(calls(p, "some work"), 1);
    assert_int_equal(hits(p), 100);
    assert_int_equal(p->unsaved, unsaved);
    if (p->threads == 1) assert_int_equal(p->notes, 0);
    pfc_profile_close(p);
}

static void the_disk_is_full_for_forks(void **state)
{
    (void)state;
    if (!mounted("size=300k", 0)) skip();
    assert_int_equal(run("fork thrice"), 0);
    assert_non_null(strstr(said, "No space left on device"));
    parent_tells_of_unsaved("mount/perfcomp.0.pfc", 3);
    unmounted();
}

/* A trace's ring is smaller then, and regions have room. */
static void the_disk_has_little_room_for_a_trace(void **state)
{
    pfc_profile_t *p;
    (void)state;
    if (!mounted("size=1400k", 0)) skip();
    setenv("PERFCOMP_TRACE", "1", 1);
    assert_int_equal(run("return"), 0);
    unsetenv("PERFCOMP_TRACE");
    assert_non_null(strstr(said, "PERFCOMP_TRACE: for 65536 events of this thread there is no room (No space left on device)"));
    p = profile("mount/perfcomp.0.pfc");
    assert_int_equal(p->run, PFC_ENDED);
    assert_true(p->thread[0].events > 0);
    assert_int_equal(p->lost_regions, 0);
    pfc_profile_close(p);
    unmounted();
}

static void there_is_no_memory_for_a_fork(void **state)
{
    (void)state;
#if ADDRESS_SANITIZED || THREAD_SANITIZED
    skip(); /* sanitizers themselves need addresses */
#endif
    assert_int_equal(run("fork without memory"), 0);
    parent_tells_of_unsaved("perfcomp.0.pfc", 1);
}

static void there_is_no_proc(void **state)
{
    char where[80];
    (void)state;
#if ADDRESS_SANITIZED || THREAD_SANITIZED
    skip(); /* the sanitizer itself needs /proc */
#endif
    if (!mounted("size=8m", 0)) skip();
    snprintf(where, sizeof where, "%s/mount", folder);
    if (mount(where, "/proc", 0, MS_BIND, 0)) { unmounted(); skip(); }
    setenv("PERFCOMP_DIR", folder, 1);
    assert_int_equal(run("exit"), 7);
    assert_int_equal(profiles(), 1);
    assert_string_equal(said, "");
    umount("/proc");
    unmounted();
}

static void a_fork_waits_for_who_waits_for_us(void **state)
{
    (void)state;
#if THREAD_SANITIZED /* remembers in the child what the parent's other threads did, and takes it for a race with them */
    skip();
#endif
    assert_int_equal(run("fork beside a lock"), 0);
    assert_non_null(strstr(said, "another thread"));
    parent_tells_of_unsaved("perfcomp.0.pfc", 1);
}

static void threads_may_be_cancelled_at_any_time(void **state)
{
    pfc_profile_t *p;
    (void)state;
#if ADDRESS_SANITIZED || THREAD_SANITIZED
    skip(); /* the sanitizer's own functions don't stand it */
#endif
    assert_int_equal(run("cancel"), 0);
    p = profile("perfcomp.0.pfc");
    assert_int_equal(p->run, PFC_ENDED);
    pfc_profile_close(p);
}

/* What windows are kept in is for one thread, and so are second doses, where all windows have them. */
static void threads_have_one_set_of_windows(void **state)
{
    static const char *const kind[] = { "light", "doubled" };
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        pfc_profile_t *p;
        setenv("PERFCOMP_CONTEXT", kind[i], 1);
        assert_int_equal(run("windows of threads"), 0);
        unsetenv("PERFCOMP_CONTEXT");
        p = profile("perfcomp.0.pfc");
        assert_int_equal(calls(p, "inner of many"), 1000000);
        assert_int_equal(p->unwound + p->unclosed + p->stray_ends, 0);
        pfc_profile_close(p);
    }
    assert_int_equal(run("fork beside windows"), 0);
}

static void notes_and_regions_take_room_in_turn(void **state)
{
    pfc_profile_t *p;
    (void)state;
    assert_int_equal(run("notes of threads"), 0);
    p = profile("perfcomp.0.pfc");
    assert_true(p->notes >= NOTES);
    assert_int_equal(calls(p, "region 1"), 1);
    pfc_profile_close(p);
}

static void a_profile_may_be_read_as_it_grows(void **state)
{
    (void)state;
    left_behind("kill growing", -SIGKILL, PFC_DIED);
}

static void growing_leaves_errno_alone(void **state)
{
    (void)state;
    assert_int_equal(run("grow without descriptors"), 0);
}

#define LIFE(test) cmocka_unit_test_setup_teardown(test, fresh, clean)

int main(int argc, char **argv)
{
    static char path[PATH_MAX];
    const struct CMUnitTest tests[] = {
        LIFE(ends_by_return), LIFE(ends_by_exit_inside_a_region), LIFE(ends_by__exit), LIFE(ends_by_abort),
        LIFE(ends_by_segfault), LIFE(ends_by_kill), LIFE(a_killed_servers_waits_are_known),
        LIFE(main_may_end_before_the_program), LIFE(threads_may_outlive_it), LIFE(exec_keeps_what_was_there),
        LIFE(exec_of_a_forked_child_keeps_its_parents),
        LIFE(a_forked_child_has_its_own), LIFE(a_forked_child_has_no_past), LIFE(a_handler_may_fork_amid_a_wait), LIFE(a_killed_childs_time_has_its_start),
        LIFE(a_threads_child_has_one_thread), LIFE(children_of_children_map_no_more), LIFE(a_child_may_begin_as_its_parents_profile_ends), LIFE(a_child_may_begin_as_its_parent_ends),
        LIFE(a_program_that_runs_others_keeps_its_name), LIFE(the_next_run_replaces_an_ended_one),
        LIFE(the_working_directory_may_change), LIFE(the_working_directory_may_be_gone), LIFE(closed_descriptors_are_not_written_to),
        LIFE(privileges_may_be_given_up), LIFE(signals_lose_no_count),
        LIFE(signals_meet_growing_tables), LIFE(signal_handlers_may_not_come_back),
        LIFE(signal_handlers_need_not_ask_for_the_stack), LIFE(off_leaves_nothing),
        LIFE(pfc_start_names_a_run_that_has_begun), LIFE(no_file_but_a_report), LIFE(a_live_folder_is_left_at_the_end), LIFE(a_live_folder_may_be_cleared),
        LIFE(nonsense_is_named),
        LIFE(nonsense_is_named_by_a_jobs_first_rank),
        LIFE(numbers_have_a_point),
        LIFE(only_what_was_stderr_at_the_start_is_written_to),
        LIFE(a_note_leaves_stderr_to_wide_characters),
        LIFE(a_report_that_nobody_reads_ends_no_program),
        LIFE(verbose_says_what_is_done),
        LIFE(the_folder_is_missing), LIFE(the_folder_is_made), LIFE(each_process_has_a_folder), LIFE(the_name_is_taken_for_good),
        LIFE(a_pipe_of_that_name_gives_way), LIFE(the_live_folder_is_missing), LIFE(the_file_size_is_limited), LIFE(the_file_size_becomes_limited),
        LIFE(a_report_beyond_the_limit_of_files_ends_no_program), LIFE(the_disk_is_full),
        LIFE(the_file_system_is_read_only), LIFE(the_disk_becomes_full_later), LIFE(the_disk_is_full_for_forks), LIFE(there_is_no_memory_for_a_fork),
        LIFE(threads_have_one_set_of_windows), LIFE(notes_and_regions_take_room_in_turn), LIFE(a_profile_may_be_read_as_it_grows),
        LIFE(growing_leaves_errno_alone),
        LIFE(a_fork_waits_for_who_waits_for_us), LIFE(threads_may_be_cancelled_at_any_time),
        LIFE(the_disk_has_little_room_for_a_trace), LIFE(there_is_no_proc),
    };
    self = realpath("/proc/self/exe", path);
    if (!self) self = argv[0];
    setenv("LIFE_TEST", self, 1);
    if (argc > 1 && strstr(argv[1], "comma")) setlocale(LC_ALL, "de_DE.UTF-8");
    if (argc > 1) return scenario(argv[1]);
    pfc__off = 1;
    return cmocka_run_group_tests(tests, 0, 0);
}
