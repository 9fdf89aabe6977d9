import { t } from "@vscode/l10n";

/** An installation that failed, with the next step in its message. */
export class InstallationError extends Error {}

/** What failed. */
export type Step = "environment" | "packages" | "check";

const NETWORK = /name resolution|name or service not known|connection|timed out|max retries|certificate|proxy|dns error/i;
const NOT_OFFERED = /no matching distribution|could not find a version|no solution found|not found in the package registry/i;
const MISSING = /no matching distribution found for (\S+)/i;
const NO_SPACE = /no space left|disk quota/i;
const NOT_PERMITTED = /permission denied|access is denied/i;

/** What went wrong and what to do, in one or two sentences, from a step and what its program printed. */
export function explain(step: Step, output: string, wanted: string): string {
  if (NO_SPACE.test(output)) return t("The disk is full. Free about 500 MB and try again.");
  if (NOT_OFFERED.test(output) && !NETWORK.test(output)) {
    // pip names the dependency that is missing, if it is one.
    const missing = MISSING.exec(output)?.[1] ?? wanted;
    return t(
      "The package index does not offer {0}, or not for this Python. " +
        "Name another source in the setting benchwright.install.source, or update the extension.",
      missing,
    );
  }
  if (step === "packages" && NETWORK.test(output)) {
    return t(
      "The package index can't be reached. Check the network, and the proxy, mirror and certificate in the settings " +
        "of pip or uv, then try again.",
    );
  }
  if (NOT_PERMITTED.test(output)) return t("A file can't be written. Check the permissions that the log names.");
  return STEPS[step];
}

const STEPS: Readonly<Record<Step, string>> = {
  environment: t("The environment could not be created. The log shows why."),
  packages: t("The packages could not be installed. The log shows why."),
  check: t("Benchwright was installed but does not start. The log shows why."),
};
