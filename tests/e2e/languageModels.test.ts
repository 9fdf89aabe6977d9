import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listAttempts } from "./commandLine.ts";
import type { Editor } from "./editor.ts";
import { filesHolding } from "./foundFiles.ts";
import { installed, ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { homeOf } from "./session.ts";
import { hiddenLines, starterFile } from "./starter.ts";

interface Ran {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

const PROVIDER = join(ROOT, "tests", "e2e", "languageModel");
const SETTINGS = { "chat.disableAIFeatures": false };
const PROBLEM = "saturating-counter";
const providerIn = (folder: string): string => join(folder, "editor", "extensions", "tests.model-1.0.0");

scenario(
  "language models are served to programs after consent, until it is stopped",
  { before: (folder) => cp(PROVIDER, providerIn(folder), { recursive: true }), settings: SETTINGS },
  async ({ editor }) => {
    const { page } = editor;
    const dialog = page.locator(".monaco-dialog-box");
    await editor.command("Benchwright: Serve This Editor's Language Models…");
    await editor.sees(dialog, "goes to the provider of the model they ask, in your name");
    await editor.sees(dialog, "Parrot (scripted/parrot), Engineer (scripted/engineer)");
    await editor.picture("serve-models-consent");
    await editor.confirm("Cancel");
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await editor.statusBar("servedModels").count(), 0);

    const commands = await served(editor);
    await editor.picture("serve-models-served");
    assert.match(commands, /--model 'openai-api\/editor\/scripted\/parrot'/);

    const file = /^\. '(.+)'$/m.exec(commands)![1]!;
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const [, address, token] = /BASE_URL='(.+)'\n.*API_KEY='(.+)'/.exec(await readFile(file, "utf8"))!;
    assert.ok(!commands.includes(token!));
    const ask = (stream: boolean): Promise<Response> =>
      fetch(`${address}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ model: "scripted/parrot", messages: [{ role: "user", content: "one two three" }], stream }),
      });
    const { choices } = (await (await ask(false)).json()) as { choices: { message: { content: string } }[] };
    assert.equal(choices[0]!.message.content, "words: 3");
    assert.match(await (await ask(true)).text(), /"content":"3".*\n\n.*"finish_reason":"stop".*\n\ndata: \[DONE\]/s);
    await editor.sees(editor.statusBar("servedModels"), "Models served: 2");

    await editor.command("Benchwright: Stop Serving Language Models");
    await editor.statusBar("servedModels").waitFor({ state: "hidden" });
    await assert.rejects(ask(false));
    await assert.rejects(stat(file));
  },
);

scenario(
  "the commands that the editor copies evaluate a model of the editor",
  {
    skip: ONLY_NIGHTLY,
    before: async (folder) => {
      await cp(PROVIDER, providerIn(folder), { recursive: true });
      const reference = starterFile(PROBLEM, "hidden", "reference", "rtl", "sat_counter.sv");
      await writeFile(join(providerIn(folder), "answer.md"), `\`\`\`systemverilog\n${reference}\`\`\`\n`);
    },
    settings: SETTINGS,
  },
  async ({ editor, folder }) => {
    const commands = await served(editor);
    const engineer = commands.replace("scripted/parrot", "scripted/engineer");
    const evaluated = await pasted(folder, engineer, "--problem", PROBLEM, "--json");
    assert.equal(evaluated.status, 0, evaluated.errors);
    const { passed, samples } = JSON.parse(evaluated.output) as { passed: number; samples: number };
    assert.deepEqual({ passed, samples }, { passed: 1, samples: 1 });
    await editor.sees(editor.statusBar("servedModels"), "Models served: 1");

    const [attempt, ...others] = await listAttempts(folder);
    assert.deepEqual(others, []);
    assert.equal(attempt!.problem, `starter/${PROBLEM}`);
    assert.equal(attempt!.verdict, "passed");
    const heard = await readFile(join(providerIn(folder), "heard.jsonl"), "utf8");
    assert.match(heard, /saturating/i);
    for (const line of hiddenLines(PROBLEM)) assert.ok(!heard.includes(line), line);

    const file = /^\. '(.+)'$/m.exec(commands)![1]!;
    const token = /API_KEY='(.+)'/.exec(await readFile(file, "utf8"))![1]!;
    assert.deepEqual(await filesHolding(folder, [token]), [`${file}: ${token}`]);

    const parrot = await pasted(folder, commands, "--problem", PROBLEM, "--json");
    assert.equal((JSON.parse(parrot.output) as { failed: number }).failed, 1);

    const working = await pasted(folder, engineer, "--problem", PROBLEM, "--agent");
    assert.equal(working.status, 1);
    assert.match(working.errors, /served without tools/);
  },
);

/** Serves the editor's models; returns the commands that it copies. */
async function served(editor: Editor): Promise<string> {
  await editor.command("Benchwright: Serve This Editor's Language Models…");
  await editor.confirm("Serve");
  await editor.sees(editor.statusBar("servedModels"), "Models served: 0");
  await editor.page.getByRole("button", { name: "Copy Commands" }).click();
  return copied(() => editor.page.evaluate(() => navigator.clipboard.readText()));
}

/** Pastes commands into a terminal, with more options at their end. */
async function pasted(folder: string, commands: string, ...more: string[]): Promise<Ran> {
  const path = `${dirname(installed().benchwright)}:${process.env.PATH}`;
  const options = { cwd: folder, env: { ...process.env, PATH: path, BENCHWRIGHT_HOME: homeOf(folder) } };
  return new Promise((resolve) => {
    execFile("sh", ["-c", `${commands.trimEnd()} ${more.join(" ")}`], options, (error, output, errors) =>
      resolve({ status: error === null ? 0 : Number(error.code), output, errors }),
    );
  });
}

/** What is on the clipboard once something is. */
async function copied(read: () => Promise<string>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const text = await read();
    if (text.includes("benchwright") || tries >= 100) return text;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
