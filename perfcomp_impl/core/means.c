/* ----------------------------------------------------------- means (impl) ---
   Of a few measured values, some of which were disturbed. */

typedef struct pfc__figure { double value, error; } pfc__figure_t;

static PFC__QUIET void pfc__sort(double *value, int n)
{
    int i, j;
    for (i = 1; i < n; i++) {
        double v = value[i];
        for (j = i; j > 0 && value[j - 1] > v; j--) value[j] = value[j - 1];
        value[j] = v;
    }
}

/* Mean of n sorted values but for so many at each end, and its standard error: Tukey and McLaughlin,
   Less vulnerable confidence and significance procedures for location, 1963. */
static PFC__QUIET pfc__figure_t pfc__trimmed(const double *value, int n, int cut)
{
    double sum = 0, squares = 0, winsorized, kept = n - 2 * cut;
    pfc__figure_t mean;
    int i;
    for (i = cut; i < n - cut; i++) sum += value[i], squares += value[i] * value[i];
    winsorized = (sum + cut * (value[cut] + value[n - cut - 1])) / n;
    squares += cut * (value[cut] * value[cut] + value[n - cut - 1] * value[n - cut - 1]);
    mean.value = sum / kept;
    mean.error = sqrt(fabs(squares / n - winsorized * winsorized) * n) / kept;
    return mean;
}

/* The mean of the middle half, as a value that something disturbed says nothing. Where an eighth of them are much
   larger than the rest, that is no part of it: the mean of nearly all counts as far as it differs by more than chance
   (James and Stein, Estimation with quadratic loss, 1961). Sorts. */
static PFC__QUIET pfc__figure_t pfc__mean(double *value, int n)
{
    double apart, trust;
    pfc__figure_t middle, most;
    pfc__sort(value, n);
    middle = pfc__trimmed(value, n, n / 4);
    most = pfc__trimmed(value, n, n / 16);
    apart = most.value - middle.value;
    trust = fabs(apart) > most.error ? 1 - most.error * most.error / (apart * apart) : 0;
    middle.value += trust * apart;
    middle.error += trust * (most.error - middle.error);
    return middle;
}
