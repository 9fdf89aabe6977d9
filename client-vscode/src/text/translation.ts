import { config } from "@vscode/l10n";
import * as vscode from "vscode";

// The first import of the extension: constants of other modules are made of translated words.
if (vscode.l10n.bundle) config({ contents: vscode.l10n.bundle });
