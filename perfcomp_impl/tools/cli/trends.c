/* How a figure depends on a size x: a constant, a term f · x^i · log2(x)^j, both, a term that rises and, in place of the
   constant, a share of work, c / x, or a power f · x^i of any i. Which one, the measured sizes decide by being foretold from the
   others (leave one out); a simpler one is preferred to one that isn't clearly better. After A. Calotoiu, T. Hoefler,
   M. Poke, F. Wolf: Using automated performance modeling to find scalability bugs, SC 2013. */
#include "cli.h"

#include <math.h>

static const double powers[] = { -2, -1.5, -1, -2.0 / 3, -0.5, -1.0 / 3, 0, 1.0 / 3, 0.5, 2.0 / 3, 1, 1.5, 2, 3 };
enum { POWERS = sizeof powers / sizeof *powers, LOGS = 3 };
enum kind { CONSTANT, TERM, BOTH, POWER };
enum rarity { USUAL = 1, UNUSUAL = 2, STEEP = 4 }; /* of terms */

#define CLEARLY 0.7  /* times the error of a simpler one is clearly better */
#define LIKELY 2     /* times the least error may be the truth, too: it is the least of many, */
#define ENOUGH 5     /* of the roughness such a part is no reason to look for another trend */
#define CLOSELY 2    /* times the roughness at most */
#define MANY 5       /* sizes */
#define EXACT 1e-9   /* an error that is none */

static double term(const trend_t *t, double x) { return pow(x, t->power) * pow(log2(x), t->logs); }
static double partner(const trend_t *t, double x) { return t->fall < 0 ? pow(x, t->fall) : 1; }

double trend_at(const trend_t *t, double x)
{
    return t->constant * partner(t, x) + (t->factor < 0 || t->factor > 0 ? t->factor * term(t, x) : 0);
}

/* A straight line through the logarithms. */
static int fit_power(trend_t *t, const points_t *p, size_t leave)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, determinant;
    size_t i;
    for (i = 0; i < p->n; i++) {
        const double lx = log2(p->x[i]), ly = log2(p->y[i]);
        if (i != leave) n++, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    determinant = n * xx - x * x;
    if (!(determinant > 1e-12 * n * xx)) return 0;
    t->power = (n * xy - x * y) / determinant;
    t->factor = exp2((y - t->power * x) / n);
    return 1;
}

/* Least squares of the relative errors; without point `leave`. 0: it can't be told. */
static int fit(trend_t *t, enum kind kind, const points_t *p, size_t leave)
{
    double ww = 0, wg = 0, wgg = 0, wy = 0, wgy = 0, determinant;
    size_t i;
    t->constant = t->factor = 0;
    if (kind == POWER) return fit_power(t, p, leave);
    for (i = 0; i < p->n; i++) {
        double w = 1 / (p->scale[i] * p->scale[i]), g = kind == CONSTANT ? 0 : term(t, p->x[i]), o = partner(t, p->x[i]);
        if (i == leave) continue;
        ww += w * o * o, wg += w * o * g, wgg += w * g * g, wy += w * o * p->y[i], wgy += w * g * p->y[i];
    }
    if (kind == CONSTANT) return ww > 0 ? t->constant = wy / ww, 1 : 0;
    if (kind == TERM) return wgg > 0 ? t->factor = wgy / wgg, 1 : 0;
    determinant = ww * wgg - wg * wg;
    if (!(determinant > 1e-12 * ww * wgg)) return 0;
    t->factor = (ww * wgy - wg * wy) / determinant;
    t->constant = (wgg * wy - wg * wgy) / determinant;
    return 1;
}

/* The fit, and by how much each point is missed by that of the others. */
static int try(trend_t *t, enum kind kind, const points_t *p)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < p->n; i++) {
        double miss;
        if (p->n == 1) break;
        if (!fit(t, kind, p, i)) return 0;
        miss = (trend_at(t, p->x[i]) - p->y[i]) / p->scale[i];
        sum += miss * miss;
    }
    t->error = sqrt(sum / (double)p->n);
    return fit(t, kind, p, p->n) && isfinite(t->error);
}

static int grows(const trend_t *t) { return t->power > 0 || (t->power >= 0 && t->logs); }

/* What is never below zero isn't where it is asked for; nor does it fall ever faster, as less what grows: it levels off. */
static int is_possible(const trend_t *t, const points_t *p)
{
    size_t i;
    for (i = 0; i < p->n; i++)
        if (p->y[i] < 0) return 1;
    return trend_at(t, p->least) >= 0 && trend_at(t, p->most) >= 0 && !(t->factor < 0 && grows(t));
}

typedef struct candidate { trend_t trend; enum kind kind; } candidate_t;

/* Those that were tried, from the simplest on; of the first `chosen` one is the best. */
typedef struct tried { candidate_t candidate[2 + 3 * POWERS * LOGS]; size_t n, terms, both, falling, chosen; } tried_t;

static void add(tried_t *all, const trend_t *t, enum kind kind, const points_t *p)
{
    candidate_t *c = &all->candidate[all->n];
    c->trend = *t;
    c->kind = kind;
    if (try(&c->trend, kind, p) && is_possible(&c->trend, p)) all->n++;
}

static const candidate_t *least_error(const tried_t *all, size_t begin, size_t end)
{
    const candidate_t *best = 0;
    size_t i;
    for (i = begin; i < end; i++)
        if (!best || all->candidate[i].trend.error < best->trend.error) best = &all->candidate[i];
    return best;
}

/* One that isn't as simple has to be clearly better, and needed. */
static const candidate_t *better_of(const candidate_t *simple, const candidate_t *other, double enough)
{
    if (!simple || !other) return simple ? simple : other;
    return simple->trend.error > enough && other->trend.error < CLEARLY * simple->trend.error ? other : simple;
}

static const candidate_t *best_of(const tried_t *all, double enough)
{
    const candidate_t *best = better_of(least_error(all, 0, all->terms), least_error(all, all->terms, all->both), enough);
    best = better_of(best, least_error(all, all->both, all->falling), enough);
    return better_of(best, least_error(all, all->falling, all->chosen), enough);
}

static size_t sizes_of(const points_t *p)
{
    size_t i, differ = p->n > 0;
    for (i = 1; i < p->n; i++) differ += p->x[i] > p->x[i - 1];
    return differ;
}

/* … and nothing real is as simple as a trend: `roughness`. And what a single size decides is in doubt: those from which one is
   left out (jackknife) may be the truth, too. */
static void keep_likely(trends_t *likely, const tried_t *all, const candidate_t *best, const points_t *p)
{
    double most = fmax(LIKELY * least_error(all, 0, all->chosen)->trend.error, fmax(p->roughness, EXACT));
    size_t i;
    likely->best = best->trend;
    likely->likely = (trend_t *)must(malloc((all->n + p->n) * sizeof *likely->likely));
    for (i = likely->n = 0; i < all->n; i++)
        if (all->candidate[i].trend.error <= most) likely->likely[likely->n++] = all->candidate[i].trend;
    for (i = 0; i < p->n && p->n > 1; i++) {
        trend_t *without = &likely->likely[likely->n];
        *without = best->trend;
        if (fit(without, best->kind, p, i)) likely->n++;
    }
    likely->likely = (trend_t *)must(realloc(likely->likely, (likely->n + 1) * sizeof *likely->likely));
}

/* As what it takes to share work out does. */
static int rises(const trend_t *t) { return grows(t) && t->power <= 1 && t->logs < 2; }

static enum rarity rarity(const trend_t *t)
{
    if (t->logs > 1 || t->power <= -2 || t->power >= 3) return STEEP;
    return fabs(t->power - round(t->power)) < .01 ? USUAL : UNUSUAL;
}

static void add_terms(tried_t *all, enum kind kind, unsigned rarities, double fall, const points_t *p)
{
    trend_t t;
    size_t i;
    memset(&t, 0, sizeof t);
    t.fall = fall;
    for (i = 0; i < POWERS * LOGS; i++) {
        t.power = powers[i / LOGS];
        t.logs = (int)(i % LOGS);
        if (!t.logs && !(t.power < 0 || t.power > 0)) continue; /* the constant */
        if (rarities & rarity(&t) && (fall >= 0 || rises(&t))) add(all, &t, kind, p);
    }
}

/* Any power is near anything: only what it meets closely is one. */
static void add_power(tried_t *all, const points_t *p)
{
    trend_t t;
    size_t i;
    memset(&t, 0, sizeof t);
    for (i = 0; i < p->n; i++)
        if (!(p->y[i] > 0)) return;
    add(all, &t, POWER, p);
    if (all->n && all->candidate[all->n - 1].kind == POWER && all->candidate[all->n - 1].trend.error > CLOSELY * p->roughness) all->n--;
}

/* A few sizes can't tell many terms from one another, and nearly anything that falls and rises meets them: only the usual terms
   are chosen from then; others, but for steep ones, may be the truth all the same. */
static void add_all(tried_t *all, const points_t *p)
{
    const int many = sizes_of(p) >= MANY;
    const unsigned chosen = many ? USUAL | UNUSUAL | STEEP : USUAL;
    add_terms(all, TERM, chosen, 0, p);
    all->both = all->n;
    add_terms(all, BOTH, chosen, 0, p);
    add_power(all, p);
    all->falling = all->n;
    if (many) add_terms(all, BOTH, chosen, -1, p);
    all->chosen = all->n;
    if (many) return;
    add_terms(all, TERM, UNUSUAL, 0, p);
    add_terms(all, BOTH, UNUSUAL, 0, p);
    add_terms(all, BOTH, USUAL | UNUSUAL, -1, p);
}

/* Errors are relative to what was measured; where that may be zero, to its mean. */
static void set_scale(points_t *p)
{
    double mean = 0;
    size_t i, positive = 0;
    for (i = 0; i < p->n; i++) mean += fabs(p->y[i]) / (double)p->n, positive += p->y[i] > 0;
    for (i = 0; i < p->n; i++) p->scale[i] = positive == p->n ? p->y[i] : mean > 0 ? mean : 1;
}

void trends_find(trends_t *likely, points_t *p)
{
    tried_t all;
    trend_t constant;
    memset(&all, 0, sizeof all);
    memset(&constant, 0, sizeof constant);
    set_scale(p);
    add(&all, &constant, CONSTANT, p);
    all.terms = all.both = all.falling = all.chosen = all.n;
    if (sizes_of(p) > 2 && (!all.n || all.candidate[0].trend.error > EXACT)) add_all(&all, p);
    keep_likely(likely, &all, best_of(&all, fmax(p->roughness / ENOUGH, EXACT)), p);
}

/* Each as far off as it was where it was tried; but of what is above zero none is below, nor the other way round. */
static double nearer(const trend_t *t, double x) { return trend_at(t, x) * fmax(1 - t->error, 0); }
static double farther(const trend_t *t, double x) { return trend_at(t, x) * (1 + t->error); }

double trends_least(const trends_t *all, double x)
{
    double least = trend_at(&all->best, x);
    size_t i;
    for (i = 0; i < all->n; i++) least = fmin(least, fmin(nearer(&all->likely[i], x), farther(&all->likely[i], x)));
    return least;
}

double trends_most(const trends_t *all, double x)
{
    double most = trend_at(&all->best, x);
    size_t i;
    for (i = 0; i < all->n; i++) most = fmax(most, fmax(nearer(&all->likely[i], x), farther(&all->likely[i], x)));
    return most;
}

/* So many digits as are known, without an exponent as long as that can be read. */
static void print_figure(FILE *f, double x) { fprintf(f, fabs(x) >= 1e3 && fabs(x) < 1e12 ? "%.0f" : "%.4g", x); }

void trend_print(FILE *f, const trend_t *t, double unit)
{
    int has_constant = t->constant < 0 || t->constant > 0, has_term = t->factor < 0 || t->factor > 0;
    if (has_constant || !has_term) print_figure(f, t->constant / unit);
    if (has_constant && t->fall < 0) fprintf(f, "·P^%.3g", t->fall);
    if (!has_term) return;
    if (has_constant) fputs(t->factor < 0 ? " - " : " + ", f);
    print_figure(f, (has_constant ? fabs(t->factor) : t->factor) / unit);
    if (fabs(t->power) > 0 && fabs(t->power - 1) > 0) fprintf(f, "·P^%.3g", t->power);
    else if (fabs(t->power) > 0) fputs("·P", f);
    if (t->logs) fputs(t->logs > 1 ? "·log2(P)^2" : "·log2(P)", f);
}
