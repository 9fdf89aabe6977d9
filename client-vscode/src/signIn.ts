import * as vscode from "vscode";
import { shown } from "./reporting.ts";
import type { Server } from "./server.ts";

const TITLE = "Sign In to a Course";

/** Asks for an invitation and joins its course; says whether it did. */
export async function signIn(server: Server): Promise<boolean> {
  const url = await ask("The address of the course's bench service", "https://bench.example.org");
  const code = url && (await ask("The invitation that the course's staff sent you", "", true));
  const name = code && (await ask("Your name, as the course's staff know it", "Ada Lovelace"));
  if (!url || !code || !name) return false;
  const joined = await shown(server.request("signIn", { url, code, name }));
  if (!joined) return false;
  void vscode.window.showInformationMessage(
    `Signed in as ${joined.name}: ${joined.courses.join(", ")}. The assignments are in the problem list.`,
  );
  return true;
}

async function ask(prompt: string, placeHolder: string, password = false): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({ title: TITLE, prompt, placeHolder, password, ignoreFocusOut: true });
  return typed?.trim() || undefined;
}
