/* What walls are made of. */
#ifndef MATERIAL_H
#define MATERIAL_H

enum material { WOOL, CONCRETE };

/* Heat conductivity at `celsius`, in W/(m K). */
double conductivity(enum material material, double celsius);

#endif
