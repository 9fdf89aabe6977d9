import { t } from "@vscode/l10n";
import type { InstanceView } from "../generated/protocol.ts";

/** `W = 8, DEPTH = 16`. */
export function parametersOf({ parameters }: Pick<InstanceView, "parameters">): string {
  return parameters.map(({ name, value }) => `${name} = ${value}`).join(", ");
}

/** What a narrow side bar has room for beside the name: `alu · W = 8`; a top has the name of its module. */
export function instanceDescription(instance: InstanceView): string {
  const { name, module } = instance;
  return [module === name ? "" : module, parametersOf(instance)].filter(Boolean).join(" · ");
}

/** The whole row as a screen reader should say it. */
export function instanceSpoken(instance: InstanceView): string {
  const { name, module, kind } = instance;
  const what = kind === "unknown" ? t("instance of {0}, which no file declares", module) : t("instance of the {0} {1}", kind, module);
  const viewed = instance.viewed ? [t("its module is viewed as this instance")] : [];
  return [name, instance.instantiated ? what : t("top {0}", kind), parametersOf(instance), ...viewed].filter(Boolean).join(", ");
}

/** Everything known of an instance, one fact per line. */
export function instanceTooltip(instance: InstanceView): string {
  const { path, module, kind } = instance;
  const kinds = kind === "unknown" ? t("no file declares it") : kind;
  return [
    path,
    t("Module: {0} ({1})", module, kinds),
    ...instance.parameters.map(({ name, value }) => `${name} = ${value}`),
    ...(instance.viewed ? [t("Its module is viewed as this instance.")] : []),
  ].join("\n");
}

/** Codicon id: an eye where a module is viewed, else a shape for each kind. */
export function instanceIcon(instance: InstanceView): string {
  if (instance.viewed) return "eye";
  if (instance.kind === "unknown") return "question";
  return instance.kind === "interface" ? "symbol-interface" : "circuit-board";
}
