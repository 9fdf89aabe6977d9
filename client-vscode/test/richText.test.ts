import assert from "node:assert/strict";
import { before, test } from "node:test";
import { richText } from "../src/webview/richText.ts";

// The one thing of a browser that is needed: what it was given to parse.
before(() => {
  const createElement = () => {
    return {
      html: "",
      set innerHTML(html: string) {
        this.html = html;
      },
      get content() {
        return this.html;
      },
    };
  };
  Object.assign(globalThis, { document: { createElement } });
});

const asked: string[] = [];
const shown = (markdown: string): string => {
  asked.length = 0;
  const rich = richText((path) => {
    asked.push(path);
    return `https://here/${encodeURI(path)}`;
  });
  return rich.block(markdown) as unknown as string;
};

test("a picture is asked for by its path without escapes", () => {
  assert.match(shown("![a](figures/cache%20line.png)"), /src="https:\/\/here\/figures\/cache%20line\.png"/);
  assert.deepEqual(asked, ["figures/cache line.png"]);
});

for (const address of ["%E0%A4", "figures/%ff.png", "%", "a%zz.png"]) {
  test(`the rest of a statement is shown beside the broken address ${address}`, () => {
    const html = shown(`before\n\n![a](${address})\n\nafter`);
    assert.match(html, /before[^]*<img[^]*after/);
  });
}

for (const address of ["../secret.png", "%2e%2e/secret.png", "/etc/x.png", "https://there/x.png", "a/%2e%2e/x.png"]) {
  test(`no picture is taken from ${address}`, () => {
    assert.match(shown(`![a](${address})`), /src=""/);
    assert.deepEqual(asked, []);
  });
}

test("links lead to files and to the web where they are wanted, and nowhere else", () => {
  const block = (markdown: string): string => richText(() => undefined, true).block(markdown) as unknown as string;
  assert.match(block("[a.sv:3](file:///w/a.sv#L3)"), /<a href="file:\/\/\/w\/a.sv#L3">a.sv:3<\/a>/);
  assert.doesNotMatch(block("[x](command:workbench.action.quit) [y](javascript:alert(1))"), /<a /);
});

test("of a link only its words are shown", () => {
  assert.equal(shown("see [`rtl/a.sv`](rtl/a.sv) and [there](https://there)").trim(), "<p>see <code>rtl/a.sv</code> and there</p>");
});

test("a table is in a box that scrolls", () => {
  assert.match(shown("| a |\n| - |\n| b |\n"), /^<div class="scrolled" tabindex="0"><table>[\s\S]*<\/table><\/div>$/);
});
