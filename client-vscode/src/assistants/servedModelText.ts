/** What people and programs read of served models. */

import { t } from "@vscode/l10n";

/** The name by which a program asks for a model. */
export function servedName({ vendor, id }: { readonly vendor: string; readonly id: string }): string {
  return `${vendor}/${id}`;
}

/** What somebody agrees to: what is sent, to whom, on whose account. */
export function consentText(models: readonly string[]): string {
  return [
    t("Programs on this machine that can read your files will be able to ask: {0}.", models.join(", ")),
    t(
      "What they send, such as problem statements and design files, goes to the provider of the model they ask, in your name, " +
        "counts against your quota, and the provider's terms apply.",
    ),
    t(
      "Only 127.0.0.1 is served, with a token that is in a file that only you can read. " +
        "It ends when you stop it in the status bar, or close the editor.",
    ),
  ].join("\n\n");
}

/** A file for the shell: Inspect's provider `openai-api` finds address and token in these variables. */
export function environmentFile(address: string, token: string): string {
  const variables = Object.entries({ EDITOR_BASE_URL: address, EDITOR_API_KEY: token });
  return variables.map(([name, value]) => `export ${name}='${value}'\n`).join("");
}

/** The commands that evaluate a model; the token is not in them. */
export function commandLines(file: string, model: string): string {
  const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
  const evaluate = ["benchwright", "eval", "--pack", "starter", "--model", `'openai-api/editor/${model}'`];
  return `. ${quoted}\n${evaluate.join(" ")}\n`;
}
