import { t } from "@vscode/l10n";
import type { Layout, Marker } from "../design/waveformLayout.ts";
import { timeText, type TimeScale } from "../design/waveformText.ts";
import { element, emptyState, iconButton, linkButton } from "./elements.ts";
import { row, table } from "./table.ts";

interface MarkerActions {
  show(time: number): void;
  change(markers: readonly Marker[]): void;
}

/** The markers, to go to, to name and to remove, with the time between them and to the cursor. */
export function markerTable({ markers, cursors: [cursor] }: Layout, scale: TimeScale, actions: MarkerActions): HTMLElement {
  if (markers.length === 0) return emptyState(t("M, or Alt with a click, puts a marker at the cursor, so that you find the time again."));
  const rows = markers.map((marker, number) => {
    const { name, time } = marker;
    const field = element("input", { type: "text", size: "8", value: name, "aria-label": t("Name of the marker at {0}", timeText(time, scale)) });
    field.addEventListener("change", () => actions.change(markers.map((one) => (one === marker ? { name: field.value.trim() || name, time } : one))));
    const difference = (from: number | null | undefined) => (from == null ? "–" : timeText(time - from, scale));
    return row(
      field,
      linkButton(timeText(time, scale), () => actions.show(time)),
      difference(cursor),
      difference(markers[number - 1]?.time),
      iconButton("remove", t("Remove marker {0}", name), () => actions.change(markers.filter((one) => one !== marker))),
    );
  });
  return table([t("Marker"), t("Time"), t("From the cursor"), t("From the one before"), t("Actions")], rows);
}
