/* ------------------------------------------------------- mutexes (impl) ---
   Ours, which are none of those that the program waits for (see locks). */

/* Where the linker can put our functions in place of the library's. A simulated process has one thread. */
#if defined __ELF__ && !defined PERFCOMP_SMPI
#  define PFC__THREADS_MEET
#endif

#if defined PFC__THREADS_MEET
extern __attribute__((weak)) int __real_pthread_mutex_lock(pthread_mutex_t *);
extern __attribute__((weak)) int __real_pthread_mutex_unlock(pthread_mutex_t *);
#  define PFC__REAL(name) (__real_##name ? __real_##name : name)
#else
#  define PFC__REAL(name) name
#endif

void pfc__mutex_lock(void *mutex) { PFC__REAL(pthread_mutex_lock)((pthread_mutex_t *)mutex); }
void pfc__mutex_unlock(void *mutex) { PFC__REAL(pthread_mutex_unlock)((pthread_mutex_t *)mutex); }
