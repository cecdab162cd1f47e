/* --------------------------------------------------------- exits (impl) ---
   Ends that run no exit handlers: _exit, and another program in this one's
   place. All that readers know of the profile's end is then its last sign of
   life, which is given here; counts in between would count as a time that isn't
   known. Linked with --wrap=_exit … (perfcomp-cc does it). */

#if defined PFC__THREADS_MEET

/* A child of vfork has its parent's memory, and isn't what the profile is of. */
static PFC__QUIET int pfc__profile_is_own(void)
{
    pid_t pid = pfc__is_off() || !pfc__arena.base ? 0 : pfc__sys_getpid();
    return pid < 0 || (pid && PFC__HEADER->pid == pid); /* it may not be asked for, in a sandbox */
}

static PFC__QUIET void pfc__last_sign(enum pfc__left left)
{
    pfc__stray_look();
    if (!pfc__profile_is_own()) return;
    pfc__process_ends();
    pfc__sign_of_life();
    PFC__HEADER->amid = pfc__amid_handler(1);
    PFC__HEADER->left = left;
    pfc__process_tells(PFC__HEADER->tick_end, left == PFC__LEFT_BY_EXIT ? pfc__clock() : 0);
}

/* There was no such program. */
static PFC__QUIET void pfc__still_alive(void)
{
    if (pfc__profile_is_own()) PFC__HEADER->left = 0;
}

void pfc__ends(void) { pfc__last_sign(PFC__LEFT_BY_EXIT); } /* see ends.c */

#define PFC__EXEC(name, parameters, arguments) \
    extern __attribute__((weak)) int __real_##name parameters; \
    PFC__INSTEAD int __wrap_##name parameters \
    { \
        int result; \
        pfc__last_sign(PFC__LEFT_BY_EXEC); \
        result = __real_##name arguments; \
        pfc__still_alive(); \
        return result; \
    }

PFC__EXEC(execv, (const char *path, char *const argv[]), (path, argv))
PFC__EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
PFC__EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
PFC__EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
PFC__EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
PFC__EXEC(execveat, (int folder, const char *path, char *const argv[], char *const envp[], int flags), (folder, path, argv, envp, flags))

/* As the library does: the arguments become an array on the stack, since a child of vfork, or a handler, may call it.
   What calls these is a POSIX program, whose execv is the library's. */
#define PFC__EXEC_LIST(name, real, more, arguments) \
    PFC__INSTEAD int __wrap_##name(const char *file, const char *first, ...) \
    { \
        size_t n = 0, i; \
        const char *next = first; \
        char **argv; \
        int result; \
        va_list list; \
        va_start(list, first); \
        for (; next; n++) next = va_arg(list, const char *); \
        va_end(list); \
        argv = (char **)__builtin_alloca((n + 1) * sizeof *argv); \
        va_start(list, first); \
        memcpy(argv, &first, sizeof first); \
        for (i = 1; i <= n; i++) argv[i] = va_arg(list, char *); \
        more \
        va_end(list); \
        pfc__last_sign(PFC__LEFT_BY_EXEC); \
        result = __real_##real arguments; \
        pfc__still_alive(); \
        return result; \
    }

PFC__EXEC_LIST(execl, execv, , (file, argv))
PFC__EXEC_LIST(execlp, execvp, , (file, argv))
PFC__EXEC_LIST(execle, execve, char *const *envp = va_arg(list, char *const *);, (file, argv, envp))

/* Ends the process inside of the library, where no wrapper is, and goes on in a forked one. */
extern __attribute__((weak)) int __real_daemon(int stays, int keeps);
PFC__INSTEAD int __wrap_daemon(int stays, int keeps)
{
    int result;
    pfc__last_sign(PFC__LEFT_BY_EXIT);
    result = __real_daemon(stays, keeps);
    pfc__still_alive();
    return result;
}

#endif
