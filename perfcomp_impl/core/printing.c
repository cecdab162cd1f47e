/* ----------------------------------------------------- printing (impl) ---
   What reports are written with: text that is safe to print, times, counts and dates. */

typedef struct pfc__page {       /* what a report is written with */
    FILE *file;
    const pfc_report_options_t *options;
    const pfc_profile_t *p;      /* of one process, or merged */
    double unit;                 /* ns of the table's unit of time */
    const char *unit_name;
    int count_width, time_width; /* columns that the largest number of calls takes, and the longest time, with a sign */
} pfc__page_t;

int pfc_is_screen(FILE *file)
{
    const char *terminal = pfc__environment("TERM");
    return !(terminal && !strcmp(terminal, "dumb")) && isatty(fileno(file));
}

int pfc_colour_wanted(FILE *file)
{
    const char *no = pfc__environment("NO_COLOR");
    return !(no && *no) && pfc_is_screen(file);
}

size_t pfc_print_text(FILE *file, const char *text)
{
    size_t columns = 0;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];
        const int has_two = c == 0xc2 && next >= 0x80 && next < 0xa0; /* U+009B is what ESC [ is */
        putc(c < 32 || c == 127 || has_two ? '?' : (int)c, file);
        columns += (c & 0xc0) != 0x80; /* one a character of UTF-8 */
        text += has_two;
    }
    return columns;
}

void pfc_print_path(FILE *file, const pfc_profile_t *profile, uint32_t path, uint32_t most)
{
    const pfc_path_info_t *all = profile->path;
    uint32_t depth = all[path].depth > most ? all[path].depth - most + 1 : 1, at;
    if (depth > 1) fputs("… > ", file);
    for (; depth <= all[path].depth; depth++) {
        for (at = path; all[at].depth > depth;) at = all[at].parent;
        pfc_print_text(file, profile->region[all[at].region].name);
        if (depth < all[path].depth) fputs(" > ", file);
    }
}

static PFC__QUIET size_t pfc__utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0, i;
    for (i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) || (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90)) return 0;
    return n;
}

/* Of a character of UTF-8; some readers take U+0085, U+2028 and U+2029 for line ends. */
static PFC__QUIET int pfc__ends_line(const unsigned char *s)
{
    return *s < 32 || *s == 127 || (*s == 0xc2 && s[1] < 0xa0) || (*s == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9));
}

void pfc_print_utf8(FILE *file, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t n = pfc__utf8_length(s);
        if (n == 0) fputs("\xef\xbf\xbd", file);
        else if (pfc__ends_line(s)) putc('?', file);
        else fwrite(s, 1, n, file);
        s += n ? n : 1;
    }
}

void pfc_print_json(FILE *file, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    putc('"', file);
    while (*s) {
        size_t n = pfc__utf8_length(s);
        if (n == 0) fputs("\\ufffd", file);
        else if (*s < 32 || *s == 127) fprintf(file, "\\u%04x", *s);
        else {
            if (*s == '"' || *s == '\\') putc('\\', file);
            fwrite(s, 1, n, file);
        }
        s += n ? n : 1;
    }
    putc('"', file);
}

/* ---- words */

static PFC__QUIET void pfc__style(const pfc__page_t *page, const char *code)
{
    if (page->options->colour) fprintf(page->file, "\033[%sm", code);
}

static PFC__QUIET void pfc__heading(const pfc__page_t *page, const char *text)
{
    pfc__style(page, "1");
    fputs(text, page->file);
    pfc__style(page, "0");
    putc('\n', page->file);
}

static PFC__QUIET const char *pfc__time_unit(double ns, double *unit)
{
    static const struct { double ns; const char *name; } units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
    int i = 0;
    while (i < 3 && fabs(ns) < units[i].ns) i++;
    *unit = units[i].ns;
    return units[i].name;
}

/* Command lines may be very long. */
static PFC__QUIET void pfc__print_short(FILE *file, const char *text)
{
    char part[161];
    size_t n = strlen(text);
    if (n < sizeof part) { pfc_print_text(file, text); return; }
    for (n = sizeof part - 1; n && ((unsigned char)text[n] & 0xc0) == 0x80;) n--; /* not in the middle of a character */
    memcpy(part, text, n);
    part[n] = 0;
    pfc_print_text(file, part);
    fputs("…", file);
}

/* 1234567 as 1,234,567: so many characters, which `text` has room for. */
static PFC__QUIET int pfc__grouped(uint64_t n, char text[32])
{
    char digits[24];
    int i, k = 0, length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = 0;
    return k;
}

/* In at least `width` columns. */
static PFC__QUIET void pfc__print_count(FILE *file, uint64_t n, int width)
{
    char text[32];
    pfc__grouped(n, text);
    fprintf(file, "%*s", width, text);
}

/* A value that is shown in steps, as of 1e-6: what rounds to zero has no sign. */
static PFC__QUIET double pfc__in_steps(double value, double step) { return fabs(value) < step / 2 ? 0 : value; }

/* ---- columns of times: no wider than they need be */

/* Of a column of counts, at most that, below the title; with a gap in front. */
static PFC__QUIET int pfc__count_width(uint64_t most, const char *title)
{
    char text[32];
    int count = pfc__grouped(most, text), least = (int)strlen(title);
    return 2 + (count > least ? count : least);
}

static PFC__QUIET void pfc__page_widths(pfc__page_t *page)
{
    const pfc_profile_t *p = page->p;
    uint64_t most = 0;
    size_t i;
    for (i = 0; i < p->regions; i++)
        if (p->region[i].stats.count > most) most = p->region[i].stats.count;
    page->count_width = pfc__count_width(most, "calls");
    page->time_width = 1 + snprintf(0, 0, "%.6f", p->sum.ct / page->unit);
}

static PFC__QUIET void pfc__print_time(const pfc__page_t *page, double ns)
{
    fprintf(page->file, " %*.6f", page->time_width, pfc__in_steps(ns / page->unit, 1e-6));
}

/* Above columns of times, as "CT|LT|±". */
static PFC__QUIET void pfc__print_titles(const pfc__page_t *page, const char *titles)
{
    while (*titles) {
        size_t bytes = strcspn(titles, "|");
        int columns = strncmp(titles, "±", bytes) ? (int)bytes : 1;
        fprintf(page->file, " %*s%.*s", page->time_width - columns, "", (int)bytes, titles);
        titles += bytes + (titles[bytes] == '|');
    }
}

static PFC__QUIET const char *pfc__plural(uint64_t n, const char *one, const char *many) { return n == 1 ? one : many; }

static PFC__QUIET double pfc__share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

static PFC__QUIET void pfc__print_utc(FILE *file, int64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm utc;
    char text[64];
    if (!gmtime_r(&seconds, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)) snprintf(text, sizeof text, "?");
    fputs(text, file);
}

/* A region's name and where it stands. */
static PFC__QUIET void pfc__print_place(FILE *f, const pfc_region_info_t *r)
{
    pfc_print_text(f, r->name);
    if (!*r->file) return;
    fputs("  ", f);
    pfc_print_text(f, r->file);
    if (r->line) fprintf(f, ":%u", r->line);
}
