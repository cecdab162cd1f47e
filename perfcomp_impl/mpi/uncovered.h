/* ------------------------------------------------------- uncovered (MPI) ---
   Calls that take part in no rule: processes that join, which aren't known to run the
   layer. Their time counts as the program's own, and they are named in the result. */

#define PFC__MPI_UNCOVERED(ROW) \
    ROW(Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), (port_name, info, \
        root, comm, newcomm)) \
    ROW(Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), (port_name, \
        info, root, comm, newcomm)) \
    ROW(Comm_join, (int fd, MPI_Comm *intercomm), (fd, intercomm)) \
    ROW(Comm_spawn, (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm \
        *intercomm, int array_of_errcodes[]), (command, argv, maxprocs, info, root, comm, intercomm, \
        array_of_errcodes)) \
    ROW(Comm_spawn_multiple, (int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], \
        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]), \
        (count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, \
        array_of_errcodes))
