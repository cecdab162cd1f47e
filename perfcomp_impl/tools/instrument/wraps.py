"""What the runtime stands in for: calls of the C library and of OpenMP's, at whose places the linker puts the runtime's."""

import re

# Where threads begin and wait for each other, and ends without exit handlers:
# perfcomp_impl/core/pthreads.c, conditions.c, locks.c, tasks.c, openmp.c, ompt.c, processes.c, clones.c, exits.c, ends.c, sandbox.c.
NAMES = (
    "_Fork", "clone", "syscall", "prctl", "seccomp_load", "_exit", "_Exit", "quick_exit", "daemon", "execv", "execvp", "execve", "execvpe",
    "execl", "execlp", "execle", "fexecve", "execveat", "waitpid", "wait3", "wait4", "waitid",
    "pthread_create", "pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np",
    "pthread_barrier_init", "pthread_barrier_destroy", "pthread_barrier_wait",
    "pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_wait", "pthread_cond_timedwait",
    "pthread_cond_clockwait", "sem_post", "sem_wait", "sem_timedwait", "sem_clockwait",
    "kill", "sigqueue", "pthread_kill", "sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend", "pause",
    "pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_mutex_unlock",
    "pthread_rwlock_rdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock", "pthread_rwlock_wrlock",
    "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock", "pthread_rwlock_unlock",
    "thrd_create", "thrd_join", "mtx_lock", "mtx_timedlock", "mtx_unlock",
    "cnd_signal", "cnd_broadcast", "cnd_wait", "cnd_timedwait",
    "omp_set_lock", "omp_unset_lock", "omp_set_nest_lock", "omp_unset_nest_lock",
    "GOMP_critical_start", "GOMP_critical_end", "GOMP_critical_name_start", "GOMP_critical_name_end",
    "GOMP_parallel", "GOMP_parallel_sections", "GOMP_parallel_loop_static", "GOMP_parallel_loop_dynamic",
    "GOMP_parallel_loop_guided", "GOMP_parallel_loop_nonmonotonic_dynamic", "GOMP_parallel_loop_nonmonotonic_guided",
    "GOMP_parallel_loop_runtime", "GOMP_parallel_loop_nonmonotonic_runtime", "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
    "GOMP_parallel_reductions", "GOMP_workshare_task_reduction_unregister", "GOMP_barrier", "GOMP_loop_end", "GOMP_sections_end",
    "GOMP_barrier_cancel", "GOMP_loop_end_cancel", "GOMP_sections_end_cancel", "GOMP_single_copy_start", "GOMP_single_copy_end",
    "GOMP_ordered_start",
    "GOMP_loop_ordered_static_next", "GOMP_loop_ordered_dynamic_next", "GOMP_loop_ordered_guided_next",
    "GOMP_loop_ordered_runtime_next", "GOMP_loop_ull_ordered_static_next", "GOMP_loop_ull_ordered_dynamic_next",
    "GOMP_loop_ull_ordered_guided_next", "GOMP_loop_ull_ordered_runtime_next",
    "GOMP_task", "GOMP_taskwait", "GOMP_taskgroup_start", "GOMP_taskgroup_end", "GOMP_taskloop", "GOMP_taskloop_ull",
    "__kmpc_critical", "__kmpc_critical_with_hint", "__kmpc_end_critical", "__kmpc_ordered", "__kmpc_end_ordered")
OPTIONS = ["-Wl,--wrap=" + name for name in NAMES]

_KNOWN = frozenset(NAMES)
_NO_SYMBOL = re.compile(r"\binline|\b__inline|\b_*(?:weak|asm|thread|Thread_local)_*\b")  # none that has another one


def own(source, exported):
    """Declarations by which the unit's functions and variables of these names stay themselves: a tree's clone() isn't the
    library's, and would get what that takes. What a header of the system declares is meant as the library's, and is
    wrapped like it."""
    return "".join('extern __typeof__(%s) __wrap_%s __attribute__((alias("%s"), visibility("hidden")));\n' % ((name,) * 3)
                   for name in exported if name in _KNOWN and _is_another(source, name))


def _is_another(source, name):
    named = [match.start() for match in re.finditer(rf"\b{name}\b", source.text)]
    return not any(source.is_system(place) or _NO_SYMBOL.search(source.declaration(place)) for place in named)
