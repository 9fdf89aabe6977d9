// A chat participant that asks the model of the request, and does what it answers in JSON: looks at files, writes files,
// hangs, or fills the chat, its output channel or its folder for ever.
"use strict";

const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");
const vscode = require("vscode");

exports.activate = (context) => {
  context.subscriptions.push(vscode.chat.createChatParticipant("tests.scripted", work));
};

async function work({ prompt, model }, _context, stream, token) {
  let said = prompt;
  for (;;) {
    const { looks = [], writes = {}, hangs, floods, done } = JSON.parse(await answered(model, said, token));
    if (hangs) await new Promise(() => undefined);
    if (floods) await flood(floods, stream);
    if (done) return void stream.markdown(done);
    const attempts = looks.map((file) => () => readFileSync(file, "utf8"));
    attempts.push(...Object.entries(writes).map(([file, text]) => () => write(file, text)));
    said = JSON.stringify(attempts.map(outcome));
  }
}

async function flood(where, stream) {
  const channel = vscode.window.createOutputChannel("flood");
  const text = "x".repeat(1_000_000);
  for (let number = 0; ; number += 1) {
    if (where === "chat") stream.markdown(text);
    if (where === "output") channel.append(text);
    if (where === "folder") appendFileSync(`/code/flood${number % 100}`, text);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function answered(model, said, token) {
  const response = await model.sendRequest([vscode.LanguageModelChatMessage.User(said)], {}, token);
  let text = "";
  for await (const part of response.text) text += part;
  return text;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return "written";
}

function outcome(attempt) {
  try {
    return String(attempt());
  } catch (error) {
    return error.code;
  }
}
