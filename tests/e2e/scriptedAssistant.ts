import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model on loopback that completes one line, and has nothing to say anywhere else. */
export class ScriptedAssistant implements AsyncDisposable {
  /** How often it was asked. */
  asked = 0;
  private readonly after: string;
  private readonly completion: string;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  private constructor(after: string, completion: string) {
    this.after = after;
    this.completion = completion;
  }

  /** Starts it: what has to stand before the cursor, and what it then says. */
  static async start(after: string, completion: string): Promise<ScriptedAssistant> {
    const assistant = new ScriptedAssistant(after, completion);
    await new Promise<void>((resolve) => assistant.server.listen(0, "127.0.0.1", resolve));
    return assistant;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked += 1;
    const { messages } = JSON.parse(await bodyOf(request)) as { messages: { content: string }[] };
    const content = messages.at(-1)!.content.includes(`${this.after}<CURSOR>`) ? this.completion : "";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
