// Language models for other extensions: a parrot says how many words it was told; an engineer says what is in
// `answer.md` beside this file, and keeps what it was told in `heard.jsonl`.
"use strict";

const { appendFileSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const information = (id, name) => ({
  id,
  name,
  family: id,
  version: "1",
  maxInputTokens: 1000,
  maxOutputTokens: 1000,
  capabilities: {},
});

const REPLIES = {
  parrot: (texts) => ["words: ", String(texts.flatMap((text) => text.split(" ")).length)],
  engineer(texts) {
    appendFileSync(join(__dirname, "heard.jsonl"), `${JSON.stringify(texts)}\n`);
    return [readFileSync(join(__dirname, "answer.md"), "utf8")];
  },
};

exports.activate = (context) => {
  const provider = {
    provideLanguageModelChatInformation: () => [information("parrot", "Parrot"), information("engineer", "Engineer")],
    async provideLanguageModelChatResponse({ id }, messages, _options, progress) {
      const texts = messages.flatMap(({ content }) => content.map(({ value }) => value));
      for (const piece of REPLIES[id](texts)) progress.report(new vscode.LanguageModelTextPart(piece));
    },
    provideTokenCount: async (_model, text) => JSON.stringify(text).length,
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("scripted", provider));
};
