// Looks like an inline-completion server on standard streams; behind it is a real VS Code.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Editor } from "./editor.mjs";

const GIVEN_UP = -32800;
const FAILED = -32803;
const UNKNOWN = -32601;
/** Chromium and VS Code put Unix sockets into the temporary folder, whose paths may have 107 characters. */
const MOST_TEMPORARY = 50;
const SHORT = "/dev/shm";

const { values: options, positionals: codeServer } = parseArgs({
  options: {
    chromium: { type: "string" },
    extension: { type: "string", multiple: true },
    name: { type: "string" },
    probe: { type: "string" },
    version: { type: "string" },
    visible: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
let editor;
let offered = "";
/** The request under way, which a cancellation gives up. */
let current = { id: undefined, giveUp: () => undefined };
let queue = Promise.resolve();

const METHODS = {
  async initialize({ initializationOptions }) {
    editor = await Editor.start({ ...options, codeServer, settings: initializationOptions ?? {} });
    const { name, version } = options;
    return { capabilities: { inlineCompletionProvider: true }, serverInfo: { name, version } };
  },

  async "textDocument/didOpen"({ textDocument }) {
    await editor.open(fileURLToPath(textDocument.uri));
  },

  async "textDocument/didChange"({ contentChanges }) {
    await editor.write(contentChanges.at(-1).text);
  },

  async "textDocument/inlineCompletion"({ text, cursor, context, timeoutMs }) {
    const wasChanged = await editor.write(text, cursor);
    const found = await editor.ask(context.triggerKind === 1, timeoutMs);
    offered = found.text ?? "";
    const isChanged = wasChanged || !(await editor.isUntouched());
    return { items: found.text === null ? [] : [{ insertText: found.text }], isChanged, ...found };
  },

  async "benchwright/take"({ text }) {
    return editor.take(text, offered);
  },

  async "benchwright/nextEdit"({ text, cursor, timeoutMs }) {
    const wasChanged = await editor.write(text, cursor);
    const found = await editor.nextEdit(timeoutMs);
    return wasChanged ? { text: null, isChanged: true } : found;
  },

  async "benchwright/closed"() {
    await editor.closed();
  },

  async "benchwright/picture"() {
    return (await editor.picture()).toString("base64");
  },

  shutdown: () => null,
  exit: () => process.exit(0),
};

async function carryOut({ id, method, params }) {
  const run = METHODS[method];
  if (run === undefined) return answer(id, { error: { code: UNKNOWN, message: `${method} is not served` } });
  const givenUp = new Promise((resolve) => (current = { id, giveUp: () => resolve(true) }));
  try {
    const running = Promise.resolve(run(params ?? {})).then((result) => ({ result }));
    const outcome = await Promise.race([running, givenUp]);
    if (outcome === true) {
      running.catch(() => undefined);
      await editor.stop();
      answer(id, { error: { code: GIVEN_UP, message: "given up" } });
    } else {
      answer(id, { result: outcome.result ?? null });
    }
  } catch (error) {
    answer(id, { error: { code: FAILED, message: error.message } });
  }
}

function answer(id, message) {
  if (id === undefined) {
    if (message.error) process.stderr.write(`${message.error.message}\n`);
    return;
  }
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
}

function take(message) {
  if (message.method === "$/cancelRequest") {
    if (message.params.id === current.id) current.giveUp();
  } else if (message.method === "exit") {
    process.exit(0);
  } else {
    queue = queue.then(() => carryOut(message));
  }
}

if (tmpdir().length > MOST_TEMPORARY && existsSync(SHORT)) process.env.TMPDIR = SHORT;

let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return;
    const start = end + 4;
    const length = Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, end).toString())[1]);
    if (rest.length < start + length) return;
    const body = rest.subarray(start, start + length).toString();
    rest = rest.subarray(start + length);
    take(JSON.parse(body));
  }
});
process.stdin.on("end", () => process.exit(0));
