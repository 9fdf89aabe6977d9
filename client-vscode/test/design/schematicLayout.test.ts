import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Layout } from "../../src/design/schematicLayout.ts";

const WORKER = fileURLToPath(new URL("../../src/design/layoutWorker.ts", import.meta.url));
const box = (id: string) => ({ id, width: 10, height: 10 });
const graph = (...names: string[]) => ({ id: "all", children: names.map(box), edges: [] });

test("one thread lays out one drawing after another, also after one that it can't lay out", { timeout: 60_000 }, async () => {
  const script = join(mkdtempSync(join(tmpdir(), "benchwright-layout-")), "layoutWorker.cjs");
  await build({ entryPoints: [WORKER], bundle: true, platform: "node", format: "cjs", outfile: script });
  const layout = new Layout(script);
  try {
    const found = await Promise.all([layout.laidOut(graph("a")), layout.laidOut(graph("b", "c"))]);
    assert.deepEqual(found.map(({ children }) => children?.length), [1, 2]);
    const broken = { ...graph("d"), edges: [{ id: "e", sources: ["d"], targets: ["nowhere"] }] };
    await assert.rejects(layout.laidOut(broken));
    assert.equal((await layout.laidOut(graph("f"))).children?.length, 1);
  } finally {
    layout.dispose();
  }
});
