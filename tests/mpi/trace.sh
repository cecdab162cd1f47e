#!/bin/bash
# A trace's ranks lie on one clock, whenever each was started: all leave a barrier after the last one has come. Each message
# is an arrow from the call that sends it to the end of the one that receives it, and none goes back in time; in OTF2 it has
# its tag and length, and its communicator, by whose ranks both ends are named. Of threads, both ends lie with the one that sent and the one that received. Collective calls have their
# communicator, root and lengths, and those that go on beside the program last from the call that starts them to the end of the
# one that completes them. Questions in vain, one after the other, are one call.
# First argument: a folder to build in (build/tests/mpi).
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build/tests/mpi}")
. tests/mpi/programs/environment

# Of arrows.c's messages: from whom, to whom, with which tag, how long; at both ends, and in order.
otf2=$(cat <<'CHECK'
import collections, re, sys
ends = {"SEND": collections.defaultdict(list), "RECV": collections.defaultdict(list)}
for line in sys.stdin:
    found = re.match(r'MPI_(SEND|RECV) +(\d+) +(\d+)  \w+: (\d+) .*Communicator: "MPI_COMM_WORLD" <0>, Tag: (\d+), Length: (\d+)', line)
    if not found: continue
    kind, (here, time, there, tag, length) = found[1], map(int, found.groups()[1:])
    way = (here, there) if kind == "SEND" else (there, here)
    ends[kind][way, tag, length].append(time)
assert sum(map(len, ends["SEND"].values())) == int(sys.argv[1])
for message, sent in ends["SEND"].items():
    (sender, receiver), tag, length = message
    assert receiver == (sender + (-1 if tag == 5 else 1)) % 4, message
    assert length in (0, 4, 24, 6000, 300000), message
    assert len(sent) == len(ends["RECV"][message]) == 10, message
    assert all(s < r + 100000 for s, r in zip(sent, ends["RECV"][message])), message # ns; processors are shared
CHECK
)

# Of meetings.c's collectives: what one of 4 ranks, or of 2, has sent and received, at the root and elsewhere; of those that go
# on beside the program the same. Argument: how many do, of each rank.
collectives=$(cat <<'CHECK'
import re, sys
def lengths(ranks):
    return {"BARRIER": ((0, 0), (0, 0)), "BCAST": ((12, 0), (0, 12)), "GATHER": ((8, 8 * ranks), (8, 0)), "GATHERV": ((4, 0), (4, 0)),
            "SCATTER": ((8 * ranks, 8), (0, 8)), "SCATTERV": ((0, 4), (0, 4)), "ALLGATHER": ((8, 8 * ranks),) * 2, "ALLGATHERV": ((4, 0),) * 2,
            "ALLTOALL": ((8 * ranks,) * 2,) * 2, "ALLTOALLV": ((4 * ranks, 0),) * 2, "ALLTOALLW": ((4 * ranks, 0),) * 2,
            "ALLREDUCE": ((20, 20),) * 2, "REDUCE": ((20, 20), (20, 0)), "REDUCE_SCATTER": ((4 * ranks, 0),) * 2,
            "REDUCE_SCATTER_BLOCK": ((8 * ranks, 8),) * 2, "SCAN": ((16, 16),) * 2, "EXSCAN": ((16, 16),) * 2}
text = sys.stdin.read()
groups = {int(found[1]): [int(place) for place in re.findall(r"\d+ \(.*?<(\d+)>\)", found[2])]
          for found in re.finditer(r"(?m)^GROUP +(\d+) .*COMM_GROUP.*Members: (.*)$", text)}
members = {int(found[1]): groups[int(found[2])] for found in re.finditer(r"(?m)^COMM +(\d+) .*Group: \S* <(\d+)>", text)}
assert sorted(members.values()) == [[0, 1, 2, 3], [0, 2], [1, 3], [3, 2, 1, 0]] and members[0] == [0, 1, 2, 3], members
began, told, beside, started = {}, {}, {}, {}
def one(found, told, place):
    key = found[1], int(found[2]), place
    assert key not in told, found[0]
    told[key] = found[3], (int(found[4]), int(found[5]))
what = r"Operation: (\w+), Communicator: .*?<(\d+)>, Root: (\w+).*, Sent: (\d+), Received: (\d+)"
twice = late = 0
for line in text.splitlines():
    words = line.split()
    if words and words[0] == "NON_BLOCKING_COLLECTIVE_REQUEST":
        assert (words[1], words[4]) not in started, line
        started[words[1], words[4]] = int(words[2])
    found = re.match(rf"NON_BLOCKING_COLLECTIVE_COMPLETE +(\d+) +(\d+)  ({what}), Request: (\d+)", line)
    if found:
        assert started.pop((found[1], found[9])) <= int(found[2]), line
        if found[7] == "28": twice += 1 # bytes that only one sends, which is started twice
        elif found[4] == "BARRIER" and ("BARRIER", int(found[5]), int(found[1])) in beside: late += 1
        else: one(re.match(what, found[3]), beside, int(found[1]))
    if words and words[0] == "MPI_COLLECTIVE_BEGIN":
        assert words[1] not in began, line
        began[words[1]] = int(words[2])
    found = re.match(rf"MPI_COLLECTIVE_END +(\d+) +(\d+)  ({what})", line)
    if not found: continue
    assert began.pop(found[1]) <= int(found[2]), line
    one(re.match(what, found[3]), told, int(found[1]))
assert not began and not started, (began, started)
assert told == beside and late == 4 and 3 * 17 + twice / 4 + 1 == int(sys.argv[1]), (told, beside, twice, late)
for number, ranks in members.items():
    for operation, (at_root, elsewhere) in lengths(len(ranks)).items():
        for index, place in enumerate(ranks):
            root, length = told.pop((operation, number, place))
            wanted = {"BCAST": 1, "SCATTER": 1, "SCATTERV": 1, "GATHER": 0, "GATHERV": 0, "REDUCE": 0}.get(operation)
            assert root == ("NONE" if wanted is None else str(wanted)), (operation, root)
            assert length == (at_root if index == wanted else elsewhere), (operation, number, place, length)
assert not told, told
CHECK
)

# Of communicators.c's messages, all with one tag, of 4 ranks: in which communicator, between whom, how long.
communicators=$(cat <<'CHECK'
import re, sys
text = sys.stdin.read()
groups = {int(found[1]): [int(place) for place in re.findall(r"\d+ \(.*?<(\d+)>\)", found[2])]
          for found in re.finditer(r"(?m)^GROUP +(\d+) .*COMM_GROUP.*Members: (.*)$", text)}
members = {int(found[1]): groups[int(found[2])] for found in re.finditer(r"(?m)^COMM +(\d+) .*Group: \S* <(\d+)>", text)}
assert sorted(members.values()) == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 2], [1, 3], [3, 2, 1, 0]] and members[0] == [0, 1, 2, 3], members
ends = {"SEND": [], "RECV": []}
for kind, here, there, number, length in re.findall(r'(?m)^MPI_(SEND|RECV) +(\d+) +\d+  \w+: (\d+) .*Communicator: .*?<(\d+)>, Tag: 7, Length: (\d+)', text):
    here, there, length = int(here), members[int(number)][int(there)], int(length)
    ends[kind].append((int(number), length) + ((here, there) if kind == "SEND" else (there, here)))
assert sorted(ends["SEND"]) == sorted(ends["RECV"]), ends
told = sorted((length, sender, receiver, members[number], number == 0) for number, length, sender, receiver in ends["RECV"])
world, turned = [0, 1, 2, 3], [3, 2, 1, 0]
wanted = [(1, rank, (rank + 1) % 4, world, True) for rank in range(4)] + [(2, rank, (rank - 1) % 4, turned, False) for rank in range(4)] + \
         [(3, rank, (rank + 2) % 4, [rank % 2, rank % 2 + 2], False) for rank in range(4)] + [(4, rank, (rank + 1) % 4, world, False) for rank in range(4)] + \
         [(5, rank, rank ^ 1, world, True) for rank in range(4)]
assert told == sorted(wanted), told
CHECK
)

# traced PROGRAM RANKS [OPTIONS OF THE COMPILER]: its trace, and how many messages it says it has sent.
traced() {
    rm -rf "$build/trace"
    build/perfcomp-cc mpicc.$mpi "${@:3}" "tests/mpi/programs/$1.c" -o "$build/$1.$mpi"
    PERFCOMP_TRACE=1 PERFCOMP_DIR="$build/trace" timeout 60 mpiexec.$mpi -n "$2" "$build/$1.$mpi" >"$build/arrows"
    build/perfcomp export --format chrome-trace -o "$build/trace.json" "$build/trace"
}

tried=0 failed=0
for mpi in $mpis; do
    tried=$((tried + 1))
    rm -rf "$build/trace"
    build/perfcomp-cc mpicc.$mpi tests/mpi/programs/late.c -o "$build/late.$mpi"
    PERFCOMP_TRACE=1 PERFCOMP_DIR="$build/trace" timeout 60 mpiexec.$mpi -n 3 \
        sh -c 'sleep 0.$((3 * ${PMI_RANK:-$OMPI_COMM_WORLD_RANK})); exec "$0"' "$build/late.$mpi"
    build/perfcomp export --format chrome-trace -o "$build/trace.json" "$build/trace"
    python3 - "$build/trace.json" <<'CHECK' || { echo "$mpi"; failed=$((failed + 1)); }
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
assert sorted(e["pid"] for e in events if e["name"] == "process_name") == [0, 1, 2], events[:5]
assert all(e["args"]["name"].startswith(f"rank {e['pid']}: ") for e in events if e["name"] == "process_name"), events[:5]
assert min(e["ts"] for e in events if "ts" in e) >= 0
times = {(rank, phase): [e["ts"] for e in events if e["name"] == "MPI_Barrier" and (e["pid"], e["ph"]) == (rank, phase)]
         for rank in range(3) for phase in "BE"}
for late in range(3):
    came = times[late, "B"][late]
    for rank in range(3):
        assert times[rank, "E"][late] > came - 10000, (late, rank, times) # us; processors are shared
        assert rank == late or times[rank, "B"][late] < came, (late, rank, times)
CHECK
    traced arrows 4
    python3 - "$build/trace.json" "$(cat "$build/arrows")" <<'CHECK' || { echo "$mpi: arrows"; failed=$((failed + 1)); }
import bisect, collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
begins, ends, calls = {}, {}, collections.defaultdict(list)
stacks = collections.defaultdict(list)
for e in events:
    if e["ph"] == "B": stacks[e["pid"]].append(e)
    if e["ph"] == "E": stacks[e["pid"]].pop()
    if e["ph"] in "sf":
        known = begins if e["ph"] == "s" else ends
        assert e["id"] not in known, e
        known[e["id"]] = e
        around = stacks[e["pid"]][-1]
        assert around["name"] in (["MPI_Send", "MPI_Isend", "MPI_Sendrecv", "MPI_Startall"] if e["ph"] == "s" else ["MPI_Recv", "MPI_Waitall", "MPI_Sendrecv"]), around
        assert e["ts"] >= around["ts"]
assert set(begins) == set(ends) and len(begins) == int(sys.argv[2]), (len(begins), len(ends), sys.argv[2])
back = [ends[i]["ts"] - begins[i]["ts"] for i in begins if ends[i]["ts"] < begins[i]["ts"] - 100] # us; processors are shared
for i in begins:
    to, told = ends[i]["pid"], begins[i]["args"]
    assert to == (begins[i]["pid"] + (-1 if told["tag"] == 5 else 1)) % 4, (begins[i], ends[i])
    assert (told["from"], told["to"]) == (begins[i]["pid"], to) and told == ends[i]["args"], (begins[i], ends[i])
assert not back, back
CHECK
    rm -rf "$build/trace.otf2"
    build/perfcomp export --format otf2 -o "$build/trace.otf2" "$build/trace"
    otf2-print "$build/trace.otf2/traces.otf2" | python3 -c "$otf2" "$(cat "$build/arrows")" || { echo "$mpi: OTF2"; failed=$((failed + 1)); }
    traced meetings 4
    python3 - "$build/trace.json" "$(cat "$build/arrows")" <<'CHECK' || { echo "$mpi: collectives"; failed=$((failed + 1)); }
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
told = [e for e in events if e["ph"] == "E" and e["name"] in ("MPI_Bcast", "MPI_Alltoall")]
assert collections.Counter((e["name"], e["args"].get("root"), e["args"]["bytes"]) for e in told) == \
    {("MPI_Bcast", 1, 12): 12, ("MPI_Alltoall", None, 32): 8, ("MPI_Alltoall", None, 16): 4}, told
assert collections.Counter(e["args"]["communicator"].split(" of ")[-1] for e in told) == {"MPI_COMM_WORLD": 8, "4 ranks": 8, "2 ranks": 8}, told
starts, ends = ({(e["pid"], e["id"]): e for e in events if e["ph"] == phase} for phase in "be")
assert len(ends) == sum(e["ph"] == "e" for e in events), ends
assert starts.keys() == ends.keys() and len(starts) == 4 * int(sys.argv[2]), (starts, ends)
assert all(starts[i]["name"] == e["name"] and starts[i]["ts"] <= e["ts"] for i, e in ends.items()), (starts, ends)
assert sum(e["name"] == "MPI_Ibcast" and e["args"]["root"] == 1 for e in starts.values()) == 12, starts
asked = [[e.get("args", {}).get("calls in vain", 1) for e in events if (e["pid"], e["ph"], e["name"]) == (rank, "B", "MPI_Test")]
         for rank in range(4)]
assert all(len(rows) <= 2 for rows in asked) and any(rows[0] > 1 for rows in asked), asked # processors are shared: not all
CHECK
    rm -rf "$build/trace.otf2"
    build/perfcomp export --format otf2 -o "$build/trace.otf2" "$build/trace"
    { otf2-print -G "$build/trace.otf2/traces.otf2"; otf2-print "$build/trace.otf2/traces.otf2"; } | python3 -c "$collectives" "$(cat "$build/arrows")" ||
        { echo "$mpi: OTF2's collectives"; failed=$((failed + 1)); }
    traced communicators 4
    rm -rf "$build/trace.otf2"
    build/perfcomp export --format otf2 -o "$build/trace.otf2" "$build/trace"
    { otf2-print -G "$build/trace.otf2/traces.otf2"; otf2-print "$build/trace.otf2/traces.otf2"; } | python3 -c "$communicators" ||
        { echo "$mpi: OTF2's communicators of messages"; failed=$((failed + 1)); }
    traced arrows_threads 3 -pthread
    python3 - "$build/trace.json" "$(cat "$build/arrows")" <<'CHECK' || { echo "$mpi: threads"; failed=$((failed + 1)); }
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
begins, ends = ({e["id"]: e for e in events if e["ph"] == phase} for phase in "sf")
assert set(begins) == set(ends) and len(begins) == int(sys.argv[2]), (len(begins), len(ends), sys.argv[2])
for i, begin in begins.items():
    assert ends[i]["pid"] == (begin["pid"] + 1) % 3, (begin, ends[i])
tags = collections.defaultdict(set) # each thread has one of its own
for e in [*begins.values(), *ends.values()]: tags[e["pid"], e["tid"]].add(e["args"]["tag"])
for rank in range(3): assert sorted(map(list, (tags[rank, thread] for thread in (1, 2)))) == [[1], [2]], tags
CHECK
done
echo "$tried runs, $failed failed"
[ $failed = 0 ]
