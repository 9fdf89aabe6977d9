import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { Attempts } from "../attempts/attempts.ts";
import type { AgentToolParams } from "../generated/protocol.ts";
import { newerEditor, type Tool, type ToolApi } from "./newerEditor.ts";
import type { Server } from "../server/server.ts";
import type { ServerInstallation } from "../installation/serverInstallation.ts";

const AID = "agent_tools";
/** Of the tools in `package.json`, before the names that the server gives them. */
const PREFIX = "benchwright_";
// eslint-disable-next-line no-restricted-syntax -- a model reads it
const NO_PROBLEM = "No problem is open in this window. Ask the user to open one in the Benchwright view.";
// eslint-disable-next-line no-restricted-syntax -- the attempt's log keeps it
const THROUGH = "tool of a model";

interface Contributed {
  readonly name: string;
  readonly displayName: string;
}

/** Tools that end or cost something are confirmed by the person. */
const CONFIRMED: Readonly<Record<string, string>> = {
  benchwright_submit: t("It submits the saved files and ends the attempt for good."),
  benchwright_take_hint: t("A hint may cost a share of the problem's points. That it was taken is recorded."),
};

/** Uses a tool of the current attempt; the server decides whether it is allowed, and records it. */
export class AgentTools {
  constructor(
    private readonly server: Server,
    private readonly attempts: Attempts,
  ) {}

  /** Whether the current attempt allows tools for agents. */
  get areAllowed(): boolean {
    return this.attempts.current?.aids?.includes(AID) ?? false;
  }

  /** The folder of the current attempt. */
  get folder(): string | undefined {
    return this.attempts.current?.workspace;
  }

  async use(
    tool: string,
    input: object,
    through: string,
    token?: vscode.CancellationToken,
    byPerson = false,
  ): Promise<string> {
    if (this.folder === undefined) throw new Error(NO_PROBLEM);
    const agent = `${vscode.env.appName} ${vscode.version}, ${through}`;
    const asked = { uri: this.folder, tool, arguments: input as NonNullable<AgentToolParams["arguments"]>, agent, byPerson };
    return (await this.server.request("agentTool", asked, token)).text;
  }
}

/** Offers the attempt's tools to the language models of the editor, where it has them. */
export function registerAgentTools(tools: AgentTools, extension: vscode.Extension<unknown>): vscode.Disposable {
  const api = newerEditor().tools;
  if (!api) return vscode.Disposable.from();
  const manifest = extension.packageJSON as { contributes: { languageModelTools: readonly Contributed[] } };
  return vscode.Disposable.from(
    ...manifest.contributes.languageModelTools.map((one) => api.registerTool(one.name, toolOf(api, tools, one))),
  );
}

function toolOf(api: ToolApi, tools: AgentTools, { name, displayName }: Contributed): Tool {
  const message = CONFIRMED[name];
  return {
    prepareInvocation: () => ({
      invocationMessage: t("Benchwright: {0}", displayName),
      ...(message !== undefined && { confirmationMessages: { title: t("{0}?", displayName), message } }),
    }),
    async invoke({ input }, token) {
      const text = await tools.use(name.slice(PREFIX.length), input, THROUGH, token);
      return new api.result([new api.text(text)]);
    },
  };
}

/** Registers `benchwright mcp` for the current attempt with the editor, for agents that use its MCP servers. */
export function registerMcpServer(
  tools: AgentTools,
  attempts: Attempts,
  installation: ServerInstallation,
): vscode.Disposable {
  const api = newerEditor().mcp;
  if (!api) return vscode.Disposable.from();
  const changed = new vscode.EventEmitter<void>();
  let told: string | undefined;
  const offered = (): string | undefined => (tools.areAllowed ? tools.folder : undefined);
  return vscode.Disposable.from(
    changed,
    attempts.onDidChangeCurrent(() => {
      if (offered() === told) return;
      told = offered();
      changed.fire();
    }),
    api.registerProvider("benchwright.attempt", {
      onDidChangeMcpServerDefinitions: changed.event,
      async provideMcpServerDefinitions() {
        const folder = offered();
        const program = folder === undefined ? undefined : await installation.find();
        if (folder === undefined || !program) return [];
        return [new api.server("Benchwright", program.command, ["mcp", vscode.Uri.parse(folder).fsPath], {})];
      },
    }),
  );
}
