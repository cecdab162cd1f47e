#include "material.h"

/* Normal-weight concrete grows less conductive as it warms (EN 1992-1-2, 3.3.3,
   upper limit), tabulated as a laboratory would. */
static const double table_celsius[] = { -40, -20, -10, 0, 5, 10, 15, 20, 25, 30, 40, 60, 80, 120, 200 };
static const double table_conductivity[] = { 2.100, 2.050, 2.025, 2.001, 1.988, 1.976, 1.964, 1.951,
                                             1.939, 1.927, 1.903, 1.854, 1.807, 1.713, 1.532 };
enum { ROWS = sizeof table_celsius / sizeof *table_celsius };

static double between(double celsius)
{
    int low = 0, high = ROWS - 1;
    double share;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (table_celsius[middle] <= celsius) low = middle;
        else high = middle;
    }
    share = (celsius - table_celsius[low]) / (table_celsius[high] - table_celsius[low]);
    return table_conductivity[low] + share * (table_conductivity[high] - table_conductivity[low]);
}

double conductivity(enum material material, double celsius)
{
    return material == WOOL ? 0.035 + 0.0002 * celsius : between(celsius);
}
