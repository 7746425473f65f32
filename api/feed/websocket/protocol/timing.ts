/** How long a WebSocket of the feed waits for what, in milliseconds. Pure. */

export type Timing = {
  heartbeatMs: number
  /** Between two pings, and for the pong. */
  pingMs: number
  /** For a client to read anything of what is unsent. */
  stallMs: number
  /** For the first subscription. */
  subscribeMs: number
  /** For this process to read what another has: a cursor of its. */
  aheadMs: number
  /** For a client to take the close before it is cut. */
  cutMs: number
  /** Between two looks at what is due. */
  tickMs: number
}

export const TIMING: Timing = {
  heartbeatMs: 15_000,
  pingMs: 20_000,
  stallMs: 30_000,
  subscribeMs: 30_000,
  aheadMs: 2_000,
  cutMs: 1_000,
  tickMs: 1_000,
}
