/* perfcomp_mpi.h: what an MPI program would do if it were not instrumented.

   In one C file of the program:

       #define PERFCOMP_IMPLEMENTATION
       #define PERFCOMP_MPI_IMPLEMENTATION
       #include "perfcomp_mpi.h"

       $ mpicc -O2 program.c -lm -pthread

   and run it as always. Each rank then knows, beside the clock CT, by how much
   instrumentation has delayed it (Δ), its own and what came to it with messages
   and in collectives; LT = CT − Δ is when the uninstrumented program would have
   been there. perfcomp.<rank>.pfc has the times and waits of every MPI call;
   `perfcomp report` on their folder shows them, by call, by rank, and who waited for whom:
   of a collective's ranks, for the one that came last, as measured, and for the one that would have.

   without rebuilding     make preload MPICC=mpicc builds exactly this as build/libperfcomp_mpi.so, for
   the program            programs that load that compiler's MPI library: mpiexec -n 4 env
                          LD_PRELOAD=…/libperfcomp_mpi.so ./program. Processes that don't call MPI_Init may
                          have it too. A program with this layer linked in keeps that one; one that is only
                          instrumented must export perfcomp.h's names (perfcomp-cc sees to it; -rdynamic);
                          one that wraps MPI calls itself runs uncompensated, and another tool for MPI
                          that is loaded behind this one sees nothing. Notes say so
   environment            PERFCOMP_MPI_EAGER=bytes  longest message that doesn't wait for its receiver,
                          where measuring it at start finds another one
                          PERFCOMP_MPI=some        a part of the ranks has no layer: messages stay as they are
                          PERFCOMP_MPI=all         all have it, where the launcher can't be asked
                          PERFCOMP_MPI_MERGE=1     the profiles of all ranks become one file, perfcomp.pfc, in
                          place of one per rank. They end at MPI_Finalize, because MPI-IO does: what the
                          program does after it isn't in them. Where that file can't be written, those of
                          the ranks stay, as do those of processes that they have spawned. `perfcomp merge`
                          makes the same of the files that are there, also of a simulation, where nothing is merged
                          PERFCOMP_MPI_TRIALS=off  on any rank: collectives aren't tried out (see there)
   a part of the ranks    without the layer is found out at MPI_Init, by asking the launcher (MPICH's and
                          Open MPI's); then nothing travels with messages, Δ is each rank's own
                          overhead only, and a note on stderr and in the profile says so
   Fortran                programs, in whole or in part: mpif.h and `use mpi`; with Open MPI `use mpi_f08`
                          too (MPICH's calls PMPI_Init, past every tool: such a job runs uncompensated). Places of
                          calls are known with Open MPI's mpif.h and `use mpi`; else all calls of a kind
                          are made at one, in the library that translates them
   MPI sessions           are measured from MPI_Init on; a note says where it isn't called before them
   under SimGrid          -DPERFCOMP_SMPI, and PERFCOMP_SMPI_COST_NS: what each operation costs; smpirun needs
                          --cfg=smpi/iprobe:1e-7 --cfg=smpi/test:1e-7 --cfg=smpi/grow-injected-times:no

   clocks                 of several hosts are fitted to rank 0's at MPI_Init, and again in collectives of all
                          ranks and at MPI_Finalize (not with MPI_THREAD_MULTIPLE: there the bound grows);
                          the bound is in every ± u

   counted blocks         cost too little to be added to Δ one by one: their share is taken at MPI calls, as
                          often as summing the counters takes less than 1 % of the time (not with
                          PERFCOMP_TRACE=1)

   traces                 (PERFCOMP_TRACE=1) have each message at both ends, named by its sender and when it
                          was sent: perfcomp export --format chrome-trace (Perfetto) draws an arrow from one to
                          the other, with its communicator (MPI_COMM_WORLD in place of one with two sides), tag
                          and length; so has --format otf2 (Vampir). Collective calls have their communicator,
                          root, and bytes (in OTF2 what comes in where counts differ by rank is 0); those that
                          don't block last from their start to the end of the call that completes them. Questions in vain, one right
                          after the other, as by MPI_Test, are one call

   collectives            MPI doesn't tell which way their data go. At the first Bcast, Reduce, Scatter, Gather,
                          Scan or Exscan of about a length between ranks in an order, in whatever communicator,
                          the layer makes some of its own, to which they come at different times. The clocks of
                          all of them then tell whether data go straight, by a binomial tree (of three kinds), by
                          one of four, a binary one (of two kinds) or a chain, by way of rank 0, or whether all
                          wait for all, and moments pass by that way. It takes 0.2 to 0.5 ms, more of many ranks
                          (up to 16 ms, and what the calls take) or where they share processors, and synchronises
                          that first call, as MPI lets it. Programs of many sets of ranks and lengths may take
                          several times as long by that: the report says so above 5 % of the run, and
                          PERFCOMP_MPI_TRIALS=off saves it. Where data are so long that a message waits for its
                          receiver, who comes late holds up those before it, too, and whomever these hand on to
                          next. Where none of these ways explains the clocks (a pipeline of pieces; several levels
                          of trees), the likeliest is taken, and ± u has what was waited beside it; so it has of a
                          Reduce by an operation that doesn't commute, for which libraries may have another one. In
                          a scan, MPICH's ranks wait for later ones as well as for those before, which is found out
                          likewise. Of nonblocking and persistent ones nothing is tried: what ranks wait there for
                          others than the root, or than those before, is in ± u. For Alltoallv and Alltoallw it is tried once
                          whether ranks wait for those that have nothing for them (MPICH's don't; Open MPI's do
                          by their number), and if they don't, moments go where data go; and with the first
                          Gatherv and Scatterv, whether who has no part in one waits, or is waited for (in
                          neither library). In Allgatherv and Reduce_scatter the calls' own clocks show that,
                          now and then; until they do it is in ± u. Where nobody has data, and in calls on
                          files and fences with MPI_MODE_NOPRECEDE, what a rank that came last by its probes would
                          have waited for the others is in ± u, unless these, who came long before it, have
                          stayed; with a root, and in scans, it is tried. Of nonblocking and persistent ones,
                          all of it is in ± u. Such a one may be over for a rank before all have come, and they may
                          even wait for that one's next message: a call that asks for it, or takes what is
                          complete, gives their moments a millisecond; what it waited, and they don't explain, is
                          in ± u. Between all, moments pass in steps as most libraries'
                          data do (dissemination or a hypercube), or in one from whoever was last, as agrees with
                          the clock

   bytes                  in a report are the program's own data, as a call's arguments tell: what this
                          rank gave, and what it got by receives (counted where they complete). Of a
                          collective each byte once, however many ranks it goes to: all parts of Alltoall,
                          Alltoallv, Alltoallw and Reduce_scatter, else this rank's own part

   a program that hangs   because it relies on ranks not meeting there (a root sends after its Bcast what
                          another rank receives before it; or lengths differ between ranks) is told so on
                          stderr, by those that have waited for 30 s, and runs with PERFCOMP_MPI_TRIALS=off.
                          Then nothing is tried, and nothing exchanged at these calls: who waited for whom
                          in them isn't known, and ± u says so

   errors of collectives  (MPI_ERRORS_RETURN) that tell of wrong arguments (MPI_ERR_TYPE, _COUNT, _ROOT, _ARG …) are
                          taken as if that rank hadn't called; others (_TRUNCATE, _OTHER, _IO …), as if all
                          ranks had: one that alone gets such an error, and the others never called, waits

   long messages          (more than 4 KB; where the library buffers more, up to 8 KB) are sent and received as
                          they are, after a short message that brings their moment. Their data move when both ranks
                          are inside of MPI: a sender waits for a receiver that has called MPI_Irecv, but computes
                          then. A rank that comes back tells its partners in such messages, so that each knows when
                          they would have moved undisturbed. Where that isn't known (of receives from anybody that
                          are under way, with MPI_THREAD_MULTIPLE, and with PERFCOMP_MPI_ORDER=hold) such a wait is in
                          ± u.
                          Open MPI lets shorter ones, of more than 256 bytes, go when their receiver has been inside
                          of MPI: what a sender waits for that is in ± u

   questions              A program that asks with Test and its like, Iprobe, Improbe, Request_get_status, Parrived
                          or Win_test until the answer is yes, and does nothing else meanwhile, waits from the first
                          of these on: undisturbed it would have had its answer when the message was there (which
                          the call that then completes or receives it tells; theirs is the wait, in the regions
                          as well; what other regions took that were called in between stays theirs). Where it takes
                          longer between them than in them (and than 0.5 µs), as to compute meanwhile, that is its
                          own time; what it did there after the message would have been there is in ± u. Each thread's
                          questions are a row of their own. A nonblocking collective
                          moves its data while ranks are inside of MPI: what was asked for in vain wasn't there by then. The
                          answer to a one-sided call, and a file's data, tell nothing of their moment: they are taken to
                          come undisturbed after as long as they were asked for, and ± u has it

   the order of messages  is that of the instrumented run: what MPI_ANY_SOURCE, Waitany, Test and Probe take
                          is what came first there, and the program's way from there on with it. Where a
                          receive from anybody, or a probe, has got a message that undisturbed would have come
                          before one that was received first, `perfcomp report` tells how often, where, and by
                          how much (not with PERFCOMP_MPI_ORDER=off). With more ranks than processors it only
                          tells how many of them may have been such

   PERFCOMP_MPI_ORDER=hold keeps the order that it would have been: a receive or probe of anybody gets the
                          message that would have come first, as soon as it is known that none can come before;
                          Test, Waitany, Waitsome and their like find complete what would have been. The run takes
                          longer by what the ranks that are furthest behind must make up; that is taken out, as all
                          overhead. Each message costs a short one more, each rank some bytes for each other one.
                          A rank that waits for another inside of a collective, or in a send of a long message,
                          gives receives of anybody that it has open to the library as they are: the report counts
                          what wasn't decided, also where that takes more than ten seconds (hold:60, a minute). All
                          ranks must be on one host, with their profiles in files, and MPI_THREAD_FUNNELED or less

   windows                Making one costs a round of messages more, and the first of 64 over the same
                          ranks a window of the layer's own (each, where MPI_THREAD_MULTIPLE is provided).
                          Win_lock and Win_unlock cost a short message to the locked rank and back,
                          Win_lock_all and Win_unlock_all one to each rank of the window (none with
                          MPI_MODE_NOCHECK). Where that rank answers only inside of its own MPI calls,
                          what is waited for its answer counts as the program's time: its own next flush
                          or unlock would have waited for the same. A program that computes between its
                          lock and that call would have waited less, which isn't known

   NOT YET                locks of a window keep the order that the instrumented run had. Calls that wait for
                          processes to join aren't corrected: they are passed on, and `perfcomp report` names them
                          as unknown. Who queues for a file's shared pointer is taken for slow; and so is who waits
                          in a flush, Win_complete or unlock for a busy target, or for a lock that the library
                          takes only then: that is in ± u. With Open MPI, Fortran's collectives on topologies,
                          windows and files go past the layer, unseen
*/

/* Generated from perfcomp_impl/ by `make headers`: edit the parts, not this file. */

#ifndef PERFCOMP_MPI_H
#define PERFCOMP_MPI_H

#if defined PERFCOMP_MPI_IMPLEMENTATION && !defined PERFCOMP_DISABLE && !defined _GNU_SOURCE
#  define _GNU_SOURCE 1 /* dladdr, also where the core's implementation is in another file */
#endif
#include "perfcomp.h"

#if !defined PERFCOMP_DISABLE

#endif /* PERFCOMP_DISABLE */
#endif /* PERFCOMP_MPI_H */

#if defined PERFCOMP_MPI_IMPLEMENTATION && !defined PERFCOMP_DISABLE && !defined PERFCOMP_MPI_IMPLEMENTED
#define PERFCOMP_MPI_IMPLEMENTED
/* ========================================================= implementation === */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined __GLIBC__ && !defined __USE_MISC
#  error "perfcomp: where PERFCOMP_MPI_IMPLEMENTATION is defined, include perfcomp_mpi.h before other headers, or compile with -D_GNU_SOURCE"
#endif
#if defined __GLIBC__ && !defined __USE_GNU /* the program included dlfcn.h before us, without _GNU_SOURCE */
typedef struct { const char *dli_fname; void *dli_fbase; const char *dli_sname; void *dli_saddr; } Dl_info;
extern int dladdr(const void *address, Dl_info *info);
#endif
#if defined __GLIBC__ && !defined RTLD_NEXT /* the same */
#define RTLD_NEXT ((void *)-1l)
#endif

/* What there is of MPI-4: of SimGrid nothing. Open MPI 5 says that it's MPI-3.1, and lacks the large counts only. */
#if defined PERFCOMP_SMPI
#  define PFC__MPI_4 0
#  define PFC__MPI_LARGE_COUNTS 0
#elif defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
#  define PFC__MPI_4 1
#  define PFC__MPI_LARGE_COUNTS (MPI_VERSION >= 4)
#else
#  define PFC__MPI_4 (MPI_VERSION >= 4)
#  define PFC__MPI_LARGE_COUNTS PFC__MPI_4
#endif
#define PFC__MPI_4_1 (PFC__MPI_4 && (MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)))

PFC__EXTERN_C_BEGIN

/* ----------------------------------------------------------------- rules ---
   The algebra of §3 of the model, on moments (perfcomp.h): integers in,
   integers out; no MPI, no clock. Nobody else decides about Δ. All times are ns.

   The one law: in local time, what a call waits for is there once everything
   that it depends on has happened and has travelled, and the call ends when it
   is there and was asked for:

       LT_e = max(LT_b, LT_arrival) + c        LT_arrival = LT_start + L

   The rules differ only in what `start` is:

       R1, R2, R5   receive                 the send
       R3           buffered send           nothing
       R4           send that waits         the later one of send and post
       R6           all-to-all              the latest rank (of Alltoallv and w, Allgatherv and
                                            Reduce_scatter: of those that have a part in it for
                                            this one, or all, as the library has it)
       R7           one-to-all              the root
       R8           all-to-one              the latest of the others
       R9           prefix                  the latest rank before, or of all
       R10          neighbourhood           the latest in-neighbour
       R11          nonblocking collective  as R6–R10, begun at its start
       R12          join of threads         the latest thread

   PERFCOMP_MPI_TAU, for comparison only: R1 everywhere, and the least delay in
   collectives, as TAU's prototype did. */

/* The travelling time of a message, or of a collective's data, when nobody is late. */
typedef struct pfc__transfer { pfc__i64 ns, u; } pfc__transfer_t;

/* How long a call waited: its length without its own cost, which is known up to
   cost.u. One that waited no longer than that counts as having found what it
   asked for, and `u` is then the longest that it may have waited after all. */
typedef struct pfc__wait { pfc__i64 ns, u; } pfc__wait_t;

PFC__HOT pfc__wait_t pfc__wait_of(pfc__moment_t begin, pfc__i64 end_ct, pfc__transfer_t cost)
{
    pfc__wait_t wait = { end_ct - begin.ct - cost.ns, cost.u };
    if (wait.ns > cost.u) return wait;
    wait.u = pfc__max(0, wait.ns + cost.u);
    wait.ns = 0;
    return wait;
}

/* A call that lasted longer than its cost has waited, or it was slow: interrupted,
   or by data that move only inside of it. Where by the common clock all was there
   before the call by more than the call was long, being slow is the smaller
   coincidence. R1 would set Δ to the sender's, though nothing was waited for. */
PFC__HOT pfc__wait_t pfc__wait_on(pfc__moment_t start, pfc__moment_t begin, pfc__wait_t wait, pfc__transfer_t transfer)
{
#ifndef PERFCOMP_MPI_TAU
    pfc__i64 there = start.ct + transfer.ns + start.clock + begin.clock + transfer.u;
    if (wait.ns <= 0 || begin.ct - there <= wait.ns) return wait;
    wait.u += wait.ns;
    wait.ns = 0;
#else
    (void)start, (void)begin, (void)transfer;
#endif
    return wait;
}

/* When what began at `start` was there, for a call that began at `begin`. A
   call that waited saw it come at the very end of its wait, so that the
   sender's Δ alone tells (R1): no common clock is needed, and no estimate of
   the transfer. Otherwise (R2) it had come at some time before. */
PFC__HOT pfc__moment_t pfc__arrival(pfc__moment_t start, pfc__moment_t begin, pfc__wait_t wait, pfc__transfer_t transfer)
{
    pfc__moment_t m;
    pfc__i64 seen = begin.ct + wait.ns, latest = seen - (start.ct - start.lt);
    pfc__i64 travelled = start.lt + transfer.ns;
    pfc__i64 travelled_u = start.u + start.clock + begin.clock + transfer.u;
    m.ct = seen;
    m.lt = latest;
    m.u = start.u;
    m.clock = 0;
#ifdef PERFCOMP_MPI_TAU
    return m;
#endif
    if (wait.ns > 0) return m;
    m.ct = pfc__min(seen, start.ct + transfer.ns);
    m.lt = pfc__min(latest, travelled);
    m.u = pfc__max(pfc__min(travelled + travelled_u, latest + start.u + wait.u) - m.lt, m.lt - (travelled - travelled_u));
    return m;
}

/* The law: the end of a call that began at `begin`, waited and found `arrival`.
   An error of the cost cancels out of the arrival's branch: there it was
   subtracted from the same end to which it is added. */
PFC__HOT pfc__moment_t pfc__end_of_call(pfc__moment_t begin, pfc__i64 end_ct, pfc__wait_t wait, pfc__moment_t arrival)
{
    pfc__moment_t m;
    pfc__i64 cost = end_ct - begin.ct - wait.ns, later = pfc__max(begin.lt, arrival.lt);
    m.ct = end_ct;
    m.lt = later + cost;
    m.u = pfc__max(begin.lt + begin.u + wait.u, arrival.lt + arrival.u) - later; /* the later of two is never as far too late */
    m.clock = begin.clock;
    return m;
}

/* When a rank was out of the library: from when on, and until it was back. */
typedef struct pfc__absence { pfc__i64 ct, lt; pfc__moment_t back; } pfc__absence_t;

/* R4 where long data move only inside of their receiver's calls: word of them came at `told`, and amid an absence that is heard when
   it is over, however long both ranks have been `there` by then. `doubt`: how far the two ranks' delays may be off; what it leaves
   open, ± has. */
PFC__HOT pfc__moment_t pfc__heard(pfc__moment_t there, pfc__moment_t told, const pfc__absence_t *away, pfc__i64 doubt)
{
    pfc__moment_t heard = there, back = pfc__both_there(there, away->back);
    if (told.ct > away->ct) heard.ct = back.ct;
    if (told.lt > away->lt) heard.lt = back.lt, heard.u = back.u;
    if (llabs(told.lt - away->lt) <= doubt) heard.u = pfc__max(heard.u, back.lt - there.lt + pfc__max(there.u, back.u));
    return heard;
}

/* R4 where nobody told of the receiver's post: the end that is right if it was no later than its sender, put in doubt.
   Undisturbed, the call may have waited for nobody, and ended once its data had travelled (`transfer`); and it ended no
   later than its receiver's Δ says, which isn't less than `least`: since all ranks met, no rule has given any of them less than the
   least of theirs then, and probes only add to it. All such calls doubt the same part of Δ: that doubt doesn't add up. */
PFC__HOT pfc__moment_t pfc__post_unknown(pfc__moment_t begin, pfc__moment_t end, pfc__transfer_t transfer, pfc__i64 least)
{
    pfc__i64 waited = end.lt - begin.lt - pfc__max(0, transfer.ns - transfer.u);
    end.u = pfc__max(end.u, pfc__max(begin.u + waited, end.ct - end.lt - least));
    return end;
}

/* The same call's wait in local time. */
PFC__HOT pfc__i64 pfc__local_wait(pfc__moment_t begin, pfc__moment_t arrival)
{
    return pfc__max(0, arrival.lt - begin.lt);
}

/* The part of it in which the other rank wasn't there. */
PFC__HOT pfc__i64 pfc__until_there(pfc__i64 begin, pfc__i64 there) { return pfc__max(0, there - begin); }

/* Of several arrivals the one that counts. */
PFC__HOT pfc__moment_t pfc__later_arrival(pfc__moment_t a, pfc__moment_t b)
{
    pfc__i64 high = pfc__max(a.lt + a.u, b.lt + b.u);
    a.ct = pfc__max(a.ct, b.ct);
    a.lt = pfc__max(a.lt, b.lt);
    a.u = high - a.lt;
    return a;
}

PFC__HOT pfc__moment_t pfc__never(void)
{
    pfc__moment_t never = { PFC__NEVER, PFC__NEVER, 0, 0 };
    return never;
}

/* R6 step by step: what has come to a rank may go on, and a rank has it once it has travelled. Ranks then end at
   times of their own, by how many steps away the late ones are: all of that happens in LT as it does in CT.
   `u` is here the uncertainty of lt, `clock` that of ct, both on the common clock. */
PFC__HOT pfc__moment_t pfc__passed_first(pfc__moment_t m)
{
    m.u += m.clock;
    return m;
}

PFC__HOT pfc__moment_t pfc__passed_later(pfc__moment_t m, pfc__transfer_t step)
{
    m.ct += step.ns;
    m.lt += step.ns;
    m.u += step.u;
    m.clock += step.u;
    return m;
}

PFC__HOT pfc__moment_t pfc__passed_on(pfc__moment_t here, pfc__moment_t there, pfc__transfer_t step)
{
    there = pfc__passed_later(there, step);
    here.clock = pfc__max(here.clock, there.clock);
    return pfc__later_arrival(here, there);
}

PFC__HOT pfc__moment_t pfc__passed_moment(pfc__latest_t l, pfc__moment_t passed)
{
    pfc__moment_t m = pfc__latest_bounds(l, passed.ct, passed.ct - passed.lt, passed.u + passed.clock);
    m.clock = passed.clock; /* however well its delay is known */
    return m;
}

/* ------------------------------------------------------------------ ways ---
   By which way the data of a rooted collective go: from the root, or to it
   the same way back; and those of a scan. Libraries choose among a few, by the number of ranks and
   by length, and MPI doesn't tell; the clocks of all ranks do, where some came
   later than others. Like the rules: integers in, integers out; no MPI.

   A rank's place is its number, counted from the root's. In a tree each place
   but the root's has a parent. MPICH's trees: Thakur, Rabenseifner & Gropp
   (IJHPCA 19, 2005); Open MPI's: Pješivac-Grbović et al. (Cluster Computing
   10, 2007). */

enum pfc__way {
    PFC__WAY_HALVING,  /* binomial: the last bit of a place is cleared; most libraries', of short data */
    PFC__WAY_FLAT,     /* nobody stands between */
    PFC__WAY_DOUBLING, /* binomial: the first bit is cleared; Open MPI's, where the order of places doesn't count */
    PFC__WAY_KNOMIAL,  /* as halving, by the base of four; Open MPI's, MVAPICH's */
    PFC__WAY_CHAIN,    /* each to the next: pipelines */
    PFC__WAY_BINARY,   /* Open MPI's: the places of a level are shared out in turn */
    PFC__WAY_HEAP,     /* binary, as in a heap */
    PFC__WAY_TURNED,   /* as halving, but who is behind a place is served in the opposite order, the nearest first: Open MPI's Scatter */
    PFC__WAY_ALL,      /* everybody depends on everybody: scattered, then gathered by all; reduced and scattered, then gathered */
    PFC__WAY_BY_FIRST, /* from a root that isn't rank 0 to that one, and from there by halving to all, the root too: MPICH's, of short data */
    PFC__WAY_NONE,     /* nobody depends on anybody: there are no data */
    PFC__WAYS
};

PFC__HOT int pfc__first_bit(int n) { return 1 << (31 - __builtin_clz((unsigned)n)); } /* n > 0 */

/* Of a place behind the root's, in a tree. */
static PFC__QUIET int pfc__way_parent(enum pfc__way way, int place)
{
    int above = pfc__first_bit(place + 1) / 2, four = 4; /* above: places on the level above, in a binary tree */
    switch (way) {
    case PFC__WAY_HALVING:
    case PFC__WAY_TURNED: return place & (place - 1);
    case PFC__WAY_DOUBLING: return place - pfc__first_bit(place);
    case PFC__WAY_KNOMIAL:
        while (place % four == 0) four *= 4;
        return place - place % four;
    case PFC__WAY_CHAIN: return place - 1;
    case PFC__WAY_BINARY: return (place + 1) % above + above - 1;
    case PFC__WAY_HEAP: return (place - 1) / 2;
    default: return 0;
    }
}

/* The child number `i`, ascending; 0: there is none. One that is past the last place isn't there, and none after it. */
static PFC__QUIET int pfc__way_child(enum pfc__way way, int place, int i)
{
    switch (way) {
    case PFC__WAY_HALVING:
    case PFC__WAY_TURNED: return place & ((2 << i) - 1) ? 0 : place + (1 << i);
    case PFC__WAY_FLAT: return place ? 0 : i + 1;
    case PFC__WAY_DOUBLING: return place + (pfc__first_bit(2 * place + 1) << i);
    case PFC__WAY_KNOMIAL: return place & ((4 << i / 3 * 2) - 1) ? 0 : place + (i % 3 + 1) * (1 << i / 3 * 2);
    case PFC__WAY_CHAIN: return i ? 0 : place + 1;
    case PFC__WAY_BINARY: return i < 2 ? place + (i + 1) * pfc__first_bit(place + 1) : 0;
    case PFC__WAY_HEAP: return i < 2 ? 2 * place + 1 + i : 0;
    default: return 0;
    }
}

static PFC__QUIET int pfc__way_children(enum pfc__way way, int place, int size)
{
    int n = 0, child;
    while ((child = pfc__way_child(way, place, n)) > 0 && child < size) n++;
    return n;
}

/* The child that is served as number `i` of `n`: from the root those first that have most behind them, to it those that have
   least. */
static PFC__QUIET int pfc__way_served(enum pfc__way way, int place, int i, int n, int to_root)
{
    return pfc__way_child(way, place, to_root == (way != PFC__WAY_TURNED) ? i : n - 1 - i);
}

/* Of how many ranks data go from a place to the one before it, or come from there; `shared`: each rank has a part of its own.
   Then only halving is known to be taken, but for flat ways. */
static PFC__QUIET int pfc__way_weight(enum pfc__way way, int shared, int place, int size)
{
    return shared && (way == PFC__WAY_HALVING || way == PFC__WAY_TURNED) ? (int)pfc__min(place & -place, size - place) : 1;
}

/* When a rank came to a call, and when it left it, by the common clock. */
typedef struct pfc__stay { pfc__i64 begin, end; } pfc__stay_t;

enum { PFC__WEIGHTS = 31 };

typedef struct pfc__observed {
    pfc__stay_t *stay;          /* by rank */
    int size, root, to_root;
    int scan;                   /* it is one: see pfc__scan_contradicted */
    int empty;                  /* there are no data in it, and no root: all wait for all, or nobody for anybody */
    int idle;                   /* one with a root, or a scan, in which there are none: nobody may wait for anybody */
    pfc__i64 travel, most;      /* of one message; more than that no rank has to say against a way */
    pfc__i64 *left;             /* room for one of each rank */
    int shared;                 /* see pfc__way_weight */
    int waits;                  /* from this weight on messages wait for their receivers; 0: none does */
    pfc__i64 cost;              /* of a call that finds such a message there */
    pfc__i64 *takes_of, *cost_of; /* if shared: by weight, of powers of two, both together, and the cost alone */
} pfc__observed_t;

PFC__HOT const pfc__stay_t *pfc__stay_at(const pfc__observed_t *o, int place) { return &o->stay[(place + o->root) % o->size]; }

PFC__HOT int pfc__weight_waits(const pfc__observed_t *o, int weight) { return o->waits && weight >= o->waits; }

/* From what it is for powers of two. */
static PFC__QUIET pfc__i64 pfc__by_weight(const pfc__i64 *of, int weight)
{
    int power = pfc__first_bit(weight), below = __builtin_ctz((unsigned)power);
    return power == weight ? of[below] : of[below] + (of[below + 1] - of[below]) / power * (weight - power);
}

/* What waits for its receiver isn't there before. */
static PFC__QUIET pfc__i64 pfc__weight_costs(const pfc__observed_t *o, int weight)
{
    if (pfc__weight_waits(o, weight)) return 0;
    return o->shared ? pfc__by_weight(o->cost_of, weight) : o->cost;
}

static PFC__QUIET pfc__i64 pfc__weight_travels(const pfc__observed_t *o, int weight)
{
    return o->shared ? pfc__by_weight(o->takes_of, weight) - pfc__weight_costs(o, weight) : o->travel;
}

/* When a rank that is `here` has what left a place, between which and the one before it it goes, at `left`. */
static PFC__QUIET pfc__i64 pfc__way_brings(const pfc__observed_t *o, enum pfc__way way, int place, pfc__i64 left, pfc__i64 here)
{
    int weight = pfc__way_weight(way, o->shared, place, o->size);
    return pfc__max(here, left + pfc__weight_travels(o, weight)) + pfc__weight_costs(o, weight);
}

/* When a place would leave, had those from whom its data come sent them when they left. */
static PFC__QUIET pfc__i64 pfc__way_leaves(const pfc__observed_t *o, enum pfc__way way, int place)
{
    pfc__i64 here = pfc__stay_at(o, place)->begin;
    int i, child, n = pfc__way_children(way, place, o->size);
    if (way == PFC__WAY_NONE) return here;
    if (!o->to_root) return place ? pfc__way_brings(o, way, place, pfc__stay_at(o, pfc__way_parent(way, place))->end, here) : here;
    for (i = 0; i < n; i++) {
        child = pfc__way_served(way, place, i, n, 1);
        here = pfc__way_brings(o, way, child, pfc__stay_at(o, child)->end, here);
    }
    return here;
}

static PFC__QUIET pfc__i64 pfc__last_came(const pfc__observed_t *o)
{
    pfc__i64 last = PFC__NEVER;
    int i;
    for (i = 0; i < o->size; i++) last = pfc__max(last, o->stay[i].begin);
    return last;
}

/* Whether a rank left notably before that: who waits for all doesn't, however few processors there are. */
static PFC__QUIET int pfc__left_before(const pfc__observed_t *o, int rank)
{
    return o->stay[rank].end <= pfc__last_came(o) - o->most / 16;
}

static PFC__QUIET int pfc__one_left_before(const pfc__observed_t *o)
{
    int i = 0;
    while (i < o->size && !pfc__left_before(o, i)) i++;
    return i < o->size;
}

/* What says less than a tree does must explain more. */
static PFC__QUIET pfc__i64 pfc__way_handicap(const pfc__observed_t *o, enum pfc__way way)
{
    return way == PFC__WAY_ALL ? o->size * (o->travel + o->cost) : 0;
}

/* Beyond a power of two, in the way of MPICH's Reduce: the odd ones of the first ranks give their data to those before them. */
static PFC__QUIET int pfc__gives_away(int rank, int root, int size)
{
    return rank % 2 && rank < 2 * (size - pfc__first_bit(size)) && rank != root;
}

/* When a rank can have given its data away: where messages wait, once its neighbour has come, too. */
static PFC__QUIET pfc__i64 pfc__gave_away(const pfc__observed_t *o, int rank)
{
    pfc__i64 begin = o->stay[rank].begin;
    if (!o->to_root || !pfc__weight_waits(o, 1) || !pfc__gives_away(rank, o->root, o->size)) return begin;
    return pfc__max(begin, o->stay[rank - 1].begin) + o->travel;
}

/* One has, and left before the last rank came. */
static PFC__QUIET int pfc__one_gave_away(const pfc__observed_t *o)
{
    pfc__i64 last = pfc__last_came(o);
    int i = 0;
    while (i < o->size && !(pfc__gives_away(i, o->root, o->size) && o->stay[i].end < last)) i++;
    return o->to_root && i < o->size;
}

/* Everybody leaves a ring's length after the last has come, at most. Where ranks aren't a power of two, those beyond it
   may give their data away and leave. */
static PFC__QUIET pfc__i64 pfc__all_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = pfc__way_handicap(o, PFC__WAY_ALL), last = pfc__last_came(o), off;
    int i, before = 0, some;
    for (i = 0; i < o->size; i++) before += o->stay[i].end < last;
    some = before <= o->size - pfc__first_bit(o->size);
    for (i = 0; i < o->size; i++) {
        pfc__i64 end = o->stay[i].end;
        if (end < last) off = some ? llabs(end - pfc__gave_away(o, i)) : last - end;
        else off = pfc__max(0, end - last - 2 * o->size * (o->travel + o->cost));
        sum += pfc__min(o->most, off);
    }
    return sum;
}

/* Everybody leaves after the last of those before has come, and after what comes from there by one rank after another at most. */
static PFC__QUIET pfc__i64 pfc__prefix_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = 0, last = PFC__NEVER, off;
    int i;
    for (i = 0; i < o->size; i++) {
        const pfc__stay_t *s = &o->stay[i];
        last = pfc__max(last, s->begin);
        off = s->end < last ? last - s->end : pfc__max(0, s->end - last - 2 * i * o->travel);
        sum += pfc__min(o->most, off);
    }
    return sum;
}

/* Everybody has what comes from those whose numbers differ from its own in one bit after the other. */
static PFC__QUIET pfc__i64 pfc__hypercube_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = 0, *left = o->left, mine;
    int i, other, distance;
    for (i = 0; i < o->size; i++) left[i] = o->stay[i].begin;
    for (distance = 1; distance < o->size; distance *= 2)
        for (i = 0; i < o->size; i++) {
            other = i ^ distance;
            if (other < i || other >= o->size) continue; /* the two swap */
            mine = left[i];
            left[i] = pfc__max(mine, left[other] + o->travel);
            left[other] = pfc__max(left[other], mine + o->travel);
        }
    for (i = 0; i < o->size; i++) sum += pfc__min(o->most, llabs(o->stay[i].end - left[i]));
    return sum;
}

/* A scan needs what the ranks before have. Libraries whose data go both ways let ranks wait for later ones, too: MPICH's
   Exscan by doubling, and its Scan, whose ranks of one host wait for one another in the end. */
static PFC__QUIET pfc__i64 pfc__scan_contradicted(const pfc__observed_t *o, enum pfc__way way)
{
    switch (way) {
    case PFC__WAY_CHAIN: return pfc__prefix_contradicted(o);
    case PFC__WAY_DOUBLING: return pfc__hypercube_contradicted(o);
    case PFC__WAY_ALL: return pfc__all_contradicted(o);
    default: return o->size * o->most;
    }
}

/* Of a place that has got so far and one behind it, which has got as far as `left` says: when the first goes on. The second's `left`
   is when it does, then. */
static PFC__QUIET pfc__i64 pfc__way_meets(const pfc__observed_t *o, enum pfc__way way, int child, pfc__i64 here)
{
    int weight = pfc__way_weight(way, o->shared, child, o->size);
    pfc__i64 *there = &o->left[child];
    if (pfc__weight_waits(o, weight)) return *there = pfc__max(here, *there) + pfc__weight_travels(o, weight);
    if (o->to_root) return pfc__way_brings(o, way, child, *there, here);
    *there = pfc__way_brings(o, way, child, here, *there);
    return here;
}

/* When places go on that have got as far as `left` says. A flat way's messages are all on their way at once. */
static PFC__QUIET void pfc__way_goes(const pfc__observed_t *o, enum pfc__way way)
{
    int at, place, i, n;
    for (at = 0; at < o->size; at++) { /* parents before children, or after them */
        pfc__i64 begin, here;
        place = o->to_root ? o->size - 1 - at : at;
        begin = here = o->left[place];
        n = pfc__way_children(way, place, o->size);
        for (i = 0; i < n; i++)
            here = pfc__max(here, pfc__way_meets(o, way, pfc__way_served(way, place, i, n, o->to_root), way == PFC__WAY_FLAT ? begin : here));
        o->left[place] = here;
    }
}

/* Where messages wait for their receivers (R4), who comes late holds up the place before as well, and whom that one serves next:
   when ranks would have left says nothing of when their data were there. It follows from when they came. */
static PFC__QUIET pfc__i64 pfc__waiting_contradicted(const pfc__observed_t *o, enum pfc__way way)
{
    pfc__observed_t to = *o;
    pfc__i64 sum = 0;
    int place;
    if (way == PFC__WAY_BY_FIRST) to.root = 0, way = PFC__WAY_HALVING;
    for (place = 0; place < o->size; place++) to.left[place] = pfc__stay_at(&to, place)->begin;
    if (to.root != o->root) to.left[0] = to.left[o->root] = pfc__max(to.left[0], to.left[o->root]) + o->travel;
    pfc__way_goes(&to, way);
    for (place = 0; place < o->size; place++) sum += pfc__min(o->most, llabs(pfc__stay_at(&to, place)->end - to.left[place]));
    return sum;
}

/* The parents are ranks here, not places. */
static PFC__QUIET pfc__i64 pfc__by_first_contradicted(const pfc__observed_t *o)
{
    pfc__i64 sum = 0, came;
    int i;
    if (o->to_root || !o->root) return o->size * o->most;
    if (pfc__weight_waits(o, o->size)) return o->shared ? o->size * o->most : pfc__waiting_contradicted(o, PFC__WAY_BY_FIRST);
    for (i = 0; i < o->size; i++) {
        came = i ? o->stay[pfc__way_parent(PFC__WAY_HALVING, i)].end : o->stay[o->root].begin;
        sum += pfc__min(o->most, llabs(o->stay[i].end - pfc__max(o->stay[i].begin, came + o->travel) - o->cost));
    }
    return sum;
}

/* By how much the clocks contradict it that the data went this way: the sum over all ranks. */
static PFC__QUIET pfc__i64 pfc__contradicted(const pfc__observed_t *o, enum pfc__way way)
{
    pfc__i64 sum = 0;
    int place;
    if (o->scan && !(o->idle && way == PFC__WAY_NONE)) return pfc__scan_contradicted(o, way);
    if (o->empty && way != PFC__WAY_NONE && way != PFC__WAY_ALL) return o->size * o->most;
    if (way == PFC__WAY_ALL) return pfc__all_contradicted(o);
    if (way == PFC__WAY_BY_FIRST) return pfc__by_first_contradicted(o);
    if (pfc__weight_waits(o, o->size) && way != PFC__WAY_NONE) return pfc__waiting_contradicted(o, way);
    for (place = 0; place < o->size; place++)
        sum += pfc__min(o->most, llabs(pfc__stay_at(o, place)->end - pfc__way_leaves(o, way, place)));
    return sum;
}

/* The way that is contradicted least; `usual`, where that isn't contradicted notably more than others. */
static PFC__QUIET enum pfc__way pfc__way_least(const pfc__i64 *contradicted, enum pfc__way usual, pfc__i64 notable)
{
    enum pfc__way least = usual;
    int i;
    for (i = 0; i < PFC__WAYS; i++)
        if (contradicted[i] < contradicted[least] && 2 * contradicted[i] + notable < contradicted[usual]) least = (enum pfc__way)i;
    return least;
}

/* ----------------------------------------------------------- calls (MPI) ---
   The table of calls: one row each, with its rule. The wrappers are made from
   the rows. To cover another call is to add its row.

   Collectives: name, and as it is written behind an I, rule, root (0 where there
   is none), bytes that this rank gives (statistics, and the transfer estimate of
   R7 to R10), parameters, arguments. One row makes Bcast, Ibcast and Bcast_init;
   N, AT: types of counts and places, so that it makes Bcast_c … too. */

#define PFC__MPI_BARRIERS(ROW) \
    ROW(Barrier, barrier, ALL, 0, 0, (MPI_Comm comm), (comm))

#define PFC__MPI_COLLECTIVES(ROW, N, AT) \
    ROW(Bcast, bcast, FROM_ROOT, root, pfc__bytes_of(n, type), \
        (void *b, N n, MPI_Datatype type, int root, MPI_Comm comm), (b, n, type, root, comm)) \
    ROW(Gather, gather, TO_ROOT, root, pfc__bytes_of_part(s, n, type, m, rtype), \
        (const void *s, N n, MPI_Datatype type, void *r, N m, MPI_Datatype rtype, int root, MPI_Comm comm), \
        (s, n, type, r, m, rtype, root, comm)) \
    ROW(Scatter, scatter, FROM_ROOT, root, pfc__bytes_of_part(r, m, rtype, n, type), \
        (const void *s, N n, MPI_Datatype type, void *r, N m, MPI_Datatype rtype, int root, MPI_Comm comm), \
        (s, n, type, r, m, rtype, root, comm)) \
    ROW(Allgather, allgather, ALL, 0, pfc__bytes_of_part(s, n, type, m, rtype), \
        (const void *s, N n, MPI_Datatype type, void *r, N m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Alltoall, alltoall, ALL, 0, pfc__peers_in(comm) * pfc__bytes_of_part(s, n, type, m, rtype), \
        (const void *s, N n, MPI_Datatype type, void *r, N m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Reduce_scatter_block, reduce_scatter_block, ALL, 0, pfc__ranks_in(comm) * pfc__bytes_of(n, type), \
        (const void *s, void *r, N n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm)) \
    ROW(Scan, scan, PREFIX, 0, pfc__bytes_of(n, type), \
        (const void *s, void *r, N n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm)) \
    ROW(Exscan, exscan, PREFIX, 0, pfc__bytes_of(n, type), \
        (const void *s, void *r, N n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm))

/* Where some ranks may have no part, or data may go another way than others: with what tells of that (see collectives) behind the
   bytes: whether a rank needn't wait for all then. */
#define PFC__MPI_PARTS(ROW, N, AT) \
    ROW(Reduce, reduce, TO_ROOT, root, pfc__bytes_of(n, type), pfc__keeps_order(&k, op, result), \
        (const void *s, void *r, N n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), (s, r, n, type, op, root, comm)) \
    ROW(Gatherv, gatherv, TO_ROOT, root, pfc__bytes_of_mine(s, n, type, m, sizeof *m, rtype, comm), \
        pfc__lacks_some(&k, m, sizeof *m), \
        (const void *s, N n, MPI_Datatype type, void *r, const N m[], const AT at[], MPI_Datatype rtype, int root, \
         MPI_Comm comm), \
        (s, n, type, r, m, at, rtype, root, comm)) \
    ROW(Scatterv, scatterv, FROM_ROOT, root, pfc__bytes_of_mine(r, m, rtype, n, sizeof *n, type, comm), \
        r != MPI_IN_PLACE && m == 0 ? PFC__MAY_NEED_SOME : 0, \
        (const void *s, const N n[], const AT at[], MPI_Datatype type, void *r, N m, MPI_Datatype rtype, int root, \
         MPI_Comm comm), \
        (s, n, at, type, r, m, rtype, root, comm)) \
    ROW(Allgatherv, allgatherv, ALL, 0, pfc__bytes_of_mine(s, n, type, m, sizeof *m, rtype, comm), \
        pfc__lacks_some(&k, m, sizeof *m), \
        (const void *s, N n, MPI_Datatype type, void *r, const N m[], const AT at[], MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, at, rtype, comm)) \
    ROW(Reduce_scatter, reduce_scatter, ALL, 0, pfc__bytes_of_parts(pfc__ranks_in(comm), n, sizeof *n, type), \
        pfc__lacks_mine(&k, n, sizeof *n), \
        (const void *s, void *r, const N n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm))

/* Where ranks may have nothing for others: with what tells a rank's blocks (see sparse) behind the bytes. */
#define PFC__MPI_SPARSES(ROW, N, AT) \
    ROW(Alltoallv, alltoallv, ALL, 0, \
        s == MPI_IN_PLACE ? pfc__bytes_of_parts(pfc__peers_in(comm), m, sizeof *m, rtype) \
                          : pfc__bytes_of_parts(pfc__peers_in(comm), n, sizeof *n, type), pfc__blocks_of, \
        (const void *s, const N n[], const AT from[], MPI_Datatype type, void *r, const N m[], const AT at[], \
         MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm)) \
    ROW(Alltoallw, alltoallw, ALL, 0, \
        s == MPI_IN_PLACE ? pfc__bytes_of_types(pfc__peers_in(comm), m, sizeof *m, rtype) \
                          : pfc__bytes_of_types(pfc__peers_in(comm), n, sizeof *n, type), pfc__blocks_of_types, \
        (const void *s, const N n[], const AT from[], const MPI_Datatype type[], void *r, const N m[], const AT at[], \
         const MPI_Datatype rtype[], MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm))

/* Short ones of the usual form have a way of their own: see allreduce. */
#define PFC__MPI_ALLREDUCES(ROW, N, AT) \
    ROW(Allreduce, allreduce, ALL, 0, pfc__bytes_of(n, type), \
        (const void *s, void *r, N n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm))

/* Making communicators: all of `comm` meet. */
#define PFC__MPI_MAKERS(ROW) \
    ROW(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made)) \
    ROW(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made)) \
    ROW(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made)) \
    ROW(Comm_split_type, (MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm *made), \
        (comm, kind, key, info, made)) \
    ROW(Cart_create, \
        (MPI_Comm comm, int n, const int size[], const int periodic[], int reorder, MPI_Comm *made), \
        (comm, n, size, periodic, reorder, made))

/* On topologies. SimGrid 3.32 has none of these. */
#define PFC__MPI_NEIGHBOURS(ROW, N, AT) \
    ROW(Neighbor_allgather, neighbor_allgather, NEIGHBOUR, 0, pfc__bytes_of(n, type), \
        (const void *s, N n, MPI_Datatype type, void *r, N m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOUR, 0, pfc__bytes_of(n, type), \
        (const void *s, N n, MPI_Datatype type, void *r, const N m[], const AT at[], MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, at, rtype, comm)) \
    ROW(Neighbor_alltoall, neighbor_alltoall, NEIGHBOUR, 0, pfc__out_neighbours(comm) * pfc__bytes_of(n, type), \
        (const void *s, N n, MPI_Datatype type, void *r, N m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOUR, 0, \
        pfc__bytes_to_neighbours(comm, n, sizeof *n, type, 0), \
        (const void *s, const N n[], const AT from[], MPI_Datatype type, void *r, const N m[], const AT at[], \
         MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm)) \
    ROW(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOUR, 0, \
        pfc__bytes_to_neighbours(comm, n, sizeof *n, MPI_DATATYPE_NULL, type), \
        (const void *s, const N n[], const MPI_Aint from[], const MPI_Datatype type[], void *r, const N m[], \
         const MPI_Aint at[], const MPI_Datatype rtype[], MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm))

#define PFC__MPI_MAKERS_MORE(ROW) \
    ROW(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made)) \
    ROW(Graph_create, \
        (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made), \
        (comm, n, index, edges, reorder, made)) \
    ROW(Dist_graph_create, \
        (MPI_Comm comm, int n, const int sources[], const int degrees[], const int to[], const int weights[], MPI_Info info, \
         int reorder, MPI_Comm *made), \
        (comm, n, sources, degrees, to, weights, info, reorder, made)) \
    ROW(Dist_graph_create_adjacent, \
        (MPI_Comm comm, int n, const int from[], const int fweights[], int m, const int to[], const int tweights[], \
         MPI_Info info, int reorder, MPI_Comm *made), \
        (comm, n, from, fweights, m, to, tweights, info, reorder, made)) \
    ROW(Cart_sub, (MPI_Comm comm, const int keep[], MPI_Comm *made), (comm, keep, made)) \
    ROW(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))

/* Those of a group meet, in what is made. */
#define PFC__MPI_GROUP_MAKERS(ROW) \
    ROW(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))

#define PFC__MPI_GROUP_MAKERS_4(ROW) \
    ROW(Comm_create_from_group, \
        (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made), \
        (group, tag, info, handler, made)) \
    ROW(Intercomm_create_from_groups, \
        (MPI_Group group, int leader, MPI_Group others, int remote, const char *tag, MPI_Info info, MPI_Errhandler handler, \
         MPI_Comm *made), \
        (group, leader, others, remote, tag, info, handler, made))

#define PFC__MPI_IMAKERS(ROW) \
    ROW(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))

#define PFC__MPI_IMAKERS_4(ROW) \
    ROW(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request), \
        (comm, info, made, request))

/* Making windows: all of `comm` meet. With the type of a displacement's unit. */
#define PFC__MPI_WINDOWS(ROW, UNIT) \
    ROW(Win_create, (void *b, MPI_Aint n, UNIT unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), \
        (b, n, unit, info, comm, win)) \
    ROW(Win_allocate, (MPI_Aint n, UNIT unit, MPI_Info info, MPI_Comm comm, void *b, MPI_Win *win), \
        (n, unit, info, comm, b, win)) \
    ROW(Win_allocate_shared, (MPI_Aint n, UNIT unit, MPI_Info info, MPI_Comm comm, void *b, MPI_Win *win), \
        (n, unit, info, comm, b, win))

#define PFC__MPI_WINDOWS_EMPTY(ROW) \
    ROW(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win))

/* One-sided: begun here, complete when an epoch ends. With bytes, parameters, arguments. */
#define PFC__MPI_ONE_SIDED(ROW, N) \
    ROW(Accumulate, pfc__bytes_of(n, type), (const void *b, N n, MPI_Datatype type, int to, MPI_Aint at, N k, \
        MPI_Datatype ttype, MPI_Op op, MPI_Win win), (b, n, type, to, at, k, ttype, op, win)) \
    ROW(Get, pfc__bytes_of(n, type), (void *b, N n, MPI_Datatype type, int to, MPI_Aint at, N k, MPI_Datatype ttype, \
        MPI_Win win), (b, n, type, to, at, k, ttype, win)) \
    ROW(Get_accumulate, pfc__bytes_of(m, rtype), (const void *b, N n, MPI_Datatype type, void *r, N m, MPI_Datatype \
        rtype, int to, MPI_Aint at, N k, MPI_Datatype ttype, MPI_Op op, MPI_Win win), (b, n, type, r, m, rtype, to, at, \
        k, ttype, op, win)) \
    ROW(Put, pfc__bytes_of(n, type), (const void *b, N n, MPI_Datatype type, int to, MPI_Aint at, N k, MPI_Datatype \
        ttype, MPI_Win win), (b, n, type, to, at, k, ttype, win)) \
    ROW(Raccumulate, pfc__bytes_of(n, type), (const void *b, N n, MPI_Datatype type, int to, MPI_Aint at, N k, \
        MPI_Datatype ttype, MPI_Op op, MPI_Win win, MPI_Request *request), (b, n, type, to, at, k, ttype, op, win, \
        request)) \
    ROW(Rget, pfc__bytes_of(n, type), (void *b, N n, MPI_Datatype type, int to, MPI_Aint at, N k, MPI_Datatype ttype, \
        MPI_Win win, MPI_Request *request), (b, n, type, to, at, k, ttype, win, request)) \
    ROW(Rget_accumulate, pfc__bytes_of(m, rtype), (const void *b, N n, MPI_Datatype type, void *r, N m, MPI_Datatype \
        rtype, int to, MPI_Aint at, N k, MPI_Datatype ttype, MPI_Op op, MPI_Win win, MPI_Request *request), (b, n, type, \
        r, m, rtype, to, at, k, ttype, op, win, request)) \
    ROW(Rput, pfc__bytes_of(n, type), (const void *b, N n, MPI_Datatype type, int to, MPI_Aint at, N k, MPI_Datatype \
        ttype, MPI_Win win, MPI_Request *request), (b, n, type, to, at, k, ttype, win, request))

/* They end when targets have answered. */
#define PFC__MPI_ANSWERED(ROW) \
    ROW(Win_flush, (int rank, MPI_Win win), (rank, win)) \
    ROW(Win_flush_all, (MPI_Win win), (win)) \
    ROW(Win_flush_local, (int rank, MPI_Win win), (rank, win)) \
    ROW(Win_flush_local_all, (MPI_Win win), (win))

/* SimGrid 3.32 declares them otherwise. */
#define PFC__MPI_ONE_SIDED_MORE(ROW) \
    ROW(Compare_and_swap, pfc__bytes_of(1, type), (const void *b, const void *compare, void *r, MPI_Datatype type, int \
        to, MPI_Aint at, MPI_Win win), (b, compare, r, type, to, at, win)) \
    ROW(Fetch_and_op, pfc__bytes_of(1, type), (const void *b, void *r, MPI_Datatype type, int to, MPI_Aint at, MPI_Op \
        op, MPI_Win win), (b, r, type, to, at, op, win))

/* Files: collective calls, with bytes, parameters, arguments; those with counts, the nonblocking
   ones; the others' ends, and calls of one rank. */
#define PFC__MPI_FILES(ROW) \
    ROW(File_set_size, 0, (MPI_File file, MPI_Offset size), (file, size)) \
    ROW(File_preallocate, 0, (MPI_File file, MPI_Offset size), (file, size)) \
    ROW(File_set_view, 0, (MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char \
        *datarep, MPI_Info info), (file, disp, etype, filetype, datarep, info)) \
    ROW(File_seek_shared, 0, (MPI_File file, MPI_Offset at, int whence), (file, at, whence)) \
    ROW(File_sync, 0, (MPI_File file), (file))

#define PFC__MPI_FILES_ALL(ROW, N) \
    ROW(File_read_at_all, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, void *b, N n, MPI_Datatype type, \
        MPI_Status *status), (file, at, b, n, type, status)) \
    ROW(File_write_at_all, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, const void *b, N n, MPI_Datatype type, \
        MPI_Status *status), (file, at, b, n, type, status)) \
    ROW(File_read_all, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type, MPI_Status *status), \
        (file, b, n, type, status)) \
    ROW(File_write_all, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type, \
        MPI_Status *status), (file, b, n, type, status)) \
    ROW(File_read_ordered, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type, MPI_Status *status), \
        (file, b, n, type, status)) \
    ROW(File_write_ordered, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type, \
        MPI_Status *status), (file, b, n, type, status)) \
    ROW(File_read_at_all_begin, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, void *b, N n, MPI_Datatype type), \
        (file, at, b, n, type)) \
    ROW(File_write_at_all_begin, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, const void *b, N n, \
        MPI_Datatype type), (file, at, b, n, type)) \
    ROW(File_read_all_begin, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type), (file, b, n, \
        type)) \
    ROW(File_write_all_begin, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type), (file, b, \
        n, type)) \
    ROW(File_read_ordered_begin, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type), (file, b, n, \
        type)) \
    ROW(File_write_ordered_begin, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type), (file, \
        b, n, type))

#define PFC__MPI_FILES_IALL(ROW, N) \
    ROW(File_iread_at_all, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, void *b, N n, MPI_Datatype type, \
        MPI_Request *request), (file, at, b, n, type, request)) \
    ROW(File_iwrite_at_all, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, const void *b, N n, MPI_Datatype type, \
        MPI_Request *request), (file, at, b, n, type, request)) \
    ROW(File_iread_all, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type, MPI_Request *request), \
        (file, b, n, type, request)) \
    ROW(File_iwrite_all, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type, \
        MPI_Request *request), (file, b, n, type, request))

#define PFC__MPI_FILES_ENDS(ROW) \
    ROW(File_read_at_all_end, 0, (MPI_File file, void *b, MPI_Status *status), (file, b, status)) \
    ROW(File_write_at_all_end, 0, (MPI_File file, const void *b, MPI_Status *status), (file, b, status)) \
    ROW(File_read_all_end, 0, (MPI_File file, void *b, MPI_Status *status), (file, b, status)) \
    ROW(File_write_all_end, 0, (MPI_File file, const void *b, MPI_Status *status), (file, b, status)) \
    ROW(File_read_ordered_end, 0, (MPI_File file, void *b, MPI_Status *status), (file, b, status)) \
    ROW(File_write_ordered_end, 0, (MPI_File file, const void *b, MPI_Status *status), (file, b, status))

#define PFC__MPI_FILES_ALONE(ROW, N) \
    ROW(File_read_at, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, void *b, N n, MPI_Datatype type, \
        MPI_Status *status), (file, at, b, n, type, status)) \
    ROW(File_write_at, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, const void *b, N n, MPI_Datatype type, \
        MPI_Status *status), (file, at, b, n, type, status)) \
    ROW(File_iread_at, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, void *b, N n, MPI_Datatype type, \
        MPI_Request *request), (file, at, b, n, type, request)) \
    ROW(File_iwrite_at, pfc__bytes_of(n, type), (MPI_File file, MPI_Offset at, const void *b, N n, MPI_Datatype type, \
        MPI_Request *request), (file, at, b, n, type, request)) \
    ROW(File_read, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type, MPI_Status *status), (file, \
        b, n, type, status)) \
    ROW(File_write, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type, MPI_Status *status), \
        (file, b, n, type, status)) \
    ROW(File_iread, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type, MPI_Request *request), \
        (file, b, n, type, request)) \
    ROW(File_iwrite, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type, MPI_Request \
        *request), (file, b, n, type, request)) \
    ROW(File_read_shared, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type, MPI_Status *status), \
        (file, b, n, type, status)) \
    ROW(File_write_shared, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type, MPI_Status \
        *status), (file, b, n, type, status)) \
    ROW(File_iread_shared, pfc__bytes_of(n, type), (MPI_File file, void *b, N n, MPI_Datatype type, MPI_Request \
        *request), (file, b, n, type, request)) \
    ROW(File_iwrite_shared, pfc__bytes_of(n, type), (MPI_File file, const void *b, N n, MPI_Datatype type, MPI_Request \
        *request), (file, b, n, type, request))

/* ------------------------------------------------------- uncovered (MPI) ---
   Calls that take part in no rule: processes that join, which aren't known to run the
   layer. Their time counts as the program's own, and they are named in the result. */

#define PFC__MPI_UNCOVERED(ROW) \
    ROW(Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), (port_name, info, \
        root, comm, newcomm)) \
    ROW(Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), (port_name, \
        info, root, comm, newcomm)) \
    ROW(Comm_join, (int fd, MPI_Comm *intercomm), (fd, intercomm)) \
    ROW(Comm_spawn, (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm \
        *intercomm, int array_of_errcodes[]), (command, argv, maxprocs, info, root, comm, intercomm, \
        array_of_errcodes)) \
    ROW(Comm_spawn_multiple, (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], \
        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]), \
        (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, \
        array_of_errcodes))

/* ------------------------------------------------------- state (MPI impl) ---
   What one process of the job knows, and the timers of §1 on the job's common
   clock: integer ns since the clock that rank 0 reads was zero. */

/* SimGrid runs one program on all ranks, by one clock. */
#ifdef PERFCOMP_SMPI
#define PFC__ONE_PROGRAM 1
#else
#define PFC__ONE_PROGRAM 0
#endif

/* A factor, as integers: of so many clock readings, doubles' conversions were the next to be felt. */
typedef struct pfc__rate { pfc__i64 whole, part; } pfc__rate_t; /* part: of 2^63 */

typedef struct pfc__mpi_state {
    int on;                     /* between MPI_Init and MPI_Finalize, on every rank alike */
    int rank, size, threads;    /* threads: MPI_THREAD_MULTIPLE was given */
    int merges;                 /* PERFCOMP_MPI_MERGE=1, on rank 0 */
    int sessions;               /* there was one, or is */
    int tags;                   /* the largest that a message can have */
    int trials;                 /* 0: PERFCOMP_MPI_TRIALS=off, on one rank at least */
    MPI_Comm comm;              /* ours, a copy of MPI_COMM_WORLD: nothing of ours can match a user's receive */
    MPI_Comm alone;             /* ours as well, of this rank: errors are answers there */
    MPI_Request at_once;        /* the handle of all collectives that are complete at once; the null request: there is no such */
    double ns_per_tick;
    pfc__rate_t tick_rate, fixed_rate; /* ns in a tick, and in Δ's unit in the core */
    pfc__i64 tick0, ns0;        /* common clock = ns0 + (tick − tick0) · ns_per_tick */
    pfc__i64 clock_u;
    double clock_u_rate;        /* growth of clock_u, ns per ns since tick0 */
    int left_receives;          /* under way, whose requests the user has freed */
    pfc__i64 met_u;             /* by so much all ranks' moments were off alike, when all last met: see pfc__doubt_since_met */
    pfc__i64 least_delay;       /* and no rank's Δ has been less since */
    pfc__i64 call_cost;         /* of a wrapper in virtual time; in real time it measures itself; fixed point */
    pfc__mpi_job_t *job;
} pfc__mpi_state_t;

static pfc__mpi_state_t pfc__mpi;

/* Whether a row of questions of this thread is under way: see polls. FOUND: a probe has found what is to be received. */
enum { PFC__NO_POLLS, PFC__POLLS_IN_VAIN, PFC__POLLS_FOUND };
static PFC__TLS int pfc__polling;

static pthread_mutex_t pfc__mpi_mutex; /* recursive */
PFC__HOT void pfc__mpi_lock(void) { if (PFC__UNLIKELY(pfc__mpi.threads)) pfc__mutex_lock(&pfc__mpi_mutex); }
PFC__HOT void pfc__mpi_unlock(void) { if (PFC__UNLIKELY(pfc__mpi.threads)) pfc__mutex_unlock(&pfc__mpi_mutex); }

/* This thread's events are kept. */
PFC__HOT int pfc__is_traced(void) { return pfc__self && pfc__self->ring; }

PFC__HOT pfc__i64 pfc__round(double x) { return (pfc__i64)(x + __builtin_copysign(0.5, x)); }

static PFC__QUIET pfc__rate_t pfc__rate_of(double factor)
{
    pfc__rate_t r;
    r.whole = (pfc__i64)factor;
    r.part = (pfc__i64)((factor - (double)r.whole) * 0x1p63);
    return r;
}

/* factor · x, rounded. */
PFC__HOT pfc__i64 pfc__by_rate(const pfc__rate_t *r, pfc__i64 x)
{
#ifdef __SIZEOF_INT128__
    __extension__ __int128 part = (__int128)x * r->part;
    return x * r->whole + (pfc__i64)((part + ((pfc__i64)1 << 62)) >> 63);
#else
    return x * r->whole + pfc__round((double)x * (double)r->part * 0x1p-63);
#endif
}

static PFC__QUIET void pfc__common_rate(double ns_per_tick)
{
    pfc__mpi.ns_per_tick = ns_per_tick;
    pfc__mpi.tick_rate = pfc__rate_of(ns_per_tick);
    pfc__mpi.fixed_rate = pfc__rate_of(ns_per_tick / (1 << PFC__FRACTION));
}

PFC__HOT pfc__i64 pfc__common_ns(pfc__i64 tick)
{
    return pfc__mpi.ns0 + pfc__by_rate(&pfc__mpi.tick_rate, tick - pfc__mpi.tick0);
}

/* ns */
static PFC__QUIET pfc__i64 pfc__since(pfc__i64 tick)
{
    return pfc__by_rate(&pfc__mpi.tick_rate, pfc__clock() - tick);
}

/* How far that may be from the common clock. */
PFC__HOT pfc__i64 pfc__clock_bound(pfc__i64 ns)
{
    if (PFC__LIKELY(!pfc__mpi.clock_u)) return 0;
    return pfc__mpi.clock_u + (pfc__i64)((double)(ns - pfc__mpi.ns0) * pfc__mpi.clock_u_rate);
}

PFC__HOT pfc__i64 pfc__fixed_ns(pfc__i64 fixed) { return pfc__by_rate(&pfc__mpi.fixed_rate, fixed); }
PFC__HOT pfc__i64 pfc__fixed_of(pfc__i64 ns) { return pfc__round((double)ns * (1 << PFC__FRACTION) / pfc__mpi.ns_per_tick); }

PFC__HOT pfc__moment_t pfc__moment_of(pfc__i64 tick, pfc__i64 delta, pfc__i64 doubt)
{
    pfc__moment_t m;
    m.ct = pfc__common_ns(tick);
    m.lt = m.ct - pfc__fixed_ns(delta);
    m.u = pfc__fixed_ns(doubt);
    m.clock = pfc__clock_bound(m.ct);
    return m;
}

/* As one of several ranks, by name. */
PFC__HOT pfc__latest_t pfc__latest_here(pfc__moment_t m) { return pfc__latest_by(pfc__mpi.rank, m); }

/* Where this thread is now. */
PFC__HOT pfc__moment_t pfc__moment_at(pfc__i64 tick)
{
    return pfc__moment_of(tick, pfc__delta_get(), pfc__self ? pfc__delta_doubt(pfc__self) : 0);
}

static PFC__QUIET pfc__i64 pfc__delay_now(void) { return pfc__fixed_ns(pfc__delta_get()); }

/* The library may call a function of the program's own that calls MPI in turn: so much have such calls moved Δ, amid calls that ask. */
static struct { int asked; pfc__i64 moved; } pfc__called_back;

/* A call began at `begin` and ended at `end`: where a rule has changed Δ or its uncertainty, they are the thread's from here on. */
PFC__HOT void pfc__moment_move(pfc__moment_t begin, pfc__moment_t end)
{
    pfc__thread_t *t = pfc__self;
    pfc__i64 delta = (end.ct - end.lt) - (begin.ct - begin.lt), u = end.u - begin.u;
    if ((delta | u) == 0 || PFC__UNLIKELY(t == 0)) return;
    if (PFC__UNLIKELY(pfc__called_back.asked)) pfc__called_back.moved += delta;
    pfc__delta_take(t, t->delta + pfc__fixed_of(delta), pfc__max(0, pfc__delta_doubt(t) + pfc__fixed_of(u)));
}

/* The time since `tick` was ours. Returns until when: if the rank dies, that was its last sign of life. */
PFC__HOT pfc__i64 pfc__charge_since(pfc__i64 tick)
{
    pfc__i64 now = pfc__clock();
    if (PFC__LIKELY(pfc__self != 0)) {
        pfc__delta_charge(pfc__self, now - tick);
        pfc__self->tick_end = now;
    }
    return now;
}

/* Lets a short time pass. */
static PFC__QUIET void pfc__pause(pfc__i64 ns)
{
#ifdef PERFCOMP_CHARGE
    PERFCOMP_CHARGE((double)ns);
#else
    pfc__i64 until = pfc__clock() + pfc__round((double)ns * pfc__ticks_per_ns());
    while (pfc__clock() < until) continue;
#endif
}

/* ----------------------------------------------------- patience (MPI impl) ---
   At Init ranks wait for those that measure, and where collectives are tried, for
   each other. Where they share processors, one that waits inside of the library
   may keep its processor for a whole time slice from the one that it waits for:
   these give it away, after a while. */

enum { PFC__PATIENT_TESTS = 200 };

/* Whether it is complete, after `ns` at the latest; then the request is null. Virtual time doesn't pass in a test. */
static PFC__QUIET int pfc__patient_until(MPI_Request *request, pfc__i64 ns)
{
    pfc__i64 tick = pfc__clock();
    int done = 0, tests;
    for (tests = 0; !done && !PFC__ONE_PROGRAM && pfc__since(tick) < ns; tests++) {
        PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tests > PFC__PATIENT_TESTS) sched_yield();
    }
    return done;
}

/* Lets so much time pass, and others have the processor meanwhile. */
static PFC__QUIET void pfc__patient_pause(pfc__i64 ns)
{
    pfc__i64 tick = pfc__clock();
    if (PFC__ONE_PROGRAM) pfc__pause(ns);
    while (!PFC__ONE_PROGRAM && pfc__since(tick) < ns) sched_yield();
}

static PFC__QUIET void pfc__patient_wait(MPI_Request *request)
{
    if (!pfc__patient_until(request, INT64_MAX)) PMPI_Wait(request, MPI_STATUS_IGNORE);
}

static PFC__QUIET void pfc__patient_receive(void *data, int bytes, int from, int tag)
{
    MPI_Request request;
    PMPI_Irecv(data, bytes, MPI_BYTE, from, tag, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}

static PFC__QUIET void pfc__patient_send(const void *data, int bytes, int to, int tag)
{
    MPI_Request request;
    PMPI_Isend(data, bytes, MPI_BYTE, to, tag, pfc__mpi.comm, &request);
    pfc__patient_wait(&request);
}

/* A collective: the library's name, its nonblocking one's, arguments. SimGrid's nonblocking ones are n² messages. */
#define PFC__PATIENTLY(call, icall, ...) \
    do { \
        MPI_Request request; \
        if (PFC__ONE_PROGRAM) PMPI_##call(__VA_ARGS__); \
        else PMPI_##icall(__VA_ARGS__, &request), pfc__patient_wait(&request); \
    } while (0)

static PFC__QUIET void pfc__patient_bcast(void *data, int bytes)
{
    PFC__PATIENTLY(Bcast, Ibcast, data, bytes, MPI_BYTE, 0, pfc__mpi.comm);
}

static PFC__QUIET pfc__i64 pfc__patient_max(pfc__i64 mine)
{
    pfc__i64 most = mine;
    PFC__PATIENTLY(Allreduce, Iallreduce, &mine, &most, 1, MPI_INT64_T, MPI_MAX, pfc__mpi.comm);
    return most;
}

static PFC__QUIET void pfc__patient_barrier(void) { PFC__PATIENTLY(Barrier, Ibarrier, pfc__mpi.comm); }

/* ----------------------------------------------------- handles (MPI impl) ---
   A table from MPI handles (integers or pointers, by library) to what we know
   of them. Several entries may have one handle, and the newest is found first:
   libraries give all requests that were complete at once the same one, and any
   of its entries will do. */

typedef struct pfc__by_handle {
    struct pfc__by_handle *next; /* in its bucket */
    pfc__uptr key;
} pfc__by_handle_t;

typedef struct pfc__table_of_handles {
    pfc__by_handle_t **bucket;
    size_t buckets, entries; /* buckets: a power of two, or 0 */
    pfc__by_handle_t *all;   /* the one chain, where there was no memory for any bucket */
} pfc__handles_t;

#define PFC__KEY(handle) pfc__key(&(handle), sizeof(handle))

PFC__HOT pfc__uptr pfc__key(const void *handle, size_t bytes)
{
    pfc__uptr key = 0;
    memcpy(&key, handle, bytes < sizeof key ? bytes : sizeof key);
    return key;
}

/* The chain that one with this key is in. */
PFC__HOT pfc__by_handle_t **pfc__bucket(pfc__handles_t *t, pfc__uptr key)
{
    size_t hash = (size_t)(((pfc__u64)key * 0x9e3779b97f4a7c15u) >> 32);
    return PFC__LIKELY(t->buckets != 0) ? &t->bucket[hash & (t->buckets - 1)] : &t->all;
}

/* To go through all: chain i of buckets + 1. */
static PFC__QUIET pfc__by_handle_t *pfc__handles_chain(const pfc__handles_t *t, size_t i)
{
    return i < t->buckets ? t->bucket[i] : t->all;
}

static PFC__QUIET void pfc__handles_grow(pfc__handles_t *t)
{
    size_t i, more = t->buckets ? 2 * t->buckets : 64, old = t->buckets ? t->buckets : 1;
    pfc__by_handle_t **from = t->buckets ? t->bucket : &t->all, **to = (pfc__by_handle_t **)calloc(more, sizeof *to);
    if (!to) return; /* longer chains */
    t->bucket = to;
    t->buckets = more;
    for (i = 0; i < old; i++) {
        pfc__by_handle_t *e, *turned = 0; /* and turned again on its way, so that the newest stays in front */
        while ((e = from[i]) != 0) from[i] = e->next, e->next = turned, turned = e;
        while ((e = turned) != 0) {
            turned = e->next;
            e->next = *pfc__bucket(t, e->key);
            *pfc__bucket(t, e->key) = e;
        }
    }
    if (from != &t->all) free(from);
}

static PFC__QUIET void pfc__handles_put(pfc__handles_t *t, pfc__uptr key, pfc__by_handle_t *e)
{
    pfc__by_handle_t **at;
    if (t->entries >= t->buckets) pfc__handles_grow(t);
    at = pfc__bucket(t, key);
    e->key = key;
    e->next = *at;
    *at = e;
    t->entries++;
}

PFC__HOT pfc__by_handle_t *pfc__handles_find(pfc__handles_t *t, pfc__uptr key)
{
    pfc__by_handle_t *e = *pfc__bucket(t, key);
    while (e && e->key != key) e = e->next;
    return e;
}

static PFC__QUIET void pfc__handles_remove(pfc__handles_t *t, pfc__by_handle_t *entry)
{
    pfc__by_handle_t **at = pfc__bucket(t, entry->key);
    while (*at && *at != entry) at = &(*at)->next;
    if (!*at) return;
    *at = entry->next;
    t->entries--;
}

/* ---- with the lock taken for this alone */

static PFC__QUIET void pfc__handles_keep(pfc__handles_t *t, pfc__uptr key, pfc__by_handle_t *e)
{
    pfc__mpi_lock();
    pfc__handles_put(t, key, e);
    pfc__mpi_unlock();
}

static PFC__QUIET pfc__by_handle_t *pfc__handles_look(pfc__handles_t *t, pfc__uptr key)
{
    pfc__by_handle_t *e;
    pfc__mpi_lock();
    e = pfc__handles_find(t, key);
    pfc__mpi_unlock();
    return e;
}

/* Out of the table, before another thread can be given the same handle. NULL: it wasn't there. */
static PFC__QUIET pfc__by_handle_t *pfc__handles_take(pfc__handles_t *t, pfc__uptr key)
{
    pfc__by_handle_t *e;
    pfc__mpi_lock();
    e = pfc__handles_find(t, key);
    if (e) pfc__handles_remove(t, e);
    pfc__mpi_unlock();
    return e;
}

/* ------------------------------------------------------- errors (MPI impl) ---
   An error handler of the program's may leave by longjmp, or by throwing. The
   library calls it amid a call of ours, which has still to find out what has
   failed, what of our own messages goes with it, and whose records end. So a
   handler that the program makes is called when the wrapper has done all that. */

#ifndef PERFCOMP_SMPI

typedef struct pfc__errhandler { pfc__by_handle_t entry; MPI_Comm_errhandler_function *users; } pfc__errhandler_t;
static pfc__handles_t pfc__errhandlers;

/* message: Open MPI's third argument, which stays where it is. */
typedef struct pfc__error { MPI_Comm_errhandler_function *users; MPI_Comm comm; int code; const void *message; } pfc__error_t;

enum { PFC__ERRORS_MOST = 4 }; /* of one call; more are told at once */
typedef struct pfc__errors { int n; pfc__error_t error[PFC__ERRORS_MOST]; } pfc__errors_t;
static PFC__TLS pfc__errors_t pfc__errors;
static int pfc__errors_untold; /* of all threads */

/* That it has now. NULL: it isn't one that we know. */
static PFC__COLD MPI_Comm_errhandler_function *pfc__errhandler_of(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    const pfc__errhandler_t *e;
    if (PMPI_Comm_get_errhandler(comm, &handler)) return 0;
    e = (const pfc__errhandler_t *)(const void *)pfc__handles_look(&pfc__errhandlers, PFC__KEY(handler));
    PMPI_Errhandler_free(&handler);
    return e ? e->users : 0;
}

static PFC__COLD void pfc__error_tell(pfc__error_t *e)
{
#ifdef OPEN_MPI
    e->users(&e->comm, &e->code, e->message, (void *)0);
#else
    e->users(&e->comm, &e->code, 0);
#endif
}

/* The library calls it. */
static void pfc__error_raised(MPI_Comm *comm, int *code, ...)
{
    pfc__error_t e;
    e.users = pfc__errhandler_of(*comm);
    e.comm = *comm;
    e.code = *code;
    e.message = 0;
#ifdef OPEN_MPI
    {
        va_list more;
        va_start(more, code);
        e.message = va_arg(more, const void *);
        va_end(more);
    }
#endif
    if (!e.users) return;
    if (!pfc__mpi.on || !pfc__is_amid(PFC__MPI_CALL) || pfc__errors.n == PFC__ERRORS_MOST) {
        pfc__error_tell(&e);
        return;
    }
    pfc__errors.error[pfc__errors.n++] = e;
    __atomic_fetch_add(&pfc__errors_untold, 1, __ATOMIC_RELAXED);
}

/* This thread's call has ended. The first one may be left for ever: of the others nobody hears then, as from the library. */
static PFC__COLD void pfc__errors_tell(void)
{
    pfc__errors_t told = pfc__errors;
    int i;
    pfc__errors.n = 0;
    __atomic_fetch_sub(&pfc__errors_untold, told.n, __ATOMIC_RELAXED);
    for (i = 0; i < told.n; i++) pfc__error_tell(&told.error[i]);
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *users, MPI_Errhandler *made)
{
    pfc__errhandler_t *e = pfc__mpi.on && users && made ? (pfc__errhandler_t *)malloc(sizeof *e) : 0;
    int error = PMPI_Comm_create_errhandler(e ? pfc__error_raised : users, made);
    if (!e) return error;
    e->users = users;
    if (error) free(e);
    else {
        free(pfc__handles_take(&pfc__errhandlers, PFC__KEY(*made))); /* of one that is no more */
        pfc__handles_keep(&pfc__errhandlers, PFC__KEY(*made), &e->entry);
    }
    return error;
}

#else
static const int pfc__errors_untold = 0;
static void pfc__errors_tell(void) { }
#endif

/* ---------------------------------------------------- transfer (MPI impl) ---
   How long a message of m bytes travels (L), and how long a call takes that
   finds its message there (c): measured at Init over the sizes between the
   first two ranks, then the least that is seen in the run itself. L is without
   the piggyback: what a message took longer because of it is ours. In c it is
   part of the message, and cancels out. */

enum { PFC__SIZES = 27, PFC__SIZES_MET = 256, PFC__TRIES = 9 };

/* The last two are the eager limit's sides, and go where they belong once it is known. */
static const pfc__i64 pfc__sizes[PFC__SIZES - 2] = {
    0,    64,   128,  192,  256,   384,   512,   768,   1024,  1536,   2048,   3072,   4096,
    6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 98304, 131072, 262144, 1048576
};

typedef struct pfc__curve { pfc__i64 ns[PFC__SIZES], u[PFC__SIZES]; } pfc__curve_t;

static struct {
    pfc__i64 size[PFC__SIZES];     /* ascending */
    pfc__curve_t travel, cost;
    pfc__curve_t piggy;            /* how much longer it travels with a piggyback; none: it goes apart */
    pfc__i64 eager;                /* longest message that doesn't wait for its receiver */
    pfc__i64 alone;                /* and longest one for which the receiver needn't be in the library */
    pfc__i64 starts;               /* 1: short persistent sends are done when their receiver has looked at them */
    pfc__i64 awaits, pushes;       /* 1: longer data move only when their receiver is in the library; their sender (away.c) */
    pfc__i64 copied;               /* longest data that carry their piggyback; of others it goes apart */
} pfc__link;

/* What is known of messages of exactly so many bytes: programs send the same again and again. */
typedef struct pfc__sized {
    pfc__i64 bytes;
    int known, seen; /* seen: in the run itself, the least */
    pfc__transfer_t travel, cost, piggy;
} pfc__sized_t;

static pfc__sized_t pfc__sizes_met[PFC__SIZES_MET];

/* The first size measured that is as long, but for the least; or the longest. */
PFC__HOT int pfc__size_above(pfc__i64 bytes)
{
    int i = 1;
    while (i < PFC__SIZES - 1 && pfc__link.size[i] < bytes) i++;
    return i;
}

/* Between two sizes measured, `bytes` of which the second is the one above, by a straight line. It goes on behind the
   longest, but not down: noise has made the one before seem slower then, and the line would end below zero. */
static PFC__QUIET pfc__transfer_t pfc__on_curve(const pfc__curve_t *curve, pfc__i64 bytes, int above)
{
    pfc__i64 low = pfc__link.size[above - 1];
    double share = (double)(bytes - low) / (double)(pfc__link.size[above] - low);
    pfc__transfer_t t;
    t.ns = curve->ns[above - 1] + pfc__round(share * (double)(curve->ns[above] - curve->ns[above - 1]));
    if (share > 1) t.ns = pfc__max(t.ns, curve->ns[above]);
    t.u = pfc__max(curve->u[above - 1], curve->u[above]);
    return t;
}

static PFC__COLD void pfc__sized_meet(pfc__sized_t *s, pfc__i64 bytes)
{
    int above = pfc__size_above(bytes);
    s->bytes = bytes;
    s->known = 1;
    s->seen = 0;
    memset(&s->travel, 0, sizeof s->travel);
    s->cost = s->piggy = s->travel;
    if (!pfc__link.travel.ns[PFC__SIZES - 1]) return; /* a single rank: nothing was measured */
    s->travel = pfc__on_curve(&pfc__link.travel, bytes, above);
    s->cost = pfc__on_curve(&pfc__link.cost, bytes, above);
    s->piggy.ns = pfc__link.piggy.ns[above];
    s->piggy.u = pfc__link.piggy.u[above];
}

/* Under the lock. */
PFC__HOT pfc__sized_t *pfc__size_known(pfc__i64 bytes)
{
    pfc__sized_t *s = &pfc__sizes_met[((pfc__u64)bytes * 0x9e3779b97f4a7c15u >> 56) % PFC__SIZES_MET];
    if (PFC__UNLIKELY(s->bytes != bytes || !s->known)) pfc__sized_meet(s, bytes);
    return s;
}

enum { PFC__ANY_PEER = -1 };

/* `peer`: rank in MPI_COMM_WORLD. What a rank sends to itself is there. */
PFC__HOT pfc__transfer_t pfc__travel_from(const pfc__sized_t *s, pfc__u32 peer)
{
    pfc__transfer_t none = { 0, 0 };
    return PFC__UNLIKELY(peer == (pfc__u32)pfc__mpi.rank) ? none : s->travel;
}

/* What was sent with a piggyback comes as it would without, had it been sent so much later. */
PFC__HOT pfc__moment_t pfc__sent_bare(pfc__moment_t sent, const pfc__sized_t *s)
{
#ifndef PERFCOMP_MPI_TAU
    sent.ct += s->piggy.ns;
    sent.u += s->piggy.u;
#else
    (void)s;
#endif
    return sent;
}

/* A receive waited, and so saw how long this message travelled: at least `ns` − what made it late. Under the lock. */
PFC__HOT void pfc__travel_seen(pfc__sized_t *s, pfc__u32 peer, pfc__i64 ns)
{
    if (ns <= 0 || peer == (pfc__u32)pfc__mpi.rank) return;
    if (!s->seen || s->travel.ns > ns) s->travel.ns = ns;
    s->seen = 1;
}

/* ---- with the lock taken for this alone */

PFC__HOT pfc__sized_t pfc__size_look(pfc__i64 bytes)
{
    pfc__sized_t s;
    pfc__mpi_lock();
    s = *pfc__size_known(bytes);
    pfc__mpi_unlock();
    return s;
}

static PFC__QUIET pfc__transfer_t pfc__travel(pfc__i64 bytes, pfc__u32 peer)
{
    pfc__sized_t s = pfc__size_look(bytes);
    return pfc__travel_from(&s, peer);
}

static PFC__QUIET void pfc__travel_saw(pfc__i64 bytes, pfc__u32 peer, pfc__i64 ns)
{
    pfc__mpi_lock();
    pfc__travel_seen(pfc__size_known(bytes), peer, ns);
    pfc__mpi_unlock();
}

static PFC__QUIET pfc__transfer_t pfc__call_cost(pfc__i64 bytes) { return pfc__size_look(bytes).cost; }

/* What a message takes beyond its travel: in a simulation that may be all of it. On a machine it is little, and what was measured may
   be others' use of the processors. */
static PFC__QUIET pfc__i64 pfc__cost_beyond(pfc__i64 bytes) { return PFC__ONE_PROGRAM ? pfc__call_cost(bytes).ns : 0; }

/* ---------------------------------------------------- own time (MPI impl) ---
   What a wrapper does before and after the library's call is ours, and charged
   as the clock tells. Of short messages in quick succession reading the clock
   would be a third of it: there one time in sixteen, drawn at random, is
   measured, and the others are taken to be as long as the last ones that were
   measured, on average. Their sum has no bias, as that of regions with
   PERFCOMP_BUDGET hasn't. */

typedef struct pfc__own { pfc__i64 mean; pfc__u32 known; } pfc__own_t; /* ticks, fixed point; of so many */
typedef struct pfc__own_parts { pfc__own_t before, after; pfc__i64 last; } pfc__own_parts_t; /* last: tick of such a call */

enum { PFC__OWN_BYTES = 256, PFC__OWN_SOON_NS = 4000, PFC__OWN_LAST = 32, PFC__OWN_LONGEST = 16 };

/* `parts` when the last such call was shortly before `tick`, else NULL: the clock tells. A trace's events must be in
   order, and modelled costs be exact. Of several threads, one may wait inside of us
   for another: charged by the mean, calls that didn't wait would begin after their end. */
PFC__HOT pfc__own_parts_t *pfc__own_soon(pfc__own_parts_t *parts, pfc__i64 tick)
{
#ifdef PERFCOMP_CHARGE
    return (void)parts, (void)tick, (pfc__own_parts_t *)0;
#else
    pfc__i64 last = __atomic_load_n(&parts->last, __ATOMIC_RELAXED);
    int soon = pfc__by_rate(&pfc__mpi.tick_rate, tick - last) < PFC__OWN_SOON_NS;
    __atomic_store_n(&parts->last, tick, __ATOMIC_RELAXED);
    return PFC__LIKELY(soon && pfc__self && !pfc__self->ring && !pfc__mpi.threads) ? parts : 0;
#endif
}

/* One that took much longer than the others was interrupted, or was the first, which isn't what the next ones will be.
   As long as few are known, the others show it by being much shorter: what was known before them doesn't count. */
static PFC__COLD pfc__i64 pfc__own_measure(pfc__own_t *o, pfc__i64 tick)
{
    pfc__i64 now = pfc__charge_since(tick), ticks = (now - tick) * (1 << PFC__FRACTION);
    pfc__i64 mean = __atomic_load_n(&o->mean, __ATOMIC_RELAXED);
    pfc__u32 known = __atomic_load_n(&o->known, __ATOMIC_RELAXED); /* of two threads at once, one may be forgotten */
    if (known < PFC__OWN_LAST && mean > PFC__OWN_LONGEST * ticks) known = 0, mean = 0;
    if (known) ticks = pfc__min(ticks, PFC__OWN_LONGEST * mean);
    __atomic_store_n(&o->mean, mean + (ticks - mean) / (known + 1), __ATOMIC_RELAXED);
    __atomic_store_n(&o->known, known + (known < PFC__OWN_LAST), __ATOMIC_RELAXED);
    return now;
}

/* The time since `tick` was ours. Returns until when. */
PFC__HOT pfc__i64 pfc__charge_own(pfc__own_t *o, pfc__i64 tick)
{
    pfc__u64 random = (pfc__u64)tick * 0x9e3779b97f4a7c15u;
    pfc__i64 ticks;
    if (PFC__UNLIKELY(!(random >> 60) || __atomic_load_n(&o->known, __ATOMIC_RELAXED) < PFC__OWN_LAST)) return pfc__own_measure(o, tick);
    ticks = (__atomic_load_n(&o->mean, __ATOMIC_RELAXED) + (pfc__i64)(random >> 32 & ((1 << PFC__FRACTION) - 1))) >> PFC__FRACTION;
    pfc__delta_charge(pfc__self, ticks);
    return tick + ticks;
}

/* ------------------------------------------------------- bound (MPI impl) ---
   For PERFCOMP_MPI_ORDER=hold: up to which local time a rank has come, before
   which it sends nothing any more. (Conservative parallel simulation knows that
   as the lower bound on time stamps: Chandy and Misra, 1979. Its processes must
   tell it; here each rank's Δ stands in its profile, where the others look.)

   A rank that computes is at now − Δ. One that is inside of MPI may leave with
   another's Δ; unless it polls: then it is where it was. Where it waits for a
   message of one rank, and none is on its way, it is no further than that rank:
   not before this one has sent, if it is that. Otherwise it is where it was when
   it entered, or at the message that it holds back; but what was sent to it by
   the rank that is furthest behind has come to it after a while. How many
   messages it has sent to each it tells as well. */

typedef struct pfc__place {
    const pfc__thread_t *thread; /* of the rank's calls */
    const pfc__mpi_at_t *at;
    const pfc__u32 *sent;        /* by it, to each rank */
    pfc__u32 heard, got;         /* of them: that we know of, that we have received */
    pfc__u32 due;                /* when it was looked at: had been sent */
    int sends;                   /* then: it waited for this rank to receive the last of them */
    int ignored;                 /* it waits for no receive but ours of that one, which is here: see hold */
    pfc__i64 lt;                 /* and up to where it had come */
    pfc__i64 last;               /* LT of this rank's last message to it */
} pfc__place_t;

static struct {
    int on;
    pfc__mpi_at_t *at;   /* this rank's */
    pfc__u32 *sent;      /* by this rank, to each */
    pfc__place_t *place; /* by rank in MPI_COMM_WORLD */
    int looks;           /* in this call */
    int fresh;           /* what was seen at the last look still holds: this rank has only polled in vain since, as in this call: */
    int vain;
    pfc__i64 did;        /* tick: when it last did anything else */
    pfc__i64 may_leave;  /* LT: this call may end there, whatever comes */
    pfc__u32 sends_to;   /* what the call will tell, once it has sent: see pfc__mpi_at_t */
} pfc__bound;

enum { PFC__BOUND_LATE = 1000000, PFC__BOUND_CHAIN = 8 }; /* ns, to take in what has come; ranks that wait for each other */

#define PFC__TOLD(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define PFC__TELL(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELEASE)

/* ---- what this rank tells */

/* A call begins, or ends, when all that it charges is part of Δ. */
static PFC__COLD void pfc__bound_enter(pfc__i64 tick)
{
    pfc__mpi_at_t *at = pfc__bound.at;
    if (!at->depth) PFC__TELL(at->lt, pfc__moment_at(tick).lt);
    pfc__bound.looks = pfc__bound.vain = 0;
    pfc__bound.may_leave = INT64_MAX;
    PFC__TELL(at->depth, at->depth + 1);
}

static PFC__COLD void pfc__bound_leave(void)
{
    pfc__mpi_at_t *at = pfc__bound.at;
    PFC__TELL(at->waits_for, 0);
    PFC__TELL(at->sends_to, 0);
    pfc__bound.sends_to = 0;
    PFC__TELL(at->held, INT64_MAX);
    if (!pfc__bound.vain) pfc__bound.fresh = 0, pfc__bound.did = pfc__clock();
    PFC__TELL(at->polls, pfc__bound.vain && pfc__since(pfc__bound.did) > PFC__BOUND_LATE);
    PFC__TELL(at->depth, at->depth - 1);
}

/* The call won't wait for anything that comes later. */
static PFC__COLD void pfc__bound_polls(pfc__i64 lt)
{
    pfc__bound.may_leave = lt;
    PFC__TELL(pfc__bound.at->held, pfc__min(pfc__bound.at->held, lt));
}

/* It won't leave its call before a message of the rank `world` has come. */
static PFC__COLD void pfc__bound_waits_for(int world)
{
    if (world < 0 || world >= pfc__mpi.size) return;
    PFC__TELL(pfc__bound.at->got, pfc__bound.place[world].got);
    PFC__TELL(pfc__bound.at->waits_for, (pfc__u32)world + 1);
}

/* A message to the rank `world`. */
static PFC__COLD void pfc__bound_sends(int world, pfc__i64 lt)
{
    pfc__bound.vain = 0;
    PFC__TELL(pfc__bound.at->polls, 0);
    pfc__bound.place[world].last = lt;
    PFC__TELL(pfc__bound.sent[world], pfc__bound.sent[world] + 1);
    PFC__TELL(pfc__bound.at->sends_to, pfc__bound.sends_to);
}

/* One of the rank `world` has been received. */
static PFC__COLD void pfc__bound_gets(pfc__u32 world)
{
    pfc__bound.vain = pfc__bound.fresh = 0;
    pfc__bound.place[world].got++;
}

/* ---- what others tell */

static PFC__QUIET pfc__i64 pfc__delta_of(int rank) { return pfc__fixed_ns(PFC__TOLD(pfc__bound.place[rank].thread->delta)); }

/* Before that, nothing wakes a rank that waits: what it could have been sent until a while ago has come to it, and `rank` sends
   nothing earlier from then on. */
static PFC__QUIET pfc__i64 pfc__bound_wakes(int rank, pfc__i64 now)
{
    const pfc__mpi_at_t *at = pfc__bound.place[rank].at;
    int polls = (int)PFC__TOLD(at->polls), ours = rank == pfc__mpi.rank; /* we don't go on before we have decided */
    pfc__i64 lt, local;
    if (PFC__TOLD(at->gone) || (polls && ours)) return INT64_MAX / 2;
    if (!PFC__TOLD(at->depth)) return now - pfc__delta_of(rank) - (polls ? 0 : PFC__BOUND_LATE);
    lt = PFC__TOLD(at->lt);
    local = pfc__min(ours ? INT64_MAX : PFC__TOLD(at->held), now - pfc__delta_of(rank) - PFC__BOUND_LATE);
    return polls ? pfc__max(lt, local) : local;
}

/* The same of all. */
static PFC__QUIET pfc__i64 pfc__bound_late(pfc__i64 now)
{
    pfc__i64 late = INT64_MAX / 2;
    int rank;
    for (rank = 0; rank < pfc__mpi.size; rank++) late = pfc__min(late, pfc__bound_wakes(rank, now));
    return late;
}

static pfc__i64 pfc__bound_of(int rank, pfc__i64 now, pfc__i64 late, int chain);

/* It is in a call, since `lt`, and waits for a message of the rank `from`, of which it has `got` so many. */
static PFC__QUIET pfc__i64 pfc__bound_behind(int rank, int from, pfc__u32 got, pfc__i64 lt, pfc__i64 late, pfc__i64 now, int chain)
{
    int ours = from == pfc__mpi.rank;
    pfc__i64 other = ours ? INT64_MAX / 2 : chain ? pfc__bound_of(from, now, late, chain - 1) : late; /* before it is looked whether it has sent */
    pfc__u32 sent = ours ? pfc__bound.sent[rank] : PFC__TOLD(pfc__bound.place[from].sent[rank]);
    if (sent == got) return pfc__max(lt, other);
    if (ours && sent - got == 1) late = pfc__max(late, pfc__bound.place[rank].last); /* or that one is for another of its receives */
    return pfc__max(lt, late);
}

/* At `now`, which was before any Δ was read; `late`: see pfc__bound_late. */
static pfc__i64 pfc__bound_of(int rank, pfc__i64 now, pfc__i64 late, int chain)
{
    const pfc__mpi_at_t *at = pfc__bound.place[rank].at;
    pfc__i64 lt;
    int from;
    if (PFC__TOLD(at->gone)) return INT64_MAX / 2;
    if (!PFC__TOLD(at->depth)) return now - pfc__delta_of(rank);
    from = (int)PFC__TOLD(at->waits_for) - 1;
    lt = PFC__TOLD(at->lt);
    if (from >= 0 && from < pfc__mpi.size) return pfc__bound_behind(rank, from, PFC__TOLD(at->got), lt, late, now, chain);
    return pfc__max(lt, pfc__min(PFC__TOLD(at->held), late));
}

/* Where all ranks are now. What they have sent until now must be taken in afterwards, before it is asked what can still come. */
static PFC__COLD void pfc__bound_look(void)
{
    pfc__i64 now = pfc__common_ns(pfc__clock()), late = pfc__bound_late(now);
    int rank;
    for (rank = 0; rank < pfc__mpi.size; rank++) {
        pfc__place_t *place = &pfc__bound.place[rank];
        place->lt = pfc__bound_of(rank, now, late, PFC__BOUND_CHAIN);
        place->sends = PFC__TOLD(place->at->sends_to) == (pfc__u32)pfc__mpi.rank + 1; /* first: it counts before it tells that */
        place->due = PFC__TOLD(place->sent[pfc__mpi.rank]);
    }
}

/* Its nth message is here, and nobody's yet: if it waits for that, it sends nothing before. */
static PFC__COLD void pfc__bound_ignores(pfc__u32 rank, pfc__u32 nth)
{
    pfc__place_t *place = &pfc__bound.place[rank];
    place->ignored = place->sends && place->due == nth;
}

/* How much is missing until nothing can come any more that would have come before `lt`: from the rank `only`, or, where that
   is less than 0, from any but `but`. 0: nothing. */
static PFC__COLD pfc__i64 pfc__bound_misses(pfc__i64 lt, int only, int but)
{
    pfc__i64 travel = pfc__size_known(0)->travel.ns, misses = 0;
    int rank;
    for (rank = 0; rank < pfc__mpi.size; rank++) {
        const pfc__place_t *place = &pfc__bound.place[rank];
        if (rank == pfc__mpi.rank || rank == but || (only >= 0 && rank != only)) continue;
        if (place->ignored) continue;
        misses = pfc__max(misses, lt - travel - place->lt);
        if ((pfc__u32)(place->due - place->heard) - 1 < UINT32_MAX / 2) misses = pfc__max(misses, 1); /* something is on its way */
    }
    return misses;
}

/* ---- where that stands */

typedef struct pfc__whereabouts {
    pfc__u64 thread, at; /* offsets in the profile's file; in one program: addresses */
    pfc__u64 device, inode;
    char file[480];
} pfc__whereabouts_t;

/* Of a pfc__mpi_at_t, and behind it how many messages its rank has sent to each. */
static PFC__COLD size_t pfc__bound_bytes(void) { return sizeof(pfc__mpi_at_t) + (size_t)pfc__mpi.size * sizeof(pfc__u32); }

/* NULL: it isn't there. */
static PFC__COLD const void *pfc__part_map(int fd, pfc__u64 at, size_t bytes)
{
    size_t front = (size_t)(at % (pfc__u64)sysconf(_SC_PAGESIZE));
    void *map = mmap(0, front + bytes, PROT_READ, MAP_SHARED, fd, (off_t)(at - front));
    return map == MAP_FAILED ? 0 : (const char *)map + front;
}

static PFC__COLD void pfc__part_unmap(const void *part, size_t bytes)
{
    size_t front = (size_t)((pfc__uptr)part % (pfc__uptr)sysconf(_SC_PAGESIZE));
    if (part) munmap((char *)(pfc__uptr)part - front, front + bytes);
}

/* This rank's; 0: nobody else could see it. */
static PFC__COLD int pfc__whereabouts_own(pfc__whereabouts_t *w)
{
    struct stat file;
    memset(w, 0, sizeof *w);
    if (!pfc__bound.at || !pfc__self) return 0;
    w->thread = PFC__ONE_PROGRAM ? (pfc__u64)(pfc__uptr)pfc__self : pfc__profile_offset(pfc__self);
    w->at = PFC__ONE_PROGRAM ? (pfc__u64)(pfc__uptr)pfc__bound.at : pfc__profile_offset(pfc__bound.at);
    if (PFC__ONE_PROGRAM) return 1;
    snprintf(w->file, sizeof w->file, "%s", pfc__profile_file_name());
    if (!w->thread || !w->at || strlen(pfc__profile_file_name()) >= sizeof w->file || stat(w->file, &file)) return 0;
    w->device = (pfc__u64)file.st_dev;
    w->inode = (pfc__u64)file.st_ino;
    return 1;
}

/* 0: its profile can't be read from here. */
static PFC__COLD int pfc__place_open(pfc__place_t *place, const pfc__whereabouts_t *w)
{
    struct stat file;
    int fd, same;
    if (PFC__ONE_PROGRAM) {
        place->thread = (const pfc__thread_t *)(pfc__uptr)w->thread;
        place->at = (const pfc__mpi_at_t *)(pfc__uptr)w->at;
        place->sent = (const pfc__u32 *)(const void *)(place->at + 1);
        return 1;
    }
    if ((fd = open(w->file, O_RDONLY | O_CLOEXEC)) < 0) return 0;
    same = !fstat(fd, &file) && (pfc__u64)file.st_dev == w->device && (pfc__u64)file.st_ino == w->inode;
    if (same) {
        place->thread = (const pfc__thread_t *)pfc__part_map(fd, w->thread, sizeof *place->thread);
        place->at = (const pfc__mpi_at_t *)pfc__part_map(fd, w->at, pfc__bound_bytes());
        place->sent = (const pfc__u32 *)(const void *)(place->at + 1);
    }
    close(fd);
    return place->thread && place->at;
}

static PFC__COLD void pfc__bound_end(void)
{
    int rank;
    pfc__bound.on = 0;
    for (rank = 0; pfc__bound.place && !PFC__ONE_PROGRAM && rank < pfc__mpi.size; rank++) {
        pfc__part_unmap(pfc__bound.place[rank].thread, sizeof(pfc__thread_t));
        pfc__part_unmap(pfc__bound.place[rank].at, pfc__bound_bytes());
    }
    free(pfc__bound.place);
    pfc__bound.place = 0;
}

/* By all ranks. Whether each sees all others. */
static PFC__COLD int pfc__bound_start(void)
{
    pfc__whereabouts_t *all = (pfc__whereabouts_t *)malloc((size_t)pfc__mpi.size * sizeof *all), mine;
    int rank, good, all_good;
    pfc__bound.at = (pfc__mpi_at_t *)pfc__extent_add(PFC__MPI, (pfc__u32)pfc__bound_bytes(), 1, PFC__MPI_AT);
    pfc__bound.sent = (pfc__u32 *)(void *)(pfc__bound.at + 1);
    pfc__bound.place = (pfc__place_t *)calloc((size_t)pfc__mpi.size, sizeof *pfc__bound.place);
    good = pfc__whereabouts_own(&mine) && all && pfc__bound.place;
    PMPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, pfc__mpi.comm);
    if (all_good) {
        pfc__bound.at->held = INT64_MAX;
        PMPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, pfc__mpi.comm);
        for (rank = 0; rank < pfc__mpi.size && good; rank++) good = pfc__place_open(&pfc__bound.place[rank], &all[rank]);
        PMPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, pfc__mpi.comm);
    }
    free(all);
    pfc__bound.on = all_good;
    if (!all_good) pfc__bound_end();
    return all_good;
}

/* -------------------------------------------------------- call (MPI impl) ---
   What every wrapper does: a region around the call, the moments of its begin
   and end, statistics by the place it is called from, and its own cost.

       pfc__call_in      wrapper entered
       pfc__call_begin   the library is about to be called
       pfc__call_end     it has returned
       pfc__call_out     wrapper left: everything but the library's time was ours */

typedef struct pfc__call {
    const char *name;
    enum pfc__mpi_rule rule;
    pfc__mpi_site_t *site;
    pfc__token_t region;
    pfc__i64 tick_in, tick_end;
    pfc__i64 held; /* ticks that were ours inside of the call, as if they had followed it */
    pfc__moment_t begin, end;
    pfc__i64 bytes;
    pfc__i64 wait_ct, wait_lt, wait_u;
    enum pfc__mpi_wait wait_kind;
    int hears;                  /* it waits or asks for something: what has come meanwhile is heard of, and its data move */
    int met;                    /* all ranks, by R6: */
    pfc__i64 met_least;         /* from then on no rank's Δ is less */
    int polls;                  /* 1: it's one of a row of questions (see polls) */
    pfc__i64 asked, asked_last; /* LT of the first and the last one in vain that are in doubt; 0: none are */
    pfc__i64 polled;            /* LT that was given back, because of those before the call, */
    pfc__i64 polled_ct;         /* and what these have waited, as measured: theirs, not in wait_ct */
    pfc__own_parts_t *own; /* NULL: the clock tells what was ours */
} pfc__call_t;

/* ---- places */

enum { PFC__MPI_SITES_AT_ONCE = 128, PFC__MPI_SITE_CACHE = 256 };

static struct { pfc__mpi_site_t *first; int used; } pfc__mpi_site_block;
static pfc__mpi_site_t *pfc__mpi_site_cache[PFC__MPI_SITE_CACHE];

typedef struct pfc__site_entry { pfc__by_handle_t entry; pfc__mpi_site_t *site; } pfc__site_entry_t;
static pfc__handles_t pfc__mpi_sites;

/* object + offset: addr2line finds the line, also in a position-independent program */
static PFC__QUIET void pfc__place_name(char *text, size_t room, const void *address)
{
#if defined __linux__ && !defined PERFCOMP_SMPI
    Dl_info info;
    if (dladdr((void *)(pfc__uptr)address, &info) && info.dli_fname) {
        const char *base = strrchr(info.dli_fname, '/');
        snprintf(text, room, "%.60s+0x%llx", base ? base + 1 : info.dli_fname,
                 (unsigned long long)((pfc__uptr)address - (pfc__uptr)info.dli_fbase - 1));
        return;
    }
#endif
    snprintf(text, room, "%p", address);
}

static PFC__QUIET pfc__mpi_site_t *pfc__mpi_site_new(const char *name, enum pfc__mpi_rule rule, const void *address)
{
    pfc__mpi_site_t *s;
    if (!pfc__mpi_site_block.first || pfc__mpi_site_block.used == PFC__MPI_SITES_AT_ONCE) {
        pfc__mpi_site_block.first =
            (pfc__mpi_site_t *)pfc__extent_add(PFC__MPI, sizeof *s, PFC__MPI_SITES_AT_ONCE, PFC__MPI_SITES);
        pfc__mpi_site_block.used = 0;
    }
    if (!pfc__mpi_site_block.first) /* the profile is full: private memory, nobody will read it */
        pfc__mpi_site_block.first = (pfc__mpi_site_t *)calloc(PFC__MPI_SITES_AT_ONCE, sizeof *s);
    if (!pfc__mpi_site_block.first) return 0;
    s = &pfc__mpi_site_block.first[pfc__mpi_site_block.used++];
    snprintf(s->name, sizeof s->name, "MPI_%s", name);
    pfc__place_name(s->place, sizeof s->place, address);
    s->address = (pfc__uptr)address;
    s->call = (pfc__u32)(pfc__uptr)name;
    s->rule = rule;
    return s;
}

/* One place makes one call: its address alone tells both, but for calls through pointers and inlined wrappers. */
PFC__HOT int pfc__mpi_site_is(const pfc__mpi_site_t *s, const char *name, const void *address)
{
    return s->address == (pfc__uptr)address && s->call == (pfc__u32)(pfc__uptr)name;
}

static PFC__QUIET pfc__mpi_site_t *pfc__mpi_site_look(const char *name, enum pfc__mpi_rule rule, const void *address)
{
    pfc__uptr key = (pfc__uptr)address ^ (pfc__uptr)name;
    pfc__site_entry_t *e;
    pfc__mpi_site_t *site = 0;
    pfc__mpi_lock();
    while ((e = (pfc__site_entry_t *)(void *)pfc__handles_find(&pfc__mpi_sites, key)) != 0 && !pfc__mpi_site_is(e->site, name, address))
        key++; /* the same by chance: it has the next one */
    if (e) site = e->site;
    else if ((e = (pfc__site_entry_t *)malloc(sizeof *e)) != 0) {
        e->site = site = pfc__mpi_site_new(name, rule, address);
        if (site) pfc__handles_put(&pfc__mpi_sites, key, &e->entry);
        else free(e);
    }
    pfc__mpi_unlock();
    return site;
}

PFC__HOT pfc__mpi_site_t *pfc__mpi_site_of(const char *name, enum pfc__mpi_rule rule, const void *address)
{
    unsigned at = (unsigned)(((pfc__uptr)address >> 2) ^ ((pfc__uptr)name >> 4)) % PFC__MPI_SITE_CACHE;
    pfc__mpi_site_t *site = __atomic_load_n(&pfc__mpi_site_cache[at], __ATOMIC_ACQUIRE);
    if (PFC__LIKELY(site && pfc__mpi_site_is(site, name, address))) return site;
    site = pfc__mpi_site_look(name, rule, address);
    __atomic_store_n(&pfc__mpi_site_cache[at], site, __ATOMIC_RELEASE);
    return site;
}

/* Fortran's calls come by way of wrappers (see fortran), of which each is one place. They say where they were called, for the
   next call of this thread; and where a name of MPI's own was called, its return address tells. */
#if defined OPEN_MPI && !defined PERFCOMP_SMPI
PFC__TLS const void *pfc__fortran_place;

PFC__HOT const void *pfc__called_at(const void *address)
{
    const void *place = pfc__fortran_place;
    if (PFC__LIKELY(!place)) return address;
    pfc__fortran_place = 0;
    return place;
}
#else
PFC__HOT const void *pfc__called_at(const void *address) { return address; }
#endif

/* ---- peers */

enum { PFC__MPI_PEER_SLOTS = 128 };
#define PFC__OTHERS 0xffffffffu /* ranks that have no entry of their own */
static pfc__mpi_peer_t *pfc__mpi_peers;

static PFC__QUIET void pfc__peer_waited(pfc__u32 rank, pfc__i64 ct, pfc__i64 lt)
{
    pfc__mpi_peer_t *p = 0;
    unsigned i, at = rank % (PFC__MPI_PEER_SLOTS - 1);
    if (!pfc__compensates) lt = ct;
    if (!pfc__mpi_peers || (ct <= 0 && lt <= 0)) return;
    pfc__mpi_lock();
    for (i = rank == PFC__OTHERS ? 8 : 0; i < 8; i++) {
        p = &pfc__mpi_peers[(at + i) % (PFC__MPI_PEER_SLOTS - 1)];
        if (!p->used || p->rank == rank) break;
    }
    if (i == 8) p = &pfc__mpi_peers[PFC__MPI_PEER_SLOTS - 1], rank = PFC__OTHERS;
    p->used = 1;
    p->rank = rank;
    p->waits++;
    p->wait_ct += ct;
    p->wait_lt += lt;
    pfc__mpi_unlock();
}

PFC__HOT pfc__u32 pfc__peer_named(int signer) { return signer == PFC__NOBODY ? PFC__OTHERS : (pfc__u32)signer; }

/* Of several ranks for the last one. That may be another one as measured than undisturbed: then each is waited for in one of
   them only. Within a step of its name's clock it may be this rank itself: it waits for nobody. */
static PFC__QUIET void pfc__peers_waited(pfc__names_t late, pfc__i64 ct, pfc__i64 lt)
{
    int last = pfc__signer(late.ct), last_lt = pfc__signer(late.lt), own = pfc__mpi.rank;
    if (last != own) pfc__peer_waited(pfc__peer_named(last), ct, last == last_lt ? lt : 0);
    if (last_lt != own && last_lt != last) pfc__peer_waited(pfc__peer_named(last_lt), 0, lt);
}

/* What the last probe has waited for a message from this rank: with its receive that is one wait. Under the lock. */
static struct { pfc__u32 rank; pfc__i64 ct; } pfc__probe_waited;

static PFC__QUIET void pfc__peer_probed(pfc__u32 rank, pfc__i64 ct)
{
    pfc__mpi_lock();
    pfc__peer_waited(pfc__probe_waited.rank, pfc__probe_waited.ct, 0); /* its message wasn't received by now */
    pfc__probe_waited.rank = rank;
    pfc__probe_waited.ct = ct;
    pfc__mpi_unlock();
}

PFC__HOT pfc__i64 pfc__peer_probe(pfc__u32 rank)
{
    pfc__i64 ct = pfc__probe_waited.ct;
    if (PFC__LIKELY(!ct) || pfc__probe_waited.rank != rank) return 0;
    pfc__probe_waited.ct = 0;
    return ct;
}

/* ---- the call */

static PFC__COLD void pfc__held_release_all(void); /* see held */

/* Where one may wait for another that waits for a receive which only we know of. */
static PFC__COLD void pfc__held_call(enum pfc__mpi_rule rule)
{
    if (rule == PFC__RULE_NONE || rule >= PFC__RULE_ALL) pfc__held_release_all();
}

/* Since when this rank has been out of calls that hear; and how many messages are under way whose other ends are told when it is back. */
static struct {
    pfc__moment_t since;
    int open;
    pfc__i64 opened; /* CT: when the first of these began, or somewhat before */
} pfc__away;

static PFC__COLD void pfc__call_is_back(pfc__call_t *c); /* see away */

/* Those that start something, or end what is here, don't look around. MPI_Send of short data doesn't either: see p2p. */
PFC__HOT int pfc__hears(enum pfc__mpi_rule rule, const char *name)
{
    return rule == PFC__RULE_PROBE || rule == PFC__RULE_COMPLETE || (rule > PFC__RULE_SEND && name[0] != 'I' && !strstr(name, "_init"));
}

static PFC__COLD void pfc__polls_go_on(pfc__call_t *c); /* see polls */
static PFC__COLD void pfc__polls_over(const pfc__call_t *c);

PFC__HOT void pfc__call_in(pfc__call_t *c, pfc__site_t *region, const char *name, enum pfc__mpi_rule rule, const void *address,
                           pfc__uptr sp)
{
    c->region.depth = pfc__enter_at(region, sp);
    c->tick_in = pfc__hits_charge_due(pfc__entered_at(&c->region));
    c->name = name;
    c->rule = rule;
    c->held = c->bytes = c->wait_ct = c->wait_lt = c->wait_u = c->asked_last = c->polled = c->polled_ct = 0;
    c->met = c->polls = 0;
    c->hears = pfc__hears(rule, name);
    c->wait_kind = PFC__NO_WAIT;
    c->own = 0;
    c->site = pfc__mpi_site_of(name, rule, address);
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_call(rule), pfc__bound_enter(c->tick_in);
    if (PFC__UNLIKELY(pfc__polling)) pfc__polls_go_on(c);
    pfc__virtual_cost(pfc__mpi.call_cost);
}

PFC__HOT void pfc__call_begin(pfc__call_t *c)
{
    if (PFC__UNLIKELY(pfc__away.open) && c->hears) pfc__call_is_back(c);
    c->begin = pfc__moment_at(c->own ? pfc__charge_own(&c->own->before, c->tick_in) : pfc__charge_since(c->tick_in));
}

/* Where this rank is amid what a wrapper does, which is ours up to here: to be told to another one. */
static PFC__QUIET pfc__moment_t pfc__call_so_far(pfc__call_t *c)
{
    c->tick_in = pfc__charge_since(c->tick_in);
    return pfc__moment_at(c->tick_in);
}

/* Until a rule says otherwise, the end is later than the begin by what the call took. */
PFC__HOT void pfc__call_end(pfc__call_t *c)
{
    c->tick_end = pfc__clock() - c->held;
    c->end = c->begin;
    c->end.ct = pfc__common_ns(c->tick_end);
    c->end.lt += c->end.ct - c->begin.ct;
}

/* It began before the library's call: what was done then wasn't ours. */
static PFC__QUIET void pfc__call_began(pfc__call_t *c, pfc__i64 ns)
{
    c->begin.ct -= ns;
    if (pfc__self) pfc__delta_charge(pfc__self, -pfc__round((double)ns / pfc__mpi.ns_per_tick));
}

/* It lasts longer than the library's call. */
static PFC__QUIET void pfc__call_goes_on(pfc__call_t *c, pfc__i64 ns)
{
    c->tick_end += pfc__round((double)ns / pfc__mpi.ns_per_tick);
    c->end.ct += ns;
    c->end.lt += ns;
}

/* We have no memory to do it with: the library isn't called, but the user's error handler is. MPI_COMM_NULL: nobody
   knows which communicator's. */
static PFC__QUIET int pfc__no_memory(pfc__call_t *c, MPI_Comm comm)
{
    pfc__call_begin(c);
    PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, MPI_ERR_NO_MEM);
    pfc__call_end(c);
    return MPI_ERR_NO_MEM;
}

/* What a wait is off by comes from two moments, its own begin and that of what it waited for. R6 gives all ranks one moment: by
   what that is off, nobody waits longer or shorter, only by what each rank's own probes have brought since. */
PFC__HOT pfc__i64 pfc__doubt_since_met(pfc__moment_t m) { return llabs(m.u - pfc__mpi.met_u); }

/* Nor is it more than the call was long, and than it changed Δ. Where its begin is an estimate, it may lie behind its end. */
PFC__HOT pfc__i64 pfc__wait_doubt(const pfc__call_t *c)
{
    pfc__i64 ct = c->end.ct - c->begin.ct, change = ct - (c->end.lt - c->begin.lt);
    return pfc__min(c->wait_u, pfc__max(0, ct + (change < 0 ? -change : change)));
}

PFC__HOT void pfc__site_add(pfc__mpi_site_t *s, const pfc__call_t *c)
{
    pfc__mpi_lock(); /* other threads may call from the same place */
    s->calls++;
    s->bytes += (pfc__u64)c->bytes;
    s->time_ct += c->end.ct - c->begin.ct;
    s->time_lt += c->end.lt - c->begin.lt;
    s->wait_ct += c->wait_ct;
    s->wait_lt += c->wait_lt;
    s->wait_u += pfc__wait_doubt(c);
    s->wait_kind[c->wait_kind] += c->wait_lt;
    pfc__mpi_unlock();
}

/* PERFCOMP_COMPENSATE=0: the call was as it was measured. */
static PFC__QUIET void pfc__call_raw(pfc__call_t *c)
{
    c->end.lt = c->begin.lt + (c->end.ct - c->begin.ct);
    c->wait_lt = c->wait_ct;
    c->wait_u = 0;
}

static PFC__QUIET void pfc__left_alone_sweep(int wait); /* see others */

/* By any call the user may have found out that they are complete. */
static PFC__COLD void pfc__left_receives_settle(pfc__call_t *c)
{
    c->own = 0;
    pfc__left_alone_sweep(0);
}

/* What a call was is known. */
PFC__HOT void pfc__call_settle(pfc__call_t *c)
{
    if (PFC__UNLIKELY(!pfc__compensates)) pfc__call_raw(c);
    else if (c->wait_ct || c->wait_lt) c->wait_u += pfc__doubt_since_met(c->begin);
    if (c->met) pfc__mpi.met_u = c->end.u, pfc__mpi.least_delay = c->met_least - c->end.u;
    pfc__moment_move(c->begin, c->end);
    if (c->hears && !pfc__mpi.threads) pfc__away.since = c->end;
    if (PFC__UNLIKELY(pfc__polling)) pfc__polls_over(c);
    if (PFC__LIKELY(c->site != 0)) pfc__site_add(c->site, c);
    if (PFC__UNLIKELY(__atomic_load_n(&pfc__mpi.left_receives, __ATOMIC_RELAXED) > 0)) pfc__left_receives_settle(c);
}

PFC__HOT void pfc__call_out(pfc__call_t *c)
{
    pfc__call_settle(c);
    pfc__leave_at(&c->region, c->own ? pfc__charge_own(&c->own->after, c->tick_end) : pfc__charge_since(c->tick_end));
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__bound_leave();
    if (PFC__UNLIKELY(__atomic_load_n(&pfc__errors_untold, __ATOMIC_RELAXED) > 0)) pfc__errors_tell();
}

/* So much of what the call took may be anybody's delay. */
static PFC__QUIET void pfc__call_doubts(pfc__call_t *c, pfc__i64 ns)
{
    c->end.u += ns;
    c->wait_u += ns;
}

/* What it waited for would have been there at `lt`: of the questions in vain, those behind would not have been. */
PFC__HOT void pfc__call_asked_for(pfc__call_t *c, pfc__i64 lt)
{
    if (PFC__UNLIKELY(c->asked_last != 0)) pfc__call_doubts(c, pfc__max(0, c->asked_last - pfc__max(c->asked, lt)));
}

/* The call ends by the law, having depended on what began at `start`. Returns how long it waited. */
PFC__HOT pfc__wait_t pfc__call_depends(pfc__call_t *c, pfc__moment_t start, pfc__transfer_t cost, pfc__transfer_t travel)
{
    pfc__wait_t wait = pfc__wait_on(start, c->begin, pfc__wait_of(c->begin, c->end.ct, cost), travel);
    pfc__moment_t arrival = pfc__arrival(start, c->begin, wait, travel);
    c->end = pfc__end_of_call(c->begin, c->end.ct, wait, arrival);
    pfc__call_asked_for(c, arrival.lt);
    c->wait_ct += wait.ns;
    c->wait_lt += pfc__local_wait(c->begin, arrival);
    c->wait_u += pfc__doubt_since_met(arrival);
    return wait;
}

/* What it waited for had come by then: what follows, nobody was late for. Clocks may differ; it came before the call's end. */
PFC__HOT void pfc__call_waited_until(pfc__call_t *c, pfc__moment_t there)
{
    c->wait_ct = pfc__until_there(c->begin.ct, pfc__min(there.ct, c->end.ct));
    c->wait_lt = pfc__until_there(c->begin.lt, pfc__min(there.lt, c->end.lt));
}

/* Those who were late. */
static PFC__QUIET void pfc__waited_for(const pfc__call_t *c, pfc__names_t late)
{
    pfc__peers_waited(late, c->wait_ct, c->wait_lt);
}

/* What it took beyond `there` nothing explains. */
static PFC__QUIET void pfc__call_unexplained(pfc__call_t *c, pfc__i64 there)
{
    pfc__call_doubts(c, pfc__max(0, c->end.ct - pfc__max(c->begin.ct, there)));
}

PFC__HOT int pfc__is_rooted(enum pfc__mpi_rule rule) { return rule == PFC__RULE_FROM_ROOT || rule == PFC__RULE_TO_ROOT; }

/* Data go by a way that the library chooses, and doesn't tell. */
PFC__HOT int pfc__has_way(enum pfc__mpi_rule rule) { return pfc__is_rooted(rule) || rule == PFC__RULE_PREFIX; }

/* Whether its name begins so. */
PFC__HOT int pfc__is_call(const pfc__call_t *c, const char *name) { return !strncmp(c->name, name, strlen(name)); }

/* The same for calls that needn't be as short as a message: some hundred wrappers would else hold a copy each. */
static __attribute__((noinline)) PFC__QUIET void pfc__call_enter(pfc__call_t *c, pfc__site_t *region, const char *name,
                                                                 enum pfc__mpi_rule rule, const void *address, pfc__uptr sp)
{
    pfc__call_in(c, region, name, rule, address, sp);
}

static __attribute__((noinline)) PFC__QUIET void pfc__call_leave(pfc__call_t *c) { pfc__call_out(c); }

/* In the wrappers: */
#define PFC__CALL(call, name, rule, enter) \
    static pfc__site_t pfc__region = PFC__SITE(PFC__MPI_CALL, "MPI_" #name, 0, ""); \
    pfc__call_t call; \
    enter(&(call), &pfc__region, #name, rule, pfc__called_at(__builtin_return_address(0)), pfc__stack_pointer())

/* --------------------------------------------------------- polls (MPI impl) ---
   A program that asks again and again whether something has come, and does
   nothing else meanwhile, waits. What it has asked in vain for is given back
   to Δ when the answer is yes: by the rules the wait then began with the first
   question of the row (R5 with its b, R1 and R2 for what was probed, R1 for
   Win_test).

   Where it does something of its own in between, as to compute while messages
   travel, that is its own time. But would the message have been there before
   the last question in vain, it would have done less of it, or later: that much
   is uncertain. What regions take that are called in between is theirs also
   where it is less. */

enum { PFC__POLL_PAUSE = 500 }; /* ns from one to the next, in which nobody gets anything done */
enum { PFC__POLL_SITES = 4 };   /* more have their calls with the last of these */

typedef struct pfc__polls {
    struct pfc__polls *next;
    const pfc__thread_t *thread;
    pfc__moment_t since; /* when the row's first call began, */
    pfc__i64 last;       /* LT: and the last in vain */
    pfc__i64 calls;
    const MPI_Request *requests; /* that were asked for last, so many; NULL: none */
    int n;
    pfc__i64 until;      /* and by CT, until when in vain */
    struct pfc__poll_site {
        pfc__mpi_site_t *site;
        pfc__i64 lt, ct;     /* in its calls; ct: not yet waited */
        pfc__node_t *path;   /* of the first one that was timed as a region; NULL: none was */
        pfc__i64 path_lt;    /* in its calls */
    } at[PFC__POLL_SITES];   /* by where they were made */
    int sites;
    pfc__i64 caller;     /* tick: when who asks was called; 0: that isn't timed. Then: */
    pfc__i64 called;     /* LT, of all that this one had called before */
} pfc__polls_t;

static pfc__polls_t *pfc__polls_first; /* of all threads */
static PFC__TLS pfc__polls_t *pfc__polls; /* this one's; NULL: it has had no row */

/* Who continues another thread's record does so with its row. */
static PFC__COLD pfc__polls_t *pfc__polls_own(void)
{
    pfc__polls_t *p;
    pfc__mpi_lock();
    for (p = pfc__polls_first; p && p->thread != pfc__self; p = p->next) continue;
    if (!p && (p = (pfc__polls_t *)calloc(1, sizeof *p)) != 0) {
        p->thread = pfc__self;
        p->next = pfc__polls_first;
        pfc__polls_first = p;
    }
    pfc__mpi_unlock();
    return p;
}

/* Not without memory; and for what is held back there are rules of its own. */
PFC__HOT int pfc__polls_tell(void)
{
    if (!pfc__compensates || pfc__bound.on || !pfc__self) return 0;
    if (PFC__UNLIKELY(!pfc__polls)) pfc__polls = pfc__polls_own();
    return pfc__polls != 0;
}

/* Whose region the call's time is. NULL: none was taken. */
static PFC__QUIET pfc__node_t *pfc__polls_path(const pfc__call_t *c)
{
    const pfc__frame_t *f = pfc__self ? pfc__self->top : 0;
    return f && c->region.depth && f->depth == c->region.depth && PFC__HAS_TIME(f->begin) ? f->node : 0;
}

/* LT of all that the call's caller has called until now. */
static PFC__QUIET pfc__i64 pfc__polls_called(void)
{
    const pfc__frame_t *f = &pfc__self->top[-1];
    return pfc__round((double)f->child * pfc__mpi.ns_per_tick) - pfc__fixed_ns(f->child_delta);
}

/* The row begins with this call. */
static PFC__QUIET void pfc__polls_begin(const pfc__call_t *c)
{
    pfc__polls->since = c->begin;
    pfc__polls->calls = pfc__polls->sites = 0;
    pfc__polls->requests = 0;
    pfc__polls->caller = pfc__polls_path(c) ? pfc__self->top[-1].begin : 0;
    if (pfc__polls->caller) pfc__polls->called = pfc__polls_called();
}

/* The call is one of the row. */
static PFC__QUIET void pfc__polls_add(pfc__call_t *c)
{
    pfc__node_t *path = pfc__polls_path(c);
    int i = 0;
    c->polls = 1;
    while (i < pfc__polls->sites && pfc__polls->at[i].site != c->site) i++;
    if (i == PFC__POLL_SITES) i--;
    if (i == pfc__polls->sites) {
        pfc__polls->at[i].site = c->site;
        pfc__polls->at[i].lt = pfc__polls->at[i].ct = pfc__polls->at[i].path_lt = 0;
        pfc__polls->at[i].path = path;
        pfc__polls->sites++;
    }
    pfc__polls->at[i].lt += c->end.lt - c->begin.lt;
    pfc__polls->at[i].ct += c->end.ct - c->begin.ct - c->wait_ct;
    if (!path) return;
    pfc__mark_uneven(path); /* what is taken from some is no mean */
    if (!pfc__polls->at[i].path) pfc__polls->at[i].path = path;
    if (path == pfc__polls->at[i].path) pfc__polls->at[i].path_lt += c->end.lt - c->begin.lt;
}

/* LT in all of its calls. */
static PFC__QUIET pfc__i64 pfc__polls_inside(void)
{
    pfc__i64 lt = 0;
    int i;
    for (i = 0; i < pfc__polls->sites; i++) lt += pfc__polls->at[i].lt;
    return lt;
}

/* LT of what else the caller has called between them: it was no waiting. */
static PFC__QUIET pfc__i64 pfc__polls_worked(const pfc__call_t *c, pfc__i64 inside, pfc__i64 most)
{
    if (!pfc__polls->caller || !pfc__polls_path(c) || pfc__self->top[-1].begin != pfc__polls->caller) return 0;
    return pfc__max(0, pfc__min(pfc__polls_called() - pfc__polls->called - inside, most));
}

/* The call has ended without what it asked for. */
static PFC__QUIET void pfc__poll_in_vain(pfc__call_t *c)
{
    if (!pfc__polls_tell()) return;
    if (!pfc__polling) pfc__polls_begin(c);
    pfc__polling = PFC__POLLS_IN_VAIN;
    pfc__polls->last = c->begin.lt;
    pfc__polls->calls++;
    pfc__polls_add(c);
}

/* So it has asked for those requests, of which one at least isn't there. */
static PFC__QUIET void pfc__polls_asked(const pfc__call_t *c, const MPI_Request *requests, int n)
{
    if (!pfc__polling) return;
    pfc__polls->requests = requests;
    pfc__polls->n = n;
    pfc__polls->until = c->end.ct;
}

/* By CT, until when they have been asked for in vain. */
PFC__HOT pfc__i64 pfc__polls_until(const MPI_Request *requests, int n)
{
    return PFC__UNLIKELY(pfc__polling) && pfc__polls->requests == requests && pfc__polls->n == n ? pfc__polls->until : PFC__NEVER;
}

/* So has one that only looks: if what it asked for is there, the row's end is the call that completes it. */
static PFC__QUIET void pfc__poll_looked(pfc__call_t *c, int there)
{
    if (!there) pfc__poll_in_vain(c);
    else if (pfc__polling) pfc__polls_add(c);
}

/* A probe has found something, by a row: the row's end is its receive. */
static PFC__QUIET void pfc__poll_found(pfc__call_t *c)
{
    pfc__polling = PFC__POLLS_FOUND;
    pfc__polls_add(c);
}

/* The call began so much earlier, or later, by LT; which adds `u` to the uncertainty. */
static PFC__COLD void pfc__polls_move(pfc__call_t *c, pfc__i64 later, pfc__i64 u)
{
    pfc__moment_t begin = c->begin;
    begin.lt += later;
    begin.u += u;
    pfc__moment_move(c->begin, begin);
    c->begin = begin;
    c->end.lt += later;
    c->end.u += u;
}

/* So much of a region's LT is the open call's: the one that ends the row goes back to its begin, and would be shown as below zero. */
static PFC__COLD void pfc__polls_hand_over(pfc__node_t *path, pfc__i64 ns)
{
    pfc__frame_t *f = pfc__self->top;
    pfc__i64 delta = pfc__fixed_of(ns);
    path->exclusive_delta += delta;
    f->delta += delta;
    f[-1].child_delta += delta; /* the call's caller has what it had */
}

/* Of the regions' times, those in the row's calls, and between them what their caller took. */
static PFC__COLD void pfc__polls_regions(const pfc__call_t *c, pfc__i64 outside)
{
    int i;
    if (!pfc__polls_path(c)) return;
    for (i = 0; i < pfc__polls->sites; i++)
        if (pfc__polls->at[i].path) pfc__polls_hand_over(pfc__polls->at[i].path, pfc__polls->at[i].path_lt);
    if (pfc__polls->at[0].path && pfc__polls->at[0].path->up == pfc__self->top[-1].node)
        pfc__polls_hand_over(pfc__polls->at[0].path->up, outside);
}

/* All of the row was waiting: as measured in its calls, undisturbed in the one that ends it, and in no other one. */
static PFC__COLD void pfc__polls_waited(pfc__call_t *c)
{
    int i;
    pfc__mpi_lock();
    for (i = 0; i < pfc__polls->sites; i++) {
        c->polled_ct += pfc__polls->at[i].ct;
        if (!pfc__polls->at[i].site) continue;
        pfc__polls->at[i].site->time_lt -= pfc__polls->at[i].lt;
        pfc__polls->at[i].site->wait_ct += pfc__polls->at[i].ct;
    }
    pfc__mpi_unlock();
}

/* Between the questions the program has done more than ask. */
static PFC__COLD int pfc__polls_amid_work(const pfc__call_t *c)
{
    pfc__i64 inside = pfc__polls_inside(), outside = c->begin.lt - pfc__polls->since.lt - inside;
    return outside > inside + pfc__polls->calls * PFC__POLL_PAUSE;
}

/* Something has come, by a call that has begun. */
static PFC__COLD void pfc__polls_end(pfc__call_t *c)
{
    pfc__i64 polled = c->begin.lt - pfc__polls->since.lt, inside = pfc__polls_inside(), outside = polled - inside, worked;
    if (pfc__polls_amid_work(c)) {
        c->asked = pfc__polls->since.lt;
        c->asked_last = pfc__polls->last;
    } else if (polled > 0) {
        outside = pfc__max(0, outside);
        worked = pfc__polls_worked(c, inside, outside);
        c->polled = polled - worked;
        pfc__polls_move(c, -c->polled, outside);
        pfc__polls_waited(c);
        pfc__polls_regions(c, outside - worked);
        c->wait_u += outside;
    }
    pfc__polling = PFC__NO_POLLS;
}

/* A long message is found as soon as its sender has told of it, from `told` on, and received from then on: the questions
   before were in vain undisturbed, too. (As a rule they were all made in one place.) */
static PFC__COLD void pfc__polls_told(pfc__call_t *c, pfc__i64 told)
{
    pfc__i64 later = pfc__min(told - c->begin.lt, c->polled);
    if (later <= 0) return;
    pfc__polls_move(c, later, 0);
    if (pfc__polls->at[0].path && pfc__polls_path(c))
        pfc__polls_hand_over(pfc__polls->at[0].path, -pfc__min(later, pfc__polls->at[0].path_lt));
    pfc__mpi_lock();
    if (pfc__polls->at[0].site) pfc__polls->at[0].site->time_lt += pfc__min(later, pfc__polls->at[0].lt);
    pfc__mpi_unlock();
}

/* The program does something else before it receives what a row has found. When that would have come is known then, too late for
   whom this call tells of its begin. */
static PFC__COLD void pfc__polls_unsettled(const pfc__call_t *c)
{
    pfc__moment_t begin = c->begin;
    begin.u += pfc__max(0, pfc__polls->last - pfc__polls->since.lt);
    pfc__moment_move(c->begin, begin);
    pfc__polling = PFC__NO_POLLS;
}

/* The call may tell others when it began, before that is known for certain. */
static PFC__COLD void pfc__polls_found(pfc__call_t *c)
{
    c->begin = c->end = pfc__moment_at(c->tick_in);
    if (c->rule == PFC__RULE_RECEIVE) pfc__polls_end(c);
    else if (c->rule != PFC__RULE_PROBE && c->rule != PFC__RULE_COMPLETE) pfc__polls_unsettled(c);
}

/* While there is a row. */
static PFC__COLD void pfc__polls_go_on(pfc__call_t *c)
{
    if (pfc__polling == PFC__POLLS_FOUND) pfc__polls_found(c);
}

/* A row ends with any other call. */
static PFC__COLD void pfc__polls_over(const pfc__call_t *c)
{
    if (!c->polls) pfc__polling = PFC__NO_POLLS;
    else if (PFC__UNLIKELY(pfc__is_traced())) pfc__event_in_vain();
}

/* ------------------------------------------------------ prefix (MPI impl) ---
   Long data of a derived datatype are received as they are, into the user's
   buffer. Should a short message come, its piggyback is where data belong, and
   behind its data is what belongs to nobody: both are mended, for which the
   beginning of the buffer is kept while the receive is open (apart.c). The
   beginning, in the order in which data travel: a datatype of ours of the first
   some KB, made of the parts of the user's (MPI-3.1, 4.1.13). */

typedef struct pfc__prefix {
    MPI_Datatype type, whole; /* `whole`: the user's, which may be freed before */
    int bytes;
    char *held;               /* what they were before; NULL: there is no prefix */
} pfc__prefix_t;

static PFC__COLD MPI_Datatype pfc__prefix_of(MPI_Datatype type, pfc__i64 count, pfc__i64 least);

/* What a type was made of. */
typedef struct pfc__made_of {
    int combiner, integers, addresses, types;
    int counted; /* by MPI-4's large counts, of which only calls of MPI-4 tell */
    int *integer;
    MPI_Aint *address;
    MPI_Datatype *type;
} pfc__made_of_t;

/* Predefined ones aren't made, nor freed. */
static PFC__COLD int pfc__is_made(int combiner)
{
    return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX &&
           combiner != MPI_COMBINER_F90_INTEGER;
}

/* The numbers of its parts. 0: the library wouldn't say. */
static PFC__COLD int pfc__envelope_of(MPI_Datatype type, pfc__made_of_t *m)
{
#if PFC__MPI_LARGE_COUNTS
    MPI_Count integers, addresses, counts, types;
    if (PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &m->combiner)) return 0;
    m->integers = (int)integers;
    m->addresses = (int)addresses;
    m->types = (int)types;
    m->counted = counts > 0;
    return 1;
#else
    m->counted = 0;
    return !PMPI_Type_get_envelope(type, &m->integers, &m->addresses, &m->types, &m->combiner);
#endif
}

/* 0: of nothing, it can't be told, or there is no memory. */
static PFC__COLD int pfc__made_of_get(MPI_Datatype type, pfc__made_of_t *m)
{
    if (!pfc__envelope_of(type, m) || !pfc__is_made(m->combiner) || m->counted) return 0;
    m->address = (MPI_Aint *)malloc((size_t)m->addresses * sizeof *m->address + (size_t)m->types * sizeof *m->type +
                                    (size_t)m->integers * sizeof *m->integer);
    if (!m->address) return 0;
    m->type = (MPI_Datatype *)(void *)(m->address + m->addresses);
    m->integer = (int *)(void *)(m->type + m->types);
    if (!PMPI_Type_get_contents(type, m->integers, m->addresses, m->types, m->integer, m->address, m->type)) {
        if (m->combiner == MPI_COMBINER_INDEXED && m->types > 1) m->combiner = MPI_COMBINER_STRUCT; /* SimGrid's of a subarray */
        return 1;
    }
    free(m->address);
    return 0;
}

static PFC__COLD void pfc__made_of_free(pfc__made_of_t *m)
{
    pfc__made_of_t part;
    int i;
    for (i = 0; i < m->types; i++)
        if (pfc__envelope_of(m->type[i], &part) && pfc__is_made(part.combiner)) PMPI_Type_free(&m->type[i]);
    free(m->address);
}

static PFC__COLD pfc__i64 pfc__size_of(MPI_Datatype type)
{
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return size;
}

static PFC__COLD MPI_Aint pfc__extent_of(MPI_Datatype type)
{
    MPI_Aint low, extent = 0;
    PMPI_Type_get_extent(type, &low, &extent);
    return extent;
}

/* So many parts of `size` hold as much. */
static PFC__COLD pfc__i64 pfc__parts_for(pfc__i64 least, pfc__i64 size) { return size > 0 ? (least + size - 1) / size : 1; }

/* Blocks at equal distances: some of them, or a part of the first. */
static PFC__COLD MPI_Datatype pfc__prefix_of_vector(const pfc__made_of_t *m, pfc__i64 least)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    pfc__i64 block = m->integer[1] * pfc__size_of(m->type[0]);
    int blocks = (int)pfc__min(m->integer[0], pfc__parts_for(least, block));
    if (block >= 2 * least) return pfc__prefix_of(m->type[0], m->integer[1], least);
    if (m->combiner == MPI_COMBINER_VECTOR) PMPI_Type_vector(blocks, m->integer[1], m->integer[2], m->type[0], &result);
    else PMPI_Type_create_hvector(blocks, m->integer[1], m->address[0], m->type[0], &result);
    return result;
}

/* Of the slowest dimension some slices, or of one slice some of the next. */
static PFC__COLD MPI_Datatype pfc__prefix_of_subarray(const pfc__made_of_t *m, pfc__i64 least)
{
    int dimensions = m->integer[0], *sizes = m->integer + 1, *parts = sizes + dimensions, *starts = parts + dimensions;
    int order = starts[dimensions], i;
    pfc__i64 slice = pfc__size_of(m->type[0]);
    MPI_Datatype result = MPI_DATATYPE_NULL;
    for (i = 0; i < dimensions; i++) slice *= parts[i];
    for (i = 0; i < dimensions && slice > 0; i++) {
        int *part = &parts[order == MPI_ORDER_C ? i : dimensions - 1 - i];
        slice /= *part;
        *part = (int)pfc__min(*part, pfc__parts_for(least, slice));
        if (*part > 1) break;
    }
    PMPI_Type_create_subarray(dimensions, sizes, parts, starts, order, m->type[0], &result);
    return result;
}

typedef struct pfc__type_block { int length; MPI_Aint place; MPI_Datatype type; } pfc__type_block_t;

/* The i-th block of an indexed type or a structure. */
static PFC__COLD pfc__type_block_t pfc__block_of(const pfc__made_of_t *m, int i)
{
    pfc__type_block_t b;
    int n = m->integer[0];
    b.type = m->type[m->combiner == MPI_COMBINER_STRUCT ? i : 0];
    b.length = m->integer[m->combiner == MPI_COMBINER_INDEXED_BLOCK || m->combiner == MPI_COMBINER_HINDEXED_BLOCK ? 1 : 1 + i];
    if (m->combiner == MPI_COMBINER_INDEXED) b.place = m->integer[1 + n + i] * pfc__extent_of(b.type);
    else if (m->combiner == MPI_COMBINER_INDEXED_BLOCK) b.place = m->integer[2 + i] * pfc__extent_of(b.type);
    else b.place = m->address[i];
    return b;
}

/* As many blocks as hold so much; if the last one of them is long, a part of it. */
static PFC__COLD MPI_Datatype pfc__prefix_of_blocks(const pfc__made_of_t *m, pfc__i64 least)
{
    int n = m->integer[0], used = 0, *lengths;
    MPI_Aint *places = (MPI_Aint *)malloc((size_t)n * (sizeof *places + sizeof(MPI_Datatype) + sizeof *lengths));
    MPI_Datatype *types = (MPI_Datatype *)(void *)(places + n), part = MPI_DATATYPE_NULL, result = MPI_DATATYPE_NULL;
    pfc__i64 bytes = 0, block;
    int known = 1;
    if (!places) return result;
    lengths = (int *)(void *)(types + n);
    for (; known && used < n && bytes < least; used++, bytes += block) {
        pfc__type_block_t b = pfc__block_of(m, used);
        block = b.length * pfc__size_of(b.type);
        if (block >= 2 * least) {
            part = b.type = pfc__prefix_of(b.type, b.length, least);
            b.length = 1;
            known = part != MPI_DATATYPE_NULL;
        }
        lengths[used] = b.length, places[used] = b.place, types[used] = b.type;
    }
    if (known) PMPI_Type_create_struct(used, lengths, places, types, &result);
    if (part != MPI_DATATYPE_NULL) PMPI_Type_free(&part);
    free(places);
    return result;
}

/* Of one element, which is long. */
static PFC__COLD MPI_Datatype pfc__prefix_of_one(MPI_Datatype type, pfc__i64 least)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    pfc__made_of_t m;
    if (!pfc__made_of_get(type, &m)) return result;
    switch (m.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: result = pfc__prefix_of(m.type[0], 1, least); break;
    case MPI_COMBINER_CONTIGUOUS: result = pfc__prefix_of(m.type[0], m.integer[0], least); break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR: result = pfc__prefix_of_vector(&m, least); break;
    case MPI_COMBINER_SUBARRAY: result = pfc__prefix_of_subarray(&m, least); break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT: result = pfc__prefix_of_blocks(&m, least); break;
    default: break; /* a distributed array, and Fortran's older ways */
    }
    pfc__made_of_free(&m);
    return result;
}

/* A new type: of `count` elements the first that hold `least` bytes, and not much more. The null type: it can't be told. */
static PFC__COLD MPI_Datatype pfc__prefix_of(MPI_Datatype type, pfc__i64 count, pfc__i64 least)
{
    MPI_Datatype result = MPI_DATATYPE_NULL;
    pfc__i64 size = pfc__size_of(type);
    if (size >= 2 * least) return pfc__prefix_of_one(type, least);
    PMPI_Type_contiguous((int)pfc__min(count, pfc__parts_for(least, size)), type, &result);
    return result;
}

/* 0: there is none. */
static PFC__COLD int pfc__prefix_make(pfc__prefix_t *p, pfc__i64 count, MPI_Datatype of, pfc__i64 least)
{
    p->type = pfc__prefix_of(of, count, least);
    if (p->type == MPI_DATATYPE_NULL) return 0;
    p->bytes = (int)pfc__size_of(p->type);
    p->held = (char *)malloc((size_t)p->bytes);
    if (p->held && p->bytes >= least && !PMPI_Type_dup(of, &p->whole)) {
        PMPI_Type_commit(&p->type);
        return 1;
    }
    PMPI_Type_free(&p->type);
    free(p->held);
    p->held = 0;
    return 0;
}

static PFC__COLD void pfc__prefix_free(pfc__prefix_t *p)
{
    PMPI_Type_free(&p->type);
    PMPI_Type_free(&p->whole);
    free(p->held);
}

/* Before a receive. */
static PFC__QUIET void pfc__prefix_hold(pfc__prefix_t *p, const void *buffer)
{
    int at = 0;
    PMPI_Pack(buffer, 1, p->type, p->held, p->bytes, &at, pfc__mpi.comm);
}

/* --------------------------------------------------- piggyback (MPI impl) ---
   Every message carries the sender's moment in front of the user's data, so
   that MPI's own matching brings the right one to every receive, wildcards
   included. In front, because a message may be shorter than the receive that
   it meets. Two ways to put it there, which look the same on the way:

   - data of a predefined type are copied behind it into a buffer of ours;
   - otherwise a datatype spans both; made once per (buffer, count, type).

   Beyond 4 to 8 KB it goes apart from the data (apart.c). */

typedef struct pfc__piggy {
    pfc__i64 ct, lt;
    pfc__u32 u, clock;  /* ns, saturated */
    pfc__u32 rank;      /* the sender's, in MPI_COMM_WORLD */
    pfc__u32 k;         /* not 0: the sender waits, and wants to know of the post that met message k of the stream (R4) */
} pfc__piggy_t;

enum { PFC__PIGGY = sizeof(pfc__piggy_t), PFC__COPY_LEAST = 4096, PFC__COPY_MAX = 8320 };

typedef union pfc__copy { /* on the stack of a blocking call */
    pfc__piggy_t piggy;
    unsigned char bytes[PFC__PIGGY + PFC__COPY_MAX + PFC__PIGGY]; /* room for what is bare, too */
} pfc__copy_t;

PFC__HOT pfc__u32 pfc__saturated(pfc__i64 ns) { return ns < 0 ? 0 : ns > 0xffffffffLL ? 0xffffffffu : (pfc__u32)ns; }

PFC__HOT void pfc__piggy_write(pfc__piggy_t *p, pfc__moment_t m, pfc__u32 k)
{
    p->ct = PFC__UNLIKELY(pfc__is_traced()) ? pfc__event_sent(m.ct, (pfc__u32)pfc__mpi.rank) : m.ct;
    p->lt = m.lt;
    p->u = pfc__saturated(m.u);
    p->clock = pfc__saturated(m.clock);
    p->rank = (pfc__u32)pfc__mpi.rank;
    p->k = k;
}

PFC__HOT pfc__moment_t pfc__piggy_read(const pfc__piggy_t *p)
{
    pfc__moment_t m = { p->ct, p->lt, p->u, p->clock };
    return m;
}

/* ---- datatypes */

typedef struct pfc__type {
    pfc__by_handle_t entry;
    pfc__i64 size;
    int plain; /* predefined and without gaps: may be copied */
    int pair;  /* predefined, with gaps, as MPI_DOUBLE_INT: MPICH 4.0 takes no other data into a span of them than a span's */
} pfc__type_t;

static pfc__handles_t pfc__types;

/* 0: the library wouldn't say, or it isn't committed: it will tell the user. Without memory it is asked again. Under the lock. */
static PFC__COLD int pfc__type_ask(MPI_Datatype type, pfc__type_t *known)
{
    pfc__type_t *t;
    pfc__made_of_t made;
    MPI_Count size; /* may be too long for an int */
    MPI_Aint low, extent;
    if (!pfc__envelope_of(type, &made) || PMPI_Type_size_x(type, &size) || PMPI_Type_get_extent(type, &low, &extent))
        return 0;
    if (made.combiner != MPI_COMBINER_NAMED && !PFC__ONE_PROGRAM && PMPI_Send(known, 1, type, MPI_PROC_NULL, 0, pfc__mpi.alone)) return 0;
    memset(known, 0, sizeof *known);
    known->size = size;
    known->plain = made.combiner == MPI_COMBINER_NAMED && low == 0 && extent == size && size > 0;
    known->pair = made.combiner == MPI_COMBINER_NAMED && !known->plain && size > 0;
    t = (pfc__type_t *)malloc(sizeof *t);
    if (!t) return 1;
    *t = *known;
    pfc__handles_put(&pfc__types, PFC__KEY(type), &t->entry);
    return 1;
}

/* All ranks must find the same. */
PFC__HOT int pfc__type_known(MPI_Datatype type, pfc__type_t *known)
{
    const pfc__type_t *t;
    int is_known = 1;
    if (type == MPI_DATATYPE_NULL) return 0;
    pfc__mpi_lock();
    t = (const pfc__type_t *)(const void *)pfc__handles_find(&pfc__types, PFC__KEY(type));
    if (PFC__LIKELY(t != 0)) known->size = t->size, known->plain = t->plain, known->pair = t->pair;
    else is_known = pfc__type_ask(type, known);
    pfc__mpi_unlock();
    return is_known;
}

#ifndef PFC__BARE_MOST             /* longer data carry their piggyback again (apart.c); tests make it less */
#define PFC__BARE_MOST (1 << 30)
#endif

PFC__HOT int pfc__is_copied(const pfc__type_t *known, pfc__i64 bytes) { return known->plain && bytes <= pfc__link.copied; }

/* Of a receive. Into its copy fits what carries a piggyback, and what doesn't. */
PFC__HOT int pfc__is_received_copied(const pfc__type_t *known, pfc__i64 room)
{
    return known->plain && room <= pfc__link.copied + PFC__PIGGY;
}

/* Of derived data that are long: into the user's buffer as they are; and so they are sent. (Pairs come behind their piggyback.) */
PFC__HOT int pfc__is_received_bare(const pfc__type_t *known, pfc__i64 room)
{
    return !known->plain && !known->pair && room > pfc__link.copied + PFC__PIGGY && room <= PFC__BARE_MOST;
}

/* Bytes of data in `count` elements; 0 where that can't be told. */
static PFC__QUIET pfc__i64 pfc__bytes_of(pfc__i64 count, MPI_Datatype type)
{
    pfc__type_t t;
    return count > 0 && pfc__type_known(type, &t) ? count * t.size : 0;
}

/* MPI_Pack; MPICH 4.0 refuses MPI_BOTTOM there: the same data, as seen from `out`. */
static PFC__QUIET int pfc__pack(const void *buffer, int count, MPI_Datatype type, void *out, int room, int *used)
{
    MPI_Aint here;
    MPI_Datatype seen;
    int error;
    if (buffer != MPI_BOTTOM) return PMPI_Pack(buffer, count, type, out, room, used, pfc__mpi.comm);
    PMPI_Get_address(out, &here);
    here = -here;
    if ((error = PMPI_Type_create_hindexed(1, &count, &here, type, &seen))) return error;
    PMPI_Type_commit(&seen);
    error = PMPI_Pack(out, 1, seen, out, room, used, pfc__mpi.comm);
    PMPI_Type_free(&seen);
    return error;
}

/* ---- a datatype over piggyback and user's data */

typedef struct pfc__span {
    pfc__piggy_t piggy;
    struct pfc__span *next;
    const void *buffer;
    pfc__i64 count;
    MPI_Datatype of, type; /* the user's; ours, from &piggy on */
    int busy, plain;       /* plain: the user's has no gaps */
    pfc__prefix_t prefix;  /* of a receive that is bare, if it has one: then there is no `type` */
} pfc__span_t;

enum { PFC__SPAN_BUCKETS = 256, PFC__SPANS = 1024 };
static pfc__span_t *pfc__spans[PFC__SPAN_BUCKETS];
static int pfc__spans_count;

static PFC__QUIET unsigned pfc__span_bucket(const void *buffer, pfc__i64 count)
{
    pfc__u64 x = ((pfc__u64)(pfc__uptr)buffer ^ (pfc__u64)count << 44) * 0x9e3779b97f4a7c15u;
    return (unsigned)(x >> 40) % PFC__SPAN_BUCKETS;
}

static PFC__QUIET void pfc__span_free(pfc__span_t *s)
{
    if (s->prefix.held) pfc__prefix_free(&s->prefix);
    else PMPI_Type_free(&s->type);
    free(s);
    pfc__spans_count--;
}

/* Frees spans that nobody uses: those over `of`, or, when `of` is the null type, all. Under the lock. */
static PFC__QUIET void pfc__spans_drop(MPI_Datatype of)
{
    int i;
    for (i = 0; i < PFC__SPAN_BUCKETS; i++) {
        pfc__span_t **at = &pfc__spans[i];
        while (*at) {
            pfc__span_t *s = *at;
            if (of != MPI_DATATYPE_NULL && s->of != of) { at = &s->next; continue; }
            *at = s->next;
            if (s->busy) s->next = 0, s->of = MPI_DATATYPE_NULL; /* its request frees it */
            else pfc__span_free(s);
        }
    }
}

static PFC__QUIET int pfc__span_build(pfc__span_t *s)
{
    pfc__type_t known;
    int lengths[2];
    MPI_Aint places[2], here, there;
    MPI_Datatype types[2];
    if (!pfc__type_known(s->of, &known)) return 1;
    s->plain = known.plain;
    if (pfc__is_received_bare(&known, s->count * known.size) && s->buffer != MPI_BOTTOM &&
        pfc__prefix_make(&s->prefix, s->count, s->of, pfc__link.copied + PFC__PIGGY))
        return 0;
    lengths[0] = PFC__PIGGY;
    lengths[1] = (int)s->count;
    PMPI_Get_address(&s->piggy, &here);
    if (s->buffer == MPI_BOTTOM) there = 0;
    else PMPI_Get_address((void *)(pfc__uptr)s->buffer, &there);
    places[0] = 0;
    places[1] = there - here;
    types[0] = MPI_BYTE;
    types[1] = s->of;
    return PMPI_Type_create_struct(2, lengths, places, types, &s->type) || PMPI_Type_commit(&s->type);
}

/* Its handle may soon mean another type. */
static PFC__QUIET void pfc__type_forget(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL) return;
    free(pfc__handles_take(&pfc__types, PFC__KEY(type)));
    pfc__mpi_lock();
    pfc__spans_drop(type);
    pfc__mpi_unlock();
}

/* A span to use until it is given back; NULL: no memory. */
static PFC__QUIET pfc__span_t *pfc__span_take(const void *buffer, pfc__i64 count, MPI_Datatype of)
{
    unsigned bucket = pfc__span_bucket(buffer, count);
    pfc__span_t *s;
    pfc__mpi_lock();
    for (s = pfc__spans[bucket]; s; s = s->next)
        if (!s->busy && s->buffer == buffer && s->count == count && s->of == of) break;
    if (!s) {
        if (pfc__spans_count >= PFC__SPANS) pfc__spans_drop(MPI_DATATYPE_NULL);
        s = (pfc__span_t *)calloc(1, sizeof *s);
        if (s) {
            s->buffer = buffer;
            s->count = count;
            s->of = of;
            if (pfc__span_build(s)) { free(s); s = 0; }
        }
        if (s) {
            s->next = pfc__spans[bucket];
            pfc__spans[bucket] = s;
            pfc__spans_count++;
        }
    }
    if (s) s->busy = 1;
    pfc__mpi_unlock();
    return s;
}

static PFC__QUIET void pfc__span_give(pfc__span_t *s)
{
    pfc__mpi_lock();
    s->busy = 0;
    if (s->of == MPI_DATATYPE_NULL) pfc__span_free(s); /* its type was freed meanwhile */
    pfc__mpi_unlock();
}

/* ---- status */

/* Of the two libraries whose structure is known, it says so itself: asking them takes as long as all of a rule. */
PFC__HOT pfc__i64 pfc__status_bytes(const MPI_Status *status)
{
#if defined PERFCOMP_SMPI
    return status->count;
#elif defined OPEN_MPI
    return (pfc__i64)status->_ucount;
#elif defined MPICH_NUMVERSION
    return (pfc__i64)(status->count_hi_and_cancelled >> 1) << 32 | (pfc__u32)status->count_lo;
#else
    MPI_Count bytes = 0;
    PMPI_Get_elements_x((MPI_Status *)(pfc__uptr)status, MPI_BYTE, &bytes);
    return bytes;
#endif
}

/* The user's status tells of the user's data only. */
PFC__HOT void pfc__status_set(MPI_Status *status, pfc__i64 bytes)
{
    if (bytes < 0) return;
#if defined PERFCOMP_SMPI
    status->count = (int)bytes;
#elif defined OPEN_MPI
    status->_ucount = (size_t)bytes;
#elif defined MPICH_NUMVERSION
    status->count_lo = (int)(pfc__u32)bytes;
    status->count_hi_and_cancelled = (int)(bytes >> 32 << 1) | (status->count_hi_and_cancelled & 1);
#else
    PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
#endif
}

/* The user's MPI_ERROR stays as it is: single completions don't set it. */
static PFC__QUIET void pfc__status_copy(MPI_Status *to, const MPI_Status *from)
{
    int error = to->MPI_ERROR;
    *to = *from;
    to->MPI_ERROR = error;
}

/* Calls that complete several write MPI_ERROR in some libraries (Open MPI), in others (MPICH) only where something failed. */
enum { PFC__ERROR_UNTOLD = INT_MIN };

/* Before such a call, so that it shows. */
static PFC__QUIET void pfc__statuses_untold(MPI_Status *status, int n)
{
    int i;
    for (i = 0; i < n; i++) status[i].MPI_ERROR = PFC__ERROR_UNTOLD;
}

/* After it, to the user's: where nothing was told, its MPI_ERROR stays. */
static PFC__QUIET void pfc__status_tell(MPI_Status *to, const MPI_Status *from)
{
    if (from->MPI_ERROR == PFC__ERROR_UNTOLD) pfc__status_copy(to, from);
    else *to = *from;
}

/* ------------------------------------------------- known ways (MPI impl) ---
   By which way the data of collectives go in a communicator: trials
   (trials.c) find it out. Libraries decide that by the ranks and their order:
   so it holds for other communicators of the same ones, too, and is kept for
   programs that make and free many. */

/* PFC__SPARSE: Alltoallv and Alltoallw, where there are no data. PFC__SOME_LACK isn't tried: Allgatherv and Reduce_scatter. */
enum pfc__tried_call {
    PFC__BCAST, PFC__REDUCE, PFC__SCATTER, PFC__SCATTERV, PFC__GATHER, PFC__GATHERV, PFC__SCAN, PFC__EXSCAN, PFC__SPARSE,
    PFC__SOME_LACK, PFC__TRIED
};
enum { PFC__LENGTHS = 41 }; /* classes of them */

/* The same on all ranks, but for `leaves`. */
typedef struct pfc__known_way {
    unsigned short way : 4;    /* enum pfc__way */
    unsigned short trials : 2; /* how often it was tried to find out */
    unsigned short sure : 1;   /* the clocks don't contradict it */
    unsigned short leaves : 1; /* where all wait for all, this rank doesn't; where some have no part, it didn't at last */
    unsigned short folds : 1;  /* where all wait for all, those don't who can give their data away: see pfc__gives_away */
    unsigned short skips : 1;  /* Gatherv, Scatterv: who has no part waits for nobody, and nobody for it */
} pfc__known_way_t;
typedef pfc__known_way_t pfc__known_ways_t[2][PFC__LENGTHS]; /* from or to rank 0; another one */

enum { PFC__WAYS_KEPT = 32, PFC__MEMBERS_AT_ONCE = 64 };

static struct { pfc__u64 members; pfc__known_ways_t way[PFC__TRIED]; } pfc__ways_kept[PFC__WAYS_KEPT];

/* Which ranks of MPI_COMM_WORLD are in it, and in which order, as a hash. */
static PFC__QUIET pfc__u64 pfc__members_of(MPI_Comm comm)
{
    int here[PFC__MEMBERS_AT_ONCE], there[PFC__MEMBERS_AT_ONCE], size = 0, done, i, n;
    pfc__u64 hash = 0xCBF29CE484222325u;
    MPI_Group group, world;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &size);
    for (done = 0; done < size; done += n) {
        n = (int)pfc__min(size - done, PFC__MEMBERS_AT_ONCE);
        for (i = 0; i < n; i++) here[i] = done + i;
        PMPI_Group_translate_ranks(group, n, here, world, there);
        for (i = 0; i < n; i++) hash = (hash ^ (pfc__u64)there[i]) * 0x100000001B3u, hash ^= hash >> 32;
    }
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    return hash;
}

/* Where these are kept; a free place; PFC__WAYS_KEPT: neither. */
static PFC__QUIET int pfc__ways_place(pfc__u64 members)
{
    int i = 0;
    while (i < PFC__WAYS_KEPT && pfc__ways_kept[i].members && pfc__ways_kept[i].members != members) i++;
    return i;
}

/* A trial has found out more. The place that was taken first is given away when there is no other. */
static PFC__QUIET void pfc__ways_keep(pfc__u64 members, pfc__known_ways_t *way)
{
    static int next;
    int place;
    pfc__mpi_lock();
    place = pfc__ways_place(members);
    if (place == PFC__WAYS_KEPT) place = next++ % PFC__WAYS_KEPT;
    pfc__ways_kept[place].members = members;
    memcpy(pfc__ways_kept[place].way, way, sizeof pfc__ways_kept[place].way);
    pfc__mpi_unlock();
}

/* What a new communicator begins with, and a number that is the same where ranks begin with the same. */
static PFC__QUIET pfc__u32 pfc__ways_begin(pfc__known_ways_t *way, pfc__u64 members)
{
    const pfc__known_way_t *w;
    pfc__u32 digest = 0;
    int place;
    pfc__mpi_lock();
    place = pfc__ways_place(members);
    if (members && place < PFC__WAYS_KEPT) memcpy(way, pfc__ways_kept[place].way, sizeof pfc__ways_kept[place].way);
    pfc__mpi_unlock();
    for (w = way[0][0]; w < way[PFC__TRIED - 1][1] + PFC__LENGTHS; w++)
        digest = (digest ^ (pfc__u32)(w->way | w->trials << 4 | w->sure << 6 | w->skips << 7 | w->folds << 8)) * 16777619u + 1;
    return digest;
}

/* ----------------------------------------------- communicators (MPI impl) ---
   Only processes of our own MPI_COMM_WORLD are known to run the layer: in a
   communicator with others (spawned, connected) messages stay as they are.
   A communicator has the same number on all of its ranks, given when it is
   made; 0: made in a way that gave no chance to agree on one. */

typedef struct pfc__comm {
    pfc__by_handle_t entry;
    int ours; /* every process in it is of our MPI_COMM_WORLD */
    int inter; /* it has two sides */
    pfc__u32 number;
    int rank; /* mine */
    int as_world; /* each process has the rank that it has in MPI_COMM_WORLD */
    pfc__u64 members; /* which ranks, in which order; 0: it has two sides */
    pfc__known_ways_t *way; /* by enum pfc__tried_call; not in the record itself, of which each request has a copy */
    int *partner; /* ranks in MPI_COMM_WORLD, and 1: see pfc__step_world; nor are they */
} pfc__comm_t;

enum { PFC__PARTNERS = 3 * 31 + 1 };

static pfc__handles_t pfc__comms;
static pfc__known_ways_t pfc__comm_world_ways[PFC__TRIED];
static pfc__comm_t pfc__comm_world;
static int pfc__comms_ended; /* see pfc__comm_look */
static pfc__u32 pfc__comm_numbers = 1; /* the last one that this rank knows of; 1: MPI_COMM_WORLD */

static PFC__QUIET void pfc__others_say(void)
{
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pfc__note_keep("messages and calls with processes outside MPI_COMM_WORLD (spawned, connected) stay as they were measured: "
                       "what they waited for isn't known");
}

static PFC__QUIET int pfc__group_is_ours(MPI_Group group)
{
    MPI_Group world, here = MPI_GROUP_EMPTY;
    int size = 0, ours = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_intersection(group, world, &here);
    PMPI_Group_size(group, &size);
    PMPI_Group_size(here, &ours);
    PMPI_Group_free(&here);
    PMPI_Group_free(&world);
    if (ours != size) pfc__others_say();
    return ours == size;
}

static PFC__QUIET int pfc__comm_is_ours(MPI_Comm comm)
{
    MPI_Group group;
    int inter = 0, ours = 1;
    if (PMPI_Comm_test_inter(comm, &inter) || PMPI_Comm_group(comm, &group)) return 0;
    ours = pfc__group_is_ours(group);
    PMPI_Group_free(&group);
    if (inter && ours && !PMPI_Comm_remote_group(comm, &group)) {
        ours = pfc__group_is_ours(group);
        PMPI_Group_free(&group);
    }
    return ours;
}

/* An empty record: messages carry no piggybacks. NULL: this rank once had no memory for one. It keeps none any more:
   another time it would have memory, when the other ranks already do without. Under the lock. */
static PFC__QUIET pfc__comm_t *pfc__comm_new(void)
{
    pfc__comm_t *c = pfc__comms_ended ? 0 : (pfc__comm_t *)calloc(1, sizeof *c + PFC__PARTNERS * sizeof *c->partner + PFC__TRIED * sizeof *c->way);
    if (c) c->partner = (int *)(void *)(c + 1), c->way = (pfc__known_ways_t *)(void *)(c->partner + PFC__PARTNERS);
    if (c || pfc__comms_ended) return c;
    pfc__comms_ended = 1;
    pfc__note("rank %d has no memory left to follow new communicators: messages and calls in those with it stay as they are",
              pfc__mpi.rank);
    return 0;
}

/* The same, kept under its handle. */
static PFC__QUIET pfc__comm_t *pfc__comm_add(MPI_Comm comm)
{
    pfc__comm_t *c = pfc__comm_new();
    if (c) pfc__handles_put(&pfc__comms, PFC__KEY(comm), &c->entry);
    return c;
}

static PFC__QUIET void pfc__comm_describe(pfc__comm_t *c, MPI_Comm comm)
{
    int alike = MPI_UNEQUAL;
    c->ours = pfc__comm_is_ours(comm);
    PMPI_Comm_test_inter(comm, &c->inter);
    PMPI_Comm_rank(comm, &c->rank);
    c->members = c->ours && !c->inter ? pfc__members_of(comm) : 0;
    c->as_world = !PMPI_Comm_compare(comm, MPI_COMM_WORLD, &alike) && alike == MPI_CONGRUENT;
}

/* What we know of a communicator. NULL: there is no record. */
static PFC__QUIET pfc__comm_t *pfc__comm_look(MPI_Comm comm)
{
    pfc__comm_t *c;
    pfc__mpi_lock();
    c = (pfc__comm_t *)(void *)pfc__handles_find(&pfc__comms, PFC__KEY(comm));
    if (!c && (c = pfc__comm_add(comm)) != 0) pfc__comm_describe(c, comm);
    pfc__mpi_unlock();
    return c;
}

/* NULL: it isn't ours. */
static PFC__QUIET pfc__comm_t *pfc__comm_followed(MPI_Comm comm)
{
    pfc__comm_t *c = comm == MPI_COMM_NULL ? 0 : pfc__comm_look(comm);
    return c && c->ours ? c : 0;
}

static PFC__COLD void pfc__unnumbered_say(void)
{
    static int said;
    if (!said++) pfc__note_keep("PERFCOMP_MPI_ORDER=hold: messages in communicators that MPI_Comm_idup made of intercommunicators stay as they are: "
                                   "what they waited for isn't known");
}

/* NULL: messages in `comm` carry no piggybacks. Where those go apart, one without a number couldn't be told from others. */
PFC__HOT pfc__comm_t *pfc__comm_carries(MPI_Comm comm)
{
    pfc__comm_t *c;
    if (PFC__LIKELY(comm == MPI_COMM_WORLD)) return &pfc__comm_world;
    c = pfc__comm_followed(comm);
    if (PFC__LIKELY(!pfc__bound.on || !c || c->number)) return c;
    pfc__unnumbered_say();
    return 0;
}

/* The same on all of its ranks, and another one than any other communicator's; 0: MPI_COMM_WORLD, or it has none. Those that
   were made by one split have one number: their ranks tell them apart. */
static PFC__QUIET pfc__i64 pfc__comm_name(const pfc__comm_t *c)
{
    return c->inter || c->number <= pfc__comm_world.number ? 0 : (pfc__i64)(c->members + c->number);
}

/* What the ranks of a new communicator agree on: the largest number that one of them brings; whether one does without a record;
   and whether all bring the same of the ways that data take there. */
enum { PFC__AGREED_NUMBER, PFC__AGREED_NONE, PFC__AGREED_WAYS, PFC__AGREED_WAYS_NOT, PFC__AGREED };

/* `c`: its record, or NULL. */
static PFC__QUIET void pfc__comm_brings(pfc__u32 *mine, pfc__u32 number, int without, const pfc__comm_t *c, pfc__u64 members)
{
    mine[PFC__AGREED_NUMBER] = number;
    mine[PFC__AGREED_NONE] = (pfc__u32)without;
    mine[PFC__AGREED_WAYS] = c ? pfc__ways_begin(c->way, members) : 0;
    mine[PFC__AGREED_WAYS_NOT] = ~mine[PFC__AGREED_WAYS];
}

/* Where the largest is also the smallest all have brought the same; otherwise all begin with nothing. */
static PFC__QUIET void pfc__comm_begins(pfc__comm_t *c, const pfc__u32 *all)
{
    if (all[PFC__AGREED_WAYS] != ~all[PFC__AGREED_WAYS_NOT]) memset(c->way, 0, PFC__TRIED * sizeof *c->way);
}

#define PFC__COMM_NUMBERS_OWN 0x20000000u /* from here to twice that */

/* One that this rank alone gives. */
static PFC__QUIET pfc__u32 pfc__comm_number_own(void)
{
    static pfc__u32 given;
    pfc__u64 number;
    pfc__mpi_lock();
    number = (pfc__u64)given++ * (pfc__u64)pfc__mpi.size + (pfc__u64)pfc__mpi.rank;
    pfc__mpi_unlock();
    return number < PFC__COMM_NUMBERS_OWN ? PFC__COMM_NUMBERS_OWN + (pfc__u32)number : 0;
}

/* The first that this rank hasn't used. Where threads make communicators at once, two could agree on the same: there the
   first rank gives one. */
static PFC__QUIET pfc__u32 pfc__comm_number_next(const pfc__comm_t *c)
{
    if (!pfc__mpi.threads) return pfc__comm_numbers + 1;
    return c && c->rank == 0 ? pfc__comm_number_own() : 0;
}

/* All ranks of a new communicator keep a record, or none does: one without would miss the exchanges in which the others
   wait for it. And they agree on its number: the largest that one of them brings. `wanted`: this rank has its use for it.
   0: there is no record. */
static PFC__QUIET int pfc__comm_made(MPI_Comm comm, int wanted)
{
    pfc__comm_t *c;
    int inter = 0, kept;
    pfc__u32 mine[PFC__AGREED], all[PFC__AGREED];
    if (comm == MPI_COMM_NULL) return 0;
    c = pfc__comm_look(comm);
    if (!(c ? c->ours : pfc__comm_is_ours(comm))) return 0;
    pfc__comm_brings(mine, pfc__comm_number_next(c), !c || !wanted, c, c ? c->members : 0);
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Allreduce(mine, all, PFC__AGREED, MPI_UINT32_T, MPI_MAX, comm);
    if (inter) PMPI_Allreduce(all, mine, PFC__AGREED, MPI_UINT32_T, MPI_MAX, comm); /* that was the other side's */
    kept = !all[PFC__AGREED_NONE] && !mine[PFC__AGREED_NONE];
    if (inter && all[PFC__AGREED_NUMBER] < mine[PFC__AGREED_NUMBER]) all[PFC__AGREED_NUMBER] = mine[PFC__AGREED_NUMBER];
    if (!c) return 0;
    pfc__mpi_lock();
    c->ours = kept;
    if (kept) c->number = all[PFC__AGREED_NUMBER], pfc__comm_begins(c, all);
    if (c->number < PFC__COMM_NUMBERS_OWN && pfc__comm_numbers < c->number) pfc__comm_numbers = c->number;
    pfc__mpi_unlock();
    return kept;
}

/* Comm_idup: the same, beside the call, so that it is known when the communicator may be used. Other communicators may be
   made meanwhile: its number is one that its first rank gives. The agreement begins before the call: Open MPI makes
   the duplicate by collectives over the same ranks that it begins one after the other, as its threads come to it, and
   one of ours in between would meet one of its own on another rank. */
typedef struct pfc__making {
    MPI_Comm comm;          /* MPI_COMM_NULL: nothing is made */
    pfc__comm_t *record;    /* its own, until it is known */
    MPI_Request agreement;  /* MPI_REQUEST_NULL: there is none */
    pfc__u32 mine[PFC__AGREED], all[PFC__AGREED];
} pfc__making_t;

#ifndef PERFCOMP_SMPI
/* Before the call. `known`: of the communicator `of`. Where that has two sides, a rank that has no record would only be
   known to the other one: nothing is agreed on. `wanted`: this rank has its use for it. */
static PFC__QUIET void pfc__comm_making(pfc__making_t *m, MPI_Comm of, const pfc__comm_t *known, int wanted)
{
    int inter = 0;
    PMPI_Comm_test_inter(of, &inter);
    if (inter) return;
    pfc__mpi_lock();
    m->record = pfc__comm_new();
    pfc__mpi_unlock();
    pfc__comm_brings(m->mine, known->rank ? 0 : pfc__comm_number_own(), !m->record || !wanted, m->record, known->members);
    PMPI_Iallreduce(m->mine, m->all, PFC__AGREED, MPI_UINT32_T, MPI_MAX, of, &m->agreement);
}

/* After the call; MPI_COMM_NULL: it failed. Messages in `comm` carry no piggybacks until it is made. */
static PFC__QUIET void pfc__comm_begun(pfc__making_t *m, MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL && m->record) pfc__handles_keep(&pfc__comms, PFC__KEY(comm), &m->record->entry);
    else free(m->record);
    m->record = 0;
    if (m->agreement != MPI_REQUEST_NULL) m->comm = comm;
}

/* The duplicate of one in which messages carry none: nor do its own. */
static PFC__QUIET void pfc__comm_carries_none(MPI_Comm comm, MPI_Comm of)
{
    int inter = 0;
    PMPI_Comm_test_inter(of, &inter);
    if (inter || comm == MPI_COMM_NULL) return;
    pfc__mpi_lock();
    pfc__comm_add(comm);
    pfc__mpi_unlock();
}
#endif

/* The call is complete on this rank, so that all have begun it. */
static PFC__QUIET void pfc__comm_idup_made(pfc__making_t *m)
{
    pfc__comm_t *c;
    if (m->comm == MPI_COMM_NULL) return;
    PMPI_Wait(&m->agreement, MPI_STATUS_IGNORE);
    pfc__mpi_lock();
    c = (pfc__comm_t *)(void *)pfc__handles_find(&pfc__comms, PFC__KEY(m->comm));
    if (c && !m->all[PFC__AGREED_NONE]) {
        pfc__comm_describe(c, m->comm);
        c->number = m->all[PFC__AGREED_NUMBER];
        pfc__comm_begins(c, m->all);
    }
    pfc__mpi_unlock();
    m->comm = MPI_COMM_NULL;
}

/* Its handle may soon mean another one. */
static PFC__QUIET void pfc__comm_forget(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL) free(pfc__handles_take(&pfc__comms, PFC__KEY(comm)));
}

static PFC__QUIET void pfc__comm_drop(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) return;
    pfc__comm_forget(comm);
    PMPI_Comm_free(&comm);
}

/* The handle of what `known` was; it may be unknown, or freed: then MPI_COMM_WORLD stands for it. */
static PFC__COLD MPI_Comm pfc__comm_still(const pfc__comm_t *known, MPI_Comm comm)
{
    const pfc__comm_t *now;
    pfc__mpi_lock();
    now = comm == MPI_COMM_WORLD ? known : comm == MPI_COMM_NULL ? 0 : (pfc__comm_t *)(void *)pfc__handles_find(&pfc__comms, PFC__KEY(comm));
    if (!now || now->number != known->number) comm = MPI_COMM_WORLD;
    pfc__mpi_unlock();
    return comm;
}

/* One of ours over the same ranks, beside windows or a file: all of them call it. Not a copy of the user's: attributes
   would be copied too, by the user's functions. `recorded`: this rank has a record of them. MPI_COMM_NULL: one has none;
   or messages in `users` carry no piggybacks. */
static PFC__QUIET MPI_Comm pfc__comm_beside(MPI_Comm users, int recorded)
{
    MPI_Comm comm;
    if (!pfc__comm_carries(users) || PMPI_Comm_split(users, 0, 0, &comm)) return MPI_COMM_NULL;
    if (pfc__comm_made(comm, recorded)) return comm;
    pfc__comm_drop(comm);
    return MPI_COMM_NULL;
}

/* ------------------------------------------------------ outbox (MPI impl) ---
   Short messages of our own, which nobody here waits for: each has a place until
   it has gone. There are as many places as there have been messages under way, so
   that no MPI_Isend waits for a receiver that does something else. */

enum { PFC__OUT_SLOTS = 64, PFC__OUT_BYTES = 64 };

typedef struct pfc__out {
    struct pfc__out *next; /* sent after this one */
    MPI_Request request;
    char data[PFC__OUT_BYTES];
} pfc__out_t;

static pfc__out_t pfc__out_slots[PFC__OUT_SLOTS], *pfc__out_oldest, **pfc__out_end = &pfc__out_oldest;
static int pfc__out_used; /* of the slots */

static PFC__QUIET pfc__out_t *pfc__out_oldest_taken(void)
{
    pfc__out_t *out = pfc__out_oldest;
    pfc__out_oldest = out->next;
    if (!pfc__out_oldest) pfc__out_end = &pfc__out_oldest;
    return out;
}

/* A place for one more message. Where there is no memory, the oldest one's, when that has gone. */
static PFC__QUIET pfc__out_t *pfc__out_place(void)
{
    pfc__out_t *more;
    int gone = 0;
    if (pfc__out_used < PFC__OUT_SLOTS) return &pfc__out_slots[pfc__out_used++];
    PMPI_Test(&pfc__out_oldest->request, &gone, MPI_STATUS_IGNORE);
    if (gone) return pfc__out_oldest_taken();
    more = (pfc__out_t *)malloc(sizeof *more);
    if (more) return more;
    PMPI_Wait(&pfc__out_oldest->request, MPI_STATUS_IGNORE);
    return pfc__out_oldest_taken();
}

/* Under the lock. */
static PFC__QUIET void pfc__out_send(const void *data, size_t bytes, int world, int tag)
{
    pfc__out_t *out = pfc__out_place();
    memcpy(out->data, data, bytes);
    PMPI_Isend(out->data, (int)bytes, MPI_BYTE, world, tag, pfc__mpi.comm, &out->request);
    out->next = 0;
    *pfc__out_end = out;
    pfc__out_end = &out->next;
}

static PFC__QUIET void pfc__out_finish(void)
{
    pfc__out_t *out;
    for (out = pfc__out_oldest; out; out = out->next) PMPI_Wait(&out->request, MPI_STATUS_IGNORE);
}

/* ------------------------------------------------------- posts (MPI impl) ---
   A send that waits depends on when its receiver posted (R4). So the receiver's
   moment travels to the sender: at the post, when it tells the source and tag
   and has room for a message that waits; otherwise at completion.

   Which post met which message: in a stream, all that goes from one rank to
   another with one tag in one communicator, MPI matches the k-th message with
   the k-th post. Both sides count. The receiver doesn't know what receives from
   anybody will get: messages that tell their number put its count right. */

/* Whether a send waits for its receiver. `mode`: 1: always (synchronous), −1: never (buffered). */
PFC__HOT int pfc__send_waits(pfc__i64 bytes, int mode)
{
#ifdef PERFCOMP_MPI_TAU
    return (void)bytes, (void)mode, 0;
#endif
    return mode > 0 || (mode == 0 && bytes > pfc__link.eager + PFC__PIGGY);
}

/* Whether a message's data travel when both are there: its sender waits for that, or MPI_Bsend's buffer in its place. */
PFC__HOT int pfc__data_wait(const pfc__piggy_t *p, pfc__i64 bytes) { return p->k || pfc__send_waits(bytes, 0); }

/* LT for which a receive's message was probed for in vain, amid other work, before the call that posts it; saturated. */
PFC__HOT pfc__u32 pfc__asked_before(const pfc__call_t *c) { return PFC__LIKELY(!c->asked_last) ? 0 : pfc__saturated(c->asked_last - c->asked); }

/* By how much such a receive's post, at `post`, may be too late: its message was there to be found at `there`. */
static PFC__COLD pfc__i64 pfc__asked_too_long(pfc__u32 asked, pfc__i64 post, pfc__i64 there) { return pfc__max(0, pfc__min(asked, post - there)); }

typedef struct pfc__post {      /* on its way, and kept by the sender until the k-th message is done */
    pfc__i64 ct, lt;
    pfc__u32 u, clock;
    pfc__u32 comm, k;
    int rank, tag, world;       /* the receiver's, in the communicator and in MPI_COMM_WORLD */
    pfc__u32 asked;             /* see pfc__asked_before */
} pfc__post_t;

PFC__HOT pfc__moment_t pfc__post_moment(const pfc__post_t *p)
{
    pfc__moment_t m = { p->ct, p->lt, p->u, p->clock };
    return m;
}

typedef struct pfc__kept_post { struct pfc__kept_post *next; pfc__post_t post; } pfc__kept_post_t;

typedef struct pfc__stream {
    pfc__by_handle_t entry;
    pfc__u32 comm;
    int peer, tag;              /* peer: rank in the communicator */
    int world;                  /* the same in MPI_COMM_WORLD */
    pfc__u32 sent, posted;      /* messages to the peer; receives that name it, */
    pfc__u32 others;            /* and what others have got, as far as is known; */
    pfc__u32 mended;            /* when a message has told that: see pfc__mends */
    pfc__u32 waiting;           /* sends whose post is still to be looked up */
    int asked;                  /* the last message received here asked for its post: see pfc__stream_post */
    pfc__kept_post_t *posts;
} pfc__stream_t;

enum { PFC__STREAMS = 1 << 16, PFC__POST_TAG = 4, PFC__POST_PATIENCE = 64, PFC__POST_PAUSE = 1000, PFC__DRAIN_EVERY = 256 };

static pfc__handles_t pfc__streams;

static PFC__COLD pfc__stream_t *pfc__stream_new(pfc__u32 comm, int peer, int tag, pfc__uptr key)
{
    pfc__stream_t *s = pfc__streams.entries < PFC__STREAMS ? (pfc__stream_t *)calloc(1, sizeof *s) : 0;
    if (!s) return 0;
    s->comm = comm;
    s->peer = peer;
    s->tag = tag;
    s->world = comm == 1 ? peer : -1;
    pfc__handles_put(&pfc__streams, key, &s->entry);
    return s;
}

/* NULL: there are too many streams, or the communicator has no number. Under the lock. */
PFC__HOT pfc__stream_t *pfc__stream_of(pfc__u32 comm, int peer, int tag)
{
    pfc__uptr key = ((pfc__uptr)(pfc__u32)peer << 20 ^ (pfc__uptr)(pfc__u32)tag) * 31 + comm;
    pfc__stream_t *s = (pfc__stream_t *)(void *)*pfc__bucket(&pfc__streams, key);
    if (PFC__UNLIKELY(!comm)) return 0;
    while (s && (s->peer != peer || s->tag != tag || s->comm != comm)) s = (pfc__stream_t *)(void *)s->entry.next;
    return PFC__LIKELY(s != 0) ? s : pfc__stream_new(comm, peer, tag, key);
}

/* ---- sender */

static PFC__COLD void pfc__post_forget(pfc__stream_t *s, pfc__u32 k)
{
    pfc__kept_post_t **at = &s->posts;
    while (*at && (*at)->post.k != k) at = &(*at)->next;
    if (*at) {
        pfc__kept_post_t *p = *at;
        *at = p->next;
        free(p);
    }
}

/* Takes in what receivers have told. What belongs to a message that didn't wait is of no use. */
static PFC__COLD void pfc__posts_drain(void)
{
    int there = 1;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, PFC__POST_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE) && there) {
        pfc__post_t post;
        pfc__stream_t *s;
        pfc__kept_post_t *p;
        PMPI_Recv(&post, (int)sizeof post, MPI_BYTE, MPI_ANY_SOURCE, PFC__POST_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        s = pfc__stream_of(post.comm, post.rank, post.tag);
        if (!s || (post.k <= s->sent && !s->waiting)) continue;
        p = (pfc__kept_post_t *)malloc(sizeof *p);
        if (!p) continue;
        p->post = post;
        p->next = s->posts;
        s->posts = p;
    }
}

/* Counts a message; `waits`: its post will be asked for. Returns its number, 0: not counted. */
PFC__HOT pfc__u32 pfc__stream_send(const pfc__comm_t *comm, int to, int tag, int waits, pfc__stream_t **stream)
{
    static unsigned sends;
    pfc__stream_t *s;
    pfc__u32 k = 0;
    pfc__mpi_lock();
    *stream = s = pfc__stream_of(comm->number, to, tag);
    if (s) {
        k = ++s->sent;
        if (waits) s->waiting++;
        else if (PFC__UNLIKELY(s->posts != 0)) pfc__post_forget(s, k);
    }
    if (PFC__UNLIKELY(++sends % PFC__DRAIN_EVERY == 0)) pfc__posts_drain();
    pfc__mpi_unlock();
    return k;
}

/* Message k waited, and nobody asks for its post any more. */
static PFC__COLD void pfc__post_unneeded(pfc__stream_t *s, pfc__u32 k)
{
    pfc__mpi_lock();
    pfc__post_forget(s, k);
    s->waiting--;
    pfc__mpi_unlock();
}

static PFC__QUIET int pfc__post_find(const pfc__stream_t *s, pfc__u32 k, pfc__post_t *post)
{
    const pfc__kept_post_t *p = s->posts;
    while (p && p->post.k != k) p = p->next;
    if (p) *post = p->post;
    return p != 0;
}

static PFC__QUIET void pfc__posts_owed(void);

/* The post that met message k; 0: not known. A receiver that told nothing at
   its post may have gone on without completing it. Longer patience could lock
   both up. */
static PFC__QUIET int pfc__post_of(pfc__stream_t *s, pfc__u32 k, pfc__post_t *post)
{
    int tries = 0, found = 0;
    while (!found && tries++ < PFC__POST_PATIENCE) {
        if (tries > 1) {
            pfc__posts_owed();
            pfc__pause(PFC__POST_PAUSE);
        }
        pfc__mpi_lock();
        pfc__posts_drain();
        found = pfc__post_find(s, k, post);
        pfc__mpi_unlock();
    }
    pfc__post_unneeded(s, k);
    if (!found && pfc__mpi.job) pfc__mpi.job->unacknowledged++;
    return found;
}

/* ---- receiver */

static PFC__QUIET void pfc__post_send(int world, const pfc__comm_t *comm, int tag, pfc__u32 k, pfc__moment_t m, pfc__u32 asked)
{
    pfc__post_t p;
    memset(&p, 0, sizeof p);
    p.ct = m.ct;
    p.lt = m.lt;
    p.u = pfc__saturated(m.u);
    p.clock = pfc__saturated(m.clock);
    p.comm = comm->number;
    p.k = k;
    p.rank = comm->rank;
    p.tag = tag;
    p.world = pfc__mpi.rank;
    p.asked = asked;
    pfc__mpi_lock();
    pfc__out_send(&p, sizeof p, world, PFC__POST_TAG);
    pfc__mpi_unlock();
}

/* -1: there is no such rank, as the library will say; or not in MPI_COMM_WORLD. */
static PFC__QUIET int pfc__world_rank(MPI_Comm comm, int rank)
{
    MPI_Group from, world;
    int result = -1, inter = 0, size = pfc__mpi.size;
    if (comm == MPI_COMM_WORLD) return rank >= 0 && rank < size ? rank : -1;
    if (PMPI_Comm_test_inter(comm, &inter) || (inter ? PMPI_Comm_remote_group(comm, &from) : PMPI_Comm_group(comm, &from))) return -1;
    PMPI_Group_size(from, &size);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank >= 0 && rank < size) PMPI_Group_translate_ranks(from, 1, &rank, world, &result);
    PMPI_Group_free(&world);
    PMPI_Group_free(&from);
    return result == MPI_UNDEFINED ? -1 : result;
}

/* The peer's rank in MPI_COMM_WORLD; -1: there is none, or it isn't known. Under the lock. */
static PFC__COLD int pfc__stream_world(pfc__stream_t *s, MPI_Comm comm)
{
    if (s->world < 0) s->world = pfc__world_rank(comm, s->peer);
    return s->world < pfc__mpi.size ? s->world : -1;
}

/* The source is told of post k, that it was at `at` (NULL: now, in that call). 0: its rank isn't known. */
static PFC__COLD int pfc__post_tell(pfc__stream_t *s, const pfc__comm_t *known, MPI_Comm comm, pfc__u32 k, pfc__call_t *c,
                                    const pfc__moment_t *at)
{
    int world = pfc__stream_world(s, comm);
    if (world < 0) return 0;
    pfc__post_send(world, known, s->tag, k, at ? *at : pfc__call_so_far(c), at ? 0 : pfc__asked_before(c));
    return 1;
}

/* Which one of its stream a post is. */
typedef struct pfc__numbered {
    pfc__u32 k;   /* of its message, as far as was known; 0: it isn't counted */
    pfc__u32 nth; /* of those that are; else of pfc__mends, when it was posted */
    int told;     /* the source knows of it */
} pfc__numbered_t;

static pfc__u32 pfc__mends; /* how often a message has put a stream's count right */

static PFC__QUIET pfc__numbered_t pfc__not_numbered(void)
{
    pfc__numbered_t none = { 0, 0, 0 };
    none.nth = __atomic_load_n(&pfc__mends, __ATOMIC_RELAXED);
    return none;
}

/* Counts a post that names its source and tag, and tells the source when it has room for a message that waits, or when the last
   one did though it was short (MPI_Ssend). The call (NULL: it tells nothing) and `at`: see pfc__post_tell. */
PFC__HOT pfc__numbered_t pfc__stream_post(const pfc__comm_t *known, MPI_Comm comm, int from, int tag, pfc__i64 room,
                                          pfc__call_t *c, const pfc__moment_t *at)
{
    pfc__numbered_t post = { 0, 0, 0 };
    pfc__stream_t *s;
    if (from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return pfc__not_numbered();
    pfc__mpi_lock();
    s = pfc__stream_of(known->number, from, tag);
    if (PFC__LIKELY(s != 0)) {
        post.nth = ++s->posted;
        post.k = post.nth + s->others;
        if (PFC__UNLIKELY(room > pfc__link.eager + PFC__PIGGY || (s->asked && c)))
            post.told = pfc__post_tell(s, known, comm, post.k, c, at);
    }
    pfc__mpi_unlock();
    return post;
}

/* The nth post's message is the kth, so that others have got k − nth. (What is under way is off alike: were each one's difference
   added, the count would be off ever more.) */
static PFC__QUIET void pfc__stream_mend(const pfc__comm_t *comm, int from, int tag, pfc__u32 nth, pfc__u32 k)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = pfc__stream_of(comm->number, from, tag);
    if (s) {
        s->others = k - nth;
        s->mended = pfc__mends + 1;
        __atomic_store_n(&pfc__mends, s->mended, __ATOMIC_RELAXED);
    }
    pfc__mpi_unlock();
}

/* One from anybody has got a message; `posted`: of pfc__mends, then. What a message has told since holds that already. */
static PFC__QUIET void pfc__stream_other(const pfc__comm_t *comm, int from, int tag, pfc__u32 posted)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = pfc__stream_of(comm->number, from, tag);
    if (s && s->mended <= posted) s->others++;
    pfc__mpi_unlock();
}

static PFC__QUIET void pfc__stream_asked(const pfc__comm_t *comm, int from, int tag, int asked)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = pfc__stream_of(comm->number, from, tag);
    if (s) s->asked = asked;
    pfc__mpi_unlock();
}

/* A receive has met a message. theirs: the message's number, 0: not told. */
static PFC__QUIET void pfc__stream_met(const pfc__comm_t *comm, int from, int tag, const pfc__numbered_t *post, pfc__u32 theirs)
{
    pfc__stream_asked(comm, from, tag, theirs != 0);
    if (!post->k) pfc__stream_other(comm, from, tag, post->nth);
    else if (theirs && post->k != theirs) pfc__stream_mend(comm, from, tag, post->nth, theirs);
}

/* ------------------------------------------------------- apart (MPI impl) ---
   Long data travel as they are, for a library takes another and slower way for
   a datatype of two parts (two copies between processes of one host instead of
   one: 1 MB both ways at once took from twice to eight times as long). So their
   piggyback goes ahead in a message of its own. Which kind it is, a message's
   length tells, but for a few lengths and pairs: what carries its piggyback and
   is as long as one without may be has such a message, too, which says so.

   Data of a GB and more carry it again, in a datatype of two parts: were they of a derived datatype, and had come to where
   shorter ones were expected, there might be no memory to move them.

   Of one sender, with one tag in one communicator, those messages come in the
   order of what they belong to.

   Who receives doesn't know how long a message will be. What is made for short
   ones has room in front for the piggyback, and what is made for long ones
   hasn't: a message of the other kind is moved to where it belongs. */

typedef struct pfc__apart {
    pfc__piggy_t piggy;
    pfc__i64 wire;      /* length of the message that it belongs to */
    pfc__u32 comm;
    int rank, tag;      /* the sender's, in the communicator */
    int bare;           /* 0: that one carries its piggyback itself */
    pfc__u32 number;    /* of the message, in its stream; 0: not counted */
} pfc__apart_t;

typedef struct pfc__kept_apart {
    struct pfc__kept_apart *next;
    struct pfc__request *receive; /* under way, which will get its message: see hold.c */
    int matched;                  /* MPI_Mprobe has it */
    pfc__u32 nth;                 /* from its sender: see bound.c */
    pfc__apart_t apart;
} pfc__kept_apart_t;

/* Of data in its message. */
static PFC__QUIET pfc__i64 pfc__apart_bytes(const pfc__apart_t *a) { return a->bare ? a->wire : a->wire - PFC__PIGGY; }

enum { PFC__APART_TAG = 6, PFC__UP_TAG = 7, PFC__APART_PATIENCE = 100000, PFC__APART_PAUSE = 1000 };

static pfc__kept_apart_t *pfc__aparts, **pfc__aparts_end = &pfc__aparts;
static pfc__i64 pfc__apart_takes; /* ns, to send one, as far as the last ones tell */

PFC__HOT int pfc__is_bare(pfc__i64 bytes) { return bytes > pfc__link.copied && bytes <= PFC__BARE_MOST; } /* but for pairs */
PFC__HOT int pfc__may_be_bare(pfc__i64 wire) { return wire > pfc__link.copied && wire <= PFC__BARE_MOST; }

/* Whether a message of so many bytes of data has one. */
PFC__HOT int pfc__is_told_apart(pfc__i64 bytes) { return bytes > pfc__link.copied - PFC__PIGGY && bytes <= PFC__BARE_MOST; }

/* From here on every piggyback goes apart. */
static PFC__COLD void pfc__aparts_all(void)
{
    pfc__link.copied = -1;
    memset(&pfc__link.piggy, 0, sizeof pfc__link.piggy);
    memset(pfc__sizes_met, 0, sizeof pfc__sizes_met);
}

/* The receiver's rank in MPI_COMM_WORLD. */
static PFC__QUIET int pfc__apart_to(const pfc__comm_t *in, MPI_Comm comm, int to, int tag)
{
    pfc__stream_t *s;
    int world;
    if (comm == MPI_COMM_WORLD) return pfc__world_rank(comm, to);
    pfc__mpi_lock();
    s = pfc__stream_of(in->number, to, tag);
    world = s ? pfc__stream_world(s, comm) : pfc__world_rank(comm, to);
    pfc__mpi_unlock();
    return world;
}

/* One that took `ns`: the next one will hardly take more than twice as long as the last ones; an interruption isn't theirs. */
static PFC__QUIET pfc__i64 pfc__apart_expects(pfc__i64 ns)
{
    return pfc__apart_takes > 0 ? pfc__min(ns, 2 * pfc__apart_takes) : ns;
}

/* Goes to the rank `world` ahead of a message of `bytes`, whose call has begun; that begins anew behind it. */
static PFC__QUIET void pfc__apart_tell(pfc__call_t *c, const pfc__comm_t *in, int world, int tag, pfc__i64 bytes, int bare,
                                       pfc__u32 number, pfc__u32 k)
{
    pfc__i64 tick = pfc__clock(), before = c->begin.ct;
    pfc__moment_t m = c->begin;
    pfc__apart_t a;
    memset(&a, 0, sizeof a);
    a.bare = bare;
    a.wire = bare ? bytes : bytes + PFC__PIGGY;
    a.comm = in->number;
    a.rank = in->rank;
    a.tag = tag;
    a.number = number;
    pfc__mpi_lock();
    m.ct += pfc__apart_takes;
    pfc__piggy_write(&a.piggy, m, k);
    if (PFC__UNLIKELY(pfc__bound.on) && world >= 0) pfc__bound_sends(world, m.lt);
    if (world >= 0) pfc__out_send(&a, sizeof a, world, PFC__APART_TAG);
    c->begin.ct = pfc__common_ns(pfc__charge_since(tick));
    pfc__apart_takes = pfc__apart_expects(c->begin.ct - before);
    pfc__mpi_unlock();
}

/* ---- receiver */

/* Whether a receive from `from` for this tag may get its message. */
static PFC__QUIET int pfc__apart_meets(const pfc__apart_t *a, pfc__u32 comm, int from, int tag)
{
    return a->comm == comm && (from == MPI_ANY_SOURCE || a->rank == from) && (tag == MPI_ANY_TAG || a->tag == tag);
}

/* Under the lock. */
static PFC__QUIET void pfc__aparts_drain(void)
{
    int there = 1;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, PFC__APART_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE) && there) {
        pfc__apart_t lost;
        pfc__kept_apart_t *kept = (pfc__kept_apart_t *)malloc(sizeof *kept);
        pfc__apart_t *a = kept ? &kept->apart : &lost;
        pfc__u32 nth = 0;
        PMPI_Recv(a, (int)sizeof *a, MPI_BYTE, MPI_ANY_SOURCE, PFC__APART_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        if (PFC__UNLIKELY(pfc__bound.on)) nth = ++pfc__bound.place[a->piggy.rank].heard;
        if (!kept) continue;
        kept->nth = nth;
        kept->next = 0;
        kept->receive = 0;
        kept->matched = 0;
        *pfc__aparts_end = kept;
        pfc__aparts_end = &kept->next;
    }
}

/* To move data in. Without it they would stay wrong: the user's error handler is called. */
static PFC__COLD char *pfc__moving_room(MPI_Count bytes)
{
    char *room = (char *)calloc(1, (size_t)bytes);
    if (!room) PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    return room;
}

/* What a receive has got, where it came to: `copy`, a span, or the user's buffer, of which `copy` has the beginning then. */
typedef struct pfc__landing {
    void *buffer;
    pfc__i64 room;
    pfc__copy_t *copy;
    pfc__span_t *span;
    int copied;
    const pfc__apart_t *apart; /* its piggyback; NULL: that must be found */
    const struct pfc__request *receive; /* that has got it; NULL: a call that waited */
    int matched;        /* MPI_Mprobe had it */
} pfc__landing_t;

/* The first bytes that came. */
static PFC__COLD pfc__piggy_t pfc__landed_front(const pfc__landing_t *l)
{
    pfc__piggy_t front;
    const void *first = l->copied ? (const void *)l->copy : l->buffer;
    char *packed = 0;
    int at = 0;
    memset(&front, 0, sizeof front);
    if (l->span && !l->span->prefix.held) return l->span->piggy;
    if (l->span) {
        first = packed = pfc__moving_room(l->span->prefix.bytes);
        if (!packed) return front;
        PMPI_Pack(l->buffer, 1, l->span->prefix.type, packed, l->span->prefix.bytes, &at, pfc__mpi.comm);
    }
    memcpy(&front, first, sizeof front);
    free(packed);
    return front;
}

/* Whether a message that came with those bytes is the one that carries this piggyback itself, told apart: all but its time
   is the same. */
static PFC__COLD int pfc__apart_is_carried(const pfc__piggy_t *told, pfc__piggy_t front)
{
    front.ct = told->ct;
    return !memcmp(&front, told, sizeof front);
}

/* As far as one knows, its message is for another receive under way, or another one has been matched. */
static PFC__QUIET int pfc__apart_is_others(const pfc__kept_apart_t *kept, const pfc__landing_t *l, const struct pfc__request *receive)
{
    return (kept->receive && kept->receive != receive) || (l && kept->matched != l->matched);
}

/* Of those that may belong to a message from there of `least` to `most` bytes the first; one that isn't another's than `receive`,
   if there is one, or with the number k. Where one tells of a message that carries its piggyback itself, it is that message only if
   `l` has got that. `open`: not one that MPI_Mprobe has. */
static PFC__QUIET pfc__kept_apart_t **pfc__apart_find(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status,
                                                      pfc__i64 least, pfc__i64 most, pfc__u32 k, int open,
                                                      const struct pfc__request *receive)
{
    pfc__kept_apart_t **at, **first = 0;
    for (at = &pfc__aparts; *at; at = &(*at)->next) {
        const pfc__apart_t *a = &(*at)->apart;
        if (!pfc__apart_meets(a, in->number, status->MPI_SOURCE, status->MPI_TAG)) continue;
        if (a->wire < least || a->wire > most || (open && (*at)->matched)) continue;
        if (l && !a->bare) {
            if (pfc__apart_is_carried(&a->piggy, pfc__landed_front(l))) return at;
            continue;
        }
        if (first && pfc__apart_is_others(*first, l, receive) != pfc__apart_is_others(*at, l, receive)) {
            if (pfc__apart_is_others(*first, l, receive)) first = at;
            continue;
        }
        if (!first || (k && (*first)->apart.number && (*first)->apart.number != k && (!a->number || a->number == k))) first = at;
    }
    return first;
}

/* Of those that MPI_Mprobe has the one with that number. NULL: none is here. */
static PFC__COLD const pfc__kept_apart_t *pfc__apart_matched(pfc__u32 comm, int from, int tag, pfc__u32 k)
{
    const pfc__kept_apart_t *kept = pfc__aparts;
    while (kept && !(kept->matched && kept->apart.piggy.k == k && pfc__apart_meets(&kept->apart, comm, from, tag))) kept = kept->next;
    return kept;
}

/* It isn't needed any more. */
static PFC__QUIET void pfc__apart_take(pfc__kept_apart_t **at)
{
    pfc__kept_apart_t *kept = *at;
    *at = kept->next;
    if (!*at) pfc__aparts_end = at;
    free(kept);
}

static PFC__COLD void pfc__apart_remove(const pfc__kept_apart_t *kept)
{
    pfc__kept_apart_t **at = &pfc__aparts;
    while (*at != kept) at = &(*at)->next;
    pfc__apart_take(at);
}

static PFC__COLD void pfc__hold_claim(void);

/* What belongs to a message that has come, or was probed (`matches`: by MPI_Mprobe). 0: it didn't come. */
static PFC__QUIET int pfc__apart_look(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status, pfc__i64 wire,
                                      pfc__u32 k, int matches, pfc__apart_t *apart)
{
    const struct pfc__request *receive = l ? l->receive : 0;
    int tries = 0, found = 0;
    while (!found && tries++ < PFC__APART_PATIENCE) {
        pfc__kept_apart_t **at;
        if (tries > 1) pfc__pause(PFC__APART_PAUSE);
        pfc__mpi_lock();
        if (PFC__UNLIKELY(pfc__bound.on)) {
            pfc__aparts_drain();
            pfc__hold_claim();
            k = 0; /* that knows more: what the library has given to one from anybody isn't counted yet */
        }
        at = pfc__apart_find(l, in, status, wire, wire, k, !l, receive);
        if (!at || ((*at)->apart.bare && wire <= pfc__link.copied + PFC__PIGGY)) { /* what is meant may have come since */
            pfc__aparts_drain();
            at = pfc__apart_find(l, in, status, wire, wire, k, !l, receive);
        }
        if (at) {
            *apart = (*at)->apart;
            found = 1;
            if (matches) (*at)->matched = 1;
            if (l) pfc__apart_take(at);
        }
        pfc__mpi_unlock();
    }
    if (!found && pfc__mpi.job) pfc__mpi.job->unacknowledged++;
    return found;
}

/* A message of `wire` bytes has come: whether it is bare. Its piggyback then; of an unknown sender, if that didn't come. */
static PFC__QUIET int pfc__came_bare(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status, pfc__i64 wire,
                                     pfc__u32 k, pfc__piggy_t *piggy)
{
    pfc__apart_t a;
    if (!pfc__may_be_bare(wire)) return 0;
    memset(piggy, 0, sizeof *piggy);
    piggy->rank = (pfc__u32)PFC__ANY_PEER;
    if (PFC__UNLIKELY(l->apart != 0)) a = *l->apart;
    else if (!pfc__apart_look(l, in, status, wire, k, 0, &a)) return 1;
    *piggy = a.piggy;
    return a.bare;
}

/* A message was too long for a receive of `posted` bytes, and has gone. How long it was, MPICH doesn't tell: it is taken for the
   first that may be meant. If it had none, a later one loses its own, whose sender is unknown then. */
static PFC__COLD void pfc__apart_drop(const pfc__comm_t *in, const MPI_Status *status, pfc__i64 posted,
                                      const struct pfc__request *receive)
{
    pfc__kept_apart_t **at;
    pfc__mpi_lock();
    pfc__aparts_drain();
    at = pfc__apart_find(0, in, status, posted + 1, PFC__BARE_MOST, 0, 0, receive);
    if (at) pfc__apart_take(at);
    pfc__mpi_unlock();
}

/* ---- a message of the other kind than its receive was made for */

/* It carries a piggyback; `before`: of what the user's buffer held, the first `held` bytes. What is behind longer data isn't mended. */
static PFC__QUIET void pfc__data_down(char *buffer, const char *before, pfc__i64 held, pfc__i64 wire, pfc__piggy_t *piggy)
{
    memcpy(piggy, buffer, PFC__PIGGY);
    memmove(buffer, buffer + PFC__PIGGY, (size_t)(wire - PFC__PIGGY));
    if (wire <= held) memcpy(buffer + wire - PFC__PIGGY, before + wire - PFC__PIGGY, PFC__PIGGY);
}

/* The same in a receive of `count` elements of a derived type with `room` bytes. (Data longer than what is held: pairs.) */
static PFC__COLD void pfc__prefix_data_down(const pfc__prefix_t *p, void *buffer, int count, pfc__i64 room, pfc__i64 wire, pfc__piggy_t *piggy)
{
    int is_held = wire <= p->bytes, bytes = is_held ? p->bytes : (int)room, at = 0;
    MPI_Datatype type = is_held ? p->type : p->whole;
    char *now = pfc__moving_room(bytes);
    if (!now) return;
    if (is_held) count = 1;
    PMPI_Pack(buffer, count, type, now, bytes, &at, pfc__mpi.comm);
    pfc__data_down(now, p->held, p->bytes, wire, piggy);
    at = 0;
    PMPI_Unpack(now, bytes, &at, buffer, count, type, pfc__mpi.comm);
    free(now);
}

/* It is bare, and its first bytes are in the piggyback of a span over data without gaps. */
static PFC__QUIET void pfc__plain_data_up(pfc__span_t *span, pfc__i64 wire)
{
    char *buffer = (char *)(pfc__uptr)span->buffer;
    memmove(buffer + PFC__PIGGY, buffer, (size_t)(wire - PFC__PIGGY));
    memcpy(buffer, &span->piggy, PFC__PIGGY);
}

/* So many bytes, which may be more than an int can tell; committed. */
static PFC__QUIET MPI_Datatype pfc__bytes_type(MPI_Count bytes)
{
    int lengths[2];
    MPI_Aint places[2];
    MPI_Datatype types[2], result;
    lengths[0] = (int)(bytes / PFC__BARE_MOST);
    lengths[1] = (int)(bytes % PFC__BARE_MOST);
    places[0] = 0;
    places[1] = (MPI_Aint)(bytes - lengths[1]);
    PMPI_Type_contiguous(PFC__BARE_MOST, MPI_BYTE, &types[0]);
    types[1] = MPI_BYTE;
    PMPI_Type_create_struct(2, lengths, places, types, &result);
    PMPI_Type_commit(&result);
    PMPI_Type_free(&types[0]);
    return result;
}

/* Under the lock: another thread's message to itself looks the same. */
static PFC__QUIET void pfc__to_oneself(const void *from, int count, MPI_Datatype type_from, void *to, MPI_Datatype type_to)
{
    MPI_Request request;
    PMPI_Irecv(to, 1, type_to, pfc__mpi.rank, PFC__UP_TAG, pfc__mpi.comm, &request);
    PMPI_Send(from, count, type_from, pfc__mpi.rank, PFC__UP_TAG, pfc__mpi.comm);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The same in any span: as much as there is room for in front of all is put there instead. (The user's own datatype may be
   freed by now.) */
static PFC__QUIET void pfc__data_up(pfc__span_t *span, pfc__i64 wire)
{
    MPI_Count room = 0;
    MPI_Datatype bytes;
    char *data;
    if (span->plain) {
        pfc__plain_data_up(span, wire);
        return;
    }
    PMPI_Type_size_x(span->type, &room);
    data = pfc__moving_room(PFC__PIGGY + room);
    if (!data) return;
    bytes = pfc__bytes_type(room);
    pfc__mpi_lock();
    pfc__to_oneself(&span->piggy, 1, span->type, data + PFC__PIGGY, bytes);
    pfc__to_oneself(data, (int)(PFC__PIGGY + wire), MPI_BYTE, &span->piggy, span->type);
    pfc__mpi_unlock();
    PMPI_Type_free(&bytes);
    free(data);
}

/* -------------------------------------------------------- away (MPI impl) ---
   Long data move when both ranks have heard of each other. Who isn't in the
   library hears nothing: word of a message comes to a receiver that has posted
   by MPI_Irecv and does something else, when it is back. Where the sender is to
   give the data away then, instead of the receiver fetching them, the same goes
   for the answer to a sender that has left it at MPI_Isend.

   So who comes back, in a call that waits or asks for something, tells its
   partners in long messages that are under way since when it has been away. Each
   finds out by that when they would have heard of each other undisturbed. */

enum { PFC__AWAY_TAG = 8, PFC__AWAY_LEAST = 2000 /* ns; shorter absences are our own work */, PFC__AWAY_SHARE = 16, PFC__ABSENCES = 8 };

typedef struct pfc__absences { pfc__absence_t last[PFC__ABSENCES]; unsigned n; } pfc__absences_t;

typedef struct pfc__partner {
    pfc__by_handle_t entry; /* by its rank in MPI_COMM_WORLD */
    struct pfc__partner *next;
    int world, open;        /* so many long messages from here, or to here, are under way, of which it is to know that we are back */
    pfc__absences_t away;   /* that it has told of */
} pfc__partner_t;

static pfc__handles_t pfc__partners;
static pfc__partner_t *pfc__partners_all;
static pfc__absences_t pfc__own_absences;

/* Other threads may be in the library; and where messages are held back, it is we who receive. */
PFC__HOT int pfc__away_counts(void) { return (pfc__link.awaits || pfc__link.pushes) && !pfc__mpi.threads && !pfc__bound.on; }

static PFC__QUIET pfc__partner_t *pfc__partner_known(int world)
{
    return (pfc__partner_t *)(void *)pfc__handles_find(&pfc__partners, (pfc__uptr)world);
}

/* NULL: no memory. */
static PFC__QUIET pfc__partner_t *pfc__partner_of(int world)
{
    pfc__partner_t *p = pfc__partner_known(world);
    if (p || !(p = (pfc__partner_t *)calloc(1, sizeof *p))) return p;
    p->world = world;
    p->next = pfc__partners_all;
    pfc__partners_all = p;
    pfc__handles_put(&pfc__partners, (pfc__uptr)world, &p->entry);
    return p;
}

static PFC__QUIET void pfc__absences_add(pfc__absences_t *all, const pfc__absence_t *one) { all->last[all->n++ % PFC__ABSENCES] = *one; }

/* ---- telling */

/* A long message begins, of which `world` is to know when this rank is back. NULL: it needn't. */
static PFC__QUIET pfc__partner_t *pfc__partner_begins(int world)
{
    pfc__partner_t *p = world >= 0 && world != pfc__mpi.rank ? pfc__partner_of(world) : 0;
    if (!p) return 0;
    p->open++;
    if (!pfc__away.open++) pfc__away.opened = pfc__away.since.ct;
    return p;
}

static PFC__QUIET void pfc__partner_ends(pfc__partner_t **p)
{
    if (!*p) return;
    (*p)->open--;
    pfc__away.open--;
    *p = 0;
}

typedef struct pfc__absence_told { pfc__absence_t away; int world; } pfc__absence_told_t;

static PFC__QUIET void pfc__absence_tell(const pfc__absence_t *away, int world)
{
    pfc__absence_told_t told;
    memset(&told, 0, sizeof told);
    told.away = *away;
    told.world = pfc__mpi.rank;
    pfc__out_send(&told, sizeof told, world, PFC__AWAY_TAG);
}

/* Amid the wrapper of a call that is about to hear of what has come. Who asks on and on, and does a little in between, isn't to tell
   each time: only of absences that are long beside what the messages have taken already, of which there are few. */
static PFC__COLD void pfc__call_is_back(pfc__call_t *c)
{
    pfc__absence_t away = { pfc__away.since.ct, pfc__away.since.lt, pfc__call_so_far(c) };
    const pfc__partner_t *p;
    c->own = 0;
    if (away.back.ct - away.ct < pfc__max(PFC__AWAY_LEAST, (away.ct - pfc__away.opened) / PFC__AWAY_SHARE)) return;
    pfc__absences_add(&pfc__own_absences, &away);
    for (p = pfc__partners_all; p; p = p->next)
        if (p->open) pfc__absence_tell(&away, p->world);
}

/* One who doesn't know yet that we receive from it. */
static PFC__COLD void pfc__absence_told_late(int world)
{
    if (pfc__own_absences.n && pfc__away_counts()) pfc__absence_tell(&pfc__own_absences.last[(pfc__own_absences.n - 1) % PFC__ABSENCES], world);
}

/* ---- hearing */

static PFC__QUIET void pfc__absences_drain(void)
{
    int there = 1;
    while (!PMPI_Iprobe(MPI_ANY_SOURCE, PFC__AWAY_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE) && there) {
        pfc__absence_told_t told;
        pfc__partner_t *p;
        PMPI_Recv(&told, (int)sizeof told, MPI_BYTE, MPI_ANY_SOURCE, PFC__AWAY_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
        if ((p = pfc__partner_of(told.world)) != 0) pfc__absences_add(&p->away, &told.away);
    }
}

/* When word that goes to `world` at `told` comes there. */
static PFC__QUIET pfc__moment_t pfc__sent_on(pfc__moment_t told, int world)
{
    pfc__i64 travel = pfc__travel(0, (pfc__u32)world).ns;
    told.ct += travel;
    told.lt += travel;
    return told;
}

/* When both were `there`, and word of it came at `told` to one that was absent so: when that one has heard it. */
static PFC__QUIET pfc__moment_t pfc__heard_amid(const pfc__absences_t *all, pfc__moment_t there, pfc__moment_t told)
{
    unsigned i;
    for (i = 0; i < all->n && i < PFC__ABSENCES; i++)
        there = pfc__heard(there, told, &all->last[i], pfc__doubt_since_met(told) + pfc__doubt_since_met(all->last[i].back) + told.clock + all->last[i].back.clock);
    return there;
}

/* The same where word has gone to `world` at `told`. */
static PFC__QUIET pfc__moment_t pfc__heard_by(int world, pfc__moment_t there, pfc__moment_t told)
{
    const pfc__absences_t *all = &pfc__own_absences;
    if (world != pfc__mpi.rank) {
        const pfc__partner_t *p;
        pfc__absences_drain();
        p = pfc__partner_known(world);
        if (!p) return there;
        all = &p->away;
    }
    return pfc__heard_amid(all, there, pfc__sent_on(told, world));
}

/* When data could move that had been `sent` by the rank `from` to a receive that `to` had `posted`: one of them is this rank. */
static PFC__QUIET pfc__moment_t pfc__data_move(pfc__moment_t sent, pfc__moment_t posted, int from, int to)
{
    pfc__moment_t there = pfc__both_there(sent, posted);
    if (!pfc__away_counts()) return there;
    if (pfc__link.awaits) there = pfc__heard_by(to, there, sent);
    if (pfc__link.pushes) there = pfc__heard_by(from, there, there);
    return there;
}

/* ---------------------------------------------------- requests (MPI impl) ---
   What we must remember from the start of a nonblocking call to its end, by
   the handle of the library's own request, which is what the user gets. */

enum pfc__request_kind { PFC__UNUSED, PFC__SENDING = 1, PFC__RECEIVING = 2, PFC__COLLECTING = 3, PFC__PARTS_SENDING = 4, PFC__PARTS_RECEIVING = 5 };

/* Receives whose message is held back: not ours; not started; has no message; given to the library; has its message. */
enum pfc__hold_state { PFC__NOT_HELD, PFC__HELD_IDLE, PFC__HELD_OPEN, PFC__HELD_RELEASED, PFC__HELD_GIVEN };

/* A collective may end before the last rank comes, … */
enum pfc__may_part {
    PFC__MAY_LEAVE = 1,    /* and waited for none then; */
    PFC__MAY_LET_GO = 2,   /* the last one needn't have waited for anybody either; */
    PFC__MAY_NEED_SOME = 3 /* and waited for some; in any case it may wait for some only */
};

typedef struct pfc__request {
    pfc__by_handle_t entry;               /* must be first */
    struct pfc__request *beside;      /* overlong persistent send: the message of a start */
    struct pfc__request *next, *previous; /* list of active receives; `next`: of unused records too */
    enum pfc__request_kind kind;
    int persistent, active;
    int taken;                        /* by a call that completes or frees it: its handle may be another's already, who doesn't find it */
    MPI_Request handle;
    pfc__u64 age;                     /* it was the age-th to get a handle */
    MPI_Comm in;                      /* the user's communicator */
    pfc__moment_t begin;              /* send: its begin; receive: its post; collective: its begin */
    pfc__i64 bytes;                   /* of a send, or that a receive has room for */
    pfc__i64 got;                     /* of a completed receive; less than 0: nothing that a rule could use */
    void *data;                       /* the user's, when copied */
    int packed;                       /* not 0: so many `of` are to be packed */
    MPI_Datatype of;
    pfc__copy_t *copy;                /* not NULL: piggyback and data; kept for the next use */
    size_t copy_room;
    int copied;                       /* `copy` is in use */
    pfc__span_t *span;                /* otherwise; NULL: the user's buffer, of which a receive's copy has the beginning. It may
                                         also be of the user's buffer as it is */
    int count;                        /* the user's then, of type `of` */
    pfc__piggy_t piggy;               /* where it is neither in the copy nor in the span */
    int apart, settled;               /* it is there; a receive's data are where the user wants them */
    pfc__comm_t comm;                 /* a copy: the user may free the communicator before the request ends */
    int peer, tag;                    /* as the user gave them */
    int world;                        /* of a long send: the receiver's rank in MPI_COMM_WORLD */
    int waits;                        /* send: depends on its receiver's post */
    int overlong;                     /* send: see pfc__overlong; ours to buffer */
    pfc__stream_t *stream;            /* send that waits: where the post will be found */
    pfc__u32 k;                       /* number of the message whose post is to be found; 0: none is */
    pfc__numbered_t number;           /* receive: of its post; send: its k is that of any message */
    pfc__u32 asked;                   /* receive: see pfc__asked_before */
    int met;                          /* it has been counted as met */
    pfc__partner_t *partner;          /* not NULL: that is to know when this rank is back: see away */
    pfc__partner_t **circle;          /* collective: who may hand on to this rank, and gets from it (handed_on); kept for the next use */
    int circled, circle_on;           /* so many; and they are to know when this rank is back */
    int circle_whole;                 /* they are all others, so that no absence is unknown */
    MPI_Request exchange;             /* collective: of all ranks' moments */
    int exchanging;                   /* it has begun, and wasn't waited for */
    pfc__latest_t mine, latest;       /* collective; `mine`: partitioned send, of its ready parts, too */
    pfc__latest_t *from;              /* collective: of the in-neighbours */
    int neighbours;
    int rule;                         /* collective: enum pfc__mpi_rule */
    int depends;                      /* collective: this rank waits for others */
    int put_off;                      /* Waitall takes it with the last of its requests */
    int may_part;                     /* collective: enum pfc__may_part */
    int in_turn;                      /* collective: of a file's; of several, MPICH's ROMIO works on one that is asked for, by
                                         collective calls of its own: all ranks must ask for them in the same order */
    pfc__i64 traced;                  /* collective: its number in the trace; 0: it has none */
    pfc__meets_t *meets;              /* persistent collective: what it says there at each start; NULL: nothing */
    pfc__making_t making;             /* collective: Comm_idup */
    int parts, ready;                 /* partitioned send */
    enum pfc__mpi_wait wait_kind;
    enum pfc__hold_state held;        /* receive: see held.c */
    int held_tag, held_error;         /* of its message to ourselves; of its own, when that has been received, */
    MPI_Status held_status;           /* with its status, */
    pfc__moment_t held_arrival;       /* and when it would have come; */
    int held_ours;                    /* we have received it, not the library after all: */
    pfc__apart_t held_apart;          /* by this piggyback */
    pfc__i64 held_since;              /* tick: its message is there, and not decided; or 0 */
    MPI_Request real;                 /* the library's, after all */
} pfc__request_t;

static pfc__handles_t pfc__requests;
static pfc__u64 pfc__requests_kept; /* so far */
static int pfc__requests_in_turn;   /* there have been such, */
static int pfc__requests_collect;   /* and collectives at all */
static pfc__request_t *pfc__requests_unused;
static pfc__request_t pfc__posted; /* ring of active receives; its own `next` and `previous` are the ends */

PFC__HOT int pfc__request_sends(const pfc__request_t *r) { return r->kind == PFC__SENDING || r->kind == PFC__PARTS_SENDING; }

/* On another rank: a short message's sender doesn't. */
PFC__HOT int pfc__request_depends(const pfc__request_t *r) { return !pfc__request_sends(r) || r->k; }
PFC__HOT int pfc__request_receives(const pfc__request_t *r) { return r->kind == PFC__RECEIVING || r->kind == PFC__PARTS_RECEIVING; }

PFC__HOT pfc__piggy_t *pfc__request_piggy(pfc__request_t *r)
{
    return PFC__UNLIKELY(r->apart) ? &r->piggy : r->copied ? &r->copy->piggy : &r->span->piggy;
}

PFC__HOT int pfc__request_is_bare(const pfc__request_t *r) { return !r->copied && (!r->span || r->span->prefix.held); }

/* The other ranks wait for this one's part in a collective's exchange, also where there is no memory for its record. */
enum { PFC__REQUESTS_RESERVED = 16 };
static pfc__request_t pfc__requests_reserved[PFC__REQUESTS_RESERVED];

PFC__HOT int pfc__request_is_reserved(const pfc__request_t *r)
{
    return r >= pfc__requests_reserved && r < pfc__requests_reserved + PFC__REQUESTS_RESERVED;
}

static PFC__QUIET pfc__request_t *pfc__request_reserved(void)
{
    pfc__request_t *r = pfc__requests_reserved;
    pfc__mpi_lock();
    while (pfc__request_is_reserved(r) && r->kind != PFC__UNUSED) r++;
    if (!pfc__request_is_reserved(r)) r = 0;
    else r->kind = PFC__COLLECTING;
    pfc__mpi_unlock();
    return r;
}

static PFC__QUIET void pfc__request_reset(pfc__request_t *r, enum pfc__request_kind kind)
{
    r->kind = kind;
    r->persistent = r->exchanging = r->active = r->taken = r->copied = r->met = r->waits = r->overlong = r->packed = r->apart = r->settled = r->put_off = 0;
    r->held = PFC__NOT_HELD;
    r->beside = 0;
    r->partner = 0;
    r->circled = r->circle_on = r->circle_whole = 0;
    r->traced = 0;
    r->asked = 0;
    r->meets = 0;
    r->stream = 0;
    r->k = 0;
    r->number = pfc__not_numbered();
    r->exchange = MPI_REQUEST_NULL;
    r->wait_kind = pfc__request_sends(r) ? PFC__LATE_RECEIVER : PFC__LATE_SENDER;
    r->next = r->previous = 0;
}

static PFC__QUIET pfc__request_t *pfc__request_new(enum pfc__request_kind kind)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__requests_unused;
    if (r) pfc__requests_unused = r->next;
    pfc__mpi_unlock();
    if (!r) r = (pfc__request_t *)calloc(1, sizeof *r);
    if (!r && kind == PFC__COLLECTING) r = pfc__request_reserved();
    if (r) pfc__request_reset(r, kind);
    return r;
}

/* Only what was linked into the ring of posted receives is taken out of it. */
static PFC__QUIET void pfc__posted_remove(pfc__request_t *r)
{
    if (!r->previous) return;
    r->previous->next = r->next;
    r->next->previous = r->previous;
    r->next = r->previous = 0;
}

static PFC__QUIET void pfc__posted_add(pfc__request_t *r)
{
    if (!pfc__posted.next) pfc__posted.next = pfc__posted.previous = &pfc__posted;
    r->next = &pfc__posted;
    r->previous = pfc__posted.previous;
    r->previous->next = r;
    pfc__posted.previous = r;
}

static PFC__QUIET void pfc__circle_turn(pfc__request_t *r, int on); /* see handed_on */

static PFC__QUIET void pfc__request_drop(pfc__request_t *r)
{
    if (r->beside) pfc__request_drop(r->beside);
    r->beside = 0;
    if (r->kind == PFC__SENDING && r->active && r->k) pfc__post_unneeded(r->stream, r->k); /* refused, or freed by the user */
    if (r->span) pfc__span_give(r->span);
    r->span = 0;
    r->copied = 0;
    pfc__partner_ends(&r->partner);
    pfc__circle_turn(r, 0);
    if (r->packed && r->persistent) PMPI_Type_free(&r->of);
    free(r->from);
    r->from = 0;
    free(r->meets);
    r->meets = 0;
    if (r->persistent && r->exchange != MPI_REQUEST_NULL) PMPI_Request_free(&r->exchange);
    pfc__mpi_lock();
    pfc__posted_remove(r);
    if (pfc__request_is_reserved(r)) r->kind = PFC__UNUSED;
    else {
        r->next = pfc__requests_unused;
        pfc__requests_unused = r;
    }
    pfc__mpi_unlock();
}

/* Requests that end when they end: buffered, freed by the user while they were
   active, or exchanges that only others need. */
static pfc__request_t *pfc__left_alone;

static PFC__QUIET void pfc__request_leave(pfc__request_t *r, MPI_Request handle)
{
    r->handle = handle;
    pfc__mpi_lock();
    if (r->kind == PFC__RECEIVING) __atomic_fetch_add(&pfc__mpi.left_receives, 1, __ATOMIC_RELAXED);
    r->next = pfc__left_alone;
    pfc__left_alone = r;
    pfc__mpi_unlock();
}

/* No user asks for it any more. */
static PFC__QUIET void pfc__request_end(pfc__request_t *r)
{
    if (!r->exchanging) {
        pfc__request_drop(r);
        return;
    }
    pfc__left_alone_sweep(0);
    pfc__request_leave(r, r->exchange);
    r->exchange = MPI_REQUEST_NULL;
    r->exchanging = 0;
}

/* Memory for a piggyback and so much data, or for the beginning of a buffer. */
static PFC__QUIET int pfc__request_memory(pfc__request_t *r, pfc__i64 bytes)
{
    size_t room = PFC__PIGGY + (size_t)pfc__max(bytes, PFC__COPY_MAX + PFC__PIGGY);
    if (r->copy && r->copy_room < room) {
        free(r->copy);
        r->copy = 0;
    }
    if (!r->copy) {
        r->copy = (pfc__copy_t *)malloc(room);
        r->copy_room = room;
    }
    return r->copy != 0;
}

static PFC__QUIET int pfc__request_copies(pfc__request_t *r) { return r->copied = pfc__request_memory(r, r->bytes); }

/* The library has given `handle` to it. */
static PFC__QUIET void pfc__request_keep(pfc__request_t *r, MPI_Request handle)
{
    r->handle = handle;
    pfc__mpi_lock();
    r->age = ++pfc__requests_kept;
    pfc__handles_put(&pfc__requests, PFC__KEY(handle), &r->entry);
    if (r->kind == PFC__RECEIVING && r->active) pfc__posted_add(r);
    pfc__mpi_unlock();
}

PFC__HOT int pfc__request_is_found(const pfc__request_t *r, pfc__u64 kept) { return !r->taken && r->age <= kept; }

/* Whose handle it was when `kept` requests had got theirs: since then the library may have completed that one, and given the handle
   to one that was begun amid the call, by a function of the user's. */
static PFC__QUIET pfc__request_t *pfc__request_then(MPI_Request handle, pfc__u64 kept)
{
    pfc__by_handle_t *e;
    if (handle == MPI_REQUEST_NULL) return 0;
    pfc__mpi_lock();
    e = pfc__handles_find(&pfc__requests, PFC__KEY(handle));
    while (e && (e->key != PFC__KEY(handle) || !pfc__request_is_found((pfc__request_t *)(void *)e, kept))) e = e->next;
    pfc__mpi_unlock();
    return (pfc__request_t *)(void *)e;
}

static PFC__QUIET pfc__request_t *pfc__request_of(MPI_Request handle) { return pfc__request_then(handle, UINT64_MAX); }

/* MPICH gives one handle to all sends that are complete at once, those of other threads too. NULL: it may be such a one's record,
   which another thread may drop at any time. */
static PFC__QUIET pfc__request_t *pfc__request_unshared(MPI_Request handle)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__request_of(handle);
    if (r && r->kind == PFC__SENDING && !r->persistent) r = 0;
    pfc__mpi_unlock();
    return r;
}

/* Out of the table: it is complete, or freed. */
static PFC__QUIET void pfc__request_unkeep(pfc__request_t *r)
{
    pfc__mpi_lock();
    pfc__handles_remove(&pfc__requests, &r->entry);
    pfc__mpi_unlock();
}

/* For nobody else from here on, or, `taken` 0, as before. */
static PFC__QUIET void pfc__request_take(pfc__request_t *r, int taken)
{
    pfc__mpi_lock();
    r->taken = taken;
    pfc__mpi_unlock();
}

/* A claimed one has ended; a persistent one stays, for its next start. */
static PFC__QUIET void pfc__request_done(pfc__request_t *r)
{
    r->active = 0;
    pfc__partner_ends(&r->partner);
    pfc__circle_turn(r, 0);
    if (r->persistent) {
        pfc__mpi_lock();
        pfc__posted_remove(r);
        pfc__mpi_unlock();
        return;
    }
    pfc__request_end(r);
}

/* ---- generalized requests: the program completes them itself, and nobody tells when that would have been */

static pfc__handles_t pfc__generalized;
static int pfc__generalized_open; /* how many */

#ifndef PERFCOMP_SMPI
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free_it,
                       MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request)
{
    pfc__by_handle_t *e = pfc__mpi.on ? (pfc__by_handle_t *)malloc(sizeof *e) : 0;
    int error = PMPI_Grequest_start(query, free_it, cancel, extra, request);
    if (e && !error) {
        pfc__handles_keep(&pfc__generalized, PFC__KEY(*request), e);
        __atomic_fetch_add(&pfc__generalized_open, 1, __ATOMIC_RELAXED);
    } else free(e);
    return error;
}
#endif

/* A request of which we know nothing has ended: whether it was one of them. */
static PFC__QUIET int pfc__generalized_end(MPI_Request request)
{
    pfc__by_handle_t *e;
    if (PFC__LIKELY(!__atomic_load_n(&pfc__generalized_open, __ATOMIC_RELAXED))) return 0;
    if ((e = pfc__handles_take(&pfc__generalized, PFC__KEY(request))) == 0) return 0;
    free(e);
    __atomic_fetch_sub(&pfc__generalized_open, 1, __ATOMIC_RELAXED);
    return 1;
}

/* ---- errors that the user hasn't asked for yet */

/* The communicator's error handler isn't called until pfc__errors_again. Where all errors end the program, or none does
   anything, it makes no difference. */
static PFC__COLD MPI_Errhandler pfc__errors_quiet(MPI_Comm comm)
{
    MPI_Errhandler users = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm, &users);
    if (users == MPI_ERRORS_RETURN || users == MPI_ERRORS_ARE_FATAL) return MPI_ERRHANDLER_NULL;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return users;
}

static PFC__COLD void pfc__errors_again(MPI_Comm comm, MPI_Errhandler users)
{
    if (users == MPI_ERRHANDLER_NULL) return;
    PMPI_Comm_set_errhandler(comm, users);
    PMPI_Errhandler_free(&users);
}

/* Whose handler hears of a request that has failed. MPICH's knows its communicator no more, and of several requests it only
   hears that their statuses have the errors. */
#ifdef MPICH
enum { PFC__ERRORS_BY_STATUS = 1 };
static PFC__COLD MPI_Comm pfc__errors_of(const pfc__request_t *r) { (void)r; return MPI_COMM_WORLD; }
#else
enum { PFC__ERRORS_BY_STATUS = 0 };
static PFC__COLD MPI_Comm pfc__errors_of(const pfc__request_t *r) { return pfc__comm_still(&r->comm, r->in); }
#endif

/* MPICH from 4.2 on ends a persistent request that is complete when one looks at it. */
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40200000
enum { PFC__LOOKS_END = 1 };
#else
enum { PFC__LOOKS_END = 0 };
#endif

/* Whether it is complete, and how, for our own sake; where one may not look, it isn't. `r`: its record, or NULL. MPICH's handler hears of its error each
   time: up to 4.1 that of MPI_COMM_WORLD, then the communicator's. Not while other threads call MPI. */
static PFC__QUIET int pfc__request_look(const pfc__request_t *r, MPI_Request request, int *done, MPI_Status *status)
{
#ifdef MPICH
    MPI_Comm own = r ? pfc__comm_still(&r->comm, r->in) : MPI_COMM_WORLD;
    MPI_Errhandler users, owns;
    int error;
    if (PFC__LOOKS_END && r && r->persistent) return MPI_SUCCESS;
    users = pfc__errors_quiet(MPI_COMM_WORLD);
    owns = pfc__errors_quiet(own);
    error = PMPI_Request_get_status(request, done, status);
    pfc__errors_again(own, owns);
    pfc__errors_again(MPI_COMM_WORLD, users);
    return error;
#else
    (void)r; /* only MPICH ends what is looked at */
    return PMPI_Request_get_status(request, done, status);
#endif
}

/* ------------------------------------------------------- order (MPI impl) ---
   A receive from MPI_ANY_SOURCE takes what comes first, and instrumentation can
   change what that is (model, section 6). Where a message turns up that another
   receive from anybody would have taken before, had nothing been instrumented,
   it was overtaken: that is counted, and the report tells it. Nothing is done
   about it here: see hold.c. A probe of anybody counts as the receive of what
   it found. */

/* Of the receives from anybody with this tag in this communicator the message that would have come last. */
typedef struct pfc__order_last {
    int used, tag;      /* tag: as it was asked for */
    pfc__u32 comm, rank;
    pfc__i64 post_ct, ct, lt, u; /* ct, lt: of its arrival */
} pfc__order_last_t;

enum { PFC__ORDER_LASTS = 64 };
#define PFC__ORDER_DILATION 1.05 /* beyond it others want the processors, too, as where it is crowded (see the core's processor.c) */
#define PFC__ORDER_HOLD_NS 1e10 /* at most, each time */

static struct {
    int on;
    pfc__i64 hold; /* messages are to be held back, for so many ns at most; 0: they aren't */
    int crowded; /* there are more ranks than processors: one that is taken off its processor amid our own work comes out
                    too early by a time slice, of which no uncertainty tells */
    pfc__order_last_t last[PFC__ORDER_LASTS];
    struct { pfc__u32 comm; int there, rank, tag, asked; } probed; /* the last probe of anybody that found something: what, and for which tag */
    pfc__mpi_order_t *told;
} pfc__order;

/* Of the job, on this machine, as its launcher says; or all. */
static PFC__COLD int pfc__order_ranks_here(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE" };
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = pfc__environment(names[i]);
        if (text && atoi(text) > 0) return atoi(text);
    }
    return pfc__mpi.size;
}

/* "hold", or "hold:" and seconds: in ns; 0: neither. */
static PFC__COLD pfc__i64 pfc__order_hold_of(const char *wish)
{
    const char *end = 0;
    double seconds;
    if (strncmp(wish, "hold", 4)) return 0;
    if (!wish[4]) return (pfc__i64)PFC__ORDER_HOLD_NS;
    seconds = wish[4] == ':' ? pfc__number(wish + 5, &end) : 0;
    return end && !*end && seconds > 0 && seconds < 1e9 ? (pfc__i64)(seconds * 1e9) : 0;
}

/* PERFCOMP_MPI_ORDER: off, check (the default), or hold. */
static PFC__COLD void pfc__order_start(void)
{
    const char *wish = pfc__environment("PERFCOMP_MPI_ORDER");
    int off = wish && !strcmp(wish, "off");
    pfc__order.hold = wish ? pfc__order_hold_of(wish) : 0;
    if (wish && *wish && !off && !pfc__order.hold && strcmp(wish, "check") && pfc__mpi.rank == 0)
        pfc__note("PERFCOMP_MPI_ORDER=%s isn't understood: use off, check, hold, or hold:SECONDS; messages are checked for their order, "
                  "as by check", wish);
    if (!off) pfc__order.told = (pfc__mpi_order_t *)pfc__extent_add(PFC__MPI, sizeof *pfc__order.told, 1, PFC__MPI_ORDER);
    pfc__order.on = pfc__order.told != 0;
    pfc__order.crowded = !PFC__ONE_PROGRAM && pfc__order_ranks_here() > sysconf(_SC_NPROCESSORS_ONLN);
}

static PFC__COLD pfc__order_last_t *pfc__order_slot(pfc__u32 comm, int tag)
{
    return &pfc__order.last[(comm * 31u + (pfc__u32)tag * 7u) % PFC__ORDER_LASTS];
}

/* NULL: there was no such receive, or others have taken its place. */
static PFC__COLD pfc__order_last_t *pfc__order_last_of(pfc__u32 comm, int tag)
{
    pfc__order_last_t *l = pfc__order_slot(comm, tag);
    return l->used && l->comm == comm && l->tag == tag ? l : 0;
}

/* Of the receives that could have had a message with this tag. */
static PFC__COLD pfc__order_last_t *pfc__order_last_for(pfc__u32 comm, int tag)
{
    pfc__order_last_t *same = pfc__order_last_of(comm, tag), *any = pfc__order_last_of(comm, MPI_ANY_TAG);
    return !any || (same && same->lt >= any->lt) ? same : any;
}

/* Whether the later one of two receives has the message that would have come first. Not where it did come first, in this run,
   too: then the library saw both at once, and chose. */
static PFC__COLD void pfc__order_compare(const pfc__order_last_t *l, const pfc__order_last_t *m, const char *place)
{
    int later = m->post_ct >= l->post_ct;
    pfc__i64 early = later ? l->lt - m->lt : m->lt - l->lt, early_ct = later ? l->ct - m->ct : m->ct - l->ct;
    pfc__mpi_order_t *told = pfc__order.told;
    if (l->rank == m->rank || early_ct > 0) return; /* of one sender they keep their order */
    if (early <= -(l->u + m->u)) return;
    if (early <= l->u + m->u || pfc__order.crowded || pfc__costs()->dilation > PFC__ORDER_DILATION) {
        told->undecided++;
        return;
    }
    told->overtaken++;
    if (early <= told->most) return;
    told->most = early;
    told->rank = later ? m->rank : l->rank;
    told->by = later ? l->rank : m->rank;
    snprintf(told->place, sizeof told->place, "%s", place);
}

/* It is the last one from here on, if it would have come later. */
static PFC__COLD void pfc__order_keep(const pfc__order_last_t *m)
{
    pfc__order_last_t *l = pfc__order_last_of(m->comm, m->tag);
    if (l && l->lt >= m->lt) l->post_ct = pfc__max(l->post_ct, m->post_ct);
    else *pfc__order_slot(m->comm, m->tag) = *m;
}

/* When so many bytes come that the rank `from` has sent at `m`. */
static PFC__COLD pfc__moment_t pfc__travelled(pfc__moment_t m, pfc__i64 bytes, pfc__u32 from)
{
    pfc__transfer_t travel = pfc__travel_from(pfc__size_known(bytes), from);
    m.ct += travel.ns;
    m.lt += travel.ns;
    m.u += m.clock + travel.u;
    return m;
}

/* When a message that was sent as `p` tells comes: its beginning tells whose it is. */
static PFC__COLD pfc__moment_t pfc__order_arrival(const pfc__piggy_t *p) { return pfc__travelled(pfc__piggy_read(p), 0, p->rank); }

/* A receive from anybody, posted at `post_ct` for the tag `asked`, has a message that was sent as `p` tells. Under the lock. */
static PFC__COLD void pfc__order_came(pfc__u32 comm, int asked, const MPI_Status *status, pfc__i64 post_ct, const pfc__piggy_t *p,
                                      const pfc__mpi_site_t *site)
{
    const char *place = site ? site->place : "";
    pfc__moment_t arrival = pfc__order_arrival(p);
    pfc__order_last_t m, *l;
    m.used = 1;
    m.tag = asked;
    m.comm = comm;
    m.rank = p->rank;
    m.post_ct = post_ct;
    m.ct = arrival.ct;
    m.lt = arrival.lt;
    m.u = arrival.u;
    pfc__order.told->taken++;
    l = pfc__order_last_for(comm, status->MPI_TAG);
    if (l) pfc__order_compare(l, &m, place);
    pfc__order_keep(&m);
}

/* What a probe of anybody found. */
static PFC__COLD void pfc__order_probed(pfc__u32 comm, const MPI_Status *status, int asked)
{
    pfc__mpi_lock();
    pfc__order.probed.comm = comm;
    pfc__order.probed.rank = status->MPI_SOURCE;
    pfc__order.probed.tag = status->MPI_TAG;
    pfc__order.probed.asked = asked;
    __atomic_store_n(&pfc__order.probed.there, 1, __ATOMIC_RELAXED);
    pfc__mpi_unlock();
}

/* That is this message, received now. Under the lock. */
static PFC__COLD int pfc__order_is_probed(pfc__u32 comm, const MPI_Status *status)
{
    return pfc__order.probed.there && pfc__order.probed.comm == comm && pfc__order.probed.rank == status->MPI_SOURCE &&
           pfc__order.probed.tag == status->MPI_TAG;
}

static PFC__COLD void pfc__order_look(const pfc__call_t *c, pfc__u32 comm, int from, int asked, const MPI_Status *status, pfc__i64 post_ct,
                                      const pfc__piggy_t *p)
{
    pfc__mpi_lock();
    if (pfc__order_is_probed(comm, status)) {
        asked = pfc__order.probed.asked;
        from = MPI_ANY_SOURCE;
        __atomic_store_n(&pfc__order.probed.there, 0, __ATOMIC_RELAXED);
    }
    if (from == MPI_ANY_SOURCE) pfc__order_came(comm, asked, status, post_ct, p, c->site);
    pfc__mpi_unlock();
}

/* A message has been received, by a receive from `from` for the tag `asked`: if from anybody, its order is looked at. */
PFC__HOT void pfc__order_received(const pfc__call_t *c, pfc__u32 comm, int from, int asked, const MPI_Status *status, pfc__i64 post_ct,
                                  const pfc__piggy_t *p)
{
    if (PFC__LIKELY(from != MPI_ANY_SOURCE && !__atomic_load_n(&pfc__order.probed.there, __ATOMIC_RELAXED))) return;
    if (pfc__order.on) pfc__order_look(c, comm, from, asked, status, post_ct, p);
}

/* -------------------------------------------------------- hold (MPI impl) ---
   PERFCOMP_MPI_ORDER=hold: receives and probes of anybody, and completions of
   some of several receives, get what they would have got had nothing been
   instrumented (model, section 6). Each message's piggyback goes ahead of it
   (apart.c), so that what has come can be seen before any of it is received;
   the first of them in local time is taken once bound.c knows that none that
   is earlier can come any more. The wait for that is overhead, as if it had
   followed the call. It is bounded; what the bound cuts off counts as
   undecided. Not bounded is the wait for a message of which the piggyback has
   come, and the data haven't: that is told (held.c). */

enum {
    PFC__HOLD_GRACE = 2000000, /* ns: a message is there, and its piggyback isn't */
    PFC__HOLD_PAUSE = 1000,
    PFC__HOLD_PAUSE_MOST = 1000000,
    PFC__HOLD_YIELDS = 100
};

static int pfc__hold_cuts; /* how often the limit was reached */

/* The limit is reached: it is taken what is there. */
static PFC__COLD void pfc__hold_cut(void)
{
    pfc__order.told->undecided++;
    pfc__hold_cuts++;
}

/* Whether what is here has waited for so long, since that tick, that the limit is reached. */
static PFC__COLD int pfc__hold_is_late(pfc__i64 tick) { return tick && pfc__since(tick) > pfc__order.hold; }

/* Of nonblocking receives: see held. */
static PFC__COLD void pfc__held_progress(void);
static PFC__COLD int pfc__held_contested(const pfc__request_t *next, const pfc__kept_apart_t *first);
static PFC__COLD void pfc__held_until(pfc__u32 number, int from, int tag, MPI_Comm comm, int world);

/* Whether a receive that begins now could get its message. */
static PFC__QUIET int pfc__hold_is_open(const pfc__kept_apart_t *kept, pfc__u32 comm, int from, int tag)
{
    return !kept->receive && !kept->matched && pfc__apart_meets(&kept->apart, comm, from, tag);
}

/* From `kept` on the first one that a receive could have, of one sender. NULL: none is here. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_next_from(pfc__kept_apart_t *kept, pfc__u32 comm, int from, int tag)
{
    while (kept && !pfc__hold_is_open(kept, comm, from, tag)) kept = kept->next;
    return kept;
}

static PFC__COLD pfc__kept_apart_t *pfc__hold_next(pfc__u32 comm, int from, int tag)
{
    return pfc__hold_next_from(pfc__aparts, comm, from, tag);
}

/* Where one of many receives that are alike goes on: what is before has been claimed. */
typedef struct pfc__claimed { pfc__u32 comm; int from, tag; pfc__kept_apart_t *next; } pfc__claimed_t;

enum { PFC__CLAIMED = 16 };

/* As pfc__hold_next. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_next_of(pfc__claimed_t *claimed, pfc__u32 comm, int from, int tag)
{
    pfc__claimed_t *at = &claimed[((unsigned)from * 31 + (unsigned)tag + comm) % PFC__CLAIMED];
    if (at->comm != comm || at->from != from || at->tag != tag) {
        at->comm = comm;
        at->from = from;
        at->tag = tag;
        at->next = pfc__aparts;
    }
    return at->next = pfc__hold_next_from(at->next, comm, from, tag);
}

/* What a receive under way will get; or has got, of which a status tells where the library had it from. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_its(pfc__claimed_t *claimed, const pfc__request_t *r)
{
    if (r->held != PFC__HELD_GIVEN) return pfc__hold_next_of(claimed, r->comm.number, r->peer, r->tag);
    return r->held_ours ? 0 : pfc__hold_next_of(claimed, r->comm.number, r->held_status.MPI_SOURCE, r->held_status.MPI_TAG);
}

/* Of the piggybacks that are here: what is theirs isn't for others. The library has got those receives in this order, and so it
   gives them each sender's messages. */
static PFC__COLD void pfc__hold_claim(void)
{
    pfc__claimed_t claimed[PFC__CLAIMED];
    pfc__kept_apart_t *kept;
    pfc__request_t *r;
    int rank;
    memset(claimed, 0, sizeof claimed);
    for (kept = pfc__aparts; kept; kept = kept->next) kept->receive = 0;
    for (rank = 0; rank < pfc__mpi.size; rank++) pfc__bound.place[rank].ignored = 0;
    for (r = pfc__posted.next; r && r != &pfc__posted; r = r->next) {
        if (r->settled || r->held == PFC__HELD_OPEN || r->in == MPI_COMM_NULL) continue; /* the last: of MPI_Imrecv */
        if ((kept = pfc__hold_its(claimed, r)) != 0) kept->receive = r;
    }
    for (kept = pfc__aparts; kept; kept = kept->next)
        if (kept->apart.piggy.k && !kept->receive && !kept->matched) pfc__bound_ignores(kept->apart.piggy.rank, kept->nth);
}

/* When it comes, and is met by a receive. */
static PFC__COLD pfc__i64 pfc__hold_meets(const pfc__kept_apart_t *kept) { return pfc__order_arrival(&kept->apart.piggy).lt; }

/* When all of it is there, for a receive that was posted at `post`. */
static PFC__COLD pfc__moment_t pfc__hold_arrival(const pfc__kept_apart_t *kept, pfc__moment_t post)
{
    const pfc__apart_t *a = &kept->apart;
    pfc__moment_t sent = pfc__piggy_read(&a->piggy);
    return pfc__travelled(pfc__data_wait(&a->piggy, pfc__apart_bytes(a)) ? pfc__both_there(sent, post) : sent, pfc__apart_bytes(a), a->piggy.rank);
}

/* The first one that a receive could have: of all senders, the first in local time. NULL: none is here. */
static PFC__COLD pfc__kept_apart_t *pfc__hold_first(pfc__u32 comm, int from, int tag)
{
    pfc__kept_apart_t *kept, *of, *first = pfc__hold_next(comm, from, tag);
    for (kept = first; kept && from == MPI_ANY_SOURCE; kept = kept->next) {
        if (!pfc__hold_is_open(kept, comm, from, tag) || pfc__hold_meets(kept) >= pfc__hold_meets(first)) continue;
        of = pfc__hold_next(comm, kept->apart.rank, tag); /* messages of one sender don't overtake each other */
        if (pfc__hold_meets(of) < pfc__hold_meets(first)) first = of;
    }
    return first;
}

/* The piggyback of the message that a receive under way will get. NULL: it isn't here. */
static PFC__COLD const pfc__kept_apart_t *pfc__hold_known(const pfc__request_t *r)
{
    const pfc__kept_apart_t *kept = pfc__aparts;
    while (kept && kept->receive != r) kept = kept->next;
    return kept;
}

/* What has come, looked at again. */
static PFC__COLD void pfc__hold_look(void)
{
    pfc__bound_look();
    pfc__aparts_drain();
    pfc__hold_claim();
    pfc__bound.fresh = 1;
}

static PFC__COLD int pfc__hold_is_there(int from, int tag, MPI_Comm comm)
{
    int there = 0;
    return !PMPI_Iprobe(from, tag, comm, &there, MPI_STATUS_IGNORE) && there;
}

/* Whether it is what the library would give of its sender for this tag. What the library has given to receives that aren't complete
   yet isn't known, and may be other messages than those that seem to be theirs. */
static PFC__COLD int pfc__hold_is_next(const pfc__kept_apart_t *kept, int tag, MPI_Comm comm)
{
    MPI_Status status;
    int there = 0;
    return !PMPI_Iprobe(kept->apart.rank, tag, comm, &there, &status) && there && status.MPI_TAG == kept->apart.tag;
}

/* Waits until one is. SimGrid's MPI_Probe may wait without letting time pass. */
static PFC__COLD int pfc__hold_await(int from, int tag, MPI_Comm comm)
{
    int error = MPI_SUCCESS, there = 0;
    if (!PFC__ONE_PROGRAM) return PMPI_Probe(from, tag, comm, MPI_STATUS_IGNORE);
    while (!error && !there) {
        error = PMPI_Iprobe(from, tag, comm, &there, MPI_STATUS_IGNORE);
        if (!there) pfc__pause(PFC__HOLD_PAUSE);
    }
    return error;
}

/* Some time passes, until `misses` ns more may be decided. Who waits for long leaves the processor to others: they may be who
   it waits for. */
static PFC__COLD void pfc__hold_wait(pfc__i64 misses)
{
    if (PFC__ONE_PROGRAM) pfc__pause(pfc__max(PFC__HOLD_PAUSE, pfc__min(misses, PFC__HOLD_PAUSE_MOST)));
    else if (pfc__bound.looks++ < PFC__HOLD_YIELDS) sched_yield();
    else {
        struct timespec pause = { 0, PFC__HOLD_PAUSE };
        int saved = errno;
        nanosleep(&pause, 0);
        errno = saved;
    }
}

/* What the call has done since a message came at `ct` was to hold it back. */
static PFC__COLD void pfc__hold_ends(pfc__call_t *c, pfc__i64 ct, int messages)
{
    pfc__i64 now = pfc__common_ns(pfc__clock()), ns = pfc__max(0, now - pfc__max(c->begin.ct, ct));
    c->own = 0;
    c->held = pfc__round((double)ns / pfc__mpi.ns_per_tick);
    pfc__order.told->held += (pfc__u64)messages;
    pfc__order.told->held_ns += ns;
}

/* A message for a receive or probe of anybody is there, since `tick`: which one it gets. NULL: that can't be told. */
static PFC__COLD const pfc__kept_apart_t *pfc__hold_choose(pfc__u32 number, int from, int tag, MPI_Comm comm, pfc__i64 tick)
{
    for (;;) {
        const pfc__kept_apart_t *first;
        pfc__i64 since = pfc__since(tick), misses = 1;
        int there = 0;
        pfc__held_progress();
        first = pfc__hold_first(number, from, tag);
        if (pfc__held_contested(0, first)) {
            pfc__hold_wait(misses);
            continue;
        }
        if (first) {
            pfc__i64 lt = pfc__hold_meets(first);
            PFC__TELL(pfc__bound.at->held, lt);
            misses = pfc__bound_misses(lt, -1, (int)first->apart.piggy.rank);
            there = pfc__hold_is_next(first, tag, comm);
        }
        if (there && !misses) return first;
        if (since > (first ? pfc__order.hold : (pfc__i64)PFC__HOLD_GRACE)) {
            if (first) pfc__hold_cut();
            else pfc__order.told->undecided++;
            return there ? first : 0;
        }
        pfc__hold_wait(misses);
    }
}

/* Of a receive that began at `begin`, and only now meets its message: for the sender, that was Δ. */
static PFC__COLD pfc__moment_t pfc__hold_post(pfc__moment_t begin)
{
    begin.ct = pfc__max(begin.ct, pfc__common_ns(pfc__clock()));
    return begin;
}

/* For a receive or probe of anybody: waits for its message, and holds it back. *from and *tag: which one it is to get. */
static PFC__COLD void pfc__hold(pfc__call_t *c, const pfc__comm_t *in, int *from, int *tag, MPI_Comm comm)
{
    const pfc__kept_apart_t *first;
    pfc__i64 tick, ct;
    if (pfc__hold_await(*from, *tag, comm)) return; /* the call itself will say what is wrong */
    tick = pfc__clock();
    ct = pfc__common_ns(tick);
    if ((first = pfc__hold_choose(in->number, *from, *tag, comm, tick)) != 0) {
        ct = first->apart.piggy.k ? first->apart.piggy.ct : pfc__hold_arrival(first, c->begin).ct; /* its data may come only now */
        *from = first->apart.rank;
        *tag = first->apart.tag;
    }
    pfc__hold_ends(c, ct, 1);
}

/* The same, for any receive or probe whose call has begun: what others are to get that began before comes first. One of a single
   rank waits for that, and others may know. */
static PFC__COLD void pfc__hold_receive(pfc__call_t *c, const pfc__comm_t *in, int *from, int *tag, MPI_Comm comm)
{
    int world = *from == MPI_ANY_SOURCE ? -1 : pfc__apart_to(in, comm, *from, *tag);
    pfc__bound_waits_for(world);
    pfc__held_until(in->number, *from, *tag, comm, world);
    if (*from == MPI_ANY_SOURCE) pfc__hold(c, in, from, tag, comm);
}

/* A send waits for its receiver. */
static PFC__COLD void pfc__hold_send(const pfc__comm_t *in, int to, int tag, MPI_Comm comm)
{
    int world = pfc__apart_to(in, comm, to, tag);
    pfc__held_release_all();
    if (world >= 0) pfc__bound.sends_to = (pfc__u32)world + 1;
}

/* For a probe that doesn't wait: whether a message would have come by then, and which. */
static PFC__COLD int pfc__hold_found(pfc__call_t *c, const pfc__comm_t *in, int *from, int *tag, MPI_Comm comm)
{
    int only = *from == MPI_ANY_SOURCE ? -1 : pfc__world_rank(comm, *from), there;
    const pfc__kept_apart_t *first;
    pfc__i64 misses;
    int seen = pfc__bound.fresh;
    pfc__bound_polls(c->begin.lt);
    for (;;) {
        if (!pfc__bound.fresh) pfc__held_progress(); /* else what was seen will do: a program that polls does it again and again */
        first = pfc__hold_first(in->number, *from, *tag);
        if (first && (pfc__hold_meets(first) > c->begin.lt || pfc__held_contested(0, first))) first = 0;
        there = first && pfc__hold_is_next(first, *tag, comm);
        misses = first ? pfc__bound_misses(pfc__hold_meets(first), only, (int)first->apart.piggy.rank)
                       : pfc__bound_misses(c->begin.lt, only, -1);
        if (!misses && (there || !first)) break;
        if (pfc__common_ns(pfc__clock()) - c->begin.ct > pfc__order.hold) {
            pfc__hold_cut();
            if (!there) first = 0;
            break;
        }
        if (!seen) pfc__hold_wait(misses);
        pfc__bound.fresh = seen = 0;
    }
    pfc__hold_ends(c, c->begin.ct, first != 0);
    pfc__bound.vain = !first;
    if (!first) return 0;
    *from = first->apart.rank;
    *tag = first->apart.tag;
    return 1;
}

/* ---- life */

/* By all ranks: held back by all or by none. `level`: of threads. */
static PFC__COLD void pfc__hold_start(int level)
{
    struct { int wants, leaves, can; } mine, all; /* leaves: it doesn't want to */
    const char *missing = 0;
    mine.wants = pfc__order.on && pfc__order.hold;
    mine.leaves = !mine.wants;
    mine.can = level <= MPI_THREAD_FUNNELED;
    PMPI_Allreduce(&mine, &all, 3, MPI_INT, MPI_MIN, pfc__mpi.comm);
    if (all.leaves) return; /* nobody does */
    if (!all.wants) missing = "to be set on all ranks";
    else if (!all.can) missing = "a program of MPI_THREAD_FUNNELED or less";
    else if (!pfc__bound_start()) missing = "all ranks on one host, and their profiles in files";
    else if (PFC__LOOKS_END) pfc__bound_end(), missing = "a library whose MPI_Request_get_status leaves persistent requests as they are (not MPICH from 4.2 on)";
    else pfc__aparts_all(), pfc__order.told->holds = 1;
    if (missing && pfc__mpi.rank == 0)
        pfc__note("PERFCOMP_MPI_ORDER=hold needs %s: messages are checked for their order only", missing);
}

static PFC__COLD void pfc__hold_end(void)
{
    if (pfc__hold_cuts)
        pfc__note("rank %d: %d times it wasn't known within %.3g s which message would have come first, and what was there was taken; "
                  "PERFCOMP_MPI_ORDER=hold:SECONDS sets that limit", pfc__mpi.rank, pfc__hold_cuts, (double)pfc__order.hold / 1e9);
    pfc__bound_end();
}

/* ---------------------------------------------------------- p2p (MPI impl) ---
   Sends and receives: blocking, nonblocking, persistent. What goes wrong is
   left to the library to find: a call with arguments that we can't make sense
   of is passed on as it came. */

/* No message can have it: nobody is to expect one. */
PFC__HOT int pfc__is_no_tag(int tag) { return (unsigned)tag > (unsigned)pfc__mpi.tags; }

/* NULL: the message carries no piggyback. The same on both sides of every message: with a null buffer there is none. */
PFC__HOT pfc__comm_t *pfc__carries(const void *buffer, pfc__i64 count, MPI_Datatype type, int peer, MPI_Comm comm, pfc__type_t *known)
{
    pfc__comm_t *c;
    known->size = known->plain = 0;
    if (peer == MPI_PROC_NULL || count < 0 || !(c = pfc__comm_carries(comm))) return 0;
    if (PFC__UNLIKELY(!pfc__type_known(type, known))) return 0;
    return PFC__UNLIKELY(!buffer && known->plain && count * known->size > 0) ? 0 : c;
}

/* Another thread may free the communicator while the call waits, and its record with it: such a call has one of its own. */
PFC__HOT pfc__comm_t *pfc__comm_held(pfc__comm_t *c, pfc__comm_t *own)
{
    if (PFC__LIKELY(!pfc__mpi.threads) || !c || c == &pfc__comm_world) return c;
    *own = *c;
    return own;
}

/* ---- when that began on which a call depends */

/* Only its piggyback makes a message longer than that. */
PFC__HOT int pfc__piggy_exceeds(pfc__i64 bytes, pfc__i64 limit) { return bytes > limit && bytes <= limit + PFC__PIGGY; }

/* Only its piggyback makes this message too long for the library to buffer, or to let it go without its receiver: we do. */
PFC__HOT int pfc__overlong(pfc__i64 bytes)
{
    if (pfc__is_bare(bytes)) return 0;
    return pfc__piggy_exceeds(bytes, pfc__link.alone) || pfc__piggy_exceeds(bytes, pfc__link.eager);
}

/* R1, R2; R4 when the data waited for the post: they went when both were there.
   One that we made too long to be buffered waited too, but wouldn't have. */
PFC__HOT pfc__moment_t pfc__received_from(const pfc__piggy_t *p, pfc__moment_t post, const pfc__sized_t *size)
{
    pfc__moment_t sent = pfc__piggy_read(p);
    if (pfc__data_wait(p, size->bytes)) sent = pfc__data_move(sent, post, (int)p->rank, pfc__mpi.rank);
    else if (PFC__UNLIKELY(!pfc__is_bare(size->bytes) && pfc__piggy_exceeds(size->bytes, pfc__link.eager))) sent.ct = pfc__max(sent.ct, post.ct);
    return pfc__sent_bare(sent, size);
}

/* What comes from this rank itself was sent by its only thread that can be in MPI, before it waits: the library may take
   its time, but nobody is late. */
PFC__HOT int pfc__is_own(pfc__u32 peer) { return PFC__UNLIKELY(peer == (pfc__u32)pfc__mpi.rank) && !pfc__mpi.threads; }

/* ---- blocking */

static pfc__own_parts_t pfc__own_send, pfc__own_receive;

typedef int pfc__send_t(const void *, int, MPI_Datatype, int, int, MPI_Comm);

/* The call's end so far: it may be off by what came since `begin`. */
static PFC__COLD void pfc__send_doubt(pfc__call_t *c, pfc__moment_t begin, pfc__transfer_t travel)
{
    c->end = pfc__post_unknown(begin, c->end, travel, pfc__mpi.least_delay);
    c->wait_u += pfc__doubt_since_met(c->end);
}

/* Long messages' data move inside of the receiver's MPI calls: one that has asked may be away, and what its sender waits
   then may be anybody's delay. Noise makes data travel a few times as long as they take at least, being away much longer. */
enum { PFC__AWAY_FACTOR = 4, PFC__BACK_PATIENCE = 16 };

static PFC__COLD pfc__i64 pfc__receiver_away(pfc__moment_t begin, pfc__i64 end_ct, pfc__moment_t start, pfc__transfer_t travel)
{
    pfc__i64 took = end_ct - pfc__max(begin.ct, start.ct);
    return took > PFC__AWAY_FACTOR * (travel.ns + travel.u) ? took - travel.ns : 0;
}

/* How it went with a message that waited for its receiver, */
typedef struct pfc__went {
    int world;             /* that is this rank; less than 0: nobody told of its post, */
    pfc__moment_t start;   /* and this is as late as the sender itself (see pfc__post_unknown); else when its data could move, */
    pfc__transfer_t travel;
    pfc__i64 away;         /* but for so long that its receiver may have been away */
} pfc__went_t;

/* As its receiver has told until now, who had posted so; its sender waited from `begin` to `end_ct`. */
static PFC__QUIET void pfc__went_by(pfc__went_t *w, const pfc__post_t *post, pfc__moment_t sent, pfc__i64 bytes, pfc__moment_t begin,
                                    pfc__i64 end_ct)
{
    pfc__sized_t size = pfc__size_look(bytes);
    pfc__moment_t posted = pfc__post_moment(post);
    w->world = post->world;
    w->travel = pfc__travel(bytes, (pfc__u32)w->world);
    posted.u += pfc__asked_too_long(post->asked, posted.lt, sent.lt + pfc__travel(0, (pfc__u32)w->world).ns);
    w->start = pfc__sent_bare(pfc__data_move(sent, posted, pfc__mpi.rank, w->world), &size);
    w->away = pfc__receiver_away(begin, end_ct, w->start, w->travel);
}

/* R4 at the sender. If its receiver should have been away, word of that comes about now. */
static PFC__QUIET pfc__went_t pfc__sent_to(pfc__stream_t *s, pfc__u32 k, pfc__moment_t sent, pfc__i64 bytes, pfc__moment_t begin, pfc__i64 end_ct)
{
    pfc__went_t w = { -1, sent, pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER), 0 };
    pfc__post_t post;
    int tries = 0;
    if (!pfc__post_of(s, k, &post)) return w;
    for (;;) {
        pfc__went_by(&w, &post, sent, bytes, begin, end_ct);
        if (!w.away || !pfc__away_counts() || tries++ == PFC__BACK_PATIENCE) return w;
        pfc__pause(PFC__POST_PAUSE);
    }
}

/* Open MPI's messages of more than 256 bytes are done when their receiver has been in the library. */
PFC__HOT int pfc__may_be_unseen(pfc__i64 bytes) { return bytes > pfc__link.alone && !pfc__is_bare(bytes); }

/* One that doesn't wait for its receive: what it took may have been for that. */
static PFC__COLD void pfc__send_unseen(pfc__call_t *c)
{
    pfc__call_unexplained(c, c->begin.ct + PFC__AWAY_FACTOR * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
}

/* R4: it ended when the data had travelled. */
static PFC__COLD void pfc__send_waited(pfc__call_t *c, pfc__stream_t *s, pfc__u32 k)
{
    pfc__went_t w = pfc__sent_to(s, k, c->begin, c->bytes, c->begin, c->end.ct);
    pfc__transfer_t none = { 0, 0 };
    if (w.world >= 0 && pfc__is_own((pfc__u32)w.world)) return;
    pfc__call_depends(c, w.start, none, none);
    pfc__call_waited_until(c, w.start);
    c->wait_kind = PFC__LATE_RECEIVER;
    if (w.world >= 0) {
        c->wait_ct += w.away;
        c->wait_lt += w.away;
        pfc__call_doubts(c, w.away);
        pfc__peer_waited((pfc__u32)w.world, c->wait_ct, c->wait_lt);
    } else pfc__send_doubt(c, c->begin, w.travel);
}

static PFC__COLD int pfc__send_buffered(pfc__call_t *c, const void *buffer, int count, MPI_Datatype type, int to, int tag,
                                        MPI_Comm comm);

/* The library's call, with piggyback and data in one buffer: a copy on the stack, or a span. */
PFC__HOT int pfc__send_carrying(pfc__call_t *c, pfc__send_t *send, const pfc__comm_t *in, pfc__piggy_t *p, pfc__i64 count,
                                MPI_Datatype type, int to, int tag, MPI_Comm comm, pfc__u32 number, pfc__u32 k)
{
    int error;
    pfc__call_begin(c);
    if (PFC__UNLIKELY(pfc__is_told_apart(c->bytes))) pfc__apart_tell(c, in, pfc__apart_to(in, comm, to, tag), tag, c->bytes, 0, number, k);
    pfc__piggy_write(p, c->begin, k);
    error = send(p, (int)count, type, to, tag, comm);
    pfc__call_end(c);
    return error;
}

/* Without it; that goes ahead. */
static PFC__COLD int pfc__send_bare(pfc__call_t *c, pfc__send_t *send, const pfc__comm_t *in, const void *buffer, int count,
                                    MPI_Datatype type, int to, int tag, MPI_Comm comm, pfc__u32 number, pfc__u32 k)
{
    int error;
    pfc__call_begin(c);
    pfc__apart_tell(c, in, pfc__apart_to(in, comm, to, tag), tag, c->bytes, 1, number, k);
    error = send(buffer, count, type, to, tag, comm);
    pfc__call_end(c);
    return error;
}

static PFC__COLD int pfc__send_span(pfc__call_t *c, pfc__send_t *send, const pfc__comm_t *in, const void *buffer, int count,
                                    MPI_Datatype type, int to, int tag, MPI_Comm comm, pfc__u32 number, pfc__u32 k)
{
    pfc__span_t *span = pfc__span_take(buffer, count, type);
    int error;
    if (!span) return pfc__no_memory(c, comm);
    error = pfc__send_carrying(c, send, in, &span->piggy, 1, span->type, to, tag, comm, number, k);
    pfc__span_give(span);
    return error;
}

PFC__HOT int pfc__send(pfc__call_t *c, pfc__send_t *send, int mode, const void *buffer, int count, MPI_Datatype type, int to,
                       int tag, MPI_Comm comm)
{
    pfc__type_t known;
    pfc__comm_t own, *in = pfc__comm_held(pfc__carries(buffer, count, type, to, comm, &known), &own);
    pfc__stream_t *stream = 0;
    pfc__copy_t copy;
    pfc__u32 number = 0, k;
    int error, waits;
    if (PFC__UNLIKELY(!in || pfc__is_no_tag(tag))) {
        pfc__call_begin(c);
        error = send(buffer, count, type, to, tag, comm);
        pfc__call_end(c);
        return error;
    }
    c->bytes = count * known.size;
    if (PFC__UNLIKELY(mode == 0 && pfc__overlong(c->bytes)))
        return pfc__send_buffered(c, buffer, count, type, to, tag, comm);
    waits = pfc__send_waits(c->bytes, mode);
    if (PFC__UNLIKELY(waits || pfc__is_told_apart(c->bytes))) number = pfc__stream_send(in, to, tag, waits, &stream);
    k = waits ? number : 0;
    c->hears = waits;
    if (PFC__UNLIKELY(pfc__bound.on) && (waits || to == in->rank)) pfc__hold_send(in, to, tag, comm); /* MPICH waits for itself */
    if (PFC__LIKELY(pfc__is_copied(&known, c->bytes))) {
        if (c->bytes <= PFC__OWN_BYTES && !waits) c->own = pfc__own_soon(&pfc__own_send, c->tick_in);
        memcpy(copy.bytes + PFC__PIGGY, c->bytes ? buffer : &copy, (size_t)c->bytes);
        error = pfc__send_carrying(c, send, in, &copy.piggy, PFC__PIGGY + c->bytes, MPI_BYTE, to, tag, comm, number, k);
    } else if (pfc__is_bare(c->bytes) && !known.pair) error = pfc__send_bare(c, send, in, buffer, count, type, to, tag, comm, number, k);
    else error = pfc__send_span(c, send, in, buffer, count, type, to, tag, comm, number, k);
    if (PFC__UNLIKELY(k && !error)) pfc__send_waited(c, stream, k);
    else if (PFC__UNLIKELY(k)) pfc__post_unneeded(stream, k);
    else if (PFC__UNLIKELY(mode == 0 && pfc__may_be_unseen(c->bytes))) pfc__send_unseen(c);
    if (PFC__LIKELY(!number && !waits && !error)) pfc__stream_send(in, to, tag, 0, &stream); /* nobody asks for it: while it travels */
    return error;
}

/* ---- receives */

/* What a receive tells its sender, and what it remembers of it. */
typedef struct pfc__posted {
    const pfc__comm_t *comm;
    const pfc__moment_t *at;
    pfc__numbered_t number;
    pfc__u32 asked; /* see pfc__asked_before */
} pfc__posted_t;

static PFC__COLD void pfc__post_amend(const pfc__posted_t *post, const pfc__piggy_t *p, const MPI_Status *status)
{
    const pfc__numbered_t *n = &post->number;
    int told = n->told && (!n->k || n->k == p->k); /* else it is another message's sender that was told */
    pfc__stream_met(post->comm, status->MPI_SOURCE, status->MPI_TAG, n, p->k);
    if (!p->k || told) return;
    pfc__absence_told_late((int)p->rank);
    pfc__post_send((int)p->rank, post->comm, status->MPI_TAG, p->k, *post->at, post->asked);
}

/* The call that completes a receive has its end of the message. */
static PFC__COLD void pfc__receive_trace(const pfc__comm_t *in, const pfc__piggy_t *p, const MPI_Status *status, pfc__i64 bytes)
{
    pfc__came_t came = { p->ct, p->rank, status->MPI_TAG, bytes, pfc__comm_name(in), status->MPI_SOURCE, in->rank };
    pfc__event_received(&came);
}

PFC__HOT void pfc__receive_traced(const pfc__comm_t *in, const pfc__piggy_t *p, const MPI_Status *status, pfc__i64 bytes)
{
    if (PFC__UNLIKELY(pfc__is_traced())) pfc__receive_trace(in, p, status, bytes);
}

/* It met a message: the count is kept, and a sender that still waits to hear of it is told. */
PFC__HOT void pfc__post_met(const pfc__posted_t *post, const pfc__piggy_t *p, const MPI_Status *status)
{
    if (PFC__UNLIKELY(!post->number.k || p->k || post->number.told)) pfc__post_amend(post, p, status);
}

/* From then on a probe finds a long message: its sender has told of it. */
PFC__HOT pfc__i64 pfc__told_lt(const pfc__piggy_t *p) { return p->lt + pfc__travel(0, p->rank).ns; }

/* R1, R2: a blocking receive has `bytes` and this piggyback. */
PFC__HOT void pfc__receive_done(pfc__call_t *c, const pfc__piggy_t *p, pfc__i64 bytes)
{
    pfc__sized_t *size;
    pfc__moment_t start;
    pfc__wait_t wait;
    c->bytes = bytes;
    if (pfc__is_own(p->rank)) return;
    pfc__mpi_lock();
    size = pfc__size_known(bytes);
    start = pfc__received_from(p, c->begin, size);
    wait = pfc__call_depends(c, start, size->cost, pfc__travel_from(size, p->rank));
    c->wait_kind = PFC__LATE_SENDER;
    if (wait.ns > 0) pfc__travel_seen(size, p->rank, c->begin.ct + wait.ns - start.ct);
    if (pfc__data_wait(p, bytes)) {
        pfc__call_waited_until(c, start); /* then the data travelled */
        pfc__call_asked_for(c, pfc__told_lt(p));
    }
    pfc__peer_waited(p->rank, c->polled_ct + c->wait_ct + pfc__peer_probe(p->rank), c->wait_lt);
    pfc__mpi_unlock();
}

/* A message that has been matched: whose, and as which one of its stream. */
typedef struct pfc__matched { MPI_Message *message; pfc__numbered_t number; int from, tag; } pfc__matched_t;

/* A receive; of what is matched when that isn't NULL. */
PFC__HOT int pfc__receive_by(void *buffer, pfc__i64 count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                             const pfc__matched_t *matched, MPI_Status *status)
{
#ifndef PERFCOMP_SMPI
    if (matched) return PMPI_Mrecv(buffer, (int)count, type, matched->message, status);
#else
    (void)matched;
#endif
    return PMPI_Recv(buffer, (int)count, type, from, tag, comm, status);
}

static PFC__QUIET void pfc__landed_bare(const pfc__landing_t *l, pfc__i64 wire)
{
    if (l->span && l->span->prefix.held) return;
    if (l->span) pfc__data_up(l->span, pfc__min(wire, l->room));
    else if (l->copied) memcpy(l->buffer, l->copy, (size_t)pfc__min(wire, l->room));
}

static PFC__QUIET void pfc__landed_carrying(const pfc__landing_t *l, pfc__i64 wire, pfc__piggy_t *piggy)
{
    if (l->span && l->span->prefix.held)
        pfc__prefix_data_down(&l->span->prefix, l->buffer, (int)l->span->count, l->room, wire, piggy);
    else if (l->span) *piggy = l->span->piggy;
    else if (!l->copied) pfc__data_down((char *)l->buffer, (const char *)l->copy, pfc__link.copied + PFC__PIGGY, wire, piggy);
    else {
        *piggy = l->copy->piggy;
        memcpy(l->buffer, l->copy->bytes + PFC__PIGGY, (size_t)pfc__min(wire - PFC__PIGGY, l->room));
    }
}

/* The data to where the user wants them, and the piggyback. Returns the bytes of data; less than 0: no piggyback came. */
static PFC__COLD pfc__i64 pfc__landed(const pfc__landing_t *l, const pfc__comm_t *in, const MPI_Status *status, pfc__i64 wire,
                                      pfc__u32 k, pfc__piggy_t *piggy)
{
    if (pfc__came_bare(l, in, status, wire, k, piggy)) {
        pfc__landed_bare(l, wire);
        return wire;
    }
    if (wire >= PFC__PIGGY) pfc__landed_carrying(l, wire, piggy);
    return wire - PFC__PIGGY;
}

/* What the library didn't see: the message fitted where its piggyback might have been. */
static PFC__COLD int pfc__truncated(const pfc__comm_t *in, MPI_Comm comm)
{
    PMPI_Comm_call_errhandler(pfc__comm_still(in, comm), MPI_ERR_TRUNCATE);
    return MPI_ERR_TRUNCATE;
}

/* A receive of `posted` bytes failed; `receive`: its request, or NULL: it was a call's that waited. */
static PFC__COLD void pfc__receive_failed(const pfc__comm_t *in, const MPI_Status *status, pfc__i64 posted, int error,
                                          const struct pfc__request *receive)
{
    int kind = MPI_SUCCESS;
    PMPI_Error_class(error, &kind);
    if (kind == MPI_ERR_TRUNCATE) pfc__apart_drop(in, status, posted, receive);
}

/* The message has come, and its piggyback. `from` and `tag`: what was asked for. */
PFC__HOT void pfc__receive_came(pfc__call_t *c, pfc__comm_t *in, const pfc__posted_t *post, int from, int tag, const pfc__piggy_t *p,
                                const MPI_Status *status, pfc__i64 bytes)
{
    if (PFC__UNLIKELY(c->polled > 0) && pfc__data_wait(p, bytes)) pfc__polls_told(c, pfc__told_lt(p));
    pfc__receive_traced(in, p, status, bytes);
    pfc__post_met(post, p, status);
    pfc__receive_done(c, p, bytes);
    pfc__order_received(c, in->number, from, tag, status, c->begin.ct, p);
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__bound_gets(p->rank);
}

/* Where messages are held back it is known which one comes. If its sender waits, that is about to ask, and may not wait for the answer
   until this rank gets a processor again: what it had waited would be its own, and who looks whether a message would have come by
   then would look for as long. */
static PFC__COLD void pfc__receive_announce(const pfc__comm_t *in, int from, int tag, int matched, pfc__posted_t *post)
{
    const pfc__kept_apart_t *kept;
    if (post->number.told || from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) return;
    kept = matched ? pfc__apart_matched(in->number, from, tag, post->number.k) : pfc__hold_next(in->number, from, tag);
    if (!kept || !kept->apart.piggy.k) return;
    pfc__post_send((int)kept->apart.piggy.rank, in, tag, kept->apart.piggy.k, *post->at, 0);
    post->number.told = 1;
}

/* The message that it meets may carry a piggyback. */
PFC__HOT int pfc__receive_carrying(pfc__call_t *c, pfc__comm_t *in, void *buffer, pfc__i64 count, MPI_Datatype type,
                                   const pfc__type_t *known, int from, int tag, MPI_Comm comm, const pfc__matched_t *matched,
                                   MPI_Status *status)
{
    pfc__posted_t post;
    pfc__moment_t held_post;
    pfc__span_t *span = 0;
    pfc__copy_t copy;
    pfc__piggy_t apart;
    MPI_Status own;
    const pfc__piggy_t *p = &copy.piggy;
    pfc__i64 room = count * known->size, bytes, wire;
    int chosen = from, chosen_tag = tag; /* which message it is to get */
    int error, copied = pfc__is_received_copied(known, room), bare = !copied, asked = status != MPI_STATUS_IGNORE;
    if (PFC__UNLIKELY(!known->plain || room > PFC__BARE_MOST)) {
        span = pfc__span_take(buffer, count, type);
        if (!span) return pfc__no_memory(c, comm);
        bare = span->prefix.held != 0;
        if (bare) pfc__prefix_hold(&span->prefix, buffer);
        p = &span->piggy;
    } else if (bare) memcpy(&copy, buffer, (size_t)(pfc__link.copied + PFC__PIGGY));
    if (!asked) status = &own;
    post.comm = in;
    post.at = &c->begin;
    post.asked = pfc__asked_before(c);
    post.number = matched ? matched->number : PFC__UNLIKELY(pfc__bound.on) ? pfc__not_numbered()
                  : pfc__stream_post(in, comm, from, tag, room, c, 0);
    if (PFC__LIKELY(copied && !post.number.told)) c->own = pfc__own_soon(&pfc__own_receive, c->tick_in);
    pfc__call_begin(c);
    if (PFC__UNLIKELY(pfc__bound.on)) {
        if (matched) chosen = matched->from, chosen_tag = matched->tag;
        else pfc__hold_receive(c, in, &chosen, &chosen_tag, comm);
        held_post = pfc__hold_post(c->begin);
        post.at = &held_post;
        if (!matched) post.number = pfc__stream_post(in, comm, from, tag, room, c, &held_post); /* behind those that come first */
        pfc__receive_announce(in, chosen, chosen_tag, matched != 0, &post);
    }
    error = copied ? pfc__receive_by(&copy, PFC__PIGGY + room, MPI_BYTE, chosen, chosen_tag, comm, matched, status)
            : bare ? pfc__receive_by(buffer, count, type, chosen, chosen_tag, comm, matched, status)
                   : pfc__receive_by(&span->piggy, 1, span->type, chosen, chosen_tag, comm, matched, status);
    pfc__call_end(c);
    wire = pfc__status_bytes(status);
    bytes = error && bare ? wire : wire - PFC__PIGGY;
    if (PFC__UNLIKELY((pfc__may_be_bare(wire) || bare) && !error)) {
        pfc__landing_t l = { buffer, room, &copy, span, copied, 0, 0, matched != 0 };
        bytes = pfc__landed(&l, in, status, wire, post.number.k, &apart);
        p = &apart;
    } else if (copied && bytes > 0 && !error) memcpy(buffer, copy.bytes + PFC__PIGGY, (size_t)pfc__min(bytes, room));
    if (asked) pfc__status_set(status, bytes);
    if (PFC__UNLIKELY(error)) pfc__receive_failed(in, status, bare ? room : PFC__PIGGY + room, error, 0);
    else if (PFC__UNLIKELY(bytes > room)) error = pfc__truncated(in, comm);
    if (PFC__LIKELY(!error && bytes >= 0)) {
        if (bytes > PFC__OWN_BYTES || p->k) c->own = 0;
        if (PFC__LIKELY(p->rank != (pfc__u32)PFC__ANY_PEER)) pfc__receive_came(c, in, &post, from, tag, p, status, bytes);
    }
    if (PFC__UNLIKELY(span != 0)) pfc__span_give(span);
    return error;
}

PFC__HOT int pfc__receive(pfc__call_t *c, void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                          MPI_Status *status)
{
    pfc__type_t known;
    pfc__comm_t own, *in = pfc__comm_held(pfc__carries(buffer, count, type, from, comm, &known), &own);
    int error;
    if (PFC__LIKELY(in != 0)) return pfc__receive_carrying(c, in, buffer, count, type, &known, from, tag, comm, 0, status);
    pfc__call_begin(c);
    error = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    pfc__call_end(c);
    return error;
}

/* -------------------------------------------------- partitioned (MPI impl) ---
   Messages whose parts become ready one by one (MPI 4). The receiver depends on
   the last of them (R1, R2), and the sender on the receiver's start, where the
   library waits for it (R4). The data stay as they are; both moments travel as
   receivers' posts do (see posts), ahead of the library's own messages.

   MPI matches the n-th initialisation at one end with the n-th at the other, for
   the same communicator, tag and ranks. So both ends count them, and the starts
   of each: that is the number of the moment. */

/* Added to a communicator's number: they have streams of their own, one for each direction. */
#define PFC__PARTS_TO 0x40000000u
#define PFC__PARTS_FROM 0x80000000u
enum { PFC__PARTS_STARTS = 0xffff }; /* the lower half of the number */

static PFC__QUIET void pfc__parts_tell(const pfc__request_t *r, pfc__moment_t m)
{
    pfc__post_send(r->stream->world, &r->comm, r->tag, r->k, m, 0);
}

/* Before it starts. */
static PFC__QUIET void pfc__parts_start(pfc__request_t *r, pfc__call_t *c)
{
    pfc__mpi_lock();
    r->k = (r->k & ~(pfc__u32)PFC__PARTS_STARTS) | ((r->k + 1) & PFC__PARTS_STARTS);
    r->stream->waiting++;
    pfc__mpi_unlock();
    r->ready = 0;
    r->mine = pfc__latest_none();
    if (r->kind == PFC__PARTS_RECEIVING) pfc__parts_tell(r, pfc__call_so_far(c));
}

/* When the transfer of what was received began: both ends were there. 0: not known. */
static PFC__QUIET int pfc__parts_began(const pfc__request_t *r, pfc__moment_t *start)
{
    pfc__post_t sent;
    memset(&sent, 0, sizeof sent);
    if (!pfc__post_of(r->stream, r->k, &sent)) return 0;
    *start = pfc__both_there(r->begin, pfc__post_moment(&sent));
    return 1;
}

#if PFC__MPI_4

/* The next one is initialised. NULL: its moments don't travel. */
static PFC__QUIET pfc__stream_t *pfc__parts_stream(const pfc__comm_t *in, MPI_Comm comm, int sends, int peer, int tag, pfc__u32 *nth)
{
    pfc__stream_t *s;
    pfc__mpi_lock();
    s = in->number ? pfc__stream_of(in->number + (sends ? PFC__PARTS_TO : PFC__PARTS_FROM), peer, tag) : 0;
    if (s) *nth = ++s->posted;
    if (s && s->world < 0) s->world = pfc__world_rank(comm, peer);
    pfc__mpi_unlock();
    return s && s->world >= 0 ? s : 0;
}

/* The library has initialised it. */
static PFC__QUIET void pfc__parts_made(enum pfc__request_kind kind, int parts, pfc__i64 count, MPI_Datatype type, int peer,
                                       int tag, MPI_Comm comm, MPI_Request request)
{
    const pfc__comm_t *in = peer == MPI_PROC_NULL ? 0 : pfc__comm_carries(comm);
    int sends = kind == PFC__PARTS_SENDING;
    pfc__type_t known;
    pfc__u32 nth = 0;
    pfc__stream_t *s = in ? pfc__parts_stream(in, comm, sends, peer, tag, &nth) : 0;
    pfc__request_t *r = s && pfc__type_known(type, &known) ? pfc__request_new(kind) : 0;
    if (!r) return;
    r->persistent = 1;
    r->span = 0;
    r->comm = *in;
    r->comm.number += sends ? PFC__PARTS_FROM : PFC__PARTS_TO; /* to the other end */
    r->stream = s;
    r->tag = tag;
    r->k = nth * (PFC__PARTS_STARTS + 1u);
    r->parts = parts;
    r->bytes = parts * count * known.size;
    pfc__request_keep(r, request);
}

/* So many more parts are ready, perhaps by several threads. The last one takes the rest along. */
static PFC__QUIET void pfc__parts_ready(pfc__call_t *c, MPI_Request request, int parts)
{
    pfc__request_t *r = pfc__request_of(request);
    pfc__moment_t now;
    int all;
    if (!r || r->kind != PFC__PARTS_SENDING || !r->active || parts <= 0) return;
    now = pfc__call_so_far(c);
    pfc__mpi_lock();
    r->mine = pfc__latest_merge(r->mine, pfc__latest_of(now));
    r->ready += parts;
    all = r->ready == r->parts;
    if (all) r->begin = pfc__latest_moment(r->mine);
    pfc__mpi_unlock();
    if (all) pfc__parts_tell(r, r->begin);
}

static PFC__QUIET int pfc__psend_init(pfc__call_t *c, const void *b, int parts, MPI_Count n, MPI_Datatype type, int to, int tag,
                                      MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int error;
    pfc__call_begin(c);
    error = PMPI_Psend_init(b, parts, n, type, to, tag, comm, info, request);
    pfc__call_end(c);
    if (!error) pfc__parts_made(PFC__PARTS_SENDING, parts, n, type, to, tag, comm, *request);
    return error;
}

static PFC__QUIET int pfc__precv_init(pfc__call_t *c, void *b, int parts, MPI_Count n, MPI_Datatype type, int from, int tag,
                                      MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    int error;
    pfc__call_begin(c);
    error = PMPI_Precv_init(b, parts, n, type, from, tag, comm, info, request);
    pfc__call_end(c);
    if (!error) pfc__parts_made(PFC__PARTS_RECEIVING, parts, n, type, from, tag, comm, *request);
    return error;
}

static PFC__QUIET int pfc__parrived(pfc__call_t *c, MPI_Request request, int part, int *flag)
{
    int error;
    pfc__call_begin(c);
    error = PMPI_Parrived(request, part, flag);
    pfc__call_end(c);
    if (!error) pfc__poll_looked(c, *flag);
    return error;
}

#endif

/* -------------------------------------------------- nonblocking (MPI impl) ---
   The starts of nonblocking and persistent sends and receives, and of persistent collectives. */

typedef int pfc__isend_t(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

#ifdef PERFCOMP_SMPI /* 3.32 neither packs nor unpacks derived datatypes of persistent requests */
#  define PFC__ALWAYS_COPIED(r) (r)->persistent
#else
#  define PFC__ALWAYS_COPIED(r) 0
#endif

/* A send's data are to be packed at its start. The user may free the type of a persistent one before. */
static PFC__COLD int pfc__request_packs(pfc__request_t *r, pfc__i64 count, MPI_Datatype type)
{
    r->of = type;
    if (r->persistent && PMPI_Type_dup(type, &r->of)) return 0;
    r->packed = (int)count;
    return 1;
}

/* Gives `r` a buffer or a datatype with room for the piggyback. */
static PFC__QUIET int pfc__request_room(pfc__request_t *r, const void *buffer, pfc__i64 count, MPI_Datatype type,
                                        const pfc__type_t *known)
{
    r->bytes = count * known->size;
    r->data = (void *)(pfc__uptr)buffer;
    r->span = 0;
    if (PFC__UNLIKELY(r->overlong)) pfc__left_alone_sweep(0); /* those before it may have arrived, and their memory is free */
    r->count = (int)count;
    if (r->kind == PFC__RECEIVING && known->plain && r->bytes <= PFC__BARE_MOST) {
        r->of = type;
        return pfc__is_received_copied(known, r->bytes) ? pfc__request_copies(r) : pfc__request_memory(r, 0);
    }
    if (r->kind == PFC__SENDING) {
        r->apart = pfc__is_bare(r->bytes) && !known->pair;
        if (r->overlong || (!known->plain && PFC__ALWAYS_COPIED(r)))
            return pfc__request_copies(r) && (known->plain || pfc__request_packs(r, count, type));
        r->of = type;
        if (r->apart) return 1;
        if (known->plain && r->bytes <= PFC__BARE_MOST) return pfc__request_copies(r);
    }
    r->of = type;
    return (r->span = pfc__span_take(buffer, count, type)) != 0;
}

/* A record for a send or receive that carries a piggyback, or NULL; `mode` of a send: see pfc__send_waits. 0: no memory. */
static PFC__QUIET int pfc__request_for(pfc__request_t **r, enum pfc__request_kind kind, int mode, const void *buffer, int count,
                                       MPI_Datatype type, int peer, int tag, MPI_Comm comm, int persistent)
{
    pfc__type_t known;
    pfc__comm_t *in = pfc__carries(buffer, count, type, peer, comm, &known);
    *r = 0;
    if (PFC__UNLIKELY(!in || (pfc__is_no_tag(tag) && (kind == PFC__SENDING || tag != MPI_ANY_TAG)))) return 1;
    *r = pfc__request_new(kind);
    if (PFC__UNLIKELY(!*r)) return 0;
    (*r)->comm = *in;
    (*r)->in = comm;
    (*r)->peer = peer;
    (*r)->tag = tag;
    (*r)->persistent = persistent;
    if (kind == PFC__SENDING) {
        pfc__i64 bytes = count * known.size;
        (*r)->waits = pfc__send_waits(bytes, mode);
        (*r)->overlong = mode == 0 && pfc__overlong(bytes);
        if (pfc__is_told_apart(bytes)) (*r)->world = pfc__apart_to(in, comm, peer, tag); /* the user may free `comm` before a start */
    }
    if (PFC__LIKELY(pfc__request_room(*r, buffer, count, type, &known))) return 1;
    pfc__request_drop(*r);
    return 0;
}

PFC__HOT void *pfc__request_buffer(pfc__request_t *r)
{
    if (PFC__UNLIKELY(pfc__request_is_bare(r))) return r->data;
    if (PFC__UNLIKELY(r->copied && r->apart)) return r->copy->bytes + PFC__PIGGY;
    return r->copied ? (void *)r->copy : (void *)&r->span->piggy;
}

PFC__HOT int pfc__request_count(pfc__request_t *r)
{
    if (PFC__UNLIKELY(pfc__request_is_bare(r))) return r->count;
    return r->copied ? (int)((r->apart ? 0 : PFC__PIGGY) + r->bytes) : 1;
}

PFC__HOT MPI_Datatype pfc__request_type(pfc__request_t *r)
{
    if (PFC__UNLIKELY(pfc__request_is_bare(r))) return r->of;
    return r->copied ? MPI_BYTE : r->span->type;
}

/* The user's data into our buffer. */
static PFC__QUIET void pfc__request_copy(pfc__request_t *r)
{
    int at = 0;
    if (PFC__UNLIKELY(r->packed)) pfc__pack(r->data, r->packed, r->of, r->copy->bytes + PFC__PIGGY, (int)r->bytes, &at);
    else if (r->bytes) memcpy(r->copy->bytes + PFC__PIGGY, r->data, (size_t)r->bytes);
}

/* Before it starts: a short message may come behind its piggyback, and more of the user's buffer be written than is the user's. */
static PFC__QUIET void pfc__request_expects(pfc__request_t *r)
{
    r->apart = r->settled = 0;
    if (!pfc__request_is_bare(r)) return;
    if (r->span) pfc__prefix_hold(&r->span->prefix, r->data);
    else memcpy(r->copy, r->data, (size_t)(pfc__link.copied + PFC__PIGGY));
}

static PFC__COLD int pfc__held_keeps(const pfc__request_t *r); /* see held */

/* Before it starts: what it takes along, and what its partner must know. */
static PFC__QUIET void pfc__request_ready(pfc__request_t *r, pfc__call_t *c)
{
    if (r->kind == PFC__SENDING) {
        if (r->copied) pfc__request_copy(r);
        r->number.k = pfc__stream_send(&r->comm, r->peer, r->tag, r->waits, &r->stream);
        r->k = r->waits ? r->number.k : 0;
    } else if (r->kind == PFC__RECEIVING) {
        pfc__request_expects(r);
        r->number = PFC__UNLIKELY(pfc__bound.on) && pfc__held_keeps(r) ? pfc__not_numbered() /* it counts when it gets its message */
                  : pfc__stream_post(&r->comm, r->in, r->peer, r->tag, r->bytes, c, 0);
    } else if (r->kind != PFC__COLLECTING)
        pfc__parts_start(r, c);
}

PFC__HOT void pfc__request_stamp(pfc__request_t *r, pfc__call_t *c)
{
    if (PFC__UNLIKELY(r->kind == PFC__SENDING && pfc__is_told_apart(r->bytes)))
        pfc__apart_tell(c, &r->comm, r->world, r->tag, r->bytes, r->apart, r->number.k, r->k);
    r->begin = c->begin;
    r->active = 1;
    r->met = 0;
    if (r->kind == PFC__SENDING) pfc__piggy_write(pfc__request_piggy(r), c->begin, r->k);
}

enum { PFC__SELF_TAG = 5 };

/* Gives a ready send to the library. An overlong one is on its way in our copy, and the user gets a request that is complete;
   of a persistent one, a request for a message of ours to ourselves. (To MPI_PROC_NULL, Waitsome doesn't see it in MPICH 4.0.) */
static PFC__QUIET int pfc__isend_start(pfc__isend_t *isend, pfc__request_t *r, MPI_Request *request)
{
    int error = isend(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), r->peer, r->tag, r->in, request);
    if (error || !r->overlong) return error;
    if (r->persistent) {
        PMPI_Request_free(request);
        return PMPI_Send_init(0, 0, MPI_BYTE, pfc__mpi.rank, PFC__SELF_TAG, pfc__mpi.comm, request);
    }
    pfc__request_leave(r, *request);
    return PMPI_Isend(0, 0, MPI_BYTE, MPI_PROC_NULL, 0, r->in, request);
}

/* Who waits for this rank is to know when it is back; if it was told of the receive, or will be of the send. */
static PFC__COLD void pfc__request_awaited(pfc__request_t *r)
{
    const pfc__stream_t *s;
    if (!pfc__away_counts()) return;
    if (r->kind == PFC__RECEIVING && pfc__link.awaits && (s = pfc__stream_of(r->comm.number, r->peer, r->tag)) != 0)
        r->partner = pfc__partner_begins(s->world);
    if (r->kind == PFC__SENDING && pfc__link.pushes && pfc__is_told_apart(r->bytes)) r->partner = pfc__partner_begins(r->world);
}

PFC__HOT void pfc__request_goes(pfc__request_t *r)
{
    if (PFC__UNLIKELY(r->active && (r->k || r->number.told))) pfc__request_awaited(r);
}

/* The library has it, or has refused it. */
static PFC__QUIET void pfc__request_started(pfc__request_t *r, MPI_Request *request, int error)
{
    if (!r || (r->overlong && !r->persistent && !error)) return;
    if (error) pfc__request_drop(r);
    else {
        pfc__request_goes(r);
        pfc__request_keep(r, *request);
    }
}

static pfc__own_parts_t pfc__own_isend, pfc__own_irecv;

static PFC__QUIET int pfc__isend(pfc__call_t *c, pfc__isend_t *isend, int mode, int persistent, const void *buffer, int count,
                                 MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    pfc__request_t *r;
    int error;
    if (!pfc__request_for(&r, PFC__SENDING, mode, buffer, count, type, to, tag, comm, persistent)) return pfc__no_memory(c, comm);
    if (r && !persistent) {
        pfc__request_ready(r, c);
        c->bytes = r->bytes;
        if (r->copied && r->bytes <= PFC__OWN_BYTES && !r->waits) c->own = pfc__own_soon(&pfc__own_isend, c->tick_in);
    }
    pfc__call_begin(c);
    if (r && !persistent) pfc__request_stamp(r, c);
    error = r ? pfc__isend_start(isend, r, request)
              : isend(buffer, count, type, to, tag, comm, request);
    pfc__call_end(c);
    pfc__request_started(r, request, error);
    return error;
}

/* A receive, perhaps of what was probed for. */
PFC__HOT void pfc__request_post(pfc__request_t *r, pfc__call_t *c)
{
    pfc__request_stamp(r, c);
    r->asked = pfc__asked_before(c);
}

typedef int pfc__irecv_t(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static PFC__QUIET int pfc__irecv_start(pfc__irecv_t *irecv, pfc__request_t *r, MPI_Request *request); /* see held */
static PFC__COLD void pfc__held_started(pfc__request_t *r);
static PFC__COLD int pfc__held_cancel(pfc__request_t *r);

static PFC__QUIET int pfc__irecv(pfc__call_t *c, pfc__irecv_t *irecv, int persistent, void *buffer, int count, MPI_Datatype type,
                                 int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    pfc__request_t *r;
    int error;
    if (!pfc__request_for(&r, PFC__RECEIVING, 0, buffer, count, type, from, tag, comm, persistent)) return pfc__no_memory(c, comm);
    if (r && !persistent) {
        pfc__request_ready(r, c);
        if (r->copied && !r->number.told) c->own = pfc__own_soon(&pfc__own_irecv, c->tick_in);
    }
    pfc__call_begin(c);
    if (r && !persistent) pfc__request_post(r, c);
    error = r ? pfc__irecv_start(irecv, r, request)
              : irecv(buffer, count, type, from, tag, comm, request);
    pfc__call_end(c);
    pfc__request_started(r, request, error);
    return error;
}

/* A blocking send of an overlong message. */
static PFC__COLD int pfc__send_buffered(pfc__call_t *c, const void *buffer, int count, MPI_Datatype type, int to, int tag,
                                        MPI_Comm comm)
{
    MPI_Request request;
    int error = pfc__isend(c, PMPI_Isend, 0, 0, buffer, count, type, to, tag, comm, &request);
    if (!error) PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return error;
}

/* ---- persistent: the same record at every start */

static PFC__QUIET void pfc__collective_started(pfc__request_t *r); /* see icollectives */

/* A start of an overlong send: what was started before may still be on its way, so that this one has a buffer of its own. */
static PFC__COLD int pfc__overlong_ready(pfc__request_t *r)
{
    pfc__request_t *once;
    pfc__left_alone_sweep(0);
    once = pfc__request_new(PFC__SENDING);
    if (!once) return 0;
    once->bytes = r->bytes;
    if (!pfc__request_copies(once)) {
        pfc__request_drop(once);
        return 0;
    }
    r->beside = once;
    return 1;
}

/* The message itself goes, in the buffer that has it; `selves`: how many the library is about to send to ourselves. */
static PFC__COLD int pfc__overlong_start(pfc__request_t *r, int *selves)
{
    pfc__request_t *once = r->beside;
    pfc__copy_t *next = once->copy;
    size_t next_room = once->copy_room;
    MPI_Request handle;
    int error;
    once->copy = r->copy, once->copy_room = r->copy_room;
    r->copy = next, r->copy_room = next_room;
    error = PMPI_Isend(once->copy, pfc__request_count(once), MPI_BYTE, r->peer, r->tag, r->in, &handle);
    if (error) return error;
    r->beside = 0;
    pfc__request_leave(once, handle);
    ++*selves;
    return MPI_SUCCESS;
}

/* NULL: none of ours, or it is active. */
static PFC__QUIET pfc__request_t *pfc__to_be_started(MPI_Request request)
{
    pfc__request_t *r = pfc__request_of(request);
    return r && r->persistent && !r->active ? r : 0;
}

static PFC__QUIET int pfc__start(pfc__call_t *c, int n, MPI_Request request[], int many)
{
    pfc__request_t *r;
    int i, error = MPI_SUCCESS, selves = 0;
    for (i = 0; i < n; i++)
        if ((r = pfc__to_be_started(request[i])) != 0 && r->overlong && !r->beside && !pfc__overlong_ready(r)) return pfc__no_memory(c, r->in);
    for (i = 0; i < n; i++)
        if ((r = pfc__to_be_started(request[i])) != 0) pfc__request_ready(r, c);
    pfc__call_begin(c);
    for (i = 0; i < n && !error; i++) {
        if (!(r = pfc__to_be_started(request[i]))) continue;
        pfc__request_stamp(r, c);
        if (r->overlong) error = pfc__overlong_start(r, &selves);
        if (!pfc__request_receives(r)) c->bytes += r->bytes;
        pfc__mpi_lock();
        if (r->kind == PFC__RECEIVING) pfc__posted_add(r);
        pfc__mpi_unlock();
    }
    if (!error) error = many ? PMPI_Startall(n, request) : PMPI_Start(request);
    pfc__call_end(c);
    while (!error && selves--) PMPI_Recv(0, 0, MPI_BYTE, pfc__mpi.rank, PFC__SELF_TAG, pfc__mpi.comm, MPI_STATUS_IGNORE);
    for (i = 0; i < n && !error; i++) {
        if (!(r = pfc__request_of(request[i]))) continue;
        pfc__request_goes(r);
        if (r->kind == PFC__COLLECTING) pfc__collective_started(r);
        if (PFC__UNLIKELY(r->held != PFC__NOT_HELD)) pfc__held_started(r);
    }
    return error;
}

/* ---- send and receive at once: two requests, completed as they come */

/* Their records, as pfc__request_for. */
static PFC__QUIET int pfc__requests_for_both(pfc__request_t **in, void *receive, int receives, MPI_Datatype receive_type, int from,
                                             int receive_tag, pfc__request_t **out, const void *send, int sends,
                                             MPI_Datatype send_type, int to, int send_tag, MPI_Comm comm)
{
    if (!pfc__request_for(in, PFC__RECEIVING, 0, receive, receives, receive_type, from, receive_tag, comm, 0)) return 0;
    if (pfc__request_for(out, PFC__SENDING, 0, send, sends, send_type, to, send_tag, comm, 0)) return 1;
    if (*in) pfc__request_drop(*in);
    return 0;
}

static PFC__QUIET int pfc__complete_pair(pfc__call_t *c, MPI_Request *request, MPI_Status *status);

static PFC__QUIET int pfc__sendrecv(pfc__call_t *c, const void *send, int sends, MPI_Datatype send_type, int to, int send_tag,
                                    void *receive, int receives, MPI_Datatype receive_type, int from, int receive_tag,
                                    MPI_Comm comm, MPI_Status *status)
{
    pfc__request_t *r, *s;
    MPI_Request request[2];
    MPI_Status both[2];
    int error;
    if (!pfc__requests_for_both(&r, receive, receives, receive_type, from, receive_tag,
                                &s, send, sends, send_type, to, send_tag, comm))
        return pfc__no_memory(c, comm);
    if (s) c->bytes = s->bytes;
    if (r) pfc__request_ready(r, c);
    if (s) pfc__request_ready(s, c);
    pfc__call_begin(c);
    if (r) pfc__request_stamp(r, c);
    if (s) pfc__request_stamp(s, c);
    error = r ? pfc__irecv_start(PMPI_Irecv, r, &request[0])
              : PMPI_Irecv(receive, receives, receive_type, from, receive_tag, comm, &request[0]);
    pfc__request_started(r, &request[0], error);
    if (!error) {
        error = s ? pfc__isend_start(PMPI_Isend, s, &request[1])
                  : PMPI_Isend(send, sends, send_type, to, send_tag, comm, &request[1]);
        pfc__request_started(s, &request[1], error);
        if (error) { /* the receive is taken back */
            if (r) pfc__request_unkeep(r);
            if (r && r->held) pfc__held_cancel(r);
            PMPI_Cancel(&request[0]);
            PMPI_Wait(&request[0], MPI_STATUS_IGNORE);
            if (r) pfc__request_done(r);
        }
    } else if (s) pfc__request_drop(s);
    if (error) {
        pfc__call_end(c);
        return error;
    }
    error = pfc__complete_pair(c, request, both);
    if (from == MPI_PROC_NULL) both[0].MPI_SOURCE = MPI_PROC_NULL, both[0].MPI_TAG = MPI_ANY_TAG; /* MPICH 4.0's Irecv forgets it */
    if (error == MPI_ERR_IN_STATUS) error = both[0].MPI_ERROR ? both[0].MPI_ERROR : both[1].MPI_ERROR;
    if (status != MPI_STATUS_IGNORE) pfc__status_copy(status, &both[0]);
    return error;
}

/* -------------------------------------------------------- held (MPI impl) ---
   Nonblocking receives where messages are held back (hold.c).

   One from anybody isn't given to the library, which would take what comes
   first. The user gets the request of a message from this rank to itself; once
   it is decided which message it would have got, that is received, and the one
   to itself is sent. So is one from a single rank that another, open one from
   anybody might be before; and persistent ones, of which it isn't known yet.
   What would wait for others inside of the library is a danger: a rank that
   sends to us may wait for our receive. There they are given to it as they are. */

enum { PFC__HELD_TAG = 64, PFC__HELD_TAGS = 16384 };

static int pfc__held_open; /* receives of ours whose message hasn't been received */

static PFC__COLD int pfc__held_overlap(const pfc__request_t *a, pfc__u32 comm, int from, int tag)
{
    return a->comm.number == comm && (a->peer == from || a->peer == MPI_ANY_SOURCE || from == MPI_ANY_SOURCE) &&
           (a->tag == tag || a->tag == MPI_ANY_TAG || tag == MPI_ANY_TAG);
}

/* Whether one that began before `next` (NULL: any) is open, and may be meant by the same message. */
static PFC__COLD int pfc__held_before(const pfc__request_t *next, pfc__u32 comm, int from, int tag)
{
    const pfc__request_t *r;
    for (r = pfc__posted.next; r && r != &pfc__posted && r != next; r = r->next)
        if (r->held == PFC__HELD_OPEN && pfc__held_overlap(r, comm, from, tag)) return 1;
    return 0;
}

/* Whether the library may have given that message to one from anybody, of which it isn't known before it is complete what it has got. */
static PFC__COLD int pfc__held_may_have(const pfc__apart_t *a)
{
    const pfc__request_t *r;
    for (r = pfc__posted.next; r && r != &pfc__posted; r = r->next)
        if (r->held == PFC__HELD_RELEASED && r->peer == MPI_ANY_SOURCE && pfc__held_overlap(r, a->comm, a->rank, a->tag)) return 1;
    return 0;
}

/* Whether the first message that a receive could have may be meant for another one. What isn't here may never come: one that waits
   for it is in nobody's way. */
static PFC__COLD int pfc__held_contested(const pfc__request_t *next, const pfc__kept_apart_t *first)
{
    const pfc__apart_t *a = first ? &first->apart : 0;
    if (!a || !(pfc__held_before(next, a->comm, a->rank, a->tag) || pfc__held_may_have(a))) return 0;
    pfc__bound.fresh = 0; /* until that is decided it is looked again each time */
    return 1;
}

/* ---- a receive begins, and ends */

static PFC__COLD int pfc__held_keeps(const pfc__request_t *r)
{
    return r->peer == MPI_ANY_SOURCE || r->persistent || pfc__held_before(0, r->comm.number, r->peer, r->tag);
}

/* For its message to ourselves, which no other receive of ours is to get, however long that has been open. (Where all are taken, or
   there is no memory, it is any: looking through so many receives takes for ever anyway.) */
static PFC__COLD int pfc__held_take_tag(const pfc__request_t *r)
{
    static const pfc__request_t **last; /* that had it */
    static unsigned next;
    int tries, n = 0;
    if (!last) last = (const pfc__request_t **)calloc(PFC__HELD_TAGS, sizeof *last);
    for (tries = 0; tries < PFC__HELD_TAGS; tries++) {
        const pfc__request_t *had;
        n = (int)(next++ % PFC__HELD_TAGS);
        had = last ? last[n] : 0;
        if (!had || had->held_tag != PFC__HELD_TAG + n || had->held == PFC__NOT_HELD || !(had->active || had->persistent)) break;
    }
    if (last) last[n] = r;
    return PFC__HELD_TAG + n;
}

/* Gives it to the library, or keeps it. */
static PFC__QUIET int pfc__irecv_start(pfc__irecv_t *irecv, pfc__request_t *r, MPI_Request *request)
{
    int error;
    if (PFC__LIKELY(!pfc__bound.on) || !pfc__held_keeps(r))
        return irecv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), r->peer, r->tag, r->in, request);
    r->held_tag = pfc__held_take_tag(r);
    error = irecv(0, 0, MPI_BYTE, pfc__mpi.rank, r->held_tag, pfc__mpi.comm, request);
    if (error) return error;
    r->held = r->persistent ? PFC__HELD_IDLE : PFC__HELD_OPEN;
    r->held_since = 0;
    pfc__held_open += !r->persistent;
    return error;
}

/* It has what it gets. */
static PFC__COLD void pfc__held_ends(pfc__request_t *r, int error)
{
    r->held = PFC__HELD_GIVEN;
    r->held_error = error;
    pfc__held_open--;
    /* In virtual time it takes some: until it has come, the library has nothing complete but others, whose all our waiting would be then. */
    (PFC__ONE_PROGRAM ? PMPI_Ssend : PMPI_Send)(0, 0, MPI_BYTE, pfc__mpi.rank, r->held_tag, pfc__mpi.comm);
}

static PFC__COLD void pfc__held_give(pfc__request_t *r, pfc__kept_apart_t *kept)
{
    const pfc__apart_t *a = &r->held_apart;
    MPI_Errhandler users;
    int error;
    r->held_arrival = pfc__hold_arrival(kept, r->begin);
    r->held_apart = kept->apart; /* no other receive is to find it */
    r->held_ours = 1;
    pfc__apart_remove(kept);
    pfc__stream_other(&r->comm, a->rank, a->tag, UINT32_MAX);
    if (a->piggy.k) pfc__post_send((int)a->piggy.rank, &r->comm, a->tag, a->piggy.k, pfc__hold_post(r->begin), 0); /* its sender is about to ask */
    r->number.told = r->met = 1;
    pfc__bound_gets(a->piggy.rank);
    pfc__order.told->held += r->peer == MPI_ANY_SOURCE;
    users = pfc__errors_quiet(r->in); /* the call that completes it tells */
    error = PMPI_Recv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), a->rank, a->tag, r->in, &r->held_status);
    pfc__errors_again(r->in, users);
    pfc__held_ends(r, error);
}

/* Whether we have received its message. What the library has counts only when it is complete. */
static PFC__QUIET int pfc__held_is_ours(const pfc__request_t *r) { return r->held == PFC__HELD_GIVEN && r->held_ours; }

/* The library has it from here on: behind those that it had before. */
static PFC__COLD void pfc__held_release(pfc__request_t *r)
{
    const pfc__moment_t post = pfc__hold_post(r->begin);
    pfc__posted_remove(r);
    pfc__posted_add(r);
    r->number = pfc__stream_post(&r->comm, r->in, r->peer, r->tag, r->bytes, 0, &post);
    if (r->peer == MPI_ANY_SOURCE) pfc__order.told->undecided++;
    PMPI_Irecv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), r->peer, r->tag, r->in, &r->real);
    r->held = PFC__HELD_RELEASED;
}

static PFC__COLD void pfc__held_release_all(void)
{
    pfc__request_t *r, *next;
    for (r = pfc__posted.next; pfc__held_open && r && r != &pfc__posted; r = next) {
        next = r->next;
        if (r->held == PFC__HELD_OPEN) pfc__held_release(r);
    }
}

/* Persistent ones have started. */
static PFC__COLD void pfc__held_started(pfc__request_t *r)
{
    r->held = PFC__HELD_OPEN;
    r->held_since = 0;
    pfc__held_open++;
    if (r->peer != MPI_ANY_SOURCE && !pfc__held_before(r, r->comm.number, r->peer, r->tag)) pfc__held_release(r);
}

/* The user has freed the request of an active one: it ends as it is. */
static PFC__COLD MPI_Request pfc__held_freed(pfc__request_t *r, MPI_Request own)
{
    if (r->held == PFC__HELD_OPEN) pfc__held_release(r);
    if (r->held != PFC__HELD_RELEASED) return own;
    PMPI_Cancel(&own);
    if (r->persistent) PMPI_Request_free(&own);
    else PMPI_Wait(&own, MPI_STATUS_IGNORE);
    r->held = PFC__NOT_HELD;
    r->persistent = 0;
    pfc__held_open--;
    return r->real;
}

/* The user cancels it, or it is taken back. 0: it has its message. */
static PFC__COLD int pfc__held_cancel(pfc__request_t *r)
{
    int cancelled = 1;
    if (r->held == PFC__HELD_RELEASED) {
        PMPI_Cancel(&r->real);
        PMPI_Wait(&r->real, &r->held_status);
        PMPI_Test_cancelled(&r->held_status, &cancelled);
        r->held_ours = 0;
        if (!cancelled) pfc__held_ends(r, MPI_SUCCESS);
    } else cancelled = r->held == PFC__HELD_OPEN;
    if (!cancelled) return 0;
    r->held = PFC__HELD_IDLE;
    pfc__held_open--;
    return 1;
}

/* Of a completed one: the status of its own message instead of ours. Returns its error. */
static PFC__QUIET int pfc__held_status(pfc__request_t *r, MPI_Status *status, int error)
{
    int own = status->MPI_ERROR;
    if (r->held != PFC__HELD_GIVEN) return error;
    *status = r->held_status;
    status->MPI_ERROR = own;
    return r->held_error;
}

/* ---- decided */

/* The library has it. 0: it isn't complete. */
static PFC__COLD int pfc__held_released_is_done(pfc__request_t *r, int *error)
{
    const MPI_Comm comm = pfc__errors_of(r);
    MPI_Errhandler users = pfc__errors_quiet(comm);
    int done = 0;
    *error = PMPI_Test(&r->real, &done, &r->held_status);
    pfc__errors_again(comm, users);
    return done || *error;
}

/* Of a released one: whether the library has completed it, which is told then. */
static PFC__COLD int pfc__held_completes(pfc__request_t *r)
{
    int error;
    if (!pfc__held_released_is_done(r, &error)) return 0;
    r->held_ours = 0;
    pfc__held_ends(r, error);
    pfc__hold_look(); /* its piggyback may have come since */
    r->held_arrival = pfc__hold_known(r) ? pfc__hold_arrival(pfc__hold_known(r), r->begin) : r->begin;
    return 1;
}

static int pfc__held_stuck; /* has been told: */

/* The limit is reached, and its message can't be received: its sender has announced it, and was stopped before it sent it; or we are
   wrong about what comes next, and the program hangs. Without a word nobody would know why. */
static PFC__COLD void pfc__held_tell_stuck(const pfc__kept_apart_t *first)
{
    if (pfc__held_stuck++) return;
    pfc__note("rank %d: a message of rank %u with tag %d was announced %.3g s ago, and can't be received yet: if the program hangs here, "
              "run it without PERFCOMP_MPI_ORDER=hold", pfc__mpi.rank, first->apart.piggy.rank, first->apart.tag, (double)pfc__order.hold / 1e9);
}

/* Gives it what it is to get. 0: that can't be given yet. */
static PFC__COLD int pfc__held_decide(pfc__request_t *r)
{
    pfc__kept_apart_t *first;
    pfc__i64 misses = 0, lt;
    int late;
    if (r->held == PFC__HELD_RELEASED) return pfc__held_completes(r);
    if (r->held != PFC__HELD_OPEN) return 0;
    first = pfc__hold_first(r->comm.number, r->peer, r->tag);
    if (!first || !r->held_since) r->held_since = first ? pfc__clock() : 0;
    if (!first || pfc__held_contested(r, first)) return 0;
    pfc__bound.fresh = 0; /* until that is decided it is looked again each time: its sender may wait for it */
    lt = pfc__hold_meets(first);
    if (r->peer == MPI_ANY_SOURCE) misses = pfc__bound_misses(lt, -1, (int)first->apart.piggy.rank);
    PFC__TELL(pfc__bound.at->held, pfc__min(pfc__bound.at->held, lt));
    late = pfc__hold_is_late(r->held_since);
    if (misses && !late) return 0;
    if (!pfc__hold_is_next(first, r->tag, r->in)) {
        if (late) pfc__held_tell_stuck(first);
        return 0;
    }
    if (misses) pfc__hold_cut();
    pfc__held_give(r, first);
    return 1;
}

static PFC__COLD void pfc__held_progress(void)
{
    pfc__request_t *r;
    int given;
    do {
        pfc__hold_look();
        PFC__TELL(pfc__bound.at->held, pfc__bound.may_leave);
        given = 0;
        for (r = pfc__posted.next; pfc__held_open && r && r != &pfc__posted && !given; r = r->next) given = pfc__held_decide(r);
    } while (given);
}

/* Until a message is there that isn't for those: the library isn't to wait for it as long as they are open. `world`: whose, if that
   is known. */
static PFC__COLD void pfc__held_until(pfc__u32 number, int from, int tag, MPI_Comm comm, int world)
{
    while (pfc__held_open) {
        int there;
        pfc__held_progress();
        pfc__bound_waits_for(world); /* for one more than those have got */
        there = pfc__hold_is_there(from, tag, comm);
        pfc__hold_look();
        if (there && !pfc__held_contested(0, pfc__hold_first(number, from, tag))) break;
        pfc__hold_wait(1);
    }
}

/* ------------------------------------------------------ settle (MPI impl) ---
   What has come for a request: a receive's data to where the user wants them,
   without our piggyback, the status as the user would have it, and its sender
   told of the post. A receive may be settled before the user asks for it. */

static PFC__QUIET int pfc__was_cancelled(const MPI_Status *status)
{
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    return cancelled;
}

/* The user's data to where the user wants them, and its status; once. */
static PFC__QUIET void pfc__request_settle(pfc__request_t *r, MPI_Status *status, int error)
{
    pfc__i64 wire = pfc__status_bytes(status);
    if (!r->settled && !error && (pfc__may_be_bare(wire) || pfc__request_is_bare(r))) {
        pfc__landing_t l = { r->data, r->bytes, r->copy, r->span, r->copied, pfc__held_is_ours(r) ? &r->held_apart : 0, r, r->in == MPI_COMM_NULL };
        r->got = pfc__landed(&l, &r->comm, status, wire, r->number.k, &r->piggy);
        r->apart = 1;
    } else if (!r->settled) {
        r->got = error && pfc__request_is_bare(r) ? wire : wire - PFC__PIGGY;
        r->apart = pfc__request_is_bare(r);
        if (error && !pfc__held_is_ours(r)) pfc__receive_failed(&r->comm, status, r->apart ? r->bytes : PFC__PIGGY + r->bytes, error, r);
        if (r->copied && r->got > 0 && !error) memcpy(r->data, r->copy->bytes + PFC__PIGGY, (size_t)pfc__min(r->got, r->bytes));
    }
    r->settled = 1;
    pfc__status_set(status, r->got);
    if (r->apart && r->piggy.rank == (pfc__u32)PFC__ANY_PEER) r->got = -1;
}

/* Whether it is complete, though the user hasn't asked yet: then its data are where the user wants them. */
static PFC__QUIET int pfc__receive_settle(pfc__request_t *r, MPI_Status *status)
{
    int done = 0;
    if (pfc__request_look(r, r->handle, &done, status) || !done || pfc__was_cancelled(status)) return 0;
    pfc__request_settle(r, status, pfc__held_status(r, status, 0));
    return 1;
}

/* Receives of ours that are complete: their senders may wait to hear of them. */
static PFC__QUIET void pfc__posts_owed(void)
{
    pfc__request_t *r;
    int n = 0;
    if (pfc__mpi.threads) return; /* another thread may be completing them at this moment */
    for (r = pfc__posted.next; r && r != &pfc__posted && n < 64; r = r->next, n++) {
        MPI_Status status;
        const pfc__piggy_t *p;
        if (r->number.told || !pfc__receive_settle(r, &status)) continue;
        p = pfc__request_piggy(r);
        if (p->k) pfc__post_send((int)p->rank, &r->comm, status.MPI_TAG, p->k, r->begin, r->asked);
        r->number.told = 1;
    }
}

/* Those that such a message could have been for. */
static PFC__QUIET void pfc__receives_settle(const pfc__comm_t *in, const MPI_Status *message)
{
    pfc__request_t *r;
    if (pfc__mpi.threads || PFC__ONE_PROGRAM) return; /* as above; SimGrid says that all are complete */
    for (r = pfc__posted.next; r && r != &pfc__posted; r = r->next) {
        MPI_Status status;
        if (r->settled || r->comm.number != in->number || (r->peer != MPI_ANY_SOURCE && r->peer != message->MPI_SOURCE)) continue;
        pfc__receive_settle(r, &status);
    }
}

/* A collective's end, in the call that completes it: MPI_Request_get_status may have seen it before. */
static PFC__QUIET void pfc__request_traced(const pfc__request_t *r)
{
    if (PFC__UNLIKELY(r->traced) && pfc__is_traced()) pfc__event_completed(r->traced);
}

/* One that failed or was cancelled tells nothing. */
static PFC__QUIET void pfc__request_deliver(pfc__request_t *r, MPI_Status *status, int error)
{
    pfc__posted_t post;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__bound.vain = 0;
    if (r->kind != PFC__RECEIVING) r->got = -1;
    if (r->kind == PFC__COLLECTING) pfc__comm_idup_made(&r->making);
    if (r->kind == PFC__COLLECTING || r->kind == PFC__PARTS_RECEIVING) r->got = error ? -1 : r->bytes;
    if (r->kind != PFC__RECEIVING) return;
    error = pfc__held_status(r, status, error);
    if (pfc__was_cancelled(status)) {
        if (PFC__UNLIKELY(r->held != PFC__NOT_HELD)) pfc__held_cancel(r); /* by a binding that goes past us */
        r->got = -1;
        if (r->number.k) pfc__stream_mend(&r->comm, r->peer, r->tag, r->number.nth, r->number.k - 1); /* the next post takes its number */
        return;
    }
    pfc__request_settle(r, status, error);
    if (error) r->got = -1;
    if (r->got < 0 || r->met) return;
    post.comm = &r->comm;
    post.at = &r->begin;
    post.number = r->number;
    post.asked = r->asked;
    pfc__post_met(&post, pfc__request_piggy(r), status);
    r->met = 1;
}

/* --------------------------------------------------- handed on (MPI impl) ---
   Nonblocking collectives: what ranks give goes from rank to rank, and one that
   is to hand it on, but computes since it has begun, does so when it is back in
   the library. Which ranks hand on to which, is the library's choice; most have
   partners a power of two away. These tell one another of their absences, as
   partners in long messages do (away), and the clock shows whose a call has
   waited for. */

enum {
    PFC__CIRCLE = 2 * 31,
    PFC__CIRCLE_WHOLE = 5,            /* of so many ranks each is a power of two away from each other one */
    PFC__HANDING_PATIENCE = 50000,    /* ns: libraries hand on within some us; */
    PFC__HANDING_CROWDED = 1000000    /* where all tell of their absences, a rank that takes longer may wait for a processor */
};

/* Neighbours give to each other without; a file's data aren't handed on, and in virtual time data move by themselves. */
static PFC__QUIET int pfc__request_is_handed_on(const pfc__request_t *r)
{
    return r->kind == PFC__COLLECTING && r->rule != PFC__RULE_NEIGHBOUR && !r->in_turn && !PFC__ONE_PROGRAM;
}

/* It begins, or (`on` 0) is over. */
static PFC__QUIET void pfc__circle_turn(pfc__request_t *r, int on)
{
    int i;
    if (r->circle_on == on) return;
    r->circle_on = on;
    for (i = 0; i < r->circled; i++) {
        pfc__partner_t *p = r->circle[i];
        if (on) pfc__partner_begins(p->world);
        else pfc__partner_ends(&p);
    }
}

/* When that began by which a step of a call, from `begin` to `end`, had all that had begun at `start`: with the last rank to begin, or
   to be back and to hand on. Another may have been the last undisturbed, which ± has. */
static PFC__QUIET pfc__moment_t pfc__handed_on(const pfc__request_t *r, pfc__moment_t start, pfc__i64 begin, pfc__i64 end)
{
    pfc__moment_t last = start;
    pfc__i64 most = start.lt;
    int i;
    if (r->circled) pfc__absences_drain();
    for (i = 0; i < r->circled; i++) {
        const pfc__partner_t *p = r->circle[i];
        pfc__moment_t heard = pfc__heard_amid(&p->away, start, pfc__sent_on(start, p->world));
        if (heard.ct > end) continue; /* not from this one */
        if (heard.ct > last.ct) last = heard;
        most = pfc__max(most, heard.lt + heard.u);
    }
    if (last.ct <= begin) last = start; /* it waited for nobody who shows that it was needed */
    last.u = pfc__max(last.u, most - last.lt);
    return last;
}

/* ---------------------------------------------------- accesses (MPI impl) ---
   What one-sided communication moves. When a target answered nobody tells: it
   counts as having done so at once. Where data move inside of its MPI calls
   only, locks, unlocks, flushes, Win_complete and who waits for a request wait
   for it to come there: what they take beyond the data's way is in doubt. Nor
   does anybody tell whether data move at once or travel as messages do: that is
   told from how long a call took that completes them, and is in doubt too. */

/* What has moved since a call waited for answers: in all; at most at a time, if not at once, and when the last such left, of which
   thread. */
typedef struct pfc__moved { pfc__i64 bytes, most; pfc__moment_t last; const pfc__thread_t *of; } pfc__moved_t;
static pfc__moved_t pfc__moved;

/* Long data have been moved by a call that takes a good part of what a message would. */
static PFC__QUIET void pfc__one_sided(const pfc__call_t *c)
{
    const int at_once = c->bytes > pfc__link.eager && 4 * (c->end.ct - c->begin.ct) >= pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    pfc__mpi_lock();
    pfc__moved.bytes += c->bytes;
    if (!at_once) {
        pfc__moved.most = pfc__max(pfc__moved.most, c->bytes);
        pfc__moved.last = c->begin;
        pfc__moved.of = pfc__self;
    }
    pfc__mpi_unlock();
}

/* `most` is 0 where the last one was another thread's. */
static PFC__QUIET pfc__moved_t pfc__moved_so_far(int answered)
{
    pfc__moved_t moved;
    pfc__mpi_lock();
    moved = pfc__moved;
    if (answered) pfc__moved.bytes = pfc__moved.most = 0;
    pfc__mpi_unlock();
    if (moved.of != pfc__self) moved.most = 0;
    return moved;
}

/* What answers take from ranks that are there. */
static PFC__QUIET pfc__i64 pfc__answer_patience(pfc__i64 bytes)
{
    return PFC__AWAY_FACTOR * pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER).ns;
}

/* A call that began then may have waited for them. */
static PFC__QUIET int pfc__may_move(const pfc__moved_t *moved, pfc__moment_t begin)
{
    return moved->most && begin.lt <= moved->last.lt + pfc__answer_patience(moved->most);
}

/* What something takes at least, as far as was seen; 0: it wasn't. */
PFC__HOT void pfc__at_least_seen(pfc__i64 *least, pfc__i64 ns)
{
    if (!*least || *least > ns) *least = ns;
}

/* What data that were on their way when a call began hide of what probes have taken since they left. */
typedef struct pfc__overlap { pfc__i64 ns, u; } pfc__overlap_t;

/* Data may be there at once, or travel as messages do, or there and back: of what a message takes they took this part, the last time
   that the clock told. It isn't known better than it changes, nor how much of a way they share with others'. */
typedef struct pfc__moving { double part, off; } pfc__moving_t;
static pfc__moving_t pfc__moving = { 0, 2 };

static PFC__QUIET pfc__moving_t pfc__moving_as_known(void)
{
    pfc__moving_t known;
    pfc__mpi_lock();
    known = pfc__moving;
    pfc__mpi_unlock();
    return known;
}

static PFC__QUIET pfc__moving_t pfc__moving_learn(double part)
{
    pfc__moving_t now;
    now.part = part < 2 ? part : 2;
    pfc__mpi_lock();
    now.off = fmax(fabs(now.part - pfc__moving.part), 0.5);
    pfc__moving = now;
    pfc__mpi_unlock();
    return now;
}

/* A call that began before data could be there ended when they were (R5), and tells how long they took. One that began later, as it
   had been delayed, would have waited for them: it would have ended so much later. */
static PFC__QUIET pfc__overlap_t pfc__moved_overlap(const pfc__moved_t *moved, pfc__moment_t begin, pfc__i64 took)
{
    const pfc__moment_t left = moved->last;
    const pfc__i64 delay = begin.ct - begin.lt - (left.ct - left.lt), since = begin.lt + took - left.lt;
    pfc__overlap_t overlap = { 0, 0 };
    pfc__moving_t moving;
    pfc__i64 travel, there, off;
    if (!pfc__may_move(moved, begin)) return overlap;
    travel = pfc__travel(moved->most, (pfc__u32)PFC__ANY_PEER).ns;
    moving = begin.ct - left.ct < travel / 2 ? pfc__moving_learn((double)(begin.ct + took - left.ct) / (double)travel) : pfc__moving_as_known();
    there = pfc__round(moving.part * (double)travel);
    off = pfc__round(moving.off * (double)travel);
    overlap.ns = pfc__max(0, pfc__min(delay, there - since));
    overlap.u = pfc__max(0, pfc__min(delay, pfc__min(off, there + off - since)));
    return overlap;
}

/* What was waited from `begin` on for so many bytes: what it took beyond that is in doubt. */
static PFC__QUIET void pfc__answered(pfc__call_t *c, pfc__moment_t begin, pfc__i64 bytes, pfc__overlap_t overlap)
{
    c->end.lt += overlap.ns;
    pfc__call_doubts(c, overlap.u);
    pfc__call_unexplained(c, begin.ct + pfc__answer_patience(bytes));
}

static PFC__QUIET void pfc__answers_doubt(pfc__call_t *c)
{
    const pfc__moved_t moved = pfc__moved_so_far(1);
    pfc__answered(c, c->begin, moved.bytes, pfc__moved_overlap(&moved, c->begin, c->end.ct - c->begin.ct));
}

/* The end of an epoch, as its target sees it: it comes as an empty message does, and behind the data. */
static PFC__QUIET pfc__moment_t pfc__moved_before(pfc__moment_t end)
{
    const pfc__moved_t moved = pfc__moved_so_far(0);
    pfc__moment_t last = moved.last;
    pfc__i64 longer;
    if (!moved.most) return end;
    longer = pfc__round(pfc__moving_as_known().part * (double)pfc__travel(moved.most, (pfc__u32)PFC__ANY_PEER).ns) - pfc__travel(0, (pfc__u32)PFC__ANY_PEER).ns;
    last.ct += longer;
    last.lt += longer;
    if (last.lt <= end.lt) return end;
    last.u = end.u + last.lt - end.lt; /* if they are there at once */
    return pfc__both_there(end, last);
}

/* A request that nobody here knows has ended a wait from `begin` on: it may be that of the last access. Where something else was
   waited for as well, that is known. */
static PFC__QUIET void pfc__access_waited(pfc__call_t *c, pfc__moment_t begin, int depended)
{
    const pfc__moved_t moved = pfc__moved_so_far(0);
    pfc__overlap_t overlap;
    if (!pfc__may_move(&moved, begin)) return;
    overlap = pfc__moved_overlap(&moved, begin, c->end.ct - begin.ct);
    if (depended) pfc__call_doubts(c, overlap.u);
    else pfc__answered(c, begin, moved.most, overlap);
}

/* What has come by a row of questions brings no moment along: the answer to a one-sided call, a file's data. Questions that cost less
   would have been more questions: the row took as long as was measured, unless who answered was late for his own delay. Amid other
   work the time is the program's own, and only an answer may have come earlier. */
static PFC__COLD void pfc__access_asked_for(pfc__call_t *c, int generalized)
{
    const pfc__moved_t moved = pfc__moved_so_far(0);
    pfc__i64 ct = c->end.ct - pfc__polls->since.ct, charged = ct - (c->end.lt - pfc__polls->since.lt);
    pfc__polling = PFC__NO_POLLS;
    if (pfc__polls_amid_work(c)) {
        if (moved.most || generalized) pfc__call_doubts(c, pfc__max(0, pfc__polls->last - pfc__polls->since.lt));
    } else if (charged > 0) {
        c->end.lt += charged;
        pfc__call_doubts(c, ct);
    }
}

/* --------------------------------------------------- completion (MPI impl) ---
   Wait*, Test* and what they complete (R5, R11): LT_e = max(LT_b, all arrivals).
   A call completes its requests in steps, as they come, so that each arrival's
   own time shows. Receivers' posts are waited for only when all is received:
   otherwise two ranks that send to each other would wait for each other's. */

enum { PFC__REQUESTS_ON_STACK = 16 };

/* A send that waited, and was completed by a step from `begin` to `end_ct`. */
typedef struct pfc__sent {
    pfc__request_t *request;
    pfc__moment_t begin;
    pfc__i64 end_ct;
    pfc__i64 there; /* LT: when all was there that the step has received */
    int alone;
} pfc__sent_t;

typedef struct pfc__completion {
    pfc__call_t *call;
    int n;
    MPI_Request *request; /* the user's */
    MPI_Request *handle;  /* what they were when the call began */
    pfc__u64 kept;        /* and how many requests had a handle */
    pfc__request_t **taken; /* of several threads: their records, for this call alone; NULL: they are found by their handles */
    MPI_Status *status;   /* of one step */
    int *index;           /* of one step */
    pfc__request_t **record; /* of one step; NULL: none of ours, or an inactive one */
    pfc__sent_t *sent;
    int sents;
    int one;              /* the call completes one of them, and returns its error */
    int for_all;          /* it waits for all of them, and may wait for whoever takes part in them */
    pfc__i64 until;       /* CT: they were asked for in vain */
    void *memory;
    struct {
        MPI_Request handle[PFC__REQUESTS_ON_STACK];
        MPI_Status status[PFC__REQUESTS_ON_STACK];
        int index[PFC__REQUESTS_ON_STACK];
        pfc__request_t *record[PFC__REQUESTS_ON_STACK], *taken[PFC__REQUESTS_ON_STACK];
        pfc__sent_t sent[PFC__REQUESTS_ON_STACK];
    } few;
} pfc__completion_t;

/* Its i-th. As soon as the library has completed a request, another thread's may have its handle, of which there may be no record
   (MPI_Grequest_start). So where there are threads each call takes its records before that; but for persistent ones, which keep their
   handles: other threads may call MPI_Pready meanwhile. */
static PFC__QUIET pfc__request_t *pfc__completion_record(const pfc__completion_t *k, int i)
{
    return PFC__UNLIKELY(k->taken != 0) ? k->taken[i] : pfc__request_then(k->handle[i], k->kept);
}

static PFC__COLD void pfc__completion_take(pfc__completion_t *k)
{
    int i;
    pfc__mpi_lock();
    for (i = 0; i < k->n; i++)
        if ((k->taken[i] = pfc__request_of(k->handle[i])) != 0) k->taken[i]->taken = !k->taken[i]->persistent;
    pfc__mpi_unlock();
}

/* Those that the call hasn't completed. */
static PFC__COLD void pfc__completion_give_back(pfc__completion_t *k)
{
    int i;
    pfc__mpi_lock();
    for (i = 0; i < k->n; i++)
        if (k->taken[i]) k->taken[i]->taken = 0;
    pfc__mpi_unlock();
}

/* The library has completed the i-th: its record, for nobody else, also where others have the same handle. NULL: none of ours, or an
   inactive one. */
static PFC__QUIET pfc__request_t *pfc__completion_claim(pfc__completion_t *k, int i)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__completion_record(k, i);
    if (r && !r->active) r = 0;
    if (r && k->taken) k->taken[i] = 0, r->taken = 0;
    if (r && !r->persistent) pfc__handles_remove(&pfc__requests, &r->entry);
    pfc__mpi_unlock();
    return r;
}

static PFC__QUIET int pfc__completion_open(pfc__completion_t *k, pfc__call_t *call, int n, MPI_Request *request)
{
    k->call = call;
    k->n = n;
    k->request = request;
    k->sents = 0;
    k->one = k->for_all = 0;
    k->until = pfc__polls_until(request, n);
    k->memory = 0;
    k->handle = k->few.handle;
    k->status = k->few.status;
    k->index = k->few.index;
    k->record = k->few.record;
    k->taken = k->few.taken;
    k->sent = k->few.sent;
    if (n > PFC__REQUESTS_ON_STACK) {
        size_t many = (size_t)n;
        char *at = (char *)malloc(many * (sizeof *k->sent + sizeof *k->record + sizeof *k->taken + sizeof *k->status + sizeof *k->handle + sizeof *k->index));
        if (!at) return 0;
        k->memory = at;
        k->sent = (pfc__sent_t *)(void *)at;
        k->record = (pfc__request_t **)(void *)(k->sent + many);
        k->taken = k->record + many;
        k->handle = (MPI_Request *)(void *)(k->taken + many);
        k->status = (MPI_Status *)(void *)(k->handle + many);
        k->index = (int *)(void *)(k->status + many);
    }
    if (n > 0) memcpy(k->handle, request, (size_t)n * sizeof *request);
    if (PFC__UNLIKELY(pfc__mpi.threads)) pfc__completion_take(k);
    else k->taken = 0, k->kept = pfc__requests_kept;
    return 1;
}

/* Folds what a finished send depended on into the call's end. */
static PFC__QUIET void pfc__completion_sent(pfc__call_t *c, pfc__sent_t *s)
{
    pfc__request_t *r = s->request;
    pfc__transfer_t none = { 0, 0 };
    pfc__moment_t before = c->end, arrival;
    pfc__went_t w = pfc__sent_to(r->stream, r->k, r->begin, r->bytes, s->begin, s->end_ct);
    pfc__wait_t wait = pfc__wait_on(w.start, s->begin, pfc__wait_of(s->begin, s->end_ct, none), w.travel), nothing = { 0, 0 };
    pfc__i64 waited = wait.ns, local;
    if (!s->alone) { /* another request may have ended the step */
        s->begin.ct += wait.ns;
        wait = nothing;
    }
    arrival = pfc__arrival(w.start, s->begin, wait, w.travel);
    local = pfc__max(0, arrival.lt - c->end.lt);
    c->wait_lt += local;
    if (local > 0) c->wait_kind = PFC__LATE_RECEIVER;
    if (w.world >= 0) pfc__peer_waited((pfc__u32)w.world, s->alone ? waited : local, local); /* of several it isn't known whose `waited` was */
    c->end = pfc__end_of_call(c->end, c->end.ct, nothing, arrival);
    if (s->alone) pfc__call_doubts(c, w.away);
    pfc__call_asked_for(c, pfc__max(arrival.lt, s->there));
    c->asked_last = 0; /* once for all of them */
    if (w.world < 0) pfc__send_doubt(c, before, none);
}

/* Where a call fails, Open MPI frees all of its requests that have failed, also those of which it tells nothing, as Waitany and
   Testany do, and persistent ones. Their handles will be others'. Those are receives; in MPICH sends may share one handle. */
static PFC__COLD void pfc__requests_gone(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++) {
        pfc__request_t *r;
        if (k->handle[i] == MPI_REQUEST_NULL || k->request[i] != MPI_REQUEST_NULL) continue;
        pfc__mpi_lock();
        r = pfc__completion_record(k, i);
        if (r && r->kind != PFC__RECEIVING) r = 0;
        if (r && k->taken) k->taken[i] = 0;
        if (r) pfc__request_unkeep(r);
        pfc__mpi_unlock();
        if (r) pfc__request_end(r);
    }
}

/* `error`: the call's. */
static PFC__QUIET void pfc__completion_close(pfc__completion_t *k, int error)
{
    int i;
    for (i = 0; i < k->sents; i++) {
        pfc__completion_sent(k->call, &k->sent[i]);
        if (!k->sent[i].request->persistent) pfc__request_drop(k->sent[i].request);
    }
    if (PFC__UNLIKELY(error)) pfc__requests_gone(k);
    if (PFC__UNLIKELY(k->taken != 0)) pfc__completion_give_back(k);
    free(k->memory);
}

/* ---- one step */

typedef struct pfc__step {
    pfc__moment_t begin, arrival;
    pfc__moment_t there;    /* of the arrival: when both ranks were */
    pfc__wait_t wait;
    pfc__i64 until;         /* as the completion's; then: */
    pfc__moment_t asked;    /* when the row of questions began; amid work, by the delay at its end */
    pfc__request_t *latest; /* whose arrival that is; NULL: the step depended on nothing */
    int answered;           /* it ends a row of questions, with what brings no moment along */
} pfc__step_t;

/* The moments of the ranks that a collective depends on: see icollectives. */
static PFC__QUIET pfc__latest_t pfc__collected(pfc__request_t *r);
static PFC__QUIET int pfc__is_collecting(pfc__request_t *r);
static PFC__QUIET pfc__moment_t pfc__collecting_arrival(pfc__request_t *r, pfc__moment_t arrival, int in_vain);
static PFC__QUIET int pfc__may_collect(pfc__request_t *r);

/* Who came last, as measured, to what may let all go doesn't show whether it would have waited, of which this is the most. */
static PFC__QUIET pfc__i64 pfc__collecting_unshown(const pfc__request_t *r, pfc__latest_t latest)
{
    int is_last = latest.ct - r->begin.ct <= pfc__travel(r->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    return r->may_part == PFC__MAY_LET_GO && is_last ? pfc__max(0, latest.lt - r->begin.lt) : 0;
}

/* When that began on which a request depended that was complete at `end`; 0: on nothing. */
static PFC__QUIET int pfc__request_start(pfc__completion_t *k, pfc__request_t *r, pfc__moment_t *start)
{
    pfc__moment_t end = k->call->end;
    if (r->kind == PFC__RECEIVING) {
        pfc__sized_t size = pfc__size_look(r->got);
        if (pfc__is_own(pfc__request_piggy(r)->rank)) return 0;
        *start = pfc__received_from(pfc__request_piggy(r), r->begin, &size);
        return 1;
    }
    if (r->kind == PFC__COLLECTING) {
        pfc__latest_t latest = k->for_all || pfc__may_collect(r) ? pfc__collected(r) : pfc__latest_none();
        if (pfc__latest_is_none(latest) || (r->may_part && !pfc__latest_is_before(latest, end))) return 0;
        *start = pfc__latest_moment(latest);
        start->u += pfc__collecting_unshown(r, latest);
        if (r->may_part >= PFC__MAY_NEED_SOME)
            start->u = pfc__max(start->u, pfc__latest_off(pfc__latest_merge(latest, pfc__latest_of(r->begin)), *start));
        return 1;
    }
    return r->kind == PFC__PARTS_RECEIVING && pfc__parts_began(r, start);
}

PFC__HOT pfc__u32 pfc__request_peer(pfc__request_t *r)
{
    if (r->kind == PFC__PARTS_RECEIVING) return (pfc__u32)r->stream->world;
    return r->kind == PFC__RECEIVING ? pfc__request_piggy(r)->rank : (pfc__u32)PFC__ANY_PEER;
}

/* A collective's data move while ranks are inside of MPI. When it was first asked for in vain, all had begun it: so it has waited for
   this rank's questions, as far as one can tell. */
PFC__HOT int pfc__step_awaits_questions(const pfc__step_t *s, const pfc__request_t *r, const pfc__moment_t *start)
{
    return r->kind == PFC__COLLECTING && s->until != PFC__NEVER && s->asked.ct > start->ct;
}

/* Else, of one that was asked for in vain: its data may take many times as long as messages do. */
static PFC__QUIET pfc__transfer_t pfc__step_travel(const pfc__step_t *s, pfc__request_t *r, const pfc__moment_t *start)
{
    pfc__transfer_t travel = pfc__travel(r->got, pfc__request_peer(r));
    if (r->kind == PFC__COLLECTING && !pfc__step_awaits_questions(s, r, start)) travel.ns = pfc__max(travel.ns, s->until - start->ct);
    return travel;
}

/* It was there when the questions ended. Or it waited for another rank to be back in MPI: then some of what they took is its delay. */
static PFC__QUIET pfc__moment_t pfc__step_answer(const pfc__step_t *s, const pfc__moment_t *start)
{
    pfc__i64 took = s->until - s->asked.ct;
    pfc__moment_t m = { s->until, s->asked.lt + took, s->asked.u, 0 };
    m.u += pfc__min(took, llabs((start->ct - start->lt) - (s->asked.ct - s->asked.lt)));
    return m;
}

/* `last`: it ended the step's wait; the others had come by then. */
static PFC__QUIET void pfc__step_add(pfc__step_t *s, pfc__request_t *r, const pfc__moment_t *start, int last)
{
    pfc__transfer_t travel = pfc__step_travel(s, r, start);
    pfc__moment_t begin = s->begin, arrival;
    pfc__wait_t wait = s->wait;
    if (!last) {
        begin.ct += wait.ns;
        wait.ns = wait.u = 0;
    } else {
        wait = s->wait = pfc__wait_on(*start, begin, wait, travel);
        if (wait.ns > 0 && r->kind == PFC__RECEIVING) pfc__travel_saw(r->got, pfc__request_peer(r), begin.ct + wait.ns - start->ct);
    }
    arrival = pfc__arrival(*start, begin, wait, travel);
    if (r->kind == PFC__COLLECTING) arrival = pfc__collecting_arrival(r, arrival, s->until > start->ct);
    if (pfc__step_awaits_questions(s, r, start)) arrival = pfc__later_arrival(arrival, pfc__step_answer(s, start));
    if (!s->latest || arrival.lt > s->arrival.lt) s->latest = r, s->there = *start;
    s->arrival = pfc__later_arrival(s->arrival, arrival);
}

/* Of several that a step completed, the one that would come last by the common clock ended its wait. */
static PFC__QUIET void pfc__step_requests(pfc__completion_t *k, pfc__step_t *s, int n)
{
    pfc__moment_t start, last_start = pfc__never();
    pfc__request_t *last = 0;
    int i;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        if (!r || r->got < 0 || pfc__request_sends(r) || !pfc__request_start(k, r, &start)) continue;
        if (pfc__request_is_handed_on(r)) start = pfc__handed_on(r, start, s->begin.ct, k->call->end.ct);
        if (last && start.ct + pfc__travel(r->got, pfc__request_peer(r)).ns < last_start.ct + pfc__travel(last->got, pfc__request_peer(last)).ns) {
            pfc__step_add(s, r, &start, 0);
            continue;
        }
        if (last) pfc__step_add(s, last, &last_start, 0);
        last = r;
        last_start = start;
    }
    if (last) pfc__step_add(s, last, &last_start, 1);
}

static PFC__QUIET void pfc__completion_later(pfc__completion_t *k, const pfc__step_t *s, pfc__request_t *r, int alone)
{
    pfc__sent_t *sent = &k->sent[k->sents++];
    sent->request = r;
    sent->begin = s->begin;
    sent->end_ct = k->call->end.ct;
    sent->there = s->arrival.lt;
    sent->alone = alone;
    r->active = 0;
    pfc__partner_ends(&r->partner);
}

/* As the library does, which tells of the first. */
static PFC__COLD void pfc__step_tell(const pfc__completion_t *k, const pfc__request_t *r, int own)
{
    PMPI_Comm_call_errhandler(pfc__errors_of(r), PFC__ERRORS_BY_STATUS && !k->one ? MPI_ERR_IN_STATUS : own);
}

/* Of n that a step completed the i-th, though the library doesn't know, with an error of its `own`. */
static PFC__COLD int pfc__step_failed(pfc__completion_t *k, int i, int n, int error, int own)
{
    int j;
    if (!error) pfc__step_tell(k, k->record[i], own);
    for (j = 0; j < n && !error; j++) k->status[j].MPI_ERROR = MPI_SUCCESS;
    k->status[i].MPI_ERROR = own;
    k->record[i]->got = -1;
    return MPI_ERR_IN_STATUS;
}

static PFC__COLD void pfc__held_step(pfc__completion_t *k, int n); /* see pick */

/* A rank waits for those whom it sends long data to, too, of whom it may receive nothing. */
PFC__HOT int pfc__neighbours_wait(enum pfc__mpi_rule rule, pfc__i64 bytes)
{
    return rule == PFC__RULE_NEIGHBOUR && pfc__send_waits(bytes, 0);
}

/* A rank may have waited for those that hand data on to it, too: as libraries choose, and nobody tells; or for somebody whose moment
   isn't here; or for its receiver to look after what has come (pfc__send_unseen). */
static PFC__QUIET int pfc__request_may_wait(const pfc__request_t *r)
{
    if (r->kind == PFC__SENDING) return !r->k && pfc__may_be_unseen(r->bytes);
    if (r->kind != PFC__COLLECTING) return 0;
    return pfc__has_way((enum pfc__mpi_rule)r->rule) || pfc__neighbours_wait((enum pfc__mpi_rule)r->rule, r->bytes) ||
           r->may_part >= PFC__MAY_NEED_SOME || (r->depends && r->exchanging);
}

/* A short persistent send, which its receiver has to look at when it is back. */
PFC__HOT int pfc__request_is_looked_at(const pfc__request_t *r)
{
    return pfc__link.starts && r->kind == PFC__SENDING && r->persistent && !r->k;
}

/* How long its data may take from the last rank on; longer, they may have waited for somebody else. 0: they can't have. */
static PFC__QUIET pfc__i64 pfc__request_patience(const pfc__request_t *r)
{
    int may_wait = pfc__request_may_wait(r);
    pfc__i64 most;
    if (!may_wait && !pfc__request_is_handed_on(r) && !pfc__request_is_looked_at(r)) return 0;
    most = (32 - __builtin_clz((unsigned)pfc__mpi.size)) * pfc__travel(r->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    return may_wait ? most : pfc__max(r->circle_whole ? PFC__HANDING_CROWDED : PFC__HANDING_PATIENCE, PFC__AWAY_FACTOR * most);
}

/* What isn't explained by those of whom the rule knows may be anybody's delay. */
static PFC__QUIET void pfc__step_doubt(pfc__completion_t *k, const pfc__step_t *s, int n)
{
    pfc__call_t *c = k->call;
    pfc__i64 there = s->begin.ct, patience = 0;
    int i;
    for (i = 0; i < n; i++)
        if (k->record[i]) patience = pfc__max(patience, pfc__request_patience(k->record[i]));
    if (!patience) return;
    if (s->latest) there = pfc__max(there, s->there.ct);
    pfc__call_unexplained(c, there + patience);
}

/* Requests of which there is no record: a one-sided access, or reading and writing of a file. */
static PFC__QUIET int pfc__step_has_others(const pfc__completion_t *k, int n)
{
    int i;
    for (i = 0; i < n; i++)
        if (!k->record[i] && k->handle[k->index[i]] != MPI_REQUEST_NULL) return 1;
    return 0;
}

/* Of what the step has completed, the program may have completed some itself. */
static PFC__QUIET int pfc__step_generalized(const pfc__completion_t *k, int n)
{
    int i, some = 0;
    for (i = 0; i < n; i++)
        if (!k->record[i]) some |= pfc__generalized_end(k->handle[k->index[i]]);
    return some;
}

/* A row of questions ends with what has come; what was there in any case is one more of them. */
static PFC__COLD void pfc__step_asked(pfc__completion_t *k, pfc__step_t *s, int n)
{
    pfc__call_t *c = k->call;
    int i, came = 0;
    if (c->rule != PFC__RULE_COMPLETE) return;
    for (i = 0; i < n; i++) {
        const pfc__request_t *r = k->record[i];
        came |= r && pfc__request_depends(r) && (pfc__request_sends(r) || r->got >= 0);
    }
    s->answered = !came && s->until != PFC__NEVER && pfc__step_has_others(k, n);
    if (!came) {
        c->polls |= !s->answered;
        return;
    }
    pfc__polls_end(c);
    s->begin = c->end;
    s->asked = pfc__polls->since;
    if (c->asked_last) s->asked.lt = s->asked.ct - (s->begin.ct - s->begin.lt);
}

/* Data, statuses and records of what a step has completed. *bytes: how much was received; below zero: nothing. Returns the error. */
static PFC__QUIET int pfc__step_deliver(pfc__completion_t *k, int n, int error, pfc__i64 *bytes)
{
    int i;
    *bytes = -1;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i] = pfc__completion_claim(k, k->index[i]);
        if (!r) continue;
        pfc__request_deliver(r, &k->status[i], error == MPI_ERR_IN_STATUS ? k->status[i].MPI_ERROR : error);
        pfc__request_traced(r);
        if (PFC__UNLIKELY(r->got > r->bytes)) error = pfc__step_failed(k, i, n, error, MPI_ERR_TRUNCATE);
        if (PFC__UNLIKELY(r->held == PFC__HELD_GIVEN && r->held_error)) error = pfc__step_failed(k, i, n, error, r->held_error);
        if (r->kind == PFC__RECEIVING && r->got >= 0) {
            pfc__receive_traced(&r->comm, pfc__request_piggy(r), &k->status[i], r->got);
            pfc__order_received(k->call, r->comm.number, r->peer, r->tag, &k->status[i], r->begin.ct, pfc__request_piggy(r));
        }
        if (PFC__UNLIKELY(pfc__bound.on) && r->kind == PFC__RECEIVING && r->got >= 0 && !pfc__held_is_ours(r))
            pfc__bound_gets(pfc__request_piggy(r)->rank);
        if (pfc__request_receives(r) && r->got >= 0) *bytes = pfc__max(0, *bytes) + r->got;
    }
    return error;
}

/* For how long, and for whom, the step has waited; `polled`: in the calls before it, for the same rank. */
static PFC__QUIET void pfc__step_waited(pfc__call_t *c, const pfc__step_t *s, pfc__i64 polled)
{
    pfc__i64 waited = s->wait.ns, local = s->latest ? pfc__local_wait(s->begin, s->arrival) : 0;
    if (s->latest && s->latest->kind == PFC__RECEIVING && pfc__data_wait(pfc__request_piggy(s->latest), s->latest->got)) {
        /* as for a blocking receive */
        waited = pfc__min(waited, pfc__until_there(s->begin.ct, s->there.ct));
        local = pfc__until_there(s->begin.lt, s->there.lt);
    }
    c->wait_ct += waited;
    c->wait_lt += local;
    c->wait_u += s->latest ? pfc__doubt_since_met(s->arrival) : 0;
    if (s->latest && (local > 0 || !c->wait_kind)) c->wait_kind = s->latest->wait_kind;
    if (s->latest && pfc__request_receives(s->latest)) pfc__peer_waited(pfc__request_peer(s->latest), polled + waited, local);
    if (s->latest && s->latest->kind == PFC__COLLECTING) pfc__peers_waited(pfc__collected(s->latest).last, polled + waited, local);
}

/* Before it was posted, its message was asked for amid other work. */
static PFC__COLD void pfc__step_probed(pfc__call_t *c, pfc__request_t *r)
{
    const pfc__piggy_t *p = pfc__request_piggy(r);
    pfc__i64 there = pfc__data_wait(p, r->got) ? pfc__told_lt(p) : p->lt + pfc__travel(r->got, p->rank).ns;
    pfc__call_doubts(c, pfc__asked_too_long(r->asked, r->begin.lt, there));
}

/* The library has completed requests index[0 … n): data, statuses, and the law. Returns the error, of one request too by its status. */
static PFC__QUIET int pfc__step_take(pfc__completion_t *k, int n, int error)
{
    pfc__call_t *c = k->call;
    pfc__step_t s;
    pfc__transfer_t cost = { 0, 0 };
    pfc__i64 bytes, now, polled;
    int i, sent = 0, generalized;
    c->own = 0;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_step(k, n);
    c->tick_end = pfc__clock() - c->held;
    c->held = 0;
    now = pfc__common_ns(c->tick_end);
    s.begin = c->end;
    s.arrival = pfc__never();
    s.latest = 0;
    s.answered = 0;
    s.asked = pfc__never();
    s.until = k->until;
    error = pfc__step_deliver(k, n, error, &bytes);
    polled = c->polled_ct;
    if (PFC__UNLIKELY(pfc__polling)) pfc__step_asked(k, &s, n);
    polled = c->polled_ct - polled; /* in the calls before, for the same rank */
    if (bytes >= 0) cost = pfc__call_cost(bytes);
    s.wait = pfc__wait_of(s.begin, now, cost);
    c->end.ct = now;
    pfc__step_requests(k, &s, n);
    if (!s.latest) s.wait.ns = s.wait.u = 0; /* buffered sends: whatever it took is theirs */
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        sent |= r && pfc__request_sends(r) && r->k;
    }
    if (sent) s.wait = pfc__wait_of(s.begin, now, cost); /* settled by their receivers' posts */
    c->end = pfc__end_of_call(s.begin, now, s.wait, s.arrival);
    if (s.latest && !sent) pfc__call_asked_for(c, s.arrival.lt);
    generalized = pfc__step_generalized(k, n);
    if (PFC__UNLIKELY(s.answered)) pfc__access_asked_for(c, generalized);
    else if (PFC__UNLIKELY(generalized)) pfc__call_unexplained(c, s.latest ? s.there.ct : s.begin.ct);
    else if (PFC__UNLIKELY(pfc__step_has_others(k, n))) pfc__access_waited(c, s.begin, s.latest != 0);
    pfc__step_doubt(k, &s, n);
    pfc__step_waited(c, &s, polled);
    if (bytes > 0) c->bytes += bytes;
    for (i = 0; i < n; i++) {
        pfc__request_t *r = k->record[i];
        if (PFC__UNLIKELY(r && r->asked && r->got >= 0)) pfc__step_probed(c, r);
        if (r && pfc__request_sends(r) && r->k) pfc__completion_later(k, &s, r, n == 1);
        else if (r) pfc__request_done(r);
    }
    return error;
}

/* The same for a call that completes one. */
static PFC__QUIET int pfc__step_take_one(pfc__completion_t *k, int error)
{
    k->one = 1;
    error = pfc__step_take(k, 1, error);
    return error == MPI_ERR_IN_STATUS ? k->status[0].MPI_ERROR : error;
}

/* -------------------------------------------------------- pick (MPI impl) ---
   Completions where messages are held back (hold.c): Wait*, Test*.

   Those of some of several requests find those receives complete that would
   have been when the call began, also of receives that the library has
   completed since, or hasn't yet; where they wait, the one that would be first. */

static PFC__COLD int pfc__is_complete(const pfc__request_t *r, MPI_Request request)
{
#ifdef PERFCOMP_SMPI /* whose MPI_Request_get_status says that all are */
    const pfc__kept_apart_t *kept = r ? pfc__hold_known(r) : 0;
    (void)request;
    if (!r || r->kind != PFC__RECEIVING || !r->active) return 1;
    return r->held ? r->held == PFC__HELD_GIVEN : kept && pfc__hold_arrival(kept, r->begin).ct <= pfc__common_ns(pfc__clock());
#else
    int done = 0;
    return request == MPI_REQUEST_NULL || pfc__request_look(r, request, &done, MPI_STATUS_IGNORE) || done;
#endif
}

/* The only rank that it waits for; less than 0: it may be any. (The user may have freed another communicator by now.) */
static PFC__COLD int pfc__held_source(const pfc__request_t *r) { return r->in == MPI_COMM_WORLD && r->peer >= 0 ? r->peer : -1; }

/* Before the library waits for all of them: those of ours must come to their end, also those of other calls. */
static PFC__COLD void pfc__held_await(int n, const MPI_Request *request)
{
    const pfc__request_t *one = n == 1 ? pfc__request_of(*request) : 0;
    int i, open, world = one && one->kind == PFC__RECEIVING && one->active ? pfc__held_source(one) : -1;
    pfc__bound_waits_for(world);
    while (pfc__held_open) {
        pfc__held_progress();
        for (i = open = 0; i < n; i++) open += !pfc__is_complete(pfc__request_of(request[i]), request[i]);
        if (!open) break;
        pfc__bound_waits_for(world); /* others may have got some of its messages */
        pfc__hold_wait(1);
    }
}

/* When all of its message is there, if that is known. */
static PFC__COLD int pfc__held_arrives(const pfc__request_t *r, pfc__moment_t *arrival)
{
    const pfc__kept_apart_t *kept = r->held == PFC__HELD_GIVEN ? 0 : pfc__hold_known(r);
    if (kept) *arrival = pfc__hold_arrival(kept, r->begin);
    else if (r->held == PFC__HELD_GIVEN) *arrival = r->held_arrival;
    else return 0;
    return 1;
}

/* A step has completed n of them. If ours are among them, it took longer than their messages. */
static PFC__COLD void pfc__held_step(pfc__completion_t *k, int n)
{
    pfc__call_t *c = k->call;
    pfc__i64 latest = c->end.ct;
    int i, ours = 0;
    for (i = 0; i < n; i++) {
        const pfc__request_t *r = pfc__request_then(k->handle[k->index[i]], k->kept);
        pfc__moment_t arrival;
        if (!r || !r->active || r->kind != PFC__RECEIVING || !pfc__held_arrives(r, &arrival)) continue;
        ours |= r->held == PFC__HELD_GIVEN;
        latest = pfc__max(latest, arrival.ct);
    }
    if (ours && !c->held) pfc__hold_ends(c, latest, 0);
}

enum pfc__due { PFC__LIBRARYS, PFC__DUE, PFC__LATER, PFC__UNDECIDED, PFC__HIDDEN };

/* As pfc__held_due, of a send that waits for its receiver. Polled for, it would be complete after so many polls as its receiver
   takes in this run, with all that holds that back. */
static PFC__COLD enum pfc__due pfc__held_sent(const pfc__request_t *r, pfc__i64 lt, pfc__moment_t *arrival)
{
    pfc__sized_t size = pfc__size_look(r->bytes);
    pfc__post_t post;
    int known;
    if (PFC__ONE_PROGRAM) return PFC__LIBRARYS; /* as pfc__is_complete */
    if (!pfc__is_complete(r, r->handle)) return pfc__bound_misses(lt, r->world, -1) ? PFC__UNDECIDED : PFC__LATER;
    pfc__mpi_lock();
    pfc__posts_drain();
    known = pfc__post_find(r->stream, r->k, &post);
    pfc__mpi_unlock();
    if (!known) return PFC__LIBRARYS;
    *arrival = pfc__travelled(pfc__sent_bare(pfc__both_there(r->begin, pfc__post_moment(&post)), &size), r->bytes, (pfc__u32)post.world);
    return arrival->lt <= lt ? PFC__DUE : PFC__LATER;
}

/* Whether it would have been complete at `lt`; and when it will, if that is known. `waits`: the call does. */
static PFC__COLD enum pfc__due pfc__held_due(pfc__request_t *r, pfc__i64 lt, int waits, pfc__moment_t *arrival)
{
    const pfc__kept_apart_t *kept;
    if (r && r->kind == PFC__SENDING && r->active && r->k && !waits) return pfc__held_sent(r, lt, arrival);
    if (!r || r->kind != PFC__RECEIVING || !r->active) return PFC__LIBRARYS;
    if (!pfc__held_arrives(r, arrival) && r->held != PFC__HELD_OPEN && pfc__is_complete(r, r->handle)) {
        pfc__hold_look(); /* its piggyback may have come since */
        if (!pfc__held_arrives(r, arrival)) return PFC__LIBRARYS; /* none went ahead */
    }
    if (arrival->ct != PFC__NEVER) return arrival->lt <= lt ? PFC__DUE : PFC__LATER;
    if (pfc__bound_misses(lt, pfc__held_source(r), -1)) return PFC__UNDECIDED;
    kept = r->held == PFC__HELD_OPEN ? pfc__hold_first(r->comm.number, r->peer, r->tag) : 0;
    return kept && pfc__hold_meets(kept) <= lt ? PFC__UNDECIDED : PFC__LATER;
}

/* What a call sees of its requests: how many of each. */
typedef struct pfc__sight {
    int active, receives, due, unknown;
    int met;               /* of the due ones: by receives that the library has */
    int ready;             /* complete, of those that aren't receives; */
    int complete;          /* and of the due ones */
    int first;             /* of the later ones the one that comes first; −1: none is known to come. Then: */
    pfc__moment_t arrival;
    int there, ours;       /* the library has completed it; it is held by us */
} pfc__sight_t;

/* k->index gets enum pfc__due for each. Of a call that doesn't wait, what will be complete later needn't be asked. */
static PFC__COLD pfc__sight_t pfc__held_see(pfc__completion_t *k, int waits)
{
    pfc__sight_t s = { 0, 0, 0, 0, 0, 0, 0, -1, { 0, 0, 0, 0 }, 0, 0 };
    int i;
    for (i = 0; i < k->n; i++) {
        pfc__moment_t arrival = pfc__never();
        pfc__request_t *r = pfc__request_then(k->handle[i], k->kept);
        enum pfc__due due = pfc__held_due(r, k->call->begin.lt, waits, &arrival);
        int complete = (due == PFC__LIBRARYS || due == PFC__DUE || (waits && due == PFC__LATER)) && pfc__is_complete(r, k->handle[i]);
        k->index[i] = (int)due;
        if (k->handle[i] == MPI_REQUEST_NULL) continue;
        s.active++;
        s.receives += due != PFC__LIBRARYS;
        s.due += due == PFC__DUE;
        s.met += due == PFC__DUE && r->kind == PFC__RECEIVING && !r->held;
        s.unknown += due == PFC__UNDECIDED || (due == PFC__DUE && !complete); /* its data are still under way */
        s.ready += due == PFC__LIBRARYS && complete;
        s.complete += complete && due != PFC__LATER;
        if (due != PFC__LATER || arrival.ct == PFC__NEVER || (s.first >= 0 && arrival.lt >= s.arrival.lt)) continue;
        s.first = i;
        s.arrival = arrival;
        s.there = complete;
        s.ours = r->held != PFC__NOT_HELD;
    }
    return s;
}

/* Hides from the library what wouldn't be complete; `only` >= 0: all but that. Returns how many. */
static PFC__COLD int pfc__held_hide(pfc__completion_t *k, int only)
{
    int i, hidden = 0;
    for (i = 0; i < k->n; i++) {
        int later = k->index[i] == PFC__LATER || k->index[i] == PFC__UNDECIDED;
        if (k->handle[i] == MPI_REQUEST_NULL || (only >= 0 ? i == only : !later)) continue;
        k->index[i] = PFC__HIDDEN;
        k->request[i] = MPI_REQUEST_NULL;
        hidden++;
    }
    return hidden;
}

/* And shows it again. */
static PFC__COLD void pfc__held_show(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++)
        if (k->index[i] == PFC__HIDDEN) k->request[i] = k->handle[i];
}

/* As long as the library would have taken to find nothing complete. */
static PFC__COLD void pfc__held_polled(void)
{
    int there;
    if (!PFC__ONE_PROGRAM) PMPI_Iprobe(pfc__mpi.rank, PFC__APART_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE);
}

/* MPI ignores inactive requests, and the library says that they are complete. */
static PFC__COLD void pfc__held_ignore_inactive(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++) {
        const pfc__request_t *r = pfc__request_then(k->handle[i], k->kept);
        if (r && !r->active) k->handle[i] = MPI_REQUEST_NULL;
    }
}

/* What wasn't hidden is inactive, says the library: we have no records of receives from MPI_PROC_NULL. */
static PFC__COLD void pfc__held_ignore_shown(pfc__completion_t *k)
{
    int i;
    for (i = 0; i < k->n; i++)
        if (k->index[i] != PFC__HIDDEN) k->handle[i] = MPI_REQUEST_NULL;
    pfc__bound.may_leave = INT64_MAX;
}

/* For a call that completes some of its requests: hides those that wouldn't be complete when it began, or, where it waits, but for
   the one that would be first. Returns how many. */
static PFC__COLD int pfc__held_pick(pfc__completion_t *k, int waits)
{
    pfc__call_t *c = k->call;
    int seen = pfc__bound.fresh;
    pfc__i64 since = 0; /* tick: there has been something to decide */
    pfc__held_ignore_inactive(k);
    if (!waits) pfc__bound_polls(c->begin.lt);
    for (;;) {
        pfc__sight_t s;
        int any, late = pfc__hold_is_late(since);
        if (waits || !pfc__bound.fresh) pfc__held_progress();
        s = pfc__held_see(k, waits);
        any = s.due || s.ready;
        if (!since && (any || !waits || s.there)) since = pfc__clock();
        if (any || !waits) pfc__bound_polls(c->begin.lt);
        pfc__bound.vain = !waits;
        if (!s.active || (!s.receives && (!waits || s.ready || !pfc__held_open))) {
            if (pfc__held_open) pfc__bound.fresh = 0; /* nothing here will ask again what has come, and others may wait for that */
            return 0;
        }
        if (any || !waits) {
            if (!s.unknown || (late && (s.complete || !waits))) {
                if (s.unknown) pfc__hold_cut();
                if (s.due || !waits) pfc__hold_ends(c, c->begin.ct, s.met);
                if (!waits) pfc__held_polled();
                return pfc__held_hide(k, -1);
            }
        } else if (s.first >= 0 && s.there) {
            int decided = !s.unknown && !pfc__bound_misses(s.arrival.lt, -1, -1);
            if (decided || late) {
                if (!decided) pfc__hold_cut();
                pfc__hold_ends(c, s.arrival.ct, !s.ours);
                return pfc__held_hide(k, s.first);
            }
        }
        if (waits || !seen) pfc__hold_wait(1);
        pfc__bound.fresh = seen = 0;
    }
}

/* For a call that only looks at one. */
static PFC__COLD int pfc__held_hides(pfc__call_t *c, MPI_Request request)
{
    pfc__completion_t k;
    pfc__completion_open(&k, c, 1, &request);
    return pfc__held_pick(&k, 0);
}

/* -------------------------------------------------- wait calls (MPI impl) ---
   Wait*, Test*: what the library says is complete goes to completion's steps,
   and to the user. Where messages are held back, pick tells what is complete. */

/* As pick, of a call that only tests or waits for some; 0 where nothing is hidden. */
PFC__HOT int pfc__hides(pfc__completion_t *k, int waits) { return PFC__UNLIKELY(pfc__bound.on) ? pfc__held_pick(k, waits) : 0; }

static pfc__own_parts_t pfc__own_completion;

/* For few requests, what is done before the library's call is always as much; and what follows, until one has come. */
static PFC__QUIET void pfc__completion_begin(pfc__call_t *c, int n)
{
    if (n <= PFC__REQUESTS_ON_STACK) c->own = pfc__own_soon(&pfc__own_completion, c->tick_in);
    pfc__call_begin(c);
    c->end = c->begin;
}

/* It has completed nothing; if it only `asks`, something may come. */
static PFC__QUIET void pfc__completion_none(const pfc__completion_t *k, int asks)
{
    pfc__call_end(k->call);
    if (!asks) return;
    pfc__poll_in_vain(k->call);
    pfc__polls_asked(k->call, k->request, k->n);
}

static PFC__QUIET int pfc__wait_for(pfc__call_t *c, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    int error;
    pfc__completion_open(&k, c, 1, request);
    k.index[0] = 0;
    k.for_all = 1;
    pfc__completion_begin(c, 1);
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_await(1, request);
    error = PMPI_Wait(request, &k.status[0]);
    error = pfc__step_take_one(&k, error);
    pfc__completion_close(&k, error);
    if (status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    return error;
}

static PFC__QUIET int pfc__test(pfc__call_t *c, MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error = MPI_SUCCESS;
    pfc__completion_open(&k, c, 1, request);
    pfc__completion_begin(c, 1);
    if (pfc__hides(&k, 0)) pfc__held_show(&k), *flag = 0;
    else error = PMPI_Test(request, flag, &k.status[0]);
    k.index[0] = 0;
    if (*flag) error = pfc__step_take_one(&k, error);
    else pfc__completion_none(&k, !error);
    pfc__completion_close(&k, error);
    if (*flag && status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    return error;
}

/* Waitany; with a flag: Testany. A call that the library refuses tells no index. */
static PFC__QUIET int pfc__any(pfc__call_t *c, int n, MPI_Request *request, int *index, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error, done, at, hidden, none;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    do {
        hidden = pfc__hides(&k, !flag);
        at = -1;
        error = flag ? PMPI_Testany(n, request, &at, flag, &k.status[0]) : PMPI_Waitany(n, request, &at, &k.status[0]);
        none = hidden && !flag && !error && at == MPI_UNDEFINED;
        if (none) pfc__held_ignore_shown(&k);
        if (hidden) pfc__held_show(&k);
    } while (PFC__UNLIKELY(none));
    if (hidden && flag && at == MPI_UNDEFINED) *flag = 0;
    if (at != -1) *index = at;
    done = at != -1 && (!flag || *flag);
    k.index[0] = at;
    if (done && at != MPI_UNDEFINED) error = pfc__step_take_one(&k, error);
    else pfc__completion_none(&k, !done && !error);
    if (done && status != MPI_STATUS_IGNORE) pfc__status_copy(status, &k.status[0]);
    pfc__completion_close(&k, error);
    return error;
}

/* Waitsome, Testsome */
static PFC__QUIET int pfc__some(pfc__call_t *c, int blocking, int n, MPI_Request *request, int *done, int *index, MPI_Status *status)
{
    pfc__completion_t k;
    int error, i, hidden, none;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    do {
        hidden = pfc__hides(&k, blocking);
        pfc__statuses_untold(k.status, n);
        error = blocking ? PMPI_Waitsome(n, request, done, index, k.status) : PMPI_Testsome(n, request, done, index, k.status);
        none = hidden && blocking && !error && *done == MPI_UNDEFINED;
        if (none) pfc__held_ignore_shown(&k);
        if (hidden) pfc__held_show(&k);
    } while (PFC__UNLIKELY(none));
    if (hidden && *done == MPI_UNDEFINED) *done = 0;
    if ((!error || error == MPI_ERR_IN_STATUS) && *done != MPI_UNDEFINED && *done > 0) {
        memcpy(k.index, index, (size_t)*done * sizeof *index);
        error = pfc__step_take(&k, *done, error);
        for (i = 0; status != MPI_STATUSES_IGNORE && i < *done; i++) pfc__status_tell(&status[i], &k.status[i]);
    } else pfc__completion_none(&k, !blocking && !error && *done == 0);
    pfc__completion_close(&k, error);
    return error;
}

/* The status of a request that isn't active, as a call tells it that completes several. */
static PFC__QUIET void pfc__status_empty(MPI_Status *status)
{
    MPI_Request none = MPI_REQUEST_NULL;
    PMPI_Waitall(1, &none, status);
}

/* How many of them are requests; the status of those that aren't is known at once. */
static PFC__QUIET int pfc__requests_there(int n, const MPI_Request *request, MPI_Status *status)
{
    int i, there = 0;
    for (i = 0; i < n; i++) {
        if (request[i] != MPI_REQUEST_NULL) there++;
        else if (status != MPI_STATUSES_IGNORE) pfc__status_empty(&status[i]);
    }
    return there;
}

/* A step of Waitall is done: the user's statuses, and what is left for the next ones. */
static PFC__QUIET void pfc__step_given(pfc__completion_t *k, int done, int error, MPI_Status *status)
{
    int i;
    for (i = 0; i < done; i++) {
        int at = k->index[i], own = error ? k->status[i].MPI_ERROR : MPI_SUCCESS;
        k->handle[at] = k->request[at];
        k->request[at] = MPI_REQUEST_NULL; /* to MPICH 4.0 an inactive persistent collective is complete */
        if (status == MPI_STATUSES_IGNORE) continue;
        status[at] = k->status[i];
        status[at].MPI_ERROR = own;
    }
}

/* The first, from the at-th on, that must be waited for in its turn, as Waitall does: k->n if none is left. */
static PFC__COLD int pfc__in_turn(const pfc__completion_t *k, int at)
{
    for (; at < k->n; at++) {
        const pfc__request_t *r = pfc__completion_record(k, at);
        if (r && r->in_turn) break;
    }
    return at;
}

/* Waits for some of Waitall's: as Waitsome. *at: where those begin that have their turn. */
static PFC__QUIET int pfc__wait_for_some(pfc__completion_t *k, int *at, int *done)
{
    int error;
    if (PFC__LIKELY(!__atomic_load_n(&pfc__requests_in_turn, __ATOMIC_RELAXED)) || (*at = pfc__in_turn(k, *at)) == k->n)
        return PMPI_Waitsome(k->n, k->request, done, k->index, k->status);
    k->index[0] = *at;
    error = PMPI_Wait(&k->request[*at], &k->status[0]);
    *done = 1;
    k->status[0].MPI_ERROR = error;
    return error ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

/* Of the `done` ones those are put off whose exchange is under way while others of Waitall's are: in the time that we waited for
   it, those come, and so it would be the program's. (Not a file's, whose status tells how much was moved.) Returns how many are left
   to be taken now. */
static PFC__QUIET int pfc__put_off(pfc__completion_t *k, int done, int *off)
{
    int i, n = 0;
    if (PFC__LIKELY(!__atomic_load_n(&pfc__requests_collect, __ATOMIC_RELAXED))) return done;
    for (i = 0; i < done; i++) {
        int at = k->index[i];
        pfc__request_t *r = pfc__completion_record(k, at);
        if (r && r->active && r->kind == PFC__COLLECTING && !r->in_turn && pfc__is_collecting(r)) {
            r->put_off = 1;
            k->request[at] = MPI_REQUEST_NULL;
            ++*off;
            continue;
        }
        k->index[n] = at;
        k->status[n++] = k->status[i];
    }
    return n;
}

/* Those again, when all others are complete: as the library left them. */
static PFC__QUIET int pfc__put_off_no_more(pfc__completion_t *k)
{
    int at, n = 0;
    for (at = 0; at < k->n; at++) {
        pfc__request_t *r = pfc__completion_record(k, at);
        if (!r || !r->put_off) continue;
        r->put_off = 0;
        if (r->persistent) k->request[at] = k->handle[at];
        pfc__status_empty(&k->status[n]);
        k->index[n++] = at;
    }
    return n;
}

/* What is complete of Waitall's since `begun`. Returns the error. */
static PFC__QUIET int pfc__take_some(pfc__completion_t *k, pfc__i64 begun, int done, int error, MPI_Status *status)
{
    k->call->end.ct = begun;
    error = pfc__step_take(k, done, error);
    pfc__step_given(k, done, error, status);
    return error;
}

/* Waitall, after its begin: step by step, what comes. `left`: how many requests there are. */
static PFC__QUIET int pfc__complete_all(pfc__completion_t *k, int left, MPI_Status *status)
{
    pfc__call_t *c = k->call;
    MPI_Request *request = k->request;
    pfc__i64 begun = c->end.ct;
    int error, result = MPI_SUCCESS, i, done, steps = 0, turn = 0, off = 0;
    k->for_all = 1;
    if (PFC__UNLIKELY(pfc__bound.on)) pfc__held_await(k->n, request);
    do {
        error = pfc__wait_for_some(k, &turn, &done);
        if ((error && error != MPI_ERR_IN_STATUS) || done == MPI_UNDEFINED || done <= 0) {
            if (error) result = error;
            break;
        }
        if (!error && done + off < left) done = pfc__put_off(k, done, &off);
        if (!done) continue;
        error = pfc__take_some(k, begun, done, error, status);
        if (error) result = error;
        steps++;
        begun = pfc__common_ns(pfc__clock()); /* since the step's end only we were at work */
    } while ((left -= done) > off);
    if (off) {
        done = pfc__put_off_no_more(k);
        error = pfc__take_some(k, begun, done, MPI_SUCCESS, status);
        if (error) result = error;
        left -= done;
        steps++;
    }
    for (i = 0; i < k->n && left && status != MPI_STATUSES_IGNORE; i++)
        if (request[i] != MPI_REQUEST_NULL) pfc__status_empty(&status[i]);
    if (k->n > 0) memcpy(request, k->handle, (size_t)k->n * sizeof *request);
    if (!steps) pfc__call_end(c);
    pfc__completion_close(k, result);
    return result;
}

/* The two of Sendrecv. */
static PFC__QUIET int pfc__complete_pair(pfc__call_t *c, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    pfc__completion_open(&k, c, 2, request); /* two have room */
    c->end = c->begin;
    return pfc__complete_all(&k, 2, status);
}

static PFC__QUIET int pfc__waitall(pfc__call_t *c, int n, MPI_Request *request, MPI_Status *status)
{
    pfc__completion_t k;
    int there;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    there = pfc__requests_there(n, request, status);
    pfc__completion_begin(c, n);
    return pfc__complete_all(&k, there, status);
}

/* Testall has failed, as MPICH does as soon as one of them has: those that are complete, with their statuses; the others'
   statuses are told now: of those that aren't complete, and, by MPICH from 4.2 on, of all: it keeps them to be asked for again.
   Returns how many there are. */
static PFC__COLD int pfc__testall_some(pfc__completion_t *k, MPI_Status *status)
{
    int i, done = 0;
    for (i = 0; i < k->n; i++) {
        pfc__request_t *r = pfc__completion_record(k, i);
        int complete = k->status[i].MPI_ERROR != MPI_ERR_PENDING, kept = k->request[i] != MPI_REQUEST_NULL && !(r && r->persistent);
        if (complete && !kept) {
            k->index[done] = i;
            k->status[done++] = k->status[i];
            continue;
        }
        if (complete && r && r->kind == PFC__RECEIVING && r->active) pfc__request_settle(r, &k->status[i], k->status[i].MPI_ERROR);
        if (status != MPI_STATUSES_IGNORE) pfc__status_tell(&status[i], &k->status[i]);
    }
    return done;
}

static PFC__QUIET int pfc__testall(pfc__call_t *c, int n, MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__completion_t k;
    int error = MPI_SUCCESS, done = 0, i;
    if (!pfc__completion_open(&k, c, n, request)) return pfc__no_memory(c, MPI_COMM_NULL);
    pfc__completion_begin(c, n);
    pfc__statuses_untold(k.status, n);
    if (pfc__hides(&k, 0)) pfc__held_show(&k), *flag = 0;
    else error = PMPI_Testall(n, request, flag, k.status);
    if (PFC__UNLIKELY(error == MPI_ERR_IN_STATUS)) done = pfc__testall_some(&k, status);
    else if (*flag && !error)
        for (; done < n; done++) k.index[done] = done;
    if (done > 0) {
        error = pfc__step_take(&k, done, error);
        for (i = 0; status != MPI_STATUSES_IGNORE && i < done; i++) pfc__status_tell(&status[k.index[i]], &k.status[i]);
    } else pfc__completion_none(&k, !*flag && !error);
    pfc__completion_close(&k, error);
    return error;
}

/* ------------------------------------------------------ others (MPI impl) ---
   Probes, and the calls that end something we keep. */

/* Pairs with their gaps: MPICH takes nothing else where it receives pairs behind a piggyback. */
static PFC__COLD int pfc__sendrecv_pairs(pfc__call_t *c, void *b, int n, MPI_Datatype type, int to, int stag, int from, int rtag,
                                         MPI_Comm comm, MPI_Status *status)
{
    MPI_Aint low, extent;
    char *copy;
    int error;
    PMPI_Type_get_extent(type, &low, &extent);
    copy = (char *)malloc((size_t)n * (size_t)extent + 1);
    if (!copy) return pfc__no_memory(c, comm);
    memcpy(copy, b, (size_t)n * (size_t)extent);
    error = pfc__sendrecv(c, copy, n, type, to, stag, b, n, type, from, rtag, comm, status);
    free(copy);
    return error;
}

/* The data are copied, and sent from the copy. */
static PFC__QUIET int pfc__sendrecv_replace(pfc__call_t *c, void *b, int n, MPI_Datatype type, int to, int stag, int from,
                                            int rtag, MPI_Comm comm, MPI_Status *status)
{
    int room = 0, used = 0, error;
    pfc__type_t known;
    char *copy;
    if (n > 0 && pfc__type_known(type, &known) && known.pair)
        return pfc__sendrecv_pairs(c, b, n, type, to, stag, from, rtag, comm, status);
    if (n < 0 || comm == MPI_COMM_NULL || type == MPI_DATATYPE_NULL || PMPI_Pack_size(n, type, comm, &room)) {
        pfc__call_begin(c);
        error = PMPI_Sendrecv_replace(b, n, type, to, stag, from, rtag, comm, status);
        pfc__call_end(c);
        return error;
    }
    copy = (char *)malloc((size_t)room + 1);
    if (!copy) return pfc__no_memory(c, comm);
    error = pfc__pack(b, n, type, copy, room, &used);
    if (!error) error = pfc__sendrecv(c, copy, used, MPI_PACKED, to, stag, b, n, type, from, rtag, comm, status);
    free(copy);
    return error;
}

/* ---- freeing and looking at requests */

static PFC__QUIET void pfc__left_ended(pfc__request_t *r)
{
    if (r->persistent) PMPI_Request_free(&r->handle);
    pfc__request_drop(r);
}

static PFC__QUIET void pfc__left_alone_sweep(int wait)
{
    pfc__request_t **at = &pfc__left_alone;
    pfc__mpi_lock();
    while (*at) {
        pfc__request_t *r = *at;
        MPI_Status status;
        int done = 0;
        if (wait) done = !PMPI_Wait(&r->handle, &status);
        else PMPI_Test(&r->handle, &done, &status);
        if (!done && !wait) { at = &r->next; continue; }
        *at = r->next;
        r->next = 0;
        if (r->kind == PFC__RECEIVING) {
            if (done) pfc__request_deliver(r, &status, 0);
            if (done && r->got >= 0) pfc__receive_traced(&r->comm, pfc__request_piggy(r), &status, r->got);
            __atomic_fetch_sub(&pfc__mpi.left_receives, 1, __ATOMIC_RELAXED);
        }
        pfc__left_ended(r);
    }
    pfc__mpi_unlock();
}

/* The record of a request that is to be freed, for nobody else. If the request `goes_on`, it is out of the table: another thread's
   send may have the same handle, and be complete before ours is freed. */
static PFC__QUIET pfc__request_t *pfc__request_to_free(MPI_Request request, int *goes_on)
{
    pfc__request_t *r;
    pfc__mpi_lock();
    r = pfc__request_of(request);
    *goes_on = r && r->active && r->kind != PFC__COLLECTING;
    if (*goes_on) pfc__request_unkeep(r);
    else if (r) pfc__request_take(r, 1);
    pfc__mpi_unlock();
    return r;
}

static PFC__QUIET int pfc__free_request(pfc__call_t *c, MPI_Request *request)
{
    int goes_on, error = MPI_SUCCESS;
    pfc__request_t *r = pfc__request_to_free(*request, &goes_on);
    if (!r) pfc__generalized_end(*request);
    pfc__call_begin(c);
    if (!goes_on) error = PMPI_Request_free(request);
    if (r && error) pfc__request_take(r, 0);
    if (r && !error) {
        pfc__mpi_lock();
        pfc__left_alone_sweep(0);
        if (!goes_on) pfc__request_unkeep(r);
        if (goes_on && r->held) *request = pfc__held_freed(r, *request); /* which may give it to the library, as one of those posted */
        pfc__posted_remove(r);
        if (goes_on) {
            pfc__request_leave(r, *request);
            *request = MPI_REQUEST_NULL;
        } else pfc__request_end(r);
        pfc__mpi_unlock();
    }
    pfc__call_end(c);
    return error;
}

/* A complete receive's data are the user's to look at. */
static PFC__QUIET int pfc__look_at_request(pfc__call_t *c, MPI_Request request, int *flag, MPI_Status *status)
{
    pfc__request_t *r = pfc__request_unshared(request);
    MPI_Status own;
    int error = MPI_SUCCESS;
    if (r && status == MPI_STATUS_IGNORE) status = &own;
    pfc__call_begin(c);
    if (PFC__UNLIKELY(pfc__bound.on) && pfc__held_hides(c, request)) *flag = 0;
    else error = PMPI_Request_get_status(request, flag, status);
    pfc__call_end(c);
    if (r && r->active && !error && *flag) pfc__request_deliver(r, status, 0);
    if (!error) pfc__poll_looked(c, *flag);
    return error;
}

#if PFC__MPI_4_1
/* Of several requests: those that are complete, up to `most`. */
typedef struct pfc__looks {
    MPI_Status *status;
    int *index, n, most, active;
} pfc__looks_t;

/* 0: no memory. */
static PFC__QUIET int pfc__looks_open(pfc__looks_t *l, int n, int most)
{
    l->n = l->active = 0;
    l->most = most;
    l->status = (MPI_Status *)malloc((size_t)pfc__max(n, 1) * (sizeof *l->status + sizeof *l->index));
    l->index = (int *)(void *)(l->status + pfc__max(n, 1));
    return l->status != 0;
}

static PFC__QUIET int pfc__looks_at(pfc__call_t *c, pfc__looks_t *l, int n, const MPI_Request *request)
{
    int i, error = MPI_SUCCESS;
    pfc__call_begin(c);
    for (i = 0; i < n && l->n < l->most && !error; i++) {
        pfc__request_t *r = pfc__request_unshared(request[i]);
        int done = 0;
        if (request[i] == MPI_REQUEST_NULL || (r && r->persistent && !r->active)) continue;
        l->active++;
        if (PFC__UNLIKELY(pfc__bound.on) && pfc__held_hides(c, request[i])) continue;
        error = PMPI_Request_get_status(request[i], &done, &l->status[l->n]);
        if (done && !error) l->index[l->n++] = i;
    }
    pfc__call_end(c);
    for (i = 0; i < l->n; i++) {
        pfc__request_t *r = pfc__request_unshared(request[l->index[i]]);
        if (r && r->active) pfc__request_deliver(r, &l->status[i], 0);
    }
    if (!error) pfc__poll_looked(c, l->n > 0);
    return error;
}

static PFC__QUIET int pfc__look_at_all(pfc__call_t *c, int n, const MPI_Request *request, int *flag, MPI_Status *status)
{
    pfc__looks_t l;
    int error, i;
    if (!pfc__looks_open(&l, n, n)) return pfc__no_memory(c, MPI_COMM_NULL);
    error = pfc__looks_at(c, &l, n, request);
    if (!error) *flag = l.n == l.active;
    for (i = 0; i < n && status != MPI_STATUSES_IGNORE && !error && *flag; i++) pfc__status_empty(&status[i]);
    for (i = 0; i < l.n && status != MPI_STATUSES_IGNORE && !error && *flag; i++) status[l.index[i]] = l.status[i];
    free(l.status);
    return error;
}

static PFC__QUIET int pfc__look_at_any(pfc__call_t *c, int n, const MPI_Request *request, int *index, int *flag, MPI_Status *status)
{
    pfc__looks_t l;
    int error;
    if (!pfc__looks_open(&l, n, 1)) return pfc__no_memory(c, MPI_COMM_NULL);
    error = pfc__looks_at(c, &l, n, request);
    if (!error) {
        *flag = l.n || !l.active;
        *index = l.n ? l.index[0] : MPI_UNDEFINED;
        if (status != MPI_STATUS_IGNORE && l.n) *status = l.status[0];
        else if (status != MPI_STATUS_IGNORE && *flag) pfc__status_empty(status);
    }
    free(l.status);
    return error;
}

static PFC__QUIET int pfc__look_at_some(pfc__call_t *c, int n, const MPI_Request *request, int *done, int *index, MPI_Status *status)
{
    pfc__looks_t l;
    int error, i;
    if (!pfc__looks_open(&l, n, n)) return pfc__no_memory(c, MPI_COMM_NULL);
    error = pfc__looks_at(c, &l, n, request);
    if (!error) *done = l.active ? l.n : MPI_UNDEFINED;
    for (i = 0; i < l.n && !error; i++) {
        index[i] = l.index[i];
        if (status != MPI_STATUSES_IGNORE) status[i] = l.status[i];
    }
    free(l.status);
    return error;
}
#endif

/* No message will be its own. */
static PFC__COLD void pfc__cancelled(pfc__request_t *r)
{
    MPI_Status status;
    int done = 0, cancelled = 0;
    if (!pfc__request_look(r, r->handle, &done, &status) && done) PMPI_Test_cancelled(&status, &cancelled);
    if (cancelled) pfc__posted_remove(r);
}

/* Of a receive whose message is held back, we know whether there is one. */
static PFC__QUIET int pfc__cancel(pfc__call_t *c, MPI_Request *request)
{
    pfc__request_t *r = PFC__UNLIKELY(pfc__bound.on) ? pfc__request_of(*request) : 0;
    int error = MPI_SUCCESS;
    pfc__call_begin(c);
    if (!r || !r->held || pfc__held_cancel(r)) error = PMPI_Cancel(request);
    if (r && !error) pfc__cancelled(r);
    pfc__call_end(c);
    return error;
}

/* ---- probes: the wait for a message is settled by its receive, which finds it there */

/* Bytes of data in a message that was probed; `matches`: by MPI_Mprobe. What receives have got isn't it. */
static PFC__QUIET pfc__i64 pfc__probed_bytes(const pfc__comm_t *in, const MPI_Status *status, int matches)
{
    pfc__i64 wire = pfc__status_bytes(status);
    pfc__apart_t a;
    if (!pfc__may_be_bare(wire)) return wire - PFC__PIGGY;
    pfc__receives_settle(in, status);
    return pfc__apart_look(0, in, status, wire, 0, matches, &a) ? pfc__apart_bytes(&a) : wire;
}

/* For whom it has waited. */
static PFC__QUIET void pfc__probe_waits(const pfc__call_t *c, MPI_Comm comm, int source)
{
    int world = c->wait_ct > 0 && source >= 0 ? pfc__world_rank(comm, source) : -1;
    if (world >= 0 && !pfc__is_own((pfc__u32)world)) pfc__peer_probed((pfc__u32)world, c->wait_ct);
}

static PFC__QUIET void pfc__probe_end(pfc__call_t *c, int found, int from, int tag, MPI_Comm comm, MPI_Status *status, int matches)
{
    const pfc__comm_t *in;
    pfc__call_end(c);
    if (!found) { pfc__poll_in_vain(c); return; }
    c->own = 0;
    in = pfc__comm_carries(comm);
    if (in) {
        pfc__wait_t wait = pfc__wait_of(c->begin, c->end.ct, pfc__call_cost(0));
        c->end = pfc__end_of_call(c->begin, c->end.ct, wait, pfc__never());
        c->wait_ct = wait.ns;
        pfc__probe_waits(c, comm, status == MPI_STATUS_IGNORE ? from : status->MPI_SOURCE);
    }
    if (pfc__polling) pfc__poll_found(c);
    if (!in || status == MPI_STATUS_IGNORE || status->MPI_SOURCE == MPI_PROC_NULL) return;
    pfc__status_set(status, pfc__probed_bytes(in, status, matches));
    if (from == MPI_ANY_SOURCE) pfc__order_probed(in->number, status, tag);
}

/* NULL: its messages aren't held back. */
PFC__HOT const pfc__comm_t *pfc__probe_holds(int from, MPI_Comm comm)
{
    return PFC__UNLIKELY(pfc__bound.on) && from != MPI_PROC_NULL ? pfc__comm_carries(comm) : 0;
}

static PFC__QUIET int pfc__probe(pfc__call_t *c, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    int error, chosen = from, chosen_tag = tag;
    pfc__call_begin(c);
    if (in) pfc__hold_receive(c, in, &chosen, &chosen_tag, comm);
    error = PMPI_Probe(chosen, chosen_tag, comm, status);
    pfc__probe_end(c, !error && from != MPI_PROC_NULL, from, tag, comm, status, 0);
    return error;
}

/* The library may find something that would have come later; but as long as it takes, it would have taken. */
static PFC__COLD int pfc__found_none(int from, int tag, MPI_Comm comm, int *flag)
{
    int error = PMPI_Iprobe(from, tag, comm, flag, MPI_STATUS_IGNORE);
    *flag = 0;
    return error;
}

static pfc__own_parts_t pfc__own_iprobe; /* that finds nothing */

static PFC__QUIET int pfc__iprobe(pfc__call_t *c, int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    int error = MPI_SUCCESS, chosen = from, chosen_tag = tag;
    c->own = pfc__own_soon(&pfc__own_iprobe, c->tick_in);
    pfc__call_begin(c);
    if (in && !pfc__hold_found(c, in, &chosen, &chosen_tag, comm)) error = pfc__found_none(from, tag, comm, flag);
    else error = PMPI_Iprobe(chosen, chosen_tag, comm, flag, status);
    pfc__probe_end(c, !error && *flag && from != MPI_PROC_NULL, from, tag, comm, status, 0);
    return error;
}

#ifndef PERFCOMP_SMPI
/* Messages between their probe and their receive: which communicator they came in, whose they are, and as which ones of their streams. */
typedef struct pfc__probed { pfc__by_handle_t entry; pfc__comm_t comm; pfc__numbered_t number; int from, tag; } pfc__probed_t;
static pfc__handles_t pfc__probed;

/* For the message that a probe may find. 0: there is no memory for it, without which nobody would know that it carries a
   piggyback. NULL: none in this communicator does. */
static PFC__QUIET int pfc__probed_for(MPI_Comm comm, pfc__probed_t **p)
{
    pfc__comm_t *in = pfc__comm_carries(comm);
    *p = in ? (pfc__probed_t *)malloc(sizeof **p) : 0;
    if (*p) (*p)->comm = *in;
    return !in || *p;
}

/* Until *message is received, if there is one. */
static PFC__QUIET void pfc__probed_keep(pfc__probed_t *p, int is_there, const MPI_Message *message)
{
    if (p && is_there && *message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC)
        pfc__handles_keep(&pfc__probed, PFC__KEY(*message), &p->entry);
    else free(p);
}

/* NULL: it carries no piggyback. */
static PFC__QUIET pfc__probed_t *pfc__probed_take(MPI_Message message)
{
    return (pfc__probed_t *)(void *)pfc__handles_take(&pfc__probed, PFC__KEY(message));
}

/* Found: it counts as received from now on, for those that come next are counted behind it. */
static PFC__QUIET void pfc__probed_matched(pfc__probed_t *p, int is_there, MPI_Comm comm, const MPI_Message *message, const MPI_Status *status)
{
    if (p && is_there && *message != MPI_MESSAGE_NO_PROC) {
        p->from = status->MPI_SOURCE;
        p->tag = status->MPI_TAG;
        p->number = pfc__stream_post(&p->comm, comm, p->from, p->tag, 0, 0, 0);
    }
    pfc__probed_keep(p, is_there, message);
}

static PFC__QUIET int pfc__mprobe(pfc__call_t *c, int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    pfc__probed_t *probed;
    MPI_Status own;
    int error, chosen = from, chosen_tag = tag;
    if (!pfc__probed_for(comm, &probed)) return pfc__no_memory(c, comm);
    if (status == MPI_STATUS_IGNORE) status = &own;
    pfc__call_begin(c);
    if (in) pfc__hold_receive(c, in, &chosen, &chosen_tag, comm);
    error = PMPI_Mprobe(chosen, chosen_tag, comm, message, status);
    pfc__probe_end(c, !error && from != MPI_PROC_NULL, from, tag, comm, status, 1);
    pfc__probed_matched(probed, !error, comm, message, status);
    return error;
}

static PFC__QUIET int pfc__improbe(pfc__call_t *c, int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                                   MPI_Status *status)
{
    const pfc__comm_t *in = pfc__probe_holds(from, comm);
    pfc__probed_t *probed;
    MPI_Status own;
    int error = MPI_SUCCESS, chosen = from, chosen_tag = tag;
    if (!pfc__probed_for(comm, &probed)) return pfc__no_memory(c, comm);
    if (status == MPI_STATUS_IGNORE) status = &own;
    pfc__call_begin(c);
    if (in && !pfc__hold_found(c, in, &chosen, &chosen_tag, comm)) error = pfc__found_none(from, tag, comm, flag);
    else error = PMPI_Improbe(chosen, chosen_tag, comm, flag, message, status);
    pfc__probe_end(c, !error && *flag && from != MPI_PROC_NULL, from, tag, comm, status, 1);
    pfc__probed_matched(probed, !error && *flag, comm, message, status);
    return error;
}

static PFC__QUIET int pfc__mrecv(pfc__call_t *c, void *b, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    pfc__type_t known;
    int error;
    pfc__probed_t *probed = n >= 0 && pfc__type_known(type, &known) ? pfc__probed_take(*message) : 0;
    if (probed) {
        const pfc__matched_t matched = { message, probed->number, probed->from, probed->tag };
        error = pfc__receive_carrying(c, &probed->comm, b, n, type, &known, 0, 0, MPI_COMM_NULL, &matched, status);
        pfc__probed_keep(probed, error == MPI_ERR_NO_MEM, message); /* not even asked for: it can be tried again */
        return error;
    }
    pfc__call_begin(c);
    error = PMPI_Mrecv(b, n, type, message, status);
    pfc__call_end(c);
    return error;
}

static PFC__QUIET int pfc__imrecv(pfc__call_t *c, void *b, int n, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    pfc__type_t known;
    pfc__request_t *r = 0;
    int error;
    pfc__probed_t *probed = n >= 0 && pfc__type_known(type, &known) ? pfc__probed_take(*message) : 0;
    if (probed) {
        r = pfc__request_new(PFC__RECEIVING);
        if (!r || !pfc__request_room(r, b, n, type, &known)) {
            if (r) pfc__request_drop(r);
            pfc__probed_keep(probed, 1, message);
            return pfc__no_memory(c, MPI_COMM_NULL);
        }
        r->comm = probed->comm;
        r->in = MPI_COMM_NULL; /* nobody knows any more */
        r->peer = r->tag = 0;
        r->number = probed->number;
        free(probed);
        pfc__request_expects(r);
    }
    pfc__call_begin(c);
    if (r) pfc__request_post(r, c);
    error = r ? PMPI_Imrecv(pfc__request_buffer(r), pfc__request_count(r), pfc__request_type(r), message, request)
              : PMPI_Imrecv(b, n, type, message, request);
    pfc__call_end(c);
    pfc__request_started(r, request, error);
    return error;
}
#endif

/* ---- freeing */

/* NULL: no exchange that was left alone goes on in `comm`. */
static PFC__QUIET pfc__request_t *pfc__left_exchange_take(MPI_Comm comm)
{
    pfc__request_t **at = &pfc__left_alone, *r;
    pfc__mpi_lock();
    while ((r = *at) != 0 && (r->kind != PFC__COLLECTING || r->in != comm)) at = &r->next;
    if (r) *at = r->next;
    pfc__mpi_unlock();
    return r;
}

/* Open MPI frees a communicator from under what still goes on in it, and then crashes. The other ranks begin their parts
   before they free theirs; a thread of this one may have to let them, so that nobody is kept by the lock meanwhile. */
static PFC__QUIET void pfc__left_exchanges_end(MPI_Comm comm)
{
    pfc__request_t *r;
    while ((r = pfc__left_exchange_take(comm)) != 0) {
        r->next = 0;
        pfc__patient_wait(&r->handle);
        pfc__left_ended(r);
    }
}

static PFC__QUIET int pfc__comm_free(pfc__call_t *c, MPI_Comm *comm, int free_it(MPI_Comm *))
{
    int error;
    pfc__held_release_all();
    pfc__left_exchanges_end(*comm);
    pfc__comm_forget(*comm); /* before another thread can be given its handle */
    pfc__call_begin(c);
    error = free_it(comm);
    pfc__call_end(c);
    if (c->rule == PFC__RULE_ANSWER) pfc__call_unexplained(c, c->begin.ct + pfc__answer_patience(0)); /* Open MPI's ranks meet there */
    return error;
}

static PFC__QUIET int pfc__type_free(pfc__call_t *c, MPI_Datatype *type)
{
    int error;
    pfc__type_forget(*type);
    pfc__call_begin(c);
    error = PMPI_Type_free(type);
    pfc__call_end(c);
    return error;
}

/* ---------------------------------------------------- buffers (MPI impl) ---
   For buffered sends. Each message that fits into the user's buffer needs room
   for its piggyback, too: the library is given a larger one of ours. */

typedef struct pfc__buffer {
    struct pfc__buffer *next;
    MPI_Comm comm; /* MPI_COMM_NULL: it's for all of the program's sends */
    void *users, *ours;
    int size;      /* the user's */
} pfc__buffer_t;

static pfc__buffer_t *pfc__buffers;

/* Where that one is kept. */
static PFC__QUIET pfc__buffer_t **pfc__buffer_at(MPI_Comm comm)
{
    pfc__buffer_t **at = &pfc__buffers;
    while (*at && (*at)->comm != comm) at = &(*at)->next;
    return at;
}

#if PFC__MPI_4_1
static PFC__QUIET int pfc__has_room_for_all(const void *users) { return users == MPI_BUFFER_AUTOMATIC; }
static PFC__QUIET int pfc__library_attach(MPI_Comm comm, void *b, int n)
{
    return comm == MPI_COMM_NULL ? PMPI_Buffer_attach(b, n) : PMPI_Comm_attach_buffer(comm, b, n);
}
static PFC__QUIET int pfc__library_detach(MPI_Comm comm, void *b, int *n)
{
    return comm == MPI_COMM_NULL ? PMPI_Buffer_detach(b, n) : PMPI_Comm_detach_buffer(comm, b, n);
}
#else
static PFC__QUIET int pfc__has_room_for_all(const void *users) { (void)users; return 0; }
static PFC__QUIET int pfc__library_attach(MPI_Comm comm, void *b, int n) { (void)comm; return PMPI_Buffer_attach(b, n); }
static PFC__QUIET int pfc__library_detach(MPI_Comm comm, void *b, int *n) { (void)comm; return PMPI_Buffer_detach(b, n); }
#endif

/* NULL: the library takes the user's own. */
static PFC__QUIET pfc__buffer_t *pfc__buffer_larger(MPI_Comm comm, void *users, int n, int *room)
{
    pfc__i64 messages = n / (MPI_BSEND_OVERHEAD > 0 ? MPI_BSEND_OVERHEAD : 32) + 1, larger = n + messages * 2 * PFC__PIGGY;
    pfc__buffer_t *b = 0;
    if (n < 0 || larger >= INT_MAX || pfc__has_room_for_all(users) || !(b = (pfc__buffer_t *)malloc(sizeof *b))) return 0;
    b->comm = comm;
    b->users = users;
    b->size = n;
    *room = (int)larger;
    if ((b->ours = malloc((size_t)larger)) != 0) return b;
    free(b);
    return 0;
}

static PFC__QUIET void pfc__buffer_end(pfc__buffer_t *b)
{
    if (b) free(b->ours);
    free(b);
}

/* comm: or MPI_COMM_NULL, as above. */
static PFC__QUIET int pfc__buffer_attach(pfc__call_t *c, MPI_Comm comm, void *users, int n)
{
    int room = 0, error;
    pfc__buffer_t *b = pfc__buffer_larger(comm, users, n, &room);
    pfc__call_begin(c);
    error = b ? pfc__library_attach(comm, b->ours, room) : pfc__library_attach(comm, users, n);
    pfc__call_end(c);
    if (error) {
        pfc__buffer_end(b);
        return error;
    }
    if (!b) return error;
    pfc__mpi_lock();
    b->next = pfc__buffers;
    pfc__buffers = b;
    pfc__mpi_unlock();
    return error;
}

static PFC__QUIET int pfc__buffer_detach(pfc__call_t *c, MPI_Comm comm, void *users, int *n)
{
    pfc__buffer_t **at, *b;
    int error;
    pfc__call_begin(c);
    error = pfc__library_detach(comm, users, n);
    pfc__call_end(c);
    pfc__call_unexplained(c, c->begin.ct + pfc__answer_patience(0)); /* until what is in the buffer has been received: nobody tells when */
    if (error) return error;
    pfc__mpi_lock();
    at = pfc__buffer_at(comm);
    if ((b = *at) != 0) *at = b->next;
    pfc__mpi_unlock();
    if (!b) return error;
    memcpy(users, &b->users, sizeof(void *));
    *n = b->size;
    pfc__buffer_end(b);
    return error;
}

/* -------------------------------------------------- clock sync (MPI impl) ---
   The common clock is rank 0's. A binomial tree hands it down: in ⌈log2 p⌉
   rounds each rank learns it from one that has it already. A rank whose reading
   always lies between its parent's readings before and after, on the same host,
   reads the same clock. Otherwise offset and drift are fitted by least squares
   to the ping-pongs with the smallest round trips (Hunold's HCA3); half of such
   a round trip, and what the fit leaves over, bound the error. A few ms at Init
   don't tell the drift of hours: clocks that were fitted are compared again, in
   collectives that all ranks come to anyway, after a second, then after twice
   as long as before, and at Finalize. */

enum {
    PFC__SYNC_TAG = 1,
    PFC__PINGS = 10, PFC__PINGS_LEAST = 3, PFC__PINGS_NS = 10000000,
    PFC__WINDOWS = 24, PFC__WINDOW_PINGS = 8, PFC__WINDOW_NS = 200000,
    PFC__SYNC_FIRST_NS = 1000000000
};

static struct {
    int fits;             /* this rank's clock is not its parent's */
    pfc__i64 tick, ns, u; /* of the first comparison with it */
    pfc__i64 next, pause; /* common ns: when all ranks compare again; 0: never */
} pfc__sync;

typedef struct pfc__clock_map { double ns_per_tick, u_rate; pfc__i64 tick0, ns0, u; } pfc__clock_map_t;
typedef struct pfc__pong { pfc__i64 tick, ns; } pfc__pong_t;
typedef struct pfc__clock_card { pfc__u64 host; pfc__i64 cycles; pfc__clock_map_t map; } pfc__clock_card_t;

static PFC__QUIET pfc__u64 pfc__host_hash(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int n = 0, i;
    pfc__u64 hash = 14695981039346656037u;
    PMPI_Get_processor_name(name, &n);
    for (i = 0; i < n; i++) hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return hash;
}

/* So many series of them. */
static PFC__QUIET void pfc__pings_answer(int child, int series)
{
    pfc__pong_t pong;
    int last;
    while (series > 0) {
        pfc__patient_receive(&last, (int)sizeof last, child, PFC__SYNC_TAG);
        series -= last;
        pong.tick = pfc__clock();
        pong.ns = pfc__common_ns(pong.tick);
        PMPI_Send(&pong, (int)sizeof pong, MPI_BYTE, child, PFC__SYNC_TAG, pfc__mpi.comm);
    }
}

/* Of `pings` the one with the smallest round trip; 0 if a reading ever lay outside of ours. Ranks that share a core
   answer when they are given it: a few must do then. */
static PFC__QUIET int pfc__pings_send(int parent, int pings, pfc__pong_t *best, pfc__i64 *before, pfc__i64 *after)
{
    pfc__pong_t pong;
    pfc__i64 first = pfc__clock(), sent, received;
    int i, same = 1, last = 0;
    *before = 0;
    *after = INT64_MAX;
    for (i = 1; !last; i++) {
        last = i == pings || (i >= PFC__PINGS_LEAST && pfc__since(first) > PFC__PINGS_NS);
        sent = pfc__clock();
        PMPI_Send(&last, (int)sizeof last, MPI_BYTE, parent, PFC__SYNC_TAG, pfc__mpi.comm);
        pfc__patient_receive(&pong, (int)sizeof pong, parent, PFC__SYNC_TAG);
        received = pfc__clock();
        if (pong.tick < sent || pong.tick > received) same = 0;
        if (received - sent >= *after - *before) continue;
        *before = sent;
        *after = received;
        *best = pong;
    }
    return same;
}

/* offset(t) = a + b·t over the windows' best ping-pongs, t in ns of one's own clock since `tick0`. */
static PFC__QUIET void pfc__clock_fit(int parent, pfc__clock_map_t *map)
{
    double t[PFC__WINDOWS], offset[PFC__WINDOWS], half, widest = 0, mean_t = 0, mean_o = 0, tt = 0, to = 0, slope, left = 0;
    double own = 1 / pfc__ticks_per_ns();
    pfc__i64 tick0 = pfc__clock(), first = 0;
    int i;
    for (i = 0; i < PFC__WINDOWS; i++) {
        pfc__pong_t pong = { 0, 0 };
        pfc__i64 before, after;
        pfc__pings_send(parent, PFC__WINDOW_PINGS, &pong, &before, &after);
        if (!i) first = pong.ns;
        half = (double)(after - before) / 2 * own;
        t[i] = ((double)(before - tick0) + (double)(after - before) / 2) * own;
        offset[i] = (double)(pong.ns - first) - t[i];
        if (half > widest) widest = half;
        mean_t += t[i] / (double)PFC__WINDOWS;
        mean_o += offset[i] / (double)PFC__WINDOWS;
        pfc__pause(PFC__WINDOW_NS);
    }
    for (i = 0; i < PFC__WINDOWS; i++) {
        tt += (t[i] - mean_t) * (t[i] - mean_t);
        to += (t[i] - mean_t) * (offset[i] - mean_o);
    }
    slope = tt > 0 ? to / tt : 0;
    for (i = 0; i < PFC__WINDOWS; i++) {
        double rest = offset[i] - mean_o - slope * (t[i] - mean_t);
        if (fabs(rest) > left) left = fabs(rest);
    }
    map->tick0 = tick0;
    map->ns_per_tick = own * (1 + slope);
    map->ns0 = first + pfc__round(mean_o - slope * mean_t);
    map->u += pfc__round(widest + left);
    map->u_rate += 2 * (widest + left) / (t[PFC__WINDOWS - 1] - t[0] + 1);
}

static PFC__QUIET void pfc__clock_card_fill(pfc__clock_card_t *card)
{
    memset(card, 0, sizeof *card);
    card->host = pfc__host_hash();
    card->cycles = pfc__clock_is_cycles;
    card->map.ns_per_tick = pfc__mpi.ns_per_tick;
    card->map.u_rate = pfc__mpi.clock_u_rate;
    card->map.tick0 = pfc__mpi.tick0;
    card->map.ns0 = pfc__mpi.ns0;
    card->map.u = pfc__mpi.clock_u;
}

/* A straight line through the first comparison and one of now; `map`: the
   parent's. Where the round trips took so long that we know better, it stays ours. */
static PFC__QUIET void pfc__clock_refit(int parent, pfc__clock_map_t *map)
{
    pfc__clock_card_t own;
    pfc__pong_t pong = { 0, 0 };
    pfc__i64 before, after, half, since;
    pfc__pings_send(parent, PFC__PINGS, &pong, &before, &after);
    half = pfc__round((double)(after - before) / 2 * pfc__mpi.ns_per_tick);
    since = pong.ns - pfc__sync.ns;
    if (map->u + half > pfc__clock_bound(pong.ns)) {
        pfc__clock_card_fill(&own);
        *map = own.map;
        return;
    }
    map->tick0 = before + (after - before) / 2;
    map->ns0 = pong.ns;
    map->ns_per_tick = (double)since / (double)(map->tick0 - pfc__sync.tick);
    map->u += half;
    map->u_rate += 2 * (double)(half + pfc__sync.u) / (double)since;
}

static PFC__QUIET void pfc__clock_hand_down(int child, int again)
{
    pfc__clock_card_t card;
    int fits;
    pfc__clock_card_fill(&card);
    PMPI_Send(&card, (int)sizeof card, MPI_BYTE, child, PFC__SYNC_TAG, pfc__mpi.comm);
    if (!again) pfc__pings_answer(child, 1);
    pfc__patient_receive(&fits, (int)sizeof fits, child, PFC__SYNC_TAG);
    if (fits) pfc__pings_answer(child, again ? 1 : PFC__WINDOWS);
}

static PFC__QUIET int pfc__clock_is_another(int parent, const pfc__clock_card_t *theirs)
{
    pfc__clock_card_t own;
    pfc__pong_t pong;
    pfc__i64 before, after;
    int another = !pfc__pings_send(parent, PFC__PINGS, &pong, &before, &after);
    pfc__clock_card_fill(&own);
    another |= !PFC__ONE_PROGRAM && theirs->host != own.host;
    return another || theirs->cycles != own.cycles;
}

static PFC__QUIET void pfc__clock_learn(int parent, int again)
{
    pfc__clock_card_t card;
    pfc__patient_receive(&card, (int)sizeof card, parent, PFC__SYNC_TAG);
    if (!again) pfc__sync.fits = pfc__clock_is_another(parent, &card);
    PMPI_Send(&pfc__sync.fits, (int)sizeof pfc__sync.fits, MPI_BYTE, parent, PFC__SYNC_TAG, pfc__mpi.comm);
    if (pfc__sync.fits && again) pfc__clock_refit(parent, &card.map);
    else if (pfc__sync.fits) pfc__clock_fit(parent, &card.map);
    pfc__common_rate(card.map.ns_per_tick);
    pfc__mpi.clock_u_rate = card.map.u_rate;
    pfc__mpi.tick0 = card.map.tick0;
    pfc__mpi.ns0 = card.map.ns0;
    pfc__mpi.clock_u = card.map.u;
}

static PFC__QUIET void pfc__clock_pass_on(int again)
{
    int step = 1;
    while (step < pfc__mpi.size) step *= 2;
    for (step /= 2; step >= 1; step /= 2) {
        if (pfc__mpi.rank % (2 * step) == step) pfc__clock_learn(pfc__mpi.rank - step, again);
        else if (pfc__mpi.rank % (2 * step) == 0 && pfc__mpi.rank + step < pfc__mpi.size)
            pfc__clock_hand_down(pfc__mpi.rank + step, again);
    }
}

/* At Init. */
static PFC__QUIET void pfc__clock_common(void)
{
    int several;
    pfc__clock_measure_rate();
    pfc__mpi.tick0 = pfc__clock();
    pfc__mpi.ns0 = pfc__ns_of_tick(pfc__mpi.tick0);
    pfc__common_rate(1 / pfc__ticks_per_ns());
    pfc__mpi.clock_u = 0;
    pfc__mpi.clock_u_rate = 0;
    pfc__clock_pass_on(0);
    pfc__sync.tick = pfc__mpi.tick0;
    pfc__sync.ns = pfc__mpi.ns0;
    pfc__sync.u = pfc__mpi.clock_u;
    several = pfc__patient_max(pfc__sync.fits) > 0;
    if (!several || pfc__mpi.threads) return; /* other threads read the clock meanwhile */
    pfc__sync.pause = PFC__SYNC_FIRST_NS;
    pfc__sync.next = pfc__mpi.ns0 + pfc__sync.pause;
    pfc__patient_bcast(&pfc__sync.next, (int)sizeof pfc__sync.next);
}

/* In a collective of all ranks; `ct`: when its last rank came, on each of them the same. */
static PFC__QUIET void pfc__clock_again(pfc__i64 ct)
{
    if (!pfc__sync.pause || ct < pfc__sync.next) return;
    pfc__sync.pause *= 2;
    pfc__sync.next = ct + pfc__sync.pause;
    pfc__clock_pass_on(1);
}

/* At Finalize: how far the clock had strayed, and how far it might have. */
static PFC__QUIET void pfc__clock_end(pfc__mpi_job_t *job)
{
    pfc__i64 tick = pfc__clock(), before = pfc__common_ns(tick);
    if (!pfc__sync.pause) return;
    job->clock_u = pfc__clock_bound(before);
    pfc__clock_pass_on(1);
    job->clock_strayed = before - pfc__common_ns(tick);
}

/* --------------------------------------- what a rank gives (MPI impl) ---
   Bytes of user's data that a collective takes from this rank, each once, however
   many ranks it goes to: all parts where each rank gets another one, else this
   rank's own part (Bcast, Scatter and Scatterv: what comes to it). MPI_IN_PLACE: the
   other buffer's arguments tell. */

/* `in` −1: the communicator has none. */
typedef struct pfc__neighbours { int in, out; } pfc__neighbours_t;

static PFC__QUIET pfc__neighbours_t pfc__neighbours_of(MPI_Comm comm)
{
    pfc__neighbours_t n = { -1, 0 };
    int kind, weighted, rank, dimensions = 0;
    if (PMPI_Topo_test(comm, &kind)) return n;
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &dimensions);
        n.in = n.out = 2 * dimensions;
    } else if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &n.in);
        n.out = n.in;
    }
#ifndef PERFCOMP_SMPI
    else if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &n.in, &n.out, &weighted);
#else
    (void)weighted;
#endif
    return n;
}

/* Into how many parts its ranks divide what they reduce. */
static PFC__QUIET int pfc__ranks_in(MPI_Comm comm)
{
    int size = 0;
    if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &size);
    return size;
}

/* To how many each gives: the ranks of the other side, where there is one. */
static PFC__QUIET int pfc__peers_in(MPI_Comm comm)
{
    int size = 0, inter = 0;
    if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &inter);
    if (!inter) return pfc__ranks_in(comm);
    PMPI_Comm_remote_size(comm, &size);
    return size;
}

/* Of the neighbours on a grid, those beyond its border aren't there (MPI_PROC_NULL), and get nothing. */
static PFC__QUIET int pfc__is_on_grid(MPI_Comm comm, int neighbour)
{
    int kind, rank[2];
    if (PMPI_Topo_test(comm, &kind) || kind != MPI_CART) return 1;
    PMPI_Cart_shift(comm, neighbour / 2, 1, &rank[0], &rank[1]);
    return rank[neighbour % 2] != MPI_PROC_NULL;
}

static PFC__QUIET int pfc__out_neighbours(MPI_Comm comm)
{
    int i, there = 0, n = comm == MPI_COMM_NULL ? 0 : pfc__neighbours_of(comm).out;
    for (i = 0; i < n; i++) there += pfc__is_on_grid(comm, i);
    return there;
}

/* Counts are int, or MPI_Count: `width` bytes each. */
static PFC__QUIET pfc__i64 pfc__count_of(const void *counts, size_t width, int i)
{
    if (!counts) return 0;
    return width == sizeof(int) ? ((const int *)counts)[i] : (pfc__i64)((const MPI_Count *)counts)[i];
}

static PFC__QUIET pfc__i64 pfc__bytes_of_part(const void *own, pfc__i64 n, MPI_Datatype type, pfc__i64 m, MPI_Datatype others)
{
    return own == MPI_IN_PLACE ? pfc__bytes_of(m, others) : pfc__bytes_of(n, type);
}

/* Its own part, where each rank's has a count of its own. */
static PFC__QUIET pfc__i64 pfc__bytes_of_mine(const void *own, pfc__i64 n, MPI_Datatype type, const void *counts, size_t width,
                                              MPI_Datatype others, MPI_Comm comm)
{
    int rank = 0;
    if (own != MPI_IN_PLACE) return pfc__bytes_of(n, type);
    if (comm == MPI_COMM_NULL) return 0;
    PMPI_Comm_rank(comm, &rank);
    return pfc__bytes_of(pfc__count_of(counts, width, rank), others);
}

static PFC__QUIET pfc__i64 pfc__bytes_of_parts(int parts, const void *counts, size_t width, MPI_Datatype type)
{
    pfc__i64 sum = 0;
    int i;
    for (i = 0; i < parts; i++) sum += pfc__count_of(counts, width, i);
    return pfc__bytes_of(sum, type);
}

/* Where each part has a datatype of its own. */
static PFC__QUIET pfc__i64 pfc__bytes_of_types(int parts, const void *counts, size_t width, const MPI_Datatype types[])
{
    pfc__i64 sum = 0;
    int i;
    for (i = 0; types && i < parts; i++) sum += pfc__bytes_of(pfc__count_of(counts, width, i), types[i]);
    return sum;
}

#ifndef PERFCOMP_SMPI /* has no such collectives */
/* The same to neighbours; types NULL: `type` is that of all. */
static PFC__QUIET pfc__i64 pfc__bytes_to_neighbours(MPI_Comm comm, const void *counts, size_t width, MPI_Datatype type,
                                                    const MPI_Datatype types[])
{
    pfc__i64 sum = 0;
    int i, n = comm == MPI_COMM_NULL ? 0 : pfc__neighbours_of(comm).out;
    for (i = 0; i < n; i++)
        if (pfc__is_on_grid(comm, i)) sum += pfc__bytes_of(pfc__count_of(counts, width, i), types ? types[i] : type);
    return sum;
}
#endif

/* Of what this rank gives, as much as goes to one other: the last rank's are awaited, no others. */
static PFC__QUIET pfc__i64 pfc__bytes_to_one(const pfc__call_t *c, MPI_Comm comm)
{
    int parts = pfc__is_call(c, "Alltoall") ? pfc__peers_in(comm)
                : pfc__is_call(c, "Reduce_scatter") ? pfc__ranks_in(comm)
                : pfc__is_call(c, "Neighbor_alltoall") ? pfc__out_neighbours(comm) : 1;
    return c->bytes / pfc__max(parts, 1);
}

/* ---------------------------------------------------- steps (MPI impl) ---
   All-to-all in steps.

   Short data go from rank to rank in ⌈log2 p⌉ steps: by dissemination (Hensgen,
   Finkel & Manber, IJPP 17, 1988; Bruck's alltoall), or between ranks whose
   numbers differ in one bit. What is combined goes that way also where ranks
   aren't a power of two: those beyond it give theirs to their neighbours, and
   get the result from them (Thakur, Rabenseifner & Gropp, IJHPCA 19, 2005).
   Who is some steps away from the last rank ends so much later than it. Our
   exchange takes the way that most libraries would, and moments pass along it
   as the data did; each place in the program keeps to that only where it
   explains the clock far better than one end for all. A maximum may meet a
   value twice: the exchange needs no more than these steps, and a short
   Sendrecv costs less than the library's Allreduce of as much. */

typedef struct pfc__passed {
    pfc__latest_t latest;
    pfc__moment_t way;
    pfc__i64 came, left; /* CT of the first to come and to leave, negated, so that they are maxima, too */
    double off_flat, off_steps; /* of calls before, where they are most */
} pfc__passed_t;

/* How a call's data go on in a communicator. */
typedef struct pfc__steps {
    MPI_Comm comm;
    const pfc__comm_t *known;
    int rank, size;
    int hypercube;  /* between ranks whose numbers differ in one bit; or around, in a ring */
    int beyond;     /* a hypercube's: for so many ranks, the first even ones, their odd neighbours take the steps; else 0 */
    int backwards;  /* around it */
    int doubling;   /* all that has come goes on: twice as much in each step */
    pfc__i64 bytes; /* in the first one */
} pfc__steps_t;

/* Fences and the ends of windows are barriers, too: behind the data. */
static PFC__QUIET int pfc__is_barrier(const pfc__call_t *c)
{
    return pfc__is_call(c, "Barrier") || pfc__is_call(c, "Win_fence") || pfc__is_call(c, "Win_free");
}

static PFC__QUIET pfc__steps_t pfc__steps_for(const pfc__call_t *c, MPI_Comm comm, const pfc__comm_t *known)
{
    int alltoall = pfc__is_call(c, "Alltoall"), allgather = pfc__is_call(c, "Allgather");
    int reduces = pfc__is_call(c, "Allreduce") || pfc__is_call(c, "Reduce_scatter");
    pfc__steps_t s;
    s.comm = comm;
    s.known = known;
    s.rank = known->rank;
    s.size = pfc__ranks_in(comm);
    s.beyond = reduces ? s.size - pfc__first_bit(s.size) : 0;
    s.hypercube = reduces || (!(s.size & (s.size - 1)) && !alltoall && !pfc__is_barrier(c));
    s.backwards = allgather;
    s.doubling = allgather || pfc__is_call(c, "Reduce_scatter");
    s.bytes = alltoall ? c->bytes / 2 : pfc__bytes_to_one(c, comm);
    return s;
}

enum { PFC__PARTNER_ACROSS, PFC__PARTNER_AFTER, PFC__PARTNER_BEFORE, PFC__PARTNER_KINDS };

/* Its rank in MPI_COMM_WORLD. Libraries look for that among all ranks: they are asked once for each partner. */
static PFC__QUIET int pfc__step_world(const pfc__steps_t *s, int partner, int rank)
{
    int *known;
    if (s->known->as_world) return rank;
    known = s->known->partner + partner;
    if (!*known) *known = pfc__world_rank(s->comm, rank) + 1;
    return *known - 1;
}

/* A hypercube's rank by its place, of which those have none that others take the steps for; and the other way round. */
PFC__HOT int pfc__step_at(const pfc__steps_t *s, int place) { return place < s->beyond ? 2 * place + 1 : place + s->beyond; }
PFC__HOT int pfc__step_place(const pfc__steps_t *s) { return s->rank < 2 * s->beyond ? s->rank / 2 : s->rank - s->beyond; }

/* To whom it is so far, as a rank in MPI_COMM_WORLD; `from`: whom it hears from. */
static PFC__QUIET int pfc__step_rank(const pfc__steps_t *s, int distance, int from)
{
    int first = PFC__PARTNER_KINDS * __builtin_ctz((unsigned)distance), after = from == s->backwards;
    if (s->hypercube) return pfc__step_world(s, first + PFC__PARTNER_ACROSS, pfc__step_at(s, pfc__step_place(s) ^ distance));
    return pfc__step_world(s, first + (after ? PFC__PARTNER_AFTER : PFC__PARTNER_BEFORE),
                           (s->rank + (after ? distance : s->size - distance)) % s->size);
}

/* Of two ranks, one of which takes the steps for both, the other one. */
static PFC__QUIET int pfc__step_other(const pfc__steps_t *s) { return pfc__step_world(s, PFC__PARTNERS - 1, s->rank ^ 1); }

static PFC__QUIET pfc__passed_t pfc__passed_of(const pfc__call_t *c)
{
    pfc__passed_t p;
    p.latest = pfc__latest_here(c->begin);
    p.way = pfc__passed_first(c->begin);
    p.came = -c->begin.ct;
    p.left = -c->end.ct;
    pfc__mpi_lock(); /* threads may be at one place at once */
    p.off_flat = c->site ? c->site->off_flat : 0;
    p.off_steps = c->site ? c->site->off_tree : 0;
    pfc__mpi_unlock();
    return p;
}

/* Nobody has told when others came and left. */
static PFC__QUIET pfc__passed_t pfc__passed_unknown(pfc__latest_t latest)
{
    pfc__passed_t p;
    memset(&p, 0, sizeof p);
    p.latest = latest;
    p.came = p.left = PFC__NEVER;
    return p;
}

static PFC__QUIET void pfc__passed_merge(pfc__passed_t *mine, const pfc__passed_t *theirs, pfc__transfer_t step)
{
    mine->latest = pfc__latest_merge(mine->latest, theirs->latest);
    mine->way = pfc__passed_on(mine->way, theirs->way, step);
    mine->came = pfc__max(mine->came, theirs->came);
    mine->left = pfc__max(mine->left, theirs->left);
    if (mine->off_flat < theirs->off_flat) mine->off_flat = theirs->off_flat;
    if (mine->off_steps < theirs->off_steps) mine->off_steps = theirs->off_steps;
}

/* One step: this rank's goes there, and what comes from there is joined to it. */
static PFC__QUIET void pfc__passed_swap(pfc__passed_t *mine, int to, int from, int tag, pfc__transfer_t step)
{
    pfc__passed_t theirs;
    PMPI_Sendrecv(mine, (int)sizeof *mine, MPI_BYTE, to, tag, &theirs, (int)sizeof theirs, MPI_BYTE, from, tag, pfc__mpi.comm,
                  MPI_STATUS_IGNORE);
    pfc__passed_merge(mine, &theirs, step);
}

static PFC__QUIET void pfc__passed_get(pfc__passed_t *mine, int from, int tag, pfc__transfer_t step)
{
    pfc__passed_t theirs;
    PMPI_Recv(&theirs, (int)sizeof theirs, MPI_BYTE, from, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
    pfc__passed_merge(mine, &theirs, step);
}

static PFC__QUIET void pfc__passed_give(const pfc__passed_t *mine, int to, int tag)
{
    PMPI_Send(mine, (int)sizeof *mine, MPI_BYTE, to, tag, pfc__mpi.comm);
}

static PFC__QUIET pfc__transfer_t pfc__step_travels(const pfc__steps_t *s, int distance)
{
    return pfc__travel(s->doubling ? s->bytes * distance : s->bytes, (pfc__u32)PFC__ANY_PEER);
}

static PFC__QUIET pfc__passed_t pfc__exchange_all(const pfc__call_t *c, MPI_Comm comm, const pfc__comm_t *known, int tag)
{
    const pfc__steps_t s = pfc__steps_for(c, comm, known);
    pfc__passed_t mine = pfc__passed_of(c);
    int distance, paired = s.rank < 2 * s.beyond, other = paired ? pfc__step_other(&s) : 0, steps = !paired || s.rank % 2;
    if (!steps) pfc__passed_give(&mine, other, tag);
    if (paired) pfc__passed_get(&mine, other, tag, pfc__step_travels(&s, 1));
    for (distance = 1; steps && distance < s.size - s.beyond; distance *= 2)
        pfc__passed_swap(&mine, pfc__step_rank(&s, distance, 0), pfc__step_rank(&s, distance, 1), tag, pfc__step_travels(&s, distance));
    if (paired && steps) pfc__passed_give(&mine, other, tag);
    return mine;
}

static PFC__QUIET double pfc__contradiction(pfc__moment_t start, const pfc__call_t *c, pfc__i64 travel)
{
    return fabs((double)(c->end.ct - pfc__max(c->begin.ct, start.ct + travel)));
}

/* By how much ranks' ends may be off, one way and the other taken: where the last rank would have been another one, as far as ends
   were off before; where the clocks don't tell one way from the other, by what these differ. */
static PFC__QUIET pfc__i64 pfc__steps_off(const pfc__passed_t *from, int tells, double calls_off)
{
    const pfc__moment_t last = pfc__latest_moment(from->latest);
    pfc__i64 off = pfc__another_is_last(from->latest.last) ? (pfc__i64)calls_off / 8 : 0;
    return tells ? off : pfc__max(off, llabs(last.ct - last.lt - from->way.ct + from->way.lt));
}

/* When that began on which this rank's end depended. One rank's end may agree by chance, again and again where
   the same rank is always the last: after the first call all must agree. *off: by how much ranks' ends may be off that. */
static PFC__QUIET pfc__moment_t pfc__steps_of(pfc__call_t *c, MPI_Comm comm, const pfc__passed_t *from, pfc__i64 *off)
{
    pfc__moment_t last = pfc__latest_moment(from->latest);
    pfc__i64 travel = pfc__travel(pfc__bytes_to_one(c, comm), (pfc__u32)PFC__ANY_PEER).ns;
    double flat = pfc__contradiction(last, c, travel), steps = pfc__contradiction(from->way, c, 0), better, worse;
    int first = !(from->off_flat > 0 || from->off_steps > 0), in_steps;
    pfc__mpi_lock();
    if (c->site) {
        c->site->off_flat = c->site->off_flat * 7 / 8 + flat;
        c->site->off_tree = c->site->off_tree * 7 / 8 + steps;
    }
    pfc__mpi_unlock();
    if (!first) flat = from->off_flat, steps = from->off_steps;
    in_steps = 4 * steps < flat;
    better = in_steps ? steps : flat;
    worse = in_steps ? flat : steps;
    *off = pfc__steps_off(from, !first && worse > 4 * better + (double)travel / 2, better);
    return in_steps ? pfc__passed_moment(from->latest, from->way) : last;
}

/* -------------------------------------------------- collectives (MPI impl) ---
   The library's call runs as it is. Then the ranks exchange their moments in a
   pattern that is no more synchronising than the call itself (but see rooted
   collectives), and the law is applied to the call's begin and end (R6–R10).
   Nonblocking ones: see icollectives. */

#define PFC__LATEST_AS (int)PFC__LATEST_FIELDS, MPI_INT64_T /* count and type of a pfc__latest_t */

/* Whether this rank depends on others at all. */
static PFC__QUIET int pfc__depends_on_others(enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    int rank = 0, inter = 0;
    if (!pfc__is_rooted(rule)) return 1;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &rank);
    return (inter ? root == MPI_ROOT : root == rank) == (rule == PFC__RULE_TO_ROOT) && root != MPI_PROC_NULL;
}

/* What this rank contributes: where there is a root, each is on one side only. */
PFC__HOT pfc__latest_t pfc__contribution(enum pfc__mpi_rule rule, int depends, pfc__moment_t m)
{
    return pfc__is_rooted(rule) && depends ? pfc__latest_none() : pfc__latest_here(m);
}

static PFC__QUIET void pfc__collectives_say(void)
{
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pfc__note("rank %d has no memory left to follow all collectives: what it waited for in some of them isn't known", pfc__mpi.rank);
}

/* Room for what the neighbours say, one after the other; without memory they all say it to the same place. */
typedef struct pfc__room { pfc__latest_t *from; int count; MPI_Datatype type; } pfc__room_t;

static MPI_Datatype pfc__latest_over; /* a pfc__latest_t of no extent */

static PFC__QUIET void pfc__latest_over_make(void)
{
    MPI_Datatype one;
    PMPI_Type_contiguous(PFC__LATEST_AS, &one);
    PMPI_Type_create_resized(one, 0, 0, &pfc__latest_over);
    PMPI_Type_commit(&pfc__latest_over);
    PMPI_Type_free(&one);
}

static PFC__QUIET pfc__room_t pfc__room_for(int neighbours, pfc__latest_t *otherwise)
{
    pfc__room_t room = { 0, (int)PFC__LATEST_FIELDS, MPI_INT64_T };
    int i;
    room.from = (pfc__latest_t *)malloc((size_t)(neighbours + 1) * sizeof *room.from);
    for (i = 0; room.from && i < neighbours; i++) room.from[i] = pfc__latest_none(); /* one that is MPI_PROC_NULL says nothing */
    if (room.from) return room;
    pfc__collectives_say();
    room.from = otherwise;
    room.count = 1;
    room.type = pfc__latest_over;
    return room;
}

static PFC__QUIET pfc__latest_t pfc__exchange_neighbours(pfc__latest_t mine, MPI_Comm comm)
{
    pfc__latest_t result = pfc__latest_none(), nowhere;
    int i, n = pfc__neighbours_of(comm).in;
    pfc__room_t room;
    if (n < 0) return result; /* Open MPI's error of the call doesn't say so; another one would be told to the user's handler */
    room = pfc__room_for(n, &nowhere);
    PMPI_Neighbor_allgather(&mine, PFC__LATEST_AS, room.from, room.count, room.type, comm);
    if (room.from == &nowhere) return result;
    for (i = 0; i < n; i++) result = pfc__latest_merge(result, room.from[i]);
    free(room.from);
    return result;
}

static PFC__QUIET pfc__latest_t pfc__exchange(enum pfc__mpi_rule rule, int root, MPI_Comm comm, pfc__latest_t mine)
{
    pfc__latest_t result = pfc__latest_none();
    switch (rule) {
    case PFC__RULE_ALL: PMPI_Allreduce(&mine, &result, PFC__LATEST_AS, MPI_MAX, comm); break;
    case PFC__RULE_FROM_ROOT: PMPI_Bcast(&mine, PFC__LATEST_AS, root, comm); return mine;
    case PFC__RULE_TO_ROOT: PMPI_Reduce(&mine, &result, PFC__LATEST_AS, MPI_MAX, root, comm); break;
    case PFC__RULE_PREFIX: PMPI_Exscan(&mine, &result, PFC__LATEST_AS, MPI_MAX, comm); break;
    case PFC__RULE_NEIGHBOUR: return pfc__exchange_neighbours(mine, comm);
    default: break;
    }
    return result;
}

enum { PFC__COLLECTIVE_TAG = 16, PFC__COLLECTIVE_TAGS = 16000 }; /* twice as many: MPI has 32,768 at least */

/* Nobody is there earlier than the data that have come through a tree. */
static PFC__QUIET pfc__transfer_t pfc__travel_tree(const pfc__call_t *c, MPI_Comm comm)
{
    int size = pfc__ranks_in(comm), depth = 0;
    pfc__transfer_t t = pfc__travel(pfc__bytes_to_one(c, comm), (pfc__u32)PFC__ANY_PEER);
    while (1 << depth < size && depth < 30) depth++;
    t.u += t.ns * (depth > 1 ? depth - 1 : 0); /* one step at least, `depth` at most */
    return t;
}

typedef struct pfc__collective {
    enum pfc__mpi_rule rule;
    int root, exchanges, depends;
    int as_world;    /* the communicator's ranks are those in MPI_COMM_WORLD */
    pfc__u32 number; /* the communicator's; 0: none, or it has two sides */
    MPI_Comm comm;
    int may_part;    /* enum pfc__may_part */
    pfc__comm_t *known; /* of the communicator */
    const void *part;   /* counts by rank, `width` bytes each, of which some may be 0; NULL: there are none */
    size_t width;
    int in_turn;        /* see pfc__request_t */
    int ordered;        /* reduces in the order of ranks */
} pfc__collective_t;

/* Of our own messages for this communicator: all its ranks come to its collectives in the same order. Others', that threads
   come to at the same time, have others: so have those to which one rank gave their numbers, also from MPI_COMM_WORLD's. */
static PFC__QUIET int pfc__collective_tag(const pfc__collective_t *k)
{
    const pfc__u32 given = k->number - PFC__COMM_NUMBERS_OWN, size = (pfc__u32)pfc__mpi.size;
    if (k->number < PFC__COMM_NUMBERS_OWN) return PFC__COLLECTIVE_TAG + (int)(k->number % PFC__COLLECTIVE_TAGS);
    return PFC__COLLECTIVE_TAG + PFC__COLLECTIVE_TAGS + (int)((given / size + given % size * 7919) % PFC__COLLECTIVE_TAGS);
}

static PFC__QUIET void pfc__collective_over(pfc__collective_t *k, enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    k->rule = rule;
    k->root = root;
    k->comm = comm;
    k->may_part = k->in_turn = k->ordered = 0;
    k->part = 0;
    k->known = comm == MPI_COMM_WORLD ? &pfc__comm_world : pfc__comm_followed(comm);
    k->exchanges = k->known != 0 && rule >= PFC__RULE_ALL;
    k->number = k->known && !k->known->inter ? k->known->number : 0;
    k->as_world = k->number && k->known->as_world;
}

/* Ranks may give, or get, different amounts of data. */
static PFC__QUIET int pfc__differs_by_rank(const pfc__call_t *c)
{
    return strstr(c->name, "gatherv") || strstr(c->name, "toallv") || strstr(c->name, "toallw");
}

/* Between all, and there are no data: as all ranks know, where they have as much as each other. */
static PFC__QUIET int pfc__is_empty(const pfc__call_t *c)
{
    if (c->bytes) return 0;
    return pfc__is_call(c, "All") || pfc__is_call(c, "Iall") || pfc__is_call(c, "Reduce_scatter") || pfc__is_call(c, "Ireduce_scatter");
}

/* Where there are no data at all, or none from some ranks, libraries needn't wait for them. */
static PFC__QUIET int pfc__may_part(const pfc__call_t *c, const pfc__collective_t *k)
{
    if (k->may_part) return k->may_part;
    if (pfc__differs_by_rank(c)) return PFC__MAY_LEAVE;
    return pfc__is_empty(c) ? PFC__MAY_LET_GO : 0;
}

/* ---- some may have no part

   Who gives nothing in Allgatherv may be waited for all the same, and who gets nothing in Reduce_scatter may wait, as libraries
   have it: they may hand on what others give, or not be there for anybody. All know who has no part: then each rank gets the
   moments of all. Whether a call waited for those that it didn't need, its clocks show where it ended before the last rank
   came, or where that came long after the others. Else we take it that it did as the last one that showed it, or that it
   waited, and put it in doubt. */

static PFC__QUIET int pfc__has_part(const pfc__collective_t *k, int rank) { return pfc__count_of(k->part, k->width, rank) != 0; }

/* Of so many ranks. */
static PFC__QUIET int pfc__all_have_parts(const pfc__collective_t *k, int ranks)
{
    int i = 0;
    while (i < ranks && pfc__has_part(k, i)) i++;
    return i == ranks;
}

/* Of those who may give a part to this rank some have none: what it may do. */
static PFC__QUIET int pfc__lacks_some(pfc__collective_t *k, const void *count, size_t width)
{
    if (!k->exchanges || !count || !pfc__depends_on_others(k->rule, k->root, k->comm)) return 0;
    k->part = count;
    k->width = width;
    return pfc__all_have_parts(k, pfc__peers_in(k->comm)) ? 0 : PFC__MAY_NEED_SOME;
}

/* An operation that doesn't commute, which may take data another way than those that are tried. Nobody lacks a part in it. */
static PFC__QUIET int pfc__keeps_order(pfc__collective_t *k, MPI_Op op, int error)
{
    int commutes = 1;
    if (!error && op != MPI_SUM && op != MPI_MAX && op != MPI_MIN) PMPI_Op_commutative(op, &commutes);
    k->ordered = !commutes;
    return 0;
}

/* This one gets no part of what all reduce. */
static PFC__QUIET int pfc__lacks_mine(pfc__collective_t *k, const void *count, size_t width)
{
    if (!k->exchanges || !count) return 0;
    k->part = count;
    k->width = width;
    return pfc__has_part(k, k->known->rank) ? 0 : PFC__MAY_NEED_SOME;
}

static PFC__COLD pfc__meets_t pfc__collective_meets(const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__meets_t m;
    m.communicator = pfc__comm_name(k->known);
    m.region = pfc__self->top->node->region;
    m.root = pfc__is_rooted(k->rule) ? (pfc__u32)k->root : PFC_NONE;
    m.rank = k->known->rank;
    m.bytes = c->bytes;
    return m;
}

/* This thread's trace has it. */
PFC__HOT int pfc__collective_is_traced(const pfc__collective_t *k) { return PFC__UNLIKELY(pfc__is_traced()) && k->number; }

static PFC__COLD void pfc__collective_traced(const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__meets_t m = pfc__collective_meets(c, k);
    pfc__event_collective(&m);
}

static PFC__QUIET void pfc__collective_begin(pfc__call_t *c, pfc__collective_t *k, enum pfc__mpi_rule rule, int root, MPI_Comm comm)
{
    pfc__collective_over(k, rule, root, comm);
    c->wait_kind = rule != PFC__RULE_ALL ? PFC__WAIT_AT_COLLECTIVE
                   : strstr(c->name, "arrier") ? PFC__WAIT_AT_BARRIER : PFC__WAIT_AT_NXN;
    if (pfc__collective_is_traced(k)) pfc__collective_traced(c, k);
    pfc__call_begin(c);
}

/* ---- blocking: all of them */

static PFC__QUIET int pfc__rooted(pfc__call_t *c, const pfc__collective_t *k); /* one from a root or to it, or a scan, of known ranks; 0: it isn't */

/* The call ends by the law, having depended on those whose latest moment this is, and on what began at `start`. */
static PFC__QUIET void pfc__collective_depends_on(pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t latest,
                                                  pfc__moment_t start)
{
    pfc__transfer_t none = { 0, 0 }, travel = pfc__travel_tree(c, k->comm);
    pfc__moment_t last = pfc__latest_moment(latest);
    pfc__call_depends(c, start, k->rule == PFC__RULE_ALL ? none : pfc__call_cost(pfc__bytes_to_one(c, k->comm)), travel);
    pfc__call_waited_until(c, last);
    pfc__waited_for(c, latest.last);
    if (!k->as_world || k->rule != PFC__RULE_ALL) return;
    c->met = !pfc__mpi.threads; /* of several threads, others haven't */
    c->met_least = last.ct - last.lt - travel.ns; /* who is some steps away may have that much less */
    pfc__clock_again(latest.ct);
}

static PFC__QUIET void pfc__collective_depends(pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t latest)
{
    pfc__collective_depends_on(c, k, latest, pfc__latest_moment(latest));
}

/* By its arguments alone: it is as if there had been no call. The others can't know of it, and meet this rank's next one,
   in the exchange too. What fails in its course (a message too long, a disk) failed in a call in which they are as well. */
static PFC__QUIET int pfc__is_refused(int error)
{
    static const int kinds[] = { MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_ROOT, MPI_ERR_RANK, MPI_ERR_COMM,
                                 MPI_ERR_GROUP, MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_INFO, MPI_ERR_SIZE,
                                 MPI_ERR_DISP, MPI_ERR_ASSERT, MPI_ERR_WIN, MPI_ERR_RMA_SYNC };
    int kind = MPI_SUCCESS;
    size_t i;
    if (PFC__LIKELY(!error)) return 0;
    PMPI_Error_class(error, &kind);
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kind == kinds[i]) return 1;
    return 0;
}

/* Of ranks of two sides: the other side's last one, and this side's own, where the library may have waited for it, too. */
static PFC__QUIET pfc__latest_t pfc__exchange_sides(const pfc__call_t *c, MPI_Comm comm)
{
    pfc__latest_t there = pfc__exchange(PFC__RULE_ALL, 0, comm, pfc__latest_here(c->begin));
    pfc__latest_t here = pfc__exchange(PFC__RULE_ALL, 0, comm, there);
    return pfc__latest_is_before(here, c->end) ? pfc__latest_merge(there, here) : there;
}

/* The moments of all ranks, of those without whose data the call can't end, and of the last that had come by its end. */
typedef struct pfc__lacking { pfc__latest_t all, needed, last; } pfc__lacking_t;

static PFC__QUIET int pfc__is_lacking(const pfc__collective_t *k)
{
    return k->part && k->number && k->rule == PFC__RULE_ALL && !pfc__all_have_parts(k, pfc__ranks_in(k->comm));
}

static PFC__QUIET int pfc__lacking_exchange(pfc__lacking_t *l, const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__latest_t mine = pfc__latest_here(c->begin), nowhere;
    int i, size = pfc__ranks_in(k->comm), reduces = pfc__is_call(c, "Reduce");
    pfc__room_t room = pfc__room_for(size, &nowhere);
    PMPI_Allgather(&mine, PFC__LATEST_AS, room.from, room.count, room.type, k->comm);
    if (room.from == &nowhere) return 0;
    l->all = l->needed = l->last = pfc__latest_none();
    for (i = 0; i < size; i++) {
        const pfc__latest_t *there = &room.from[i];
        l->all = pfc__latest_merge(l->all, *there);
        if (pfc__has_part(k, reduces ? k->known->rank : i)) l->needed = pfc__latest_merge(l->needed, *there);
        if (there->ct > l->last.ct && pfc__latest_is_before(*there, c->end)) l->last = *there;
    }
    free(room.from);
    return 1;
}

/* It needed those only. */
static PFC__QUIET void pfc__lacking_depends(pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t needed)
{
    if (!pfc__latest_is_none(needed) && pfc__latest_is_before(needed, c->end)) pfc__collective_depends(c, k, needed);
}

/* It didn't wait for all. If for others than it needed, then for the last that came before it ended. Returns when those were
   there that it waited for. */
static PFC__QUIET pfc__i64 pfc__lacking_left(pfc__call_t *c, const pfc__collective_t *k, pfc__lacking_t *l, pfc__i64 step)
{
    pfc__i64 there = pfc__max(c->begin.ct, l->needed.ct);
    if (c->end.ct - there > step && l->last.ct > there) {
        l->needed = pfc__latest_merge(l->needed, l->last);
        there = l->last.ct;
    }
    pfc__lacking_depends(c, k, l->needed);
    return there;
}

static PFC__QUIET void pfc__collective_lacking(pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__known_way_t *known = &k->known->way[PFC__SOME_LACK][pfc__is_call(c, "Reduce")][0];
    pfc__lacking_t l;
    pfc__i64 step = pfc__travel_tree(c, k->comm).ns, most = pfc__ranks_in(k->comm) * step, doubt; /* most: by one rank after another */
    if (!pfc__lacking_exchange(&l, c, k)) {
        pfc__call_unexplained(c, c->begin.ct);
        return;
    }
    if (!pfc__latest_is_before(l.all, c->end)) {
        known->leaves = 1;
        pfc__call_unexplained(c, pfc__lacking_left(c, k, &l, step) + most);
        return;
    }
    doubt = l.all.lt - pfc__max(c->begin.lt, l.needed.lt);
    if (l.all.ct - pfc__max(c->begin.ct, l.needed.ct) > most) doubt = known->leaves = 0;
    if (known->leaves) pfc__lacking_depends(c, k, l.needed);
    else pfc__collective_depends(c, k, l.all);
    c->end.u = pfc__max(c->end.u, doubt);
}

/* Ranks end no further apart than it takes to come to all of them. */
static PFC__QUIET void pfc__last_doubted(pfc__call_t *c, const pfc__collective_t *k, pfc__i64 off)
{
    pfc__transfer_t most = pfc__travel_tree(c, k->comm);
    pfc__call_doubts(c, pfc__min(off, most.ns + most.u));
}

/* A call that may let all go, as where there are no data: a rank that comes last, as measured, doesn't show itself whether it would
   have waited for those that would have come later. But the others do, where they came so much before it. If they left, we take
   it that it would have left, too; if they stayed, it waits (R6); and but for these, what it would have waited is in doubt. */
static PFC__QUIET int pfc__let_go(pfc__call_t *c, const pfc__passed_t *passed, pfc__i64 step)
{
    const pfc__latest_t *l = &passed->latest;
    int is_last = l->ct - c->begin.ct <= step, left = -passed->left + l->clock < l->ct - l->clock;
    if (is_last && (left || l->ct + passed->came <= step)) pfc__call_doubts(c, pfc__max(0, l->lt - c->begin.lt));
    return is_last && left;
}

/* The library's call has ended. */
static PFC__QUIET void pfc__collective_met(pfc__call_t *c, pfc__collective_t *k, int error)
{
    pfc__passed_t passed;
    pfc__latest_t latest;
    pfc__moment_t start;
    pfc__i64 off = 0;
    int may_part;
    if (!k->exchanges || pfc__is_refused(error) || pfc__rooted(c, k)) return;
    if (pfc__is_lacking(k)) {
        pfc__collective_lacking(c, k);
        c->met = 0; /* some may not have */
        return;
    }
    k->depends = pfc__depends_on_others(k->rule, k->root, k->comm);
    if (k->number && k->rule == PFC__RULE_ALL) {
        passed = pfc__exchange_all(c, k->comm, k->known, pfc__collective_tag(k));
        latest = passed.latest;
        start = pfc__steps_of(c, k->comm, &passed, &off);
    } else {
        latest = k->rule == PFC__RULE_ALL && k->known->inter ? pfc__exchange_sides(c, k->comm)
                 : pfc__exchange(k->rule, k->root, k->comm, pfc__contribution(k->rule, k->depends, c->begin));
        start = pfc__latest_moment(latest);
        passed = pfc__passed_unknown(latest);
    }
    may_part = pfc__may_part(c, k);
    if (!pfc__latest_is_before(latest, c->end) && may_part) {
        if (k->may_part == PFC__MAY_NEED_SOME) pfc__call_unexplained(c, c->begin.ct);
        return;
    }
    if (may_part == PFC__MAY_LET_GO && pfc__let_go(c, &passed, pfc__travel_tree(c, k->comm).ns)) return;
    if (k->depends && !pfc__latest_is_none(latest)) pfc__collective_depends_on(c, k, latest, start);
    if (off > 0) pfc__last_doubted(c, k, off);
    if (pfc__is_rooted(k->rule) || pfc__neighbours_wait(k->rule, c->bytes)) /* rooted, of two sides: their data's way isn't tried */
        pfc__call_unexplained(c, (k->depends ? latest.ct : c->begin.ct) + pfc__ranks_in(k->comm) * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
}

static PFC__QUIET void pfc__collective_end(pfc__call_t *c, pfc__collective_t *k, int error)
{
    pfc__call_end(c);
    pfc__collective_met(c, k, error);
}

/* What makes a communicator. Libraries copy attributes before all meet: where their functions called MPI, what that has moved was so
   from the begin on, or it would count twice. Not where other threads call MPI meanwhile. */
static PFC__QUIET pfc__i64 pfc__maker_begin(pfc__call_t *c, pfc__collective_t *k, MPI_Comm comm)
{
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, comm);
    if (!pfc__mpi.threads) pfc__called_back.asked++;
    return pfc__called_back.moved;
}

static PFC__QUIET void pfc__maker_end(pfc__call_t *c, pfc__collective_t *k, int error, pfc__i64 moved_before)
{
    const pfc__i64 moved = pfc__called_back.moved - moved_before;
    if (!pfc__mpi.threads) pfc__called_back.asked--;
    pfc__call_end(c);
    c->begin.lt -= moved;
    c->end.lt -= moved;
    pfc__collective_met(c, k, error);
}

#ifndef PERFCOMP_SMPI
/* Both sides meet. */
static PFC__QUIET int pfc__intercomm_create(pfc__call_t *c, MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag,
                                            MPI_Comm *made)
{
    pfc__collective_t k;
    pfc__latest_t here, there;
    int error;
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, local);
    error = PMPI_Intercomm_create(local, leader, peer, remote, tag, made);
    pfc__call_end(c);
    if (error || !pfc__comm_made(*made, 1)) return error;
    here = pfc__exchange(PFC__RULE_ALL, 0, local, pfc__latest_here(c->begin));
    there = pfc__exchange(PFC__RULE_ALL, 0, *made, here);
    pfc__collective_depends(c, &k, pfc__latest_merge(here, there));
    return error;
}
#endif

/* --------------------------------------------- icollectives (MPI impl) ---
   Nonblocking and persistent collectives: the exchange is started with the call,
   travels beside it, and is used at its completion (R11). */

enum { PFC__EXCHANGE_PATIENCE = 1000000 }; /* ns */

/* Begins the exchange, or initialises it: by the library's calls, which end with the arguments given last. */
#define PFC__EXCHANGE_BEGUN(name, allreduce, bcast, reduce, exscan, neighbor_allgather, ...) \
    static PFC__QUIET void name(pfc__request_t *r, int root, MPI_Comm comm) \
    { \
        void *mine = &r->mine, *latest = &r->latest; \
        pfc__room_t room; \
        r->latest = pfc__latest_none(); \
        switch (r->rule) { \
        case PFC__RULE_ALL: allreduce(mine, latest, PFC__LATEST_AS, MPI_MAX, comm, __VA_ARGS__); break; \
        case PFC__RULE_FROM_ROOT: bcast(mine, PFC__LATEST_AS, root, comm, __VA_ARGS__); break; \
        case PFC__RULE_TO_ROOT: reduce(mine, latest, PFC__LATEST_AS, MPI_MAX, root, comm, __VA_ARGS__); break; \
        case PFC__RULE_PREFIX: exscan(mine, latest, PFC__LATEST_AS, MPI_MAX, comm, __VA_ARGS__); break; \
        case PFC__RULE_NEIGHBOUR: \
            r->neighbours = pfc__neighbours_of(comm).in; \
            room = pfc__room_for(r->neighbours, &r->latest); \
            if (room.from != &r->latest) r->from = room.from; \
            else r->depends = 0; \
            neighbor_allgather(mine, PFC__LATEST_AS, room.from, room.count, room.type, comm, __VA_ARGS__); \
            break; \
        default: break; \
        } \
    }

PFC__EXCHANGE_BEGUN(pfc__exchange_start, PMPI_Iallreduce, PMPI_Ibcast, PMPI_Ireduce, PMPI_Iexscan, PMPI_Ineighbor_allgather,
                    &r->exchange)

static PFC__QUIET void pfc__exchange_wait(pfc__request_t *r)
{
    if (r->exchanging) PMPI_Wait(&r->exchange, MPI_STATUS_IGNORE);
    r->exchanging = 0;
}

/* Who may hand on to this rank: see handed_on. Without memory nobody tells, and what was waited for them is in doubt. */
static PFC__QUIET void pfc__circle_of(pfc__request_t *r, const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__steps_t s;
    int distance, from;
    if (!pfc__request_is_handed_on(r) || !k->number || !pfc__away_counts()) return;
    if (!r->circle && !(r->circle = (pfc__partner_t **)malloc(PFC__CIRCLE * sizeof *r->circle))) return;
    s = pfc__steps_for(c, k->comm, k->known);
    s.hypercube = 0;
    for (distance = 1; distance < s.size; distance *= 2)
        for (from = 0; from < 2; from++) {
            pfc__partner_t *p = pfc__partner_of(pfc__step_rank(&s, distance, from));
            if (p && (!from || 2 * distance != s.size)) r->circle[r->circled++] = p;
        }
    r->circle_whole = s.size <= PFC__CIRCLE_WHOLE && r->circled >= s.size - 1;
}

/* Whether this rank would have to wait for it now. */
static PFC__QUIET int pfc__is_collecting(pfc__request_t *r)
{
    int done = 1;
    if (r->depends && r->exchanging) PMPI_Test(&r->exchange, &done, MPI_STATUS_IGNORE), r->exchanging = !done;
    return !done;
}

/* Some ranks may have no part in the call for this one, or hand on the moments of others only, and not have come yet: they may even
   wait for this rank to answer. So a call that only asks, or takes what is there, gives the exchange some time. */
static PFC__QUIET int pfc__may_collect(pfc__request_t *r)
{
    if (!r->depends || !r->exchanging || (r->rule == PFC__RULE_ALL && !r->may_part) || PFC__ONE_PROGRAM) return 1;
    if (pfc__patient_until(&r->exchange, PFC__EXCHANGE_PATIENCE)) r->exchanging = 0;
    return !r->exchanging;
}

/* The exchange was started by every rank that the call needed: it ends. One
   that only gives to others doesn't wait for it. */
static PFC__QUIET pfc__latest_t pfc__collected(pfc__request_t *r)
{
    pfc__latest_t result;
    int i;
    if (!r->depends) return pfc__latest_none();
    pfc__exchange_wait(r);
    result = r->rule == PFC__RULE_FROM_ROOT ? r->mine : r->latest;
    for (i = 0; r->from && i < r->neighbours; i++) result = pfc__latest_merge(result, r->from[i]);
    return result;
}

/* Of all-to-all: the clocks show by how long data travelled from the rank that was the last, by as many steps as the library takes.
   Where another would have been the last, its data come by more steps, or by fewer; where it would have been this one, the others'
   are there, as far as they travel by themselves: long ones, and a file's, move once all have come. Nor is what was asked for
   `in_vain` then: that waits for ranks to be inside of MPI. */
static PFC__QUIET pfc__moment_t pfc__collecting_arrival(pfc__request_t *r, pfc__moment_t arrival, int in_vain)
{
    pfc__names_t last;
    pfc__i64 travel;
    if (r->rule != PFC__RULE_ALL) return arrival;
    last = pfc__collected(r).last;
    if (!pfc__another_is_last(last)) return arrival;
    travel = (31 - __builtin_clz((unsigned)pfc__mpi.size)) * pfc__travel(r->bytes, (pfc__u32)PFC__ANY_PEER).ns;
    arrival.u += travel;
    if (!in_vain && !r->in_turn && !pfc__send_waits(r->bytes, 0) && pfc__is_own((pfc__u32)pfc__signer(last.lt)))
        arrival.lt -= pfc__max(0, pfc__min(arrival.lt - r->begin.lt, travel));
    return arrival;
}

/* What completion must know; NULL: nothing. Where there is no memory to keep it, it is in `alone`, if given. */
static PFC__QUIET pfc__request_t *pfc__collecting(pfc__call_t *c, const pfc__collective_t *k, int error, pfc__request_t *alone)
{
    int exchanges = k->exchanges && !error;
    pfc__request_t *r = exchanges ? pfc__request_new(PFC__COLLECTING) : 0;
    if (exchanges && !r && alone) {
        r = alone;
        memset(r, 0, sizeof *r);
        pfc__request_reset(r, PFC__COLLECTING);
        pfc__collectives_say();
    }
    if (r) {
        r->bytes = c->bytes;
        r->in = k->comm;
        r->rule = (int)k->rule;
        r->span = 0;
        r->wait_kind = c->wait_kind;
        r->depends = pfc__depends_on_others(k->rule, k->root, k->comm);
        r->may_part = pfc__may_part(c, k);
        __atomic_store_n(&pfc__requests_collect, 1, __ATOMIC_RELAXED);
        r->in_turn = k->in_turn;
        if (r->in_turn) __atomic_store_n(&pfc__requests_in_turn, 1, __ATOMIC_RELAXED);
        r->making.comm = MPI_COMM_NULL;
        r->making.record = 0;
        r->making.agreement = MPI_REQUEST_NULL;
    }
    c->wait_kind = PFC__NO_WAIT;
    return r;
}

/* Begins the exchange; NULL: there is none. */
static PFC__QUIET pfc__request_t *pfc__exchange_begin(pfc__call_t *c, const pfc__collective_t *k, int error, pfc__request_t *alone)
{
    pfc__request_t *r = pfc__collecting(c, k, error, alone);
    if (!r) return 0;
    pfc__request_stamp(r, c);
    r->mine = pfc__contribution(k->rule, r->depends, c->begin);
    pfc__circle_of(r, c, k);
    pfc__circle_turn(r, 1);
    if (pfc__collective_is_traced(k)) r->traced = pfc__event_started();
    pfc__exchange_start(r, k->root, k->comm);
    r->exchanging = r->exchange != MPI_REQUEST_NULL;
    return r;
}

/* The call was complete at once, as where there are no data: this rank has waited for nobody. Its request has the handle of all such,
   in other communicators, too, and nobody could tell which one's exchange is to be waited for: those who haven't begun theirs may
   wait for this rank. */
static PFC__COLD void pfc__exchange_unkept(pfc__request_t *r)
{
    pfc__request_deliver(r, 0, 0);
    pfc__request_traced(r);
    pfc__request_done(r);
}

/* Nothing keeps `alone`: all that can be done is to be there until the others have begun the exchange. */
static PFC__QUIET void pfc__exchange_keep(pfc__request_t *r, const pfc__request_t *alone, const MPI_Request *request)
{
    if (r != alone && *request == pfc__mpi.at_once) {
        pfc__exchange_unkept(r);
        return;
    }
    if (r != alone) {
        pfc__request_keep(r, *request);
        return;
    }
    pfc__exchange_wait(r);
    if (r->making.agreement != MPI_REQUEST_NULL) PMPI_Wait(&r->making.agreement, MPI_STATUS_IGNORE);
    free(r->from);
    pfc__circle_turn(r, 0);
    free(r->circle);
}

static PFC__QUIET void pfc__icollective_end(pfc__call_t *c, pfc__collective_t *k, int error, const MPI_Request *request)
{
    pfc__request_t alone, *r;
    pfc__call_end(c);
    r = pfc__exchange_begin(c, k, error, &alone);
    if (r) pfc__exchange_keep(r, &alone, request);
}

#ifndef PERFCOMP_SMPI
/* Comm_idup: what goes beside it begins before it (pfc__making_t tells why). */
typedef struct pfc__idup { pfc__request_t alone, *r; } pfc__idup_t;

static PFC__QUIET void pfc__idup_begin(pfc__idup_t *d, pfc__call_t *c, pfc__collective_t *k, MPI_Comm comm)
{
    pfc__i64 tick;
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, comm);
    tick = pfc__clock();
    d->r = pfc__exchange_begin(c, k, 0, &d->alone);
    if (d->r) pfc__comm_making(&d->r->making, comm, k->known, d->r != &d->alone);
    c->begin = pfc__moment_at(pfc__charge_since(tick));
}

/* Libraries give the new handle at once. Where the call fails, the record stays as long as the exchange may need it. */
static PFC__QUIET void pfc__idup_end(pfc__idup_t *d, pfc__call_t *c, MPI_Comm of, int error, const MPI_Comm *made,
                                     const MPI_Request *request)
{
    pfc__call_end(c);
    if (d->r) pfc__comm_begun(&d->r->making, error ? MPI_COMM_NULL : *made);
    else if (!error) pfc__comm_carries_none(*made, of);
    if (d->r && (!error || d->r == &d->alone)) pfc__exchange_keep(d->r, &d->alone, request);
}
#endif

#if PFC__MPI_4
PFC__EXCHANGE_BEGUN(pfc__exchange_init, PMPI_Allreduce_init, PMPI_Bcast_init, PMPI_Reduce_init, PMPI_Exscan_init,
                    PMPI_Neighbor_allgather_init, MPI_INFO_NULL, &r->exchange)

/* Without memory the trace hasn't its starts. */
static PFC__COLD pfc__meets_t *pfc__collective_to_tell(const pfc__call_t *c, const pfc__collective_t *k)
{
    pfc__meets_t *m = (pfc__meets_t *)malloc(sizeof *m);
    if (m) *m = pfc__collective_meets(c, k);
    return m;
}

/* The exchange is a persistent collective like the call's own, so that they are matched alike: by their initialisation. */
static PFC__QUIET void pfc__collective_init_end(pfc__call_t *c, pfc__collective_t *k, int error, MPI_Request *request)
{
    pfc__request_t *r;
    pfc__call_end(c);
    r = pfc__collecting(c, k, error, 0);
    if (r && pfc__collective_is_traced(k)) r->meets = pfc__collective_to_tell(c, k);
    c->bytes = 0; /* nothing was sent yet */
    if (!r) return;
    r->persistent = 1;
    pfc__circle_of(r, c, k);
    pfc__exchange_init(r, k->root, k->comm);
    pfc__request_keep(r, *request);
}
#endif

static PFC__COLD void pfc__start_traced(pfc__request_t *r)
{
    pfc__event_collective(r->meets);
    r->traced = pfc__event_started();
}

/* The library has started a persistent one. */
static PFC__QUIET void pfc__collective_started(pfc__request_t *r)
{
    if (PFC__UNLIKELY(r->meets != 0) && pfc__is_traced()) pfc__start_traced(r);
    if (r->exchange == MPI_REQUEST_NULL) return;
    pfc__exchange_wait(r); /* of the last start, where this rank didn't need it */
    r->exchanging = 1;
    pfc__circle_turn(r, 1);
    r->latest = pfc__latest_none();
    r->mine = pfc__contribution((enum pfc__mpi_rule)r->rule, r->depends, r->begin);
    PMPI_Start(&r->exchange);
}

/* --------------------------------------------------- trials (MPI impl) ---
   By which way the data of a rooted collective or a scan go, an experiment tells
   before the first exchange of its kind: all ranks come to calls of ours as long
   as the user's, each at a time of its own, and see which way all their clocks
   contradict least. That synchronises the user's call, as MPI lets any
   collective do. PERFCOMP_MPI_TRIALS=off is for programs that rely on the
   contrary: then nothing is tried, and nothing exchanged.

   All ranks of a communicator must take the same way at the same call, from
   wherever in the program they call it. So the communicator keeps what is
   known, by kind of call and by length, and each decides by the same numbers.
   MPI requires the length to be the same on all of them (but in calls that end
   in v: those are of one length): they may give other counts of other
   datatypes, but of one type signature, so of as many bytes. Some libraries'
   ways from or to rank 0 differ from others'.

   In calls that end in v ranks may have no part. Most libraries send nothing then,
   which is tried as well: the root doesn't wait for those ranks, nor they for it. */

static PFC__QUIET enum pfc__tried_call pfc__tried_kind(const pfc__call_t *c)
{
    switch (c->name[0]) {
    case 'A': return PFC__SPARSE;
    case 'B': return PFC__BCAST;
    case 'E': return PFC__EXSCAN;
    case 'R': return PFC__REDUCE;
    case 'S':
        if (c->name[2] == 'a' && c->name[3] == 'n') return PFC__SCAN;
        return c->name[sizeof "Scatter" - 1] == 'v' ? PFC__SCATTERV : PFC__SCATTER;
    default: return c->name[sizeof "Gather" - 1] == 'v' ? PFC__GATHERV : PFC__GATHER;
    }
}

PFC__HOT int pfc__is_scan(enum pfc__tried_call kind) { return kind == PFC__SCAN || kind == PFC__EXSCAN; }
PFC__HOT int pfc__in_v(enum pfc__tried_call kind) { return kind == PFC__SCATTERV || kind == PFC__GATHERV; }
PFC__HOT int pfc__is_shared(enum pfc__tried_call kind) { return kind == PFC__GATHER || kind == PFC__SCATTER; } /* see pfc__way_weight */
PFC__HOT int pfc__of_one_length(enum pfc__tried_call kind) { return pfc__in_v(kind) || kind == PFC__SPARSE; }

/* Libraries change over at powers of two, or halfway between: 0, 1, 2, 3, 4–5, 6–7, 8–11 … */
static PFC__QUIET int pfc__length_class(pfc__i64 bytes)
{
    int octaves = bytes > 3 ? 62 - __builtin_clzll((unsigned long long)bytes) : 0;
    return (int)pfc__min(2 * octaves + (pfc__max(0, bytes) >> octaves), PFC__LENGTHS - 1);
}

/* ---- the experiment */

enum {
    PFC__TRIALS = 3,              /* as long as no way explains the clocks */
    PFC__TRIAL_CALLS = 4,
    PFC__TRIAL_BYTES = 1 << 20,   /* at most, of all parts together */
    PFC__TRIAL_PART = 64,         /* where parts differ */
    PFC__TRIAL_NS = 50000,        /* ranks come spread over that time, and more where messages take long */
    PFC__TRIAL_LONGEST = 4000000, /* but over no more than that */
    PFC__TRIAL_SURE = 32,         /* a way explains the clocks to this part of that time, on average of all ranks */
    PFC__TRIAL_PATIENCE = 30      /* s, until a rank says that it waits for the others */
};

/* All ranks try, or none does. */
static PFC__QUIET void pfc__trials_agree(void)
{
    int mine = pfc__switch("PERFCOMP_MPI_TRIALS", 1);
    PMPI_Allreduce(&mine, &pfc__mpi.trials, 1, MPI_INT, MPI_MIN, pfc__mpi.comm);
}

typedef struct pfc__trial {
    const pfc__collective_t *k;
    enum pfc__tried_call kind;
    int rank, bytes;
    int leaves;  /* before the last rank came; 1: and never had waited then */
    int folds;   /* who gives its data away does */
    char *own, *all;
    int *counts; /* of bytes by rank, and behind them where those begin */
    pfc__i64 takes[2 * PFC__WEIGHTS]; /* messages, by weight; and behind that what a call takes that finds one there */
    pfc__observed_t seen;
    int calls;                             /* so far; */
    pfc__i64 contradicted[PFC__WAYS], most; /* by them all, and at most */
} pfc__trial_t;

static PFC__QUIET int pfc__trial_room(pfc__trial_t *t, pfc__i64 bytes)
{
    int i, size = t->seen.size, parts = t->kind == PFC__BCAST || t->kind == PFC__REDUCE || pfc__is_scan(t->kind) ? 1 : size;
    t->bytes = t->kind == PFC__SPARSE ? 0 : pfc__in_v(t->kind) ? PFC__TRIAL_PART : (int)pfc__max(0, pfc__min(bytes, PFC__TRIAL_BYTES / parts));
    t->own = (char *)malloc((size_t)t->bytes + 1);
    t->all = (char *)malloc(((size_t)t->bytes + 1) * (size_t)parts);
    t->counts = (int *)malloc(2 * (size_t)size * sizeof *t->counts);
    t->seen.stay = (pfc__stay_t *)malloc((size_t)size * sizeof *t->seen.stay);
    t->seen.left = (pfc__i64 *)malloc((size_t)size * sizeof *t->seen.left);
    if (!t->own || !t->all || !t->counts || !t->seen.stay || !t->seen.left) return 0;
    memset(t->own, 1, (size_t)t->bytes + 1); /* else the first call has all its pages to be made */
    memset(t->all, 1, ((size_t)t->bytes + 1) * (size_t)parts);
    for (i = 0; i < size; i++) {
        t->counts[i] = t->bytes;
        t->counts[size + i] = i * t->bytes;
    }
    return 1;
}

/* A program that relies on ranks not meeting here isn't left without a word. */
static PFC__QUIET void pfc__trial_await(const pfc__call_t *c, MPI_Request *others)
{
    static int said;
    int here = pfc__patient_until(others, PFC__TRIAL_PATIENCE * (pfc__i64)1000000000);
    if (!here && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pfc__note("rank %d has waited for %d s at an MPI_%s of a new length, where all ranks meet to try by which way its data go; if "
                  "one of them can't come before rank %d goes on, set PERFCOMP_MPI_TRIALS=off",
                  pfc__mpi.rank, PFC__TRIAL_PATIENCE, c->name, pfc__mpi.rank);
    PMPI_Wait(others, MPI_STATUS_IGNORE);
}

/* How long messages take, of as many bytes as a trial's, and to gather and scatter, of so many times as many. */
static PFC__QUIET void pfc__trial_messages(pfc__trial_t *t)
{
    int power, last = t->seen.shared ? t->seen.size : 1;
    pfc__i64 weight;
    for (power = 0; power < PFC__WEIGHTS && 1 << power <= 2 * last; power++) {
        t->takes[PFC__WEIGHTS + power] = pfc__cost_beyond((pfc__i64)t->bytes << power);
        t->takes[power] = t->takes[PFC__WEIGHTS + power] + pfc__travel((pfc__i64)t->bytes << power, (pfc__u32)PFC__ANY_PEER).ns;
    }
    for (weight = last; weight > 0 && !pfc__in_v(t->kind) && pfc__send_waits(weight * t->bytes, 0); weight--) t->seen.waits = (int)weight;
}

/* All ranks have room, or none tries; and they are of one mind how long messages take. */
static PFC__QUIET int pfc__trial_agreed(pfc__trial_t *t, const pfc__call_t *c)
{
    enum { SAID = 1 + 2 * PFC__WEIGHTS };
    MPI_Request request = MPI_REQUEST_NULL;
    pfc__i64 mine[SAID], all[SAID] = { 1, 0 };
    mine[0] = !pfc__trial_room(t, c->bytes);
    pfc__trial_messages(t);
    memcpy(mine + 1, t->takes, sizeof t->takes);
    if (PFC__ONE_PROGRAM) PMPI_Allreduce(mine, all, SAID, MPI_INT64_T, MPI_MAX, t->k->comm); /* SimGrid's other one is n² messages */
    else {
        PMPI_Iallreduce(mine, all, SAID, MPI_INT64_T, MPI_MAX, t->k->comm, &request);
        pfc__trial_await(c, &request);
    }
    memcpy(t->takes, all + 1, sizeof t->takes);
    t->seen.cost = pfc__weight_waits(&t->seen, 1) ? 0 : t->takes[PFC__WEIGHTS];
    t->seen.travel = t->takes[0] - t->seen.cost;
    t->seen.most = pfc__min((16 + 4 * t->seen.size) * t->takes[0] + PFC__TRIAL_NS, PFC__TRIAL_LONGEST);
    return !all[0];
}

static PFC__QUIET void pfc__trial_call(const pfc__trial_t *t)
{
    MPI_Comm comm = t->k->comm;
    int root = t->k->root, n = t->bytes, *counts = t->counts, *places = counts + t->seen.size;
    int words = n % 8 == 0, m = words ? n / 8 : n; /* to combine single bytes would take longer than most operations do */
    MPI_Datatype type = words ? MPI_INT64_T : MPI_BYTE;
    switch (t->kind) {
    case PFC__BCAST: PMPI_Bcast(t->own, n, MPI_BYTE, root, comm); break;
    case PFC__REDUCE: PMPI_Reduce(t->own, t->all, m, type, MPI_BOR, root, comm); break;
    case PFC__SCATTER: PMPI_Scatter(t->all, n, MPI_BYTE, t->own, n, MPI_BYTE, root, comm); break;
    case PFC__SCATTERV: PMPI_Scatterv(t->all, counts, places, MPI_BYTE, t->own, n, MPI_BYTE, root, comm); break;
    case PFC__GATHER: PMPI_Gather(t->own, n, MPI_BYTE, t->all, n, MPI_BYTE, root, comm); break;
    case PFC__GATHERV: PMPI_Gatherv(t->own, n, MPI_BYTE, t->all, counts, places, MPI_BYTE, root, comm); break;
    case PFC__SCAN: PMPI_Scan(t->own, t->all, m, type, MPI_BOR, comm); break;
    case PFC__SPARSE: PMPI_Alltoallv(t->all, counts, places, MPI_BYTE, t->own, counts, places, MPI_BYTE, comm); break;
    case PFC__EXSCAN: PMPI_Exscan(t->own, t->all, m, type, MPI_BOR, comm); break;
    default: break;
    }
}

/* How late a rank comes: spread out, and at the next call the other way round, so that of any two each comes later once.
   The root comes first: who waits, waits for others. To a root, somebody may wait for it to take the data: there it
   comes last, too; and where there are no data it shows so whether anybody waits for it. */
static PFC__QUIET pfc__i64 pfc__trial_late(const pfc__trial_t *t, int call)
{
    pfc__u32 share = (pfc__u32)(t->rank + 1) * (call / 2 ? 2246822519u : 2654435761u);
    if (t->rank == t->k->root) return (t->seen.to_root || t->seen.idle) && call / 2 ? t->seen.most : 0;
    return (pfc__i64)((double)t->seen.most * (call % 2 ? ~share : share) / UINT32_MAX);
}

/* All see who stayed in it for how long. Returns what this rank did. */
static PFC__QUIET pfc__stay_t pfc__trial_meet(pfc__trial_t *t, pfc__i64 late)
{
    pfc__stay_t mine;
    PMPI_Barrier(t->k->comm);
    pfc__patient_pause(late);
    mine.begin = pfc__common_ns(pfc__clock());
    pfc__trial_call(t);
    mine.end = pfc__common_ns(pfc__clock());
    PMPI_Allgather(&mine, 2, MPI_INT64_T, t->seen.stay, 2, MPI_INT64_T, t->k->comm);
    return mine;
}

static PFC__QUIET void pfc__trial_one(pfc__trial_t *t)
{
    pfc__stay_t mine = pfc__trial_meet(t, pfc__trial_late(t, t->calls++));
    int way;
    for (way = 0; way < PFC__WAYS; way++) t->contradicted[way] += pfc__contradicted(&t->seen, (enum pfc__way)way);
    t->most += t->seen.size * t->seen.most;
    t->folds |= pfc__one_gave_away(&t->seen);
    if (mine.end < pfc__last_came(&t->seen)) t->leaves |= mine.end - mine.begin < t->seen.most / 16 ? 1 : 2;
}

/* Where there are no data, somebody waits for somebody only if the clocks say so. */
static PFC__QUIET int pfc__trial_tells(const pfc__trial_t *t, enum pfc__way way)
{
    return !t->seen.idle || way == PFC__WAY_NONE || 2 * t->contradicted[way] < t->contradicted[PFC__WAY_NONE];
}

static PFC__QUIET int pfc__trial_explained(const pfc__trial_t *t, enum pfc__way way)
{
    return pfc__trial_tells(t, way) && PFC__TRIAL_SURE * (t->contradicted[way] - t->calls * pfc__way_handicap(&t->seen, way)) < t->most;
}

/* The usual way, unless another one is notably better, or explains the clocks where the usual one doesn't. */
static PFC__QUIET enum pfc__way pfc__trial_way(const pfc__trial_t *t, enum pfc__way usual)
{
    enum pfc__way way = pfc__way_least(t->contradicted, usual, t->seen.size * t->seen.travel);
    int i;
    for (i = 0; i < PFC__WAYS; i++)
        if (t->contradicted[i] < t->contradicted[way] && !pfc__trial_explained(t, way) && pfc__trial_explained(t, (enum pfc__way)i))
            way = (enum pfc__way)i;
    return way;
}

/* Where no way explains even half of it, ranks wait for processors: more calls would tell nothing, and take long. */
static PFC__QUIET void pfc__trial_run(pfc__trial_t *t, pfc__known_way_t *known)
{
    enum pfc__way usual = (enum pfc__way)known->way, way = usual;
    int left = 0;
    while (t->calls < PFC__TRIAL_CALLS && 2 * t->contradicted[way] <= t->most && !left) {
        pfc__trial_one(t);
        left = t->seen.empty && pfc__one_left_before(&t->seen);
        way = pfc__trial_way(t, usual);
    }
    known->way = (left ? PFC__WAY_NONE : way) & 15;
    known->sure = left || pfc__trial_explained(t, way);
    known->leaves = t->leaves == 1;
    known->folds = t->folds != 0;
}

/* Nobody has a part in it. Those come late for whom others might wait: one of these leaves before, or never does. Where they
   wait for processors, that takes longer. */
static PFC__QUIET int pfc__trial_skips(pfc__trial_t *t)
{
    int i, call, size = t->seen.size, skips = 0, waits = (t->rank == t->k->root) == t->seen.to_root;
    t->bytes = 0;
    memset(t->counts, 0, 2 * (size_t)size * sizeof *t->counts);
    for (call = 0; call < PFC__TRIAL_CALLS && !skips; call++) {
        pfc__trial_meet(t, waits ? 0 : t->seen.most);
        for (i = 0; i < size; i++)
            skips |= (i == t->k->root) == t->seen.to_root && pfc__left_before(&t->seen, i);
        t->seen.most = pfc__min(4 * t->seen.most, PFC__TRIAL_LONGEST);
    }
    return skips;
}

/* What is taken for true where the clocks don't tell. */
static PFC__QUIET enum pfc__way pfc__usual_way(enum pfc__tried_call kind)
{
#ifdef MPICH_VERSION /* and its descendants' */
    if (kind == PFC__SPARSE) return PFC__WAY_NONE;
    if (pfc__is_scan(kind)) return kind == PFC__SCAN ? PFC__WAY_ALL : PFC__WAY_DOUBLING;
#else
    if (kind == PFC__SPARSE) return PFC__WAY_ALL;
    if (pfc__is_scan(kind)) return PFC__WAY_CHAIN;
#endif
    return pfc__in_v(kind) ? PFC__WAY_FLAT : PFC__WAY_HALVING;
}

/* In a trial, which took this rank `ns`, all have met: from then on nobody's Δ is less than the least one's before, with what the
   trial has added to everybody's. Returns that. */
static PFC__QUIET pfc__i64 pfc__trial_met(const pfc__call_t *c, const pfc__collective_t *k, pfc__i64 ns)
{
    pfc__i64 mine[2], least[2];
    if (!k->as_world) return 0;
    mine[0] = c->begin.ct - c->begin.lt - c->begin.u;
    mine[1] = ns;
    PMPI_Allreduce(mine, least, 2, MPI_INT64_T, MPI_MIN, k->comm);
    if (pfc__mpi.threads) return 0; /* others haven't */
    pfc__mpi.least_delay = least[0];
    return least[1];
}

/* What isn't sure then is tried again at the next call, a few times. Returns by how much every rank's Δ is larger after this one. */
static PFC__QUIET pfc__i64 pfc__find_way(const pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t *known, int rank, int size)
{
    pfc__i64 tick = pfc__clock(), added;
    pfc__trial_t t;
    memset(&t, 0, sizeof t);
    t.k = k;
    t.kind = pfc__tried_kind(c);
    t.rank = rank;
    t.seen.size = size;
    t.seen.root = k->root;
    t.seen.to_root = k->rule == PFC__RULE_TO_ROOT;
    t.seen.scan = pfc__is_scan(t.kind);
    t.seen.empty = t.kind == PFC__SPARSE;
    t.seen.idle = !c->bytes && !pfc__of_one_length(t.kind);
    t.seen.shared = pfc__is_shared(t.kind);
    t.seen.takes_of = t.takes;
    t.seen.cost_of = t.takes + PFC__WEIGHTS;
    known->trials = (known->trials + 1) & 3;
    known->way = pfc__usual_way(t.kind) & 15;
    if (pfc__trial_agreed(&t, c)) {
        pfc__trial_run(&t, known);
        known->skips = pfc__in_v(t.kind) && pfc__trial_skips(&t);
    }
    pfc__ways_keep(k->known->members, k->known->way);
    free(t.own);
    free(t.all);
    free(t.counts);
    free(t.seen.stay);
    free(t.seen.left);
    added = pfc__trial_met(c, k, pfc__since(tick));
    if (!pfc__mpi.job) return added;
    __atomic_fetch_add(&pfc__mpi.job->tried, known->trials == 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pfc__mpi.job->tried_ns, pfc__since(tick), __ATOMIC_RELAXED);
    return added;
}

/* `added`: to every rank's Δ, once this call is over, because it was tried now. */
static PFC__QUIET pfc__known_way_t pfc__way_of(const pfc__call_t *c, const pfc__collective_t *k, int rank, int size, pfc__i64 *added)
{
    pfc__known_way_t untried = { PFC__WAY_NONE, 0, 0, 0, 0, 0 };
    enum pfc__tried_call kind = pfc__tried_kind(c);
    pfc__known_way_t *known = &k->known->way[kind][k->root != 0][pfc__of_one_length(kind) ? 0 : pfc__length_class(c->bytes)];
    if (kind == PFC__SPARSE) untried.way = pfc__usual_way(kind) & 15; /* there's nothing in that on which ranks could wait */
    *added = 0;
    if (!pfc__mpi.trials) return untried;
    if (!known->sure && known->trials < PFC__TRIALS) *added = pfc__find_way(c, k, known, rank, size);
    return *known;
}

/* ----------------------------------------- rooted collectives (MPI impl) ---
   Who is late on the way of the data delays those behind it: moments pass by
   the way that the data take. Which one that is, trials tell.

   Long data go in messages that wait for their receivers: there, who is late
   delays those before it, too.

   The length of calls that end in v, of which a trial is, is short. Where a rank's
   part is so long that its sender waits for its receiver, and for who gives parts
   to all, of whose length its own tells nothing, ± has what isn't explained.

   Scans have no root, but a way that libraries choose, too. */

static PFC__QUIET int pfc__rank_at(const pfc__collective_t *k, int place, int size)
{
    return pfc__world_rank(k->comm, (place + k->root) % size);
}

/* What goes straight is handed on by a tree all the same. */
PFC__HOT enum pfc__way pfc__tree_for(enum pfc__way way) { return way == PFC__WAY_FLAT ? PFC__WAY_HALVING : way; }

/* This rank has no part in it. */
PFC__HOT int pfc__is_skipped(const pfc__call_t *c, pfc__known_way_t known)
{
    return known.skips && known.way == PFC__WAY_FLAT && !c->bytes;
}

/* The call's end may be off by so much, and with it what it has waited. */
static PFC__QUIET void pfc__doubt_up_to(pfc__call_t *c, pfc__i64 u)
{
    pfc__call_doubts(c, pfc__max(0, u - c->end.u));
}

/* Where no way explains the clocks, what was waited after `there` may have been anybody's delay, and for what would be
   waited without delays there may be no need; `all`: of all ranks, where they are known. */
static PFC__QUIET void pfc__doubt(pfc__call_t *c, pfc__known_way_t known, pfc__i64 there, pfc__latest_t all)
{
    pfc__i64 range = INT64_MAX, waited = pfc__max(c->end.ct - pfc__max(c->begin.ct, there), c->wait_lt);
    if (known.sure || waited <= 0) return;
    if (!pfc__latest_is_none(all)) range = pfc__latest_range(pfc__latest_merge(all, pfc__latest_here(c->begin)));
    pfc__doubt_up_to(c, pfc__min(c->end.u + waited, range));
}

/* Nothing was exchanged: undisturbed, this rank left no earlier than if it had waited for nobody, and no later than it did. */
static PFC__QUIET void pfc__doubt_all(pfc__call_t *c, pfc__known_way_t known)
{
    if (!known.sure) pfc__doubt_up_to(c, pfc__max(c->end.u + c->end.ct - c->begin.ct, c->end.ct - c->end.lt));
}

/* Data of which a sender waits for its receiver, or that may come from other ranks than is known: nor does the clock show for whom a
   rank would have waited that came late by its delay alone. Since all met, nobody's has been less than the least one's then: by so
   much at most it would have left later. */
static PFC__QUIET void pfc__doubt_late(pfc__call_t *c, pfc__known_way_t known, int ordered)
{
    if (!known.sure && (ordered || pfc__send_waits(c->bytes, 0))) pfc__doubt_up_to(c, c->end.ct - c->end.lt - pfc__mpi.least_delay);
}

/* Between two places. */
typedef struct pfc__edge { int rank, waits; pfc__transfer_t step; } pfc__edge_t;

/* Between `child` and the place before it, one of which is `there`, and the other one here. */
static PFC__QUIET pfc__edge_t pfc__edge_of(const pfc__call_t *c, const pfc__collective_t *k, enum pfc__way way, int child, int there,
                                           int size)
{
    pfc__i64 bytes = c->bytes * pfc__way_weight(way, pfc__is_shared(pfc__tried_kind(c)), child, size);
    pfc__edge_t e;
    e.rank = pfc__rank_at(k, there, size);
    e.waits = pfc__send_waits(bytes, 0);
    e.step = pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER);
    if (e.waits) e.step.ns += pfc__cost_beyond(bytes); /* no call finds it there */
    return e;
}

/* ---- by messages that don't wait */

/* Data on their way from the root: when they were handed on, and who held them up. */
typedef struct pfc__handed { pfc__moment_t at; pfc__names_t late; } pfc__handed_t;

static PFC__QUIET pfc__handed_t pfc__handed_here(pfc__moment_t at)
{
    pfc__handed_t h = { at, pfc__latest_here(at).last };
    return h;
}

/* They have come from there, if there are any. */
static PFC__QUIET pfc__handed_t pfc__came_from(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, pfc__edge_t e)
{
    pfc__transfer_t travel = known.sure ? e.step : pfc__travel_tree(c, k->comm);
    pfc__handed_t from;
    PMPI_Recv(&from, (int)sizeof from, MPI_BYTE, e.rank, pfc__collective_tag(k), pfc__mpi.comm, MPI_STATUS_IGNORE);
    if (pfc__is_skipped(c, known)) return from;
    pfc__call_depends(c, from.at, pfc__call_cost(c->bytes), travel);
    pfc__waited_for(c, from.late);
    pfc__doubt(c, known, from.at.ct + travel.ns + travel.u, pfc__latest_none());
    return from;
}

/* Who has waited for them wasn't late. */
static PFC__QUIET pfc__handed_t pfc__handed_after(const pfc__call_t *c, pfc__handed_t from)
{
    pfc__handed_t here = pfc__handed_here(c->end);
    if (c->wait_ct > 0) here.late.ct = from.late.ct;
    if (c->wait_lt > 0) here.late.lt = from.late.lt;
    return here;
}

static PFC__QUIET void pfc__hand_on(const pfc__collective_t *k, enum pfc__way tree, int place, int size, pfc__handed_t from)
{
    int i;
    for (i = pfc__way_children(tree, place, size) - 1; i >= 0; i--)
        PMPI_Send(&from, (int)sizeof from, MPI_BYTE, pfc__rank_at(k, pfc__way_child(tree, place, i), size), pfc__collective_tag(k), pfc__mpi.comm);
}

static PFC__QUIET void pfc__one_to_all(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int place, int size)
{
    enum pfc__way way = (enum pfc__way)known.way, tree = pfc__tree_for(way);
    pfc__handed_t from = pfc__handed_here(c->begin);
    if (place) from = pfc__came_from(c, k, known, pfc__edge_of(c, k, way, place, pfc__way_parent(tree, place), size));
    else if (!known.sure) pfc__call_unexplained(c, from.at.ct + size * pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER).ns);
    pfc__hand_on(k, tree, place, size, place && way != PFC__WAY_FLAT ? pfc__handed_after(c, from) : from);
}

/* The root has a parent, too. */
static PFC__QUIET void pfc__by_first(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank, int size)
{
    pfc__collective_t from_first = *k;
    pfc__handed_t mine = pfc__handed_here(c->begin), from;
    pfc__edge_t before;
    from_first.root = 0;
    if (rank == k->root) PMPI_Send(&mine, (int)sizeof mine, MPI_BYTE, pfc__rank_at(&from_first, 0, size), pfc__collective_tag(k), pfc__mpi.comm);
    before = rank ? pfc__edge_of(c, &from_first, PFC__WAY_HALVING, rank, pfc__way_parent(PFC__WAY_HALVING, rank), size)
                  : pfc__edge_of(c, k, PFC__WAY_FLAT, rank, 0, size);
    from = pfc__came_from(c, k, known, before);
    pfc__hand_on(&from_first, PFC__WAY_HALVING, rank, size, pfc__handed_after(c, from));
}

/* The call ends, at `cost`, when what has come so far has come here. Returns when that was. */
static PFC__QUIET pfc__moment_t pfc__passed_comes(pfc__call_t *c, const pfc__passed_t *p, pfc__transfer_t cost)
{
    const pfc__transfer_t none = { 0, 0 };
    pfc__moment_t start = pfc__passed_moment(p->latest, p->way);
    pfc__call_depends(c, start, cost, none);
    pfc__waited_for(c, p->latest.last);
    return start;
}

/* `others`: all of them, where this is the root; elsewhere nobody is waited for, or those behind. */
static PFC__QUIET void pfc__gathers(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, pfc__latest_t others,
                                    const pfc__passed_t *behind)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__moment_t start = c->begin;
    if (known.way != PFC__WAY_FLAT) start = pfc__passed_comes(c, behind, pfc__call_cost(c->bytes));
    else if (!pfc__latest_is_none(others)) {
        start = pfc__latest_moment(others);
        pfc__call_depends(c, start, pfc__call_cost(c->bytes), travel);
        pfc__waited_for(c, others.last);
    }
    pfc__doubt(c, known, start.ct + travel.ns + travel.u, others);
}

static PFC__QUIET void pfc__all_to_one(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int place, int size)
{
    enum pfc__way tree = pfc__tree_for((enum pfc__way)known.way);
    pfc__passed_t mine = pfc__passed_of(c), theirs;
    pfc__latest_t others = pfc__latest_none();
    int i, child, children = pfc__way_children(tree, place, size), tag = pfc__collective_tag(k);
    if (place && pfc__is_skipped(c, known)) mine.latest = pfc__latest_none();
    for (i = 0; i < children; i++) {
        pfc__edge_t e;
        child = pfc__way_child(tree, place, i);
        e = pfc__edge_of(c, k, (enum pfc__way)known.way, child, child, size);
        PMPI_Recv(&theirs, (int)sizeof theirs, MPI_BYTE, e.rank, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
        others = pfc__latest_merge(others, theirs.latest);
        pfc__passed_merge(&mine, &theirs, e.step);
    }
    pfc__gathers(c, k, known, place ? pfc__latest_none() : others, &mine);
    if (place)
        PMPI_Send(&mine, (int)sizeof mine, MPI_BYTE, pfc__rank_at(k, pfc__way_parent(tree, place), size), tag, pfc__mpi.comm);
}

/* ---- by messages that wait for their receivers

   Each of them is a meeting of two (R4). When the call is over they tell each other how far they were, in the order of the
   messages: both went on once the later one had come, and the data had travelled. */

/* There may be such messages. Of calls that end in v no rank knows the others' lengths. */
static PFC__QUIET int pfc__may_meet(const pfc__call_t *c, enum pfc__way way, int size)
{
    enum pfc__tried_call kind = pfc__tried_kind(c);
    return (way < PFC__WAY_ALL || way == PFC__WAY_BY_FIRST) && !pfc__in_v(kind) && pfc__send_waits(c->bytes * (pfc__is_shared(kind) ? size / 2 : 1), 0);
}

static PFC__QUIET void pfc__meet_parent(pfc__passed_t *mine, const pfc__call_t *c, const pfc__collective_t *k, enum pfc__way way,
                                        int place, int size)
{
    pfc__edge_t e = pfc__edge_of(c, k, way, place, pfc__way_parent(way, place), size);
    int to_root = k->rule == PFC__RULE_TO_ROOT, tag = pfc__collective_tag(k);
    if (e.waits || to_root) pfc__passed_give(mine, e.rank, tag);
    if (e.waits) PMPI_Recv(mine, (int)sizeof *mine, MPI_BYTE, e.rank, tag, pfc__mpi.comm, MPI_STATUS_IGNORE); /* of both */
    else if (!to_root) pfc__passed_get(mine, e.rank, tag, e.step);
}

static PFC__QUIET void pfc__meet_child(pfc__passed_t *mine, pfc__edge_t e, int tag, int to_root)
{
    if (e.waits) mine->way = pfc__passed_later(mine->way, e.step);
    if (e.waits || to_root) pfc__passed_get(mine, e.rank, tag, e.step);
    if (e.waits || !to_root) pfc__passed_give(mine, e.rank, tag);
}

/* One after the other; of a flat way at once. */
static PFC__QUIET void pfc__meet_children(pfc__passed_t *mine, const pfc__call_t *c, const pfc__collective_t *k, enum pfc__way way,
                                          int place, int size)
{
    const pfc__transfer_t none = { 0, 0 };
    const pfc__passed_t own = *mine;
    int i, child, n = pfc__way_children(way, place, size), to_root = k->rule == PFC__RULE_TO_ROOT;
    for (i = 0; i < n; i++) {
        pfc__passed_t one = way == PFC__WAY_FLAT ? own : *mine;
        child = pfc__way_served(way, place, i, n, to_root);
        pfc__meet_child(&one, pfc__edge_of(c, k, way, child, child, size), pfc__collective_tag(k), to_root);
        pfc__passed_merge(mine, &one, none);
    }
}

/* What waits for its receiver has its cost in the way. */
static PFC__QUIET void pfc__meetings_end(pfc__call_t *c, pfc__known_way_t known, const pfc__passed_t *mine)
{
    const pfc__transfer_t none = { 0, 0 };
    pfc__moment_t start = pfc__passed_comes(c, mine, pfc__send_waits(c->bytes, 0) ? none : pfc__call_cost(c->bytes));
    pfc__doubt(c, known, start.ct, pfc__latest_none());
}

/* The root and rank 0. */
static PFC__QUIET void pfc__meet_first(pfc__passed_t *mine, const pfc__call_t *c, const pfc__collective_t *k, int place, int size)
{
    int first = (size - k->root) % size;
    if (place == first) pfc__meet_parent(mine, c, k, PFC__WAY_FLAT, place, size);
    if (!place) pfc__meet_child(mine, pfc__edge_of(c, k, PFC__WAY_FLAT, first, first, size), pfc__collective_tag(k), 0);
}

static PFC__QUIET void pfc__meetings(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int place, int size)
{
    enum pfc__way way = (enum pfc__way)known.way;
    pfc__passed_t mine = pfc__passed_of(c);
    pfc__collective_t from = *k;
    if (way == PFC__WAY_BY_FIRST) {
        pfc__meet_first(&mine, c, k, place, size);
        place = (place + k->root) % size;
        from.root = 0;
        way = PFC__WAY_HALVING;
    }
    if (place && k->rule == PFC__RULE_FROM_ROOT) pfc__meet_parent(&mine, c, &from, way, place, size);
    pfc__meet_children(&mine, c, &from, way, place, size);
    if (place && k->rule == PFC__RULE_TO_ROOT) pfc__meet_parent(&mine, c, &from, way, place, size);
    pfc__meetings_end(c, known, &mine);
}

/* ---- by all, and scans */

/* In a message that waits for its receiver, one rank gives its data to the one before it, and leaves. 1: it was this one. */
static PFC__QUIET int pfc__gives(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known)
{
    int rank = k->known->rank, size, tag = pfc__collective_tag(k);
    pfc__transfer_t travel;
    pfc__passed_t mine;
    if (!known.folds || k->rule != PFC__RULE_TO_ROOT || !pfc__send_waits(c->bytes, 0)) return 0;
    size = pfc__ranks_in(k->comm);
    mine = pfc__passed_of(c);
    if (pfc__gives_away(rank + 1, k->root, size)) pfc__passed_give(&mine, pfc__world_rank(k->comm, rank + 1), tag);
    if (!pfc__gives_away(rank, k->root, size)) return 0;
    travel = pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER);
    mine.way = pfc__passed_later(mine.way, travel);
    pfc__passed_get(&mine, pfc__world_rank(k->comm, rank - 1), tag, travel);
    pfc__meetings_end(c, known, &mine);
    return 1;
}

enum { PFC__STEP_BYTES = 1024 }; /* fewer take no time that would be worth another exchange */

/* By how much ranks' ends may be off one for all of them: where another rank would have been the last, or one came so shortly before
   the last, in either time, that its data may have come after the last one's, by more steps. */
static PFC__QUIET pfc__i64 pfc__one_end_off(const pfc__call_t *c, const pfc__collective_t *k, pfc__latest_t latest, pfc__i64 most)
{
    pfc__i64 mine[2], second[2], range = pfc__latest_range(latest);
    if (range <= 0 || pfc__ranks_in(k->comm) <= 2) return 0;
    if (c->bytes < PFC__STEP_BYTES) return pfc__another_is_last(latest.last) ? range : 0;
    mine[0] = pfc__is_own((pfc__u32)pfc__signer(latest.last.ct)) ? PFC__NEVER : c->begin.ct;
    mine[1] = pfc__is_own((pfc__u32)pfc__signer(latest.last.lt)) ? PFC__NEVER : c->begin.lt;
    PMPI_Allreduce(mine, second, 2, MPI_INT64_T, MPI_MAX, k->comm);
    if (pfc__another_is_last(latest.last)) return range;
    return pfc__min(range, pfc__max(0, most - pfc__min(latest.ct - second[0], latest.lt - second[1])));
}

static PFC__QUIET void pfc__all_to_all(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__latest_t latest = pfc__exchange(PFC__RULE_ALL, 0, k->comm, pfc__latest_here(c->begin));
    int leaves = known.leaves && !(k->rule == PFC__RULE_TO_ROOT && k->known->rank == k->root); /* it did so where another one was the root */
    pfc__i64 off = known.sure ? pfc__one_end_off(c, k, latest, travel.ns + travel.u) : 0;
    if (pfc__gives(c, k, known)) return;
    if (!leaves && pfc__latest_is_before(latest, c->end)) {
        pfc__call_depends(c, pfc__latest_moment(latest), pfc__call_cost(c->bytes), travel);
        pfc__waited_for(c, latest.last);
        if (off > 0) pfc__last_doubted(c, k, off);
    }
    pfc__doubt(c, known, (leaves ? c->begin.ct : latest.ct) + travel.ns + travel.u, latest);
}

/* When the last one's data and this rank were there: what is done with them then takes as long, whoever was the last. */
static PFC__QUIET pfc__moment_t pfc__with_mine(const pfc__call_t *c, pfc__latest_t others, pfc__transfer_t travel)
{
    pfc__moment_t mine = c->begin; /* its own data needn't travel */
    mine.ct -= travel.ns;
    mine.lt -= travel.ns;
    return pfc__latest_moment(pfc__latest_merge(others, pfc__latest_here(mine)));
}

static PFC__QUIET void pfc__scan_prefix(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank)
{
    pfc__transfer_t travel = pfc__travel_tree(c, k->comm);
    pfc__latest_t latest = pfc__exchange(PFC__RULE_PREFIX, 0, k->comm, pfc__latest_here(c->begin));
    if (rank) pfc__collective_depends_on(c, k, latest, pfc__with_mine(c, latest, travel));
    pfc__doubt(c, known, (rank ? latest.ct : c->begin.ct) + travel.ns + travel.u, pfc__latest_none());
}

/* Between ranks whose numbers differ in one bit. */
static PFC__QUIET void pfc__scan_doubling(pfc__call_t *c, const pfc__collective_t *k, pfc__known_way_t known, int rank, int size)
{
    pfc__transfer_t step = pfc__travel(c->bytes, (pfc__u32)PFC__ANY_PEER);
    pfc__passed_t mine = pfc__passed_of(c);
    int distance, other, tag = pfc__collective_tag(k);
    for (distance = 1; distance < size; distance *= 2) {
        if ((rank ^ distance) >= size) continue;
        other = pfc__rank_at(k, rank ^ distance, size);
        pfc__passed_swap(&mine, other, other, tag, step);
    }
    pfc__doubt(c, known, pfc__passed_comes(c, &mine, pfc__call_cost(c->bytes)).ct, mine.latest);
}

static PFC__QUIET int pfc__rooted(pfc__call_t *c, const pfc__collective_t *k)
{
#ifndef PERFCOMP_MPI_TAU
    pfc__known_way_t known;
    pfc__i64 added;
    int rank, size, place;
    if (!pfc__has_way(k->rule) || !k->number) return 0;
    rank = k->known->rank;
    PMPI_Comm_size(k->comm, &size);
    if (k->root < 0 || k->root >= size) return 0;
    if (size == 1) return 1;
    known = pfc__way_of(c, k, rank, size, &added);
    place = (rank - k->root + size) % size;
    if (pfc__in_v(pfc__tried_kind(c)) && (place ? pfc__send_waits(c->bytes, 0) : k->rule == PFC__RULE_FROM_ROOT)) known.sure = 0;
    if (k->ordered) known.sure = 0;
    if (known.way == PFC__WAY_ALL) pfc__all_to_all(c, k, known);
    else if (k->rule == PFC__RULE_PREFIX && known.way == PFC__WAY_DOUBLING) pfc__scan_doubling(c, k, known, rank, size);
    else if (k->rule == PFC__RULE_PREFIX && !(known.way == PFC__WAY_NONE && known.sure)) pfc__scan_prefix(c, k, known, rank);
    else if (known.way == PFC__WAY_NONE) pfc__doubt_all(c, known);
    else if (pfc__may_meet(c, (enum pfc__way)known.way, size)) pfc__meetings(c, k, known, place, size);
    else if (known.way == PFC__WAY_BY_FIRST) pfc__by_first(c, k, known, rank, size);
    else if (k->rule == PFC__RULE_FROM_ROOT) pfc__one_to_all(c, k, known, place, size);
    else pfc__all_to_one(c, k, known, place, size);
    pfc__doubt_late(c, known, k->ordered);
    if (added) pfc__mpi.least_delay += added; /* with several threads it is 0 */
    return 1;
#else
    return (void)c, (void)k, 0;
#endif
}

/* ------------------------------------------------------ sparse (MPI impl) ---
   Alltoallv and Alltoallw where ranks have nothing for others, as in sparse
   solvers and exchanges of particles. Many libraries send nothing then, so that
   a rank depends on those alone that it gets something from: the latest of all
   (R6) would give it the delay of a rank from which it has never heard. Others
   pass empty messages on. An experiment tells (see trials): ranks
   that come spread over some time to a call in which nobody has anything leave
   it at once, or after the last of them has come.

   Where they leave, moments go as data do, from each to each that it has
   something for, so that they meet nobody whom the call didn't. Who sends more
   than the library buffers waits for its receiver (R4): they tell each other. */

/* What each of the others gets, or gives. */
typedef struct pfc__blocks {
    const void *count;   /* int, or MPI_Count: `width` bytes each */
    size_t width;
    MPI_Datatype type;
    const MPI_Datatype *types; /* NULL: `type` is that of all */
} pfc__blocks_t;

static PFC__QUIET pfc__blocks_t pfc__blocks_of(const void *count, size_t width, MPI_Datatype type)
{
    pfc__blocks_t b = { count, width, type, 0 };
    return b;
}

static PFC__QUIET pfc__blocks_t pfc__blocks_of_types(const void *count, size_t width, const MPI_Datatype types[])
{
    pfc__blocks_t b = { count, width, MPI_DATATYPE_NULL, types };
    return b;
}

static PFC__QUIET pfc__i64 pfc__block_bytes(const pfc__blocks_t *b, int i)
{
    pfc__i64 count = pfc__count_of(b->count, b->width, i);
    return count > 0 ? pfc__bytes_of(count, b->types ? b->types[i] : b->type) : 0;
}

typedef struct pfc__sparse {
    const pfc__collective_t *k;
    int rank, size;
    pfc__blocks_t given, taken;
    MPI_Request *sent;
    int *world; /* ranks in MPI_COMM_WORLD */
} pfc__sparse_t;

/* Without memory it goes on all the same, but slowly. */
static PFC__QUIET void pfc__sparse_room(pfc__sparse_t *s)
{
    MPI_Group here, world;
    int i, *rank;
    s->sent = (MPI_Request *)malloc((size_t)s->size * (sizeof *s->sent + 2 * sizeof *s->world));
    s->world = 0;
    if (!s->sent || s->k->as_world) return;
    rank = (int *)(void *)(s->sent + s->size);
    s->world = rank + s->size;
    for (i = 0; i < s->size; i++) rank[i] = i;
    PMPI_Comm_group(s->k->comm, &here);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(here, s->size, rank, world, s->world);
    PMPI_Group_free(&world);
    PMPI_Group_free(&here);
}

static PFC__QUIET int pfc__sparse_rank(const pfc__sparse_t *s, int i)
{
    if (s->k->as_world) return i;
    return s->world ? s->world[i] : pfc__world_rank(s->k->comm, i);
}

/* Whether one who gives and takes these blocks tells `i` when it came. Both ends of a block know how long it is. */
static PFC__QUIET int pfc__sparse_tells(const pfc__blocks_t *given, const pfc__blocks_t *taken, int i)
{
    return pfc__block_bytes(given, i) > 0 || pfc__send_waits(pfc__block_bytes(taken, i), 0);
}

/* Without memory for requests it waits until each is sent: moments are short, and libraries buffer them. */
static PFC__QUIET int pfc__sparse_tell(const pfc__sparse_t *s, const pfc__moment_t *mine)
{
    int bytes = (int)sizeof *mine, tag = pfc__collective_tag(s->k), far, n = 0;
    for (far = 1; far < s->size; far++) {
        int i = (s->rank + far) % s->size;
        if (!pfc__sparse_tells(&s->given, &s->taken, i)) continue;
        if (s->sent) PMPI_Isend(mine, bytes, MPI_BYTE, pfc__sparse_rank(s, i), tag, pfc__mpi.comm, &s->sent[n++]);
        else PMPI_Send(mine, bytes, MPI_BYTE, pfc__sparse_rank(s, i), tag, pfc__mpi.comm);
    }
    return n;
}

/* When all is there from those on whom this rank's call depended: once the data have travelled; long ones do so from when
   both ends have come. */
typedef struct pfc__sparse_came { pfc__latest_t latest; pfc__moment_t way; } pfc__sparse_came_t;

static PFC__QUIET void pfc__sparse_heard(pfc__sparse_came_t *came, const pfc__sparse_t *s, int i, pfc__moment_t mine, pfc__moment_t theirs)
{
    pfc__i64 bytes = pfc__block_bytes(&s->taken, i), longest = pfc__max(bytes, pfc__block_bytes(&s->given, i));
    pfc__moment_t from = pfc__passed_first(theirs);
    if (pfc__send_waits(longest, 0)) {
        from = pfc__later_arrival(from, pfc__passed_first(mine));
        bytes = longest;
    }
    came->latest = pfc__latest_merge(came->latest, pfc__latest_by(pfc__sparse_rank(s, i), theirs));
    came->way = pfc__passed_on(came->way, from, pfc__travel(bytes, (pfc__u32)PFC__ANY_PEER));
}

static PFC__QUIET pfc__sparse_came_t pfc__sparse_exchange(pfc__sparse_t *s, pfc__moment_t mine)
{
    pfc__sparse_came_t came;
    int far, n;
    pfc__sparse_room(s);
    n = pfc__sparse_tell(s, &mine);
    came.latest = pfc__latest_here(mine);
    came.way = pfc__passed_first(mine);
    for (far = 1; far < s->size; far++) {
        int i = (s->rank + s->size - far) % s->size;
        pfc__moment_t theirs;
        if (!pfc__sparse_tells(&s->taken, &s->given, i)) continue; /* as they see it */
        PMPI_Recv(&theirs, (int)sizeof theirs, MPI_BYTE, pfc__sparse_rank(s, i), pfc__collective_tag(s->k), pfc__mpi.comm, MPI_STATUS_IGNORE);
        pfc__sparse_heard(&came, s, i, mine, theirs);
    }
    while (n) PMPI_Wait(&s->sent[--n], MPI_STATUS_IGNORE);
    free(s->sent);
    return came;
}

/* The library's call is over. In place, blocks are swapped pair by pair, so that each rank meets all: R6. */
static PFC__QUIET void pfc__sparse_end(pfc__call_t *c, pfc__collective_t *k, int error, int in_place, pfc__blocks_t given,
                                       pfc__blocks_t taken)
{
    pfc__known_way_t known = { PFC__WAY_ALL, 0, 1, 0, 0, 0 };
    pfc__sparse_t s = { k, 0, 0, given, taken, 0, 0 };
    pfc__sparse_came_t came;
    pfc__i64 added = 0;
    pfc__call_end(c);
    if (k->number && !in_place && !pfc__is_refused(error)) {
        s.rank = k->known->rank;
        s.size = pfc__ranks_in(k->comm);
        if (s.size > 1) known = pfc__way_of(c, k, s.rank, s.size, &added);
        if (added) pfc__mpi.least_delay += added;
    }
    if (known.way != PFC__WAY_NONE) {
        pfc__collective_met(c, k, error);
        return;
    }
    came = pfc__sparse_exchange(&s, c->begin);
    pfc__collective_depends_on(c, k, came.latest, pfc__passed_moment(came.latest, came.way));
    pfc__doubt(c, known, came.way.ct, came.latest);
}

/* A nonblocking or persistent one, whose exchange is among all: it may have waited for those alone that give it something. */
static PFC__QUIET void pfc__sparse_begun(pfc__collective_t *k, pfc__blocks_t taken)
{
    int i, peers = k->exchanges ? pfc__peers_in(k->comm) : 0;
    for (i = 0; i < peers; i++)
        if (pfc__block_bytes(&taken, i) == 0 && (k->known->inter || i != k->known->rank)) k->may_part = PFC__MAY_NEED_SOME;
}

/* ----------------------------------------- what windows share (MPI impl) ---
   A communicator of ours, and beside each rank's window a record of when it was
   unlocked. Windows over the same ranks share them: a library has few
   communicators (MPICH 2,048), and each window takes one as well. */

/* Until when a window was locked, and since when (LT), as pfc__had_t has it. Of several that had it together, what all say of
   it is the latest: the one that came last and the one that stayed longest have it all along between them. */
typedef struct pfc__locked { pfc__latest_t end; pfc__i64 since; } pfc__locked_t;

/* At a rank whose window was locked: the last time by one alone, by all together after that, and what is waited there, as those
   tell that have it alone. */
typedef struct pfc__unlocked { pfc__locked_t alone; pfc__i64 usual_wait; pfc__locked_t together; } pfc__unlocked_t;

static PFC__QUIET pfc__locked_t pfc__never_locked(void)
{
    pfc__locked_t l;
    l.end = pfc__latest_none();
    l.since = PFC__NEVER;
    return l;
}

static PFC__QUIET pfc__unlocked_t pfc__never_unlocked(void)
{
    pfc__unlocked_t u;
    u.alone = u.together = pfc__never_locked();
    u.usual_wait = 0;
    return u;
}

typedef struct pfc__wins_shared {
    struct pfc__wins_shared *next;
    MPI_Comm comm;             /* ours, over these ranks */
    pfc__comm_t *known;
    MPI_Win locks;             /* ours: a record a window; MPI_WIN_NULL: none */
    pfc__unlocked_t *unlocked; /* this rank's */
    int size;
    pfc__u64 taken;            /* by windows: a bit each */
} pfc__wins_shared_t;

enum { PFC__WINS_SHARING = 64 };

static pfc__wins_shared_t *pfc__wins_first;

/* Open MPI 4.1 names the memory of a host's ranks after their communicator's number, and sets of ranks that have none in
   common have the same numbers: one's records would be the other's. That of shared windows has its ranks' name as well. */
static PFC__QUIET int pfc__locks_allocate(pfc__wins_shared_t *s, MPI_Win *locks)
{
    const MPI_Aint bytes = PFC__WINS_SHARING * sizeof *s->unlocked;
    const int unit = sizeof(pfc__i64);
#if defined OPEN_MPI && !defined PERFCOMP_SMPI
    if (!PMPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, s->comm, &s->unlocked, locks)) return MPI_SUCCESS;
#endif
    return PMPI_Win_allocate(bytes, unit, MPI_INFO_NULL, s->comm, &s->unlocked, locks); /* there are several hosts */
}

/* The ranks' records of unlocking, open for access until they are dropped. */
static PFC__QUIET MPI_Win pfc__locks_made(pfc__wins_shared_t *s)
{
    MPI_Win locks;
    PMPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    if (pfc__locks_allocate(s, &locks)) return MPI_WIN_NULL;
    PMPI_Win_set_errhandler(locks, MPI_ERRORS_RETURN);
    s->unlocked[0] = pfc__never_unlocked();
    PMPI_Win_fence(MPI_MODE_NOSUCCEED, locks);
    PMPI_Win_lock_all(MPI_MODE_NOCHECK, locks);
    return locks;
}

/* With room for a window, whose number is 0. NULL: one of the ranks had no memory. */
static PFC__QUIET pfc__wins_shared_t *pfc__wins_share_new(MPI_Comm users)
{
    pfc__wins_shared_t *s = (pfc__wins_shared_t *)calloc(1, sizeof *s);
    MPI_Comm comm = pfc__comm_beside(users, s != 0);
    if (comm == MPI_COMM_NULL) {
        free(s);
        return 0;
    }
    s->comm = comm;
    s->known = pfc__comm_carries(comm);
    s->taken = 1;
    PMPI_Comm_size(comm, &s->size);
    s->locks = pfc__locks_made(s);
    pfc__mpi_lock();
    s->next = pfc__wins_first;
    pfc__wins_first = s;
    pfc__mpi_unlock();
    return s;
}

/* Room for a window over these ranks; NULL: there is none. Where threads may synchronise two windows at the same time
   they share nothing: two exchanges in one communicator would get mixed up. */
static PFC__QUIET pfc__wins_shared_t *pfc__wins_share_take(MPI_Comm users, int *number)
{
    pfc__wins_shared_t *s;
    int alike;
    *number = 0;
    pfc__mpi_lock();
    for (s = pfc__mpi.threads ? 0 : pfc__wins_first; s; s = s->next)
        if (~s->taken && !PMPI_Comm_compare(s->comm, users, &alike) && alike == MPI_CONGRUENT) break;
    if (s) {
        *number = __builtin_ctzll(~s->taken);
        s->taken |= (pfc__u64)1 << *number;
    }
    pfc__mpi_unlock();
    if (s && s->locks != MPI_WIN_NULL) {
        s->unlocked[*number] = pfc__never_unlocked();
        PMPI_Win_sync(s->locks);
    }
    return s;
}

/* The last window closes it. */
static PFC__QUIET void pfc__wins_share_leave(pfc__wins_shared_t *s, int number)
{
    pfc__wins_shared_t **at = &pfc__wins_first;
    int last;
    pfc__mpi_lock();
    s->taken &= ~((pfc__u64)1 << number);
    last = !s->taken;
    while (last && *at != s) at = &(*at)->next;
    if (last) *at = s->next;
    pfc__mpi_unlock();
    if (!last) return;
    if (s->locks != MPI_WIN_NULL) {
        PMPI_Win_unlock_all(s->locks);
        PMPI_Win_free(&s->locks);
    }
    pfc__comm_drop(s->comm);
    free(s);
}

/* ----------------------------------------------------- windows (MPI impl) ---
   One-sided communication. Its data move at some time between two calls that
   synchronise; only those wait for other ranks, as far as we can know:

       Win_fence, Win_free   all meet (R6), where the clock doesn't show that a fence ended before
       Win_start             for the Win_post of its targets (R4)
       Win_wait, Win_test    for the Win_complete of its origins (R1)
       Win_lock, _lock_all   for who held the lock before (see window_locks)

   When a target answered nobody tells: see accesses. */

enum pfc__partners { PFC__ORIGINS, PFC__TARGETS };
enum pfc__epoch_news { PFC__POSTED, PFC__COMPLETED };

/* A rank's window, locked by this one; `alone`: exclusively. */
typedef struct pfc__lock { struct pfc__lock *next; int rank, alone; pfc__i64 since, usual_wait; } pfc__lock_t;

typedef struct pfc__win {
    pfc__by_handle_t entry;
    pfc__wins_shared_t *shared;
    int number;               /* among those that share it */
    struct { int n, *rank; } with[2]; /* by enum pfc__partners: of the epoch */
    pfc__i64 telling[2];      /* by enum pfc__epoch_news: how long it took to tell one of them, at least; 0: not known */
    pfc__lock_t *locked;      /* Win_lock; the rest: see window_locks */
    int all_locked;           /* Win_lock_all, and somebody may wait for its end */
    pfc__i64 all_since;
    pfc__i64 least_to_all;
} pfc__win_t;

static pfc__handles_t pfc__wins;

/* ---- windows made and freed */

static PFC__QUIET void pfc__answers_measure(const pfc__wins_shared_t *s); /* see window_locks */

/* What a window shares, and which number it has there, each rank finds out for itself. 1: they are of one mind; 0: it
   needs its own, since only some of them may run threads; −1: a rank has no record. */
static PFC__QUIET int pfc__wins_agreed(MPI_Comm users, int recorded, const pfc__wins_shared_t *s, int number)
{
    pfc__i64 mine[5], all[5];
    mine[0] = recorded;
    mine[1] = s ? s->known->number : 0;
    mine[2] = number;
    mine[3] = -mine[1];
    mine[4] = -mine[2];
    PMPI_Allreduce(mine, all, 5, MPI_INT64_T, MPI_MIN, users);
    return !all[0] ? -1 : all[1] && all[1] == -all[3] && all[2] == -all[4];
}

/* All ranks keep a record of a new window, or none does. */
static PFC__QUIET void pfc__win_made(MPI_Comm users, MPI_Win win)
{
    pfc__win_t *w;
    pfc__wins_shared_t *s;
    int number, agreed;
    if (!pfc__comm_carries(users)) return;
    w = (pfc__win_t *)calloc(1, sizeof *w);
    if (w) pfc__handles_keep(&pfc__wins, PFC__KEY(win), &w->entry);
    s = pfc__wins_share_take(users, &number);
    agreed = pfc__wins_agreed(users, w != 0, s, number);
    if (s && agreed != 1) pfc__wins_share_leave(s, number);
    if (agreed == 0) {
        s = pfc__wins_share_new(users);
        number = 0;
        if (s && s->locks != MPI_WIN_NULL) pfc__answers_measure(s);
    }
    if (agreed != -1 && s) {
        w->shared = s;
        w->number = number;
        return;
    }
    if (w) pfc__handles_take(&pfc__wins, PFC__KEY(win));
    free(w);
}

/* NULL: its ranks aren't all known to run the layer, or one had no memory for its record. */
static PFC__QUIET pfc__win_t *pfc__win_of(MPI_Win win)
{
    return (pfc__win_t *)(void *)pfc__handles_look(&pfc__wins, PFC__KEY(win));
}

static PFC__QUIET int pfc__win_fence(pfc__call_t *c, int assert, MPI_Win win)
{
    const pfc__win_t *w = pfc__win_of(win);
    pfc__collective_t k;
    int error;
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, w ? w->shared->comm : MPI_COMM_NULL);
    k.may_part = assert & MPI_MODE_NOPRECEDE ? PFC__MAY_LET_GO : PFC__MAY_LEAVE; /* with it libraries needn't wait */
    error = PMPI_Win_fence(assert, win);
    pfc__collective_end(c, &k, error);
    return error;
}

static PFC__QUIET int pfc__win_free(pfc__call_t *c, MPI_Win *win)
{
    pfc__win_t *w = (pfc__win_t *)(void *)pfc__handles_take(&pfc__wins, PFC__KEY(*win));
    pfc__collective_t k;
    int error;
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, w ? w->shared->comm : MPI_COMM_NULL);
    error = PMPI_Win_free(win);
    pfc__collective_end(c, &k, error);
    if (!w) return error;
    pfc__wins_share_leave(w->shared, w->number);
    free(w->with[PFC__ORIGINS].rank);
    free(w->with[PFC__TARGETS].rank);
    free(w);
    return error;
}

/* ---- epochs of groups: what one side did travels to the other as posts do (see posts) */

static PFC__QUIET void pfc__epoch_with(pfc__win_t *w, enum pfc__partners side, MPI_Group group)
{
    MPI_Group all;
    int n = 0, i, *rank, *of_group;
    free(w->with[side].rank);
    w->with[side].rank = 0;
    w->with[side].n = 0;
    if (group == MPI_GROUP_NULL || PMPI_Group_size(group, &n)) return;
    rank = (int *)malloc((size_t)(2 * n + 1) * sizeof *rank);
    if (!rank) return;
    of_group = rank + n;
    for (i = 0; i < n; i++) of_group[i] = i;
    PMPI_Comm_group(w->shared->comm, &all);
    PMPI_Group_translate_ranks(group, n, of_group, all, rank);
    PMPI_Group_free(&all);
    w->with[side].rank = rank;
    w->with[side].n = n;
}

/* Of streams in a communicator that nobody else uses. */
PFC__HOT int pfc__epoch_tag(const pfc__win_t *w, enum pfc__epoch_news news) { return 2 * w->number + (int)news; }

/* Before the library's own message: then it is there in time. That goes when all have been told, which is ours, too: what it takes
   at least, as far as is known. (The library may move data meanwhile.) It may take less this time: when that message goes is uncertain
   by so much, in CT as in LT. */
static PFC__QUIET void pfc__epoch_tell(pfc__call_t *c, pfc__win_t *w, enum pfc__partners side, enum pfc__epoch_news news)
{
    const int n = w->with[side].n;
    pfc__moment_t now = pfc__call_so_far(c);
    pfc__i64 took = n * w->telling[news];
    int i, world;
    now.ct += took;
    now.clock += took;
    if (news == PFC__COMPLETED) now = pfc__moved_before(now);
    for (i = 0; i < n; i++) {
        pfc__stream_t *s;
        pfc__mpi_lock();
        s = pfc__stream_of(w->shared->known->number, w->with[side].rank[i], pfc__epoch_tag(w, news));
        if (s && (world = pfc__world_rank(w->shared->comm, w->with[side].rank[i])) >= 0)
            pfc__post_send(world, w->shared->known, pfc__epoch_tag(w, news), ++s->posted, now, 0);
        pfc__mpi_unlock();
    }
    took = pfc__since(c->tick_in);
    if (!n || took > n * pfc__answer_patience(0)) return; /* somebody else had the processor */
    pfc__at_least_seen(&w->telling[news], took / n);
}

/* This rank will ask what they told. */
static PFC__QUIET void pfc__epoch_expect(const pfc__win_t *w, enum pfc__partners side, enum pfc__epoch_news news)
{
    pfc__stream_t *s;
    int i;
    for (i = 0; i < w->with[side].n; i++) pfc__stream_send(w->shared->known, w->with[side].rank[i], pfc__epoch_tag(w, news), 1, &s);
}

/* The call has waited for what the partners told, or ended before. */
static PFC__QUIET void pfc__epoch_met(pfc__call_t *c, const pfc__win_t *w, enum pfc__partners side, enum pfc__epoch_news news)
{
    pfc__latest_t latest = pfc__latest_none();
    pfc__i64 last_ct = PFC__NEVER;
    pfc__post_t post;
    int i, last = -1;
    memset(&post, 0, sizeof post);
    for (i = 0; i < w->with[side].n; i++) {
        pfc__stream_t *s;
        pfc__mpi_lock();
        s = pfc__stream_of(w->shared->known->number, w->with[side].rank[i], pfc__epoch_tag(w, news));
        pfc__mpi_unlock();
        if (!s || !pfc__post_of(s, s->sent, &post)) continue;
        latest = pfc__latest_merge(latest, pfc__latest_of(pfc__post_moment(&post)));
        if (post.ct > last_ct) last_ct = post.ct, last = post.world;
    }
    if (!pfc__latest_is_before(latest, c->end)) return;
    if (PFC__UNLIKELY(pfc__polling) && news == PFC__COMPLETED) pfc__polls_end(c);
    /* it has travelled as an empty message */
    pfc__call_depends(c, pfc__latest_moment(latest), pfc__call_cost(0), pfc__travel(0, (pfc__u32)PFC__ANY_PEER));
    c->wait_kind = news == PFC__POSTED ? PFC__LATE_RECEIVER : PFC__LATE_SENDER;
    if (last >= 0) pfc__peer_waited((pfc__u32)last, c->polled_ct + c->wait_ct, c->wait_lt);
}

static PFC__QUIET int pfc__win_post(pfc__call_t *c, MPI_Group group, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    int error;
    if (w) {
        pfc__epoch_with(w, PFC__ORIGINS, group);
        pfc__epoch_expect(w, PFC__ORIGINS, PFC__COMPLETED);
        pfc__epoch_tell(c, w, PFC__ORIGINS, PFC__POSTED);
    }
    pfc__call_begin(c);
    error = PMPI_Win_post(group, assert, win);
    pfc__call_end(c);
    return error;
}

static PFC__QUIET int pfc__win_start(pfc__call_t *c, MPI_Group group, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    int error;
    if (w) {
        pfc__epoch_with(w, PFC__TARGETS, group);
        pfc__epoch_expect(w, PFC__TARGETS, PFC__POSTED);
    }
    pfc__call_begin(c);
    error = PMPI_Win_start(group, assert, win);
    pfc__call_end(c);
    if (w && !error) pfc__epoch_met(c, w, PFC__TARGETS, PFC__POSTED);
    return error;
}

static PFC__QUIET int pfc__win_complete(pfc__call_t *c, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    int error;
    if (w) pfc__epoch_tell(c, w, PFC__TARGETS, PFC__COMPLETED);
    pfc__call_begin(c);
    error = PMPI_Win_complete(win);
    pfc__call_end(c);
    pfc__answers_doubt(c);
    return error;
}

/* Win_wait; with a flag: Win_test. */
static PFC__QUIET int pfc__win_wait(pfc__call_t *c, MPI_Win win, int *flag)
{
    const pfc__win_t *w = pfc__win_of(win);
    int error;
    pfc__call_begin(c);
    error = flag ? PMPI_Win_test(win, flag) : PMPI_Win_wait(win);
    pfc__call_end(c);
    if (!w || error) return error;
    if (flag && !*flag) pfc__poll_in_vain(c);
    else pfc__epoch_met(c, w, PFC__ORIGINS, PFC__COMPLETED);
    return error;
}

/* ------------------------------------------------ locks of windows (MPI impl) ---
   Who unlocks writes beside the lock when that was, into a window of our own, while
   nobody else can have it; the next one finds it there, and has its turn (see turns).
   Who has it alone has come behind all others: it writes anew. A shared lock waits for
   those that have it alone only. Locks of all ranks are shared: they read, and write,
   beside each of them. */

enum {
    PFC__LOCKED_FIELDS = sizeof(pfc__locked_t) / sizeof(pfc__i64),
    PFC__UNLOCKED_FIELDS = sizeof(pfc__unlocked_t) / sizeof(pfc__i64),
    PFC__TOGETHER_FROM = PFC__UNLOCKED_FIELDS - PFC__LOCKED_FIELDS
};

/* A rank's record answers our questions by itself, or when that rank is inside of
   MPI. In the first case all that an answer takes is ours. In the second, it comes
   when the program's own next flush or unlock there would have got its answer, and
   what that one waits counts as the program's time (R3): so does what we have waited
   in its place, and it then finds the rank there. (A program that computes first would
   have waited less; by how much isn't known.) The two are told apart by what answers
   take at least: noise and distance make it a few times as long, being away much more. */
enum pfc__question { PFC__ASKING, PFC__TELLING };
enum { PFC__ANSWER_FACTOR = 4 };

static pfc__i64 pfc__answer_least[2][2]; /* ns; by enum pfc__question, and whether a rank asked itself */

static PFC__QUIET pfc__i64 pfc__awaited(pfc__i64 took, pfc__i64 ours)
{
    return took > PFC__ANSWER_FACTOR * ours ? took - ours : 0;
}

/* What the program would have waited, of what a rank's answer took. */
static PFC__QUIET pfc__i64 pfc__answer_awaited(enum pfc__question question, int itself, pfc__i64 took)
{
    pfc__i64 *least = &pfc__answer_least[question][itself], ours;
    pfc__mpi_lock();
    pfc__at_least_seen(least, took);
    ours = *least;
    pfc__mpi_unlock();
    return itself ? 0 : pfc__awaited(took, ours);
}

/* The same of all ranks' answers. */
static PFC__QUIET pfc__i64 pfc__answers_awaited(enum pfc__question question, int ranks, pfc__i64 took)
{
    pfc__i64 ours;
    pfc__mpi_lock();
    ours = ranks * pfc__answer_least[question][0];
    pfc__mpi_unlock();
    return ranks > 1 ? pfc__awaited(took, ours) : 0;
}

/* Where a window's record lies, and which part of it. */
PFC__HOT MPI_Aint pfc__alone_at(int number) { return number * (MPI_Aint)PFC__UNLOCKED_FIELDS; }
PFC__HOT MPI_Aint pfc__together_at(int number) { return pfc__alone_at(number) + PFC__TOGETHER_FROM; }

/* Each returns what the program would have waited. */
static PFC__QUIET pfc__i64 pfc__lock_ask(const pfc__wins_shared_t *s, int number, int rank, pfc__unlocked_t *before)
{
    pfc__i64 tick = pfc__clock();
    *before = pfc__never_unlocked();
    PMPI_Get(before, PFC__UNLOCKED_FIELDS, MPI_INT64_T, rank, pfc__alone_at(number), PFC__UNLOCKED_FIELDS, MPI_INT64_T, s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__ASKING, rank == s->known->rank, pfc__since(tick));
}

static PFC__QUIET pfc__i64 pfc__lock_tell_together(const pfc__wins_shared_t *s, int number, int rank, const pfc__locked_t *mine)
{
    pfc__i64 tick = pfc__clock();
    PMPI_Accumulate(mine, PFC__LOCKED_FIELDS, MPI_INT64_T, rank, pfc__together_at(number), PFC__LOCKED_FIELDS, MPI_INT64_T, MPI_MAX,
                    s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__TELLING, rank == s->known->rank, pfc__since(tick));
}

static PFC__QUIET pfc__i64 pfc__lock_tell_alone(const pfc__wins_shared_t *s, int number, int rank, pfc__locked_t mine,
                                                pfc__i64 usual_wait)
{
    const pfc__unlocked_t record = { mine, usual_wait, pfc__never_locked() };
    pfc__i64 tick = pfc__clock();
    PMPI_Accumulate(&record, PFC__UNLOCKED_FIELDS, MPI_INT64_T, rank, pfc__alone_at(number), PFC__UNLOCKED_FIELDS, MPI_INT64_T, MPI_REPLACE,
                    s->locks);
    PMPI_Win_flush(rank, s->locks);
    return pfc__answer_awaited(PFC__TELLING, rank == s->known->rank, pfc__since(tick));
}

/* While all are there. */
static PFC__QUIET void pfc__answers_measure(const pfc__wins_shared_t *s)
{
    pfc__unlocked_t nothing;
    int next = (s->known->rank + 1) % s->size;
    pfc__lock_ask(s, 0, next, &nothing);
    pfc__lock_tell_alone(s, 0, next, pfc__never_locked(), 0);
    PMPI_Barrier(s->comm);
}

static PFC__QUIET void pfc__lock_keep(pfc__win_t *w, pfc__lock_t lock)
{
    pfc__lock_t *l = (pfc__lock_t *)malloc(sizeof *l);
    if (!l) return;
    *l = lock;
    pfc__mpi_lock();
    l->next = w->locked;
    w->locked = l;
    pfc__mpi_unlock();
}

/* Whether it was kept: not where there was no memory, nor where it wasn't locked. */
static PFC__QUIET int pfc__lock_drop(pfc__win_t *w, int rank, pfc__lock_t *dropped)
{
    pfc__lock_t **at = &w->locked, *l;
    pfc__mpi_lock();
    while (*at && (*at)->rank != rank) at = &(*at)->next;
    if ((l = *at) != 0) *at = l->next;
    pfc__mpi_unlock();
    if (!l) return 0;
    *dropped = *l;
    free(l);
    return 1;
}

static PFC__QUIET int pfc__locks_known(const pfc__win_t *w) { return w && w->shared->locks != MPI_WIN_NULL; }

/* For this one's turn at a rank; returns since when (LT) it has been locked then. */
static PFC__QUIET pfc__i64 pfc__lock_behind(const pfc__call_t *c, pfc__locked_t before, pfc__i64 usual_wait, pfc__latest_t *turns)
{
    pfc__had_t had;
    pfc__moment_t turn;
    if (pfc__latest_is_none(before.end)) return c->begin.lt;
    before.end.ct = pfc__min(before.end.ct, c->end.ct);
    had.end = pfc__latest_moment(before.end);
    had.since = before.since;
    turn = pfc__lock_turn(c->begin, had, usual_wait);
    *turns = pfc__latest_merge(*turns, pfc__latest_of(turn));
    turns->last = pfc__latest_merge(*turns, before.end).last;
    return pfc__lock_busy(c->begin, had, turn);
}

/* It has its turn. */
static PFC__QUIET void pfc__lock_got(pfc__call_t *c, const pfc__win_t *w, pfc__latest_t turns, pfc__i64 awaited)
{
    const pfc__collective_t k = { PFC__RULE_ALL, 0, 1, 1, 0, w->shared->known->number, w->shared->comm, 1, w->shared->known, 0, 0, 0, 0 };
    pfc__collective_depends(c, &k, turns);
    c->wait_kind = PFC__LATE_SENDER;
    pfc__call_goes_on(c, awaited);
    pfc__call_unexplained(c, pfc__latest_moment(turns).ct + pfc__answer_patience(0));
}

/* What is usual there, with how long this one has waited for `end`. */
static PFC__QUIET pfc__i64 pfc__lock_waited(const pfc__call_t *c, pfc__i64 usual_wait, pfc__i64 end)
{
    pfc__i64 wait = pfc__min(end, c->end.ct) - c->begin.ct;
    return wait > 0 ? pfc__lock_usual(usual_wait, wait) : usual_wait;
}

/* Behind whom one comes that wants it alone: those that had it together came later than who had it alone before. */
static PFC__QUIET pfc__locked_t pfc__locked_last(pfc__unlocked_t before)
{
    return pfc__latest_is_none(before.together.end) ? before.alone : before.together;
}

static PFC__QUIET int pfc__win_lock(pfc__call_t *c, int kind, int rank, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    pfc__lock_t lock = { 0, rank, kind == MPI_LOCK_EXCLUSIVE, 0, 0 };
    pfc__unlocked_t before = pfc__never_unlocked();
    pfc__locked_t behind;
    pfc__latest_t turns;
    pfc__i64 awaited = 0;
    int error;
    pfc__call_begin(c);
    error = PMPI_Win_lock(kind, rank, assert, win);
    pfc__call_end(c);
    if (error || !pfc__locks_known(w) || rank == MPI_PROC_NULL) return error;
    turns = pfc__latest_here(c->begin);
    if (!(assert & MPI_MODE_NOCHECK)) awaited = pfc__lock_ask(w->shared, w->number, rank, &before);
    behind = lock.alone ? pfc__locked_last(before) : before.alone;
    lock.usual_wait = pfc__lock_waited(c, before.usual_wait, behind.end.ct);
    lock.since = pfc__lock_behind(c, behind, lock.usual_wait, &turns);
    pfc__lock_keep(w, lock);
    if (!(assert & MPI_MODE_NOCHECK)) pfc__lock_got(c, w, turns, awaited);
    return error;
}

/* Who has locked each rank alone; returns how many ranks have told. A short message to each, and back. */
static PFC__QUIET int pfc__lock_ask_all(const pfc__win_t *w, pfc__unlocked_t *of, pfc__i64 *awaited)
{
    pfc__i64 tick = pfc__clock();
    int i, n = of ? w->shared->size : 0;
    *awaited = 0;
    for (i = 0; i < n; i++) {
        of[i] = pfc__never_unlocked();
        PMPI_Get(&of[i], PFC__TOGETHER_FROM, MPI_INT64_T, i, pfc__alone_at(w->number), PFC__TOGETHER_FROM, MPI_INT64_T, w->shared->locks);
    }
    if (!n) return n;
    PMPI_Win_flush_all(w->shared->locks);
    *awaited = pfc__answers_awaited(PFC__ASKING, n, pfc__since(tick));
    return n;
}

static PFC__QUIET void pfc__lock_all_got(pfc__call_t *c, pfc__win_t *w)
{
    pfc__unlocked_t *of = (pfc__unlocked_t *)malloc((size_t)w->shared->size * sizeof *of);
    pfc__latest_t turns = pfc__latest_here(c->begin);
    pfc__i64 awaited;
    int i, n = pfc__lock_ask_all(w, of, &awaited);
    w->all_since = c->begin.lt;
    for (i = 0; i < n; i++) {
        pfc__i64 usual = pfc__lock_waited(c, of[i].usual_wait, of[i].alone.end.ct);
        w->all_since = pfc__max(w->all_since, pfc__lock_behind(c, of[i].alone, usual, &turns));
    }
    pfc__lock_got(c, w, turns, awaited);
    free(of);
}

static PFC__QUIET int pfc__win_lock_all(pfc__call_t *c, int assert, MPI_Win win)
{
    pfc__win_t *w = pfc__win_of(win);
    int error;
    pfc__call_begin(c);
    error = PMPI_Win_lock_all(assert, win);
    pfc__call_end(c);
    if (error || !pfc__locks_known(w)) return error;
    w->all_locked = !(assert & MPI_MODE_NOCHECK); /* which waits for nobody, and nobody for it */
    if (w->all_locked) pfc__lock_all_got(c, w);
    return error;
}

/* The lock is held for as long as telling takes: what it takes at least, as far as is known. */
static PFC__QUIET pfc__locked_t pfc__locked_here(pfc__moment_t now, pfc__i64 telling, pfc__i64 since)
{
    pfc__locked_t mine;
    now.ct += telling;
    mine.end = pfc__latest_here(now);
    mine.since = since;
    return mine;
}

static PFC__QUIET pfc__i64 pfc__unlock_tell(const pfc__win_t *w, const pfc__lock_t *lock, pfc__moment_t now)
{
    const int rank = lock->rank;
    pfc__locked_t mine;
    pfc__mpi_lock();
    mine = pfc__locked_here(now, pfc__answer_least[PFC__TELLING][rank == w->shared->known->rank], lock->since);
    pfc__mpi_unlock();
    if (lock->alone) return pfc__lock_tell_alone(w->shared, w->number, rank, mine, lock->usual_wait);
    return pfc__lock_tell_together(w->shared, w->number, rank, &mine);
}

static PFC__QUIET pfc__i64 pfc__unlock_tell_all(pfc__win_t *w, pfc__moment_t now)
{
    pfc__i64 took, tick = pfc__clock();
    const pfc__locked_t mine = pfc__locked_here(now, w->least_to_all, w->all_since);
    int i;
    for (i = 0; i < w->shared->size; i++)
        PMPI_Accumulate(&mine, PFC__LOCKED_FIELDS, MPI_INT64_T, i, pfc__together_at(w->number), PFC__LOCKED_FIELDS, MPI_INT64_T, MPI_MAX,
                        w->shared->locks);
    PMPI_Win_flush_all(w->shared->locks);
    took = pfc__since(tick);
    pfc__at_least_seen(&w->least_to_all, took);
    w->all_locked = 0;
    return pfc__answers_awaited(PFC__TELLING, w->shared->size, took);
}

/* The program's own data would arrive while we tell, and the library's unlock find nothing left to wait for. So it waits
   before; returns for how long. */
static PFC__QUIET pfc__i64 pfc__unlock_flush(const int *rank, MPI_Win win)
{
    pfc__i64 tick = pfc__clock();
    if (rank) PMPI_Win_flush(*rank, win);
    else PMPI_Win_flush_all(win);
    return pfc__since(tick);
}

/* Returns how long this rank has waited: for its data, and for what tells of the lock. */
static PFC__QUIET pfc__i64 pfc__unlock_tells(pfc__call_t *c, pfc__win_t *w, const pfc__lock_t *lock, MPI_Win win, const pfc__moved_t *moved,
                                             pfc__overlap_t *overlap)
{
    const pfc__moment_t begin = pfc__call_so_far(c);
    const pfc__i64 flushed = pfc__unlock_flush(lock ? &lock->rank : 0, win);
    pfc__moment_t now = pfc__call_so_far(c);
    *overlap = pfc__moved_overlap(moved, begin, flushed);
    now.lt += flushed + overlap->ns;
    return flushed + (lock ? pfc__unlock_tell(w, lock, now) : pfc__unlock_tell_all(w, now));
}

/* Win_unlock; of no rank: Win_unlock_all. What isn't locked is left to the library, whose error it is. */
static PFC__QUIET int pfc__win_unlock(pfc__call_t *c, const int *rank, MPI_Win win)
{
    const pfc__moved_t moved = pfc__moved_so_far(1);
    pfc__win_t *w = pfc__win_of(win);
    pfc__lock_t lock;
    pfc__overlap_t overlap;
    pfc__i64 awaited = 0;
    int error, known = pfc__locks_known(w) && (rank ? pfc__lock_drop(w, *rank, &lock) : w->all_locked);
    if (known) awaited = pfc__unlock_tells(c, w, rank ? &lock : 0, win, &moved, &overlap);
    pfc__call_begin(c);
    pfc__call_began(c, awaited);
    error = rank ? PMPI_Win_unlock(*rank, win) : PMPI_Win_unlock_all(win);
    pfc__call_end(c);
    if (!known) overlap = pfc__moved_overlap(&moved, c->begin, c->end.ct - c->begin.ct);
    pfc__answered(c, c->begin, moved.bytes, overlap);
    return error;
}

/* ------------------------------------------------------- files (MPI impl) ---
   Collective calls on a file. MPI lets them end before the last rank has come;
   in fact opening, closing and what changes the file for all do meet, and
   reading and writing do as far as the ranks' parts hang together. So they are
   taken for meetings (R6), but where the clock shows that a call ended before
   the last rank came: it waited for none, and nor would the last one have (pfc__let_go).
   For one that ended later although it didn't wait, this is an upper bound of its wait.
   Nonblocking ones likewise, where they are completed; what the last one would have
   waited is in doubt there. That calls of single ranks queue for a file's shared pointer
   isn't known: they count as local. */

#ifndef PERFCOMP_SMPI

typedef struct pfc__file { pfc__by_handle_t entry; MPI_Comm comm; } pfc__file_t; /* comm: ours, over its ranks */

static pfc__handles_t pfc__files;

/* On every rank, also where opening has failed: perhaps it hasn't on another one. */
static PFC__QUIET void pfc__file_opened(MPI_Comm users, int error, MPI_File file)
{
    pfc__file_t *f = error ? 0 : (pfc__file_t *)calloc(1, sizeof *f);
    int recorded = f && pfc__comm_carries(users);
    MPI_Comm comm;
    if (recorded) pfc__handles_keep(&pfc__files, PFC__KEY(file), &f->entry);
    comm = pfc__comm_beside(users, recorded);
    if (comm != MPI_COMM_NULL) {
        f->comm = comm;
        return;
    }
    if (recorded) pfc__handles_take(&pfc__files, PFC__KEY(file));
    free(f);
}

static PFC__QUIET const pfc__file_t *pfc__file_of(MPI_File file)
{
    return (const pfc__file_t *)(const void *)pfc__handles_look(&pfc__files, PFC__KEY(file));
}

static PFC__QUIET void pfc__file_begin(pfc__call_t *c, pfc__collective_t *k, const pfc__file_t *f)
{
    pfc__collective_begin(c, k, PFC__RULE_ALL, 0, f ? f->comm : MPI_COMM_NULL);
    k->may_part = PFC__MAY_LET_GO;
    k->in_turn = 1;
}

static PFC__QUIET int pfc__file_close(pfc__call_t *c, MPI_File *file)
{
    pfc__file_t *f = (pfc__file_t *)(void *)pfc__handles_take(&pfc__files, PFC__KEY(*file));
    pfc__collective_t k;
    int error;
    pfc__file_begin(c, &k, f);
    error = PMPI_File_close(file);
    pfc__collective_end(c, &k, error);
    if (!f) return error;
    pfc__comm_drop(f->comm);
    free(f);
    return error;
}

#endif

/* ------------------------------------------------- eager limit (MPI impl) ---
   Up to how many bytes a message doesn't wait for its receiver, and whether
   longer ones wait for it to be in the library: found out at Init between ranks
   0 and 1, by messages that nobody receives yet. */

#define PFC__UNLIMITED ((pfc__i64)1 << 60)
enum { PFC__DATA_TAG = 2, PFC__GO_TAG = 3, PFC__EAGER_MOST = 1 << 22, PFC__EAGER_PATIENCE = 20000,
       PFC__EAGER_ABSENCE = 100000, PFC__EAGER_TRIES = 4 };

/* One message whose sender looks whether it completes alone; to the partner. */
typedef struct pfc__probe {
    int bytes; /* -1: no more of them */
    int away;  /* its receiver isn't even in the library; PFC__HAS_POSTED: but its receive is under way; PFC__WAITS: it is, and its sender isn't */
    int look;  /* 1: it isn't to be received yet, only to be looked at */
    int again; /* 1: it is a persistent request's */
} pfc__probe_t;

enum { PFC__HAS_POSTED = 2, PFC__WAITS = 3 };

/* Out of the library, and off the processor, which the other side may need. */
static PFC__QUIET void pfc__stay_away(void)
{
#ifdef PERFCOMP_CHARGE
    pfc__pause(PFC__EAGER_ABSENCE);
#else
    struct timespec absence = { 0, PFC__EAGER_ABSENCE };
    nanosleep(&absence, 0);
#endif
}

static PFC__QUIET int pfc__completes_soon(MPI_Request *request)
{
    int done = 0, tries;
    for (tries = 0; !done && tries < 20; tries++) {
        PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done) pfc__pause(PFC__EAGER_PATIENCE / 20);
    }
    return done;
}

/* The partner waits in the library, but maybe for a processor: Open MPI's messages of more than 256 bytes complete when
   it has looked at them. Messages come in order, so it has once it answers a later one. */
static PFC__QUIET int pfc__completes_seen(MPI_Request *request)
{
    static const pfc__probe_t look = { 0, 0, 1, 0 };
    char nothing;
    PMPI_Send(&look, (int)sizeof look, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
    pfc__patient_receive(&nothing, 0, 1, PFC__GO_TAG);
    return pfc__completes_soon(request);
}

static PFC__QUIET void pfc__probe_send(const char *data, const pfc__probe_t *probe, MPI_Request *request)
{
    if (!probe->again) {
        PMPI_Isend(data, probe->bytes, MPI_BYTE, 1, PFC__DATA_TAG, pfc__mpi.comm, request);
        return;
    }
    PMPI_Send_init(data, probe->bytes, MPI_BYTE, 1, PFC__DATA_TAG, pfc__mpi.comm, request);
    PMPI_Start(request);
}

/* Whether a send of so many bytes completes though nobody receives. -1: it did, but the partner may have come back. */
static PFC__QUIET int pfc__completes_alone(char *data, pfc__probe_t probe)
{
    MPI_Request request;
    int done, late;
    pfc__i64 tick;
    if (probe.away) {
        PMPI_Send(&probe, (int)sizeof probe, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
        pfc__patient_receive(data, 0, 1, PFC__GO_TAG);
    }
    tick = pfc__clock();
    pfc__probe_send(data, &probe, &request);
    done = pfc__completes_soon(&request);
    late = probe.away && pfc__since(tick) >= PFC__EAGER_ABSENCE;
    if (!probe.away) {
        if (!done) done = pfc__completes_seen(&request);
        PMPI_Send(&probe, (int)sizeof probe, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm); /* now it receives */
    }
    if (!done) pfc__patient_wait(&request);
    if (probe.again) PMPI_Request_free(&request);
    return done && late ? -1 : done;
}

/* -1: it can't be told. */
static PFC__QUIET int pfc__tried_alone(char *data, pfc__probe_t probe)
{
    int alone = -1, tries;
    for (tries = 0; alone < 0 && tries < PFC__EAGER_TRIES; tries++) alone = pfc__completes_alone(data, probe);
    return alone;
}

/* The longest message that completes alone, below `high`, which doesn't. In doubt it doesn't: then it gets a buffer of ours. */
static PFC__QUIET int pfc__longest_alone(char *data, int high, int away)
{
    int low = 0;
    while (high - low > 1) {
        pfc__probe_t probe = { low + (high - low) / 2, away, 0, 0 };
        if (pfc__tried_alone(data, probe) > 0) low = probe.bytes;
        else high = probe.bytes;
    }
    return low;
}

/* Whether the shortest that waits for its receiver does so though it has posted: in doubt it does, as in most libraries. */
static PFC__QUIET int pfc__awaits_receiver(char *data, int eager)
{
    pfc__probe_t probe = { eager + 1, PFC__HAS_POSTED, 0, 0 };
    return pfc__tried_alone(data, probe) != 1;
}

/* Whether a short persistent send isn't done before its receiver has been in the library, as Open MPI's: MPI_Isend's are. In doubt it
   isn't. */
static PFC__QUIET int pfc__starts_await_receiver(char *data)
{
    pfc__probe_t probe = { PFC__PIGGY, 1, 0, 1 };
    return pfc__tried_alone(data, probe) != 1;
}

/* Whether its receiver waits for its sender to be in the library. */
static PFC__QUIET int pfc__awaits_sender(char *data, int eager)
{
    pfc__probe_t probe = { eager + 1, PFC__WAITS, 0, 0 };
    MPI_Request request;
    int came = 0, tries;
    for (tries = 0; !came && tries < PFC__EAGER_TRIES; tries++) {
        PMPI_Send(&probe, (int)sizeof probe, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
        pfc__patient_receive(data, 0, 1, PFC__GO_TAG);
        PMPI_Isend(data, probe.bytes, MPI_BYTE, 1, PFC__DATA_TAG, pfc__mpi.comm, &request);
        pfc__stay_away();
        pfc__patient_wait(&request);
        pfc__patient_receive(&came, (int)sizeof came, 1, PFC__GO_TAG);
    }
    return !came;
}

static PFC__QUIET void pfc__eager_find(char *data)
{
    static const pfc__probe_t end = { -1, 0, 0, 0 };
    int eager = pfc__longest_alone(data, PFC__EAGER_MOST, 0), alone = pfc__longest_alone(data, eager + 1, 1);
    if (!PFC__ONE_PROGRAM) { /* in virtual time data move by themselves */
        pfc__link.starts = pfc__starts_await_receiver(data);
        pfc__link.awaits = pfc__awaits_receiver(data, eager);
        pfc__link.pushes = pfc__awaits_sender(data, eager);
    }
    PMPI_Send(&end, (int)sizeof end, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
    pfc__link.eager = eager >= PFC__EAGER_MOST - 1 ? PFC__UNLIMITED : eager - PFC__PIGGY;
    pfc__link.alone = alone >= eager ? pfc__link.eager : alone - PFC__PIGGY;
}

/* What the user says that it is, in place of what was measured. */
static PFC__QUIET void pfc__eager_wish(void)
{
    const char *wish = pfc__environment("PERFCOMP_MPI_EAGER");
    char *end;
    pfc__i64 bytes;
    if (!wish || !*wish) return;
    bytes = strtoll(wish, &end, 10);
    if (*end || bytes < 0) pfc__note_setting("PERFCOMP_MPI_EAGER=%s isn't understood: use a number of bytes", wish);
    else pfc__link.eager = pfc__min(bytes, PFC__UNLIMITED); /* room is added to it */
}

/* Whether it comes while its sender stays away. */
static PFC__QUIET int pfc__comes_meanwhile(char *data, int bytes)
{
    MPI_Request request;
    pfc__i64 tick;
    int done = 0;
    PMPI_Irecv(data, bytes, MPI_BYTE, 0, PFC__DATA_TAG, pfc__mpi.comm, &request);
    tick = pfc__clock();
    PMPI_Send(data, 0, MPI_BYTE, 0, PFC__GO_TAG, pfc__mpi.comm);
    while (pfc__since(tick) < PFC__EAGER_ABSENCE) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return pfc__since(tick) < PFC__EAGER_ABSENCE;
    }
    pfc__patient_wait(&request);
    return 0;
}

static PFC__QUIET void pfc__eager_partner(char *data)
{
    pfc__probe_t probe;
    MPI_Request request;
    for (;;) {
        pfc__patient_receive(&probe, (int)sizeof probe, 0, PFC__GO_TAG);
        if (probe.bytes < 0) return;
        if (probe.away == PFC__WAITS) {
            int came = pfc__comes_meanwhile(data, probe.bytes);
            PMPI_Send(&came, (int)sizeof came, MPI_BYTE, 0, PFC__GO_TAG, pfc__mpi.comm);
            continue;
        }
        if (probe.away == PFC__HAS_POSTED) PMPI_Irecv(data, probe.bytes, MPI_BYTE, 0, PFC__DATA_TAG, pfc__mpi.comm, &request);
        if (probe.away || probe.look) PMPI_Send(data, 0, MPI_BYTE, 0, PFC__GO_TAG, pfc__mpi.comm);
        if (probe.look) continue;
        if (probe.away) pfc__stay_away();
        if (probe.away == PFC__HAS_POSTED) pfc__patient_wait(&request);
        else pfc__patient_receive(data, probe.bytes, 0, PFC__DATA_TAG);
    }
}

/* ------------------------------------------------- calibration (MPI impl) ---
   At Init, between ranks 0 and 1, in a few ms: travelling times, costs of calls,
   and what piggybacks make of them. */

enum { PFC__COST_PAUSE = 100000, PFC__CALIBRATION_NS = 50000000 };

/* Fewer where each exchange costs a scheduler's time slice, because ranks share a core. */
static PFC__QUIET int pfc__tries(pfc__i64 begun_ns)
{
#ifdef PERFCOMP_CHARGE
    return (void)begun_ns, 2; /* virtual time has no noise */
#else
    return begun_ns < PFC__CALIBRATION_NS ? PFC__TRIES : 1;
#endif
}

/* Least, and the median's distance from it; sorts. */
static PFC__QUIET void pfc__least(pfc__i64 *value, int n, pfc__i64 *least, pfc__i64 *u)
{
    int i, j;
    for (i = 1; i < n; i++) {
        pfc__i64 v = value[i];
        for (j = i; j > 0 && value[j - 1] > v; j--) value[j] = value[j - 1];
        value[j] = v;
    }
    *least = value[0];
    *u = value[n / 2] - value[0];
}

/* As a program does; but where there is time for one try only, ranks may share a processor. */
static PFC__QUIET void pfc__measured_receive(char *data, int bytes, int from, int tag, int tries)
{
    if (tries > 1) PMPI_Recv(data, bytes, MPI_BYTE, from, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
    else pfc__patient_receive(data, bytes, from, tag);
}

static PFC__QUIET void pfc__measured_send(char *data, int bytes, int to, int tries)
{
    if (tries > 1) PMPI_Send(data, bytes, MPI_BYTE, to, PFC__DATA_TAG, pfc__mpi.comm);
    else pfc__patient_send(data, bytes, to, PFC__DATA_TAG);
}

static PFC__QUIET pfc__i64 pfc__trip(char *data, int bytes, int tries)
{
    pfc__i64 tick = pfc__clock();
    pfc__measured_send(data, bytes, 1, tries);
    pfc__measured_receive(data, bytes, 1, PFC__DATA_TAG, tries);
    return pfc__since(tick) / 2;
}

/* Where a piggyback makes less of a difference than one trip does to the next, none is known of; so few bytes
   don't take a quarter of the time. */
static PFC__QUIET void pfc__trips_compare(int at, pfc__i64 *bare, pfc__i64 *with, int tries)
{
    pfc__i64 least, u, more;
    pfc__least(bare, tries, &pfc__link.travel.ns[at], &pfc__link.travel.u[at]);
    pfc__least(with, tries, &least, &u);
    more = least - pfc__link.travel.ns[at];
    u += pfc__link.travel.u[at];
    pfc__link.piggy.ns[at] = pfc__link.piggy.u[at] = 0;
    if (tries < 2 || more <= 2 * u || 4 * more > least) return;
    pfc__link.piggy.ns[at] = more;
    pfc__link.piggy.u[at] = u;
}

/* Bytes of a message of that size, as the user's are sent. */
static PFC__QUIET int pfc__carrying(int at)
{
    return (int)pfc__link.size[at] + (pfc__is_bare(pfc__link.size[at]) ? 0 : PFC__PIGGY);
}

/* One size, rank 0's side: round trips, then, of messages that don't wait for
   their receiver, receives of what has come long ago. */
static PFC__QUIET void pfc__measure(char *data, int at, int tries)
{
    int bytes = pfc__carrying(at), i;
    pfc__i64 bare[PFC__TRIES], with[PFC__TRIES], cost[PFC__TRIES], tick;
    PMPI_Send(&tries, (int)sizeof tries, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
    pfc__trip(data, bytes, tries); /* the partner has only heard of it, and comes late to the first one */
    for (i = 0; i < tries; i++) {
        bare[i] = pfc__trip(data, (int)pfc__link.size[at], tries);
        with[i] = bytes > pfc__link.size[at] ? pfc__trip(data, bytes, tries) : bare[i];
    }
    pfc__trips_compare(at, bare, with, tries);
    if (pfc__link.size[at] > pfc__link.eager) return;
    for (i = 0; i < tries; i++) {
        PMPI_Send(data, 0, MPI_BYTE, 1, PFC__GO_TAG, pfc__mpi.comm);
        pfc__pause(pfc__min(4 * pfc__link.travel.ns[at] + 2000, PFC__COST_PAUSE));
        tick = pfc__clock();
        pfc__measured_receive(data, bytes, 1, PFC__DATA_TAG, tries);
        cost[i] = pfc__since(tick);
    }
    pfc__least(cost, tries, &pfc__link.cost.ns[at], &pfc__link.cost.u[at]);
}

static PFC__QUIET void pfc__measure_partner(char *data, int at)
{
    int bytes = pfc__carrying(at), kinds = 1 + (bytes > pfc__link.size[at]), tries, i;
    pfc__patient_receive(&tries, (int)sizeof tries, 0, PFC__GO_TAG);
    for (i = 0; i < kinds * tries + 1; i++) {
        int now = i % 2 ? (int)pfc__link.size[at] : bytes;
        pfc__measured_receive(data, now, 0, PFC__DATA_TAG, tries);
        pfc__measured_send(data, now, 0, tries);
    }
    if (pfc__link.size[at] > pfc__link.eager) return;
    for (i = 0; i < tries; i++) {
        pfc__measured_receive(data, 0, 0, PFC__GO_TAG, tries);
        PMPI_Send(data, bytes, MPI_BYTE, 0, PFC__DATA_TAG, pfc__mpi.comm);
    }
}

/* A call's cost isn't travel. Of a message it may be all in a simulation, but not on a machine. One that waits for its receiver isn't
   there before the receive begins: what the longest of the others costs is taken for it. */
static PFC__QUIET void pfc__link_settle(void)
{
    int i, waits, least = PFC__ONE_PROGRAM ? 1 : 2;
    for (i = 0; i < PFC__SIZES; i++) {
        waits = pfc__link.size[i] > pfc__link.eager;
        if (waits) {
            pfc__link.cost.ns[i] = i ? pfc__link.cost.ns[i - 1] : 0;
            pfc__link.cost.u[i] = i ? pfc__link.cost.u[i - 1] : 0;
        }
        if (PFC__ONE_PROGRAM || !waits) pfc__link.travel.ns[i] -= pfc__min(pfc__link.cost.ns[i], pfc__link.travel.ns[i] / least);
    }
}

/* The sizes to measure; the two sides of the eager limit, where the travelling time jumps, take their places. */
static PFC__QUIET void pfc__sizes_choose(void)
{
    pfc__i64 limit = pfc__min(pfc__max(pfc__link.eager, 1), PFC__EAGER_MOST - 2), v;
    int i, j;
    memcpy(pfc__link.size, pfc__sizes, sizeof pfc__sizes);
    pfc__link.size[PFC__SIZES - 2] = limit;
    pfc__link.size[PFC__SIZES - 1] = limit + 1;
    for (i = PFC__SIZES - 2; i < PFC__SIZES; i++) {
        v = pfc__link.size[i];
        for (j = i; j > 0 && pfc__link.size[j - 1] >= v; j--) pfc__link.size[j] = pfc__link.size[j - 1];
        pfc__link.size[j] = v;
    }
}

static PFC__QUIET void pfc__link_calibrate(void)
{
    char *data = pfc__mpi.rank < 2 && pfc__mpi.size > 1 ? (char *)calloc(1, (size_t)PFC__EAGER_MOST + PFC__PIGGY) : 0;
    pfc__i64 tick = pfc__clock();
    int i;
    pfc__link.eager = pfc__link.alone = PFC__UNLIMITED;
    if (data && pfc__mpi.rank == 0) {
        pfc__eager_find(data);
        pfc__eager_wish();
    } else if (data) pfc__eager_partner(data);
    pfc__patient_bcast(&pfc__link.eager, (int)sizeof pfc__link.eager);
    pfc__link.copied = pfc__max(PFC__COPY_LEAST, pfc__min(pfc__link.eager, PFC__COPY_MAX));
    pfc__sizes_choose();
    for (i = -1; data && i < PFC__SIZES; i++) { /* the first size twice: to warm up */
        if (pfc__mpi.rank == 0) pfc__measure(data, i < 0 ? 0 : i, pfc__tries(pfc__since(tick)));
        else pfc__measure_partner(data, i < 0 ? 0 : i);
    }
    if (data && pfc__mpi.rank == 0) pfc__link_settle();
    free(data);
    pfc__patient_bcast(&pfc__link, (int)sizeof pfc__link);
}

/* ---------------------------------------------------- launcher (MPI impl) ---
   Which ranks of the job have the layer? A rank without it takes part in
   nothing of ours, but its MPI_Init leaves addresses with the launcher and
   waits there for all ranks, as every rank's does. So a word that is left with
   the launcher before PMPI_Init can be read by everybody after it, and a word
   that isn't there then never will be: no messages, no patience, no doubt.

   Open MPI's launchers speak PMIx; MPICH's Hydra reads PMI-1's lines from a
   descriptor that it has given us. Both take a second client of one process. */

#if !defined PERFCOMP_SMPI && defined OPEN_MPI

typedef struct pfc__pmix_process { char space[256]; pfc__u32 rank; } pfc__pmix_process_t;
typedef struct pfc__pmix_value { /* no smaller than PMIx's own */
    unsigned short type;
    union { int number; unsigned char yes; pfc__i64 room[8]; } data;
} pfc__pmix_value_t;
typedef struct pfc__pmix_info { char key[512]; pfc__u32 flags; pfc__pmix_value_t value; } pfc__pmix_info_t;

enum { PFC__PMIX_BOOL = 1, PFC__PMIX_INT = 6, PFC__PMIX_GLOBAL = 3 };

static struct {
    int joined;
    int apart;    /* Open MPI is to find PMIx as if nobody had joined: see pfc__launcher_join */
    pid_t told;   /* the process that has left its word then */
    int succeeds; /* this one is ending, with a status of 0 */
    pfc__pmix_process_t self;
    int (*init)(pfc__pmix_process_t *, void *, size_t);
    int (*put)(unsigned char, const char *, pfc__pmix_value_t *);
    int (*commit)(void);
    int (*get)(const pfc__pmix_process_t *, const char *, const pfc__pmix_info_t *, size_t, pfc__pmix_value_t **);
    int (*abort)(int, const char *, const pfc__pmix_process_t *, size_t);
    int (*finalize)(const void *, size_t);
} pfc__pmix;

static PFC__QUIET int pfc__pmix_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != 0;
}

/* The PMIx library that Open MPI will use: where it isn't loaded yet, the
   system's, when it is as old as the launcher's. A second one would be taken
   for another process. */
static PFC__QUIET void *pfc__pmix_library(void)
{
    const char *(*version)(void), *launchers = pfc__environment("PMIX_VERSION");
    void *library = dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD);
    if (library) return library;
    if (!launchers || !(library = dlopen("libpmix.so.2", RTLD_LAZY))) return 0;
    if (pfc__pmix_find(library, "PMIx_Get_version", &version) && strstr(version(), launchers)) return library;
    dlclose(library);
    return 0;
}

/* To the launcher, who has left PMIx once may end when it likes, though others wait for it. Without us it would have found that the
   process ended with success, but without MPI_Finalize, and have ended the job: now we say so. */
static PFC__QUIET void pfc__ends_with(int status, void *unused) { (void)unused, pfc__pmix.succeeds = status == 0; }

static PFC__QUIET void pfc__launcher_told_apart(void)
{
#ifdef __GLIBC__
    if (!on_exit(pfc__ends_with, 0)) pfc__pmix.told = getpid();
#endif
}

static PFC__QUIET void pfc__launcher_unended(void)
{
    static const char why[] = "it has ended without MPI_Finalize";
    int ended = 1;
    if (!pfc__pmix.succeeds || pfc__pmix.told != getpid()) return; /* a child's end isn't the rank's */
    PMPI_Finalized(&ended);
    if (!ended) pfc__pmix.abort(1, why, 0, 0);
}

static PFC__QUIET void pfc__pmix_join(void)
{
    void *library;
    if (!pfc__environment("PMIX_NAMESPACE") || !pfc__environment("PMIX_RANK") || !(library = pfc__pmix_library())) return;
    pfc__pmix.joined = pfc__pmix_find(library, "PMIx_Init", &pfc__pmix.init) && pfc__pmix_find(library, "PMIx_Put", &pfc__pmix.put) &&
                       pfc__pmix_find(library, "PMIx_Commit", &pfc__pmix.commit) && pfc__pmix_find(library, "PMIx_Get", &pfc__pmix.get) &&
                       pfc__pmix_find(library, "PMIx_Abort", &pfc__pmix.abort) &&
                       pfc__pmix_find(library, "PMIx_Finalize", &pfc__pmix.finalize) && !pfc__pmix.init(&pfc__pmix.self, 0, 0);
}

/* PMIx counts who has joined. */
static PFC__QUIET void pfc__launcher_leave(void)
{
    if (pfc__pmix.joined) pfc__pmix.finalize(0, 0);
    pfc__pmix.joined = 0;
}

/* Before PMPI_Init, which then finds it done: its time isn't ours. But Open MPI 5 doesn't join where somebody has, and then
   doesn't know who it is (ompi_rte_init, as of 5.0.9). */
static PFC__QUIET void pfc__launcher_join(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int n = 0, major = 0;
    PMPI_Get_library_version(library, &n);
    pfc__pmix.apart = sscanf(library, "Open MPI v%d", &major) != 1 || major >= 5;
    if (!pfc__pmix.apart) pfc__pmix_join();
}

/* Before PMPI_Init. 0: the launcher can't be asked. The word stays when who has left it leaves. */
static PFC__QUIET int pfc__launcher_tell(void)
{
    pfc__pmix_value_t here;
    int told;
    memset(&here, 0, sizeof here);
    here.type = PFC__PMIX_INT;
    here.data.number = 1;
    if (pfc__pmix.apart) pfc__pmix_join();
    told = pfc__pmix.joined && !pfc__pmix.put(PFC__PMIX_GLOBAL, "perfcomp_mpi", &here) && !pfc__pmix.commit();
    if (!pfc__pmix.apart) return told;
    pfc__launcher_leave();
    if (told) pfc__launcher_told_apart();
    return told;
}

/* After PMPI_Init. */
static PFC__QUIET int pfc__launcher_knows(int rank)
{
    pfc__pmix_process_t process;
    pfc__pmix_value_t *there = 0;
    pfc__pmix_info_t at_once;
    int found;
    if (!pfc__pmix.joined) pfc__pmix_join();
    memset(&at_once, 0, sizeof at_once);
    strcpy(at_once.key, "pmix.immediate"); /* what isn't there isn't waited for */
    at_once.value.type = PFC__PMIX_BOOL;
    at_once.value.data.yes = 1;
    process = pfc__pmix.self;
    process.rank = (pfc__u32)rank;
    found = pfc__pmix.joined && !pfc__pmix.get(&process, "perfcomp_mpi", &at_once, 1, &there) && there != 0;
    free(there);
    return found;
}

#elif !defined PERFCOMP_SMPI && defined MPICH_VERSION && !defined I_MPI_VERSION

enum { PFC__HYDRA_LINE = 1024, PFC__HYDRA_PATIENCE_MS = 30000 };

static struct { int fd; char space[256]; } pfc__hydra;

/* No byte more than a line: what follows is MPICH's. 0: it didn't come in time. */
static PFC__QUIET int pfc__hydra_line(char answer[PFC__HYDRA_LINE])
{
    struct pollfd ready = { pfc__hydra.fd, POLLIN, 0 };
    size_t n;
    for (n = 0; n < PFC__HYDRA_LINE; n++) {
        if (poll(&ready, 1, PFC__HYDRA_PATIENCE_MS) <= 0 || read(pfc__hydra.fd, answer + n, 1) != 1) return 0;
        if (answer[n] != '\n') continue;
        answer[n] = 0;
        return 1;
    }
    return 0;
}

/* One line there, one line back, whatever signals come: MPICH would take half an exchange for one of its own. 0: not in time,
   or not the answer that was expected. */
static PFC__QUIET int pfc__hydra_ask(const char *question, const char *expected, char answer[PFC__HYDRA_LINE])
{
    const size_t length = strlen(question);
    sigset_t all, held;
    int came;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &held);
    came = write(pfc__hydra.fd, question, length) == (ssize_t)length && pfc__hydra_line(answer);
    pthread_sigmask(SIG_SETMASK, &held, 0);
    return came && !strncmp(answer, expected, strlen(expected));
}

static PFC__QUIET void pfc__launcher_join(void) { } /* to Hydra it's a line */

/* Before PMPI_Init. 0: the launcher can't be asked. */
static PFC__QUIET int pfc__launcher_tell(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", line[PFC__HYDRA_LINE], answer[PFC__HYDRA_LINE];
    const char *fd = pfc__environment("PMI_FD"), *rank = pfc__environment("PMI_RANK"), *space;
    int n = 0;
    if (!fd || !rank || !pfc__environment("HYDI_CONTROL_FD")) return 0; /* not Hydra */
    PMPI_Get_library_version(library, &n);
    if (strstr(library, "pmi2")) return 0; /* MPICH will speak PMI-2: the first to speak decides on the language */
    pfc__hydra.fd = atoi(fd);
    if (!pfc__hydra_ask("cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init", answer) || !strstr(answer, "rc=0"))
        return 0;
    if (!pfc__hydra_ask("cmd=get_my_kvsname\n", "cmd=my_kvsname", answer) || !(space = strstr(answer, "kvsname="))) return 0;
    space += strlen("kvsname=");
    snprintf(pfc__hydra.space, sizeof pfc__hydra.space, "%.*s", (int)strcspn(space, " "), space);
    snprintf(line, sizeof line, "cmd=put kvsname=%s key=perfcomp_mpi.%d value=1\n", pfc__hydra.space, atoi(rank));
    return pfc__hydra_ask(line, "cmd=put_result", answer) && strstr(answer, "rc=0");
}

/* After PMPI_Init. */
static PFC__QUIET int pfc__launcher_knows(int rank)
{
    char line[PFC__HYDRA_LINE], answer[PFC__HYDRA_LINE];
    snprintf(line, sizeof line, "cmd=get kvsname=%s key=perfcomp_mpi.%d\n", pfc__hydra.space, rank);
    return pfc__hydra_ask(line, "cmd=get_result", answer) && strstr(answer, "rc=0");
}

static PFC__QUIET void pfc__launcher_leave(void) { pfc__hydra.fd = -1; }
static PFC__QUIET void pfc__launcher_unended(void) { }

#else

static PFC__QUIET void pfc__launcher_join(void) { }
static PFC__QUIET int pfc__launcher_tell(void) { return 0; }
static PFC__QUIET int pfc__launcher_knows(int rank) { return rank < 0; }
static PFC__QUIET void pfc__launcher_leave(void) { }
#ifndef PERFCOMP_SMPI
static PFC__QUIET void pfc__launcher_unended(void) { }
#endif

#endif

/* -------------------------------------------------- interposed (MPI impl) ---
   Calls of MPI come to us where the dynamic linker finds our names first. A
   program, or a library that is loaded before us, may have some of these names
   itself: what it calls then goes past us, and a message without a piggyback
   would meet a receive that expects one. Each wrapper leaves its name in a
   linker section, so that MPI_Init finds that out. A tool that is loaded behind
   us sees nothing: ours call the library by its own names, PMPI_…. */

#if defined __ELF__ && !defined PERFCOMP_SMPI

typedef struct pfc__wrapper { const char *name; void (*found)(void), (*ours)(void); } pfc__wrapper_t;

#define PFC__WRAPPER(symbol) \
    static __typeof__(symbol) pfc__ours_##symbol __attribute__((alias(#symbol))); \
    static const pfc__wrapper_t pfc__wrapper_##symbol __attribute__((section("pfc_wrappers"), used, aligned(8))) = { \
        #symbol, (void (*)(void))symbol, (void (*)(void))pfc__ours_##symbol \
    };

extern const pfc__wrapper_t pfc__wrappers_begin[] __asm__("__start_pfc_wrappers") __attribute__((visibility("hidden")));
extern const pfc__wrapper_t pfc__wrappers_end[] __asm__("__stop_pfc_wrappers") __attribute__((visibility("hidden")));

/* A call that goes past us; NULL: none does. */
static PFC__QUIET const char *pfc__interposed(void)
{
    const pfc__wrapper_t *w;
    for (w = pfc__wrappers_begin; w < pfc__wrappers_end; w++)
        if (w->found != w->ours) return w->name;
    return 0;
}

/* By this name another layer like this one is told from a tool. */
extern __attribute__((visibility("default"), weak)) char pfc__mpi_layer;
char pfc__mpi_layer = 1;

/* Where the next file has that; NULL: none of them, or all is linked statically. */
static PFC__QUIET const void *pfc__file_behind(const char *name, Dl_info *file)
{
    const void *next = dlsym(RTLD_NEXT, name);
    return next && dladdr(next, file) ? file->dli_fbase : 0;
}

/* The file of such a tool; NULL: there is none. All of them have one of these calls. */
static PFC__QUIET const char *pfc__behind(Dl_info *tool)
{
    static const char *const names[] = { "MPI_Init", "MPI_Init_thread", "MPI_Finalize" };
    const void *library = pfc__file_behind("PMPI_Finalize", tool), *layer = pfc__file_behind("pfc__mpi_layer", tool), *file;
    size_t i;
    for (i = 0; library && i < sizeof names / sizeof *names; i++) {
        file = pfc__file_behind(names[i], tool);
        if (file && file != library && file != layer) return tool->dli_fname;
    }
    return 0;
}

static PFC__QUIET void pfc__behind_say(void)
{
    Dl_info tool;
    const char *file = pfc__mpi.rank ? 0 : pfc__behind(&tool);
    if (file)
        pfc__note("%s has wrappers of MPI calls as well, but comes behind perfcomp_mpi.h and sees none of them; have one of the "
                  "two in a run", file);
}

#else

#define PFC__WRAPPER(symbol)
static PFC__QUIET const char *pfc__interposed(void) { return 0; }
static PFC__QUIET void pfc__behind_say(void) { }

#endif

/* --------------------------------------------------- agreement (MPI impl) ---
   Piggybacks may travel only where every rank expects them. The ranks that have
   the layer agree at Init on whether that is so: each asks the launcher about
   its neighbours in a binary tree of all ranks, and what they know goes up the
   tree and down again. A rank without the layer cuts the tree; those around it
   know, and tell their part. The messages are sent and received inside of
   MPI_Init, between ranks that have the layer: none can meet a user's receive. */

enum {
    PFC__LACKING = 1,      /* a rank has no layer */
    PFC__UNTOLD = 2,       /* the launcher can't say whether one hasn't */
    PFC__DECLINED = 4,     /* PERFCOMP_MPI=some */
    PFC__SWITCHED_OFF = 8, /* PERFCOMP=off */
    PFC__WRAPS = 16        /* a rank has wrappers of its own before ours */
};

/* Why messages stay as they are (0: they needn't), and the first ranks that lack the layer, or wrap calls themselves. */
typedef struct pfc__verdict { int reasons, lacking, wrapping; } pfc__verdict_t;

static int pfc__launcher_told; /* this rank's word is with it */

static PFC__QUIET void pfc__verdict_join(pfc__verdict_t *v, pfc__verdict_t other)
{
    v->reasons |= other.reasons;
    if (other.lacking < v->lacking) v->lacking = other.lacking;
    if (other.wrapping < v->wrapping) v->wrapping = other.wrapping;
}

/* PERFCOMP_MPI; "all": what can't be known is taken for granted. */
static PFC__QUIET int pfc__wish_is(const char *value)
{
    const char *wish = pfc__environment("PERFCOMP_MPI");
    return !strcmp(wish ? wish : "", value);
}

/* After PMPI_Init: what this rank has to say. */
static PFC__QUIET pfc__verdict_t pfc__verdict_own(int rank)
{
    pfc__verdict_t mine = { 0, INT_MAX, INT_MAX };
    if (pfc__interposed()) mine.reasons |= PFC__WRAPS, mine.wrapping = rank;
    if (pfc__wish_is("some")) mine.reasons |= PFC__DECLINED;
    else if (!pfc__wish_is("") && !pfc__wish_is("all"))
        pfc__note_setting("PERFCOMP_MPI=%s isn't understood: use PERFCOMP_MPI=all or PERFCOMP_MPI=some", pfc__environment("PERFCOMP_MPI"));
    if (!pfc__thread_get()) mine.reasons |= PFC__SWITCHED_OFF;
    return mine;
}

static PFC__QUIET pfc__verdict_t pfc__verdict_from(int rank)
{
    pfc__verdict_t v = { 0, INT_MAX, INT_MAX };
    PMPI_Recv(&v, 3, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return v;
}

static PFC__QUIET void pfc__verdict_to(int rank, pfc__verdict_t v) { PMPI_Send(&v, 3, MPI_INT, rank, 0, MPI_COMM_WORLD); }

/* Up and down the tree. *speaks: this is the first rank that has the layer. */
static PFC__QUIET pfc__verdict_t pfc__verdict_sweep(pfc__verdict_t v, int rank, int size, int *speaks)
{
    int near[3] = { rank ? (rank - 1) / 2 : size, 2 * rank + 1, 2 * rank + 2 }, there[3], i;
    for (i = 0; i < 3; i++) {
        pfc__verdict_t lacks = { PFC__LACKING, near[i], INT_MAX };
        there[i] = near[i] < size && pfc__launcher_knows(near[i]);
        if (near[i] < size && !there[i]) pfc__verdict_join(&v, lacks);
    }
    for (i = 1; i < 3; i++)
        if (there[i]) pfc__verdict_join(&v, pfc__verdict_from(near[i]));
    if (there[0]) {
        pfc__verdict_to(near[0], v);
        v = pfc__verdict_from(near[0]);
    }
    for (i = 1; i < 3; i++)
        if (there[i]) pfc__verdict_to(near[i], v);
    *speaks = !there[0];
    for (i = 0; *speaks && i < rank; i++) *speaks = !pfc__launcher_knows(i);
    return v;
}

/* One line on stderr, and in every rank's profile. */
static PFC__QUIET void pfc__verdict_say(pfc__verdict_t v, int rank, int size, int speaks)
{
    static const char rest[] = "messages stay as they are, and times are corrected for each rank's own instrumentation only";
    char line[512];
    void *kept;
    if (v.reasons & (PFC__DECLINED | PFC__SWITCHED_OFF)) { /* as the user wished: who reads the profiles may be another one */
        pfc__note_keep("a rank ran with PERFCOMP_MPI=some or PERFCOMP=off: %s", rest);
        return;
    }
    if (v.reasons & PFC__LACKING)
        snprintf(line, sizeof line, "rank %d of %d runs without perfcomp_mpi.h: %s; to have delays followed and waiting times "
                 "corrected, build every program of this job with it", v.lacking, size, rest);
    else if (v.reasons & PFC__WRAPS)
        snprintf(line, sizeof line, "rank %d of %d has wrappers of MPI calls%s%s before those of perfcomp_mpi.h: %s; run it "
                 "without them", v.wrapping, size, v.wrapping == rank ? ", such as " : "",
                 v.wrapping == rank ? pfc__interposed() : "", rest);
    else
        snprintf(line, sizeof line, "this launcher can't tell whether each of the %d ranks has perfcomp_mpi.h: %s; if all have "
                 "it, set PERFCOMP_MPI=all", size, rest);
    if (speaks) pfc__note("%s", line);
    else if ((kept = pfc__extent_add(PFC__NOTES, 1, strlen(line) + 1, 0)) != 0) memcpy(kept, line, strlen(line) + 1);
}

/* After PMPI_Init: do all ranks go along? The same answer on all that have the layer. */
static PFC__QUIET int pfc__agreement_end(int rank, int size)
{
    pfc__verdict_t mine = pfc__verdict_own(rank), v = mine;
    int speaks = rank == 0 || rank == size - 1; /* in case that rank 0 doesn't have the layer */
    if (pfc__launcher_told && size > 1) v = pfc__verdict_sweep(mine, rank, size, &speaks);
    else if (PFC__ONE_PROGRAM || pfc__wish_is("all")) {
        PMPI_Allreduce(&mine.reasons, &v.reasons, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
        PMPI_Allreduce(&mine.wrapping, &v.wrapping, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    } else if (size > 1) v.reasons |= PFC__UNTOLD;
    pfc__launcher_leave();
    if (v.reasons) pfc__verdict_say(v, rank, size, speaks);
    return !v.reasons;
}

/* --------------------------------------------------- Allreduce (MPI impl) ---
   The call that parallel solvers wait in. Where it is short, and no order of
   combining can change the result, the ranks' moments and the user's data go
   together, by recursive doubling (Thakur, Rabenseifner & Gropp, IJHPCA 19,
   2005), instead of in two exchanges. Elsewhere it is one of the collectives.

   Ranks must agree without asking: whether they go together follows from what
   MPI requires to be the same on each of them. */

enum { PFC__TOGETHER_BYTES = 64 };

typedef struct pfc__together {
    pfc__latest_t latest;
    char data[PFC__TOGETHER_BYTES];
} pfc__together_t;

static struct {
    int on;               /* the number of ranks is a power of two */
    int mine_first;       /* two ranks: see pfc__together_order */
    pfc__transfer_t cost; /* how much longer it takes than the library's own call */
} pfc__together;

static PFC__QUIET int pfc__is_integer(MPI_Datatype type)
{
    return type == MPI_INT || type == MPI_LONG || type == MPI_LONG_LONG || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
           type == MPI_INT64_T || type == MPI_INT32_T || type == MPI_UINT64_T || type == MPI_UINT32_T ||
           type == MPI_UNSIGNED_LONG_LONG || type == MPI_SHORT || type == MPI_UNSIGNED_SHORT;
}

/* Two ranks combine a and b, in the library's order; more of them would round otherwise than the library does. */
static PFC__QUIET int pfc__combines_alike(MPI_Datatype type, MPI_Op op)
{
    if (op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD)
        return ((type == MPI_DOUBLE || type == MPI_FLOAT) && pfc__mpi.size == 2) || pfc__is_integer(type);
    return (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR || op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) &&
           pfc__is_integer(type);
}

static PFC__QUIET int pfc__goes_together(const pfc__collective_t *k, pfc__i64 bytes, MPI_Datatype type, MPI_Op op)
{
    return pfc__together.on && k->as_world && bytes > 0 && bytes <= PFC__TOGETHER_BYTES && pfc__combines_alike(type, op);
}

PFC__HOT void pfc__combine(void *mine, void *theirs, pfc__i64 bytes, int n, MPI_Datatype type, MPI_Op op)
{
    if (!pfc__together.mine_first) {
        PMPI_Reduce_local(theirs, mine, n, type, op);
        return;
    }
    PMPI_Reduce_local(mine, theirs, n, type, op);
    memcpy(mine, theirs, (size_t)bytes);
}

static PFC__QUIET void pfc__exchange_together(pfc__together_t *mine, pfc__i64 bytes, int n, MPI_Datatype type, MPI_Op op, int tag)
{
    pfc__together_t theirs;
    int step, length = (int)(sizeof mine->latest + (size_t)bytes);
    for (step = 1; step < pfc__mpi.size; step *= 2) {
        int other = pfc__mpi.rank ^ step;
        PMPI_Sendrecv(mine, length, MPI_BYTE, other, tag, &theirs, length, MPI_BYTE, other, tag, pfc__mpi.comm, MPI_STATUS_IGNORE);
        mine->latest = pfc__latest_merge(mine->latest, theirs.latest);
        pfc__combine(mine->data, theirs.data, bytes, n, type, op);
    }
}

/* The library's own call would have ended earlier by what ours takes longer; but not before the last rank had come. */
static PFC__QUIET void pfc__together_end(pfc__call_t *c, pfc__latest_t latest)
{
    pfc__transfer_t more = pfc__together.cost;
    pfc__i64 most = pfc__max(0, c->end.ct - pfc__max(c->begin.ct, latest.ct));
    c->end.lt -= pfc__min(more.ns, most);
    c->end.u += more.ns > most ? most : more.u; /* more than can be was said: all of it is in doubt */
}

static PFC__QUIET int pfc__allreduce(pfc__call_t *c, const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    pfc__collective_t k;
    pfc__together_t mine;
    int error;
    c->bytes = pfc__bytes_of(n, type);
    pfc__collective_begin(c, &k, PFC__RULE_ALL, 0, comm);
    if (!s || !r || r == MPI_IN_PLACE || s == r || !pfc__goes_together(&k, c->bytes, type, op)) { /* the first four: errors */
        error = PMPI_Allreduce(s, r, n, type, op, comm);
        pfc__collective_end(c, &k, error);
        return error;
    }
    mine.latest = pfc__latest_here(c->begin);
    memcpy(mine.data, s == MPI_IN_PLACE ? r : s, (size_t)c->bytes);
    pfc__exchange_together(&mine, c->bytes, n, type, op, pfc__collective_tag(&k));
    memcpy(r, mine.data, (size_t)c->bytes);
    pfc__call_end(c);
    pfc__collective_depends(c, &k, mine.latest);
    if (pfc__another_is_last(mine.latest.last)) pfc__last_doubted(c, &k, INT64_MAX);
    pfc__together_end(c, mine.latest);
    return MPI_SUCCESS;
}

enum { PFC__TOGETHER_PROBES = 3, PFC__TOGETHER_BATCH = 32, PFC__TOGETHER_NS = 10000000 };

static PFC__QUIET pfc__i64 pfc__library_ns(int calls)
{
    double in = 1, out;
    pfc__i64 tick = pfc__clock();
    while (calls-- > 0) PMPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, pfc__mpi.comm);
    return pfc__since(tick);
}

static PFC__QUIET pfc__i64 pfc__together_ns(int calls)
{
    pfc__together_t mine;
    pfc__i64 tick = pfc__clock();
    memset(&mine, 0, sizeof mine);
    while (calls-- > 0) pfc__exchange_together(&mine, sizeof(double), 1, MPI_DOUBLE, MPI_SUM, PFC__COLLECTIVE_TAG);
    return pfc__since(tick);
}

/* Of 0 and −0 the greater one is whichever an operation is given first, or last; so it is with NaN and a number. In some
   libraries both ranks have the same order, in others each has its own data last: the library's own call tells. */
static PFC__QUIET void pfc__together_order(void)
{
    double mine = pfc__mpi.rank ? -0.0 : 0.0, theirs = -mine, library;
    PMPI_Allreduce(&mine, &library, 1, MPI_DOUBLE, MPI_MAX, pfc__mpi.comm);
    PMPI_Reduce_local(&theirs, &mine, 1, MPI_DOUBLE, MPI_MAX);
    pfc__together.mine_first = pfc__mpi.size == 2 && signbit(mine) != signbit(library);
}

/* The least times and the medians each tell the difference; by how much they disagree is how well it is known. */
static PFC__QUIET void pfc__together_compare(pfc__i64 *library, pfc__i64 *ours, int tries)
{
    pfc__i64 library_least, library_u, ours_least, ours_u;
    pfc__least(library, tries, &library_least, &library_u);
    pfc__least(ours, tries, &ours_least, &ours_u);
    pfc__together.cost.ns = (ours_least - library_least) / PFC__TOGETHER_BATCH;
    pfc__together.cost.u = llabs(ours_u - library_u) / PFC__TOGETHER_BATCH;
}

/* Where a call takes so long that there is no time for a few batches, how long they take tells only who of the
   ranks that share a core was given it. */
static PFC__QUIET int pfc__together_tries(pfc__i64 call_ns)
{
    pfc__i64 tries = PFC__TOGETHER_NS / (2 * PFC__TOGETHER_BATCH * pfc__max(call_ns, 1));
    return tries < PFC__TRIES / 2 ? 0 : (int)pfc__min(tries, PFC__TRIES);
}

/* At Init, on each rank alike. Batches, because of two ranks one comes earlier to a single call. */
static PFC__QUIET void pfc__together_calibrate(void)
{
    pfc__i64 library[PFC__TRIES], ours[PFC__TRIES];
    int i, tries;
    if (PFC__ONE_PROGRAM) return; /* the simulator's own algorithm tells the time */
    if (pfc__mpi.size == 1 || pfc__mpi.size & (pfc__mpi.size - 1)) return;
    pfc__together_order();
    pfc__together_ns(1);
    pfc__library_ns(1);
    tries = pfc__together_tries(pfc__patient_max(pfc__library_ns(PFC__TOGETHER_PROBES)) / PFC__TOGETHER_PROBES);
    for (i = 0; i < tries; i++) {
        library[i] = pfc__library_ns(PFC__TOGETHER_BATCH);
        ours[i] = pfc__together_ns(PFC__TOGETHER_BATCH);
    }
    pfc__together.on = 1;
    if (!tries) return;
    pfc__together_compare(library, ours, tries);
    pfc__patient_bcast(&pfc__together.cost, (int)sizeof pfc__together.cost);
}

/* ------------------------------------------------------ merged (MPI impl) ---
   PERFCOMP_MPI_MERGE=1: at MPI_Finalize the profiles of all ranks go into one
   file, perfcomp.pfc, by MPI-IO, in place of the one file per rank. MPI-IO ends
   with MPI, so the profiles do so too, and say it. Until the file has its name
   every rank's own file stays: whatever fails, nothing is lost. */

#ifndef PERFCOMP_SMPI

/* This rank's part of it. */
typedef struct pfc__part_of_job { void *profile; pfc__collection_entry_t entry; pfc__u64 index; } pfc__part_of_job_t;

/* The worst of what the ranks have met: an errno, or 0. */
static PFC__QUIET int pfc__worst(int error)
{
    int worst = error;
    PMPI_Allreduce(&error, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static PFC__QUIET int pfc__merge_wanted(void)
{
    return pfc__mpi.rank == 0 && *pfc__profile_file_name() && pfc__switch("PERFCOMP_MPI_MERGE", 0);
}

/* Spawned processes are a job of their own, in the same folder: their one file would replace that of those who spawned them. */
static PFC__QUIET int pfc__is_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

/* Rank 0 decides: environments may differ. */
static PFC__QUIET void pfc__merge_agree(void)
{
    pfc__mpi.merges = pfc__merge_wanted() && !pfc__is_spawned();
    PMPI_Bcast(&pfc__mpi.merges, 1, MPI_INT, 0, pfc__mpi.comm);
}

/* At MPI_Finalize of a job that isn't followed. */
static PFC__QUIET void pfc__merge_refuse(void)
{
    if (pfc__merge_wanted())
        pfc__note("PERFCOMP_MPI_MERGE needs perfcomp_mpi.h on all ranks: each rank's profile stays in a file of its own");
}

/* Ends the profile, and finds its place in the file. 0, or an errno. */
static PFC__QUIET int pfc__part_take(pfc__part_of_job_t *part)
{
    pfc__u64 room, before = 0, all = 0;
    char name[sizeof part->entry.name];
    memset(part, 0, sizeof *part);
    part->profile = pfc__profile_finish(&part->entry.bytes);
    room = pfc__collection_room(part->entry.bytes);
    PMPI_Exscan(&room, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(&room, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    part->entry.at = PFC__COLLECTION_PAGE + (pfc__mpi.rank ? before : 0);
    part->index = PFC__COLLECTION_PAGE + all;
    if (!part->profile) return ENOMEM;
    snprintf(name, sizeof name, "perfcomp.%d.pfc", pfc__mpi.rank);
    pfc__collection_entry_seal(&part->entry, part->profile, name);
    return 0;
}

#ifndef PFC__WRITTEN_MOST         /* bytes in one call, which counts them by an int; tests make it less */
#define PFC__WRITTEN_MOST (1 << 30)
#endif

/* On all ranks alike, until each has written its own: of a large trace a profile has more than one call can write.
   0, or an errno. */
static PFC__QUIET int pfc__write_all(MPI_File file, pfc__u64 at, const char *bytes, pfc__u64 n)
{
    MPI_Status status;
    int error = 0, more = 1;
    while (!error && more) {
        const int part = n < PFC__WRITTEN_MOST ? (int)n : PFC__WRITTEN_MOST;
        int written = 0;
        error = PMPI_File_write_at_all(file, (MPI_Offset)at, bytes, part, MPI_BYTE, &status);
        if (!error) error = PMPI_Get_count(&status, MPI_BYTE, &written);
        error = pfc__worst(error || written != part ? EIO : 0);
        at += (pfc__u64)part;
        bytes += part;
        n -= (pfc__u64)part;
        more = pfc__worst(n != 0);
    }
    return error;
}

/* Profiles, index, and the header when all of them are there. */
static PFC__QUIET int pfc__parts_write(MPI_File file, const pfc__part_of_job_t *part)
{
    pfc__collection_t header = pfc__collection_of((pfc__u64)pfc__mpi.size, part->index);
    int error = pfc__write_all(file, part->entry.at, (const char *)part->profile, part->entry.bytes);
    if (!error) error = pfc__write_all(file, part->index + (pfc__u64)pfc__mpi.rank * sizeof part->entry, (const char *)&part->entry, sizeof part->entry);
    return error ? error : pfc__write_all(file, 0, (const char *)&header, pfc__mpi.rank ? 0 : sizeof header);
}

/* Into a file that is there and has its room. Where not every rank can open it, it isn't closed: that takes all. */
static PFC__QUIET int pfc__job_file_write(const char *path, const pfc__part_of_job_t *part)
{
    MPI_File file;
    int error;
    PMPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    error = pfc__worst(PMPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file) ? EIO : 0);
    if (error) return error;
    error = pfc__parts_write(file, part);
    return pfc__worst(PMPI_File_close(&file) && !error ? EIO : error);
}

static PFC__QUIET void pfc__job_merge(void)
{
    char path[PATH_MAX] = "";
    pfc__part_of_job_t part;
    int error;
    error = pfc__part_take(&part);
    if (!error && pfc__mpi.rank == 0) error = pfc__job_file_create(path, pfc__collection_of((pfc__u64)pfc__mpi.size, part.index).bytes);
    else if (!error && !pfc__fits_file_limit((size_t)part.index)) error = EFBIG;
    PMPI_Bcast(path, PATH_MAX, MPI_CHAR, 0, MPI_COMM_WORLD);
    error = pfc__worst(error);
    if (!error) error = pfc__job_file_write(path, &part);
    if (pfc__mpi.rank == 0) error = pfc__job_file_settle(error);
    if (!pfc__worst(error)) pfc__profile_remove();
    free(part.profile);
}

#else

/* Its MPI-IO writes no file. */
static PFC__QUIET void pfc__merge_agree(void)
{
    if (pfc__mpi.rank == 0 && pfc__switch("PERFCOMP_MPI_MERGE", 0))
        pfc__note("PERFCOMP_MPI_MERGE can't be done in a simulation: each rank's profile stays in a file of its own, and perfcomp merge makes one of them");
}

static PFC__QUIET void pfc__merge_refuse(void) { }

#endif

/* -------------------------------------------------------- life (MPI impl) ---
   From MPI_Init to MPI_Finalize. */

static PFC__QUIET void pfc__mutex_start(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&pfc__mpi_mutex, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

static PFC__QUIET void pfc__job_start(void)
{
    static pfc__mpi_job_t private_job;
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", *tab;
    int n = 0;
    pfc__mpi.job = (pfc__mpi_job_t *)pfc__extent_add(PFC__MPI, sizeof *pfc__mpi.job, 1, PFC__MPI_JOB);
    if (!pfc__mpi.job) pfc__mpi.job = &private_job;
    pfc__mpi_peers = (pfc__mpi_peer_t *)pfc__extent_add(PFC__MPI, sizeof *pfc__mpi_peers, PFC__MPI_PEER_SLOTS, PFC__MPI_PEERS);
    pfc__mpi.job->rank = (pfc__u32)pfc__mpi.rank;
    pfc__mpi.job->size = (pfc__u32)pfc__mpi.size;
    PMPI_Get_library_version(library, &n);
    library[strcspn(library, "\n,")] = 0;
    while ((tab = strchr(library, '\t')) != 0) *tab = ' '; /* MPICH's; reports would show it as what can't be printed */
    snprintf(pfc__mpi.job->library, sizeof pfc__mpi.job->library, "%.*s", PFC__MPI_PLACE - 1, library);
}

/* Spawned processes have ranks of the same numbers. Later worlds of a host have larger names: reports show them in this order. */
static PFC__QUIET void pfc__world_name(void)
{
    pfc__u64 world = (pfc__u64)pfc__clock() ^ (pfc__u64)getpid();
    if (PFC__ONE_PROGRAM) return; /* it spawns nothing */
    pfc__patient_bcast(&world, (int)sizeof world);
    pfc__mpi.job->world = world;
}

static pfc__i64 pfc__init_begun; /* tick */

/* R6 at PMPI_Init, from which none returns before all have come, with what their beginning has cost each of them. There
   are libraries that don't wait so: then everyone keeps its own. `left`: when it returned here. */
static PFC__QUIET void pfc__init_met(pfc__i64 left, pfc__i64 *delta, pfc__i64 *doubt)
{
    struct { pfc__latest_t came; pfc__i64 first_left; } mine, all; /* maxima: the first to leave, negated */
    pfc__moment_t came;
    mine.came = pfc__latest_of(pfc__moment_of(pfc__init_begun, *delta, *doubt));
    mine.first_left = -pfc__common_ns(left);
    PFC__PATIENTLY(Allreduce, Iallreduce, &mine, &all, PFC__LATEST_FIELDS + 1, MPI_INT64_T, MPI_MAX, pfc__mpi.comm);
    if (all.came.ct > -all.first_left) return;
    came = pfc__latest_moment(all.came);
    *delta = pfc__fixed_of(came.ct - came.lt);
    *doubt = pfc__fixed_of(came.u);
}

/* Before the region of MPI_Init, which is in the profile that is settled here. */
static PFC__QUIET void pfc__mpi_prepare(void)
{
    if (PFC__ONE_PROGRAM) return;
    pfc__thread_get(); /* so that the charge has a timer to go to */
    if (pfc__profile_yield() && !pfc__rank_of_launcher())
        pfc__note("this program has a perfcomp.h of its own, which the preloaded perfcomp_mpi.h can't reach: MPI isn't measured; "
                  "link the program with -rdynamic, or include perfcomp_mpi.h in it");
}

/* Before the library begins: it lets all ranks leave their word then, and never again. */
static PFC__QUIET void pfc__launcher_begin(void)
{
    pfc__i64 tick;
    pfc__launcher_join();
    tick = pfc__clock();
    pfc__launcher_told = pfc__launcher_tell();
    pfc__charge_since(tick);
}

static pthread_once_t pfc__launcher_begun = PTHREAD_ONCE_INIT; /* sessions may have, and in several threads */

/* Before PMPI_Init, and inside of its region: what is done of its work here is the library's time, not its caller's. */
static PFC__QUIET void pfc__mpi_announce(void)
{
    if (PFC__ONE_PROGRAM) return; /* there is one, and its clock stands still */
    pthread_once(&pfc__launcher_begun, pfc__launcher_begin);
    pfc__init_begun = pfc__clock();
}

#ifndef PERFCOMP_SMPI
/* Bindings that call the library's inner functions, as MPICH's mpi_f08 does, never come to us. (Nor do calls of a program that has
   this file itself, and us in a library beside it.) */
__attribute__((destructor)) static PFC__QUIET void pfc__unseen_say(void)
{
    int begun = 0;
    pfc__launcher_leave(); /* after sessions alone, nobody else has */
    PMPI_Initialized(&begun);
    if (begun) pfc__launcher_unended();
    if (begun && !pfc__init_begun && !pfc__interposed() && !pfc__rank_of_launcher() && pfc__switch("PERFCOMP", 1))
        pfc__note("MPI was begun by a call that perfcomp_mpi.h can't see (MPICH's mpi_f08 makes such): nothing of it is measured; "
                  "in Fortran, use mpi instead of mpi_f08");
}
#endif

#if PFC__MPI_4
/* A program of the sessions model needn't come to MPI_Init, with which we begin; it still may. */
static PFC__QUIET void pfc__session_announce(void)
{
    static int said;
    int begun = 0;
    pthread_once(&pfc__launcher_begun, pfc__launcher_begin);
    PMPI_Initialized(&begun);
    if (begun || __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) || !pfc__thread_get() || pfc__rank_of_launcher()) return;
    pfc__note("MPI_Session_init without MPI_Init: MPI isn't measured; to have it measured, call MPI_Init first");
}
#endif

/* MPI_Finalize begins with what the user wants done when MPI_COMM_SELF is freed, where messages may still be received. The first
   that is kept with it is the last that is taken from it: then we have to end. */
#ifndef PERFCOMP_SMPI
static int pfc__mpi_ends(MPI_Comm self, int key, void *value, void *extra);

static PFC__QUIET void pfc__last_of_self(void)
{
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, pfc__mpi_ends, &key, 0);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, 0);
}
#else
static PFC__QUIET void pfc__last_of_self(void) { }
#endif

/* ns. SimGrid lets a question pass time, so that a program that asks on and on gets on: 0.1 ms, if it isn't told otherwise, and a
   longer one each time. We ask, too, more than once at each long message. */
enum { PFC__QUESTION_MOST = 10000 };

static PFC__QUIET void pfc__questions_try(void)
{
    pfc__i64 tick = pfc__clock(), took;
    int there;
    PMPI_Iprobe(MPI_ANY_SOURCE, PFC__POST_TAG, pfc__mpi.comm, &there, MPI_STATUS_IGNORE);
    took = pfc__clock() - tick;
    if (took > PFC__QUESTION_MOST)
        pfc__note_setting("in this simulation an MPI_Iprobe takes %lld ns, those of perfcomp's own as well: times undisturbed will be far "
                          "off; call smpirun with --cfg=smpi/iprobe:1e-7 --cfg=smpi/test:1e-7 --cfg=smpi/grow-injected-times:no", (long long)took);
}

static PFC__QUIET int pfc__largest_tag(void)
{
    int *largest = 0, is_set = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &is_set);
    return is_set && largest ? *largest : INT_MAX;
}

/* Communicators for what ranks tell one another beside the program's messages. */
static PFC__QUIET void pfc__comms_of_our_own(void)
{
    PMPI_Comm_dup(MPI_COMM_WORLD, &pfc__mpi.comm);
    if (PFC__ONE_PROGRAM) return; /* some of SimGrid's algorithms don't work with one rank */
    PMPI_Comm_dup(MPI_COMM_SELF, &pfc__mpi.alone);
    PMPI_Comm_set_errhandler(pfc__mpi.alone, MPI_ERRORS_RETURN);
}

/* Libraries give one handle to all of them: two that a rank is alone in tell. */
static PFC__QUIET void pfc__at_once_learn(void)
{
    MPI_Request one, another;
    pfc__mpi.at_once = MPI_REQUEST_NULL;
    if (PFC__ONE_PROGRAM) return;
    PMPI_Ibarrier(pfc__mpi.alone, &one);
    PMPI_Ibarrier(pfc__mpi.alone, &another);
    if (one == another) pfc__mpi.at_once = one;
    PMPI_Wait(&one, MPI_STATUS_IGNORE);
    PMPI_Wait(&another, MPI_STATUS_IGNORE);
}

static PFC__QUIET void pfc__comm_world_known(void)
{
    pfc__comm_world.ours = 1;
    pfc__comm_world.number = 1;
    pfc__comm_world.rank = pfc__mpi.rank;
    pfc__comm_world.as_world = 1;
    pfc__comm_world.members = pfc__members_of(MPI_COMM_WORLD);
    pfc__comm_world.way = pfc__comm_world_ways;
}

/* After PMPI_Init. All of this is overhead. */
static PFC__QUIET void pfc__mpi_start(int level)
{
    pfc__cost_t *cost = pfc__costs();
    pfc__thread_t *t = PFC__ONE_PROGRAM ? 0 : pfc__self; /* there, nothing has passed before */
    pfc__i64 tick = pfc__clock(), delta = t ? t->delta : 0, doubt = t ? pfc__delta_doubt(t) : 0;
#ifdef PERFCOMP_SMPI
    pfc__virtual_begins();
#endif
    PMPI_Comm_rank(MPI_COMM_WORLD, &pfc__mpi.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &pfc__mpi.size);
    pfc__identity(pfc__mpi.rank, pfc__mpi.size);
    if (!pfc__agreement_end(pfc__mpi.rank, pfc__mpi.size)) { /* messages stay as they are, for all */
        pfc__charge_since(tick);
        return;
    }
    pfc__behind_say();
    pfc__comms_of_our_own();
    pfc__at_once_learn();
    if (PFC__ONE_PROGRAM) pfc__questions_try();
    pfc__mpi.threads = level == MPI_THREAD_MULTIPLE;
    pfc__mpi.tags = pfc__largest_tag();
    pfc__trials_agree();
    pfc__mutex_start();
    pfc__job_start();
    pfc__world_name();
    pfc__order_start();
    pfc__latest_over_make();
    pfc__clock_common();
    pfc__link_calibrate();
    pfc__mpi.call_cost = pfc__round(cost->mpi * (1 << PFC__FRACTION));
    pfc__together_calibrate();
    pfc__hold_start(level);
    pfc__comm_world_known();
    pfc__mpi.job->clock_u = pfc__mpi.clock_u;
    pfc__mpi.job->eager_bytes = pfc__link.eager;
    if (t) pfc__init_met(tick, &delta, &doubt);
    pfc__patient_barrier();
    if (pfc__self) pfc__delta_take(pfc__self, delta, doubt);
    pfc__mpi.met_u = pfc__fixed_ns(doubt);
    pfc__charge_start(tick);
    pfc__mpi.job->begin_tick = pfc__clock();
    pfc__mpi.job->begin_ct = pfc__common_ns(pfc__mpi.job->begin_tick);
    pfc__mpi.least_delay = -pfc__patient_max(-pfc__delay_now()) - pfc__mpi.met_u;
    pfc__merge_agree();
    pfc__last_of_self();
    pfc__mpi.on = 1;
}

/* Requests that the user's program left behind, and that depend on another rank. */
static PFC__QUIET size_t pfc__requests_left(void)
{
    size_t i, left = 0;
    for (i = 0; i <= pfc__requests.buckets; i++) {
        pfc__by_handle_t *e;
        for (e = pfc__handles_chain(&pfc__requests, i); e; e = e->next) {
            const pfc__request_t *r = (pfc__request_t *)(void *)e;
            left += r->active && pfc__request_depends(r);
        }
    }
    return left;
}

/* What the user's program left behind, and what we still hold. */
static PFC__QUIET void pfc__mpi_clear(void)
{
    size_t left = pfc__requests_left();
    if (left)
        pfc__note("rank %d: %llu %s never completed: what %s depended on isn't in the result", pfc__mpi.rank, (unsigned long long)left,
                  left == 1 ? "request was" : "requests were", left == 1 ? "it" : "they");
    pfc__left_alone_sweep(1);
    pfc__out_finish();
    PMPI_Barrier(pfc__mpi.comm); /* what others have told us is here */
    pfc__posts_drain();
    pfc__absences_drain();
    pfc__aparts_drain();
    pfc__hold_end();
    pfc__spans_drop(MPI_DATATYPE_NULL);
}

/* All ranks' calls of MPI_Finalize. */
static PFC__QUIET void pfc__mpi_meet(pfc__call_t *c)
{
    pfc__latest_t latest;
    pfc__transfer_t none = { 0, 0 };
    pfc__call_begin(c);
    pfc__held_release_all();
    if (pfc__bound.on) PFC__TELL(pfc__bound.at->gone, 1);
    pfc__mpi.job->end_ct = c->begin.ct;
    pfc__mpi.job->end_lt = c->begin.lt;
    pfc__mpi.job->end_u = c->begin.u;
    latest = pfc__exchange(PFC__RULE_ALL, 0, pfc__mpi.comm, pfc__latest_here(c->begin));
    pfc__call_end(c);
    pfc__call_depends(c, pfc__latest_moment(latest), none, none);
    pfc__waited_for(c, latest.last);
    c->wait_kind = PFC__WAIT_AT_NXN;
    pfc__clock_end(pfc__mpi.job);
}

static PFC__QUIET void pfc__mpi_leave(void)
{
    pfc__mpi.on = 0;
    pfc__mpi_clear();
    PMPI_Type_free(&pfc__latest_over);
    if (!PFC__ONE_PROGRAM) PMPI_Comm_free(&pfc__mpi.alone);
    PMPI_Comm_free(&pfc__mpi.comm);
}

/* ---------------------------------------------------- wrappers (MPI impl) ---
   MPI's own names. Outside of MPI_Init … MPI_Finalize, and where perfcomp is
   off, each is the library's call and nothing else. */

#define PFC__OFF PFC__UNLIKELY(!pfc__mpi.on)

#define PFC__WRAP_BY(enter, leave, given, name, rule, parameters, arguments, call) \
    int MPI_##name parameters \
    { \
        int result; \
        if (PFC__OFF || PFC__UNLIKELY(!(given))) return PMPI_##name arguments; \
        { \
            PFC__CALL(c, name, rule, enter); \
            result = call; \
            leave(&c); \
        } \
        return result; \
    } \
    PFC__WRAPPER(MPI_##name)
#define PFC__WRAP(...) PFC__WRAP_BY(pfc__call_enter, pfc__call_leave, 1, __VA_ARGS__)
#define PFC__WRAP_HOT(...) PFC__WRAP_BY(pfc__call_in, pfc__call_out, 1, __VA_ARGS__)
/* Without `given` the library finds what is wrong: a null pointer to what we look at. */
#define PFC__WRAP_GIVEN(...) PFC__WRAP_BY(pfc__call_enter, pfc__call_leave, __VA_ARGS__)
#define PFC__WRAP_HOT_GIVEN(...) PFC__WRAP_BY(pfc__call_in, pfc__call_out, __VA_ARGS__)

/* ---- sends and receives */

#define PFC__SEND(name, mode) \
    PFC__WRAP_HOT(name, PFC__RULE_SEND, (const void *b, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
              (b, n, type, to, tag, comm), pfc__send(&c, PMPI_##name, mode, b, n, type, to, tag, comm))

PFC__SEND(Send, 0)
PFC__SEND(Ssend, 1)
PFC__SEND(Rsend, 0)
PFC__SEND(Bsend, -1)

#define PFC__ISEND(name, mode, persistent) \
    PFC__WRAP_HOT(name, PFC__RULE_SEND, \
              (const void *b, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request), \
              (b, n, type, to, tag, comm, request), \
              pfc__isend(&c, PMPI_##name, mode, persistent, b, n, type, to, tag, comm, request))

PFC__ISEND(Isend, 0, 0)
PFC__ISEND(Issend, 1, 0)
PFC__ISEND(Irsend, 0, 0)
PFC__ISEND(Ibsend, -1, 0)
PFC__ISEND(Send_init, 0, 1)
PFC__ISEND(Ssend_init, 1, 1)
PFC__ISEND(Rsend_init, 0, 1)
PFC__ISEND(Bsend_init, -1, 1)

PFC__WRAP_HOT(Recv, PFC__RULE_RECEIVE,
              (void *b, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
              (b, n, type, from, tag, comm, status), pfc__receive(&c, b, n, type, from, tag, comm, status))
PFC__WRAP_HOT(Irecv, PFC__RULE_RECEIVE,
              (void *b, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
              (b, n, type, from, tag, comm, request), pfc__irecv(&c, PMPI_Irecv, 0, b, n, type, from, tag, comm, request))
PFC__WRAP(Recv_init, PFC__RULE_RECEIVE,
          (void *b, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
          (b, n, type, from, tag, comm, request), pfc__irecv(&c, PMPI_Recv_init, 1, b, n, type, from, tag, comm, request))
PFC__WRAP_HOT(Sendrecv, PFC__RULE_RECEIVE,
              (const void *s, int n, MPI_Datatype type, int to, int stag, void *r, int m, MPI_Datatype rtype, int from, int rtag,
               MPI_Comm comm, MPI_Status *status),
              (s, n, type, to, stag, r, m, rtype, from, rtag, comm, status),
              pfc__sendrecv(&c, s, n, type, to, stag, r, m, rtype, from, rtag, comm, status))
PFC__WRAP(Sendrecv_replace, PFC__RULE_RECEIVE,
          (void *b, int n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Status *status),
          (b, n, type, to, stag, from, rtag, comm, status),
          pfc__sendrecv_replace(&c, b, n, type, to, stag, from, rtag, comm, status))

/* ---- persistent */

PFC__WRAP_HOT_GIVEN(request, Start, PFC__RULE_LOCAL, (MPI_Request *request), (request), pfc__start(&c, 1, request, 0))
PFC__WRAP_HOT_GIVEN(request || n < 1, Startall, PFC__RULE_LOCAL, (int n, MPI_Request request[]), (n, request),
                    pfc__start(&c, n, request, 1))

/* ---- completion */

#define PFC__STATUS_GIVEN(status) ((status) || (status) == MPI_STATUS_IGNORE) /* null is MPI_STATUS_IGNORE, or wrong */
#define PFC__MANY_GIVEN(n, request, status) ((n) < 1 || ((request) && PFC__STATUS_GIVEN(status)))

PFC__WRAP_HOT_GIVEN(request && PFC__STATUS_GIVEN(status), Wait, PFC__RULE_COMPLETE,
                    (MPI_Request *request, MPI_Status *status), (request, status), pfc__wait_for(&c, request, status))
PFC__WRAP_HOT_GIVEN(request && flag && PFC__STATUS_GIVEN(status), Test, PFC__RULE_COMPLETE,
                    (MPI_Request *request, int *flag, MPI_Status *status), (request, flag, status),
                    pfc__test(&c, request, flag, status))
PFC__WRAP_GIVEN(index && PFC__MANY_GIVEN(n, request, status), Waitany, PFC__RULE_COMPLETE,
                (int n, MPI_Request request[], int *index, MPI_Status *status),
                (n, request, index, status), pfc__any(&c, n, request, index, 0, status))
PFC__WRAP_GIVEN(index && flag && PFC__MANY_GIVEN(n, request, status), Testany, PFC__RULE_COMPLETE,
                (int n, MPI_Request request[], int *index, int *flag, MPI_Status *status),
                (n, request, index, flag, status), pfc__any(&c, n, request, index, flag, status))
PFC__WRAP_GIVEN(done && (index || n < 1) && PFC__MANY_GIVEN(n, request, status), Waitsome, PFC__RULE_COMPLETE,
                (int n, MPI_Request request[], int *done, int index[], MPI_Status status[]),
                (n, request, done, index, status), pfc__some(&c, 1, n, request, done, index, status))
PFC__WRAP_GIVEN(done && (index || n < 1) && PFC__MANY_GIVEN(n, request, status), Testsome, PFC__RULE_COMPLETE,
                (int n, MPI_Request request[], int *done, int index[], MPI_Status status[]),
                (n, request, done, index, status), pfc__some(&c, 0, n, request, done, index, status))
PFC__WRAP_HOT_GIVEN(PFC__MANY_GIVEN(n, request, status), Waitall, PFC__RULE_COMPLETE,
                    (int n, MPI_Request request[], MPI_Status status[]), (n, request, status), pfc__waitall(&c, n, request, status))
PFC__WRAP_GIVEN(flag && PFC__MANY_GIVEN(n, request, status), Testall, PFC__RULE_COMPLETE,
                (int n, MPI_Request request[], int *flag, MPI_Status status[]),
                (n, request, flag, status), pfc__testall(&c, n, request, flag, status))
PFC__WRAP_GIVEN(request, Request_free, PFC__RULE_LOCAL, (MPI_Request *request), (request), pfc__free_request(&c, request))
PFC__WRAP(Cancel, PFC__RULE_LOCAL, (MPI_Request *request), (request), pfc__cancel(&c, request))
PFC__WRAP_GIVEN(flag, Request_get_status, PFC__RULE_PROBE, (MPI_Request request, int *flag, MPI_Status *status),
                (request, flag, status), pfc__look_at_request(&c, request, flag, status))
#if PFC__MPI_4_1
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40302000
#define PFC__LOOKED_AT /* MPICH before 4.3.2 lacks the standard's: */
#else
#define PFC__LOOKED_AT const
#endif
PFC__WRAP_GIVEN(flag && PFC__MANY_GIVEN(n, request, status), Request_get_status_all, PFC__RULE_PROBE,
                (int n, PFC__LOOKED_AT MPI_Request request[], int *flag, MPI_Status status[]),
                (n, request, flag, status), pfc__look_at_all(&c, n, request, flag, status))
PFC__WRAP_GIVEN(index && flag && PFC__MANY_GIVEN(n, request, status), Request_get_status_any, PFC__RULE_PROBE,
                (int n, PFC__LOOKED_AT MPI_Request request[], int *index, int *flag, MPI_Status *status),
                (n, request, index, flag, status), pfc__look_at_any(&c, n, request, index, flag, status))
PFC__WRAP_GIVEN(done && (index || n < 1) && PFC__MANY_GIVEN(n, request, status), Request_get_status_some, PFC__RULE_PROBE,
                (int n, PFC__LOOKED_AT MPI_Request request[], int *done, int index[], MPI_Status status[]),
                (n, request, done, index, status), pfc__look_at_some(&c, n, request, done, index, status))
#endif

/* ---- probes */

PFC__WRAP(Probe, PFC__RULE_PROBE, (int from, int tag, MPI_Comm comm, MPI_Status *status), (from, tag, comm, status),
          pfc__probe(&c, from, tag, comm, status))
PFC__WRAP(Iprobe, PFC__RULE_PROBE, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
          (from, tag, comm, flag, status), pfc__iprobe(&c, from, tag, comm, flag, status))
#ifndef PERFCOMP_SMPI
PFC__WRAP(Mprobe, PFC__RULE_PROBE, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
          (from, tag, comm, message, status), pfc__mprobe(&c, from, tag, comm, message, status))
PFC__WRAP(Improbe, PFC__RULE_PROBE,
          (int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
          (from, tag, comm, flag, message, status), pfc__improbe(&c, from, tag, comm, flag, message, status))
PFC__WRAP_GIVEN(message, Mrecv, PFC__RULE_RECEIVE, (void *b, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
          (b, n, type, message, status), pfc__mrecv(&c, b, n, type, message, status))
PFC__WRAP_GIVEN(message, Imrecv, PFC__RULE_RECEIVE, (void *b, int n, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
          (b, n, type, message, request), pfc__imrecv(&c, b, n, type, message, request))
#endif

/* ---- collectives */

/* `begin`, `end`: what is done before and after the library's call. */
#define PFC__COLLECTIVE_CALL(name, by, bytes_, begin, parameters, arguments, end) \
    int MPI_##name parameters \
    { \
        int result; \
        if (PFC__OFF) return PMPI_##name arguments; \
        { \
            PFC__CALL(c, name, PFC__RULE_##by, pfc__call_enter); \
            pfc__collective_t k; \
            c.bytes = bytes_; \
            begin; \
            result = PMPI_##name arguments; \
            end; \
            pfc__call_leave(&c); \
        } \
        return result; \
    } \
    PFC__WRAPPER(MPI_##name)
#define PFC__COLLECTIVE(name, by, root, bytes, parameters, arguments, end) \
    PFC__COLLECTIVE_CALL(name, by, bytes, pfc__collective_begin(&c, &k, PFC__RULE_##by, root, comm), parameters, arguments, end)

/* A row's forms: Bcast, Ibcast, Bcast_init. */
#define PFC__LIST(...) __VA_ARGS__
#define PFC__BLOCKING(Name, name, by, root, bytes, parameters, arguments) \
    PFC__COLLECTIVE(Name, by, root, bytes, parameters, arguments, pfc__collective_end(&c, &k, result))
#define PFC__NONBLOCKING(Name, name, by, root, bytes, parameters, arguments) \
    PFC__COLLECTIVE(I##name, by, root, bytes, (PFC__LIST parameters, MPI_Request *request), (PFC__LIST arguments, request), \
                    pfc__icollective_end(&c, &k, result, request))

/* Of rows with parts. */
#define PFC__PARTS(Name, name, by, root, bytes, lacks, parameters, arguments) \
    PFC__COLLECTIVE(Name, by, root, bytes, parameters, arguments, (k.may_part = lacks, pfc__collective_end(&c, &k, result)))
#define PFC__NONBLOCKING_PARTS(Name, name, by, root, bytes, lacks, parameters, arguments) \
    PFC__COLLECTIVE(I##name, by, root, bytes, (PFC__LIST parameters, MPI_Request *request), (PFC__LIST arguments, request), \
                    (k.may_part = lacks, pfc__icollective_end(&c, &k, result, request)))

/* Of rows with blocks. */
#define PFC__SPARSE(Name, name, by, root, bytes, blocks, parameters, arguments) \
    PFC__COLLECTIVE(Name, by, root, bytes, parameters, arguments, \
                    pfc__sparse_end(&c, &k, result, s == MPI_IN_PLACE, blocks(n, sizeof *n, type), blocks(m, sizeof *m, rtype)))
#define PFC__NONBLOCKING_SPARSE(Name, name, by, root, bytes, blocks, parameters, arguments) \
    PFC__COLLECTIVE(I##name, by, root, bytes, (PFC__LIST parameters, MPI_Request *request), (PFC__LIST arguments, request), \
                    (pfc__sparse_begun(&k, blocks(m, sizeof *m, rtype)), pfc__icollective_end(&c, &k, result, request)))

PFC__MPI_BARRIERS(PFC__BLOCKING)
PFC__MPI_BARRIERS(PFC__NONBLOCKING)
PFC__MPI_COLLECTIVES(PFC__BLOCKING, int, int)
PFC__MPI_COLLECTIVES(PFC__NONBLOCKING, int, int)
PFC__MPI_PARTS(PFC__PARTS, int, int)
PFC__MPI_PARTS(PFC__NONBLOCKING_PARTS, int, int)
PFC__MPI_SPARSES(PFC__SPARSE, int, int)
PFC__MPI_SPARSES(PFC__NONBLOCKING_SPARSE, int, int)
PFC__MPI_ALLREDUCES(PFC__NONBLOCKING, int, int)
PFC__WRAP_HOT(Allreduce, PFC__RULE_ALL, (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
              (s, r, n, type, op, comm), pfc__allreduce(&c, s, r, n, type, op, comm))
#ifndef PERFCOMP_SMPI
PFC__MPI_NEIGHBOURS(PFC__BLOCKING, int, int)
PFC__MPI_NEIGHBOURS(PFC__NONBLOCKING, int, int)
#endif

#if PFC__MPI_4
#define PFC__INITIALISED(name, by, root, bytes, parameters, arguments) \
    PFC__COLLECTIVE(name, by, root, bytes, (PFC__LIST parameters, MPI_Info info, MPI_Request *request), \
                    (PFC__LIST arguments, info, request), pfc__collective_init_end(&c, &k, result, request))
#define PFC__PERSISTENT(Name, name, ...) PFC__INITIALISED(Name##_init, __VA_ARGS__)
#define PFC__INITIALISED_PARTS(name, by, root, bytes, lacks, parameters, arguments) \
    PFC__COLLECTIVE(name, by, root, bytes, (PFC__LIST parameters, MPI_Info info, MPI_Request *request), \
                    (PFC__LIST arguments, info, request), \
                    (k.may_part = lacks, pfc__collective_init_end(&c, &k, result, request)))
#define PFC__PERSISTENT_PARTS(Name, name, ...) PFC__INITIALISED_PARTS(Name##_init, __VA_ARGS__)
#define PFC__INITIALISED_SPARSE(name, by, root, bytes, blocks, parameters, arguments) \
    PFC__COLLECTIVE(name, by, root, bytes, (PFC__LIST parameters, MPI_Info info, MPI_Request *request), \
                    (PFC__LIST arguments, info, request), \
                    (pfc__sparse_begun(&k, blocks(m, sizeof *m, rtype)), pfc__collective_init_end(&c, &k, result, request)))
#define PFC__PERSISTENT_SPARSE(Name, name, ...) PFC__INITIALISED_SPARSE(Name##_init, __VA_ARGS__)

PFC__MPI_BARRIERS(PFC__PERSISTENT)
PFC__MPI_COLLECTIVES(PFC__PERSISTENT, int, int)
PFC__MPI_PARTS(PFC__PERSISTENT_PARTS, int, int)
PFC__MPI_SPARSES(PFC__PERSISTENT_SPARSE, int, int)
PFC__MPI_ALLREDUCES(PFC__PERSISTENT, int, int)
PFC__MPI_NEIGHBOURS(PFC__PERSISTENT, int, int)
#endif

#if PFC__MPI_LARGE_COUNTS
/* With large counts: Bcast_c, Ibcast_c, Bcast_init_c. */
#define PFC__BLOCKING_C(Name, name, ...) PFC__BLOCKING(Name##_c, name##_c, __VA_ARGS__)
#define PFC__NONBLOCKING_C(Name, name, ...) PFC__NONBLOCKING(Name##_c, name##_c, __VA_ARGS__)
#define PFC__PERSISTENT_C(Name, name, ...) PFC__INITIALISED(Name##_init_c, __VA_ARGS__)
#define PFC__PARTS_C(Name, name, ...) PFC__PARTS(Name##_c, name##_c, __VA_ARGS__)
#define PFC__NONBLOCKING_PARTS_C(Name, name, ...) PFC__NONBLOCKING_PARTS(Name##_c, name##_c, __VA_ARGS__)
#define PFC__PERSISTENT_PARTS_C(Name, name, ...) PFC__INITIALISED_PARTS(Name##_init_c, __VA_ARGS__)
#define PFC__SPARSE_C(Name, name, ...) PFC__SPARSE(Name##_c, name##_c, __VA_ARGS__)
#define PFC__NONBLOCKING_SPARSE_C(Name, name, ...) PFC__NONBLOCKING_SPARSE(Name##_c, name##_c, __VA_ARGS__)
#define PFC__PERSISTENT_SPARSE_C(Name, name, ...) PFC__INITIALISED_SPARSE(Name##_init_c, __VA_ARGS__)

PFC__MPI_COLLECTIVES(PFC__BLOCKING_C, MPI_Count, MPI_Aint)
PFC__MPI_ALLREDUCES(PFC__BLOCKING_C, MPI_Count, MPI_Aint)
PFC__MPI_COLLECTIVES(PFC__NONBLOCKING_C, MPI_Count, MPI_Aint)
PFC__MPI_ALLREDUCES(PFC__NONBLOCKING_C, MPI_Count, MPI_Aint)
PFC__MPI_COLLECTIVES(PFC__PERSISTENT_C, MPI_Count, MPI_Aint)
PFC__MPI_PARTS(PFC__PARTS_C, MPI_Count, MPI_Aint)
PFC__MPI_PARTS(PFC__NONBLOCKING_PARTS_C, MPI_Count, MPI_Aint)
PFC__MPI_PARTS(PFC__PERSISTENT_PARTS_C, MPI_Count, MPI_Aint)
PFC__MPI_SPARSES(PFC__SPARSE_C, MPI_Count, MPI_Aint)
PFC__MPI_SPARSES(PFC__NONBLOCKING_SPARSE_C, MPI_Count, MPI_Aint)
PFC__MPI_SPARSES(PFC__PERSISTENT_SPARSE_C, MPI_Count, MPI_Aint)
PFC__MPI_ALLREDUCES(PFC__PERSISTENT_C, MPI_Count, MPI_Aint)
PFC__MPI_NEIGHBOURS(PFC__BLOCKING_C, MPI_Count, MPI_Aint)
PFC__MPI_NEIGHBOURS(PFC__NONBLOCKING_C, MPI_Count, MPI_Aint)
PFC__MPI_NEIGHBOURS(PFC__PERSISTENT_C, MPI_Count, MPI_Aint)
#endif

/* ---- what is made by all ranks of a communicator */

#define PFC__MAKER(name, parameters, arguments) \
    PFC__COLLECTIVE_CALL(name, ALL, 0, pfc__i64 moved = pfc__maker_begin(&c, &k, comm), parameters, arguments, \
                         (pfc__maker_end(&c, &k, result, moved), pfc__comm_made(result ? MPI_COMM_NULL : *made, 1)))
#define PFC__WINDOW_MAKER(name, parameters, arguments) \
    PFC__COLLECTIVE(name, ALL, 0, 0, parameters, arguments, \
                    (pfc__collective_end(&c, &k, result), result ? (void)0 : pfc__win_made(comm, *win)))
#define PFC__WINDOW_MAKER_C(name, parameters, arguments) PFC__WINDOW_MAKER(name##_c, parameters, arguments)

PFC__MPI_MAKERS(PFC__MAKER)
PFC__MPI_WINDOWS(PFC__WINDOW_MAKER, int)
PFC__MPI_WINDOWS_EMPTY(PFC__WINDOW_MAKER)
#if PFC__MPI_LARGE_COUNTS
PFC__MPI_WINDOWS(PFC__WINDOW_MAKER_C, MPI_Aint)
#endif

#ifndef PERFCOMP_SMPI
PFC__MPI_MAKERS_MORE(PFC__MAKER)
PFC__WRAP(Intercomm_create, PFC__RULE_ALL,
          (MPI_Comm comm, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm *made),
          (comm, leader, peer, remote, tag, made), pfc__intercomm_create(&c, comm, leader, peer, remote, tag, made))

/* Only what is made has the ranks that meet. */
#define PFC__GROUP_MAKER(name, parameters, arguments) \
    PFC__COLLECTIVE_CALL(name, ALL, 0, pfc__collective_begin(&c, &k, PFC__RULE_ALL, 0, MPI_COMM_NULL), parameters, arguments, \
                         (pfc__call_end(&c), pfc__comm_made(result ? MPI_COMM_NULL : *made, 1), \
                          pfc__collective_over(&k, PFC__RULE_ALL, 0, result ? MPI_COMM_NULL : *made), \
                          pfc__collective_met(&c, &k, result)))
#define PFC__IMAKER(name, parameters, arguments) \
    PFC__COLLECTIVE_CALL(name, ALL, 0, pfc__idup_t d; pfc__idup_begin(&d, &c, &k, comm), parameters, arguments, \
                         pfc__idup_end(&d, &c, comm, result, made, request))

PFC__MPI_GROUP_MAKERS(PFC__GROUP_MAKER)
PFC__MPI_IMAKERS(PFC__IMAKER)
#if PFC__MPI_4
PFC__MPI_GROUP_MAKERS_4(PFC__GROUP_MAKER)
PFC__MPI_IMAKERS_4(PFC__IMAKER)
#endif
#endif

/* ---- one-sided */

PFC__WRAP(Win_fence, PFC__RULE_ALL, (int assert, MPI_Win win), (assert, win), pfc__win_fence(&c, assert, win))
PFC__WRAP_GIVEN(win, Win_free, PFC__RULE_ALL, (MPI_Win *win), (win), pfc__win_free(&c, win))
PFC__WRAP(Win_post, PFC__RULE_LOCAL, (MPI_Group group, int assert, MPI_Win win), (group, assert, win),
          pfc__win_post(&c, group, assert, win))
PFC__WRAP(Win_start, PFC__RULE_EPOCH, (MPI_Group group, int assert, MPI_Win win), (group, assert, win),
          pfc__win_start(&c, group, assert, win))
PFC__WRAP(Win_complete, PFC__RULE_ANSWER, (MPI_Win win), (win), pfc__win_complete(&c, win))
PFC__WRAP(Win_wait, PFC__RULE_EPOCH, (MPI_Win win), (win), pfc__win_wait(&c, win, 0))
PFC__WRAP_GIVEN(flag, Win_test, PFC__RULE_EPOCH, (MPI_Win win, int *flag), (win, flag), pfc__win_wait(&c, win, flag))

PFC__WRAP(Win_lock, PFC__RULE_LOCK, (int kind, int rank, int assert, MPI_Win win), (kind, rank, assert, win),
          pfc__win_lock(&c, kind, rank, assert, win))
PFC__WRAP(Win_lock_all, PFC__RULE_LOCK, (int assert, MPI_Win win), (assert, win), pfc__win_lock_all(&c, assert, win))
PFC__WRAP(Win_unlock, PFC__RULE_ANSWER, (int rank, MPI_Win win), (rank, win), pfc__win_unlock(&c, &rank, win))
PFC__WRAP(Win_unlock_all, PFC__RULE_ANSWER, (MPI_Win win), (win), pfc__win_unlock(&c, 0, win))

/* The library's call as it is, with `before` and `after`. */
#define PFC__PASSED(name, rule, before, after, parameters, arguments) \
    int MPI_##name parameters \
    { \
        int result; \
        if (PFC__OFF) return PMPI_##name arguments; \
        { \
            PFC__CALL(c, name, rule, pfc__call_enter); \
            before; \
            pfc__call_begin(&c); \
            result = PMPI_##name arguments; \
            pfc__call_end(&c); \
            after; \
            pfc__call_leave(&c); \
        } \
        return result; \
    }

#define PFC__LOCAL(name, bytes_, parameters, arguments) \
    PFC__PASSED(name, PFC__RULE_LOCAL, c.bytes = bytes_, (void)0, parameters, arguments)
#define PFC__LOCAL_C(name, bytes, parameters, arguments) PFC__LOCAL(name##_c, bytes, parameters, arguments)
#define PFC__ONE_SIDED(name, bytes_, parameters, arguments) \
    PFC__PASSED(name, PFC__RULE_LOCAL, c.bytes = bytes_, pfc__one_sided(&c), parameters, arguments)
#define PFC__ONE_SIDED_C(name, bytes, parameters, arguments) PFC__ONE_SIDED(name##_c, bytes, parameters, arguments)

PFC__MPI_ONE_SIDED(PFC__ONE_SIDED, int)
PFC__LOCAL(Win_sync, 0, (MPI_Win win), (win))
#define PFC__ANSWERED(name, parameters, arguments) \
    PFC__PASSED(name, PFC__RULE_ANSWER, (void)0, pfc__answers_doubt(&c), parameters, arguments)
PFC__MPI_ANSWERED(PFC__ANSWERED)
#ifndef PERFCOMP_SMPI
PFC__MPI_ONE_SIDED_MORE(PFC__ONE_SIDED)
#if PFC__MPI_LARGE_COUNTS
PFC__MPI_ONE_SIDED(PFC__ONE_SIDED_C, MPI_Count)
#endif

/* ---- messages in parts */

#if PFC__MPI_4
#if MPI_VERSION < 4 || (defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40003000)
#define PFC__PARTS_LIST /* Open MPI 5 and MPICH before 4.0.3 lack the standard's: */
#else
#define PFC__PARTS_LIST const
#endif
PFC__WRAP(Psend_init, PFC__RULE_SEND,
          (const void *b, int parts, MPI_Count n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Info info,
           MPI_Request *request),
          (b, parts, n, type, to, tag, comm, info, request),
          pfc__psend_init(&c, b, parts, n, type, to, tag, comm, info, request))
PFC__WRAP(Precv_init, PFC__RULE_RECEIVE,
          (void *b, int parts, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Info info,
           MPI_Request *request),
          (b, parts, n, type, from, tag, comm, info, request),
          pfc__precv_init(&c, b, parts, n, type, from, tag, comm, info, request))
PFC__PASSED(Pready, PFC__RULE_LOCAL, pfc__parts_ready(&c, request, 1), (void)0, (int part, MPI_Request request), (part, request))
PFC__PASSED(Pready_range, PFC__RULE_LOCAL, pfc__parts_ready(&c, request, high - low + 1), (void)0,
            (int low, int high, MPI_Request request), (low, high, request))
PFC__PASSED(Pready_list, PFC__RULE_LOCAL, pfc__parts_ready(&c, request, n), (void)0,
            (int n, PFC__PARTS_LIST int part[], MPI_Request request), (n, part, request))
PFC__WRAP_GIVEN(flag, Parrived, PFC__RULE_PROBE, (MPI_Request request, int part, int *flag), (request, part, flag),
                pfc__parrived(&c, request, part, flag))
#endif

/* ---- files */

#define PFC__FILE_BY(name, bytes, parameters, arguments, end) \
    PFC__COLLECTIVE_CALL(name, ALL, bytes, pfc__file_begin(&c, &k, pfc__file_of(file)), parameters, arguments, end)
#define PFC__FILE(name, bytes, parameters, arguments) \
    PFC__FILE_BY(name, bytes, parameters, arguments, pfc__collective_end(&c, &k, result))
#define PFC__FILE_C(name, bytes, parameters, arguments) PFC__FILE(name##_c, bytes, parameters, arguments)
#define PFC__IFILE(name, bytes, parameters, arguments) \
    PFC__FILE_BY(name, bytes, parameters, arguments, pfc__icollective_end(&c, &k, result, request))
#define PFC__IFILE_C(name, bytes, parameters, arguments) PFC__IFILE(name##_c, bytes, parameters, arguments)

PFC__COLLECTIVE(File_open, ALL, 0, 0, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
                (comm, name, mode, info, file), (pfc__collective_end(&c, &k, result), pfc__file_opened(comm, result, *file)))
PFC__WRAP_GIVEN(file, File_close, PFC__RULE_ALL, (MPI_File *file), (file), pfc__file_close(&c, file))
PFC__MPI_FILES(PFC__FILE)
PFC__MPI_FILES_ALL(PFC__FILE, int)
PFC__MPI_FILES_IALL(PFC__IFILE, int)
PFC__MPI_FILES_ENDS(PFC__LOCAL)
PFC__MPI_FILES_ALONE(PFC__LOCAL, int)
#if PFC__MPI_LARGE_COUNTS
PFC__MPI_FILES_ALL(PFC__FILE_C, MPI_Count)
PFC__MPI_FILES_IALL(PFC__IFILE_C, MPI_Count)
PFC__MPI_FILES_ALONE(PFC__LOCAL_C, MPI_Count)
#endif

/* ---- what takes part in no rule: named, and passed on */

#define PFC__UNCOVERED(name, parameters, arguments) \
    PFC__PASSED(name, PFC__RULE_NONE, pfc__mpi.job->uncovered++, (void)0, parameters, arguments)

PFC__MPI_UNCOVERED(PFC__UNCOVERED)
#endif

/* ---- what our tables must forget */

PFC__WRAP_GIVEN(comm, Comm_free, PFC__RULE_LOCAL, (MPI_Comm *comm), (comm), pfc__comm_free(&c, comm, PMPI_Comm_free))
PFC__WRAP_GIVEN(comm, Comm_disconnect, PFC__RULE_ANSWER, (MPI_Comm *comm), (comm), pfc__comm_free(&c, comm, PMPI_Comm_disconnect))
PFC__WRAP_GIVEN(type, Type_free, PFC__RULE_LOCAL, (MPI_Datatype *type), (type), pfc__type_free(&c, type))
PFC__WRAP_GIVEN(b, Buffer_attach, PFC__RULE_LOCAL, (void *b, int n), (b, n), pfc__buffer_attach(&c, MPI_COMM_NULL, b, n))
PFC__WRAP(Buffer_detach, PFC__RULE_ANSWER, (void *b, int *n), (b, n), pfc__buffer_detach(&c, MPI_COMM_NULL, b, n))
#if PFC__MPI_4_1
PFC__WRAP_GIVEN(b && comm != MPI_COMM_NULL, Comm_attach_buffer, PFC__RULE_LOCAL, (MPI_Comm comm, void *b, int n), (comm, b, n),
                pfc__buffer_attach(&c, comm, b, n))
PFC__WRAP_GIVEN(comm != MPI_COMM_NULL, Comm_detach_buffer, PFC__RULE_ANSWER, (MPI_Comm comm, void *b, int *n), (comm, b, n),
                pfc__buffer_detach(&c, comm, b, n))
#endif

/* ---- life */

/* A region of its own, though no rule knows of it: in a short program most of the time is here. */
#define PFC__BEGIN_MPI(name, arguments, level) \
    { \
        static pfc__site_t site = PFC__SITE(PFC__MPI_CALL, "MPI_" #name, 0, ""); \
        pfc__token_t region; \
        int result; \
        pfc__mpi_prepare(); \
        region.depth = PFC__ONE_PROGRAM ? 0 : pfc__enter_at(&site, pfc__stack_pointer()); \
        pfc__mpi_announce(); \
        result = PMPI_##name arguments; \
        if (!result) pfc__mpi_start(level); \
        pfc__leave(&region); \
        return result; \
    }

int MPI_Init(int *argc, char ***argv) PFC__BEGIN_MPI(Init, (argc, argv), MPI_THREAD_SINGLE)

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
    PFC__BEGIN_MPI(Init_thread, (argc, argv, required, provided), *provided)

#if PFC__MPI_4
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    pfc__session_announce();
    pfc__mpi.sessions = 1;
    return PMPI_Session_init(info, handler, session);
}
#endif

#ifndef PERFCOMP_SMPI
/* Which rank ended the job, and where: a region that nobody leaves. No more: it may be called from a signal's handler, or an
   error's, amid a call of ours. */
int MPI_Abort(MPI_Comm comm, int code)
{
    static pfc__site_t site = PFC__SITE(PFC__MPI_CALL, "MPI_Abort", 0, "");
    if (!PFC__OFF) pfc__enter_at(&site, pfc__stack_pointer());
    return PMPI_Abort(comm, code);
}
#endif

static PFC__QUIET void pfc__finalize_meets(pfc__call_t *c, int leaves)
{
    pfc__mpi_meet(c);
    if (leaves) pfc__mpi_leave();
    pfc__call_settle(c);
    pfc__charge_since(c->tick_end);
}

#ifndef PERFCOMP_SMPI
static pfc__call_t *pfc__finalizes; /* NULL: it was called past us */
static int pfc__finalize_met;       /* and nothing is left but to leave */

static int pfc__mpi_ends(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    if (pfc__finalize_met) pfc__mpi_leave();
    else if (pfc__finalizes) {
        pfc__finalizes->tick_in = pfc__clock(); /* it was the library's and the user's until now */
        pfc__finalize_meets(pfc__finalizes, 1);
    }
    return MPI_SUCCESS;
}

/* MPI-IO may end before we do: where all profiles become one, they don't wait for what comes then. And with the
   last session MPI_COMM_SELF may end later than MPI_Finalize, before which no rank's calls in sessions are the last. */
static PFC__QUIET int pfc__finalize(pfc__call_t *c)
{
    int result;
    pfc__finalize_met = pfc__mpi.merges || pfc__mpi.sessions;
    if (pfc__finalize_met) {
        pfc__finalize_meets(c, 0);
        if (pfc__mpi.merges) pfc__job_merge();
    } else pfc__charge_since(c->tick_in);
    pfc__finalizes = c;
    result = PMPI_Finalize();
    pfc__finalizes = 0;
    return result;
}
#else
/* In virtual time the profile ends before the library does. */
static PFC__QUIET int pfc__finalize(pfc__call_t *c)
{
    pfc__finalize_meets(c, 1);
    pfc_stop();
    return PMPI_Finalize();
}
#endif

/* For the rules it ends when all have come; its region, when the library has. */
int MPI_Finalize(void)
{
    int result;
    if (PFC__OFF) {
        pfc__merge_refuse();
        return PMPI_Finalize();
    }
    {
        PFC__CALL(c, Finalize, PFC__RULE_ALL, pfc__call_enter);
        result = pfc__finalize(&c);
        pfc__mpi.on = 0;
        pfc__leave_at(&c.region, pfc__clock());
        pfc__errors_tell();
    }
    return result;
}

/* -------------------------------------------------- isendrecv (MPI impl) ---
   MPI-4's nonblocking send and receive in one. */

#if PFC__MPI_4

/* A send from a buffer of ours, which waits for nobody. 0: no memory. */
static PFC__QUIET int pfc__request_buffers(pfc__request_t *r, pfc__i64 count, MPI_Datatype type)
{
    pfc__type_t known;
    r->waits = 0;
    r->overlong = 1;
    if (r->copied) return 1;
    if (r->span) pfc__span_give(r->span);
    r->span = 0;
    return pfc__type_known(type, &known) && pfc__request_copies(r) && (known.plain || pfc__request_packs(r, count, type));
}

/* The send goes from a buffer of ours, and the user's request is the receive's: of the library's own for both (MPICH 4.0) the
   status doesn't tell how much came. */
static PFC__QUIET int pfc__send_leave(pfc__request_t *out, MPI_Request *receive)
{
    MPI_Request handle;
    int error = PMPI_Isend(pfc__request_buffer(out), pfc__request_count(out), MPI_BYTE, out->peer, out->tag, out->in, &handle);
    if (!error) {
        pfc__left_alone_sweep(0);
        pfc__request_leave(out, handle);
        return MPI_SUCCESS;
    }
    PMPI_Cancel(receive);
    PMPI_Wait(receive, MPI_STATUS_IGNORE);
    pfc__request_drop(out);
    return error;
}

static PFC__QUIET int pfc__isendrecv(pfc__call_t *c, const void *s, int n, MPI_Datatype type, int to, int stag, void *r, int m,
                                     MPI_Datatype rtype, int from, int rtag, MPI_Comm comm, MPI_Request *request)
{
    pfc__request_t *in, *out;
    int error;
    if (!pfc__requests_for_both(&in, r, m, rtype, from, rtag, &out, s, n, type, to, stag, comm)) return pfc__no_memory(c, comm);
    if (out && !pfc__request_buffers(out, n, type)) {
        pfc__request_drop(out);
        if (in) pfc__request_drop(in);
        return pfc__no_memory(c, comm);
    }
    if (out) pfc__request_ready(out, c);
    if (in) pfc__request_ready(in, c);
    if (out) c->bytes = out->bytes;
    pfc__call_begin(c);
    if (out) pfc__request_stamp(out, c);
    if (in) pfc__request_stamp(in, c);
    if (!in && !out) error = PMPI_Isendrecv(s, n, type, to, stag, r, m, rtype, from, rtag, comm, request);
    else error = in ? pfc__irecv_start(PMPI_Irecv, in, request) : PMPI_Irecv(r, m, rtype, from, rtag, comm, request);
    if (out && error) pfc__request_drop(out);
    else if (out) error = pfc__send_leave(out, request);
    if (in && error && in->held) pfc__held_cancel(in);
    pfc__call_end(c);
    pfc__request_started(in, request, error);
    return error;
}

static PFC__QUIET int pfc__isendrecv_replace(pfc__call_t *c, void *b, int n, MPI_Datatype type, int to, int stag, int from, int rtag,
                                             MPI_Comm comm, MPI_Request *request)
{
    pfc__type_t known;
    int error;
    if (pfc__carries(b, n, type, to, comm, &known) || pfc__carries(b, n, type, from, comm, &known))
        return pfc__isendrecv(c, b, n, type, to, stag, b, n, type, from, rtag, comm, request);
    pfc__call_begin(c);
    error = PMPI_Isendrecv_replace(b, n, type, to, stag, from, rtag, comm, request);
    pfc__call_end(c);
    return error;
}

PFC__WRAP(Isendrecv_replace, PFC__RULE_RECEIVE,
          (void *b, int n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Request *request),
          (b, n, type, to, stag, from, rtag, comm, request),
          pfc__isendrecv_replace(&c, b, n, type, to, stag, from, rtag, comm, request))

PFC__WRAP(Isendrecv, PFC__RULE_RECEIVE,
          (const void *s, int n, MPI_Datatype type, int to, int stag, void *r, int m, MPI_Datatype rtype, int from, int rtag,
           MPI_Comm comm, MPI_Request *request),
          (s, n, type, to, stag, r, m, rtype, from, rtag, comm, request),
          pfc__isendrecv(&c, s, n, type, to, stag, r, m, rtype, from, rtag, comm, request))
#endif

/* ----------------------------------------------------- counted (MPI impl) ---
   MPI-4's calls with large counts: those that fit into an int are the usual
   calls; the others are one element of a type that has so many. */

#if PFC__MPI_LARGE_COUNTS

typedef struct pfc__many { int count; MPI_Datatype type; int made; } pfc__many_t;

static PFC__QUIET pfc__many_t pfc__many_of(MPI_Count count, MPI_Datatype type)
{
    pfc__many_t many = { (int)count, type, 0 };
    if (count <= INT_MAX) return many; /* less than 0 stays so: the library finds it */
    many.made = !PMPI_Type_contiguous_c(count, type, &many.type) && !PMPI_Type_commit(&many.type);
    many.count = many.made ? 1 : -1;
    return many;
}

static PFC__QUIET int pfc__many_done(pfc__many_t *many, int result)
{
    if (many->made) MPI_Type_free(&many->type);
    return result;
}

#define PFC__COUNTED(name, parameters, arguments, usual) \
    int MPI_##name##_c parameters \
    { \
        if (PFC__OFF) return PMPI_##name##_c arguments; \
        { \
            pfc__many_t many = pfc__many_of(n, type); \
            return pfc__many_done(&many, MPI_##name usual); \
        } \
    }
#define PFC__COUNTED_SEND(name) \
    PFC__COUNTED(name, (const void *b, MPI_Count n, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
                 (b, n, type, to, tag, comm), (b, many.count, many.type, to, tag, comm))
#define PFC__COUNTED_ISEND(name) \
    PFC__COUNTED(name, (const void *b, MPI_Count n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request), \
                 (b, n, type, to, tag, comm, request), (b, many.count, many.type, to, tag, comm, request))

PFC__COUNTED_SEND(Send)
PFC__COUNTED_SEND(Ssend)
PFC__COUNTED_SEND(Rsend)
PFC__COUNTED_SEND(Bsend)
PFC__COUNTED_ISEND(Isend)
PFC__COUNTED_ISEND(Issend)
PFC__COUNTED_ISEND(Irsend)
PFC__COUNTED_ISEND(Ibsend)
PFC__COUNTED_ISEND(Send_init)
PFC__COUNTED_ISEND(Ssend_init)
PFC__COUNTED_ISEND(Rsend_init)
PFC__COUNTED_ISEND(Bsend_init)
PFC__COUNTED(Recv, (void *b, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
             (b, n, type, from, tag, comm, status), (b, many.count, many.type, from, tag, comm, status))
PFC__COUNTED(Irecv, (void *b, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
             (b, n, type, from, tag, comm, request), (b, many.count, many.type, from, tag, comm, request))
PFC__COUNTED(Recv_init, (void *b, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
             (b, n, type, from, tag, comm, request), (b, many.count, many.type, from, tag, comm, request))
PFC__COUNTED(Mrecv, (void *b, MPI_Count n, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
             (b, n, type, message, status), (b, many.count, many.type, message, status))
PFC__COUNTED(Imrecv, (void *b, MPI_Count n, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
             (b, n, type, message, request), (b, many.count, many.type, message, request))
PFC__COUNTED(Sendrecv_replace,
             (void *b, MPI_Count n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Status *status),
             (b, n, type, to, stag, from, rtag, comm, status), (b, many.count, many.type, to, stag, from, rtag, comm, status))

int MPI_Sendrecv_c(const void *s, MPI_Count n, MPI_Datatype type, int to, int stag, void *r, MPI_Count m, MPI_Datatype rtype,
                   int from, int rtag, MPI_Comm comm, MPI_Status *status)
{
    pfc__many_t send, receive;
    int result;
    if (PFC__OFF) return PMPI_Sendrecv_c(s, n, type, to, stag, r, m, rtype, from, rtag, comm, status);
    send = pfc__many_of(n, type);
    receive = pfc__many_of(m, rtype);
    result = MPI_Sendrecv(s, send.count, send.type, to, stag, r, receive.count, receive.type, from, rtag, comm, status);
    pfc__many_done(&send, result);
    return pfc__many_done(&receive, result);
}

PFC__COUNTED(Isendrecv_replace,
             (void *b, MPI_Count n, MPI_Datatype type, int to, int stag, int from, int rtag, MPI_Comm comm, MPI_Request *request),
             (b, n, type, to, stag, from, rtag, comm, request), (b, many.count, many.type, to, stag, from, rtag, comm, request))

int MPI_Isendrecv_c(const void *s, MPI_Count n, MPI_Datatype type, int to, int stag, void *r, MPI_Count m, MPI_Datatype rtype,
                    int from, int rtag, MPI_Comm comm, MPI_Request *request)
{
    pfc__many_t send, receive;
    int result;
    if (PFC__OFF) return PMPI_Isendrecv_c(s, n, type, to, stag, r, m, rtype, from, rtag, comm, request);
    send = pfc__many_of(n, type);
    receive = pfc__many_of(m, rtype);
    result = MPI_Isendrecv(s, send.count, send.type, to, stag, r, receive.count, receive.type, from, rtag, comm, request);
    pfc__many_done(&send, result);
    return pfc__many_done(&receive, result);
}

/* Whether the library has a larger one than the user's. */
static PFC__QUIET int pfc__buffer_is_larger(MPI_Comm comm)
{
    int larger;
    pfc__mpi_lock();
    larger = *pfc__buffer_at(comm) != 0;
    pfc__mpi_unlock();
    return larger;
}

int MPI_Buffer_attach_c(void *b, MPI_Count n)
{
    return PFC__OFF || n > INT_MAX / 2 ? PMPI_Buffer_attach_c(b, n) : MPI_Buffer_attach(b, (int)n);
}

int MPI_Buffer_detach_c(void *b, MPI_Count *n)
{
    int few = 0, result;
    if (PFC__OFF || !pfc__buffer_is_larger(MPI_COMM_NULL)) return PMPI_Buffer_detach_c(b, n);
    result = MPI_Buffer_detach(b, &few);
    *n = few;
    return result;
}

#if PFC__MPI_4_1
int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *b, MPI_Count n)
{
    return PFC__OFF || n > INT_MAX / 2 ? PMPI_Comm_attach_buffer_c(comm, b, n) : MPI_Comm_attach_buffer(comm, b, (int)n);
}

int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *b, MPI_Count *n)
{
    int few = 0, result;
    if (PFC__OFF || !pfc__buffer_is_larger(comm)) return PMPI_Comm_detach_buffer_c(comm, b, n);
    result = MPI_Comm_detach_buffer(comm, b, &few);
    *n = few;
    return result;
}
#endif
#endif

/* ----------------------------------------------------- Fortran (MPI impl) ---
   MPICH's mpif.h and `use mpi` call MPI_Send and the others: they are covered by
   themselves. Open MPI's goes past them, so its names are wrapped here, those of
   mpif.h and `use mpi` (mpi_send_) and those that `use mpi_f08` comes by
   (ompi_send_f; pmpi_test_ and the others that have logicals): all sends,
   receives, completions and collectives but the ones on topologies. They only
   translate to C; the rest is done by MPI_Send and the others, ours: a tool that
   is loaded before us, and comes here by pmpi_send_, would meet itself in them.
   All have their pmpi_ name: a program that wraps some of them itself would else
   have messages without piggybacks there, and look for those here.
   Weak: a program may have such names of its own. */

#if defined OPEN_MPI && defined PFC__LOOKS_FOR_MPI
#  error "perfcomp: define PERFCOMP_MPI_IMPLEMENTATION before perfcomp.h is included"
#elif defined OPEN_MPI && !defined PERFCOMP_SMPI

extern int mpi_fortran_bottom_ __attribute__((weak)), mpi_fortran_in_place_ __attribute__((weak));

#define PFC__OURS(name) pfc__ours_MPI_##name
static __typeof__(MPI_Init) pfc__ours_MPI_Init __attribute__((alias("MPI_Init")));
static __typeof__(MPI_Init_thread) pfc__ours_MPI_Init_thread __attribute__((alias("MPI_Init_thread")));
static __typeof__(MPI_Abort) pfc__ours_MPI_Abort __attribute__((alias("MPI_Abort")));
static __typeof__(MPI_Finalize) pfc__ours_MPI_Finalize __attribute__((alias("MPI_Finalize")));

typedef MPI_Fint *pfc__f; /* an integer, a handle, a logical, a status, or an array of them */

#define PFC__FORTRAN_NAME(symbol, name, parameters) \
    void symbol parameters __attribute__((weak, alias("pfc__fortran_" #name)));

#define PFC__FORTRAN(name, parameters, ...) \
    void pfc__fortran_##name parameters; \
    void pfc__fortran_##name parameters \
    { \
        int result = MPI_SUCCESS; \
        pfc__fortran_place = __builtin_return_address(0); \
        __VA_ARGS__; \
        pfc__fortran_place = 0; /* of a call that wasn't measured */ \
        if (error) *error = result; \
    } \
    PFC__FORTRAN_NAME(mpi_##name##_, name, parameters) \
    PFC__FORTRAN_NAME(mpi_##name##__, name, parameters) \
    PFC__FORTRAN_NAME(pmpi_##name##_, name, parameters) \
    PFC__FORTRAN_NAME(pmpi_##name##__, name, parameters) \
    PFC__FORTRAN_NAME(ompi_##name##_f, name, parameters)

/* ---- translation */

static PFC__QUIET void *pfc__fbuffer(void *p)
{
    if (p && p == (void *)&mpi_fortran_bottom_) return MPI_BOTTOM;
    return p && p == (void *)&mpi_fortran_in_place_ ? MPI_IN_PLACE : p;
}

#define PFC__FCOMM(f) PMPI_Comm_f2c(*(f))
#define PFC__FTYPE(f) PMPI_Type_f2c(*(f))
#define PFC__FOP(f) PMPI_Op_f2c(*(f))

/* The status of one completion goes back to Fortran's. */
static PFC__QUIET void pfc__fstatus(const MPI_Status *status, pfc__f to)
{
    if (to != MPI_F_STATUS_IGNORE) PMPI_Status_c2f(status, to);
}

/* What is there before the call: single completions leave MPI_ERROR as it is. */
static PFC__QUIET MPI_Status pfc__fstatus_before(pfc__f from)
{
    MPI_Status status;
    memset(&status, 0, sizeof status);
    if (from != MPI_F_STATUS_IGNORE) PMPI_Status_f2c(from, &status);
    return status;
}

/* Arrays of requests and statuses, in C. Few ones need no memory. */
enum { PFC__FEW_REQUESTS = 16 };

typedef struct pfc__frequests {
    MPI_Request *request, few[PFC__FEW_REQUESTS];
    MPI_Status *status, few_statuses[PFC__FEW_REQUESTS];
} pfc__frequests_t;

static PFC__QUIET void pfc__frequests_close(pfc__frequests_t *r)
{
    if (r->request != r->few) free(r->request);
    if (r->status != r->few_statuses) free(r->status);
}

static PFC__QUIET int pfc__frequests_open(pfc__frequests_t *r, int n, pfc__f from)
{
    int i;
    r->request = r->few;
    r->status = r->few_statuses;
    if (n > PFC__FEW_REQUESTS) {
        r->request = (MPI_Request *)malloc((size_t)n * sizeof *r->request);
        r->status = (MPI_Status *)malloc((size_t)n * sizeof *r->status);
    }
    if (!r->request || !r->status) {
        pfc__frequests_close(r);
        return MPI_ERR_NO_MEM;
    }
    for (i = 0; i < n; i++) r->request[i] = PMPI_Request_f2c(from[i]);
    pfc__statuses_untold(r->status, n);
    return MPI_SUCCESS;
}

/* Of a request that is none the library makes nothing, and says so: it stays what it is. */
static PFC__QUIET void pfc__frequest_back(MPI_Request request, pfc__f to)
{
    if (request != PMPI_Request_f2c(*to)) *to = PMPI_Request_c2f(request);
}

static PFC__QUIET void pfc__frequests_back(const pfc__frequests_t *r, int n, pfc__f to)
{
    int i;
    for (i = 0; i < n; i++) pfc__frequest_back(r->request[i], &to[i]);
}

/* What such a call doesn't tell, neither do we. */
enum { PFC__FUNTOLD = INT_MIN };

static PFC__QUIET void pfc__ftell(int told, pfc__f to) { if (told != PFC__FUNTOLD) *to = told; }

static PFC__QUIET void pfc__fstatuses_back(const pfc__frequests_t *r, int result, int n, pfc__f to)
{
    int i;
    if (to == MPI_F_STATUSES_IGNORE || (result && result != MPI_ERR_IN_STATUS)) return;
    for (i = 0; i < n; i++, to += sizeof(MPI_Status) / sizeof(MPI_Fint)) {
        MPI_Status told = pfc__fstatus_before(to);
        pfc__status_tell(&told, &r->status[i]);
        PMPI_Status_c2f(&told, to);
    }
}

/* ---- sends and receives */

#define PFC__FORTRAN_SEND(name, call) \
    PFC__FORTRAN(name, (void *b, pfc__f n, pfc__f type, pfc__f to, pfc__f tag, pfc__f comm, pfc__f error), \
                 result = call(pfc__fbuffer(b), *n, PFC__FTYPE(type), *to, *tag, PFC__FCOMM(comm)))

PFC__FORTRAN_SEND(send, PFC__OURS(Send))
PFC__FORTRAN_SEND(ssend, PFC__OURS(Ssend))
PFC__FORTRAN_SEND(rsend, PFC__OURS(Rsend))
PFC__FORTRAN_SEND(bsend, PFC__OURS(Bsend))

/* Calls that give a request. */
#define PFC__FORTRAN_STARTS(name, parameters, call) \
    PFC__FORTRAN(name, parameters, MPI_Request started = MPI_REQUEST_NULL; \
                 result = call; \
                 if (!result) *request = PMPI_Request_c2f(started))

#define PFC__FORTRAN_TRANSFER(name, call) \
    PFC__FORTRAN_STARTS(name, (void *b, pfc__f n, pfc__f type, pfc__f to, pfc__f tag, pfc__f comm, pfc__f request, pfc__f error), \
                        call(pfc__fbuffer(b), *n, PFC__FTYPE(type), *to, *tag, PFC__FCOMM(comm), &started))

PFC__FORTRAN_TRANSFER(isend, PFC__OURS(Isend))
PFC__FORTRAN_TRANSFER(issend, PFC__OURS(Issend))
PFC__FORTRAN_TRANSFER(irsend, PFC__OURS(Irsend))
PFC__FORTRAN_TRANSFER(ibsend, PFC__OURS(Ibsend))
PFC__FORTRAN_TRANSFER(send_init, PFC__OURS(Send_init))
PFC__FORTRAN_TRANSFER(ssend_init, PFC__OURS(Ssend_init))
PFC__FORTRAN_TRANSFER(rsend_init, PFC__OURS(Rsend_init))
PFC__FORTRAN_TRANSFER(bsend_init, PFC__OURS(Bsend_init))
PFC__FORTRAN_TRANSFER(irecv, PFC__OURS(Irecv))
PFC__FORTRAN_TRANSFER(recv_init, PFC__OURS(Recv_init))

/* Calls that tell one status. */
#define PFC__FORTRAN_TELLS(name, parameters, call) \
    PFC__FORTRAN(name, parameters, MPI_Status told = pfc__fstatus_before(status); \
                 result = call; \
                 if (!result) pfc__fstatus(&told, status))

PFC__FORTRAN_TELLS(recv, (void *b, pfc__f n, pfc__f type, pfc__f from, pfc__f tag, pfc__f comm, pfc__f status, pfc__f error),
                   PFC__OURS(Recv)(pfc__fbuffer(b), *n, PFC__FTYPE(type), *from, *tag, PFC__FCOMM(comm), &told))
PFC__FORTRAN_TELLS(sendrecv, (void *s, pfc__f n, pfc__f type, pfc__f to, pfc__f stag, void *r, pfc__f m, pfc__f rtype, pfc__f from,
                              pfc__f rtag, pfc__f comm, pfc__f status, pfc__f error),
                   PFC__OURS(Sendrecv)(pfc__fbuffer(s), *n, PFC__FTYPE(type), *to, *stag, pfc__fbuffer(r), *m, PFC__FTYPE(rtype), *from,
                                *rtag, PFC__FCOMM(comm), &told))
PFC__FORTRAN_TELLS(sendrecv_replace, (void *b, pfc__f n, pfc__f type, pfc__f to, pfc__f stag, pfc__f from, pfc__f rtag, pfc__f comm,
                                      pfc__f status, pfc__f error),
                   PFC__OURS(Sendrecv_replace)(pfc__fbuffer(b), *n, PFC__FTYPE(type), *to, *stag, *from, *rtag, PFC__FCOMM(comm), &told))
PFC__FORTRAN_TELLS(probe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f status, pfc__f error),
                   PFC__OURS(Probe)(*from, *tag, PFC__FCOMM(comm), &told))
PFC__FORTRAN(iprobe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f flag, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); int there = 0;
             result = PFC__OURS(Iprobe)(*from, *tag, PFC__FCOMM(comm), &there, &told); *flag = there;
             if (!result && there) pfc__fstatus(&told, status))
PFC__FORTRAN(mprobe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f message, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); MPI_Message found;
             result = PFC__OURS(Mprobe)(*from, *tag, PFC__FCOMM(comm), &found, &told);
             if (!result) { *message = PMPI_Message_c2f(found); pfc__fstatus(&told, status); })
PFC__FORTRAN(improbe, (pfc__f from, pfc__f tag, pfc__f comm, pfc__f flag, pfc__f message, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); MPI_Message found; int there = 0;
             result = PFC__OURS(Improbe)(*from, *tag, PFC__FCOMM(comm), &there, &found, &told); *flag = there;
             if (!result && there) { *message = PMPI_Message_c2f(found); pfc__fstatus(&told, status); })
PFC__FORTRAN(mrecv, (void *b, pfc__f n, pfc__f type, pfc__f message, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); MPI_Message found = PMPI_Message_f2c(*message);
             result = PFC__OURS(Mrecv)(pfc__fbuffer(b), *n, PFC__FTYPE(type), &found, &told); *message = PMPI_Message_c2f(found);
             if (!result) pfc__fstatus(&told, status))
PFC__FORTRAN(imrecv, (void *b, pfc__f n, pfc__f type, pfc__f message, pfc__f request, pfc__f error),
             MPI_Request started = MPI_REQUEST_NULL; MPI_Message found = PMPI_Message_f2c(*message);
             result = PFC__OURS(Imrecv)(pfc__fbuffer(b), *n, PFC__FTYPE(type), &found, &started); *message = PMPI_Message_c2f(found);
             if (!result) *request = PMPI_Request_c2f(started))

/* ---- completion */

PFC__FORTRAN(start, (pfc__f request, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request); result = PFC__OURS(Start)(&r);
             pfc__frequest_back(r, request))
PFC__FORTRAN(cancel, (pfc__f request, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request); result = PFC__OURS(Cancel)(&r))
PFC__FORTRAN(request_free, (pfc__f request, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request);
             result = PFC__OURS(Request_free)(&r); pfc__frequest_back(r, request))
PFC__FORTRAN(wait, (pfc__f request, pfc__f status, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request);
             MPI_Status told = pfc__fstatus_before(status); result = PFC__OURS(Wait)(&r, &told); pfc__frequest_back(r, request);
             pfc__fstatus(&told, status))
PFC__FORTRAN(test, (pfc__f request, pfc__f flag, pfc__f status, pfc__f error), MPI_Request r = PMPI_Request_f2c(*request);
             MPI_Status told = pfc__fstatus_before(status); int done = PFC__FUNTOLD; result = PFC__OURS(Test)(&r, &done, &told);
             pfc__ftell(done, flag); pfc__frequest_back(r, request); if (done) pfc__fstatus(&told, status))
PFC__FORTRAN(request_get_status, (pfc__f request, pfc__f flag, pfc__f status, pfc__f error),
             MPI_Status told = pfc__fstatus_before(status); int done = PFC__FUNTOLD;
             result = PFC__OURS(Request_get_status)(PMPI_Request_f2c(*request), &done, &told); pfc__ftell(done, flag);
             if (done) pfc__fstatus(&told, status))

/* Calls on `*n` requests; `body` has them in r.request. */
#define PFC__FORTRAN_MANY(name, parameters, ...) \
    PFC__FORTRAN(name, parameters, pfc__frequests_t r; result = pfc__frequests_open(&r, *n, request); \
                 if (!result) { __VA_ARGS__; pfc__frequests_back(&r, *n, request); pfc__frequests_close(&r); })

/* Fortran counts from 1. */
static PFC__QUIET int pfc__findex(int index) { return index == MPI_UNDEFINED || index == PFC__FUNTOLD ? index : index + 1; }

/* So many of them, with their statuses. */
static PFC__QUIET void pfc__fsome(const pfc__frequests_t *r, int result, int some, pfc__f n, pfc__f index, pfc__f status)
{
    int i;
    pfc__ftell(some, n);
    for (i = 0; some != MPI_UNDEFINED && i < some; i++) index[i]++;
    if (some > 0) pfc__fstatuses_back(r, result, some, status);
}

PFC__FORTRAN_MANY(startall, (pfc__f n, pfc__f request, pfc__f error), result = PFC__OURS(Startall)(*n, r.request))
PFC__FORTRAN_MANY(waitall, (pfc__f n, pfc__f request, pfc__f status, pfc__f error),
                  result = PFC__OURS(Waitall)(*n, r.request, r.status); pfc__fstatuses_back(&r, result, *n, status))
PFC__FORTRAN_MANY(testall, (pfc__f n, pfc__f request, pfc__f flag, pfc__f status, pfc__f error), int done = PFC__FUNTOLD;
                  result = PFC__OURS(Testall)(*n, r.request, &done, r.status); pfc__ftell(done, flag);
                  if (done) pfc__fstatuses_back(&r, result, *n, status))
PFC__FORTRAN_MANY(waitany, (pfc__f n, pfc__f request, pfc__f index, pfc__f status, pfc__f error), int at = PFC__FUNTOLD;
                  MPI_Status told = pfc__fstatus_before(status); result = PFC__OURS(Waitany)(*n, r.request, &at, &told);
                  pfc__ftell(pfc__findex(at), index); pfc__fstatus(&told, status))
PFC__FORTRAN_MANY(testany, (pfc__f n, pfc__f request, pfc__f index, pfc__f flag, pfc__f status, pfc__f error),
                  int at = PFC__FUNTOLD, done = PFC__FUNTOLD;
                  MPI_Status told = pfc__fstatus_before(status); result = PFC__OURS(Testany)(*n, r.request, &at, &done, &told);
                  pfc__ftell(pfc__findex(at), index); pfc__ftell(done, flag); if (done) pfc__fstatus(&told, status))
PFC__FORTRAN_MANY(waitsome, (pfc__f n, pfc__f request, pfc__f done, pfc__f index, pfc__f status, pfc__f error), int some = PFC__FUNTOLD;
                  result = PFC__OURS(Waitsome)(*n, r.request, &some, index, r.status); pfc__fsome(&r, result, some, done, index, status))
PFC__FORTRAN_MANY(testsome, (pfc__f n, pfc__f request, pfc__f done, pfc__f index, pfc__f status, pfc__f error), int some = PFC__FUNTOLD;
                  result = PFC__OURS(Testsome)(*n, r.request, &some, index, r.status); pfc__fsome(&r, result, some, done, index, status))

/* ---- collectives, and their nonblocking forms */

#define PFC__FOPEN(...) __VA_ARGS__
#define PFC__FORTRAN_COLLECTIVE(name, Name, parameters, arguments) \
    PFC__FORTRAN(name, (PFC__FOPEN parameters, pfc__f error), result = PFC__OURS(Name) arguments) \
    PFC__FORTRAN_STARTS(i##name, (PFC__FOPEN parameters, pfc__f request, pfc__f error), PFC__OURS(I##name)(PFC__FOPEN arguments, &started))

PFC__FORTRAN_COLLECTIVE(barrier, Barrier, (pfc__f comm), (PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(bcast, Bcast, (void *b, pfc__f n, pfc__f type, pfc__f root, pfc__f comm),
                        (pfc__fbuffer(b), *n, PFC__FTYPE(type), *root, PFC__FCOMM(comm)))

#define PFC__FORTRAN_ROOTED(name, Name) \
    PFC__FORTRAN_COLLECTIVE(name, Name, \
        (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f rtype, pfc__f root, pfc__f comm), \
        (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), *m, PFC__FTYPE(rtype), *root, PFC__FCOMM(comm)))
PFC__FORTRAN_ROOTED(gather, Gather)
PFC__FORTRAN_ROOTED(scatter, Scatter)
PFC__FORTRAN_COLLECTIVE(gatherv, Gatherv,
    (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f at, pfc__f rtype, pfc__f root, pfc__f comm),
    (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), m, at, PFC__FTYPE(rtype), *root, PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(scatterv, Scatterv,
    (void *s, pfc__f n, pfc__f from, pfc__f type, void *r, pfc__f m, pfc__f rtype, pfc__f root, pfc__f comm),
    (pfc__fbuffer(s), n, from, PFC__FTYPE(type), pfc__fbuffer(r), *m, PFC__FTYPE(rtype), *root, PFC__FCOMM(comm)))

#define PFC__FORTRAN_EQUAL(name, Name) \
    PFC__FORTRAN_COLLECTIVE(name, Name, (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f rtype, pfc__f comm), \
        (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), *m, PFC__FTYPE(rtype), PFC__FCOMM(comm)))
PFC__FORTRAN_EQUAL(allgather, Allgather)
PFC__FORTRAN_EQUAL(alltoall, Alltoall)
PFC__FORTRAN_COLLECTIVE(allgatherv, Allgatherv,
    (void *s, pfc__f n, pfc__f type, void *r, pfc__f m, pfc__f at, pfc__f rtype, pfc__f comm),
    (pfc__fbuffer(s), *n, PFC__FTYPE(type), pfc__fbuffer(r), m, at, PFC__FTYPE(rtype), PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(alltoallv, Alltoallv,
    (void *s, pfc__f n, pfc__f from, pfc__f type, void *r, pfc__f m, pfc__f at, pfc__f rtype, pfc__f comm),
    (pfc__fbuffer(s), n, from, PFC__FTYPE(type), pfc__fbuffer(r), m, at, PFC__FTYPE(rtype), PFC__FCOMM(comm)))

#define PFC__FORTRAN_REDUCES(name, Name) \
    PFC__FORTRAN_COLLECTIVE(name, Name, (void *s, void *r, pfc__f n, pfc__f type, pfc__f op, pfc__f comm), \
        (pfc__fbuffer(s), pfc__fbuffer(r), *n, PFC__FTYPE(type), PFC__FOP(op), PFC__FCOMM(comm)))
PFC__FORTRAN_REDUCES(allreduce, Allreduce)
PFC__FORTRAN_REDUCES(scan, Scan)
PFC__FORTRAN_REDUCES(exscan, Exscan)
PFC__FORTRAN_REDUCES(reduce_scatter_block, Reduce_scatter_block)
PFC__FORTRAN_COLLECTIVE(reduce_scatter, Reduce_scatter, (void *s, void *r, pfc__f n, pfc__f type, pfc__f op, pfc__f comm),
    (pfc__fbuffer(s), pfc__fbuffer(r), n, PFC__FTYPE(type), PFC__FOP(op), PFC__FCOMM(comm)))
PFC__FORTRAN_COLLECTIVE(reduce, Reduce, (void *s, void *r, pfc__f n, pfc__f type, pfc__f op, pfc__f root, pfc__f comm),
    (pfc__fbuffer(s), pfc__fbuffer(r), *n, PFC__FTYPE(type), PFC__FOP(op), *root, PFC__FCOMM(comm)))

/* ---- communicators, and what our tables must forget */

/* Calls that make a communicator. */
#define PFC__FORTRAN_MAKES(name, parameters, call) \
    PFC__FORTRAN(name, parameters, MPI_Comm comm_made = MPI_COMM_NULL; \
                 result = call; \
                 if (!result) *made = PMPI_Comm_c2f(comm_made))

PFC__FORTRAN_MAKES(comm_dup, (pfc__f comm, pfc__f made, pfc__f error), PFC__OURS(Comm_dup)(PFC__FCOMM(comm), &comm_made))
PFC__FORTRAN_MAKES(comm_create, (pfc__f comm, pfc__f group, pfc__f made, pfc__f error),
                   PFC__OURS(Comm_create)(PFC__FCOMM(comm), PMPI_Group_f2c(*group), &comm_made))
PFC__FORTRAN_MAKES(comm_split, (pfc__f comm, pfc__f color, pfc__f key, pfc__f made, pfc__f error),
                   PFC__OURS(Comm_split)(PFC__FCOMM(comm), *color, *key, &comm_made))
PFC__FORTRAN_MAKES(comm_split_type, (pfc__f comm, pfc__f kind, pfc__f key, pfc__f info, pfc__f made, pfc__f error),
                   PFC__OURS(Comm_split_type)(PFC__FCOMM(comm), *kind, *key, PMPI_Info_f2c(*info), &comm_made))
PFC__FORTRAN_MAKES(intercomm_merge, (pfc__f comm, pfc__f high, pfc__f made, pfc__f error),
                   PFC__OURS(Intercomm_merge)(PFC__FCOMM(comm), *high, &comm_made))
PFC__FORTRAN_MAKES(cart_create, (pfc__f comm, pfc__f n, pfc__f size, pfc__f periodic, pfc__f reorder, pfc__f made, pfc__f error),
                   PFC__OURS(Cart_create)(PFC__FCOMM(comm), *n, size, periodic, *reorder, &comm_made))
PFC__FORTRAN_MAKES(cart_sub, (pfc__f comm, pfc__f keep, pfc__f made, pfc__f error),
                   PFC__OURS(Cart_sub)(PFC__FCOMM(comm), keep, &comm_made))

PFC__FORTRAN(comm_free, (pfc__f comm, pfc__f error), MPI_Comm c = PFC__FCOMM(comm); result = PFC__OURS(Comm_free)(&c);
             *comm = PMPI_Comm_c2f(c))
PFC__FORTRAN(comm_disconnect, (pfc__f comm, pfc__f error), MPI_Comm c = PFC__FCOMM(comm); result = PFC__OURS(Comm_disconnect)(&c);
             *comm = PMPI_Comm_c2f(c))
PFC__FORTRAN(type_free, (pfc__f type, pfc__f error), MPI_Datatype t = PFC__FTYPE(type); result = PFC__OURS(Type_free)(&t);
             *type = PMPI_Type_c2f(t))

/* ---- life */

PFC__FORTRAN(init, (pfc__f error), result = PFC__OURS(Init)(0, 0))
PFC__FORTRAN(init_thread, (pfc__f required, pfc__f provided, pfc__f error), int level = *required;
             result = PFC__OURS(Init_thread)(0, 0, *required, &level); *provided = level)
PFC__FORTRAN(abort, (pfc__f comm, pfc__f code, pfc__f error), result = PFC__OURS(Abort)(PFC__FCOMM(comm), *code))
PFC__FORTRAN(finalize, (pfc__f error), result = PFC__OURS(Finalize)())

#endif

PFC__EXTERN_C_END
#endif /* PERFCOMP_MPI_IMPLEMENTATION */

/*
MIT License

Copyright (c) 2026 the perfcomp authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
