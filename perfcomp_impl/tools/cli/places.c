/* Places of MPI calls, by function and source line where the program that made
   them is still there and addr2line (binutils) is installed; otherwise they
   stay what the profile has: program + offset. */
#include "cli.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define NAME_MOST 60 /* bytes of the program's name that a place has */

/* The run's program is that file: it's there, and no newer than the run. */
static int is_of_run(const pfc_profile_t *p, const char *file)
{
    struct stat s;
    return !stat(file, &s) && (int64_t)s.st_mtim.tv_sec <= p->begin_utc_ns / 1000000000;
}

/* As its command named it; NULL: it didn't, as where it was sought in PATH. To be freed. */
static char *named_by_command(const pfc_profile_t *p)
{
    size_t n = strcspn(p->command, " ");
    char *path;
    if (!memchr(p->command, '/', n)) return 0;
    return asprintf(&path, "%s%s%.*s", *p->command == '/' ? "" : p->directory, *p->command == '/' ? "" : "/", (int)n, p->command) < 0 ? 0 : path;
}

/* In that file; NULL: it is somewhere else. */
static const char *offset_in(const char *place, const char *program)
{
    const char *slash = strrchr(program, '/'), *plus = strrchr(place, '+');
    const size_t n = slash ? strnlen(slash + 1, NAME_MOST) : 0;
    return n && plus && n == (size_t)(plus - place) && !strncmp(place, slash + 1, n) ? plus + 1 : 0;
}

/* What the command prints; NULL: it can't be run. To be closed, and the process waited for. */
static FILE *output_of(char **command, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    int ends[2], error;
    if (pipe2(ends, O_CLOEXEC)) return 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(pid, command[0], &files, 0, command, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (!error) return fdopen(ends[0], "r");
    close(ends[0]);
    return 0;
}

/* "function  file:line", or as much as is known of it; NULL: nothing is. To be freed. */
static char *place_named(const char *function, char *line, const char *directory, const char *place)
{
    size_t n = strlen(directory);
    char *name = 0, *discriminator = strstr(line, " (discriminator ");
    if (!strcmp(function, "??")) return 0;
    if (discriminator) *discriminator = 0;
    if (!strncmp(line, directory, n) && line[n] == '/') line += n + 1;
    if (asprintf(&name, "%s  %s", function, *line == '?' ? place : line) < 0) return 0;
    return name;
}

/* addr2line prints two lines for each of the offsets that it is given: the places they belong to. */
static void read_names(FILE *f, const pfc_profile_t *p, pfc_mpi_calls_t **calls, size_t n)
{
    char *function = 0, *line = 0, *name;
    size_t room[2] = { 0, 0 }, i;
    for (i = 0; i < n && getline(&function, &room[0], f) > 0 && getline(&line, &room[1], f) > 0; i++) {
        function[strcspn(function, "\n")] = line[strcspn(line, "\n")] = 0;
        name = place_named(function, line, p->directory, calls[i]->place);
        if (name) calls[i]->place = name; /* kept until the tool ends */
    }
    free(function);
    free(line);
}

/* Of the places that are in that program; 0: there are none. */
static size_t name_those_in(const pfc_profile_t *p, char *program)
{
    static char addr2line[] = "addr2line", with_functions[] = "-f", of[] = "-e";
    char **command = (char **)must(calloc(p->mpi->places + 5, sizeof *command));
    pfc_mpi_calls_t **calls = (pfc_mpi_calls_t **)must(calloc(p->mpi->places + 1, sizeof *calls));
    size_t n = 0, k;
    pid_t pid;
    FILE *f;
    command[0] = addr2line;
    command[1] = with_functions;
    command[2] = of;
    command[3] = program;
    for (k = 0; k < p->mpi->places; k++) {
        const char *offset = offset_in(p->mpi->place[k].place, program);
        if (offset) calls[n] = &p->mpi->place[k], command[4 + n++] = (char *)(uintptr_t)offset;
    }
    f = n && is_of_run(p, program) ? output_of(command, &pid) : 0;
    if (f) {
        read_names(f, p, calls, n);
        fclose(f);
        waitpid(pid, 0, 0);
    }
    free(calls);
    free(command);
    return n;
}

/* Places are called as the program was, which may have been a link to it. */
void places_name(const pfc_profile_t *p)
{
    char *named;
    if (!p->mpi || name_those_in(p, (char *)(uintptr_t)p->executable)) return;
    named = named_by_command(p);
    if (named) name_those_in(p, named);
    free(named);
}
