import type {
  AnswerToGrade,
  AttemptStatus,
  ForecastParams,
  GradeGiven,
  GradeRefused,
  GradeSkipped,
  GradingDone,
  QuestionnaireParams,
  QuestionView,
  ReplayedFiles,
  ReplayView,
  SelfEstimateParams,
  StudyView,
} from "../generated/protocol.ts";
import type { ResultsAction, ResultsPage } from "../resultsPage.ts";

export interface ToResults {
  readonly type: "page";
  readonly page: ResultsPage;
}

export type FromResults = { readonly type: "ready" } | { readonly type: "command"; readonly command: ResultsAction };

export type ToAnswer =
  /** `workspace` is the address of the workspace folder as the page reaches it. */
  | { readonly type: "question"; readonly view: QuestionView; readonly workspace: string }
  | { readonly type: "length"; readonly text: string }
  /** `edit` is the number of the form's last edit that `answer` contains. */
  | { readonly type: "answer"; readonly answer: string; readonly edit: number }
  | {
      readonly type: "result";
      readonly outcome: ResultsPage["outcome"];
      readonly text: string;
      readonly canStart: boolean;
    }
  | { readonly type: "problem"; readonly text: string };

export type FromAnswer =
  | { readonly type: "ready" }
  | { readonly type: "start" }
  | { readonly type: "save" }
  | { readonly type: "language"; readonly problem: string }
  | { readonly type: "edit"; readonly answer: string; readonly edit: number };

export type ToGrading = AnswerToGrade | GradingDone | GradeRefused | { readonly type: "failed"; readonly reason: string };

export type FromGrading = { readonly type: "ready" } | GradeGiven | GradeSkipped;

export type ToStudy =
  /** `activeS` is how long the clock of the present task ran. */
  | {
      readonly type: "view";
      readonly view: StudyView;
      readonly status: AttemptStatus | undefined;
      readonly activeS: number;
    }
  | { readonly type: "refused"; readonly reason: string };

export type StudyCommand = "showTask" | "start" | "pause" | "resume" | "run" | "submit" | "abandon" | "withdraw" | "numbers";

export type FromStudy =
  | { readonly type: "ready" }
  | { readonly type: "agree"; readonly version: string }
  | { readonly type: "decline" }
  | { readonly type: "openTask" }
  | { readonly type: "forecast"; readonly given: Omit<ForecastParams, "uri"> }
  | { readonly type: "selfEstimate"; readonly given: Omit<SelfEstimateParams, "uri"> }
  | { readonly type: "questionnaire"; readonly answers: QuestionnaireParams["answers"] }
  /** To try again what could not be handed in. */
  | { readonly type: "handIn" }
  | { readonly type: "command"; readonly command: StudyCommand };

export type ToReplay =
  | { readonly type: "replay"; readonly view: ReplayView }
  | { readonly type: "files"; readonly files: ReplayedFiles }
  | { readonly type: "failed"; readonly reason: string };

export type FromReplay = { readonly type: "ready" } | { readonly type: "at"; readonly seq: number };
