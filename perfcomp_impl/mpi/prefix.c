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
