import assert from "node:assert/strict";
import { test } from "node:test";
import { linkOf } from "../../src/server/signInLinkText.ts";

const URL = "https://bench.example.org";

test("a link of a course's page names a service and a code", () => {
  for (const url of [URL, "http://127.0.0.1:8443", `${URL}/courses-here`]) {
    const query = new URLSearchParams({ url, code: "bwl_x-Y_z" }).toString();
    assert.deepEqual(linkOf("/sign-in", query), { url, code: "bwl_x-Y_z" });
  }
});

test("what is no such link signs nobody in", () => {
  const queries = [
    { url: URL, code: "an-invitation" },
    { url: URL, code: "bwl_x y" },
    { url: "file:///etc/passwd", code: "bwl_x" },
    { url: "https://bench.example.org@evil.example", code: "bwl_x" },
    { url: `${URL}?x`, code: "bwl_x" },
    { url: URL },
    {},
  ];
  for (const query of queries) assert.equal(linkOf("/sign-in", new URLSearchParams(query as Record<string, string>).toString()), undefined);
  assert.equal(linkOf("/", `url=${URL}&code=bwl_x`), undefined);
});
