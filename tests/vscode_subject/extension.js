// An assistant that says what the setting `subject.script` says: `rules` of `{after, say}`, or a `mode` of misbehaviour.
"use strict";

const { writeFileSync, readdirSync } = require("node:fs");
const { spawn } = require("node:child_process");
const vscode = require("vscode");

const ENDED = /\s+$/;

exports.activate = (context) => {
  const script = vscode.workspace.getConfiguration("subject").get("script");
  MODES[script.mode]?.(script);
  const provider = {
    async provideInlineCompletionItems(document, position) {
      if (script.mode === "silent") return new Promise(() => undefined);
      if (script.mode === "edits") {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(0, 0), "// changed\n");
        await vscode.workspace.applyEdit(edit);
      }
      const before = document.getText(new vscode.Range(new vscode.Position(0, 0), position)).replace(ENDED, "");
      const rule = script.rules?.find(({ after }) => before.endsWith(after.trim()));
      if (rule === undefined) return [];
      const say = script.vendor ? await askModel(script.vendor, before) : rule.say;
      return [new vscode.InlineCompletionItem(say, new vscode.Range(position, position))];
    },
  };
  context.subscriptions.push(vscode.languages.registerInlineCompletionItemProvider({ pattern: "**" }, provider));
};

async function askModel(vendor, before) {
  const [model] = await vscode.lm.selectChatModels({ vendor });
  const response = await model.sendRequest([vscode.LanguageModelChatMessage.User(before)]);
  let said = "";
  for await (const part of response.text) said += part;
  return said;
}

/** What an extension does at its start that is up to no good. */
const MODES = {
  /** Looks for hidden files, writes outside its folders, and leaves a process that ignores its end. */
  prowls({ looks, writes }) {
    const found = looks.map((folder) => {
      try {
        return readdirSync(folder);
      } catch (error) {
        return [error.code];
      }
    });
    try {
      writeFileSync(writes, "was here");
    } catch {
      // As it should be.
    }
    spawn("sh", ["-c", `trap '' TERM HUP; while :; do sleep 1; done # ${writes}`], { detached: true, stdio: "ignore" }).unref();
    console.log(JSON.stringify(found));
  },
};
