/* ----------------------------------------------------------- calls (MPI) ---
   The table of calls: one row each, with its rule. The wrappers of all but the
   first group are made from the rows, and so is the table of the README. To
   cover another call is to add its row.

   Collectives: name, rule, root (0 where there is none), communicator, bytes
   that this rank gives (statistics, and the transfer estimate of R7 to R10),
   parameters, arguments. */

#define PFC__MPI_COLLECTIVES(ROW) \
    ROW(Barrier, ALL, 0, comm, 0, (MPI_Comm comm), (comm)) \
    ROW(Bcast, FROM_ROOT, root, comm, pfc__bytes_of(n, type), \
        (void *b, int n, MPI_Datatype type, int root, MPI_Comm comm), (b, n, type, root, comm)) \
    ROW(Gather, TO_ROOT, root, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root, MPI_Comm comm), \
        (s, n, type, r, m, rtype, root, comm)) \
    ROW(Gatherv, TO_ROOT, root, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, int root, \
         MPI_Comm comm), \
        (s, n, type, r, m, at, rtype, root, comm)) \
    ROW(Scatter, FROM_ROOT, root, comm, pfc__bytes_in(r, m, rtype), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root, MPI_Comm comm), \
        (s, n, type, r, m, rtype, root, comm)) \
    ROW(Scatterv, FROM_ROOT, root, comm, pfc__bytes_in(r, m, rtype), \
        (const void *s, const int n[], const int at[], MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root, \
         MPI_Comm comm), \
        (s, n, at, type, r, m, rtype, root, comm)) \
    ROW(Allgather, ALL, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Allgatherv, ALL, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, at, rtype, comm)) \
    ROW(Alltoall, ALL, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Alltoallv, ALL, 0, comm, 0, \
        (const void *s, const int n[], const int from[], MPI_Datatype type, void *r, const int m[], const int at[], \
         MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm)) \
    ROW(Alltoallw, ALL, 0, comm, 0, \
        (const void *s, const int n[], const int from[], const MPI_Datatype type[], void *r, const int m[], const int at[], \
         const MPI_Datatype rtype[], MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm)) \
    ROW(Reduce, TO_ROOT, root, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), (s, r, n, type, op, root, comm)) \
    ROW(Reduce_scatter, ALL, 0, comm, 0, \
        (const void *s, void *r, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm)) \
    ROW(Reduce_scatter_block, ALL, 0, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm)) \
    ROW(Scan, PREFIX, 0, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm)) \
    ROW(Exscan, PREFIX, 0, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (s, r, n, type, op, comm))

/* The same, nonblocking: `request` is the last parameter. */
#define PFC__MPI_ICOLLECTIVES(ROW) \
    ROW(Ibarrier, ALL, 0, comm, 0, (MPI_Comm comm, MPI_Request *request), (comm, request)) \
    ROW(Ibcast, FROM_ROOT, root, comm, pfc__bytes_of(n, type), \
        (void *b, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request), (b, n, type, root, comm, request)) \
    ROW(Igather, TO_ROOT, root, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root, MPI_Comm comm, \
         MPI_Request *request), \
        (s, n, type, r, m, rtype, root, comm, request)) \
    ROW(Igatherv, TO_ROOT, root, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, int root, \
         MPI_Comm comm, MPI_Request *request), \
        (s, n, type, r, m, at, rtype, root, comm, request)) \
    ROW(Iscatter, FROM_ROOT, root, comm, pfc__bytes_in(r, m, rtype), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root, MPI_Comm comm, \
         MPI_Request *request), \
        (s, n, type, r, m, rtype, root, comm, request)) \
    ROW(Iscatterv, FROM_ROOT, root, comm, pfc__bytes_in(r, m, rtype), \
        (const void *s, const int n[], const int at[], MPI_Datatype type, void *r, int m, MPI_Datatype rtype, int root, \
         MPI_Comm comm, MPI_Request *request), \
        (s, n, at, type, r, m, rtype, root, comm, request)) \
    ROW(Iallgather, ALL, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm, MPI_Request *request), \
        (s, n, type, r, m, rtype, comm, request)) \
    ROW(Iallgatherv, ALL, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, MPI_Comm comm, \
         MPI_Request *request), \
        (s, n, type, r, m, at, rtype, comm, request)) \
    ROW(Ialltoall, ALL, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm, MPI_Request *request), \
        (s, n, type, r, m, rtype, comm, request)) \
    ROW(Ialltoallv, ALL, 0, comm, 0, \
        (const void *s, const int n[], const int from[], MPI_Datatype type, void *r, const int m[], const int at[], \
         MPI_Datatype rtype, MPI_Comm comm, MPI_Request *request), \
        (s, n, from, type, r, m, at, rtype, comm, request)) \
    ROW(Ialltoallw, ALL, 0, comm, 0, \
        (const void *s, const int n[], const int from[], const MPI_Datatype type[], void *r, const int m[], const int at[], \
         const MPI_Datatype rtype[], MPI_Comm comm, MPI_Request *request), \
        (s, n, from, type, r, m, at, rtype, comm, request)) \
    ROW(Ireduce, TO_ROOT, root, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request), \
        (s, r, n, type, op, root, comm, request)) \
    ROW(Iallreduce, ALL, 0, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request), \
        (s, r, n, type, op, comm, request)) \
    ROW(Ireduce_scatter, ALL, 0, comm, 0, \
        (const void *s, void *r, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request), \
        (s, r, n, type, op, comm, request)) \
    ROW(Ireduce_scatter_block, ALL, 0, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request), \
        (s, r, n, type, op, comm, request)) \
    ROW(Iscan, PREFIX, 0, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request), \
        (s, r, n, type, op, comm, request)) \
    ROW(Iexscan, PREFIX, 0, comm, pfc__bytes_of(n, type), \
        (const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request), \
        (s, r, n, type, op, comm, request))

/* Making communicators: all of `comm` meet. */
#define PFC__MPI_MAKERS(ROW) \
    ROW(Comm_dup, ALL, 0, comm, 0, (MPI_Comm comm, MPI_Comm *made), (comm, made)) \
    ROW(Comm_create, ALL, 0, comm, 0, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made)) \
    ROW(Comm_split, ALL, 0, comm, 0, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made)) \
    ROW(Comm_split_type, ALL, 0, comm, 0, (MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm *made), \
        (comm, kind, key, info, made)) \
    ROW(Cart_create, ALL, 0, comm, 0, \
        (MPI_Comm comm, int n, const int size[], const int periodic[], int reorder, MPI_Comm *made), \
        (comm, n, size, periodic, reorder, made))

/* On topologies. SimGrid 3.32 has none of these. */
#define PFC__MPI_NEIGHBOURS(ROW) \
    ROW(Neighbor_allgather, NEIGHBOUR, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Neighbor_allgatherv, NEIGHBOUR, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, at, rtype, comm)) \
    ROW(Neighbor_alltoall, NEIGHBOUR, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, type, r, m, rtype, comm)) \
    ROW(Neighbor_alltoallv, NEIGHBOUR, 0, comm, 0, \
        (const void *s, const int n[], const int from[], MPI_Datatype type, void *r, const int m[], const int at[], \
         MPI_Datatype rtype, MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm)) \
    ROW(Neighbor_alltoallw, NEIGHBOUR, 0, comm, 0, \
        (const void *s, const int n[], const MPI_Aint from[], const MPI_Datatype type[], void *r, const int m[], \
         const MPI_Aint at[], const MPI_Datatype rtype[], MPI_Comm comm), \
        (s, n, from, type, r, m, at, rtype, comm))

#define PFC__MPI_INEIGHBOURS(ROW) \
    ROW(Ineighbor_allgather, NEIGHBOUR, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm, MPI_Request *request), \
        (s, n, type, r, m, rtype, comm, request)) \
    ROW(Ineighbor_allgatherv, NEIGHBOUR, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, const int m[], const int at[], MPI_Datatype rtype, MPI_Comm comm, MPI_Request *request), \
        (s, n, type, r, m, at, rtype, comm, request)) \
    ROW(Ineighbor_alltoall, NEIGHBOUR, 0, comm, pfc__bytes_in(s, n, type), \
        (const void *s, int n, MPI_Datatype type, void *r, int m, MPI_Datatype rtype, MPI_Comm comm, MPI_Request *request), \
        (s, n, type, r, m, rtype, comm, request)) \
    ROW(Ineighbor_alltoallv, NEIGHBOUR, 0, comm, 0, \
        (const void *s, const int n[], const int from[], MPI_Datatype type, void *r, const int m[], const int at[], \
         MPI_Datatype rtype, MPI_Comm comm, MPI_Request *request), \
        (s, n, from, type, r, m, at, rtype, comm, request)) \
    ROW(Ineighbor_alltoallw, NEIGHBOUR, 0, comm, 0, \
        (const void *s, const int n[], const MPI_Aint from[], const MPI_Datatype type[], void *r, const int m[], \
         const MPI_Aint at[], const MPI_Datatype rtype[], MPI_Comm comm, MPI_Request *request), \
        (s, n, from, type, r, m, at, rtype, comm, request))

#define PFC__MPI_MAKERS_MORE(ROW) \
    ROW(Comm_dup_with_info, ALL, 0, comm, 0, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made)) \
    ROW(Graph_create, ALL, 0, comm, 0, \
        (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made), \
        (comm, n, index, edges, reorder, made)) \
    ROW(Dist_graph_create, ALL, 0, comm, 0, \
        (MPI_Comm comm, int n, const int sources[], const int degrees[], const int to[], const int weights[], MPI_Info info, \
         int reorder, MPI_Comm *made), \
        (comm, n, sources, degrees, to, weights, info, reorder, made)) \
    ROW(Dist_graph_create_adjacent, ALL, 0, comm, 0, \
        (MPI_Comm comm, int n, const int from[], const int fweights[], int m, const int to[], const int tweights[], \
         MPI_Info info, int reorder, MPI_Comm *made), \
        (comm, n, from, fweights, m, to, tweights, info, reorder, made)) \
    ROW(Cart_sub, ALL, 0, comm, 0, (MPI_Comm comm, const int keep[], MPI_Comm *made), (comm, keep, made)) \
    ROW(Intercomm_merge, ALL, 0, comm, 0, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))

/* Making windows: all of `comm` meet. */
#define PFC__MPI_WINDOWS(ROW) \
    ROW(Win_create, ALL, 0, comm, 0, (void *b, MPI_Aint n, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), \
        (b, n, unit, info, comm, win)) \
    ROW(Win_allocate, ALL, 0, comm, 0, (MPI_Aint n, int unit, MPI_Info info, MPI_Comm comm, void *b, MPI_Win *win), \
        (n, unit, info, comm, b, win)) \
    ROW(Win_allocate_shared, ALL, 0, comm, 0, (MPI_Aint n, int unit, MPI_Info info, MPI_Comm comm, void *b, MPI_Win *win), \
        (n, unit, info, comm, b, win)) \
    ROW(Win_create_dynamic, ALL, 0, comm, 0, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win))
