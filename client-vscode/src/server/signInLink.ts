import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { shown } from "../reporting.ts";
import type { Server } from "./server.ts";
import { linkOf } from "./signInLinkText.ts";

/** Signs in by a link of a course's page (`vscode://benchwright.benchwright/sign-in?url=…&code=…`), after asking: any page can have such a link. */
export function registerSignInLinks(server: Server, afterSignIn: () => Promise<unknown>): vscode.Disposable {
  return vscode.window.registerUriHandler({
    async handleUri(uri: vscode.Uri): Promise<void> {
      const link = linkOf(uri.path, uri.query);
      if (!link) {
        void vscode.window.showErrorMessage(t("Benchwright does not know this link. Open it again from your course's page."));
        return;
      }
      const go = t("Sign In");
      const question = t("Sign in at {0}? Go on only if you have just opened this link on your course's page there.", link.url);
      if ((await vscode.window.showInformationMessage(question, { modal: true }, go)) !== go) return;
      const signedInto = await shown(server.request("signIn", { url: link.url, code: link.code, name: "" }));
      if (!signedInto) return;
      await afterSignIn();
      await vscode.commands.executeCommand("workbench.view.extension.benchwright");
      void vscode.window.showInformationMessage(
        t("Signed in as {0}: {1}. The assignments are in the problem list.", signedInto.name, signedInto.courses.join(", ")),
      );
    },
  });
}
