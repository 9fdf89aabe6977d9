"use strict";
const PLAY_MS = 1500;
const at = (id) => document.getElementById(id);
const parts = [...document.querySelectorAll(".part")];
const [controls, told, kind, all, play, chooser] = ["controls", "told", "kind", "all", "play", "part"].map(at);
let part = parts[0];
let place = -1;
let timer;

/** The steps of the part that are not left out by their kind. */
const steps = () => [...(part?.querySelectorAll("li") ?? [])].filter((item) => !item.hidden).map((item) => item.firstElementChild);

function show() {
  for (const one of parts) one.hidden = one !== part;
  for (const item of part?.querySelectorAll("li") ?? []) item.hidden = kind.value !== "" && !item.classList.contains(kind.value);
  place = -1;
  say();
}

function say() {
  const found = steps();
  at("previous").disabled = place <= 0;
  at("next").disabled = place >= found.length - 1;
  const words = place < 0 ? "" : `: ${found[place].firstElementChild.textContent.replace(/^\d+\s+/, "")}`;
  told.textContent = found.length === 0 ? "No such step." : place < 0 ? (found.length === 1 ? "1 step" : `${found.length} steps`) : `Step ${place + 1} of ${found.length}${words}`;
}

/** Opens a step alone. */
function go(to) {
  const found = steps();
  if (to < 0 || to >= found.length) return;
  openAll(false);
  place = to;
  found[to].open = true;
  found[to].scrollIntoView({ block: "nearest" });
  say();
}

function openAll(isOpen) {
  all.setAttribute("aria-pressed", String(isOpen));
  for (const one of document.querySelectorAll("details.step")) one.open = isOpen;
}

function stop() {
  clearInterval(timer);
  timer = undefined;
  play.textContent = "Play";
}

at("previous").addEventListener("click", () => { stop(); go(place - 1); });
at("next").addEventListener("click", () => { stop(); go(place + 1); });
all.addEventListener("click", () => { stop(); openAll(all.getAttribute("aria-pressed") !== "true"); });
kind.addEventListener("change", () => { stop(); openAll(false); show(); });
chooser?.addEventListener("change", () => { stop(); part = parts[Number(chooser.value)]; openAll(false); show(); });
play.addEventListener("click", () => {
  if (timer !== undefined) return stop();
  if (place >= steps().length - 1) place = -1;
  play.textContent = "Pause";
  go(place + 1);
  timer = setInterval(() => (place < steps().length - 1 ? go(place + 1) : stop()), PLAY_MS);
});
// Whoever opens a step by hand goes on from there.
document.addEventListener("click", (event) => {
  const step = event.target.closest?.("summary")?.parentElement;
  if (!step) return;
  stop();
  place = steps().indexOf(step);
  say();
});
document.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  // In a list of choices or a long line the arrows have their own meaning.
  if (by === undefined || event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("select, pre")) return;
  event.preventDefault();
  stop();
  go(place + by);
});
controls.hidden = false;
show();
