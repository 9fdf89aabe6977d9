import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseLanguage, offerLanguages } from "./displayLanguage.ts";
import { ROOT } from "./installation.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { starterFile } from "./starter.ts";

const LANGUAGES = ["de", "fr", "zh-cn"];
const TITLE = "Saturating up/down counter";
const FILE = "rtl/sat_counter.sv";

const start = {
  settings: { "benchwright.showAtStart": true },
  before: async (folder: string): Promise<void> => {
    await offerLanguages(folder, LANGUAGES);
    await chooseLanguage(folder, "de");
  },
};

scenario("the list, commands, the clock and a failed run are in the display language", { ...start, skip: ONLY_NIGHTLY }, async ({ editor, folder }) => {
  for (const [before, language] of LANGUAGES.entries()) {
    const title = words(`package.nls.${language}.json`);
    const said = words(`l10n/bundle.l10n.${language}.json`);
    if (before === 0) {
      await editor.openProblem(TITLE);
      await editor.file(FILE).waitFor();
      await editor.webview("h1#saturating-updown-counter");
      await editor.command(`Benchwright: ${title("command.start")}`);
      await editor.sees(editor.statusBar("clock"), /\d\d:\d\d/);
      await editor.pasteOver(FILE, starterFile("saturating-counter", "hidden", "wrong", "wraps", FILE));
      await editor.save();
    } else {
      await chooseLanguage(folder, language);
      await editor.page.reload();
      await editor.untilReady();
      await editor.hears(editor.statusBar("clock"), new RegExp(said("Benchwright clock")));
    }
    await editor.command(`Benchwright: ${title("command.showResults")}`);
    const results = (await editor.webview(".tests .failed")).locator("main");
    await editor.sees(results, said("Failed hidden tests"));
    const shown = await results.innerText();
    for (const text of ["Failed hidden tests", "Tests passed", "Run time", "Expected"]) {
      assert.ok(shown.includes(said(text)), `${language}: ${shown}`);
      assert.ok(!shown.includes(text), `${language}: ${shown}`);
    }
    await editor.sees(editor.page.locator(".pane-header"), new RegExp(title("view.problems"), "i"));
    await editor.hears(editor.problem(TITLE), new RegExp(`, ${said("easy")}, ${said("design")}, `));
    await editor.picture(`display-language-${language}`);
  }
});

function words(path: string): (key: string) => string {
  const all = JSON.parse(readFileSync(join(ROOT, "client-vscode", path), "utf8")) as Readonly<Record<string, string>>;
  return (key) => all[key] ?? assert.fail(`${path} has no ${key}`);
}
