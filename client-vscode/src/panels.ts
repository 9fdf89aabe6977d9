import { ExamReviewPanel } from "./questions/examReview.ts";
import { GradingPanel } from "./questions/grading.ts";
import { NumbersPanel } from "./attempts/numbers.ts";
import type { Panels } from "./panel.ts";
import { QuestionFormPanels } from "./questions/questionForm.ts";
import { ReplayPanels } from "./attempts/replay.ts";
import { SchematicPanel } from "./design/schematic.ts";
import { StateMachinesPanel } from "./design/stateMachines.ts";
import { TracePanels } from "./assistants/trace.ts";

/** Every panel that a command opens. */
export const PANELS: Panels = {
  grade: (context) => new GradingPanel(context),
  reviewExam: (context) => new ExamReviewPanel(context),
  numbers: (context) => new NumbersPanel(context),
  questionForm: (context) => new QuestionFormPanels(context),
  replay: (context) => new ReplayPanels(context),
  schematic: (context) => new SchematicPanel(context),
  stateMachines: (context) => new StateMachinesPanel(context),
  trace: (context) => new TracePanels(context),
};
