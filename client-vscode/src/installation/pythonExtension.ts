import * as vscode from "vscode";

/** The part of the API of the extension Python (`ms-python.python`) that is used. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(): unknown;
    resolveEnvironment(path: unknown): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

/** The interpreter that is chosen in the extension Python, if that extension is there. */
export async function chosenInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonApi>>("ms-python.python");
  if (!extension) return undefined;
  try {
    const { environments } = extension.isActive ? extension.exports : await extension.activate();
    const chosen = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath());
    return chosen?.executable.uri?.fsPath;
  } catch {
    // An API of others: without it there are still the interpreters on PATH.
    return undefined;
  }
}
