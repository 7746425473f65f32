/**
 * Times that a wrong clock wrote. A time further ahead than clocks of different machines differ is ignored: it would
 * otherwise count as fresh until the clock reaches it, hours later. Pure.
 */

/** Milliseconds that clocks may be apart, as for leases. */
const SKEW_MS_MAX = 60_000

/** The last time that a clock which is right may have written by now. */
export function latestMs(nowMs: number): number {
  return nowMs + SKEW_MS_MAX
}
