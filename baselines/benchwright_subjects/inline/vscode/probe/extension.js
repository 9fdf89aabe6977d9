// Carries out, inside the editor, what the driver asks for over a connection on loopback: one line of JSON each way.
"use strict";

const { createConnection } = require("node:net");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { createInterface } = require("node:readline");
const vscode = require("vscode");

const TELLS = ["shown", "elsewhere", "nothing", "unfocused"];

exports.activate = (context) => {
  const { port, token } = JSON.parse(readFileSync(join(__dirname, "driver.json"), "utf8"));
  const connection = createConnection({ host: "127.0.0.1", port });
  const tell = (message) => connection.write(`${JSON.stringify(message)}\n`);
  connection.on("error", () => undefined);
  tell({ token });
  for (const name of TELLS) {
    context.subscriptions.push(
      vscode.commands.registerCommand(`benchwrightProbe.${name}`, () => tell({ key: name })),
    );
  }
  offerModel(context);
  createInterface({ input: connection }).on("line", (line) => void answer(JSON.parse(line), tell));
};

/** Offers the model of the settings, if they name one, to extensions that ask `vscode.lm`. */
function offerModel(context) {
  const { url, model, keyVariable } = vscode.workspace.getConfiguration("benchwright.model");
  if (!url || !model) return;
  const information = {
    id: model,
    name: model,
    family: model,
    version: "1",
    maxInputTokens: 128000,
    maxOutputTokens: 32000,
    capabilities: {},
  };
  const provider = {
    provideLanguageModelChatInformation: () => [information],
    async provideLanguageModelChatResponse(_model, messages, { modelOptions = {} }, progress, token) {
      const stopped = new AbortController();
      token.onCancellationRequested(() => stopped.abort());
      const key = keyVariable ? process.env[keyVariable] : undefined;
      const answered = await fetch(`${url.replace(/\/$/, "")}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ ...modelOptions, model, messages: messages.map(plain) }),
        signal: stopped.signal,
      });
      if (!answered.ok) throw new Error(`the model answers with status ${answered.status}`);
      const { choices } = await answered.json();
      progress.report(new vscode.LanguageModelTextPart(choices[0].message.content ?? ""));
    },
    provideTokenCount: async (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("benchwright", provider));
}

function plain({ role, content }) {
  const texts = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ""));
  return { role: role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : "user", content: texts.join("") };
}

async function answer({ id, method, params }, tell) {
  try {
    tell({ id, result: await METHODS[method](params) });
  } catch (error) {
    tell({ id, error: String(error).slice(0, 500) });
  }
}

const METHODS = {
  /** Opens a file, without a preview tab. */
  async open({ path }) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    await vscode.window.showTextDocument(document, { preview: false });
  },

  /** Makes the document's text this one, by the smallest edit, with the cursor at an offset. */
  async write({ text, cursor }) {
    const editor = shownEditor();
    const { document } = editor;
    const before = document.getText();
    if (before !== text) {
      const [start, end, inserted] = difference(before, text);
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      await editor.edit((edit) => edit.replace(range, inserted), { undoStopBefore: false, undoStopAfter: false });
      if (document.getText() !== text) throw new Error("the editor changed the text that it was given");
    }
    if (cursor !== undefined) place(editor, cursor);
  },

  /** Runs a command; the time is from its call until it resolves, in milliseconds. */
  async execute({ command, argument }) {
    const start = now();
    const result = await vscode.commands.executeCommand(command, ...(argument === undefined ? [] : [argument]));
    return { start, end: now(), result };
  },

  /** Changes a setting of the user's. */
  async configure({ name, value }) {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  },

  /** Saves all documents, and waits until none has changes that are not on disk. */
  async save() {
    do {
      await vscode.workspace.saveAll(false);
      await new Promise((resolve) => setTimeout(resolve, 200));
    } while (vscode.workspace.textDocuments.some(({ isDirty, uri }) => isDirty && uri.scheme === "file"));
  },

  /** Which chat participants the installed extensions have, by name. */
  participants() {
    const contributed = vscode.extensions.all.flatMap(({ packageJSON }) => packageJSON.contributes?.chatParticipants ?? []);
    return contributed.map(({ name }) => name);
  },

  /** Waits until a model is offered. */
  async model(selector) {
    while ((await vscode.lm.selectChatModels(selector)).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  },

  /** Which file is in front, its text, and where the cursor is. */
  read() {
    const { document, selection } = shownEditor();
    return { path: document.uri.fsPath, text: document.getText(), cursor: document.offsetAt(selection.active) };
  },

  /** Whether an extension is there and, if it starts with the editor, active. */
  async extension({ id }) {
    const extension = vscode.extensions.getExtension(id);
    if (extension === undefined) return { isThere: false };
    await extension.activate();
    return { isThere: true };
  },
};

function shownEditor() {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new Error("no document is in front");
  return editor;
}

function place(editor, offset) {
  const position = editor.document.positionAt(offset);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.AtTop);
}

function difference(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let same = 0;
  const most = Math.min(before.length, after.length) - start;
  while (same < most && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return [start, before.length - same, after.slice(start, after.length - same)];
}

function now() {
  return performance.timeOrigin + performance.now();
}
