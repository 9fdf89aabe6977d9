import type { DoctorItem, DoctorReport } from "./generated/protocol.ts";
import { plain, table } from "./markdown.ts";

/** The doctor's report in Markdown. */
export function doctorPage(report: DoctorReport): string {
  const missing = report.items.filter((item) => item.status !== "ok");
  return [
    "# Benchwright Doctor",
    report.ok
      ? "Problems can be opened, and the hidden tests can run."
      : "Something that Benchwright needs is missing: see the next steps.",
    ...(missing.length > 0 ? ["## Next steps", missing.map(nextStep).join("\n")] : []),
    "## All checks",
    table(
      ["Name", "Status", "Version", "Needed for"],
      report.items.map((item) => [item.name, item.status, item.version ?? "", item.neededFor]),
    ),
    "## Locations",
    report.items.flatMap((item) => (item.path ? [`- ${plain(item.name)}: ${plain(item.path)}`] : [])).join("\n"),
    "",
  ].join("\n\n");
}

/** The report when the server itself, which would write one, did not start. */
export function serverMissingPage(failure: string): string {
  return [
    "# Benchwright Doctor",
    "## The server is not running",
    plain(failure),
    "## Next steps",
    [
      "1. Run *Benchwright: Install Server*: it installs Benchwright for this editor, in a Python environment of its own.",
      "2. Or install it yourself: run `./run` in a checkout of Benchwright, or `uv tool install benchwright`, " +
        "`pipx install benchwright` or `pip install benchwright` in a terminal.",
      "3. If Benchwright is installed but not found, put the full path of its `benchwright` program " +
        "into the setting `benchwright.server.command`.",
      "4. Run *Benchwright: Refresh Problem List* to start the server again.",
      "5. If it still does not start, the output channels *Benchwright* and *Benchwright Installation* show why.",
    ].join("\n"),
    "",
  ].join("\n\n");
}

function nextStep(item: DoctorItem): string {
  const hint = item.hint ? ` ${sentence(item.hint)}` : "";
  return `- **${plain(item.name)}** (${plain(item.status)}): needed for ${plain(item.neededFor)}.${hint}`;
}

/** A hint, which the command line prints as part of a line, as a sentence; what is between backticks is code. */
function sentence(hint: string): string {
  const parts = (hint.charAt(0).toUpperCase() + hint.slice(1)).split("`");
  // An odd number of backticks marks no code.
  const marked = parts.length % 2 === 0 ? [parts.join("`")] : parts;
  const text = marked.map((part, index) => (index % 2 === 0 ? plain(part) : `\`${part}\``)).join("");
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
