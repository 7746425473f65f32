/** Seeds that once failed, with the bug that each found. They run first, always. */
export const FAILED_SEEDS: readonly { seed: number; found: string }[] = [
  {
    seed: 11,
    found:
      'a transaction placed twice had one row in swap_signature: its second place was not found',
  },
]
