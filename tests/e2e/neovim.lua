-- Runs the scenario inside Neovim. Arguments: scenario file, server command as JSON.
-- Prints one JSON object for each check.

local scenario = vim.json.decode(table.concat(vim.fn.readfile(_G.arg[1]), "\n"))
local command = vim.json.decode(_G.arg[2])
local timeout_ms = scenario.timeout_s * 1000
local timeout_after_failure_ms = 5000

local failed = false

local function check(name, ok, detail)
  failed = failed or not ok
  local shown = type(detail) == "string" and detail or vim.inspect(detail)
  io.stdout:write("\n" .. vim.json.encode({ name = name, ok = ok and true or false, detail = shown }) .. "\n")
end

local function wait(condition)
  return vim.wait(failed and timeout_after_failure_ms or timeout_ms, condition, 50)
end

-- The server's own account of each finished run, newest last.
local runs = {}

vim.filetype.add({ extension = { lus = "lustre", smv = "nuxmv" } })
vim.cmd.edit(scenario.file)
local buffer = vim.api.nvim_get_current_buf()

local client_id = vim.lsp.start({
  name = "mutproof",
  cmd = command,
  root_dir = vim.fs.dirname(scenario.file),
  settings = {
    mutproof = {
      level = scenario.level,
      run = "onOpenAndSave",
      diagnostics = { allMutants = true }, -- the scenario names single mutants
    },
  },
  handlers = {
    ["mutproof/statistics"] = function(_, statistics)
      table.insert(runs, statistics)
    end,
    ["mutproof/status"] = function() end,
  },
}, { bufnr = buffer })

local function survivors()
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.source == "mutproof" and diagnostic.severity == vim.diagnostic.severity.WARN
  end, vim.diagnostic.get(buffer))
end

local function lens_titles()
  vim.lsp.codelens.refresh({ bufnr = buffer })
  vim.wait(500)
  local titles = {}
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    if lens.command then
      table.insert(titles, { line = lens.range.start.line + 1, title = lens.command.title })
    end
  end
  return titles
end

-- Wait for a lens in a line (any line if nil) that contains all the words; return all lenses.
local function wait_for_lens(line, words)
  local titles = {}
  local found = wait(function()
    titles = lens_titles()
    for _, lens in ipairs(titles) do
      local all = line == nil or lens.line == line
      for _, word in ipairs(words) do
        all = all and lens.title:find(word, 1, true) ~= nil
      end
      if all then
        return true
      end
    end
    return false
  end)
  return found, titles
end

local function save_and_wait()
  local finished = #runs
  vim.cmd("silent write")
  return wait(function()
    return #runs > finished
  end)
end

local function counted(expected)
  local last = runs[#runs] or {}
  return last.killed == expected.killed and last.survived == expected.survived
end

check("the server is attached", client_id ~= nil and wait(function()
  return vim.lsp.get_client_by_id(client_id) ~= nil
    and vim.lsp.get_client_by_id(client_id).initialized
end), client_id)

-- Open: survivors, lens, hover.
wait(function()
  return #runs > 0
end)
local function counts_text(expected)
  return ("%d killed and %d survivors"):format(expected.killed, expected.survived)
end
check("opening shows " .. counts_text(scenario.before), counted(scenario.before), runs)

wait(function()
  return #survivors() >= scenario.gaps
end)
local gap = vim.tbl_filter(function(diagnostic)
  return diagnostic.lnum + 1 == scenario.gap_line and diagnostic.col + 1 == scenario.gap_column
end, survivors())[1]
check("a survivor is shown at the operator", gap ~= nil, survivors())
check(
  "every survivor has a mutator as its code and says that it survives",
  #survivors() > 0 and vim.iter(survivors()):all(function(diagnostic)
    return type(diagnostic.code) == "string" and diagnostic.message:find("surviv") ~= nil
  end),
  survivors()
)
local warnings_before = #survivors()

local kills = ("%d/%d"):format(scenario.before.killed, scenario.total)
local found, titles = wait_for_lens(nil, { "proved", kills })
check("a lens says that the property is proved and what it kills", found, titles)

vim.api.nvim_win_set_cursor(0, { scenario.gap_line, scenario.gap_column - 1 })
local before_hover = vim.api.nvim_list_wins()
local hover = ""
vim.lsp.buf.hover()
wait(function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if not vim.tbl_contains(before_hover, window) then
      local shown = vim.api.nvim_win_get_buf(window)
      hover = table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, false), "\n")
      return hover ~= ""
    end
  end
  return false
end)
check("the hover names the mutant", hover:find(scenario.gap_mutant, 1, true) ~= nil, hover)

-- Quick fix: insert a property, save.
vim.cmd("only")
vim.api.nvim_win_set_cursor(0, { scenario.gap_line, scenario.gap_column - 1 })
local function properties()
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  local _, count = text:gsub(vim.pesc(scenario.statement), "")
  return count
end
local applied = {}
vim.ui.select = function(items, _, choose)
  applied = items
  choose(items[1], 1)
end
local properties_before = properties()
vim.lsp.buf.code_action({
  context = { only = { "quickfix" } },
  apply = true,
  filter = function(action)
    return action.title:lower():find("insert.*property") ~= nil
  end,
})
wait(function()
  return properties() > properties_before
end)
check("a quick fix inserts a property", properties() == properties_before + 1, applied)
check("saving after the quick fix finishes a run", save_and_wait(), runs)
local after_fix = runs[#runs] or {}
check(
  "the inserted property kills survivors",
  (after_fix.survived or scenario.total) < scenario.before.survived,
  after_fix
)

-- A stronger property: fewer survivors.
local lines = vim.split(scenario.stronger_text, "\n", { plain = true, trimempty = true })
vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
check("saving a stronger property finishes a run", save_and_wait(), runs)
check("the stronger property leaves " .. counts_text(scenario.after), counted(scenario.after), runs[#runs])
wait(function()
  return #survivors() < warnings_before
end)
check("there are fewer warnings", #survivors() < warnings_before, {
  before = warnings_before,
  after = #survivors(),
})

vim.cmd("qall!")
