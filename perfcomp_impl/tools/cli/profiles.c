/* Files and folders of profiles. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <sys/stat.h>

/* Its process was just beginning, or was killed then: the file is empty, or has nothing behind its mark. */
static int has_just_begun(const char *name)
{
    char magic[sizeof PFC__MAGIC - 1] = "";
    uint32_t byte_order = 0;
    struct stat status;
    FILE *file = stat(name, &status) || !S_ISREG(status.st_mode) ? 0 : fopen(name, "re"); /* who opens a pipe waits */
    size_t n;
    if (!file) return 0;
    n = fread(magic, 1, sizeof magic, file);
    if (n == sizeof magic && fread(&byte_order, sizeof byte_order, 1, file) != 1) byte_order = 1;
    fclose(file);
    return n == 0 || (n == sizeof magic && !byte_order && (!*magic || !memcmp(magic, PFC__MAGIC, sizeof magic)));
}

/* It was there a moment ago: a later run is about to replace it. */
static int is_gone(const char *name)
{
    struct stat status;
    return lstat(name, &status) && errno == ENOENT;
}

/* In a folder, where nobody has named it, a file without a profile is none. */
static int is_none_yet(const char *name, int in_folder) { return in_folder && (is_gone(name) || has_just_begun(name)); }

static void refused(profiles_t *profiles, const char *name, int none_yet, const char *why)
{
    if (none_yet) {
        if (profiles->told == ALL_IS_TOLD) say(0, "%s: begun just now, or killed then: left out", name);
        return;
    }
    if (profiles->told != NOTHING_IS_TOLD) say(0, "%s", why);
    profiles->status = BAD_INPUT;
}

/* Nobody writes it any more. Who was about to become another program may yet have failed to. */
static int is_final(const pfc_profile_t *p) { return !p->collected && (p->run == PFC_ENDED || (p->run == PFC_DIED && p->left != PFC__LEFT_BY_EXEC)); }

static int is_still_of(const pfc_profile_t *p, const char *name)
{
    pfc__header_t header;
    FILE *file = fopen(name, "re");
    int is_same = file && fread(&header, sizeof header, 1, file) == 1 && !memcmp(header.magic, PFC__MAGIC, sizeof PFC__MAGIC - 1)
        && header.pid == p->pid && header.utc_begin_ns == p->begin_utc_ns;
    if (file) fclose(file);
    return is_same;
}

/* Taken over from the look before. */
static pfc_profile_t *read_before(profiles_t *before, const char *name)
{
    size_t i;
    for (i = 0; before && i < before->n; i++) {
        pfc_profile_t *p = before->p[i];
        if (!p || strcmp(p->file, name) || !is_final(p) || !is_still_of(p, name)) continue;
        before->p[i] = 0;
        return p;
    }
    return 0;
}

static void add(profiles_t *profiles, pfc_profile_t *p)
{
    profiles->p = (pfc_profile_t **)must(realloc(profiles->p, (profiles->n + 1) * sizeof *profiles->p));
    profiles->p[profiles->n++] = p;
}

/* All that the file holds. What has none, though it isn't none yet, was replaced, or got its beginning, while we looked. */
static void add_file(profiles_t *profiles, const char *name, int in_folder)
{
    char why[PFC_WHY];
    size_t n, i;
    int none_yet;
    pfc_profile_t *known = read_before(profiles->before, name);
    if (known) { add(profiles, known); return; }
    n = pfc_profiles_in(name, why, sizeof why);
    none_yet = !n && is_none_yet(name, in_folder);
    if (!n && in_folder && !none_yet) n = pfc_profiles_in(name, why, sizeof why);
    if (!n) { refused(profiles, name, none_yet, why); return; }
    for (i = 0; i < n; i++) {
        pfc_profile_t *p = pfc_profile_open_one(name, i, why, sizeof why);
        none_yet = !p && is_none_yet(name, in_folder);
        if (!p && in_folder && !none_yet) p = pfc_profile_open_one(name, i, why, sizeof why);
        if (p && profiles->wanted == TIMES) pfc_profile_forget_blocks(p);
        if (p) add(profiles, p);
        else refused(profiles, name, none_yet, why);
    }
}

/* One of a merged file, called as the report names it: perfcomp.pfc/perfcomp.3.pfc. 0: there is no such file. */
static int add_member(profiles_t *profiles, const char *name)
{
    char why[PFC_WHY], *file = (char *)must(strdup(name)), *slash = strrchr(file, '/');
    size_t n, i;
    int is_merged = 0, is_found = 0;
    if (slash) *slash = 0;
    n = slash ? pfc_profiles_in(file, why, sizeof why) : 0;
    for (i = 0; i < n; i++) {
        pfc_profile_t *p = pfc_profile_open_one(file, i, why, sizeof why);
        is_merged |= p && p->collected;
        if (!p || !p->collected || strcmp(p->file, name)) { pfc_profile_close(p); continue; }
        if (profiles->wanted == TIMES) pfc_profile_forget_blocks(p);
        add(profiles, p);
        is_found = 1;
    }
    if (is_merged && !is_found) {
        snprintf(why, sizeof why, "%s: there is no such profile in the merged file; perfcomp report %s names those that are", name, file);
        refused(profiles, name, 0, why);
    }
    free(file);
    return is_merged;
}

static int is_profile_name(const struct dirent *entry) { return !fnmatch("?*.pfc", entry->d_name, 0); }

int profiles_in(const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, is_profile_name, 0), i;
    for (i = 0; i < n; i++) free(entry[i]);
    if (n >= 0) free(entry);
    return n;
}

int has_profiles_below(const char *folder)
{
    struct dirent *entry;
    DIR *d = profiles_in(folder) ? 0 : opendir(folder);
    int n = 0;
    while (d && n <= 0 && (entry = readdir(d)) != 0) {
        char *name = 0;
        if (*entry->d_name == '.') continue;
        if (asprintf(&name, "%s/%s", folder, entry->d_name) < 0) must(0);
        n = profiles_in(name);
        free(name);
    }
    if (d) closedir(d);
    return n > 0;
}

static void say_empty(const char *folder)
{
    if (has_profiles_below(folder)) say(0, "%s: holds no perfcomp.*.pfc, but folders in it do: name these, like %s/*", folder, folder);
    else say(0, "%s: holds no perfcomp.*.pfc; run the instrumented program there, or name its folder (PERFCOMP_DIR)", folder);
}

static void add_folder(profiles_t *profiles, const char *folder)
{
    struct dirent **entry;
    size_t first = profiles->n;
    int n = scandir(folder, &entry, is_profile_name, alphasort), i;
    if (n < 0) {
        if (profiles->told != NOTHING_IS_TOLD) say(0, "%s: can't be read: %s", folder, strerror(errno));
        profiles->status = BAD_INPUT;
        return;
    }
    if (n == 0 && profiles->told == ALL_IS_TOLD) {
        say_empty(folder);
        profiles->status = BAD_INPUT;
    }
    for (i = 0; i < n; i++) {
        char *name = 0;
        if (!strcmp(folder, ".")) name = strdup(entry[i]->d_name);
        else if (asprintf(&name, "%s/%s", folder, entry[i]->d_name) < 0) name = 0;
        add_file(profiles, (const char *)must(name), 1);
        free(name);
        free(entry[i]);
    }
    free(entry);
    leave_out_earlier(profiles, first, folder);
}

static int by_rank(const void *a, const void *b)
{
    const pfc_profile_t *x = *(pfc_profile_t *const *)a, *y = *(pfc_profile_t *const *)b;
    ORDER(x->rank, y->rank);
    ORDER(x->begin_utc_ns, y->begin_utc_ns);
    ORDER(x->pid, y->pid);
    ORDER(y->last_utc_ns, x->last_utc_ns); /* a copy from while it ran comes behind */
    ORDER(y->collected, x->collected);
    return strcmp(x->file, y->file);
}

int is_spared(const verb_t *verb, const char *output, int merges)
{
    char why[PFC_WHY];
    pfc_profile_t *there = pfc_profile_open_one(output, 0, why, sizeof why);
    int is_lost = there && !(merges && there->collected);
    pfc_profile_close(there);
    if (!is_lost) return 0;
    say(verb->name, "%s: is a profile, and would be lost; write elsewhere", output);
    return 1;
}

static int is_one_process(const pfc_profile_t *a, const pfc_profile_t *b)
{
    return a->rank == b->rank && a->pid == b->pid && a->begin_utc_ns == b->begin_utc_ns && !strcmp(a->host, b->host);
}

/* A file may be named, and its folder, too; what was merged, or a copy, may lie beside: sorted, it comes behind the first. */
static void take_once(profiles_t *profiles)
{
    size_t i, kept = 0;
    for (i = 0; i < profiles->n; i++) {
        pfc_profile_t *p = profiles->p[i];
        if (kept && is_one_process(p, profiles->p[kept - 1])) pfc_profile_close(p);
        else profiles->p[kept++] = p;
    }
    profiles->n = kept;
}

static void add_names(profiles_t *profiles, char **names, int n)
{
    struct stat s;
    int i;
    if (n == 0) add_folder(profiles, ".");
    for (i = 0; i < n; i++) {
        int missing = stat(names[i], &s) ? errno : 0;
        if (!missing && S_ISDIR(s.st_mode)) add_folder(profiles, names[i]);
        else if (missing == ENOTDIR && add_member(profiles, names[i])) continue;
        else if (missing != ENOENT || profiles->told == ALL_IS_TOLD) add_file(profiles, names[i], profiles->told != ALL_IS_TOLD);
    }
    if (profiles->n) qsort(profiles->p, profiles->n, sizeof *profiles->p, by_rank);
    take_once(profiles);
}

int profiles_open(profiles_t *profiles, char **names, int n, enum contents wanted)
{
    memset(profiles, 0, sizeof *profiles);
    profiles->wanted = wanted;
    add_names(profiles, names, n);
    if (profiles->n) return OK;
    profiles_close(profiles);
    return profiles->status = BAD_INPUT;
}

int is_named_again(const char *verb, const char *name, profiles_t *run, const char *other, const profiles_t *before)
{
    if (!run->n || run->n != before->n || !is_one_process(run->p[0], before->p[0])) return 0;
    say(verb, "%s: is the run that %s is: taken once", name, other);
    profiles_close(run);
    return 1;
}

/* Who leaves by _exit, or becomes another program, has come to its end. */
static int is_unfinished(const pfc_profile_t *p) { return p->run != PFC_ENDED && !(p->run == PFC_DIED && p->left); }

void say_unfinished(const char *verb, const char *name, const profiles_t *run)
{
    size_t i, n = 0;
    for (i = 0; i < run->n; i++) n += (size_t)is_unfinished(run->p[i]);
    if (!n) return;
    if (run->n > 1) say(verb, "%s: %zu of %zu processes died, or still run: only what was done until then counts", name, n, run->n);
    else say(verb, "%s: died, or still runs: only what was done until then counts", name);
}

void say_uncompensated(const char *verb, const char *name, const profiles_t *run)
{
    size_t i = 0;
    while (i < run->n && run->p[i]->compensated) i++;
    if (i < run->n) say(verb, "%s: was run with PERFCOMP_COMPENSATE=0: its LT is CT, with what instrumentation took", name);
}

void profiles_look(profiles_t *profiles, char **names, int n, profiles_t *before)
{
    memset(profiles, 0, sizeof *profiles);
    profiles->told = before ? NOTHING_IS_TOLD : BAD_ONES_ARE_TOLD;
    profiles->before = before;
    add_names(profiles, names, n);
    profiles->before = 0;
}

const char *profiles_note(const profiles_t *profiles, const char *begin)
{
    size_t k, i;
    for (k = 0; k < profiles->n; k++)
        for (i = 0; i < profiles->p[k]->notes; i++)
            if (!strncmp(profiles->p[k]->note[i], begin, strlen(begin))) return profiles->p[k]->note[i];
    return 0;
}

void say_lost_counts(const profiles_t *profiles)
{
    const char *note = profiles_note(profiles, "several threads ran, but the counters of ");
    if (!note) return;
    fputs("perfcomp: ", stderr);
    pfc_print_text(stderr, note);
    putc('\n', stderr);
}

void profiles_close(profiles_t *profiles)
{
    size_t i;
    for (i = 0; i < profiles->n; i++) pfc_profile_close(profiles->p[i]);
    free(profiles->p);
    profiles->p = 0;
    profiles->n = 0;
}
