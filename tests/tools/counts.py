"""Reads the frequency part of a profile file, independently of the C reader."""

import struct

UNIT, COUNTERS, STRINGS = 8, 9, 2
ENTRY, EXIT = 1, 2
NO_COUNTER = 0xffffffff


class Block:
    """A basic block of a unit: its place, counter, edge and (after reading) its count."""

    def __init__(self, fields, offset):
        self.offset = offset                   # of its record in the file
        (self.line, self.line_end, self.column, self.function, self.file, self.kind,
         self.counter, self.source, self.target) = fields
        self.count = None


class Unit:
    """A translation unit's tables, its counts summed over the threads."""

    def __init__(self, name, files, functions, blocks):
        self.name, self.files, self.functions, self.blocks = name, files, functions, blocks


def read(path):
    """The units of a profile."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"PERFCOMP", path
    page, _state = struct.unpack_from("<II", data, 24)
    total, = struct.unpack_from("<Q", data, 32)
    offset, units, arrays = page, {}, {}
    while offset + 64 <= total:
        magic, kind, size, start, _elem, _capacity, count, owner, _first = struct.unpack_from("<IIQIIQQII", data, offset)
        if magic != 0x78434650:
            break
        if kind == UNIT:
            units[owner] = _unit(data, offset, start)
        elif kind == COUNTERS:
            arrays.setdefault(owner, []).append((offset + start, count))
        offset += size
    for owner, unit in units.items():
        for block in unit.blocks:
            if block.counter != NO_COUNTER:
                block.count = sum(struct.unpack_from("<Q", data, at + 8 * block.counter)[0]
                                  for at, count in arrays.get(owner, []) if block.counter < count)
    return list(units.values())


def _string(data, offset):
    return data[offset:data.index(b"\0", offset)].decode() if offset else ""


def _unit(data, base, start):
    record = base + start
    name, _directory, _compiler = struct.unpack_from("<QQQ", data, record)
    files, functions, blocks, _threaded = struct.unpack_from("<IIII", data, record + 24)
    tables = struct.unpack_from("<QQQ", data, record + 48)
    file_at, function_at, block_at = (base + t for t in tables)
    return Unit(
        _string(data, name),
        [_string(data, struct.unpack_from("<Q", data, file_at + 8 * i)[0]) for i in range(files)],
        [_string(data, struct.unpack_from("<Q", data, function_at + 24 * i)[0]) for i in range(functions)],
        [Block(struct.unpack_from("<9I", data, at), at) for at in range(block_at, block_at + 36 * blocks, 36)])


def forget(path, like):
    """Takes the counters from a profile that another one of the same program hasn't."""
    _write(path, [(block, 24, NO_COUNTER) for unit, other in zip(read(path), read(like))
                  for block, minimal in zip(unit.blocks, other.blocks) if minimal.counter == NO_COUNTER])


def aim(path, vertex):
    """Lets all of a profile's blocks lead to that vertex."""
    _write(path, [(block, 32, vertex) for unit in read(path) for block in unit.blocks])


def _write(path, changes):
    """Changes fields of blocks, by their places in them."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        for block, place, value in changes:
            struct.pack_into("<I", data, block.offset + place, value)
        page, = struct.unpack_from("<I", data, 24)
        total, = struct.unpack_from("<Q", data, 32)
        struct.pack_into("<Q", data, 48, _checksum(data[page:total]))
        header, = struct.unpack_from("<I", data, 20)
        struct.pack_into("<Q", data, header - 8, _checksum(data[:header - 8]))
        file.seek(0)
        file.write(data)


def _checksum(data):
    """That of perfcomp_impl/core/checksum.c, of whole words."""
    words, mask = struct.unpack("<%dQ" % (len(data) // 8), data), (1 << 64) - 1
    total = 0xcbf29ce484222325 ^ len(data)
    for word in words:
        total = (total ^ word) * 0x9e3779b97f4a7c15 & mask
        total ^= total >> 29
    return total ^ total >> 32


def complete(blocks):
    """Counts of the blocks without a counter by peeling leaves; returns the blocks that contradict."""
    edges = [b for b in blocks if b.source or b.target]
    at = {}
    for block in edges:
        if block.count is None:
            for vertex in (block.source, block.target):
                at.setdefault(vertex, set()).add(block)
    balance = {}
    for block in edges:
        if block.count is not None:
            balance[block.target] = balance.get(block.target, 0) + block.count
            balance[block.source] = balance.get(block.source, 0) - block.count
    leaves = [v for v, unknown in at.items() if len(unknown) == 1]
    while leaves:
        vertex = leaves.pop()
        if len(at[vertex]) != 1:
            continue
        block, = at[vertex]
        amount = balance.get(vertex, 0)
        block.count = -amount if block.target == vertex else amount
        for other, sign in ((block.source, -1), (block.target, 1)):
            at[other].discard(block)
            balance[other] = balance.get(other, 0) + sign * block.count
            if len(at[other]) == 1:
                leaves.append(other)
