// A language model for other extensions that says how many words it was told.
"use strict";

const vscode = require("vscode");

const MODEL = {
  id: "parrot",
  name: "Parrot",
  family: "parrot",
  version: "1",
  maxInputTokens: 1000,
  maxOutputTokens: 1000,
  capabilities: {},
};

exports.activate = (context) => {
  const provider = {
    provideLanguageModelChatInformation: () => [MODEL],
    async provideLanguageModelChatResponse(_model, messages, _options, progress) {
      const words = messages.flatMap(({ content }) => content.flatMap(({ value }) => value.split(" ")));
      progress.report(new vscode.LanguageModelTextPart("words: "));
      progress.report(new vscode.LanguageModelTextPart(String(words.length)));
    },
    provideTokenCount: async (_model, text) => JSON.stringify(text).length,
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("scripted", provider));
};
