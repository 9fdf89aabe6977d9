/** Known AI features: the settings that control them, and the extensions that provide them. */

interface AiSetting {
  readonly key: string;
  /** The value that switches the feature off. */
  readonly off: boolean | Readonly<Record<string, boolean>>;
}

/** Settings that let a model write into a file. Those unknown to the editor are ignored. */
export const AI_SETTINGS: readonly AiSetting[] = [
  { key: "editor.inlineSuggest.enabled", off: false },
  { key: "chat.disableAIFeatures", off: true },
  { key: "chat.agent.enabled", off: false },
  { key: "github.copilot.enable", off: { "*": false } },
  { key: "github.copilot.nextEditSuggestions.enabled", off: false },
  { key: "cody.autocomplete.enabled", off: false },
  { key: "codeium.enableConfig", off: { "*": false } },
  { key: "continue.enableTabAutocomplete", off: false },
  { key: "geminicodeassist.inlineSuggestions.enableAuto", off: false },
  { key: "geminicodeassist.enable", off: false },
];

/** Ids of extensions that write code with a model, in lower case. */
const AI_EXTENSIONS: ReadonlySet<string> = new Set([
  "alibaba-cloud.tongyi-lingma",
  "amazonwebservices.amazon-q-vscode",
  "anthropic.claude-code",
  "augment.vscode-augment",
  "blackboxapp.blackbox",
  "codeium.codeium",
  "codeium.windsurfpluginvscode",
  "codium.codium",
  "continue.continue",
  "fittentech.fitten-code",
  "github.copilot",
  "github.copilot-chat",
  "google.geminicodeassist",
  "kilocode.kilo-code",
  "openai.chatgpt",
  "rooveterinaryinc.roo-cline",
  "saoudrizwan.claude-dev",
  "sourcegraph.amp",
  "sourcegraph.cody-ai",
  "supermaven.supermaven",
  "tabnine.tabnine-vscode",
  "visualstudioexptteam.vscodeintellicode",
]);

const AI_CATEGORIES: readonly unknown[] = ["AI", "Chat"];

/** Whether an extension is known to write code with a model, or declares so. */
export function isAiExtension(id: string, categories: unknown): boolean {
  const named: readonly unknown[] = Array.isArray(categories) ? categories : [];
  return AI_EXTENSIONS.has(id.toLowerCase()) || named.some((one) => AI_CATEGORIES.includes(one));
}

/** Whether a setting's value enables its feature. */
export function isOn(setting: AiSetting, value: unknown): boolean {
  if (typeof setting.off === "boolean") return typeof value === "boolean" && value !== setting.off;
  return typeof value === "object" && value !== null && Object.values(value).includes(true);
}

/** The value that switches a feature off, also for languages that `value` names. */
export function switchedOff(setting: AiSetting, value: unknown): boolean | Record<string, boolean> {
  if (typeof setting.off === "boolean") return setting.off;
  const named = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return { ...setting.off, ...Object.fromEntries(named.map((name) => [name, false])) };
}
