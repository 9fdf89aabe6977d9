import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { AgentTools } from "./agentTools.ts";
import type { Attempts } from "../attempts/attempts.ts";
import { hintsText, problemText, statusText, type Hints, type Status } from "./chatText.ts";
import type { ModelRequest } from "./newerEditor.ts";
import { errorText } from "../reporting.ts";
import type { Server } from "../server/server.ts";

const THROUGH = "@benchwright";
const HELP = t(
  "I can show this problem (`/problem`), your status (`/status`) and its hints (`/hints`), " +
    "and explain the newest failure (`/explain`). " +
    "I ask a model only where the problem's rules allow explanations by one.",
);
const NOT_ALLOWED = t("This problem's rules do not allow chat. Open another problem.");

/** `@benchwright` in the editor's chat: answers from the server; a model is asked only where that is allowed. */
export function registerChat(server: Server, attempts: Attempts, tools: AgentTools): vscode.Disposable {
  // Forks of VS Code may come without a chat.
  const chat = vscode.chat as typeof vscode.chat | undefined;
  if (typeof chat?.createChatParticipant !== "function") return vscode.Disposable.from();
  const participant = chat.createChatParticipant("benchwright.chat", async (request, _context, stream, token) => {
    try {
      await answered(request, stream, token);
      return {};
    } catch (error) {
      return { errorDetails: { message: errorText(error) } };
    }
  });
  participant.iconPath = new vscode.ThemeIcon("circuit-board");
  return vscode.Disposable.from(participant);

  async function answered(
    request: ModelRequest,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (!attempts.current) {
      stream.markdown(t("No problem is open. Open one in the Benchwright view."));
    } else if (!tools.areAllowed) {
      stream.markdown(NOT_ALLOWED);
    } else if (request.command === undefined) {
      await ask(request, stream, token);
    } else {
      const tool = request.command === "explain" ? "explain_failure" : request.command;
      show(request.command, await tools.use(tool, {}, THROUGH, token, true), stream);
    }
  }

  async function ask(
    request: ModelRequest,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const status = attempts.current;
    if (!status?.aids?.includes("generated") || !request.model || !request.prompt.trim()) {
      stream.markdown(HELP);
      return;
    }
    const { id, vendor } = request.model;
    const asked = { uri: status.workspace, question: request.prompt, model: `${vendor}/${id}` };
    const { text } = await server.request("chatPrompt", asked, token);
    const reply = await request.model.sendRequest([vscode.LanguageModelChatMessage.User(text)], {}, token);
    for await (const piece of reply.text) stream.markdown(piece);
  }
}

/** Shows what the tool of a command answered. */
function show(command: string, text: string, stream: vscode.ChatResponseStream): void {
  if (command === "status") stream.markdown(statusText(JSON.parse(text) as Status));
  else if (command === "problem") stream.markdown(problemText(text));
  else if (command === "hints") showHints(stream, JSON.parse(text) as Hints);
  else stream.markdown(text);
}

function showHints(stream: vscode.ChatResponseStream, hints: Hints): void {
  stream.markdown(hintsText(hints));
  if (hints.next?.waits_for === null) {
    stream.button({ command: "benchwright.ui.takeHint", title: t("Take Hint {0}…", hints.next.number) });
  }
}
