"""A unit's blocks in few bytes. What they mean stands in core/counters.h, at enum pfc__packed."""

LINES, FUNCTION, FILE, KIND, NEXT, COUNTER, GRAPH = (1 << bit for bit in range(7))


def packed(blocks):
    """`blocks`: (line, line_end, column, function, file, kind, counter or None, from, to)."""
    out = bytearray()
    last_line = last_function = last_file = next_counter = last_source = 0
    for line, line_end, column, function, file, kind, counter, source, target in blocks:
        at = len(out)
        out.append(0)
        has = 0
        if line or line_end or column:
            has |= LINES
            _difference(out, line - last_line)
            _difference(out, line_end - line)
            _number(out, column)
            last_line = line
        if function != last_function:
            has |= FUNCTION
            _difference(out, function - last_function)
            last_function = function
        if file != last_file:
            has |= FILE
            _difference(out, file - last_file)
            last_file = file
        if kind:
            has |= KIND
            _number(out, kind)
        if counter is not None:
            has |= NEXT if counter == next_counter else COUNTER
            if counter != next_counter:
                _difference(out, counter - next_counter)
            next_counter = counter + 1
        if source or target:
            has |= GRAPH
            _difference(out, source - last_source)
            _difference(out, target - source)
        last_source = source
        out[at] = has
    return bytes(out)


def _number(out, number):
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def _difference(out, difference):
    _number(out, difference << 1 if difference >= 0 else ~(difference << 1))
