"use strict";
// Refreshes the parts of a page that its service sends again, without moving focus or place.

const MILLISECONDS = 1000;

/** Takes over what has changed; a screen reader says what changes in a status, and nothing else. */
const takeOver = (root, text) => {
  const sent = new DOMParser().parseFromString(text, "text/html");
  for (const part of sent.querySelectorAll("[data-part]")) {
    const here = root.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    if (here && here.innerHTML !== part.innerHTML) here.replaceChildren(...part.childNodes);
  }
  // Only the whole page has what comes next.
  if (sent.querySelector("[data-over]")) location.reload();
};

for (const root of document.querySelectorAll("[data-live]")) {
  const trouble = root.querySelector("[data-trouble]");
  const choice = root.querySelector("[data-refreshes]");
  const say = (text) => {
    if (trouble.textContent !== text) trouble.textContent = text;
  };
  const refresh = async () => {
    try {
      const reply = await fetch(root.dataset.live, { redirect: "manual", cache: "no-store" });
      if (reply.ok) {
        takeOver(root, await reply.text());
        return say("");
      }
      if (reply.status === 429 || reply.status >= 500) return say("The service is busy. The page tries again.");
      say("The page is no longer refreshed. Load it again.");
      clearInterval(timer);
    } catch {
      say("The service can't be reached. The page tries again.");
    }
  };
  const timer = setInterval(() => {
    if (!document.hidden && (choice?.checked ?? true)) refresh();
  }, Number(root.dataset.every) * MILLISECONDS);
  if (choice) choice.closest("[hidden]").hidden = false;
}
