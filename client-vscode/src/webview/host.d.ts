/** The editor's side of a webview; VS Code defines it in every webview page. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- says what a page may send
declare function acquireVsCodeApi<Message>(): { postMessage(message: Message): void };
