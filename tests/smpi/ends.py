"""Whether calls end undisturbed when the plain program's do: rows "program rank op end doubt", in ns.

    ends.py OFF MOST PLAIN LAYER

Each end must be right to OFF ns, or within what the run doubts, and to MOST ns in any case; the first row of all is where both begin.
"""
import sys


def ends(name):
    rows = [line.split() for line in open(name)]
    return {tuple(map(int, row[:3])): (float(row[3]), float(row[4])) for row in rows}


off, most = map(float, sys.argv[1:3])
true, told = map(ends, sys.argv[3:])
order = sorted(true.keys() & told.keys(), key=lambda at: true[at])
began = told[order[0]][0] - true[order[0]][0]  # the simulation, and the program behind MPI_Init
wrong = [(at, told[at][0] - began - true[at][0], told[at][1]) for at in order
         if abs(told[at][0] - began - true[at][0]) > min(told[at][1] + off, most)]
for (seed, rank, op), by, doubt in wrong[:1]:
    print(f"seed {seed}, rank {rank}: op {op} ends {by:+.0f} ns off, ± {doubt:.0f}")
sys.exit(not true or true.keys() != told.keys() or bool(wrong))
