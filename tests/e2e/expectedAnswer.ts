import { number, significant } from "./arithmetic.ts";
import { few, minutes, type Section, type Walked } from "./walkedStudy.ts";

/** What the report begins with: by condition who solved, and how fast. */
export function answer(walked: Walked): Omit<Section, "role"> {
  const { pass, failed } = minutes(walked);
  const shown = Math.min(pass, failed);
  // The tasks of one person are all different, so nothing can be compared.
  const none = { solved_difference: null, time: null };
  return {
    title: "The answer",
    says: ["Exploratory: the study was not preregistered."],
    without: null,
    numbers: {
      conditions: [
        { group: "alone", attempts: 2, people: 1, problems: 2, solved: few(0.5, 2), minutes: few(shown, 2), ...none },
        { group: "copilot", attempts: 1, people: 1, problems: 1, solved: few(0, 1), minutes: few(failed, 1), ...none },
      ],
      population: "per-protocol",
      limit: { minutes: failed, why: /^(when|since) the longest attempt / },
    },
    tables: [
      {
        title: "The answer, by condition",
        columns: [
          ...["condition", "solved", "percentage points more than alone", `mean minutes up to ${significant(failed, 3)} min`],
          ...["change of time against alone", "attempts", "people", "problems"],
        ],
        rows: [
          ["alone", "50 %", "–", number(shown, 3), "–", 2, 1, 2],
          ["copilot", "0 %", "–", number(failed, 3), "–", 1, 1, 1],
        ],
      },
    ],
    pictures: [
      {
        id: "headline",
        title: "Solved, by condition",
        alt: "Solved, with 95 % intervals: alone 50 %; copilot 0 %.",
      },
    ],
  };
}
