import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { activeFile } from "./authoring.ts";
import { refusedName } from "./authoringText.ts";
import type { ShownQuestion } from "../generated/protocol.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { errorText, showError } from "../reporting.ts";
import { WebviewHost, type Ready } from "../webviewHost.ts";
import type { FromQuestionForm, ToQuestionForm } from "../webview/pages/questionForm.ts";

/** The forms in which questions of a pack's folder are written, one for each question. */
export class QuestionFormPanels implements Panel {
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  constructor(private readonly context: PanelContext) {}

  async show(argument?: string): Promise<void> {
    const uri = argument ?? (await activeFile())?.toString();
    if (uri === undefined) return;
    try {
      const question = await this.context.server.request("questionForm", { uri });
      this.open(question);
    } catch (error) {
      showError(error);
    }
  }

  dispose(): void {
    for (const panel of this.panels.values()) panel.dispose();
  }

  private open({ uri, id }: ShownQuestion): void {
    const there = this.panels.get(uri);
    if (there) {
      there.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel("benchwright.questionForm", t("Question {0}", id), vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    this.panels.set(uri, panel);
    panel.onDidDispose(() => this.panels.delete(uri));
    const page = { extension: this.context.extension, page: "questionForm", title: t("Question {0}", id), pictures: [vscode.Uri.parse(uri)] };
    const form = new Form(this.context, uri, panel.webview, (message) => host.post(message));
    const host = new WebviewHost<ToQuestionForm, FromQuestionForm>(panel.webview, page, (message) => form.receive(message));
  }
}

/** Carries out what the page of a question asks for, one thing after the other. */
class Form {
  private last = Promise.resolve();

  constructor(
    private readonly context: PanelContext,
    private readonly uri: string,
    private readonly webview: vscode.Webview,
    private readonly send: (message: ToQuestionForm) => void,
  ) {}

  receive(message: FromQuestionForm | Ready): void {
    this.last = this.last
      .then(() => this.carryOut(message))
      .catch((error: unknown) => this.send({ type: "failed", reason: errorText(error) }));
  }

  private async carryOut(message: FromQuestionForm | Ready): Promise<void> {
    const { server } = this.context;
    const { uri } = this;
    switch (message.type) {
      case "ready":
      case "read":
        this.send({ type: "question", question: this.shown(await server.request("questionForm", { uri })) });
        break;
      case "check": {
        const checked = server.request("checkQuestionForm", { uri, ...message.question });
        const { remarks } = await checked.catch((error: unknown) => ({ remarks: [{ field: "", reason: errorText(error), isError: true }] }));
        this.send({ type: "checked", number: message.number, remarks });
        break;
      }
      case "save":
        this.send({ type: "saved", saved: await server.request("saveQuestionForm", { uri, digest: message.digest, ...message.question }) });
        break;
      case "addFigure":
        await this.addFigure(message.ofAnswer);
        break;
      case "preview": {
        const { statement } = await server.request("previewProblem", { uri });
        await vscode.commands.executeCommand("markdown.showPreviewToSide", vscode.Uri.parse(statement));
        break;
      }
      case "twin":
        await this.makeTwin();
        break;
      case "try":
        await this.tryOnModels();
        break;
      case "files":
        for (const name of ["statement.md", "problem.toml"]) {
          await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.parse(uri), name), { viewColumn: vscode.ViewColumn.Beside, preview: false });
        }
        break;
    }
  }

  private async addFigure(ofAnswer: boolean): Promise<void> {
    const [picture] =
      (await vscode.window.showOpenDialog({
        title: t("Add a Figure"),
        openLabel: t("Add"),
        filters: { [t("Pictures")]: ["png", "jpg", "jpeg", "gif", "webp", "svg"] },
      })) ?? [];
    if (!picture) return;
    const added = await this.context.server.request("addFigure", { uri: this.uri, picture: picture.toString(), ofAnswer });
    this.send({ type: "figure", path: added.path, address: this.address(added.uri), ofAnswer });
  }

  private async makeTwin(): Promise<void> {
    const name = vscode.Uri.parse(this.uri).path.split("/").at(-1) ?? "";
    const id = await vscode.window.showInputBox({
      title: t("Make a Free-Response Twin"),
      prompt: t("Name of the question without options"),
      value: `${name}-free`,
      validateInput: refusedName,
    });
    if (!id) return;
    const made = await this.context.server.request("questionTwin", { uri: this.uri, id });
    await vscode.commands.executeCommand("benchwright.ui.questionForm", made.uri);
  }

  private async tryOnModels(): Promise<void> {
    const { server } = this.context;
    const { models } = await server.request("questionModels", { uri: this.uri });
    if (models.length === 0) {
      this.send({ type: "failed", reason: t("No model is configured. Add some to judges.toml, each as a [[judge]].") });
      return;
    }
    const chosen =
      models.length === 1
        ? models
        : await vscode.window.showQuickPick(models, { title: t("Try on Models"), placeHolder: t("Models that get the question, without its key"), canPickMany: true });
    if (!chosen || chosen.length === 0) return;
    this.send({ type: "asking" });
    const { answers } = await server.request("tryQuestion", { uri: this.uri, models: chosen });
    this.send({ type: "tried", answers });
  }

  /** A question with addresses of pictures that the page can load. */
  private shown(question: ShownQuestion): ShownQuestion {
    const addresses = (pictures: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(Object.entries(pictures).map(([path, uri]) => [path, this.address(uri)]));
    return { ...question, figures: addresses(question.figures), answerFigures: addresses(question.answerFigures) };
  }

  private address(uri: string): string {
    return this.webview.asWebviewUri(vscode.Uri.parse(uri)).toString();
  }
}
