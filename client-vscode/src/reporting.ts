import * as vscode from "vscode";
import { LSPErrorCodes, ResponseError } from "vscode-languageclient/node";

const QUIET: readonly number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled];

/** Waits for `work`; shows its error to the person instead of throwing it. */
export async function shown<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    showError(error);
    return undefined;
  }
}

/** Shows an error to the person, unless it is only that a request was cancelled. */
export function showError(error: unknown): void {
  if (error instanceof ResponseError && QUIET.includes(error.code)) return;
  void vscode.window.showErrorMessage(errorText(error));
}

/** The message of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
