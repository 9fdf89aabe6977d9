import { t } from "@vscode/l10n";
import type { PanelContext } from "../panel.ts";
import { ModulePanel, settled, type Asked } from "./modulePanel.ts";
import { stateDrawing, stateGraph } from "./stateGraph.ts";
import type { DrawnMachines, StateMachinesPage } from "../webview/pages/stateMachines.ts";

/** The state machines of the module at the cursor. */
export class StateMachinesPanel extends ModulePanel<StateMachinesPage> {
  constructor(context: PanelContext) {
    super(context, "stateMachines", t("State Machines"));
  }

  protected override async content(asked: Asked): Promise<StateMachinesPage> {
    const drawn = await settled<DrawnMachines>(this.drawn(asked));
    return { title: "module" in drawn ? t("State machines of {0}", drawn.module) : t("State Machines"), drawn };
  }

  private async drawn(asked: Asked): Promise<DrawnMachines> {
    this.layout.start();
    const { module, machines } = await this.context.server.request("stateMachines", asked);
    const drawn = machines.map(async (machine) => {
      return { machine, drawing: stateDrawing(machine, await this.layout.laidOut(stateGraph(machine))) };
    });
    return { module, machines: await Promise.all(drawn) };
  }
}
