"use strict";
// The problems of a pack: finds them by words, counts those that are ticked, and loads a preview when it is opened.

for (const picker of document.querySelectorAll("[data-picker]")) {
  const choices = [...picker.querySelectorAll(".choices > li")];
  const texts = choices.map((choice) => choice.firstElementChild.textContent.concat(choice.querySelector("small").textContent).toLowerCase());
  const boxes = choices.map((choice) => choice.querySelector("input"));
  const search = picker.querySelector("[type=search]");
  const status = picker.querySelector("[role=status]");
  const say = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    const shown = choices.filter((choice) => !choice.hidden).length;
    status.textContent = `${ticked ? `${ticked} of ${boxes.length} ticked` : `None ticked: all ${boxes.length} are assigned`}${
      shown < choices.length ? `; ${shown} shown` : ""
    }`;
  };
  search.closest("[hidden]").hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    choices.forEach((choice, place) => {
      choice.hidden = !words.every((word) => texts[place].includes(word));
    });
    say();
  });
  // Enter would send the form.
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  picker.addEventListener("change", say);
  say();
}

const load = async (preview) => {
  const link = preview.querySelector("a");
  try {
    const reply = await fetch(link.href, { redirect: "manual" });
    if (!reply.ok) throw new Error(reply.statusText);
    const sent = new DOMParser().parseFromString(await reply.text(), "text/html");
    preview.querySelector("[data-content]").replaceChildren(...sent.querySelector(".statement-page").childNodes);
  } catch {
    preview.querySelector("[data-content]").textContent = "The service can't be reached. Close the preview, and open it again.";
    preview.addEventListener("toggle", () => preview.open && load(preview), { once: true });
  }
};

for (const preview of document.querySelectorAll("details[data-preview]")) {
  preview.addEventListener("toggle", () => load(preview), { once: true });
}
