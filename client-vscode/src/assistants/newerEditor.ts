import * as vscode from "vscode";

/** What editors have that are newer than the oldest that this extension runs in (VS Code 1.91). */
export interface NewerEditor {
  readonly tools: ToolApi | undefined;
  readonly mcp: McpApi | undefined;
}

/** Tools that a language model may call (VS Code 1.95). */
export interface ToolApi {
  readonly registerTool: (name: string, tool: Tool) => vscode.Disposable;
  readonly result: new (content: readonly unknown[]) => object;
  readonly text: new (value: string) => unknown;
}

/** A tool as `vscode.LanguageModelTool` has it. */
export interface Tool {
  invoke(options: { readonly input: object }, token: vscode.CancellationToken): Promise<object>;
  prepareInvocation(): { invocationMessage: string; confirmationMessages?: { title: string; message: string } };
}

/** MCP servers that an extension offers to the editor (VS Code 1.101). */
export interface McpApi {
  readonly registerProvider: (id: string, provider: McpProvider) => vscode.Disposable;
  readonly server: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version?: string,
  ) => unknown;
}

/** As `vscode.McpServerDefinitionProvider`. */
export interface McpProvider {
  readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): Promise<unknown[]>;
}

/** A request of a chat, with the model that the person has chosen there (VS Code 1.95). */
export interface ModelRequest extends vscode.ChatRequest {
  readonly model?: vscode.LanguageModelChat;
}

/** What this editor has of that. */
export function newerEditor(): NewerEditor {
  const api = vscode as unknown as Record<string, unknown>;
  const models = (api.lm ?? {}) as Record<string, unknown>;
  const { LanguageModelToolResult: result, LanguageModelTextPart: text, McpStdioServerDefinition: server } = api;
  const tools = { registerTool: models.registerTool, result, text };
  const mcp = { registerProvider: models.registerMcpServerDefinitionProvider, server };
  return {
    tools: isWhole(tools) ? (tools as unknown as ToolApi) : undefined,
    mcp: isWhole(mcp) ? (mcp as unknown as McpApi) : undefined,
  };
}

function isWhole(parts: object): boolean {
  return Object.values(parts).every((part) => typeof part === "function");
}
