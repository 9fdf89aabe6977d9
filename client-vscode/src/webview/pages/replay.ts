import { t } from "@vscode/l10n";
import { clockTime } from "../../text/duration.ts";
import type { ReplayMark, ReplayedFiles, ReplayView } from "../../generated/protocol.ts";
import { changedPart, markText, spokenMark, stopAt, stops, stretches, type Stretch } from "../../attempts/replayText.ts";
import { connect } from "../connection.ts";
import { button, element, keepFocus, linkButton, main } from "../elements.ts";

export type ToReplay =
  | { readonly type: "replay"; readonly view: ReplayView }
  | { readonly type: "files"; readonly files: ReplayedFiles }
  /** That a newer run is not on the timeline; empty if it is. */
  | { readonly type: "note"; readonly text: string }
  | { readonly type: "failed"; readonly reason: string };

export interface FromReplay {
  readonly type: "at";
  readonly seq: number;
}

const SPEEDS = ["1", "4", "16", "64"];
const FRAME_MS = 100;

const send = connect<ToReplay, FromReplay>(receive);

const title = element("h1", { tabindex: "-1" });
const note = element("p", { role: "status", class: "policy" });
const where = element("p", { class: "moment" });
const track = element("div", { class: "track", "aria-hidden": "true" });
const slider = element("input", { type: "range", min: "0", step: "any", "aria-label": t("Moment of the attempt") });
const play = button(t("Play"), () => toggle());
const speed = element("select", { id: "speed" }, ...SPEEDS.map((one) => element("option", { value: one }, `${one} ×`)));
const steps = element(
  "div",
  { class: "actions" },
  play,
  button(t("Step Back"), () => stepBy(-1)),
  button(t("Step Forward"), () => stepBy(1)),
  element("label", { for: "speed" }, `${t("Speed")} `, speed),
);
const files = element("select", { id: "file" });
const chooser = element("p", {}, element("label", { for: "file" }, `${t("File")} `, files));
const text = element("pre", { tabindex: "0", class: "code", "aria-label": t("Text of the file at this moment") });
const list = element("details");
const failure = element("p", { role: "status", "aria-live": "polite", class: "headline error" });
main().append(title, note, where, track, slider, steps, chooser, text, list, failure);
speed.value = "16";
list.open = true;

let marks: ReplayMark[] = [];
let durationS = 0;
let place = 0;
let playing: ReturnType<typeof setInterval> | undefined;
let asked: number | undefined;
let wanted: number | undefined;
let newest: ReplayedFiles | undefined;
let before: ReplayedFiles | undefined;
/** Index of the edit whose file was selected last. */
let followed = -1;

slider.addEventListener("input", () => {
  pause();
  goTo(stopAt(marks, Number(slider.value)), Number(slider.value));
});
// The arrow keys go from event to event: a step in seconds would miss some events.
slider.addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -20, PageUp: 20 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  stepBy(by);
});
files.addEventListener("change", () => showText());
keepFocus(() => slider);

function receive(message: ToReplay): void {
  switch (message.type) {
    case "replay":
      begin(message.view);
      break;
    case "files":
      asked = undefined;
      before = newest;
      newest = message.files;
      showText();
      if (wanted !== undefined) ask(wanted);
      break;
    case "note":
      note.textContent = message.text;
      break;
    case "failed":
      asked = undefined;
      failure.textContent = message.reason;
      break;
  }
}

function begin(view: ReplayView): void {
  marks = stops(view);
  durationS = Math.max(view.durationS, 0.001);
  title.textContent = t("Replay of {0}", view.problem);
  slider.max = String(durationS);
  files.replaceChildren(...view.paths.map((path) => element("option", { value: path }, path)));
  files.value = marks.find(isEdit)?.path ?? view.paths[0] ?? "";
  const parts = stretches(view);
  track.replaceChildren(...parts.map(bar));
  list.replaceChildren(element("summary", {}, t("Runs and pauses")), ...listOf(parts));
  chooser.hidden = text.hidden = !view.complete;
  failure.textContent = view.complete ? "" : t("This study recorded no text, so only times can be shown.");
  goTo(0, 0);
  slider.focus();
}

function bar(part: Stretch): HTMLElement {
  const made = element("span", { class: `bar ${part.kind} ${part.outcome}`, title: part.text });
  // The policy of the page forbids style attributes in markup, not in script.
  made.style.left = `${(100 * part.fromS) / durationS}%`;
  made.style.width = `${(100 * Math.max(0, part.toS - part.fromS)) / durationS}%`;
  return made;
}

function listOf(parts: readonly Stretch[]): Node[] {
  if (parts.length === 0) return [element("p", {}, t("There were no runs and no pauses."))];
  const items = parts.map((part) => {
    const jump = linkButton(part.text, () => {
      pause();
      goTo(stopAt(marks, part.fromS), part.fromS);
    });
    return element("li", { class: part.kind }, jump);
  });
  return [element("ul", { class: "stretches" }, ...items)];
}

function stepBy(count: number): void {
  pause();
  const next = Math.min(Math.max(place + count, 0), marks.length - 1);
  goTo(next, marks[next]?.atS ?? 0);
}

function goTo(stop: number, atS: number): void {
  place = stop;
  const mark = marks[stop];
  if (!mark) return;
  slider.value = String(atS);
  slider.setAttribute("aria-valuetext", spokenMark(mark));
  const time = t("{0} of {1}", clockTime(atS), clockTime(durationS));
  where.textContent = `${time} · ${t("event {0} of {1}", stop + 1, marks.length)} · ${markText(mark)}`;
  ask(mark.seq);
}

function ask(seq: number): void {
  if (text.hidden || newest?.seq === seq) return;
  // One request at a time; requests that were superseded in the meantime are never sent.
  wanted = asked === undefined ? undefined : seq;
  if (asked !== undefined) return;
  asked = seq;
  send({ type: "at", seq });
}

function showText(): void {
  // Reaching another edit selects its file; otherwise the viewer's choice stays.
  const edit = marks.findLastIndex((mark, stop) => stop <= place && isEdit(mark));
  if (edit !== followed) files.value = marks[edit]?.path ?? files.value;
  followed = edit;
  const textIn = (at: ReplayedFiles | undefined): string | undefined =>
    at?.files.find(({ path }) => path === files.value)?.text ?? undefined;
  const shown = textIn(newest);
  const now = shown ?? "";
  const [from, to] = changedPart(textIn(before) ?? now, now);
  const changed = element("mark", {}, now.slice(from, to));
  text.replaceChildren(now.slice(0, from), ...(to > from ? [changed] : []), now.slice(to));
  if (shown === undefined) text.textContent = t("This file does not exist at this moment.");
  else if (to > from) changed.scrollIntoView({ block: "nearest" });
}

function isEdit(mark: ReplayMark): boolean {
  return mark.kind === "edit" && mark.path != null;
}

function toggle(): void {
  if (playing !== undefined) {
    pause();
    return;
  }
  let atS = place >= marks.length - 1 ? 0 : Number(slider.value);
  play.textContent = t("Pause");
  playing = setInterval(() => {
    atS = Math.min(durationS, atS + (Number(speed.value) * FRAME_MS) / 1000);
    goTo(stopAt(marks, atS), atS);
    if (atS >= durationS) pause();
  }, FRAME_MS);
}

function pause(): void {
  clearInterval(playing);
  playing = undefined;
  play.textContent = t("Play");
}
