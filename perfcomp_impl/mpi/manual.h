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
