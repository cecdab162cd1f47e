/* Messages of lengths around those from which on a piggyback travels apart, sent and received in every way, from and into
   buffers of every kind and length, some too short: data, counts, errors and what lies behind the data are as they would be. Prints "ok". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300000, SENDS = 8, RECEIVES = 10, KINDS = 5, BEHIND = 64, GO_TAG = 99 };

static const char *const send_name[SENDS] = { "Send", "Ssend", "Isend", "Send_init", "Bsend", "Issend", "Sendrecv", "Rsend" };
static const char *const receive_name[RECEIVES] = { "Recv",   "Irecv, Wait", "Irecv, Test", "Recv_init",      "Probe",
                                                    "Mprobe", "Imrecv",      "wildcards",   "Irecv, Waitall", "Iprobe" };
static unsigned char *out, *in, *expected;
static int rank, wrong, sent;

/* Chars; every other char; the same as one element; rows of a matrix, and the rest behind it; blocks of growing length. */
typedef struct data { MPI_Datatype type; int count, bytes; } data_t;

static int place[MOST]; /* of each byte */

enum { ROW = 100, WIDTH = 150, GAP = 5, BLOCKS = 64, ROWS = MOST / ROW };

/* The same types come about in more than one way, by turns. */
static MPI_Datatype rows_type(int rows)
{
    static int place_of[ROWS];
    static MPI_Aint address_of[ROWS];
    int c_sizes[2] = { rows, WIDTH }, c_parts[2] = { rows, ROW }, sizes[2] = { WIDTH, rows }, parts[2] = { ROW, rows }, none[2] = { 0, 0 };
    MPI_Datatype type;
    for (int i = 0; i < rows; i++) address_of[i] = place_of[i] = i * WIDTH;
    switch (sent % 4) {
    case 0: MPI_Type_create_subarray(2, c_sizes, c_parts, none, MPI_ORDER_C, MPI_CHAR, &type); break;
    case 1: MPI_Type_create_subarray(2, sizes, parts, none, MPI_ORDER_FORTRAN, MPI_CHAR, &type); break;
    case 2: MPI_Type_create_indexed_block(rows, ROW, place_of, MPI_CHAR, &type); break;
    default: MPI_Type_create_hindexed_block(rows, ROW, address_of, MPI_CHAR, &type);
    }
    return type;
}

static void rows_of(data_t *k)
{
    int rows = k->bytes / ROW, lengths[2] = { rows > 0, k->bytes % ROW }, i;
    MPI_Aint places[2] = { 0, (MPI_Aint)rows * WIDTH };
    MPI_Datatype types[2] = { MPI_CHAR, MPI_CHAR };
    if (rows) types[0] = rows_type(rows);
    MPI_Type_create_struct(2, lengths, places, types, &k->type);
    if (rows) MPI_Type_free(&types[0]);
    for (i = 0; i < k->bytes; i++) place[i] = i < rows * ROW ? i / ROW * WIDTH + i % ROW : rows * WIDTH + i % ROW;
}

static void blocks_of(data_t *k)
{
    int lengths[BLOCKS], at_of[BLOCKS], blocks = 0, done = 0, at = 0, i;
    MPI_Aint places[BLOCKS];
    MPI_Datatype chars, of[BLOCKS];
    for (; done < k->bytes; blocks++, at += GAP) {
        int length = 1 + blocks * blocks * blocks;
        if (length > k->bytes - done || blocks == BLOCKS - 1) length = k->bytes - done;
        lengths[blocks] = length;
        places[blocks] = at_of[blocks] = at;
        for (i = 0; i < length; i++) place[done++] = at++;
    }
    MPI_Type_create_resized(MPI_CHAR, 0, 1, &chars);
    for (i = 0; i < blocks; i++) of[i] = chars;
    if (sent % 3 == 0) MPI_Type_create_hindexed(blocks, lengths, places, chars, &k->type);
    else if (sent % 3 == 1) MPI_Type_indexed(blocks, lengths, at_of, chars, &k->type);
    else MPI_Type_create_struct(blocks, lengths, places, of, &k->type);
    MPI_Type_free(&chars);
}

static MPI_Datatype every_other(int bytes)
{
    MPI_Datatype type, once;
    if (sent % 3 == 0) MPI_Type_create_hvector(bytes, 1, 2, MPI_CHAR, &type);
    else MPI_Type_vector(bytes, 1, 2, MPI_CHAR, &type);
    if (sent % 3 != 1) return type;
    MPI_Type_dup(type, &once);
    MPI_Type_free(&type);
    MPI_Type_contiguous(1, once, &type);
    MPI_Type_free(&once);
    return type;
}

static data_t data_of(int kind, int bytes)
{
    data_t k = { MPI_CHAR, bytes, bytes };
    for (int i = 0; i < bytes; i++) place[i] = i * (kind ? 2 : 1);
    if (kind == 1) MPI_Type_create_resized(MPI_CHAR, 0, 2, &k.type);
    if (kind > 1) k.count = 1;
    if (kind == 2) k.type = every_other(bytes);
    if (kind == 3) rows_of(&k);
    if (kind == 4) blocks_of(&k);
    if (kind) MPI_Type_commit(&k.type);
    return k;
}

static void data_free(data_t *k)
{
    if (k->type != MPI_CHAR) MPI_Type_free(&k->type);
    k->type = MPI_CHAR;
}

static unsigned char datum(int i) { return (unsigned char)(i * 7 + sent * 13 + (i >> 8)); }

static void expect(int holds, const char *what, int is, int should)
{
    if (!holds) printf("message %d: %s is %d instead of %d\n", sent, what, is, should);
    wrong += !holds;
}

/* A type may be freed while its messages are on their way. */
static void send(int way, data_t *k, int tag)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Status s;
    for (int i = 0; i < k->bytes; i++) out[place[i]] = datum(i);
    switch (way) {
    case 0: MPI_Send(out, k->count, k->type, 1, tag, MPI_COMM_WORLD); break;
    case 1: MPI_Ssend(out, k->count, k->type, 1, tag, MPI_COMM_WORLD); break;
    case 2: MPI_Isend(out, k->count, k->type, 1, tag, MPI_COMM_WORLD, &r); break;
    case 3: MPI_Send_init(out, k->count, k->type, 1, tag, MPI_COMM_WORLD, &r); break;
    case 4: MPI_Bsend(out, k->count, k->type, 1, tag, MPI_COMM_WORLD); break;
    case 5: MPI_Issend(out, k->count, k->type, 1, tag, MPI_COMM_WORLD, &r); break;
    case 6: MPI_Sendrecv(out, k->count, k->type, 1, tag, 0, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s); break;
    default:
        MPI_Recv(0, 0, MPI_CHAR, 1, GO_TAG, MPI_COMM_WORLD, &s);
        MPI_Rsend(out, k->count, k->type, 1, tag, MPI_COMM_WORLD);
    }
    if (sent % 2) data_free(k);
    if (way == 3) MPI_Start(&r);
    MPI_Wait(&r, &s);
    if (way == 3) MPI_Request_free(&r);
}

static void probed(const MPI_Status *s, int bytes)
{
    int n;
    MPI_Get_count(s, MPI_CHAR, &n);
    expect(n == bytes, "what a probe tells", n, bytes);
}

/* Its error; of Waitall, its request's. */
static int receive(int way, data_t *k, int tag, MPI_Status *s, int bytes)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Message m;
    int done = 0, error = MPI_SUCCESS;
    switch (way) {
    case 0: return MPI_Recv(in, k->count, k->type, 0, tag, MPI_COMM_WORLD, s);
    case 1: MPI_Irecv(in, k->count, k->type, 0, tag, MPI_COMM_WORLD, &r); break;
    case 2:
        MPI_Irecv(in, k->count, k->type, 0, tag, MPI_COMM_WORLD, &r);
        while (!done && !error) error = MPI_Test(&r, &done, s);
        return error;
    case 3: MPI_Recv_init(in, k->count, k->type, 0, tag, MPI_COMM_WORLD, &r); break;
    case 4:
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, s);
        probed(s, bytes);
        return MPI_Recv(in, k->count, k->type, 0, tag, MPI_COMM_WORLD, s);
    case 5:
        MPI_Mprobe(0, tag, MPI_COMM_WORLD, &m, s);
        probed(s, bytes);
        return MPI_Mrecv(in, k->count, k->type, &m, s);
    case 6:
        MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &m, s);
        MPI_Imrecv(in, k->count, k->type, &m, &r);
        break;
    case 7: return MPI_Recv(in, k->count, k->type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, s);
    case 8:
        MPI_Irecv(in, k->count, k->type, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r);
        error = MPI_Waitall(1, &r, s);
        return error ? s->MPI_ERROR : error;
    default:
        while (!done) MPI_Iprobe(0, tag, MPI_COMM_WORLD, &done, s);
        probed(s, bytes);
        return MPI_Recv(in, k->count, k->type, 0, tag, MPI_COMM_WORLD, s);
    }
    if (sent % 2) data_free(k);
    if (way == 3) MPI_Start(&r);
    error = MPI_Wait(&r, s);
    if (way == 3) MPI_Request_free(&r);
    return error;
}

/* A ready send's receive must have begun. */
static int receive_ready(const data_t *k, int tag, MPI_Status *s)
{
    MPI_Request r;
    MPI_Irecv(in, k->count, k->type, 0, tag, MPI_COMM_WORLD, &r);
    MPI_Send(0, 0, MPI_CHAR, 0, GO_TAG, MPI_COMM_WORLD);
    return MPI_Wait(&r, s);
}

static void expect_bytes(int from, int to)
{
    int n = from;
    while (n < to && in[n] == expected[n]) n++;
    expect(n == to, "a byte", n < to ? in[n] : 0, n < to ? expected[n] : 0);
}

static void message(int sender, int receiver, int from, int into, int bytes, int room)
{
    data_t k = data_of(rank ? into : from, rank ? room : bytes);
    MPI_Status s;
    int before = wrong, tag = sent % 5, n, end = room ? place[room - 1] + 1 : 0, all = end + BEHIND, error;
    if (rank == 0) send(sender, &k, tag);
    else {
        for (int i = 0; i < all; i++) in[i] = expected[i] = (unsigned char)(i * 5 + sent);
        for (int i = 0; i < bytes && i < room; i++) expected[place[i]] = datum(i);
        error = sender == SENDS - 1 ? receive_ready(&k, tag, &s) : receive(receiver, &k, tag, &s, bytes);
        if (error) MPI_Error_class(error, &error);
        expect(error == (bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the error", error, bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        if (bytes <= room) {
            MPI_Get_count(&s, MPI_CHAR, &n);
            expect(into || n == bytes, "the count", n, bytes);
            expect(s.MPI_SOURCE == 0, "the source", s.MPI_SOURCE, 0);
            expect(s.MPI_TAG == tag, "the tag", s.MPI_TAG, tag);
        }
#ifdef OPEN_MPI /* writes behind the receive's buffer then */
        if (bytes <= room)
#endif
            expect_bytes(bytes > room ? end : 0, all);
        if (wrong > before)
            printf("%s (kind %d) of %d bytes, %s (kind %d) into %d\n", send_name[sender], from, bytes,
                   sender == SENDS - 1 ? "Irecv" : receive_name[receiver], into, room);
    }
    data_free(&k);
    sent++;
}

static unsigned drawn(unsigned below)
{
    static unsigned seed = 1;
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % below;
}

int main(int argc, char **argv)
{
    static const int base[] = { 100, 4008, 4040, 4064, 4096, 4128, 8192, 8224, 8256, 8288, 8320, 8352, 20000, 65504, 65536, 100000 };
    static const int more[] = { -33, -32, -31, -8, -1, 0, 0, 0, 1, 1, 31, 31, 32, 32, 33, 33, 64, 64, 5000, 5000, 100000, 100000 };
    enum { BASES = sizeof base / sizeof *base, MORES = sizeof more / sizeof *more, ATTACHED = 1 << 23 };
    int rounds = argc > 1 ? atoi(argv[1]) : 3000, size;
    void *attached = malloc(ATTACHED);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = calloc(2, MOST), in = calloc(2, MOST), expected = calloc(2, MOST);
    if (!attached || !out || !in || !expected) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Buffer_attach(attached, ATTACHED);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (sent < rounds) {
        int bytes = base[drawn(BASES)], room;
        if (drawn(3) == 0) bytes += (int)drawn(70) - 35;
        room = bytes + more[drawn(MORES)];
        message((int)drawn(SENDS), (int)drawn(RECEIVES), (int)drawn(KINDS), (int)drawn(KINDS), bytes, room);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Buffer_detach(&attached, &size);
    MPI_Finalize();
    free(attached), free(out), free(in), free(expected);
    if (rank == 1 && !wrong) puts("ok");
    return wrong != 0;
}
