import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeOf } from "./session.ts";

interface JudgeRequest {
  readonly messages: readonly unknown[];
  readonly response_format: {
    readonly json_schema: {
      readonly schema: {
        readonly properties: {
          readonly verdict?: { readonly enum?: readonly unknown[] };
          readonly answer?: { readonly enum?: readonly unknown[] };
        };
      };
    };
  };
}

/**
 * A model on loopback that grants the best verdict to answers with the word "because", and the worst to others; it
 * answers a question by its first option.
 */
export class ScriptedJudge implements AsyncDisposable {
  asked = 0;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  /** Starts the model and sets it up as the judge of a session that has not begun yet. */
  static async setUp(folder: string): Promise<ScriptedJudge> {
    const judge = new ScriptedJudge();
    await new Promise<void>((resolve) => judge.server.listen(0, "127.0.0.1", resolve));
    const { port } = judge.server.address() as AddressInfo;
    const settings = [
      "[[judge]]",
      'name = "scripted"',
      `base_url = "http://127.0.0.1:${port}/v1"`,
      'model = "scripted"',
      "input_usd = 2.0",
      "output_usd = 10.0",
    ];
    await mkdir(join(homeOf(folder), "config"), { recursive: true });
    await writeFile(join(homeOf(folder), "config", "judges.toml"), `${settings.join("\n")}\n`);
    return judge;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked += 1;
    const { messages, response_format } = JSON.parse(await bodyOf(request)) as JudgeRequest;
    const { verdict, answer } = response_format.json_schema.schema.properties;
    const scale = verdict?.enum ?? [0, 1];
    const said = JSON.stringify(messages.at(-1));
    // The answer stands after the question and its key, which may hold the word as well.
    const good = said.slice(said.lastIndexOf("BEGIN ANSWER")).includes("because");
    const best = scale.includes("correct") ? "correct" : scale.at(-1);
    const content = JSON.stringify({ reason: "Scripted.", ...(answer ? { answer: answer.enum?.[0] ?? "" } : { verdict: good ? best : scale[0] }) });
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "1",
        object: "chat.completion",
        created: 0,
        model: "scripted",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
        usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
      }),
    );
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
