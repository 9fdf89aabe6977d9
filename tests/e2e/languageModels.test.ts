import assert from "node:assert/strict";
import { cp, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./installation.ts";
import { scenario } from "./scenario.ts";

const PROVIDER = join(ROOT, "tests", "e2e", "languageModel");

scenario(
  "language models are served to programs after consent, until it is stopped",
  {
    before: (folder) => cp(PROVIDER, join(folder, "editor", "extensions", "tests.model-1.0.0"), { recursive: true }),
    settings: { "chat.disableAIFeatures": false },
  },
  async ({ editor }) => {
    const { page } = editor;
    const dialog = page.locator(".monaco-dialog-box");
    await editor.command("Benchwright: Serve This Editor's Language Models…");
    await editor.sees(dialog, "goes to the provider of the model they ask, in your name");
    await editor.sees(dialog, "Parrot (scripted/parrot)");
    await editor.picture("serve-models-consent");
    await editor.confirm("Cancel");
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await editor.statusBar("servedModels").count(), 0);

    await editor.command("Benchwright: Serve This Editor's Language Models…");
    await editor.confirm("Serve");
    await editor.sees(editor.statusBar("servedModels"), "Models served: 0");
    await editor.picture("serve-models-served");
    await page.getByRole("button", { name: "Copy Commands" }).click();
    const commands = await copied(() => page.evaluate(() => navigator.clipboard.readText()));
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

/** What is on the clipboard once something is. */
async function copied(read: () => Promise<string>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const text = await read();
    if (text.includes("benchwright") || tries >= 100) return text;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
