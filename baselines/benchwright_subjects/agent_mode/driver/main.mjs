// Looks like an agent that speaks the Agent Client Protocol on standard streams; behind it is the agent mode of a real
// VS Code.
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { AgentMode } from "./agentMode.mjs";

const VERSION = 1;
const SESSION = "chat";
const UNKNOWN = -32601;
const FAILED = -32603;

const { values: options, positionals: codeServer } = parseArgs({
  options: {
    bridge: { type: "string" },
    chromium: { type: "string" },
    extension: { type: "string", multiple: true, default: [] },
    participant: { type: "string", default: "" },
    version: { type: "string" },
  },
  allowPositionals: true,
});
let agentMode;
let number = 0;
const pending = new Map();

/** What its client is told of and asked. */
const client = {
  update: (update) => send({ method: "session/update", params: { sessionId: SESSION, update } }),

  /** Whether a tool may be called. */
  async permit(toolCall) {
    const permissionOptions = [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ];
    const { outcome } = await ask("session/request_permission", { sessionId: SESSION, toolCall, options: permissionOptions });
    return outcome.outcome === "selected" && outcome.optionId === "allow";
  },
};

const METHODS = {
  initialize: () => ({
    protocolVersion: VERSION,
    agentInfo: { name: "vscode-agent", version: options.version },
    agentCapabilities: {},
    authMethods: [],
  }),

  async "session/new"({ cwd }) {
    agentMode = await AgentMode.start({ ...options, codeServer, client, folder: cwd });
    return { sessionId: SESSION };
  },

  async "session/prompt"({ prompt }) {
    return { stopReason: await agentMode.turn(prompt.map(({ text }) => text).join("\n")) };
  },
};

async function carryOut({ id, method, params }) {
  const run = METHODS[method];
  if (run === undefined) return send({ id, error: { code: UNKNOWN, message: `${method} is not served` } });
  try {
    send({ id, result: await run(params ?? {}) });
  } catch (error) {
    send({ id, error: { code: FAILED, message: String(error.message).slice(0, 500) } });
  }
}

function ask(method, params) {
  number += 1;
  const id = number;
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method !== undefined) return void carryOut(message);
  const waiting = pending.get(message.id);
  pending.delete(message.id);
  if (message.error === undefined) waiting?.resolve(message.result);
  else waiting?.reject(new Error(message.error.message));
});
lines.on("close", () => process.exit(0));
