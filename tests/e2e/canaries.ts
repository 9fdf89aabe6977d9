import { starterFile } from "./starter.ts";

/** No public text holds this; what follows it marks one place of a hidden part. */
export const CANARY = "quetzal-7f3a91";
const canary = (place: string): string => `${CANARY}-${place}`;

/** A design problem of the starter pack, as a record of CVDP's. */
interface Source {
  readonly id: string;
  /** Its name in the starter pack. */
  readonly problem: string;
  /** The one file that the solver writes, such as `rtl/fifo.sv`. */
  readonly file: string;
  /** The hidden tests in Python, such as `test_fifo.py`. */
  readonly tests: string;
  /** Changes the hidden tests. */
  readonly edit?: (tests: string) => string;
}

/** A problem in CVDP's form whose hidden files all hold canaries, also in what they print. */
export function withCanaries({ id, problem, file, tests, edit }: Source): object {
  const hidden = (...path: string[]) => starterFile(problem, "hidden", "harness", ...path);
  const text = hidden("src", tests);
  const prints = `print("${canary("printed")}")\nimport sys\nprint("${canary("error")}", file=sys.stderr)\n`;
  return {
    id,
    categories: ["cid003", "easy"],
    input: {
      prompt: starterFile(problem, "statement.md"),
      context: { [file]: starterFile(problem, "public", file) },
    },
    output: {
      response: "",
      context: { [file]: `// ${canary("reference")}\n${starterFile(problem, "hidden", "reference", file)}` },
    },
    harness: {
      files: {
        "docker-compose.yml": `# ${canary("compose")}\n${hidden("docker-compose.yml")}`,
        "src/.env": `${hidden("src", ".env").trimEnd()}\nCANARY=${canary("environment")}\n`,
        "src/test_runner.py": `# ${canary("runner")}\n${hidden("src", "test_runner.py")}\n${prints}`,
        [`src/${tests}`]: `${edit ? edit(text) : text}\n# ${canary("test")}\n${prints}`,
      },
    },
  };
}
