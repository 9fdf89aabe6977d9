import { t } from "@vscode/l10n";
import type { ProblemProof } from "../generated/protocol.ts";
import { FORMATS } from "./questionFormats.ts";

/** What a new problem can begin as; the server's names of them. */
export const PROBLEM_FORMS = [
  { form: "cocotb", label: t("Design Problem with cocotb Tests"), description: "cocotb" },
  { form: "testbench", label: t("Design Problem with a Testbench in SystemVerilog"), description: "testbench" },
  ...FORMATS.map(([form, label]) => ({ form, label, description: form })),
];

/** Why a name can't be that of a problem or a pack; undefined if it can. */
export function refusedName(name: string): string | undefined {
  return /^[a-z][a-z0-9-]{0,60}$/.test(name) ? undefined : t("Use at most 61 lower-case letters, digits and hyphens, a letter first.");
}

/** A proof in one sentence. */
export function proofText({ problem, proof, reasons, wallS }: ProblemProof): string {
  const [reason = ""] = reasons;
  if (proof === "proved") return t("{0} is proved from both sides ({1} s).", problem, wallS.toFixed(1));
  if (proof === "executes") return t("{0} has no reference, so nothing can be proved; its tests run.", problem);
  if (reasons.length > 1) return t("{0} is not proved: {1}, and {2} more.", problem, reason, reasons.length - 1);
  return t("{0} is not proved: {1}.", problem, reason);
}
