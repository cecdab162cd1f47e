/* Memory, words, and files of results. */
#include "cli.h"
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

void *must(void *memory)
{
    if (memory) return memory;
    say(0, "not enough memory");
    exit(BAD_INPUT);
}

const char *count_text(char *text, size_t bytes, uint64_t low, uint64_t high)
{
    if (high == UINT64_MAX) snprintf(text, bytes, "?");
    else if (low == high) snprintf(text, bytes, "%llu", (unsigned long long)low);
    else snprintf(text, bytes, "%llu..%llu", (unsigned long long)low, (unsigned long long)high);
    return text;
}

void json_count(uint64_t low, uint64_t high)
{
    if (high == UINT64_MAX) fputs(",\"low\":null,\"high\":null", stdout);
    else printf(",\"low\":%llu,\"high\":%llu", (unsigned long long)low, (unsigned long long)high);
}

unit_t unit_for(double longest_ns)
{
    static const unit_t ms = { "ms", 1e6 }, s = { "s", 1e9 };
    return longest_ns < 999999.9999995 * ms.ns ? ms : s;
}

void say(const char *verb, const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = 0;
    va_end(arguments);
    fprintf(stderr, "perfcomp%s%s: ", verb ? " " : "", verb ? verb : "");
    pfc_print_text(stderr, text ? text : format);
    putc('\n', stderr);
    free(text);
}

int output_end(FILE *f, const char *name)
{
    struct stat status;
    int is_file = !fstat(fileno(f), &status) && S_ISREG(status.st_mode), bad = ferror(f), why;
    bad |= fclose(f);
    why = errno;
    if (bad && is_file) unlink(name);
    errno = why;
    return !bad;
}
