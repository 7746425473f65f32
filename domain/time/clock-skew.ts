/**
 * Times that a wrong clock wrote. What lies ahead of now by more than clocks of different machines are apart
 * says nothing: it would otherwise be taken for fresh until it is reached, hours later. Pure.
 */

/** Milliseconds that clocks may be apart, as for leases. */
const SKEW_MS_MAX = 60_000

/** The last time that a clock which is right may have written by now. */
export function latestMs(nowMs: number): number {
  return nowMs + SKEW_MS_MAX
}
