-- Other work for Lua's interpreter than work.lua's: recursion, closures, coroutines,
-- a matrix product, sorting and formatting. From it a scale is learned.

local function fibonacci(n) return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2) end

local function product(size)
  local a, b, trace = {}, {}, 0
  for i = 1, size do
    a[i], b[i] = {}, {}
    for k = 1, size do a[i][k], b[i][k] = i + k / 7, i - k / 3 end
  end
  for i = 1, size do
    for j = 1, size do
      local sum = 0
      for k = 1, size do sum = sum + a[i][k] * b[k][j] end
      if i == j then trace = trace + sum end
    end
  end
  return trace
end

local function permutations(n)
  local items, count = {}, 0
  for i = 1, n do items[i] = i end
  local function permute(k)
    if k == 0 then coroutine.yield(items) end
    for i = 1, k do
      items[i], items[k] = items[k], items[i]
      permute(k - 1)
      items[i], items[k] = items[k], items[i]
    end
  end
  for p in coroutine.wrap(function() permute(n) end) do count = count + (p[1] < p[n] and 1 or 0) end
  return count
end

local function sorted(n)
  local lines, state = {}, 7
  for i = 1, n do
    state = (state * 1103515245 + 12345) % 2147483648
    lines[i] = string.format("%08d:%s", state // 21, ("x"):rep(state % 5))
  end
  table.sort(lines)
  return lines[1], lines[n]
end

print(fibonacci(32), product(240), permutations(10), sorted(250000))
