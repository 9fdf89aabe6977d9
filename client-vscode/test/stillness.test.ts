import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Stillness } from "../src/stillness.ts";

test("stillness is told once it lasted long enough, and once more when it ends", async () => {
  const told: [boolean, number][] = [];
  const stillness = new Stillness(40, (still, seconds) => told.push([still, seconds]));
  for (let stirred = 0; stirred < 4; stirred += 1) {
    await sleep(15);
    stillness.stir();
  }
  assert.equal(told.at(0), undefined);
  for (let waited = 0; waited < 100 && told.length === 0; waited += 1) await sleep(10);
  stillness.stir();
  stillness.stir();
  stillness.dispose();
  assert.deepEqual(
    told.map(([still]) => still),
    [true, false],
  );
  assert.ok(told[0]![1] >= 0.04);
  assert.ok(told[1]![1] >= told[0]![1]);
});
