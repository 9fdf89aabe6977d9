import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { InactivityTimer } from "../../src/attempts/inactivity.ts";

test("inactivity is reported once it has lasted long enough, and once more when it ends", async () => {
  const reported: [boolean, number][] = [];
  const timer = new InactivityTimer(40, (inactive, seconds) => reported.push([inactive, seconds]));
  for (let times = 0; times < 4; times += 1) {
    await sleep(15);
    timer.activity();
  }
  assert.equal(reported.at(0), undefined);
  for (let waited = 0; waited < 100 && reported.length === 0; waited += 1) await sleep(10);
  timer.activity();
  timer.activity();
  timer.dispose();
  assert.deepEqual(
    reported.map(([inactive]) => inactive),
    [true, false],
  );
  assert.ok(reported[0]![1] >= 0.04);
  assert.ok(reported[1]![1] >= reported[0]![1]);
});
