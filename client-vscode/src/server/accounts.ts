import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { ServiceAccount } from "../generated/protocol.ts";
import type { Server } from "./server.ts";
import { signIn } from "./signIn.ts";

const PROVIDER = "benchwright";

/** The bench services that somebody has signed in to, in the editor's menu of accounts. Tokens stay with the server. */
export class Accounts implements vscode.AuthenticationProvider, vscode.Disposable {
  private readonly server: Server;
  private readonly changed = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  private readonly registered: vscode.Disposable;
  private known: vscode.AuthenticationSession[] = [];

  readonly onDidChangeSessions = this.changed.event;

  constructor(server: Server) {
    this.server = server;
    this.registered = vscode.authentication.registerAuthenticationProvider(PROVIDER, "Benchwright", this, {
      supportsMultipleAccounts: true,
    });
  }

  async getSessions(): Promise<vscode.AuthenticationSession[]> {
    return this.take((await this.server.request("accounts", {})).accounts);
  }

  async createSession(): Promise<vscode.AuthenticationSession> {
    const signedInto = await this.signIn();
    const session = this.known.find((one) => one.id === signedInto);
    if (!session) throw new Error(t("Nobody signed in."));
    return session;
  }

  async removeSession(id: string): Promise<void> {
    this.take((await this.server.request("signOut", { url: id })).accounts);
  }

  /** Signs in at a course's service; returns its address, or nothing if nobody did. */
  async signIn(): Promise<string | undefined> {
    const signedInto = await signIn(this.server);
    await this.getSessions();
    return signedInto;
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }

  private take(accounts: readonly ServiceAccount[]): vscode.AuthenticationSession[] {
    const before = this.known;
    this.known = accounts.map((account) => ({
      id: account.url,
      account: { id: account.url, label: `${account.name}, ${vscode.Uri.parse(account.url).authority}` },
      scopes: [],
      // No other extension gets one.
      accessToken: "",
    }));
    const added = this.known.filter((one) => !before.some((other) => other.id === one.id));
    const removed = before.filter((one) => !this.known.some((other) => other.id === one.id));
    if (added.length + removed.length) this.changed.fire({ added, removed, changed: [] });
    return this.known;
  }
}
