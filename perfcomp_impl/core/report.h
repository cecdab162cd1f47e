/* ---------------------------------------------------------------- report ---
   The report that pfc_report() writes, for tools: of one profile, or of
   several as one (the ranks of a job). Text is for people: aligned, sorted,
   what is too small left out; JSON is for programs: everything. */

typedef struct pfc_report_options {
    int colour;                  /* 1: escape sequences for a terminal */
    int all;                     /* 1: also what is too small to matter */
    int no_paths;                /* 1: without the tree of call paths */
} pfc_report_options_t;

PFC__EXTERN_C_BEGIN
/* `options`: NULL: none of them. */
void pfc_report_text(FILE *file, const pfc_profile_t *const *profiles, size_t n, const pfc_report_options_t *options);
void pfc_report_json(FILE *file, const pfc_profile_t *const *profiles, size_t n);
/* A string that comes from a profile: control characters are shown as '?'. The number of columns. */
size_t pfc_print_text(FILE *file, const char *text);
/* The same in UTF-8 and on one line, for files that others read: what isn't UTF-8 becomes U+FFFD. */
void pfc_print_utf8(FILE *file, const char *text);
/* The names of a call path, outermost first; of more than `most` the innermost ones. A thread's root has none. */
void pfc_print_path(FILE *file, const pfc_profile_t *profile, uint32_t path, uint32_t most);
/* With quotes and escapes; what isn't UTF-8 becomes U+FFFD. */
void pfc_print_json(FILE *file, const char *text);
/* 1: the file is a terminal that knows colours and places (TERM isn't dumb, as it is in an editor's shell). */
int pfc_is_screen(FILE *file);
/* 1: and NO_COLOR isn't set. */
int pfc_colour_wanted(FILE *file);
PFC__EXTERN_C_END
