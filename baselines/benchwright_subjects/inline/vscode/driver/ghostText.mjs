// Runs in the page: what the editor draws of an offer, and when.

/** Notes from now on when ghost text is first there, at the frame that shows it. */
export function watch() {
  globalThis.benchwright?.observer.disconnect();
  const seen = { at: null };
  const look = () => {
    if (seen.at !== null || !document.querySelector(".ghost-text, .ghost-text-decoration")) return;
    seen.at = -1;
    requestAnimationFrame(() => (seen.at = performance.timeOrigin + performance.now()));
  };
  seen.observer = new MutationObserver(look);
  seen.observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });
  globalThis.benchwright = seen;
}

/** The text that is drawn, waited for, with the time at which it came; null if there is none by then. */
export async function drawn(patienceMs) {
  const until = performance.now() + patienceMs;
  const frame = () => new Promise((resolve) => setTimeout(resolve, 8));
  let text = "";
  for (;;) {
    const inLine = [...document.querySelectorAll(".ghost-text-decoration, .ghost-text-decoration-preview")];
    const below = [...document.querySelectorAll(".suggest-preview-text .view-line, .ghost-text .view-line")];
    const now = [inLine.map((one) => one.textContent).join(""), ...new Set(below)]
      .map((one) => (typeof one === "string" ? one : one.textContent))
      .join("\n")
      .replaceAll("\u00a0", " ");
    if (now.trim() && now === text && globalThis.benchwright.at > 0) return { text, at: globalThis.benchwright.at };
    text = now;
    if (performance.now() > until) return null;
    await frame();
  }
}
