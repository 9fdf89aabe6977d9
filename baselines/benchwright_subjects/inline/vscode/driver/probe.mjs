// The driver's end of the connection to the probe extension.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

export class Probe {
  #connection;
  #number = 0;
  #pending = new Map();
  #fired = () => undefined;

  /** Listens on loopback; `arrived` resolves when the probe has connected. */
  static async listen() {
    const probe = new Probe();
    const token = randomBytes(16).toString("hex");
    const server = createServer((connection) => probe.#greet(connection, token));
    probe.arrived = new Promise((resolve) => (probe.hasArrived = resolve));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    probe.place = { port: server.address().port, token };
    return probe;
  }

  /** Asks for one of the probe's methods. */
  ask(method, params = {}) {
    this.#number += 1;
    const id = this.#number;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#connection.write(`${JSON.stringify({ id, method, params })}\n`);
    });
  }

  /** The next key binding of the probe's that fires. */
  key() {
    return new Promise((resolve) => (this.#fired = resolve));
  }

  #greet(connection, token) {
    connection.on("error", () => undefined);
    let isKnown = false;
    createInterface({ input: connection }).on("line", (line) => {
      const message = parsed(line);
      if (isKnown) return this.#take(message);
      const given = Buffer.from(String(message.token));
      isKnown = this.#connection === undefined && given.length === token.length && timingSafeEqual(given, Buffer.from(token));
      if (!isKnown) return connection.destroy();
      this.#connection = connection;
      this.hasArrived();
    });
  }

  #take({ id, key, result, error }) {
    if (key !== undefined) return this.#fired(key);
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(String(error)));
  }
}

function parsed(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
