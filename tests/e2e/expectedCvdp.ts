import type { Walked } from "./walkedStudy.ts";

/** Every file of CVDP's shape: one folder for each condition, and no composite, as everything was tried once. */
export function expectedCvdp({ arbiter, fifo, uart }: Walked, made: string): Record<string, unknown> {
  const timestamp = made.slice(0, 19).replace("T", " ");
  const solved = { id: "round-robin-arbiter", category: "cid002", passed: true, execution: arbiter.clockSeconds() };
  const failed = { id: "sync-fifo", category: "cid003", passed: false, execution: fifo.clockSeconds() };
  const gaveUp = { id: "uart-parity", category: "cid004", passed: false, execution: uart.clockSeconds() };
  return {
    "alone/raw_result.json": rawResult([solved, gaveUp]),
    "alone/report.json": report([solved, gaveUp], "alone", timestamp),
    "alone/report.txt": ALONE.replace("TIMESTAMP", timestamp),
    "copilot/raw_result.json": rawResult([failed]),
    "copilot/report.json": report([failed], "copilot", timestamp),
    "copilot/report.txt": COPILOT.replace("TIMESTAMP", timestamp),
  };
}

interface Sample {
  readonly id: string;
  readonly category: string;
  readonly passed: boolean;
  readonly execution: number;
}

function rawResult(samples: readonly Sample[]): object {
  const entries = samples.map(({ id, category, passed, execution }) => {
    const tests = [{ result: passed ? 0 : 1, log: null, error_msg: null, execution }];
    return [id, { category, difficulty: "medium", tests, errors: passed ? 0 : 1 }] as const;
  });
  return Object.fromEntries(entries);
}

function report(samples: readonly Sample[], agent: string, timestamp: string): object {
  const counted = (passed: number, total: number): object => {
    const of = (what: string): object => ({
      [`Passed ${what}`]: passed,
      [`Failed ${what}`]: total - passed,
      [`Total ${what}`]: total,
      [`Passed ${what} (%)`]: total ? (100 * passed) / total : 0,
    });
    return { ...of("Tests"), ...of("Problems") };
  };
  const categories = samples.map(({ id, category, passed }) => {
    const medium = counted(Number(passed), 1);
    return [category, { easy: counted(0, 0), medium, hard: counted(0, 0), logs: [{ id, log: null }] }] as const;
  });
  const tests = (wanted: boolean, more: object): object[] =>
    samples
      .filter(({ passed }) => passed === wanted)
      .map(({ id, category }) => ({ test_id: id, category, difficulty: "medium", test_index: 0, log: null, ...more }));
  return {
    ...Object.fromEntries(categories),
    metadata: {
      dataset_path: "starter",
      timestamp,
      golden_mode: false,
      disable_patch: false,
      model_agent: agent,
      force_agentic: null,
      force_agentic_include_golden: null,
      force_agentic_include_harness: null,
      force_copilot: null,
      copilot_refine: null,
    },
    test_details: {
      failing_tests: tests(false, { error_msg: null, agent_error: null }),
      passing_tests: tests(true, {}),
    },
  };
}

const ALONE = `
=== Benchmark Report ===
Dataset: starter
Generated: TIMESTAMP

=== Run Configuration ===
Golden Mode: No
Patches Disabled: No
Model/Agent: alone
=======================


=== Overall Test Statistics ===
+----------------+--------+
| Total Tests    | 2      |
+----------------+--------+
| Passed Tests   | 1      |
+----------------+--------+
| Failed Tests   | 1      |
+----------------+--------+
| Test Pass Rate | 50.00% |
+----------------+--------+

=== Overall Problem Statistics ===
+-------------------+--------+
| Total Problems    | 2      |
+-------------------+--------+
| Passed Problems   | 1      |
+-------------------+--------+
| Failed Problems   | 1      |
+-------------------+--------+
| Problem Pass Rate | 50.00% |
+-------------------+--------+

=== Problem Results by Difficulty ===
+------------+-------+------+------+--------+
| Difficulty | Total | Pass | Fail | Rate   |
+============+=======+======+======+========+
| Medium     |     2 |    1 |    1 | 50.00% |
+------------+-------+------+------+--------+

=== Test Results by Category ===
+--------+-------+------+------+---------+
| Cat    | Total | Pass | Fail | Rate    |
+========+=======+======+======+=========+
| cid002 |     1 |    1 |    0 | 100.00% |
+--------+-------+------+------+---------+
| cid004 |     1 |    0 |    1 | 0.00%   |
+--------+-------+------+------+---------+

=== Problem Results by Category ===
+--------+-------+------+------+---------+
| Cat    | Total | Pass | Fail | Rate    |
+========+=======+======+======+=========+
| cid002 |     1 |    1 |    0 | 100.00% |
+--------+-------+------+------+---------+
| cid004 |     1 |    0 |    1 | 0.00%   |
+--------+-------+------+------+---------+

=== Test Results by Category and Difficulty ===
+--------+------+--------+------+-------+---------+-------+
| Cat    | Easy | Medium | Hard | Easy% | Medium% | Hard% |
+========+======+========+======+=======+=========+=======+
| cid002 | -    | 1/1    | -    | -     | 100.0%  | -     |
+--------+------+--------+------+-------+---------+-------+
| cid004 | -    | 0/1    | -    | -     | 0.0%    | -     |
+--------+------+--------+------+-------+---------+-------+

=== Problem Results by Category and Difficulty ===
+--------+------+--------+------+-------+---------+-------+
| Cat    | Easy | Medium | Hard | Easy% | Medium% | Hard% |
+========+======+========+======+=======+=========+=======+
| cid002 | -    | 1/1    | -    | -     | 100.00% | -     |
+--------+------+--------+------+-------+---------+-------+
| cid004 | -    | 0/1    | -    | -     | 0.00%   | -     |
+--------+------+--------+------+-------+---------+-------+

=== Failing Problems ===
+---+--------------------------+-----------------+--------------+--------------------+
| # | Problem ID               | Category        | Failed Tests | Log/Error          |
+===+==========================+=================+==============+====================+
| 1 | uart-parity              | cid004 (medium) | 1            |                    |
+---+--------------------------+-----------------+--------------+--------------------+
|   |    ↳ Test 1: uart-parity |                 |              | Log: Not Available |
+---+--------------------------+-----------------+--------------+--------------------+

=== Passing Problems ===
+---+----------------------------------+-----------------+--------------+--------------------+
| # | Problem ID                       | Category        | Passed Tests | Log/Status         |
+===+==================================+=================+==============+====================+
| 1 | round-robin-arbiter              | cid002 (medium) | 1            |                    |
+---+----------------------------------+-----------------+--------------+--------------------+
|   |    ↳ Test 1: round-robin-arbiter |                 |              | Log: Not Available |
+---+----------------------------------+-----------------+--------------+--------------------+
`;

const COPILOT = `
=== Benchmark Report ===
Dataset: starter
Generated: TIMESTAMP

=== Run Configuration ===
Golden Mode: No
Patches Disabled: No
Model/Agent: copilot
=======================


=== Overall Test Statistics ===
+----------------+-------+
| Total Tests    | 1     |
+----------------+-------+
| Passed Tests   | 0     |
+----------------+-------+
| Failed Tests   | 1     |
+----------------+-------+
| Test Pass Rate | 0.00% |
+----------------+-------+

=== Overall Problem Statistics ===
+-------------------+-------+
| Total Problems    | 1     |
+-------------------+-------+
| Passed Problems   | 0     |
+-------------------+-------+
| Failed Problems   | 1     |
+-------------------+-------+
| Problem Pass Rate | 0.00% |
+-------------------+-------+

=== Problem Results by Difficulty ===
+------------+-------+------+------+-------+
| Difficulty | Total | Pass | Fail | Rate  |
+============+=======+======+======+=======+
| Medium     |     1 |    0 |    1 | 0.00% |
+------------+-------+------+------+-------+

=== Test Results by Category ===
+--------+-------+------+------+-------+
| Cat    | Total | Pass | Fail | Rate  |
+========+=======+======+======+=======+
| cid003 |     1 |    0 |    1 | 0.00% |
+--------+-------+------+------+-------+

=== Problem Results by Category ===
+--------+-------+------+------+-------+
| Cat    | Total | Pass | Fail | Rate  |
+========+=======+======+======+=======+
| cid003 |     1 |    0 |    1 | 0.00% |
+--------+-------+------+------+-------+

=== Test Results by Category and Difficulty ===
+--------+------+--------+------+-------+---------+-------+
| Cat    | Easy | Medium | Hard | Easy% | Medium% | Hard% |
+========+======+========+======+=======+=========+=======+
| cid003 | -    | 0/1    | -    | -     | 0.0%    | -     |
+--------+------+--------+------+-------+---------+-------+

=== Problem Results by Category and Difficulty ===
+--------+------+--------+------+-------+---------+-------+
| Cat    | Easy | Medium | Hard | Easy% | Medium% | Hard% |
+========+======+========+======+=======+=========+=======+
| cid003 | -    | 0/1    | -    | -     | 0.00%   | -     |
+--------+------+--------+------+-------+---------+-------+

=== Failing Problems ===
+---+------------------------+-----------------+--------------+--------------------+
| # | Problem ID             | Category        | Failed Tests | Log/Error          |
+===+========================+=================+==============+====================+
| 1 | sync-fifo              | cid003 (medium) | 1            |                    |
+---+------------------------+-----------------+--------------+--------------------+
|   |    ↳ Test 1: sync-fifo |                 |              | Log: Not Available |
+---+------------------------+-----------------+--------------+--------------------+

=== Passing Problems ===
No passing problems found.
`;
