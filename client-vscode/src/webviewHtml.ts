import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/**
 * The page of a webview: a script of ours and a style sheet, nothing else.
 *
 * The policy forbids every other source but pictures from the folders that are named, because
 * problem texts come from files of others.
 *
 * @param pictures Folders whose pictures the page may show.
 */
export function webviewHtml(
  webview: vscode.Webview,
  extension: vscode.Uri,
  name: string,
  title: string,
  pictures: readonly vscode.Uri[] = [],
): string {
  const nonce = randomBytes(16).toString("base64");
  const script = webview.asWebviewUri(vscode.Uri.joinPath(extension, "out", "webview", `${name}.js`)).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(extension, "media", "webview.css")).toString();
  webview.options = {
    enableScripts: true,
    localResourceRoots: [
      vscode.Uri.joinPath(extension, "out", "webview"),
      vscode.Uri.joinPath(extension, "media"),
      ...pictures,
    ],
  };
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src ${webview.cspSource} data:; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<title>${title}</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
