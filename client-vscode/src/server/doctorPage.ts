import { t } from "@vscode/l10n";
import { DISTRIBUTION, type DoctorItem, type DoctorReport } from "../generated/protocol.ts";
import { plain, table } from "../text/markdown.ts";

/** The doctor's report in Markdown. */
export function doctorPage(report: DoctorReport): string {
  const missing = report.items.filter((item) => item.status !== "ok");
  return [
    `# ${t("Benchwright Doctor")}`,
    report.ok
      ? t("Problems can be opened, and the hidden tests can run.")
      : t("Something that Benchwright needs is missing: see the next steps."),
    ...(missing.length > 0 ? [`## ${t("Next steps")}`, missing.map(nextStep).join("\n")] : []),
    `## ${t("All checks")}`,
    table(
      [t("Name"), t("Status"), t("Version"), t("Needed for")],
      report.items.map((item) => [item.name, status(item), item.version ?? "", item.neededFor]),
    ),
    `## ${t("Locations")}`,
    report.items.flatMap((item) => (item.path ? [`- ${plain(item.name)}: ${plain(item.path)}`] : [])).join("\n"),
    "",
  ].join("\n\n");
}

/** The report when the server itself, which would write one, did not start. */
export function serverMissingPage(failure: string): string {
  return [
    `# ${t("Benchwright Doctor")}`,
    `## ${t("The server is not running")}`,
    plain(failure),
    `## ${t("Next steps")}`,
    [
      t("Run *Benchwright: Install Server*: it installs Benchwright for this editor, in a Python environment of its own."),
      t(
        "Or install it yourself: run `./run` in a checkout of Benchwright, or `uv tool install {0}`, " +
          "`pipx install {0}` or `pip install {0}` in a terminal.",
        DISTRIBUTION,
      ),
      t(
        "If Benchwright is installed but not found, put the full path of its `benchwright` program " +
          "into the setting `benchwright.server.command`.",
      ),
      t("Run *Benchwright: Refresh Problem List* to start the server again."),
      t("If it still does not start, the output channels *Benchwright* and *Benchwright Installation* show why."),
    ]
      .map((step, index) => `${index + 1}. ${step}`)
      .join("\n"),
    "",
  ].join("\n\n");
}

function nextStep(item: DoctorItem): string {
  const hint = item.hint ? ` ${sentence(item.hint)}` : "";
  const needed = t("{0} ({1}): needed for {2}.", `**${plain(item.name)}**`, plain(status(item)), plain(item.neededFor));
  return `- ${needed}${hint}`;
}

const STATUSES: Readonly<Record<string, string>> = { ok: t("ok"), missing: t("missing"), warning: t("warning") };

function status(item: DoctorItem): string {
  return STATUSES[item.status] ?? item.status;
}

/** A hint, which the command line prints as part of a line, as a sentence; what is between backticks is code. */
function sentence(hint: string): string {
  const parts = (hint.charAt(0).toUpperCase() + hint.slice(1)).split("`");
  // An odd number of backticks marks no code.
  const marked = parts.length % 2 === 0 ? [parts.join("`")] : parts;
  const text = marked.map((part, index) => (index % 2 === 0 ? plain(part) : `\`${part}\``)).join("");
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
