/* ----------------------------------------------------------------- sites ---
   Where regions begin, and how instrumented functions enter and leave them: by
   one call each, unless perfcomp is off. The hot path is in the program once, in
   its runtime, compiled with the runtime's options. In each unit it would cost a
   third of the time to compile a small one, and win nothing over a call (measured). */

enum pfc__region_kind { PFC__FUNCTION = 1, PFC__NAMED = 2, PFC__BLOCK = 3, PFC__MPI_CALL = 4, PFC__OVERFLOW = 5 };

/* One place in the source where a region begins. `id` is its number in the
   profile, given at first use; regions of equal name (functions: name and
   file) share one number. `leaf`: no other one is entered inside. `light` is a
   path of this region whose entries are left untimed now: some thread's last one. */
typedef struct pfc__site {
    pfc__u32 id;
    pfc__u32 kind, line, leaf;
    const char *name, *file;
    struct pfc__node *light;
} pfc__site_t;

#define PFC__UNKNOWN 0xffffffffu
#define PFC__SITE_OF(kind, name, line, file, leaf) { PFC__UNKNOWN, kind, line, leaf, name, file, PFC__NULL }
#define PFC__SITE(kind, name, line, file) PFC__SITE_OF(kind, name, line, file, 0)

/* What an enter leaves behind for its exit: the depth; 0: nothing was entered. */
typedef struct pfc__token { pfc__u64 depth; } pfc__token_t;

PFC__EXTERN_C_BEGIN
extern int pfc__off; /* 1: PERFCOMP=off, or after pfc_stop() */
PFC__QUIET pfc__u64 pfc__unit_enter(pfc__site_t *site, pfc__uptr sp);
PFC__QUIET void pfc__unit_leave(pfc__u64 depth);
PFC__EXTERN_C_END

/* Another thread may end it all at this moment: any answer is right. */
PFC__HOT int pfc__is_off(void)
{
    return __atomic_load_n(&pfc__off, __ATOMIC_RELAXED);
}

PFC__HOT pfc__token_t pfc__unit_begin(pfc__site_t *site, pfc__uptr sp)
{
    pfc__token_t token;
    token.depth = PFC__LIKELY(!pfc__is_off()) ? pfc__unit_enter(site, sp) : 0;
    return token;
}

PFC__HOT void pfc__unit_end(const pfc__token_t *token)
{
    if (PFC__LIKELY(token->depth != 0)) pfc__unit_leave(token->depth);
}

/* Where this frame's part of the stack ends; equal in functions inlined into one
   another. Volatile: otherwise one reading may be taken before the function makes
   room on the stack and serve later regions, which then seem to lie outside of
   those that read afterwards. For the same reason gcc is asked for what it would
   save of the stack: first it gives back what a call's arguments took there,
   which it otherwise puts off. */
PFC__HOT pfc__uptr pfc__stack_pointer(void)
{
    pfc__uptr sp;
#if defined __x86_64__ && !defined __ILP32__ && !defined __clang__
    __asm__ __volatile__("{mov %%rsp, %0|mov %0, rsp}" : "=r"(sp) : "X"(__builtin_stack_save()));
#elif defined __x86_64__ && !defined __ILP32__
    __asm__ __volatile__("{mov %%rsp, %0|mov %0, rsp}" : "=r"(sp)); /* or so at -masm=intel */
#elif defined __aarch64__
    __asm__ __volatile__("mov %0, sp" : "=r"(sp));
#else
    sp = (pfc__uptr)__builtin_frame_address(0);
#endif
    return sp;
}
