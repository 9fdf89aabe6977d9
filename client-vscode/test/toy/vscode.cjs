// As much of the editor's API as a panel needs; what it shows and which commands there are can be looked up.
class Disposable {
  static from(...parts) {
    return new Disposable(() => parts.forEach((part) => part.dispose()));
  }
  constructor(dispose) {
    this.dispose = dispose;
  }
}
const commands = new Map();
const panels = [];
module.exports = {
  Disposable,
  ViewColumn: { One: 1 },
  env: { language: "en" },
  l10n: { bundle: undefined },
  Uri: { joinPath: (base, ...parts) => [base, ...parts].join("/") },
  commands: {
    registered: commands,
    registerCommand: (name, run) => {
      commands.set(name, run);
      return new Disposable(() => commands.delete(name));
    },
  },
  window: {
    panels,
    createWebviewPanel: () => {
      const panel = { posted: [], isDisposed: false, dispose: () => (panel.isDisposed = true) };
      panel.webview = {
        cspSource: "https://panel",
        asWebviewUri: (uri) => `https://panel/${uri}`,
        onDidReceiveMessage: (receive) => (panel.receive = receive),
        postMessage: (message) => Promise.resolve(panel.posted.push(message)),
      };
      panels.push(panel);
      return panel;
    },
  },
};
