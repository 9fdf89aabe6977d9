// Another extension with a viewer of waveforms, as VaporView and Surfer contribute theirs: it shows the name of the file.
"use strict";

const vscode = require("vscode");

exports.activate = (context) => {
  const provider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: ({ uri }, panel) => {
      panel.webview.html = `<html><body><p id="viewed">${uri.path.split("/").at(-1)} in another viewer</p></body></html>`;
    },
  };
  context.subscriptions.push(vscode.window.registerCustomEditorProvider("tests.waveformViewer", provider));
};
