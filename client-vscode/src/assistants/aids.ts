/** The server's names of the kinds of help that a study or an assignment can forbid. */
export const AIDS: readonly string[] = [
  "hints",
  "explanations",
  "generated",
  "own_tests",
  "waveforms",
  "design_views",
  "agent_tools",
];

/** Those for a design that belongs to no attempt. */
export const OWN_WORK: readonly string[] = ["explanations", "generated", "own_tests", "waveforms", "design_views"];
