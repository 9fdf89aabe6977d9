import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules about the frame around a page, which is VS Code's and not ours. */
const OF_THE_FRAME = ["document-title", "html-has-lang", "region", "landmark-one-main", "page-has-heading-one", "bypass"];

/** Roles of what a person operates, and so has to be named. */
const CONTROLS = new Set(
  "button checkbox combobox link listbox menuitem option radio searchbox slider spinbutton switch tab textbox treeitem".split(" "),
);

/** Parts of the window in which we put controls. */
const OURS = ".part.sidebar, .part.panel, .part.statusbar, .part.editor .title, .notifications-toasts";

/** What axe finds wrong with every page of ours that is shown, each as one line. */
export async function faultsOfPages(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const frame of page.frames()) {
    if (!(await showsOurs(frame))) continue;
    // VS Code draws the background behind the frame, where axe does not look.
    await frame.evaluate("document.documentElement.style.background = 'var(--vscode-editor-background)'");
    await frame.evaluate(AXE);
    const found = await frame.evaluate<AxeResults>(
      `axe.run(document, { rules: { ${OF_THE_FRAME.map((rule) => `"${rule}": { enabled: false }`).join()} } })`,
    );
    await frame.evaluate("document.documentElement.style.background = ''");
    for (const { id, help, nodes } of found.violations) {
      faults.push(...nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 160)} ${failureSummary ?? ""}`));
    }
  }
  return faults;
}

/** What axe finds wrong with a page of a service, by all its rules, each as one line. */
export async function faultsOfPage(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>("axe.run(document)");
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`));
}

/** The colours that people ask for. */
export const LOOKS = {
  light: { colorScheme: "light", contrast: "no-preference", forcedColors: "none" },
  dark: { colorScheme: "dark", contrast: "no-preference", forcedColors: "none" },
  contrast: { colorScheme: "light", contrast: "more", forcedColors: "none" },
  "contrast-dark": { colorScheme: "dark", contrast: "more", forcedColors: "none" },
  forced: { colorScheme: "dark", contrast: "more", forcedColors: "active" },
} as const;

export const LOOK_NAMES = Object.keys(LOOKS) as (keyof typeof LOOKS)[];

/** A large screen, a small one, and a telephone, in pixels. */
export const WIDTHS = [1440, 1024, 390] as const;

/** What is wrong with a page of a service in these colours and widths: for axe, and if it has to be scrolled sideways. */
export async function faultsInLooks(page: Page, looks: readonly (keyof typeof LOOKS)[], widths: readonly number[]): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    for (const look of looks) {
      await page.emulateMedia(LOOKS[look]);
      const [inside, path] = await page.evaluate<[number, string]>("[document.documentElement.scrollWidth, location.pathname]");
      const wide = inside > width ? [`${inside} pixels wide`] : [];
      faults.push(...[...wide, ...(await faultsOfPage(page))].map((fault) => `${path}, ${look}, ${width}: ${fault}`));
    }
  }
  return faults;
}

async function showsOurs(frame: Frame): Promise<boolean> {
  // Not a preview of Markdown, whose style sheet may be below a folder of this name: its tables are as wide as they are.
  const ours = `document.querySelector('script[src*="/webview/"]') !== null`;
  return frame.evaluate<boolean>(`innerWidth > 0 && ${ours}`).catch(() => false);
}

/** Controls of the window that a screen reader could not name, as VS Code's accessibility tree has them. */
export async function namelessControls(page: Page): Promise<string[]> {
  const tools = await page.context().newCDPSession(page);
  try {
    const { nodes } = await tools.send("Accessibility.getFullAXTree");
    const nameless: string[] = [];
    for (const { role, name, ignored, backendDOMNodeId } of nodes) {
      const kind = String(role?.value);
      if (ignored || !CONTROLS.has(kind) || String(name?.value ?? "").trim() || !backendDOMNodeId) continue;
      const { object } = await tools.send("DOM.resolveNode", { backendNodeId: backendDOMNodeId });
      const { result } = await tools.send("Runtime.callFunctionOn", {
        objectId: object.objectId!,
        functionDeclaration: `function () { return this.closest?.(${JSON.stringify(OURS)}) ? this.outerHTML.slice(0, 200) : ""; }`,
        returnByValue: true,
      });
      if (result.value) nameless.push(`${kind} without a name: ${String(result.value)}`);
    }
    return nameless;
  } finally {
    await tools.detach();
  }
}

/** The widths in pixels of a column beside two others, of one beside another, and of one on a telephone. */
const COLUMNS = [220, 332, 390];

/** Which pages of ours have to be scrolled sideways, as they are and in narrow columns; nobody should have to. */
export async function wideFrames(page: Page): Promise<string[]> {
  const wide: string[] = [];
  for (const frame of page.frames()) {
    if (!(await showsOurs(frame))) continue;
    const drawn = await frame.frameElement();
    const usual = await drawn.evaluate((element) => (element as HTMLElement).style.width);
    for (const width of [usual, ...COLUMNS.map((column) => `${column}px`)]) {
      await drawn.evaluate((element, width) => ((element as HTMLElement).style.width = width), width);
      const [inside, window, title] = await frame.evaluate<[number, number, string]>(
        `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(
          [document.documentElement.scrollWidth, innerWidth, document.querySelector('h1,h2')?.textContent ?? '']))))`,
      );
      if (inside > window + 1) wide.push(`“${title}” is ${inside} pixels wide in a window of ${window}`);
    }
    await drawn.evaluate((element, width) => ((element as HTMLElement).style.width = width), usual);
  }
  return wide;
}
