/** Seeds that once failed, by suite, with the bug that each found. They run first, always. */

/** The suites of seeds. */
export type Suite = 'simulation' | 'ledger' | 'retraction'

type FailedSeed = { seed: number; found: string }

export const FAILED_SEEDS: Readonly<Record<Suite, readonly FailedSeed[]>> = {
  simulation: [
    {
      seed: 11,
      found:
        'a transaction placed twice had one row in swap_signature: its second place was not found',
    },
  ],
  ledger: [],
  retraction: [],
}
