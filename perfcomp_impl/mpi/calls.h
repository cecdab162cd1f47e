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
