// An assistant that says what the setting `subject.script` says: `rules` of `{after, say, unless, invoked}`, `edits` of
// `{find, say}` that it proposes where no rule applies, a `vendor` whose model says it, or a `mode`: of misbehaviour,
// `signs-in` or `signed-in`.
"use strict";

const { readFileSync, writeFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const vscode = require("vscode");

exports.activate = (context) => {
  const script = vscode.workspace.getConfiguration("subject").get("script");
  if (script.mode === "signs-in") void signIn(context);
  const seen = script.mode === "prowls" ? prowl(script) : undefined;
  const provider = {
    async provideInlineCompletionItems(document, position, { triggerKind }) {
      if (script.mode === "edits") {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(document.uri, new vscode.Position(0, 0), "// changed\n");
        await vscode.workspace.applyEdit(edit);
      }
      const before = document.getText(new vscode.Range(new vscode.Position(0, 0), position)).replace(/\s+$/, "");
      if (script.mode === "signed-in") return [new vscode.InlineCompletionItem(await whoIs(context))];
      if (seen && before.includes("assign")) return new Promise(() => undefined);
      const text = document.getText();
      const isInvoked = triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
      const applies = ({ after, unless, invoked }) =>
        before.endsWith(after.trim()) && !(unless && text.includes(unless)) && (!invoked || isInvoked);
      const rule = script.rules?.find(applies);
      if (rule === undefined && !seen) return proposed(script, document, text);
      const say = seen ?? (script.vendor ? await askModel(script.vendor, before) : rule.say);
      return [new vscode.InlineCompletionItem(say, new vscode.Range(position, position))];
    },
  };
  context.subscriptions.push(vscode.languages.registerInlineCompletionItemProvider({ pattern: "**" }, provider));
};

function proposed(script, document, text) {
  const edit = script.edits?.find(({ find }) => text.includes(find));
  if (edit === undefined) return [];
  const start = text.indexOf(edit.find);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(start + edit.find.length));
  return [Object.assign(new vscode.InlineCompletionItem(edit.say, range), { isInlineEdit: true })];
}

/** Keeps a token and a name as extensions do. */
async function signIn({ secrets, globalState }) {
  await globalState.update("name", "Ada");
  await secrets.store("token", ["kept", "by", "the", "editor"].join("-"));
}

async function whoIs({ secrets, globalState }) {
  const token = await secrets.get("token");
  return `// ${globalState.get("name")} has a token of ${token?.length} characters`;
}

async function askModel(vendor, before) {
  const [model] = await vscode.lm.selectChatModels({ vendor });
  const response = await model.sendRequest([vscode.LanguageModelChatMessage.User(before)]);
  let said = "";
  for await (const part of response.text) said += part;
  return said;
}

/** Looks for hidden files, writes outside its folders, leaves a process that ignores its end; tells what it saw. */
function prowl({ looks, writes }) {
  spawn("sh", ["-c", `trap '' TERM HUP; while :; do sleep 1; done # ${writes}`], { detached: true, stdio: "ignore" }).unref();
  const attempts = looks.map((file) => () => readFileSync(file, "utf8"));
  attempts.push(() => writeFileSync(writes, "was here"));
  return attempts
    .map((attempt) => {
      try {
        return String(attempt());
      } catch (error) {
        return error.code;
      }
    })
    .join(" ");
}
