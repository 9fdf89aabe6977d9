import { t } from "@vscode/l10n";
import type { Layout } from "../design/waveformLayout.ts";
import { timeText, valueText, type TimeScale } from "../design/waveformText.ts";
import { element } from "./elements.ts";

export type CursorValues = ReadonlyMap<string, string | null>;

/** The values of all signals at both cursors, which a screen reader can walk through. */
export function valueTable({ rows, cursors: [first, second] }: Layout, values: readonly [CursorValues, CursorValues], scale: TimeScale): HTMLElement[] {
  const time = (one: number | null) => (one === null ? t("none") : timeText(one, scale));
  const difference = first !== null && second !== null ? [tableRow(t("Difference"), "", timeText(Math.abs(first - second), scale))] : [];
  const signals = rows.flatMap((row) =>
    row.kind === "signal" ? [tableRow(row.path, ...values.map((one) => valueText(one.get(row.path) ?? null, row.bits, row.radix)))] : [],
  );
  const headings = [t("Signal"), t("First cursor"), t("Second cursor")].map((name) => element("th", { scope: "col" }, name));
  return [element("thead", {}, element("tr", {}, ...headings)), element("tbody", {}, tableRow(t("Time"), time(first), time(second)), ...difference, ...signals)];
}

function tableRow(...texts: string[]): HTMLTableRowElement {
  return element("tr", {}, ...texts.map((text) => element("td", {}, text)));
}
