/* ------------------------------------------------- model, trace (impl) ---
   Which events of each thread are there, and what they say. */

int pfc_profile_event(const pfc_profile_t *profile, uint32_t thread, uint64_t index, pfc_event_info_t *event)
{
    const pfc__image_t *image = profile->image;
    const pfc_thread_info_t *t = &profile->thread[thread];
    const pfc__part_t *part;
    pfc__event_t e;
    if (!image || thread >= profile->threads || index >= t->events) return 0;
    part = &image->part[t->ring];
    pfc__element(image, part, (t->events_lost + index) % part->capacity, &e, sizeof e);
    event->lt = pfc__ticks(e.lt, image->header.tick_begin) / profile->ticks_per_ns;
    event->kind = e.kind;
    event->region = e.region < profile->regions ? e.region : PFC_NONE;
    event->sent = e.sent;
    event->sender = e.sender;
    event->tag = e.tag;
    event->bytes = e.bytes;
    event->communicator = e.communicator;
    event->source = e.source;
    event->rank = e.rank;
    return 1;
}

/* A ring's first event that may be relied on. Unless the run is over, the next one is being written over the oldest. */
static PFC__QUIET pfc__u64 pfc__ring_from(const pfc__build_t *b, const pfc__part_t *part)
{
    const pfc__u64 kept = part->capacity - !pfc__is_over(b), lost = part->written > kept ? part->written - kept : 0;
    return lost < part->count ? lost : part->count;
}

static PFC__QUIET void pfc__build_events(pfc__build_t *b)
{
    size_t k;
    for (k = b->image->parts; k-- > 0;) {
        const pfc__part_t *part = &b->image->part[k];
        pfc__u32 t = part->kind == PFC__EVENTS && part->capacity ? pfc__thread_index(b->p, part->owner) : PFC_NONE;
        if (t == PFC_NONE) continue;
        b->p->thread[t].ring = k;
        b->p->thread[t].events_lost = pfc__ring_from(b, part);
        b->p->thread[t].events = part->count - b->p->thread[t].events_lost;
    }
}
