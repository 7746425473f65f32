/** Seeds that once failed, with the bug that each found. They run first, always. */
export const FAILED_SEEDS: readonly { seed: number; found: string }[] = []
