import { ExamReviewPanel } from "./examReview.ts";
import { GradingPanel } from "./grading.ts";
import { NumbersPanel } from "./numbers.ts";
import type { Panels } from "./panel.ts";
import { QuestionFormPanels } from "./questionForm.ts";
import { ReplayPanels } from "./replay.ts";
import { SchematicPanel } from "./schematic.ts";
import { StateMachinesPanel } from "./stateMachines.ts";
import { TracePanels } from "./trace.ts";

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
