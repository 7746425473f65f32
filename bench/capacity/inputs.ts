/**
 * The measured cost of a swap. CPU comes from docs/performance.md: a steady load, where small commits dominate, and full
 * speed, where they do not. Bytes come from 2,000,000 swaps of the simulated market in an installation of two lanes
 * (docs/capacity.md has the statement that measures them). A test compares the CPU with the document.
 */

export const PROGRAMS = ['pool', 'ledger', 'ranking', 'PostgreSQL', 'NATS', 'API'] as const
export type Program = (typeof PROGRAMS)[number]

/** Swaps a second and lanes of the steady load. */
export const STEADY = { swapsPerSecond: 2_000, lanes: 2 }

/** Microseconds of CPU a swap. `full` of the API was not measured: it is that of the steady load. */
export const CPU_US: Record<Program, { steady: number; full: number }> = {
  pool: { steady: 114, full: 13.2 },
  ledger: { steady: 41, full: 13.5 },
  ranking: { steady: 137, full: 5 },
  PostgreSQL: { steady: 289, full: 27.1 },
  NATS: { steady: 82, full: 3.2 },
  API: { steady: 76, full: 76 },
}

/** Microseconds of CPU of a request, mixed reads of all routes that no cache answers. */
export const READ_US = { API: 617, PostgreSQL: 850 }

/** Events a second that a core of the API sends to WebSockets, one a message. */
export const EVENTS_PER_CORE = 463_000

/** Bytes on disk with indexes, and rows a swap. */
export const TABLES = {
  swap: { rowBytes: 501.3, rowsPerSwap: 1 },
  swap_signature: { rowBytes: 100.2, rowsPerSwap: 1 },
  position: { rowBytes: 807, rowsPerSwap: 0.328 },
  position_hour: { rowBytes: 239.8, rowsPerSwap: 0.344 },
  pool_trader: { rowBytes: 127, rowsPerSwap: 0.417 },
} as const

/** Candles, traders, tokens, pools, rankings: the rest of the database, a swap. */
export const REST_BYTES = 86.1
/** Rows of `wallet` and `market_trader`. */
export const WALLET_BYTES = 196.7 + 109.9

/** Bytes a swap: stored in each stream, written to the log of PostgreSQL, as JSON for a client. */
export const SWAP_STREAM_BYTES = 306
export const FEED_STREAM_BYTES = 321
export const WAL_BYTES = 1_708
export const JSON_BYTES = 864

/** Resident bytes of a process after 2,000,000 swaps; that of the ranking worker grows with active tokens. */
export const PROCESS_BYTES = {
  pool: 640_094_208,
  ledger: 577_609_728,
  ranking: 727_195_648,
  API: 438_079_488,
  jobs: 302_354_432,
} as const
