/** What people and programs read of served models. */

/** The name by which a program asks for a model. */
export function servedName({ vendor, id }: { readonly vendor: string; readonly id: string }): string {
  return `${vendor}/${id}`;
}

/** What somebody agrees to: what is sent, to whom, on whose account. */
export function consentText(models: readonly string[]): string {
  return [
    `Programs on this machine that can read your files will be able to ask: ${models.join(", ")}.`,
    "What they send, such as problem statements and design files, goes to the provider of the model they ask, in your name, counts against your quota, and the provider's terms apply.",
    "Only 127.0.0.1 is served, with a token that is in a file that only you can read. It ends when you stop it in the status bar, or close the editor.",
  ].join("\n\n");
}

/** A file for the shell: Inspect's provider `openai-api` finds address and token in these variables. */
export function environmentFile(address: string, token: string): string {
  return `export EDITOR_BASE_URL='${address}'\nexport EDITOR_API_KEY='${token}'\n`;
}

/** The commands that evaluate a model; the token is not in them. */
export function commandLines(file: string, model: string): string {
  const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
  return `. ${quoted}\nbenchwright eval --pack starter --model 'openai-api/editor/${model}'\n`;
}
