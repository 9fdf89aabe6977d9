import * as vscode from "vscode";
import { LSPErrorCodes, ResponseError } from "vscode-languageclient/node";

const QUIET: readonly number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled];

/** Waits for `work`; shows its error to the person instead of throwing it. */
export async function shown<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ResponseError && QUIET.includes(error.code))) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  }
}
