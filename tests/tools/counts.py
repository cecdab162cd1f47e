"""Reads the frequency part of a profile file, independently of the C reader."""

import struct

UNIT, COUNTERS, STRINGS, FREE = 8, 9, 2, 13
ENTRY, EXIT = 1, 2
BLOCK_TABLE, PACKED = 64, 152                  # places in a unit's record
ENDED_CHECKSUM = 392                           # place in the header
NO_COUNTER = 0xffffffff


class Block:
    """A basic block of a unit: its place, counter, edge and (after reading) its count."""

    def __init__(self, fields):
        (self.line, self.line_end, self.column, self.function, self.file, self.kind,
         self.counter, self.source, self.target) = fields
        self.count = None

    def fields(self):
        return (self.line, self.line_end, self.column, self.function, self.file, self.kind,
                self.counter, self.source, self.target)


class Unit:
    """A translation unit's tables, its counts summed over the threads."""

    def __init__(self, name, files, functions, blocks, base):
        self.name, self.files, self.functions, self.blocks = name, files, functions, blocks
        self.base = base                       # of its extent in the file


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
    file_at, function_at, block_at = (base + t for t in struct.unpack_from("<QQQ", data, record + 48))
    packed, packed_at = struct.unpack_from("<QQ", data, record + PACKED)
    rows = _unpacked(data[base + packed_at:base + packed_at + packed]) if packed else \
        [struct.unpack_from("<9I", data, at) for at in range(block_at, block_at + 36 * blocks, 36)]
    assert len(rows) == blocks
    return Unit(
        _string(data, name),
        [_string(data, struct.unpack_from("<Q", data, file_at + 8 * i)[0]) for i in range(files)],
        [_string(data, struct.unpack_from("<Q", data, function_at + 24 * i)[0]) for i in range(functions)],
        [Block(row) for row in rows], base)


def _unpacked(packed):
    """The fields of each block (core/counters.h, enum pfc__packed)."""
    rest = iter(packed)

    def number():
        value, shift, byte = 0, 0, 128
        while byte & 128:
            byte = next(rest)
            value |= (byte & 127) << shift
            shift += 7
        return value

    def difference():
        value = number()
        return -(value + 1 >> 1) if value & 1 else value >> 1

    last_line = function = file = counter = source = 0
    rows = []
    for has in rest:
        line = line_end = column = kind = target = 0
        before, source, own = source, 0, NO_COUNTER
        if has & 1:
            line = last_line = last_line + difference()
            line_end = line + difference()
            column = number()
        if has & 2:
            function += difference()
        if has & 4:
            file += difference()
        if has & 8:
            kind = number()
        if has & 32:
            counter += difference()
        if has & 48:
            own, counter = counter, counter + 1
        if has & 64:
            source = before + difference()
            target = source + difference()
        rows.append((line, line_end, column, function, file, kind, own, source, target))
    return rows


def forget(path, like):
    """Takes the counters from a profile that another one of the same program hasn't."""
    units = read(path)
    for unit, other in zip(units, read(like)):
        for block, minimal in zip(unit.blocks, other.blocks):
            if minimal.counter == NO_COUNTER:
                block.counter = NO_COUNTER
    _write(path, units)


def aim(path, vertex):
    """Lets all of a profile's blocks lead to that vertex."""
    units = read(path)
    for unit in units:
        for block in unit.blocks:
            block.target = vertex
    _write(path, units)


def move(path, line):
    """Lets all of a profile's blocks stand in that line."""
    units = read(path)
    for unit in units:
        for block in unit.blocks:
            block.line = block.line_end = line
    _write(path, units)


def _write(path, units):
    """Replaces the units' blocks, by a copy of each unit behind all others, whose blocks aren't packed."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        page, = struct.unpack_from("<I", data, 24)
        total, = struct.unpack_from("<Q", data, 32)
        del data[total:]
        for unit in units:
            data += _with_plain_blocks(data, unit)
            struct.pack_into("<I", data, unit.base + 4, FREE)
        struct.pack_into("<Q", data, 32, len(data))
        struct.pack_into("<Q", data, 48, _checksum(data[page:]))
        struct.pack_into("<Q", data, ENDED_CHECKSUM, _checksum(data[:ENDED_CHECKSUM]))
        file.seek(0)
        file.write(data)


def _with_plain_blocks(data, unit):
    size, start = struct.unpack_from("<QI", data, unit.base + 8)
    extent = data[unit.base:unit.base + size] + b"".join(struct.pack("<9I", *block.fields()) for block in unit.blocks)
    extent += bytes(-len(extent) % 64)
    struct.pack_into("<Q", extent, 8, len(extent))
    struct.pack_into("<QQ", extent, 24, len(extent) - start, len(extent) - start)
    struct.pack_into("<Q", extent, start + BLOCK_TABLE, size)
    struct.pack_into("<QQ", extent, start + PACKED, 0, 0)
    return extent


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
