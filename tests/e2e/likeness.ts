import assert from "node:assert/strict";

/**
 * Checks a value against what is expected of it, leaf by leaf: what is there and not expected fails too.
 *
 * Numbers may differ by what rounding does, or by what a Date can't hold; a pattern stands for texts that fit it.
 */
export function assertAlike(seen: unknown, expected: unknown, what: string, within = 1e-6): void {
  if (typeof expected === "number") {
    assert.ok(typeof seen === "number", `${what} is ${JSON.stringify(seen)}, and should be the number ${expected}.`);
    assert.ok(Math.abs(seen - expected) <= within, `${what} is ${seen}, and should be ${expected}.`);
  } else if (expected instanceof RegExp) {
    assert.ok(typeof seen === "string" && expected.test(seen), `${what} is ${JSON.stringify(seen)}: not ${expected}.`);
  } else if (typeof expected === "object" && expected !== null) {
    assert.ok(typeof seen === "object" && seen !== null, `${what} is ${JSON.stringify(seen)}, not a collection.`);
    assert.equal(Array.isArray(seen), Array.isArray(expected), what);
    const keys = Object.keys(expected).sort();
    assert.deepEqual(Object.keys(seen).sort(), keys, `${what} has other parts than were checked.`);
    for (const key of keys) assertAlike(at(seen, key), at(expected, key), `${what}/${key}`, within);
  } else {
    assert.equal(seen, expected, what);
  }
}

function at(collection: object, key: string): unknown {
  return (collection as Record<string, unknown>)[key];
}
