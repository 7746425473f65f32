/** The steady load that everything is measured at or beside, and how figures name it. */

export const SWAPS_PER_SECOND = 2_000
/** `2,000 swaps/s` */
export const STEADY = `${SWAPS_PER_SECOND.toLocaleString('en-US')} swaps/s`
