-- What a person does in Neovim at one problem; what was seen is written to $SEEN as JSON.
local seen = { notified = {} }
-- How long anything may take; far more than it takes.
local patience_ms = 60000

local function finish(failure)
  seen.failure = failure
  vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.SEEN)
  vim.cmd('qall!')
end

local function until_so(what, condition)
  if not vim.wait(patience_ms, condition, 10) then
    error('gave up waiting for ' .. what)
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n') .. '\n'
end

local function write(content)
  vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(content:gsub('\n$', ''), '\n'))
end

local function cursor_at(word)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. word, 'cW') > 0, word .. ' is not in the file')
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'x', false)
end

local function messages()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, one.message)
  end
  return found
end

local function told(pattern)
  for _, message in ipairs(seen.notified) do
    if message:find(pattern) then
      return true
    end
  end
  return false
end

local function floating_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), '\n')
    end
  end
end

local function work()
  vim.notify = function(message)
    table.insert(seen.notified, message)
  end
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.DESIGN))
  until_so('the server', function()
    local client = vim.tbl_values(vim.lsp.buf_get_clients(0))[1]
    return client and client.initialized
  end)
  local starting = text()

  write((starting:gsub('// Your code goes here%.', 'assign full = nowhere;')))
  until_so('diagnostics', function()
    seen.diagnostics = messages()
    return table.concat(seen.diagnostics):find('nowhere')
  end)

  write(vim.fn.join(vim.fn.readfile(vim.env.REFERENCE), '\n') .. '\n')
  until_so('no diagnostics', function() return #vim.diagnostic.get(0) == 0 end)

  vim.cmd('Benchhierarchy')
  until_so('the hierarchy', function() return #vim.fn.getloclist(0) > 0 end)
  seen.hierarchy = vim.fn.getloclist(0)[1].text
  vim.cmd('lclose')

  cursor_at('almost_full,')
  press('K')
  until_so('a hover', floating_text)
  seen.hover = floating_text()
  vim.cmd('wincmd o')

  cursor_at('level == CAPACITY')
  press('l')
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/completion', vim.lsp.util.make_position_params(0, 'utf-16'), patience_ms)
  local list = vim.tbl_values(answers)[1].result
  seen.completions = vim.lsp.util.text_document_completion_list_to_complete_items(list, 'l')

  cursor_at('wr_data,')
  vim.lsp.buf.rename('written')
  until_so('the new name', function() return text():find('written') end)
  seen.renamed = text()
  vim.cmd('undo')

  cursor_at('endmodule')
  press('Oassign    empty   =  1;<Esc>')
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = patience_ms })
  else
    vim.lsp.buf.formatting_sync({}, patience_ms)
  end
  seen.formatted = text()

  write(vim.fn.join(vim.fn.readfile(vim.env.REFERENCE), '\n') .. '\n')
  vim.cmd('Benchstart')
  until_so('the clock', function() return told('running') end)
  vim.cmd('write')
  until_so('a verdict', function() return told('running%. All hidden tests passed') end)
  until_so('the lens', function()
    for _, lens in ipairs(vim.lsp.codelens.get(0)) do
      if lens.command and lens.command.title:find('passed') then
        seen.lens = lens.command.title
      end
    end
    return seen.lens
  end)
  vim.cmd('Benchsubmit')
  until_so('the end', function() return told('submitted%. ') end)
end

local ok, failure = pcall(work)
finish(not ok and failure or nil)
