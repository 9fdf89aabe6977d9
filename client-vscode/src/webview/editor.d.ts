/** The extension's side of a webview; VS Code defines it in every webview page. */
declare function acquireVsCodeApi(): { postMessage(message: unknown): void };
