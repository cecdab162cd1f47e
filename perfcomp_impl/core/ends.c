/* ---------------------------------------------------------- ends (impl) ---
   In place of _exit and its like (see exits.c). perfcomp-cc makes an object of
   its own of this (PERFCOMP_ENDS), which the linker takes only where they are
   called: a library that names a way to exit, even weakly and for nobody,
   doesn't pass its project's test that it has none (PostgreSQL's libpq). */

#if !defined PFC__ENDS_HERE && (defined PERFCOMP_ENDS || (defined PFC__THREADS_MEET && !defined PERFCOMP_ENDS_APART))
#define PFC__ENDS_HERE
PFC__EXTERN_C_BEGIN

#define PFC__END(name) \
    extern __attribute__((weak, noreturn)) void __real_##name(int), __wrap_##name(int); \
    __attribute__((weak, noreturn)) PFC__QUIET void __wrap_##name(int status) \
    { \
        pfc__ends(); \
        __real_##name(status); \
    }

PFC__END(_exit)
PFC__END(_Exit)
PFC__END(quick_exit)

PFC__EXTERN_C_END
#endif
