-- What a person does in Neovim after a test of their own has failed; what was seen is written to $SEEN as JSON.
local seen = {}
-- How long anything may take; far more than it takes.
local patience_ms = 60000

local function until_so(what, condition)
  if not vim.wait(patience_ms, condition, 10) then
    error('gave up waiting for ' .. what)
  end
end

-- The text of the page that is in front, which is closed.
local function page(what)
  local found
  until_so(what, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        found = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), '\n')
        vim.api.nvim_win_close(window, true)
        return true
      end
    end
  end)
  return found
end

local function asked(method, params)
  return vim.tbl_values(vim.lsp.buf_request_sync(0, method, params, patience_ms))[1].result
end

local function work()
  vim.cmd('edit rtl/counter.sv')
  until_so('the server', function()
    local client = vim.tbl_values(vim.lsp.buf_get_clients(0))[1]
    return client and client.initialized
  end)
  local run = asked('benchwright/runOwnTests', { uri = vim.uri_from_bufnr(0), ids = {}, waves = true })
  seen.passed = run.passed

  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<leader>bf', true, false, true), 'xm', false)
  seen.explained = page('the failure')

  until_so('a finding', function() return #vim.diagnostic.get(0) > 0 end)
  local line = vim.diagnostic.get(0)[1].lnum
  local range = { start = { line = line, character = 0 }, ['end'] = { line = line + 1, character = 0 } }
  local finding = { textDocument = vim.lsp.util.make_text_document_params(), range = range, context = { diagnostics = {} } }
  for _, action in ipairs(asked('textDocument/codeAction', finding)) do
    local command = type(action.command) == 'table' and action.command or action
    local run_it = vim.lsp.commands[command.command]
    if run_it then
      run_it(command)
      seen.finding = page('the finding')
      break
    end
  end

  print = function(...)
    seen.printed = { ... }
  end
  dofile(vim.env.WAVES)
end

local ok, failure = pcall(work)
seen.failure = not ok and failure or nil
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.SEEN)
vim.cmd('qall!')
