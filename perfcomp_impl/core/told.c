/* ----------------------------------------------------------- told (impl) ---
   What the system tells: in a short file, such as those of /proc, and in the environment. */

/* A string of less than `room` bytes. Returns its length; 0: there is none, or it can't be read. */
static PFC__QUIET size_t pfc__told(const char *path, char *text, size_t room)
{
    int fd = pfc__sys_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : pfc__sys_read(fd, text, room - 1);
    if (fd >= 0) pfc__sys_close(fd);
    if (n < 0) n = 0;
    text[n] = 0;
    return (size_t)n;
}

/* Not getenv: a program may have one of its own (shells do), whose calls are counted. Where a program has more rights than
   its caller, the caller's wishes don't count: files would be written with them. */
const char *pfc__environment(const char *name)
{
    extern char **environ;
    size_t n = strlen(name);
    char **entry = environ;
#ifdef __linux__
    if (getauxval(AT_SECURE)) return 0;
#endif
    while (entry && *entry && (strncmp(*entry, name, n) || (*entry)[n] != '=')) entry++;
    return entry && *entry ? *entry + n + 1 : 0;
}
