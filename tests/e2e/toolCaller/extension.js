// An agent of the editor: a scripted model calls the tools that extensions offer, one after the other, as `script.json`
// beside this file says, as soon as that is there. What happens is written to `said.json`.
"use strict";

const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const FILE = join(__dirname, "script.json");
let script = [];

const provider = {
  provideLanguageModelChatInformation: () => [
    {
      id: "worker",
      name: "Worker",
      family: "worker",
      version: "1",
      maxInputTokens: 100000,
      maxOutputTokens: 1000,
      capabilities: { toolCalling: true },
    },
  ],
  async provideLanguageModelChatResponse(_model, messages, options, progress) {
    const done = messages.flatMap(({ content }) => content).filter((part) => "callId" in part && "content" in part);
    const next = script[done.length];
    if (next === undefined) progress.report(new vscode.LanguageModelTextPart("Done."));
    else progress.report(new vscode.LanguageModelToolCallPart(`call${done.length}`, next.tool, next.input));
  },
  provideTokenCount: async (_model, text) => JSON.stringify(text).length,
};

async function work() {
  const tools = vscode.lm.tools.filter(({ tags }) => tags.includes("benchwright"));
  const offered = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const [model] = await vscode.lm.selectChatModels({ vendor: "scripted" });
  const messages = [vscode.LanguageModelChatMessage.User("Solve the problem.")];
  const results = [];
  for (;;) {
    const calls = [];
    const reply = await model.sendRequest(messages, { tools: offered });
    for await (const part of reply.stream) if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
    if (calls.length === 0) break;
    messages.push(vscode.LanguageModelChatMessage.Assistant(calls));
    for (const { callId, name, input } of calls) {
      const text = await called(name, input);
      results.push({ name, text });
      const content = [new vscode.LanguageModelTextPart(text)];
      messages.push(vscode.LanguageModelChatMessage.User([new vscode.LanguageModelToolResultPart(callId, content)]));
    }
  }
  const file = join(__dirname, "said.json");
  writeFileSync(`${file}.new`, JSON.stringify({ offered: offered.map(({ name }) => name), results }));
  renameSync(`${file}.new`, file);
}

async function called(name, input) {
  try {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return content.map(({ value }) => value).join("");
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

exports.activate = (context) => {
  const looking = setInterval(() => {
    if (!existsSync(FILE)) return;
    script = JSON.parse(readFileSync(FILE, "utf8"));
    rmSync(FILE);
    void work();
  }, 100);
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("scripted", provider),
    { dispose: () => clearInterval(looking) },
  );
};
