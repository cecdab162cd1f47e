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
