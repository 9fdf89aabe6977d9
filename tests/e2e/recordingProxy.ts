import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Received } from "./receivedByBrowser.ts";

const DECODERS: Readonly<Record<string, (packed: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
};

/** Stands between students' machines and a service, and keeps every answer that goes to them. */
export class RecordingProxy implements AsyncDisposable {
  readonly answers: Received[] = [];
  /** The address of the service. */
  service = "";
  private readonly server = createServer((asked, answered) => this.pass(asked, answered));

  static async start(): Promise<RecordingProxy> {
    const proxy = new RecordingProxy();
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Where students reach the service. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(asked: IncomingMessage, answered: ServerResponse): void {
    const { method, url, headers } = asked;
    const onward = request(`${this.service}${url!}`, { method: method!, headers }, (answer) => {
      answered.writeHead(answer.statusCode!, answer.rawHeaders);
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => this.keep(`${method!} ${url!}`, answer, Buffer.concat(parts)));
      answer.pipe(answered);
    });
    onward.on("error", () => answered.destroy());
    answered.on("close", () => onward.destroy());
    asked.pipe(onward);
  }

  private keep(from: string, { statusCode, headers, rawHeaders }: IncomingMessage, body: Buffer): void {
    const decode = DECODERS[headers["content-encoding"] ?? ""];
    const text = (decode && body.length > 0 ? decode(body) : body).toString();
    this.answers.push({ from, text: `${statusCode!}\n${rawHeaders.join("\n")}\n${text}` });
  }
}
