/* ---------------------------------------------------- interference (impl) ---
   The system's own work (its timer's, the devices', a hypervisor's) takes a
   hundredth or two of the time, and makes all that runs so much longer; probes,
   too. A window in which some of it fell says little of what probes cost, and is
   left out of their mean (context.c). The share that they have in it is told by a
   piece of work that is always the same, at each window's turn: costs are charged
   times the ratio of what all pieces took to what they would have taken, had each
   been like that mean of them. It is the fixed work quantum of Sottile and Minnich,
   Analysis of microbenchmarks for performance tuning of clusters, 2004. A piece in
   which another thread had the processor isn't counted: the dilation knows of it
   (processor.c). */

#define PFC__PIECE 64     /* clock reads: half a microsecond */
#define PFC__PIECES 128   /* that are compared with each other: later on the processor's frequency may be another one */
#define PFC__SWITCHED 500 /* times as long as the others is a piece in which another thread ran */

static struct {
    double ticks[PFC__PIECES];
    int n;
    double all, calm; /* what all pieces so far took, and would have taken undisturbed */
} pfc__interference;

static PFC__QUIET void pfc__interference_take(void)
{
    double *value = pfc__interference.ticks, calm = pfc__mean(value, PFC__PIECES).value, all = 0;
    int n = 0;
    for (; n < PFC__PIECES && value[n] <= PFC__SWITCHED * calm; n++) all += value[n];
    pfc__interference.all += all;
    pfc__interference.calm += n * calm;
    pfc__interference.n = 0;
}

static PFC__QUIET void pfc__interference_look(void)
{
    pfc__i64 begin = pfc__clock(), end = begin;
    int i;
    for (i = 0; i < PFC__PIECE; i++) end = pfc__clock();
    pfc__interference.ticks[pfc__interference.n++] = (double)(end - begin);
    if (pfc__interference.n == PFC__PIECES) pfc__interference_take();
}

/* How many times as long as without interference all takes. */
static PFC__QUIET double pfc__interfered(void)
{
    return pfc__interference.calm > 0 ? pfc__interference.all / pfc__interference.calm : 1;
}
