/** Escapes a string so that Markdown shows it verbatim. */
export function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>|#&]/g, "\\$&").replace(/\s+/g, " ");
}

/** A table of plain strings. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => "---"), ...rows.map((row) => row.map(plain))]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}
