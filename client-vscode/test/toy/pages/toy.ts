import { connect } from "../../../src/webview/connection.ts";
import { main } from "../../../src/webview/elements.ts";

export interface ToToy {
  readonly type: "greeting";
  readonly text: string;
}

export interface FromToy {
  readonly type: "thanks";
}

const send = connect<ToToy, FromToy>(({ text }) => {
  main().append(text);
  send({ type: "thanks" });
});
