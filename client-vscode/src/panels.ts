import { GradingPanel } from "./grading.ts";
import type { Panels } from "./panel.ts";
import { ReplayPanels } from "./replay.ts";
import { TracePanels } from "./trace.ts";

/** Every panel that a command opens. */
export const PANELS: Panels = {
  grade: (context) => new GradingPanel(context),
  replay: (context) => new ReplayPanels(context),
  trace: (context) => new TracePanels(context),
};
