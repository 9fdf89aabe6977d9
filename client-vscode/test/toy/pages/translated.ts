import { t } from "@vscode/l10n";
import { main } from "../../../src/webview/elements.ts";

// Made before anything is asked: the translations are there first.
const THANKS = t("Thank you");

main().append(THANKS);
main().append(t("Hello, {0}", "Ada"));
