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

/* The program's file, as its command named it; NULL: it isn't known, or newer than the run. To be freed. */
static char *program_of(const pfc_profile_t *p)
{
    size_t n = strcspn(p->command, " ");
    char *path;
    struct stat s;
    if (!memchr(p->command, '/', n)) return 0;
    if (asprintf(&path, "%s%s%.*s", *p->command == '/' ? "" : p->directory, *p->command == '/' ? "" : "/", (int)n, p->command) < 0) return 0;
    if (!stat(path, &s) && (int64_t)s.st_mtim.tv_sec <= p->begin_utc_ns / 1000000000) return path;
    free(path);
    return 0;
}

/* In that file; NULL: it is somewhere else. */
static const char *offset_in(const char *place, const char *program)
{
    const char *name = strrchr(program, '/') + 1, *plus = strrchr(place, '+');
    return plus && strlen(name) == (size_t)(plus - place) && !strncmp(place, name, strlen(name)) ? plus + 1 : 0;
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
    char *name = 0;
    if (!strcmp(function, "??")) return 0;
    line[strcspn(line, " ")] = 0; /* (discriminator 2) */
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

void places_name(const pfc_profile_t *p)
{
    static char addr2line[] = "addr2line", with_functions[] = "-f", of[] = "-e";
    char *program = p->mpi ? program_of(p) : 0, **command;
    pfc_mpi_calls_t **calls;
    size_t n = 0, k;
    pid_t pid;
    FILE *f;
    if (!program) return;
    command = (char **)must(calloc(p->mpi->places + 5, sizeof *command));
    calls = (pfc_mpi_calls_t **)must(calloc(p->mpi->places + 1, sizeof *calls));
    command[0] = addr2line;
    command[1] = with_functions;
    command[2] = of;
    command[3] = program;
    for (k = 0; k < p->mpi->places; k++) {
        const char *offset = offset_in(p->mpi->place[k].place, program);
        if (offset) calls[n] = &p->mpi->place[k], command[4 + n++] = (char *)(uintptr_t)offset;
    }
    f = n ? output_of(command, &pid) : 0;
    if (f) {
        read_names(f, p, calls, n);
        fclose(f);
        waitpid(pid, 0, 0);
    }
    free(calls);
    free(command);
    free(program);
}
