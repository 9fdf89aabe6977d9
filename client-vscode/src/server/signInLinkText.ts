/** A link that signs in once. */
export interface SignInLink {
  /** The service's address. */
  readonly url: string;
  readonly code: string;
}

const LINK_PREFIX = "bwl_";

/** The link that a URI's path and query are; nothing if they are none. An invitation is none: it would be joined with the account of before. */
export function linkOf(path: string, query: string): SignInLink | undefined {
  if (path !== "/sign-in") return undefined;
  const fields = new URLSearchParams(query);
  const url = fields.get("url") ?? "";
  const code = fields.get("code") ?? "";
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(url) || !code.startsWith(LINK_PREFIX) || !/^[\w-]{1,200}$/.test(code)) return undefined;
  return { url, code };
}
