import { t } from "@vscode/l10n";
import type { DesignSize, RegisterTable } from "../generated/protocol.ts";
import { ModulePanel, settled, type Asked, type Failure } from "./modulePanel.ts";
import type { PanelContext } from "../panel.ts";
import { drawing, layoutGraph } from "./schematicGraph.ts";
import type { DrawnSchematic, SchematicPage } from "../webview/pages/schematic.ts";

/** The schematic of the module at the cursor, with its size and registers. */
export class SchematicPanel extends ModulePanel<SchematicPage> {
  constructor(context: PanelContext) {
    super(context, "schematic", t("Schematic"));
  }

  protected override async content(asked: Asked): Promise<SchematicPage> {
    const { server } = this.context;
    const [drawn, size, registers] = await Promise.all([
      settled<DrawnSchematic>(this.drawn(asked)),
      settled<DesignSize>(server.request("designSize", asked)),
      settled<RegisterTable>(server.request("registers", asked)),
    ]);
    return { title: title(drawn), drawn, size, registers };
  }

  private async drawn(asked: Asked): Promise<DrawnSchematic> {
    this.layout.start();
    const view = await this.context.server.request("schematic", asked);
    return { view, drawing: drawing(view, await this.layout.laidOut(layoutGraph(view))) };
  }
}

function title(drawn: DrawnSchematic | Failure): string {
  return "view" in drawn ? t("Schematic of {0}", drawn.view.module) : t("Schematic");
}
