/**
 * Connects a page with the extension, and reports that it is ready for messages.
 *
 * @param receive Called with each message of the extension, never before the page's module has run.
 * @returns Sends a message to the extension.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- they say what a page exchanges
export function connect<ToPage, FromPage>(receive: (message: ToPage) => void): (message: FromPage) => void {
  const editor = acquireVsCodeApi();
  window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => receive(data));
  editor.postMessage({ type: "ready" });
  return (message) => editor.postMessage(message);
}
