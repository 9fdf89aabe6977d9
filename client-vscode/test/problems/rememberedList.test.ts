import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { PackSummary } from "../../src/generated/protocol.ts";
import { RememberedList } from "../../src/problems/rememberedList.ts";

const PACKS = [{ name: "starter", title: "Starter pack", problems: [] }] as unknown as PackSummary[];

test("a list is kept for the next start, and for the same home only", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "benchwright-list-")), "storage", "problems.json");
  await new RememberedList(file, "/home/a").write(PACKS);
  assert.deepEqual(await new RememberedList(file, "/home/a").read(), PACKS);
  assert.equal(await new RememberedList(file, "/home/b").read(), undefined);
});

test("there is no list before the first, after an empty one, and in a file that is cut off", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "benchwright-list-")), "problems.json");
  const list = new RememberedList(file, "");
  assert.equal(await list.read(), undefined);
  await list.write([]);
  assert.equal(await list.read(), undefined);
  await list.write(PACKS);
  writeFileSync(file, '{"home": "", "packs": [{');
  assert.equal(await list.read(), undefined);
});
