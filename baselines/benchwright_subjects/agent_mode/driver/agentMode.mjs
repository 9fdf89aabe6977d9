// One turn of the agent mode of a VS Code that is driven headless, its model behind an address on loopback.
import { mkdir, readFile, readdir, writeFile, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { Chromium } from "../../inline/vscode/driver/chromium.mjs";
import { startCodeServer } from "../../inline/vscode/driver/codeServer.mjs";
import { Probe } from "../../inline/vscode/driver/probe.mjs";
import { listenToHooks } from "./hooks.mjs";

const ORIGIN = "http://benchwright.localhost";
const PROBE = new URL("../../inline/vscode/probe/", import.meta.url);
const MODEL = { vendor: "customendpoint", id: "inspect" };
const SETTINGS = {
  "chat.agent.enabled": true,
  "chat.agent.maxRequests": 1000,
  "chat.useHooks": true,
  "chat.autoReply": true,
};
const KINDS = {
  edit: /edit|replace|insert|create|patch|write|notebook/i,
  delete: /delete/i,
  execute: /terminal|task|run|command|test/i,
  search: /search|find|grep|list|usages/i,
  fetch: /fetch|web|github|browser|simple/i,
  read: /read|get|view|problems|errors|changes/i,
  think: /think|todo|memory|plan/i,
};

export class AgentMode {
  #probe;
  #client;
  #participant;

  /** Starts VS Code in a folder. */
  static async start({ codeServer, chromium, extension: extensions, participant, bridge, client, folder }) {
    const started = new AgentMode();
    started.#client = client;
    started.#participant = participant;
    const home = process.env.HOME;
    started.#probe = await Probe.listen();
    await writeModel(join(home, "editor", "user-data", "User"), bridge);
    await listenToHooks(home, started);
    // Before any extension is installed: from then on, the editor loads what is in its list alone.
    await installProbe(join(home, "editor", "extensions"), started.#probe.place);
    const { port, cookie } = await startCodeServer({
      command: codeServer,
      home,
      extensions: extensions.map((word) => word.split("=")[1]),
      settings: SETTINGS,
      driver: () => undefined,
    });
    const address = `${ORIGIN}/?folder=${encodeURIComponent(folder)}`;
    await Chromium.open(chromium, join(home, "chromium"), address, port, cookie, false);
    await started.#probe.arrived;
    // The built-in chat is enabled by the change alone: without it, it asks for an account.
    await started.#probe.ask("configure", { name: "chat.disableAIFeatures", value: false });
    await started.#probe.ask("model", MODEL);
    for (const word of extensions) {
      const [id] = word.split("=");
      if (!(await started.#probe.ask("extension", { id })).isThere) throw new Error(`the editor does not load ${id}`);
    }
    const participants = await started.#probe.ask("participants");
    if (participant && !participants.includes(participant)) {
      throw new Error(`no extension has the chat participant ${participant}, only ${[...new Set(participants)].join(", ")}`);
    }
    return started;
  }

  /** Has the agent do a task; answers the reason why it stopped. */
  async turn(query) {
    const asked = this.#participant ? { query: `@${this.#participant} ${query}`, mode: "ask" } : { query, mode: "agent" };
    const { result } = await this.#probe.ask("execute", {
      command: "workbench.action.chat.open",
      argument: { ...asked, modelSelector: MODEL, blockOnResponse: true },
    });
    // The editor may still be saving what a tool has changed.
    await this.#probe.ask("execute", { command: "chatEditing.acceptAllFiles" });
    await this.#probe.ask("save");
    if (result?.errorDetails) throw new Error(String(result.errorDetails.message));
    return "end_turn";
  }

  /** A tool is about to be called; answers whether it may be. */
  onCall = async ({ id, name, input }) => {
    const call = { toolCallId: id, title: name, kind: kindOf(name), rawInput: input };
    this.#client.update({ sessionUpdate: "tool_call", status: "pending", ...call });
    return this.#client.permit(call);
  };

  /** A tool has answered. */
  onResult = ({ id, result }) => {
    this.#client.update({ sessionUpdate: "tool_call_update", toolCallId: id, status: "completed", rawOutput: result });
  };
}

async function writeModel(folder, bridge) {
  await mkdir(folder, { recursive: true });
  const model = {
    id: MODEL.id,
    name: MODEL.id,
    url: `${bridge}/v1/chat/completions`,
    toolCalling: true,
    vision: false,
    maxInputTokens: 200000,
    maxOutputTokens: 32000,
    editTools: ["find-replace"],
  };
  const provider = { vendor: MODEL.vendor, name: "Benchwright", apiKey: "none", apiType: "chat-completions", models: [model] };
  await writeFile(join(folder, "chatLanguageModels.json"), JSON.stringify([provider]));
}

async function installProbe(extensionsFolder, place) {
  const { publisher, name, version } = JSON.parse(await readFile(new URL("package.json", PROBE), "utf8"));
  const folder = join(extensionsFolder, `${publisher}.${name}-${version}`);
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(PROBE)) await copyFile(new URL(file, PROBE), join(folder, file));
  await writeFile(join(folder, "driver.json"), JSON.stringify(place), { mode: 0o600 });
}

function kindOf(name) {
  return Object.keys(KINDS).find((kind) => KINDS[kind].test(name)) ?? "other";
}
