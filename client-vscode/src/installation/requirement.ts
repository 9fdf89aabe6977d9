import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DISTRIBUTION } from "../generated/protocol.ts";

/**
 * The arguments of `pip install` that name Benchwright.
 *
 * @param version Version of the extension, which the server's has to match.
 * @param source Setting `benchwright.install.source`: empty for the package index; a wheel; a folder of wheels; a
 *   checkout; or a requirement such as `benchwright[all]==0.1.0`.
 */
export function requirement(version: string, source: string): string[] {
  const wanted = source.trim();
  const exact = `${DISTRIBUTION}==${version}`;
  if (wanted === "") return [exact];
  if (!existsSync(wanted)) return ["--", wanted];
  const isFolder = statSync(wanted).isDirectory();
  if (!isFolder || existsSync(join(wanted, "pyproject.toml"))) return ["--", wanted];
  return ["--find-links", wanted, exact];
}
