import type { BuildOptions } from "esbuild";

export function webviewPages(folder: string): BuildOptions;
