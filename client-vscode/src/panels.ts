import { ExamReviewPanel } from "./questions/examReview.ts";
import { GradingPanel } from "./questions/grading.ts";
import { NumbersPanel } from "./attempts/numbers.ts";
import type { Panels } from "./panel.ts";
import { QuestionFormPanels } from "./questions/questionForm.ts";
import { ReplayPanels } from "./attempts/replay.ts";
import { SchematicPanel } from "./design/schematic.ts";
import { StateMachinesPanel } from "./design/stateMachines.ts";
import { TracePanels } from "./assistants/trace.ts";

const AUTHORING = "benchwright.server == 'ready' && config.benchwright.features.authoring";
const DESIGN =
  "editorLangId =~ /^(system)?verilog$/ && benchwright.server == 'ready' && config.benchwright.features.designViews && benchwright.aid.design_views";

/** Every panel that a command opens. `npm run generate` writes the commands into the manifest. */
export const PANELS: Panels = {
  grade: { title: "Grade Answers", icon: "mortar-board", open: (context) => new GradingPanel(context) },
  reviewExam: { title: "Review Questions of an Exam…", icon: "checklist", when: AUTHORING, open: (context) => new ExamReviewPanel(context) },
  numbers: { title: "Show My Numbers", icon: "graph", open: (context) => new NumbersPanel(context) },
  questionForm: {
    title: "Write a Question in a Form",
    icon: "edit",
    when: `${AUTHORING} && resourceScheme == file`,
    open: (context) => new QuestionFormPanels(context),
  },
  replay: { title: "Replay an Attempt", icon: "history", open: (context) => new ReplayPanels(context) },
  schematic: { title: "Show Schematic", icon: "circuit-board", when: DESIGN, open: (context) => new SchematicPanel(context) },
  stateMachines: { title: "Show State Machines", icon: "type-hierarchy", when: DESIGN, open: (context) => new StateMachinesPanel(context) },
  trace: { title: "Step Through an Attempt", icon: "list-ordered", open: (context) => new TracePanels(context) },
};
