/** How a server's version compares with the extension's. */
export type Comparison = "same" | "older" | "newer";

/** Compares by release numbers: `0.2.0rc1` (Python) and `0.2.0-rc.1` (npm) write the rest differently. */
export function compareVersions(server: string, extension: string): Comparison {
  const [one, other] = [release(server), release(extension)];
  for (let place = 0; place < Math.max(one.length, other.length); place += 1) {
    const difference = (one[place] ?? 0) - (other[place] ?? 0);
    if (difference !== 0) return difference < 0 ? "older" : "newer";
  }
  return "same";
}

function release(version: string): number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "0").split(".").map(Number);
}
