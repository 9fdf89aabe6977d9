import { basename } from "node:path";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { ExamQuestion, ExamQuestions } from "../generated/protocol.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { errorText, showError } from "../reporting.ts";
import { WebviewHost, type Ready } from "../webviewHost.ts";
import type { FromExamReview, ToExamReview } from "../webview/pages/examReview.ts";

/** The review of an exam's questions: each beside its page. */
export class ExamReviewPanel implements Panel {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly context: PanelContext) {}

  async show(argument?: string): Promise<void> {
    const exam = await this.exam(argument);
    if (!exam) return;
    this.panel?.dispose();
    const title = t("Review: {0}", exam.title);
    const panel = vscode.window.createWebviewPanel("benchwright.examReview", title, vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    this.panel = panel;
    const pictures = [vscode.Uri.joinPath(vscode.Uri.parse(exam.uri), "items")];
    const page = { extension: this.context.extension, page: "examReview", title: t("Review Questions"), pictures };
    const review = new Review(this.context, exam, panel.webview, (message) => host.post(message));
    const host = new WebviewHost<ToExamReview, FromExamReview>(panel.webview, page, (message) => review.receive(message));
    panel.onDidDispose(() => {
      if (this.panel === panel) this.panel = undefined;
    });
  }

  dispose(): void {
    this.panel?.dispose();
  }

  /** The exam of the active file; if it is in none, the person chooses a folder. */
  private async exam(argument?: string): Promise<ExamQuestions | undefined> {
    const { server } = this.context;
    const open = argument ?? vscode.window.activeTextEditor?.document.uri.toString();
    const ofFile = open && (await server.request("examQuestions", { uri: open }).catch(() => undefined));
    if (ofFile) return ofFile;
    const [folder] =
      (await vscode.window.showOpenDialog({
        canSelectFolders: true,
        canSelectFiles: false,
        title: t("Folder that benchwright questions from-exam wrote"),
        openLabel: t("Review Questions"),
      })) ?? [];
    try {
      return folder && (await server.request("examQuestions", { uri: folder.toString() }));
    } catch (error) {
      showError(error);
      return undefined;
    }
  }
}

/** Carries out what the page asks for, one thing after the other. */
class Review {
  private last = Promise.resolve();

  constructor(
    private readonly context: PanelContext,
    private readonly exam: ExamQuestions,
    private readonly webview: vscode.Webview,
    private readonly send: (message: ToExamReview) => void,
  ) {}

  receive(message: FromExamReview | Ready): void {
    this.last = this.last.then(() => this.carryOut(message)).catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.send({ type: "failed", reason: errorText(error) });
  }

  private async carryOut(message: FromExamReview | Ready): Promise<void> {
    const { server } = this.context;
    const { uri, current } = this.exam;
    switch (message.type) {
      case "ready":
        this.send({ type: "list", exam: this.exam, pack: basename(vscode.Uri.parse(uri).fsPath), current });
        break;
      case "open":
        this.send({ type: "question", question: this.shown(await server.request("examQuestion", { uri, label: message.label })) });
        break;
      case "save": {
        const saved = await server.request("saveExamQuestion", { uri, ...message.question });
        const { questions } = await server.request("examQuestions", { uri });
        this.send({ type: "saved", label: message.question.label, saved, questions });
        break;
      }
      case "makePack":
        await this.makePack(message.pack);
        break;
      case "file":
        if (message.uri.startsWith(`${uri}/`)) {
          await vscode.window.showTextDocument(vscode.Uri.parse(message.uri), { viewColumn: vscode.ViewColumn.Beside });
        }
        break;
    }
  }

  private async makePack(pack: string): Promise<void> {
    const { uri } = this.exam;
    let made = await this.context.server.request("makeExamPack", { uri, pack, replace: false });
    if (made.exists) {
      const replace = t("Replace");
      const question = t("There is a pack of the name {0}. Replace it?", pack);
      if ((await vscode.window.showWarningMessage(question, { modal: true }, replace)) === replace) {
        made = await this.context.server.request("makeExamPack", { uri, pack, replace: true });
      }
    }
    this.send({ type: "made", pack, made });
  }

  /** A question with addresses of pictures that the page can load. */
  private shown(question: ExamQuestion): ExamQuestion {
    const address = (uri: string): string => this.webview.asWebviewUri(vscode.Uri.parse(uri)).toString();
    const addresses = (pictures: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(Object.entries(pictures).map(([path, uri]) => [path, address(uri)]));
    return {
      ...question,
      pages: question.pages.map(address),
      figures: addresses(question.figures),
      solutionFigures: addresses(question.solutionFigures),
    };
  }
}
