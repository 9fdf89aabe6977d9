import { config } from "@vscode/l10n";

// The bundler puts it before each page's script: constants of its modules are made of translated words.
const given = document.querySelector("#l10n")?.textContent;
if (given) config({ contents: given });
