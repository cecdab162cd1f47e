/* ------------------------------------------------------- filters (impl) ---
   A program that gives up calls of the system (seccomp) is ended where one of
   them is made, by us, too. So each of ours is put to the program's filters
   first, as the kernel will do, and fails where they don't let it pass. */

/* Linux's sock_filter and sock_fprog: a program of the classic BPF (S. McCanne, V. Jacobson: The BSD packet filter, 1993), whose
   codes linux/bpf_common.h and linux/filter.h name as here. */
typedef struct pfc__filter_step { uint16_t code; unsigned char yes, no; pfc__u32 k; } pfc__filter_step_t;
typedef struct pfc__filter_program { unsigned short steps; const pfc__filter_step_t *step; } pfc__filter_program_t;

typedef struct pfc__filter {
    const struct pfc__filter *earlier;
    size_t steps;                    /* none: nothing passes */
    pfc__filter_step_t step[1];      /* as many as there are */
} pfc__filter_t;

static const pfc__filter_t *pfc__filters; /* the latest one, of whatever thread; those of a parent before exec aren't known */

enum { PFC__FILTERED_WORDS = 16, PFC__FILTER_PASSES = 0x7fff };

static PFC__QUIET pfc__u32 pfc__filter_load(const pfc__filter_step_t *s, const pfc__u32 *data, const pfc__u32 *memory)
{
    switch (s->code & 0xe0) {
    case 0x20: /* BPF_ABS */ return data[s->k / 4 % PFC__FILTERED_WORDS];
    case 0x60: /* BPF_MEM */ return memory[s->k % 16];
    case 0x80: /* BPF_LEN */ return PFC__FILTERED_WORDS * 4;
    default: /* BPF_IMM */ return s->k;
    }
}

static PFC__QUIET pfc__u32 pfc__filter_compute(unsigned code, pfc__u32 a, pfc__u32 b)
{
    switch (code & 0xf0) {
    case 0x00: /* BPF_ADD */ return a + b;
    case 0x10: /* BPF_SUB */ return a - b;
    case 0x20: /* BPF_MUL */ return a * b;
    case 0x30: /* BPF_DIV */ return a / b;
    case 0x40: /* BPF_OR */ return a | b;
    case 0x50: /* BPF_AND */ return a & b;
    case 0x60: /* BPF_LSH */ return b < 32 ? a << b : 0;
    case 0x70: /* BPF_RSH */ return b < 32 ? a >> b : 0;
    case 0x80: /* BPF_NEG */ return 0u - a;
    default: /* BPF_XOR */ return a ^ b;
    }
}

static PFC__QUIET int pfc__filter_holds(unsigned code, pfc__u32 a, pfc__u32 b)
{
    switch (code & 0xf0) {
    case 0x10: /* BPF_JEQ */ return a == b;
    case 0x20: /* BPF_JGT */ return a > b;
    case 0x30: /* BPF_JGE */ return a >= b;
    default: /* BPF_JSET */ return (a & b) != 0;
    }
}

/* What Linux would answer. */
static PFC__QUIET pfc__u32 pfc__filter_run(const pfc__filter_t *f, const pfc__u32 *data)
{
    pfc__u32 a = 0, x = 0, memory[16] = { 0 };
    size_t at;
    for (at = 0; at < f->steps; at++) {
        const pfc__filter_step_t *s = f->step + at;
        const pfc__u32 operand = s->code & 8 ? x : s->k;
        switch (s->code & 7) {
        case 0: /* BPF_LD */ a = pfc__filter_load(s, data, memory); break;
        case 1: /* BPF_LDX */ x = pfc__filter_load(s, data, memory); break;
        case 2: /* BPF_ST */ memory[s->k % 16] = a; break;
        case 3: /* BPF_STX */ memory[s->k % 16] = x; break;
        case 4: /* BPF_ALU */
            if ((s->code & 0xf0) == 0x30 && !operand) return 0;
            a = pfc__filter_compute(s->code, a, operand);
            break;
        case 5: /* BPF_JMP */ at += !(s->code & 0xf0) ? s->k : pfc__filter_holds(s->code, a, operand) ? s->yes : s->no; break;
        case 6: /* BPF_RET */ return s->code & 0x10 ? a : s->k;
        default: /* BPF_MISC */ if (s->code & 0x80) a = x; else x = a;
        }
    }
    return 0;
}

/* What is only logged doesn't pass either: others read that log. */
static PFC__QUIET int pfc__filters_pass(long number, long a, long b, long c, long d, long e, long f)
{
#if defined __aarch64__
    const pfc__u32 machine = 0xc00000b7;
#else
    const pfc__u32 machine = 0xc000003e;
#endif
    const long argument[] = { a, b, c, d, e, f };
    pfc__u32 data[PFC__FILTERED_WORDS] = { (pfc__u32)number, machine };
    const pfc__filter_t *filter = __atomic_load_n(&pfc__filters, __ATOMIC_ACQUIRE);
    size_t i;
    for (i = 0; i < 6; i++) {
        data[4 + 2 * i] = (pfc__u32)argument[i];
        data[5 + 2 * i] = (pfc__u32)((pfc__u64)argument[i] >> 32);
    }
    while (filter && pfc__filter_run(filter, data) >> 16 == PFC__FILTER_PASSES) filter = filter->earlier;
    return !filter;
}

/* Of what the C library calls for us. */
#if defined __linux__
#  define PFC__LETS(call) (!pfc__filters || pfc__filters_pass(SYS_##call, 0, 0, 0, 0, 0, 0))
#else
#  define PFC__LETS(call) 1
#endif
