import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { SignedInto } from "../generated/protocol.ts";
import { shown } from "../reporting.ts";
import type { Server } from "./server.ts";

const TITLE = t("Sign In to a Course");
const BROWSER = t("In the Browser");
const INVITATION = t("With an Invitation");

/** Signs in at a course's service, in the browser or with an invitation; returns its address, or nothing if nobody did. */
export async function signIn(server: Server): Promise<string | undefined> {
  const url = await ask(t("The address of the course's bench service"), "https://bench.example.org");
  if (!url) return undefined;
  const ways = [
    { label: BROWSER, detail: t("If you can sign in on the service's own page") },
    { label: INVITATION, detail: t("With the code that the course's staff sent you") },
  ];
  const way = await vscode.window.showQuickPick(ways, { title: TITLE, ignoreFocusOut: true });
  const joined = way && (way.label === BROWSER ? await byBrowser(server, url) : await byInvitation(server, url));
  if (!joined) return undefined;
  void vscode.window.showInformationMessage(
    t("Signed in as {0}: {1}. The assignments are in the problem list.", joined.name, joined.courses.join(", ")),
  );
  return joined.url;
}

async function byInvitation(server: Server, url: string): Promise<SignedInto | undefined> {
  const code = await ask(t("The invitation that the course's staff sent you"), "", true);
  const name = code && (await ask(t("Your name, as the course's staff know it"), t("Ada Lovelace")));
  return code && name ? shown(server.request("signIn", { url, code, name })) : undefined;
}

async function byBrowser(server: Server, url: string): Promise<SignedInto | undefined> {
  const begun = await shown(server.request("signInByBrowser", { url }));
  if (!begun) return undefined;
  void vscode.env.openExternal(vscode.Uri.parse(begun.address, true));
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: t("Confirm the code {0} in the browser. If no page opened: {1}", begun.code, begun.address),
      cancellable: true,
    },
    (_, cancellation) => {
      const finished = server.request("signInFinish", { url }, cancellation).catch((error: unknown) => {
        if (cancellation.isCancellationRequested) return undefined;
        throw error;
      });
      return shown(finished);
    },
  );
}

async function ask(prompt: string, placeHolder: string, password = false): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({ title: TITLE, prompt, placeHolder, password, ignoreFocusOut: true });
  return typed?.trim() || undefined;
}
