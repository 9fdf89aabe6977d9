import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** What a page posts first, once it can receive messages. */
export interface Ready {
  readonly type: "ready";
}

/** A page to show in a webview. */
export interface PageOptions {
  /** Folder of the extension. */
  readonly extension: vscode.Uri;
  /** Name of the page's module in `src/webview/pages`. */
  readonly page: string;
  readonly title: string;
  /** Folders whose pictures the page may show. */
  readonly pictures?: readonly vscode.Uri[];
}

/** The extension's side of one page: loads it into a webview and exchanges messages with it. */
export class WebviewHost<ToPage, FromPage> {
  constructor(
    private readonly webview: vscode.Webview,
    options: PageOptions,
    receive: (message: FromPage | Ready) => unknown,
  ) {
    webview.options = { enableScripts: true, localResourceRoots: resources(options) };
    webview.onDidReceiveMessage(receive);
    webview.html = html(webview, options);
  }

  post(message: ToPage): void {
    void this.webview.postMessage(message);
  }
}

function resources({ extension, pictures = [] }: PageOptions): vscode.Uri[] {
  return [vscode.Uri.joinPath(extension, "out", "webview"), vscode.Uri.joinPath(extension, "media"), ...pictures];
}

/**
 * A document with one script and two style sheets of ours: the tokens of the theme, and what uses them.
 *
 * The policy allows no other source but pictures of the named folders, because the content of problems is third-party.
 */
function html(webview: vscode.Webview, { extension, page, title }: PageOptions): string {
  const nonce = randomBytes(16).toString("base64");
  const script = webview.asWebviewUri(vscode.Uri.joinPath(extension, "out", "webview", `${page}.js`)).toString();
  const styles = ["tokens", "webview"].map((name) => webview.asWebviewUri(vscode.Uri.joinPath(extension, "media", `${name}.css`)).toString());
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src ${webview.cspSource} data:; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<title>${title}</title>
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join("\n")}
</head>
<body>
<main></main>
<script type="application/json" id="l10n">${translations()}</script>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

/** The translations of the editor's language as JSON; nothing in it can end the script element around it. */
function translations(): string {
  return vscode.l10n.bundle ? JSON.stringify(vscode.l10n.bundle).replaceAll("<", "\\u003c") : "";
}
