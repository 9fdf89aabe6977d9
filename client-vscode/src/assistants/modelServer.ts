import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Message {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface Question {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Models that can be asked. */
export interface Models {
  names(): Promise<readonly string[]>;
  /** The reply, piece by piece. Throws a `Refusal` if there is none. */
  ask(question: Question, stopped: AbortSignal): AsyncIterable<string>;
  countTokens(model: string, text: string): Promise<number>;
}

/** A request that is answered with an error: what is wrong, and what to do. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The refusal of a question to a model that is not among those that there are. */
export function noSuchModel(name: string, names: readonly string[]): Refusal {
  return new Refusal(404, `There is no model ${name}. There is: ${names.join(", ")}.`);
}

const HOST = "127.0.0.1";
const MOST_BYTES = 8 << 20;
const PASSED_ON = ["temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "stop"];

/** Serves models on loopback as OpenAI's chat completions, to whoever has the token. */
export class ModelServer {
  readonly token = randomBytes(32).toString("base64url");
  /** How many questions were answered or are being answered. */
  asked = 0;
  private readonly models: Models;
  private readonly onAsked: () => void;
  private readonly server: Server;

  private constructor(models: Models, onAsked: () => void) {
    this.models = models;
    this.onAsked = onAsked;
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(models: Models, onAsked: () => void = () => undefined): Promise<ModelServer> {
    const found = new ModelServer(models, onAsked);
    await new Promise<void>((resolve, reject) => {
      found.server.once("error", reject);
      found.server.listen(0, HOST, resolve);
    });
    return found;
  }

  get address(): string {
    return `http://${HOST}:${this.port}/v1`;
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.check(request);
      const path = (request.url ?? "").split("?", 1)[0];
      if (request.method === "GET" && path === "/v1/models") await this.list(response);
      else if (request.method === "POST" && path === "/v1/chat/completions") await this.complete(request, response);
      else throw new Refusal(404, "Only GET /v1/models and POST /v1/chat/completions are served.");
    } catch (error) {
      refuse(response, error);
    }
  }

  /** A web page can be led to this port by its name, so the name has to be ours; and only a token lets in. */
  private check(request: IncomingMessage): void {
    if (![`${HOST}:${this.port}`, `localhost:${this.port}`].includes(request.headers.host ?? "")) {
      throw new Refusal(403, "This address is served to programs on this machine only.");
    }
    const given = Buffer.from(request.headers.authorization ?? "");
    const wanted = Buffer.from(`Bearer ${this.token}`);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      throw new Refusal(401, "The token is wrong. The editor wrote it to a file when it began to serve.");
    }
  }

  private async list(response: ServerResponse): Promise<void> {
    const data = (await this.models.names()).map((id) => ({ id, object: "model", created: 0, owned_by: "editor" }));
    send(response, 200, { object: "list", data });
  }

  private async complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parsed(await bodyOf(request));
    const question = questionIn(body);
    const stopped = new AbortController();
    response.on("close", () => stopped.abort());
    this.asked += 1;
    this.onAsked();
    const pieces = this.models.ask(question, stopped.signal);
    if (body.stream === true) {
      await this.stream(question, pieces, response, body);
      return;
    }
    let text = "";
    for await (const piece of pieces) text += piece;
    const message = { role: "assistant", content: text };
    send(response, 200, {
      ...reply("chat.completion", question),
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: await this.usage(question, text),
    });
  }

  private async stream(
    question: Question,
    pieces: AsyncIterable<string>,
    response: ServerResponse,
    body: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const head = reply("chat.completion.chunk", question);
    const say = (chunk: object): void => {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
    };
    let text = "";
    try {
      for await (const piece of pieces) {
        say({ choices: [{ index: 0, delta: text ? { content: piece } : { role: "assistant", content: piece }, finish_reason: null }] });
        text += piece;
      }
      say({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      if (isRecord(body.stream_options) && body.stream_options.include_usage === true) {
        say({ choices: [], usage: await this.usage(question, text) });
      }
    } catch (error) {
      if (!response.headersSent) throw error;
      // The status is out already: without [DONE], whoever asked knows that the reply is not whole.
      response.end(`data: ${JSON.stringify({ error: { message: messageOf(error) } })}\n\n`);
      return;
    }
    response.end("data: [DONE]\n\n");
  }

  /** Tokens as the editor counts them, which need not be what the provider bills. */
  private async usage(question: Question, text: string): Promise<object> {
    const asked = question.messages.map((message) => message.text).join("\n");
    const [prompt, completion] = await Promise.all([
      this.models.countTokens(question.model, asked),
      this.models.countTokens(question.model, text),
    ]);
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  }
}

function questionIn(body: Readonly<Record<string, unknown>>): Question {
  const { model, messages } = body;
  if (typeof model !== "string") throw new Refusal(400, "`model` is missing.");
  if (!Array.isArray(messages) || messages.length === 0) throw new Refusal(400, "`messages` is missing or empty.");
  if (Array.isArray(body.tools) && body.tools.length > 0) {
    throw new Refusal(400, "Models of an editor are served without tools. Choose a task that needs none.");
  }
  if (body.n !== undefined && body.n !== null && body.n !== 1) throw new Refusal(400, "Ask for one reply: `n` has to be 1.");
  const options = Object.fromEntries(
    PASSED_ON.filter((name) => body[name] !== undefined && body[name] !== null).map((name) => [name, body[name]]),
  );
  return { model, messages: messages.map(messageIn), options };
}

/** Editors know no system messages: they are said as the user's. */
function messageIn(given: unknown): Message {
  if (!isRecord(given)) throw new Refusal(400, "A message is no object.");
  const { role, content } = given;
  if (role !== "system" && role !== "developer" && role !== "user" && role !== "assistant") {
    throw new Refusal(400, "Only the roles system, developer, user and assistant are served.");
  }
  return { role: role === "assistant" ? "assistant" : "user", text: textIn(content) };
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new Refusal(400, "A message has no text.");
  return content
    .map((part: unknown) => {
      if (isRecord(part) && part.type === "text" && typeof part.text === "string") return part.text;
      throw new Refusal(400, "Only text is served, no pictures, sound or files.");
    })
    .join("");
}

function reply(object: string, question: Question): object {
  return {
    id: `chatcmpl-${randomBytes(12).toString("hex")}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: question.model,
  };
}

function refuse(response: ServerResponse, error: unknown): void {
  const status = error instanceof Refusal ? error.status : 502;
  if (response.headersSent) response.end();
  else send(response, status, { error: { message: messageOf(error), type: "invalid_request_error", code: status } });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Refusal(413, "The request is longer than 8 MiB.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, "The body is not JSON.");
  }
  if (!isRecord(body)) throw new Refusal(400, "The body is no JSON object.");
  return body;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
