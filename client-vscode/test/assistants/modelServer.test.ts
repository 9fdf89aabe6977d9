import assert from "node:assert/strict";
import { request } from "node:http";
import { test, type TestContext } from "node:test";
import { ModelServer, Refusal, type Models, type Question } from "../../src/assistants/modelServer.ts";
import { commandLines, consentText, environmentFile, servedName } from "../../src/assistants/servedModelText.ts";

/** A model that says what it was asked, in two pieces; `broken` breaks off after the first. */
class Echo implements Models {
  readonly asked: Question[] = [];
  stopped: AbortSignal | undefined;

  names(): Promise<readonly string[]> {
    return Promise.resolve(["test/echo"]);
  }

  async *ask(question: Question, stopped: AbortSignal): AsyncIterable<string> {
    this.asked.push(question);
    this.stopped = stopped;
    await Promise.resolve();
    if (question.model === "test/none") throw new Refusal(404, "There is no model test/none.");
    yield "You said: ";
    if (question.model === "test/broken") throw new Error("The provider hung up.");
    yield question.messages.at(-1)?.text ?? "";
  }

  countTokens(_model: string, text: string): Promise<number> {
    return Promise.resolve(text.split(/\s+/).filter(Boolean).length);
  }
}

async function served(context: TestContext): Promise<[ModelServer, Echo]> {
  const models = new Echo();
  const server = await ModelServer.start(models);
  context.after(() => server.stop());
  return [server, models];
}

const QUESTION = {
  model: "test/echo",
  messages: [
    { role: "system", content: "Be short." },
    { role: "user", content: [{ type: "text", text: "Hello there" }] },
  ],
  temperature: 0,
};

function post(server: ModelServer, body: unknown, token = server.token): Promise<Response> {
  return fetch(`${server.address}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

test("a question is answered as a chat completion, with counted tokens", async (context) => {
  const [server, models] = await served(context);
  const answer = await post(server, QUESTION);
  const body = (await answer.json()) as { choices: { message: { content: string } }[]; usage: object };
  assert.equal(answer.status, 200);
  assert.equal(body.choices[0]!.message.content, "You said: Hello there");
  assert.deepEqual(body.usage, { prompt_tokens: 4, completion_tokens: 4, total_tokens: 8 });
  assert.deepEqual(models.asked, [
    {
      model: "test/echo",
      messages: [
        { role: "user", text: "Be short." },
        { role: "user", text: "Hello there" },
      ],
      options: { temperature: 0 },
    },
  ]);
  assert.equal(server.asked, 1);
});

test("a streamed answer comes in pieces, with usage if it is asked for, and says when it is whole", async (context) => {
  const [server] = await served(context);
  const answer = await post(server, { ...QUESTION, stream: true, stream_options: { include_usage: true } });
  const lines = (await answer.text()).split("\n\n").filter(Boolean);
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice("data: ".length)) as Chunk);
  assert.equal(lines.at(-1), "data: [DONE]");
  assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""), "You said: Hello there");
  assert.deepEqual(chunks.at(-1)!.usage, { prompt_tokens: 4, completion_tokens: 4, total_tokens: 8 });
});

interface Chunk {
  readonly choices: { delta: { content?: string } }[];
  readonly usage?: object;
}

test("a stream that breaks off does not look whole", async (context) => {
  const [server] = await served(context);
  const text = await (await post(server, { ...QUESTION, model: "test/broken", stream: true })).text();
  assert.match(text, /The provider hung up/);
  assert.doesNotMatch(text, /DONE/);
  assert.equal((await post(server, { ...QUESTION, model: "test/broken" })).status, 502);
});

test("nobody is answered without the token, nor a page that was led here by another name", async (context) => {
  const [server, models] = await served(context);
  assert.equal((await post(server, QUESTION, "wrong")).status, 401);
  assert.equal((await fetch(`${server.address}/models`)).status, 401);
  const port = new URL(server.address).port;
  const status = await new Promise((resolve, reject) => {
    const headers = { host: `evil.example:${port}`, authorization: `Bearer ${server.token}` };
    request({ host: "127.0.0.1", port, path: "/v1/models", headers }, (response) => resolve(response.statusCode))
      .on("error", reject)
      .end();
  });
  assert.equal(status, 403);
  assert.deepEqual(models.asked, []);
});

const REFUSED: readonly (readonly [string, unknown, number, RegExp])[] = [
  ["no JSON", "{", 400, /not JSON/],
  ["no model", { messages: QUESTION.messages }, 400, /`model` is missing/],
  ["no messages", { model: "test/echo", messages: [] }, 400, /`messages`/],
  ["tools", { ...QUESTION, tools: [{ type: "function" }] }, 400, /without tools/],
  ["a picture", { ...QUESTION, messages: [{ role: "user", content: [{ type: "image_url" }] }] }, 400, /Only text/],
  ["a tool's result", { ...QUESTION, messages: [{ role: "tool", content: "x" }] }, 400, /Only the roles/],
  ["two replies", { ...QUESTION, n: 2 }, 400, /`n` has to be 1/],
  ["an unknown model", { ...QUESTION, model: "test/none" }, 404, /no model test\/none/],
];

for (const [name, body, status, told] of REFUSED) {
  test(`${name}: refused with a sentence`, async (context) => {
    const [server] = await served(context);
    const answer = await post(server, body);
    assert.equal(answer.status, status);
    assert.match(((await answer.json()) as { error: { message: string } }).error.message, told);
  });
}

test("models are listed, other addresses are not there", async (context) => {
  const [server] = await served(context);
  const headers = { authorization: `Bearer ${server.token}` };
  const { data } = (await (await fetch(`${server.address}/models`, { headers })).json()) as { data: { id: string }[] };
  assert.deepEqual(
    data.map(({ id }) => id),
    ["test/echo"],
  );
  assert.equal((await fetch(`${server.address}/embeddings`, { headers })).status, 404);
});

test("who agrees reads what is sent to whom, and the commands hold no token", () => {
  const name = servedName({ vendor: "copilot", id: "gpt" });
  assert.match(consentText([`GPT (${name})`]), /copilot\/gpt.*\n\n.*goes to the provider.*in your name/s);
  assert.match(environmentFile("http://127.0.0.1:1/v1", "secret"), /^export EDITOR_BASE_URL='http:\/\/127.0.0.1:1\/v1'$/m);
  assert.equal(
    commandLines("/a's/file", name),
    `. '/a'\\''s/file'\nbenchwright eval --pack starter --model 'openai-api/editor/copilot/gpt'\n`,
  );
});
