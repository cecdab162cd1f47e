/* To preload into MPICH programs that run more ranks than there are
   processors: a rank that waits lets the others go on. Open MPI does so by
   itself when it is told; MPICH over UCX only asks this function again and again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    unsigned events;
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    events = next(worker);
    if (!events) sched_yield();
    return events;
}
