/* -------------------------------------------------------------- checksum ---
   Detects damage, not malice: every step is a bijection of the state, so that
   any single changed word changes the sum. The length is mixed in first: zeros
   that are missing at the end show as well. */

static pfc__u64 pfc__checksum(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    pfc__u64 sum = 0xcbf29ce484222325u ^ (pfc__u64)n, word;
    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29; /* otherwise the top bits of two words could cancel out */
    }
    for (; n; p++, n--) sum = (sum ^ *p) * 0x100000001b3u;
    return sum ^ sum >> 32;
}
