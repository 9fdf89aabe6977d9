import { parentPort } from "node:worker_threads";
import type { ElkNode } from "elkjs/lib/elk-api.js";
import ELK from "elkjs/lib/elk.bundled.js";

// Layout takes a second for a large drawing: a thread of its own keeps the extension answering.
const elk = new ELK();
parentPort?.on("message", (graph: ElkNode) => {
  elk.layout(graph).then(
    (laidOut) => parentPort?.postMessage({ laidOut }),
    (error: unknown) => parentPort?.postMessage({ failure: String(error) }),
  );
});
