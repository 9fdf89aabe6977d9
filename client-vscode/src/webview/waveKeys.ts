import { t } from "@vscode/l10n";
import type { Row } from "../design/waveformLayout.ts";

/** What keys do in the list of signals. */
export interface Actions {
  /** By columns of the window. */
  moveCursor(columns: number): void;
  /** By a share of the window. */
  pan(share: number): void;
  select(by: number): void;
  moveRow(by: number): void;
  toStart(): void;
  toEnd(): void;
  zoom(factor: number): void;
  showAll(): void;
  toChange(forward: boolean): void;
  putSecondCursor(): void;
  putMarker(): void;
  /** To the marker of this number. */
  toMarker(number: number): void;
  findValue(): void;
  turnAnalogue(): void;
  addGroup(): void;
  /** Changes the selected row if it is of this kind. */
  turn(kind: Row["kind"]): void;
  remove(): void;
  showSource(): void;
}

export const HELP = t(
  "Keys in the list of signals: Left and Right move the cursor, with Ctrl they scroll; N and P go to the next and previous change, to the value in the field " +
    "if it has one, which / leads to; + and - zoom, F shows all; B puts the second cursor at the first; M puts a marker there, 1 to 9 go to a marker; " +
    "R changes the radix, A draws numbers as a curve; Alt with Up and Down moves a row; " +
    "Delete removes it; G begins a group, Space closes or opens it; Enter shows the source.",
);

/** Handles the keys that mean something, and leaves the others to the editor. */
export function onKey(actions: Actions): (event: KeyboardEvent) => void {
  return (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.key.startsWith("Arrow");
    const act = isShortcut ? undefined : meaning(key, event, actions);
    if (!act) return;
    event.preventDefault();
    act();
  };
}

function meaning(key: string, { ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent, actions: Actions): (() => void) | undefined {
  const way = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight":
      return () => (ctrlKey || metaKey ? actions.pan(way * 0.25) : actions.moveCursor(way * (shiftKey ? 10 : 1)));
    case "ArrowUp":
    case "ArrowDown":
      return () => (altKey ? actions.moveRow(way) : actions.select(way));
    case "Home":
      return () => actions.toStart();
    case "End":
      return () => actions.toEnd();
    case "+":
    case "=":
      return () => actions.zoom(0.5);
    case "-":
      return () => actions.zoom(2);
    case "f":
      return () => actions.showAll();
    case "n":
    case "p":
      return () => actions.toChange(key === "n");
    case "b":
      return () => actions.putSecondCursor();
    case "m":
      return () => actions.putMarker();
    case "/":
      return () => actions.findValue();
    case "a":
      return () => actions.turnAnalogue();
    case "g":
      return () => actions.addGroup();
    case "r":
      return () => actions.turn("signal");
    case " ":
      return () => actions.turn("group");
    case "Delete":
    case "Backspace":
      return () => actions.remove();
    case "Enter":
      return () => actions.showSource();
    default:
      return /^[1-9]$/.test(key) ? () => actions.toMarker(Number(key)) : undefined;
  }
}
