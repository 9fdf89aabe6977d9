import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { OwnTestDebugger } from "../generated/protocol.ts";
import type { Server } from "../server/server.ts";

const TYPE = "benchwright";

/** Takes VS Code's debugger to a test that waits for one: the server sends its socket. */
export function debugTests(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor: ({ configuration }) =>
        new vscode.DebugAdapterNamedPipeServer(String(configuration.socket)),
    }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, {
      resolveDebugConfiguration: (_folder, configuration) => {
        if (configuration.socket) return configuration;
        void vscode.window.showInformationMessage(t("Start the debugger of a test in the Test Explorer: Debug Test."));
        return undefined;
      },
    }),
    server.onDebuggerWanted((told) => void start(told)),
  );
}

async function start({ socket, arguments: attach }: OwnTestDebugger): Promise<void> {
  await vscode.debug.startDebugging(undefined, { ...attach, type: TYPE, name: t("Own Test"), request: "attach", socket });
}
