#ifndef PERFCOMP_MPI_H
#define PERFCOMP_MPI_H

#if defined PERFCOMP_MPI_IMPLEMENTATION && !defined PERFCOMP_DISABLE && !defined _GNU_SOURCE
#  define _GNU_SOURCE 1 /* dladdr, also where the core's implementation is in another file */
#endif
#include "perfcomp.h"

#if !defined PERFCOMP_DISABLE
