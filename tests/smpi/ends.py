"""Whether calls end undisturbed when the plain program's do: rows "program rank op end doubt", in ns.

    ends.py OFF MOST PLAIN LAYER

Each end must be right to OFF ns, or within what the run doubts, and to MOST ns in any case; the first row of all is where both begin.
"""
import sys


def ends(lines):
    rows = map(str.split, lines)
    return {tuple(map(int, row[:3])): (float(row[3]), float(row[4])) for row in rows}


def wrong(true, told, off, most):
    """Of those in both (at, how far off it is, what is doubted), in time's order."""
    order = sorted(true.keys() & told.keys(), key=lambda at: true[at])
    began = told[order[0]][0] - true[order[0]][0]  # the simulation, and the program behind MPI_Init
    by = {at: told[at][0] - began - true[at][0] for at in order}
    return [(at, by[at], told[at][1]) for at in order if abs(by[at]) > min(told[at][1] + off, most)]


def main():
    off, most = map(float, sys.argv[1:3])
    true, told = (ends(open(name)) for name in sys.argv[3:])
    found = wrong(true, told, off, most) if true and told else []
    for (seed, rank, op), by, doubt in found[:1]:
        print(f"seed {seed}, rank {rank}: op {op} ends {by:+.0f} ns off, ± {doubt:.0f}")
    return int(not true or true.keys() != told.keys() or bool(found))


if __name__ == "__main__":
    sys.exit(main())
