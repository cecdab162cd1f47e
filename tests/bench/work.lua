-- Seconds of mixed work for Lua's interpreter: the words of a text, a sieve,
-- queens on a board, cells that live and die, and many small objects.
-- Usage: lua work.lua FILE...

local function words(paths)
  local count, order = {}, {}
  for _, path in ipairs(paths) do
    local file = assert(io.open(path))
    for word in file:read("a"):lower():gmatch("%a+") do
      if not count[word] then count[word] = 0; order[#order + 1] = word end
      count[word] = count[word] + 1
    end
    file:close()
  end
  table.sort(order, function(a, b) return count[a] > count[b] or count[a] == count[b] and a < b end)
  for i = 1, math.min(5, #order) do print(order[i], count[order[i]]) end
  local pieces = {}
  for i, word in ipairs(order) do pieces[i] = word:sub(1, 1):upper() .. word:sub(2):reverse() end
  return #table.concat(pieces, " ")
end

local function sieve(limit)
  local composite, primes = {}, 0
  for i = 2, limit do
    if not composite[i] then
      primes = primes + 1
      for j = i * i, limit, i do composite[j] = true end
    end
  end
  return primes
end

local function queens(size)
  local column, up, down, solutions = {}, {}, {}, 0
  local function place(row)
    if row > size then solutions = solutions + 1; return end
    for c = 1, size do
      if not (column[c] or up[row + c] or down[row - c]) then
        column[c], up[row + c], down[row - c] = true, true, true
        place(row + 1)
        column[c], up[row + c], down[row - c] = nil, nil, nil
      end
    end
  end
  place(1)
  return solutions
end

local function life(size, generations)
  local cells, state = {}, 42
  for i = 0, size * size - 1 do
    state = (state * 1103515245 + 12345) % 2147483648
    cells[i] = state // 65536 % 3 == 0 and 1 or 0
  end
  for _ = 1, generations do
    local after = {}
    for y = 0, size - 1 do
      local above, here, below = (y - 1) % size * size, y * size, (y + 1) % size * size
      for x = 0, size - 1 do
        local l, r = (x - 1) % size, (x + 1) % size
        local n = cells[above + l] + cells[above + x] + cells[above + r] + cells[here + l] + cells[here + r]
                + cells[below + l] + cells[below + x] + cells[below + r]
        after[here + x] = (n == 3 or n == 2 and cells[here + x] == 1) and 1 or 0
      end
    end
    cells = after
  end
  local alive = 0
  for i = 0, size * size - 1 do alive = alive + cells[i] end
  return alive
end

-- A binary search tree of objects with methods: calls, closures, garbage.
local Tree = {}
Tree.__index = Tree
function Tree.new(key) return setmetatable({ key = key, size = 1 }, Tree) end
function Tree:insert(key)
  local side = key < self.key and "left" or "right"
  self.size = self.size + 1
  if self[side] then self[side]:insert(key) else self[side] = Tree.new(key) end
end
function Tree:walk(visit)
  if self.left then self.left:walk(visit) end
  visit(self.key)
  if self.right then self.right:walk(visit) end
end

local function trees(rounds, size)
  local sum, state = 0, 7
  for _ = 1, rounds do
    local tree = Tree.new(size // 2)
    for _ = 1, size do
      state = (state * 1103515245 + 12345) % 2147483648
      tree:insert(state // 8 % size)
    end
    local position = 0
    tree:walk(function(key) position = position + 1; sum = (sum + key * position) % 1000000007 end)
  end
  return sum
end

print("words", words(arg))
print("primes", sieve(2000000))
print("queens", queens(9))
print("life", life(200, 200))
print("trees", trees(500, 2500))
