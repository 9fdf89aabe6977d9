import {
  LanguageClient,
  type DocumentSelector,
  type DynamicFeature,
  type InitializeParams,
  type ServerCapabilities,
  type StaticFeature,
} from "vscode-languageclient/node";

/** Documents with language features. */
export const DESIGNS: DocumentSelector = [
  { scheme: "file", language: "verilog" },
  { scheme: "file", language: "systemverilog" },
  { scheme: "file", pattern: "**/*.{v,vh,sv,svh}" },
];

/** Documents that are synchronised with the server: designs, their file lists, a problem's statement and answer, and what authors write. */
export const FOLLOWED: DocumentSelector = [
  ...DESIGNS,
  { scheme: "file", pattern: "**/*.f" },
  { scheme: "file", pattern: "**/{README,question,answer,statement}.md" },
  { scheme: "file", pattern: "**/{pack,problem,exam}.toml" },
  { scheme: "file", pattern: "**/items/*/review.toml" },
];

/** The command of the server's code lens about instances; it takes a file, a position and locations. */
export const SHOW_REFERENCES = "benchwright.showReferences";

/** The command of the server's code actions that explain a finding. */
export const EXPLAIN_FINDING = "benchwright.explainFinding";

const FOR_ALL_FILES = /^textDocument\/(did|will|documentLink$)/;

type Feature = StaticFeature | DynamicFeature<unknown>;

/** The library's client with fewer messages, and with language features for designs only. */
export class Client extends LanguageClient {
  /** Writes the library's own messages to the output channel only: the person gets ours, which name the next step. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** Without this we would offer to format Markdown and Fortran. */
  override registerFeature(feature: Feature): void {
    const method = "registrationType" in feature ? feature.registrationType.method : "";
    if (method.startsWith("textDocument/") && !FOR_ALL_FILES.test(method)) {
      const initialize = feature.initialize.bind(feature);
      feature.initialize = (capabilities: ServerCapabilities) => initialize(capabilities, DESIGNS);
    }
    super.registerFeature(feature);
  }

  /** Announces that this editor can list locations and show explanations itself, and has a form for answers. */
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.capabilities.experimental = { commands: { commands: [SHOW_REFERENCES, EXPLAIN_FINDING] }, answerForm: true };
  }
}
