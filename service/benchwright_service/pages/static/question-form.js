"use strict";
// Keeps what is typed into a question's form, shows it as solvers will see it, and changes its format in place.

const PAUSE_MS = 700;
const BUSY = "The service is busy. What you type is kept once it answers.";
const AWAY = "The service can't be reached. What you type is kept once it answers.";
const OVER = "What you type is no longer kept. Load the page again.";

for (const form of document.querySelectorAll("form[data-question]")) {
  const root = form.parentElement;
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const trouble = form.querySelector("[data-trouble]");
  const pictures = [...form.querySelectorAll("input[type=file]")];
  const say = (text) => {
    if (trouble.textContent !== text) trouble.textContent = text;
  };
  let changed = false;
  let timer = 0;
  let sending = null;

  /** The texts of the form; pictures are sent when it is saved. */
  const texts = (act) => {
    const fields = [...new FormData(form)].filter(([name, value]) => name !== "act" && typeof value === "string");
    return new URLSearchParams([...fields, ["act", act]]);
  };
  const showPictures = () => {
    for (const input of pictures) {
      const figure = part("preview").querySelector(`[data-figure="${input.id.replace("figure-", "")}"]`);
      if (!input.files.length || !figure) continue;
      const reader = new FileReader();
      reader.addEventListener("load", () => {
        figure.querySelector("img").src = reader.result;
        figure.hidden = false;
      });
      reader.readAsDataURL(input.files[0]);
    }
  };
  const takeOver = (sent, ...names) => {
    for (const name of names) part(name).replaceChildren(...sent.querySelector(`[data-part="${name}"]`).childNodes);
    showPictures();
  };
  const send = async (act, ...names) => {
    clearTimeout(timer);
    changed = false;
    let tryAgain = true;
    try {
      const reply = await fetch(form.action, { method: "POST", body: texts(act), cache: "no-store" });
      if (reply.ok || reply.status === 422) {
        takeOver(new DOMParser().parseFromString(await reply.text(), "text/html"), ...names);
        tryAgain = false;
        // The form of a new question is found again at an address of its own.
        if (reply.ok && form.action.endsWith("/new")) history.replaceState(null, "", `?form=${form.elements.form.value}`);
        say("");
      } else if (reply.status === 429 || reply.status >= 500) say(BUSY);
      else {
        say(OVER);
        tryAgain = false;
      }
    } catch {
      say(AWAY);
    }
    if (tryAgain) {
      changed = true;
      timer = setTimeout(keep, 10 * PAUSE_MS);
    }
  };
  /** Sends after what is being sent, so that the service has the newest text last. */
  const enqueue = (act, ...names) => (sending = Promise.resolve(sending).then(() => send(act, ...names)));
  const keep = () => enqueue("preview", "preview", "kept");

  form.addEventListener("input", (event) => {
    if (event.target.id === "new-format") return;
    changed = true;
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE_MS);
  });
  form.querySelector("#new-format").addEventListener("change", () => enqueue("format", "by-format", "preview", "kept"));
  form.querySelector("[data-without-script]")?.remove();
  part("kept").hidden = false;

  // A text that is kept after its question was saved would come back as an unfinished one.
  let isSaved = false;
  form.addEventListener("submit", async (event) => {
    clearTimeout(timer);
    changed = false;
    if (isSaved || !sending) return;
    event.preventDefault();
    const { submitter } = event;
    await sending;
    clearTimeout(timer);
    isSaved = true;
    // Not while the event is still on its way: a form can't be sent then.
    setTimeout(() => form.requestSubmit(submitter));
  });
  addEventListener("pagehide", () => {
    if (changed) fetch(form.action, { method: "POST", body: texts("preview"), keepalive: true });
  });
  addEventListener("beforeunload", (event) => {
    if (changed && trouble.textContent) event.preventDefault();
  });
}
