import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { PanelContext } from "../panel.ts";
import { standingText } from "../text/standing.ts";

/** Lets the user choose one of their attempts, or type the id of another one. */
export async function chosenAttempt(context: PanelContext, title: string): Promise<string | undefined> {
  const items = await own(context);
  const other = { label: t("$(edit) Another attempt, by its id…"), description: "", attempt: "" };
  const chosen = await vscode.window.showQuickPick([...items, other], {
    title,
    placeHolder: t("Choose one of your attempts"),
    matchOnDescription: true,
  });
  if (chosen !== other) return chosen?.attempt;
  const typed = await vscode.window.showInputBox({
    title,
    prompt: t("The attempt's id, or the beginning of it. The command benchwright attempts list shows them."),
  });
  return typed?.trim() || undefined;
}

/** The one that is open first, then the others, of studies too. */
async function own({ attempts: open, server }: PanelContext): Promise<{ label: string; description: string; attempt: string }[]> {
  const current = open.current;
  const { studies } = await server.request("studies", {});
  const groups = await Promise.all(
    [{}, ...studies.map(({ study }) => ({ study }))].map((params) => server.request("numbers", { ...params, practice: true })),
  );
  const others = groups.flatMap(({ attempts }) => attempts).filter(({ attempt }) => attempt !== current?.attempt);
  return [
    ...(current ? [{ label: current.title, description: t("{0}, open here, {1}", current.problem, standingText(current.view)), attempt: current.attempt }] : []),
    ...others.reverse().map(({ title, problem, view, attempt }) => {
      return { label: title, description: `${problem}, ${standingText(view)}`, attempt };
    }),
  ];
}
