/** Timeouts and intervals of a WebSocket of the feed, in milliseconds. Pure. */

export type Timing = {
  heartbeatMs: number
  /** Interval of pings, and timeout of the pong. */
  pingMs: number
  /** Timeout of a client that reads nothing of the unsent bytes. */
  stallMs: number
  /** Timeout of the first subscription. */
  subscribeMs: number
  /** Timeout of reaching a cursor that another process issued and this one has not read yet. */
  aheadMs: number
  /** Timeout of the closing handshake, after which the connection is cut. */
  cutMs: number
  /** Interval at which timeouts are checked. */
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
