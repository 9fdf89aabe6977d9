// The driver's end of VS Code's hooks: who is told of every call of a tool, and allows or refuses it.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SECONDS = 600;

/** Has each call of a tool asked about and reported; `onCall` answers whether it is allowed. */
export async function listenToHooks(home, { onCall, onResult }) {
  const token = randomBytes(16).toString("hex");
  const server = createServer((connection) => {
    connection.on("error", () => undefined);
    createInterface({ input: connection }).once("line", async (line) => {
      connection.end(JSON.stringify(await answer(line, token, { onCall, onResult })));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await writeFile(new URL("hook.json", import.meta.url), JSON.stringify({ port: server.address().port, token }));
  const command = `${quoted(process.execPath)} ${quoted(fileURLToPath(new URL("hook.mjs", import.meta.url)))}`;
  const hook = [{ type: "command", command, timeout: SECONDS }];
  const folder = join(home, ".copilot", "hooks");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "benchwright.json"), JSON.stringify({ hooks: { PreToolUse: hook, PostToolUse: hook } }));
}

async function answer(line, token, { onCall, onResult }) {
  const { token: given, told } = parsed(line);
  if (given !== token) return {};
  const { hook_event_name: hookEventName, tool_name: name, tool_use_id: id } = told;
  if (hookEventName === "PostToolUse") {
    onResult({ id, name, result: told.tool_response });
    return {};
  }
  const isAllowed = await onCall({ id, name, input: told.tool_input });
  return { hookSpecificOutput: { hookEventName, permissionDecision: isAllowed ? "allow" : "deny" } };
}

function parsed(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
