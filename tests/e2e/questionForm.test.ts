import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import { faultsOfPages } from "./accessibility.ts";
import { ONLY_NIGHTLY, scenario } from "./scenario.ts";
import { ScriptedJudge } from "./scriptedJudge.ts";

const PROBLEM = `id = "cells"
kind = "question"
difficulty = "easy"  # for the first week

[question]
format = "multiple-choice"
choices = { A = "Flash", B = "SRAM", C = "PROM", D = "EEPROM" }

[answer]
value = "B"  # agreed on
explanation = "SRAM loses its data without power."
`;
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJggg==";

const models: ScriptedJudge[] = [];

after(async () => {
  for (const model of models) await model[Symbol.asyncDispose]();
});

const packOf = (folder: string): string => join(folder, "memories");

async function writePack(folder: string): Promise<void> {
  const pack = packOf(folder);
  await mkdir(join(pack, "cells"), { recursive: true });
  const head = 'name = "memories"\ntitle = "Memories"\nversion = "1"\nlicense = "CC-BY-4.0"\nsource = "us"\norder = ["cells"]\n';
  await writeFile(join(pack, "pack.toml"), head);
  await writeFile(join(pack, "cells", "problem.toml"), PROBLEM);
  await writeFile(join(pack, "cells", "statement.md"), "# Cells\n\nWhich memory is *volatile*?\n");
  await writeFile(join(pack, "cell.png"), Buffer.from(DOT, "base64"));
  models.push(await ScriptedJudge.setUp(folder));
}

scenario(
  "an author writes a question in a form, is told what is wrong while typing, adds a figure, tries it on a model and makes its twin",
  { skip: ONLY_NIGHTLY, before: writePack, opened: packOf },
  async ({ editor, folder }) => {
    const { keyboard } = editor.page;
    const cells = join(packOf(folder), "cells");
    const file = (): Promise<string> => readFile(join(cells, "problem.toml"), "utf8");
    await editor.openFile("problem.toml");
    await editor.command("Benchwright: Write a Question in a Form");
    const view = await editor.webview("form.question-form #statement");
    await editor.sees(view.locator("h1"), "Question cells");
    await editor.picture("question-form");
    assert.deepEqual(await faultsOfPages(editor.page), []);

    // A rule is said at its field before anything is saved.
    await view.locator('[id="choices.D"]').fill("None of the above");
    await editor.sees(view.locator(".form-typed .field-error"), "Option D is about other options. Say what it claims itself.");
    assert.equal(await file(), PROBLEM);
    await editor.picture("question-form-remark");
    assert.deepEqual(await faultsOfPages(editor.page), []);
    await view.locator('[id="choices.D"]').fill("NAND flash");
    await keyboard.press("Tab");
    await editor.sees(view.locator("[role=status]"), "Saved.");
    assert.equal(await file(), PROBLEM.replace("EEPROM", "NAND flash"));

    // A figure is copied, shown, and described.
    await view.locator("#statement").focus();
    await view.getByRole("button", { name: "Add a Figure…" }).click();
    await editor.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await keyboard.press("Control+a");
    await keyboard.type(join(packOf(folder), "cell.png"));
    await editor.page.locator(".quick-input-list .monaco-list-row", { hasText: "cell.png" }).waitFor();
    await keyboard.press("Enter");
    await view.locator(".form-preview img[src*='cell.png']").first().waitFor();
    await view.locator("#statement:focus").waitFor();
    await keyboard.type("a cell of one pixel");
    await keyboard.press("Control+s");
    // The status may still be that of the save before.
    const statement = (): Promise<string> => readFile(join(cells, "statement.md"), "utf8");
    for (let wait = 0; wait < 100 && !(await statement()).includes("one pixel"); wait += 1) await editor.page.waitForTimeout(100);
    assert.match(await statement(), /volatile\*\?\n\n!\[a cell of one pixel\]\(figures\/cell\.png\)\n/);
    assert.deepEqual(await readFile(join(cells, "figures", "cell.png")), Buffer.from(DOT, "base64"));

    // A model gets the question without its key.
    await view.getByRole("button", { name: "Try on Models…" }).click();
    await editor.sees(view.locator("details summary"), "scripted: A, which is wrong");
    await editor.sees(view.locator("[role=status]"), "1 of 1 models is wrong.");
    await editor.picture("question-form-tried");
    assert.deepEqual(await faultsOfPages(editor.page), []);

    await editor.command("Preferences: Toggle between Light/Dark Themes");
    await view.getByRole("button", { name: "Make a Free-Response Twin…" }).click();
    await editor.page.locator(".quick-input-widget input").first().waitFor();
    await keyboard.press("Enter");
    const twin = await editor.webview('h1:has-text("Question cells-free")');
    await editor.sees(twin.locator("h1"), "Question cells-free");
    assert.equal(await twin.locator("#words").inputValue(), "SRAM");
    await editor.picture("question-form-twin-other-theme");
    assert.deepEqual(await faultsOfPages(editor.page), []);
    assert.match(await readFile(join(packOf(folder), "pack.toml"), "utf8"), /"cells", "cells-free"/);

    // Where several options may be right, each letter has a check box; the options begin empty, as a twin has none.
    await twin.locator("#format").selectOption("multiple-response");
    for (const [letter, text] of Object.entries({ A: "Flash", B: "SRAM", C: "PROM", D: "DRAM" })) {
      await twin.locator(`[id="choices.${letter}"]`).fill(text);
    }
    for (const letter of ["D", "B"]) await twin.getByRole("checkbox", { name: letter, exact: true }).check();
    await keyboard.press("Control+s");
    await editor.sees(twin.locator("[role=status]"), "Saved.");
    await editor.picture("question-form-several");
    assert.deepEqual(await faultsOfPages(editor.page), []);
    const free = (): Promise<string> => readFile(join(packOf(folder), "cells-free", "problem.toml"), "utf8");
    for (let wait = 0; wait < 100 && !(await free()).includes('value = "BD"'); wait += 1) await editor.page.waitForTimeout(100);
    assert.match(await free(), /format = "multiple-response"[\s\S]*value = "BD"/);
  },
);
