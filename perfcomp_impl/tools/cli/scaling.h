/* The hierarchical model of a program at all sizes (Ivannikov et al., ParJava, §4): the tree of call paths, where each path is
   entered so many times for each entry of its caller and takes so long of its own each time, both as functions of the size
   (trends.c), and what ranks wait for others. The time of the job follows from the root on. */
#ifndef SCALING_H
#define SCALING_H

#include "cli.h"

#define MINOR 0.005 /* of the time of each job: what takes less is taken together */

/* A run. */
typedef struct job {
    const char *name;            /* as it was given, with its size */
    double size;
    profiles_t profiles;
    pfc_profile_t *busiest;      /* of its processes, threads folded, */
    const struct pfc_mpi *mpi;   /* and what that did in MPI; NULL: nothing */
    double time, u, wait;        /* LT of that, in which it waited so long for others */
    int of_ranks;                /* 1: its size is the number of its ranks */
} job_t;

/* A call path in all jobs; by job: entries and own time. */
typedef struct node {
    const pfc_region_info_t *region;
    size_t parent;               /* below its own index; the root is its own */
    size_t child, sibling;       /* the one that was last looked for, the next one: a ring; 0: none */
    double *count, *self;
    int minor;
    trends_t ratio, each;        /* entries for one of the caller's; own time of one */
} node_t;

/* A time, and between what it is where other trends may be the truth. */
typedef struct estimate { double value, least, most; } estimate_t;

typedef struct model {
    job_t *job;
    size_t jobs, nodes, room;
    node_t *node;
    trends_t wait, rest;         /* of waiting for others; of what is minor */
    double u;                    /* of a time: its share that measuring leaves in doubt */
    int mpi, of_ranks;           /* 1: there are MPI's calls; all sizes are numbers of ranks */
    double least, most;          /* sizes that are asked for */
} model_t;

/* The whole, and its parts. */
typedef struct prediction { estimate_t time, computing, mpi, wait; } prediction_t;

/* Reads the runs, smallest size first; says what is wrong with them. A status, as of a verb. */
int model_open(model_t *m, char **names, size_t n);
void model_free(model_t *m);

/* The tree and its trends, for sizes from `least` to `most`. */
int model_build(model_t *m, double least, double most);

prediction_t model_predict(const model_t *m, double size);
/* Own time of each path then, but for what is minor; for free(). */
double *model_times(const model_t *m, double size);

#endif
