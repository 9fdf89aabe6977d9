import * as vscode from "vscode";

/** An icon beside each line at which a test of the person's own failed; the server knows the lines, and follows edits. */
export class FailureIcons implements vscode.Disposable {
  private readonly icon: vscode.TextEditorDecorationType;
  private readonly subscriptions: vscode.Disposable[];

  constructor(extension: vscode.Uri) {
    this.icon = vscode.window.createTextEditorDecorationType({
      gutterIconPath: vscode.Uri.joinPath(extension, "media", "failed.svg"),
      gutterIconSize: "contain",
    });
    this.subscriptions = [
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        const changed = new Set(uris.map(String));
        this.draw(vscode.window.visibleTextEditors.filter(({ document }) => changed.has(document.uri.toString())));
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.draw(editors)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.icon.dispose();
  }

  private draw(editors: readonly vscode.TextEditor[]): void {
    for (const editor of editors) {
      const failures = vscode.languages.getDiagnostics(editor.document.uri).filter(({ source }) => source === "own tests");
      const lines = new Set(failures.map(({ range }) => range.start.line));
      editor.setDecorations(this.icon, [...lines].map((line) => new vscode.Range(line, 0, line, 0)));
    }
  }
}
