/** The editor's side of a webview; VS Code defines it in every webview page. */
declare function acquireVsCodeApi<Message>(): { postMessage(message: Message): void };
