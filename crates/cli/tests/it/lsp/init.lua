-- Opens a skill with `skillful lsp`, and writes what an author would see to $OUT.
local out = assert(io.open(os.getenv("OUT"), "w"))
local function fail(why)
  io.stderr:write(why .. "\n")
  vim.cmd("cquit 1")
end
local function wait(what, done)
  if not vim.wait(60000, done, 20) then
    fail("waited in vain for " .. what)
  end
end

vim.o.swapfile = false
vim.api.nvim_create_autocmd("VimEnter", {
  callback = function()
    local ok, why = pcall(function()
      local buffer = vim.api.nvim_get_current_buf()
      local id = vim.lsp.start_client({
        name = "skillful",
        cmd = { os.getenv("SKILLFUL"), "lsp" },
        root_dir = vim.fn.getcwd(),
      })
      assert(id, "the server did not start")
      vim.lsp.buf_attach_client(buffer, id)
      local client = vim.lsp.get_client_by_id(id)

      wait("diagnostics", function() return #vim.diagnostic.get(buffer) > 0 end)
      for _, found in ipairs(vim.diagnostic.get(buffer)) do
        out:write(string.format("%d:%d %s\n", found.lnum + 1, found.col + 1, found.code or found.user_data.lsp.code))
      end

      local function ask(method, params)
        local answer = client.request_sync(method, params, 60000, buffer)
        assert(answer and not answer.err, method .. ": " .. vim.inspect(answer))
        return answer.result
      end
      local document = { uri = vim.uri_from_bufnr(buffer) }

      -- A fix.
      local line = { start = { line = 1, character = 0 }, ["end"] = { line = 1, character = 0 } }
      local actions = ask("textDocument/codeAction", { textDocument = document, range = line, context = { diagnostics = {} } })
      for _, action in ipairs(actions) do
        if action.kind == "quickfix" then
          out:write("fix: " .. action.title .. "\n")
          vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
          break
        end
      end
      out:write("line: " .. vim.api.nvim_buf_get_lines(buffer, 1, 2, false)[1] .. "\n")

      -- Completion of a value on a new line, through omnifunc as a user does.
      vim.api.nvim_buf_set_lines(buffer, 4, 4, false, { "effort: " })
      local offered = ask("textDocument/completion", { textDocument = document, position = { line = 4, character = 8 } })
      local labels = {}
      for _, item in ipairs(offered.items) do table.insert(labels, item.label) end
      out:write("offered: " .. table.concat(labels, " ") .. "\n")
      vim.lsp.util.apply_text_edits({ offered.items[3].textEdit }, buffer, client.offset_encoding)

      -- Hover and lenses.
      local about = ask("textDocument/hover", { textDocument = document, position = { line = 4, character = 1 } })
      out:write("hover: " .. vim.split(about.contents.value, "\n")[1] .. "\n")
      local lenses = ask("textDocument/codeLens", { textDocument = document })
      out:write("lens: " .. lenses[#lenses].command.title .. "\n")

      -- Formatting.
      local edits = ask("textDocument/formatting", { textDocument = document, options = { tabSize = 2, insertSpaces = true } })
      vim.lsp.util.apply_text_edits(edits, buffer, client.offset_encoding)
      wait("a text without problems", function() return #vim.diagnostic.get(buffer) == 0 end)
      vim.cmd("write")
      vim.lsp.stop_client(id)
      wait("the end of the server", function() return vim.lsp.client_is_stopped(id) end)
      out:write("stopped\n")
    end)
    out:close()
    if not ok then fail(tostring(why)) end
    vim.cmd("qall!")
  end,
})
