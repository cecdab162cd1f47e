#ifndef PERFCOMP_MPI_H
#define PERFCOMP_MPI_H
#include "perfcomp.h"

#if !defined PERFCOMP_DISABLE
