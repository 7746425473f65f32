/**
 * The measured cost of a swap. CPU comes from the recorded measurements: a steady load, where small commits dominate, and
 * full speed, where they do not. Bytes come from 2,000,000 swaps of the simulated market in an installation of two lanes, those
 * of a position from 200,000 since its rows are narrower (docs/capacity.md has the statement that measures them).
 */
import type { Measurements } from '../record/measurements.ts'

export const PROGRAMS = ['pool', 'ledger', 'ranking', 'PostgreSQL', 'NATS', 'API'] as const
export type Program = (typeof PROGRAMS)[number]

/** Swaps a second and lanes of the steady load. */
export const STEADY = { swapsPerSecond: 2_000, lanes: 2 }

/** CPU in microseconds. */
export type Costs = {
  /** CPU a swap. `full` of the API is not measured: the cost of the steady load is taken. */
  swap: Record<Program, { steady: number; full: number }>
  /** CPU a request, mixed reads of all routes that no cache answers. */
  read: { API: number; PostgreSQL: number }
  /** Events a second that a core of the API sends to WebSockets, one a message. */
  eventsPerCore: number
}

const STEADY_ROW = 'steady load with ledger and ranking at 2,000 swaps/s, 100,000 active tokens'
const FULL_ROW = 'pipeline with ledger and ranking, a worker process each'
const READ_ROW = 'reads at 500 reads/s alongside 2,000 swaps/s'
const EVENTS_ROW = 'fan-out, WebSocket, messages of 1, by the core'
export const COST_ROWS = [STEADY_ROW, FULL_ROW, READ_ROW, EVENTS_ROW] as const

/** Throws where a row or its CPU is lacking. */
export function costsFrom({ rows, commit }: Pick<Measurements, 'rows' | 'commit'>): Costs {
  const rowOf = (figure: string) => rows.find((row) => row.figure === figure)
  const cpuOf = (figure: string, program: string): number => {
    const micros = rowOf(figure)?.cpu?.[program]
    if (micros === undefined) throw new Error(`${commit}: "${figure}" has no CPU of ${program}`)
    return Number(micros.toFixed(micros < 100 ? 1 : 0))
  }
  const swapOf = (name: Program) => {
    const steady = cpuOf(STEADY_ROW, name)
    return { steady, full: name === 'API' ? steady : cpuOf(FULL_ROW, name) }
  }
  return {
    swap: {
      pool: swapOf('pool'),
      ledger: swapOf('ledger'),
      ranking: swapOf('ranking'),
      PostgreSQL: swapOf('PostgreSQL'),
      NATS: swapOf('NATS'),
      API: swapOf('API'),
    },
    read: { API: cpuOf(READ_ROW, 'API'), PostgreSQL: cpuOf(READ_ROW, 'PostgreSQL') },
    eventsPerCore: Math.round(rowOf(EVENTS_ROW)?.median ?? Number.NaN),
  }
}

/** Bytes on disk with indexes, and rows a swap. */
export const TABLES = {
  swap: { rowBytes: 501.3, rowsPerSwap: 1 },
  swap_signature: { rowBytes: 100.2, rowsPerSwap: 1 },
  position: { rowBytes: 436, rowsPerSwap: 0.328 },
  position_hour: { rowBytes: 239.8, rowsPerSwap: 0.344 },
  pool_trader: { rowBytes: 127, rowsPerSwap: 0.417 },
} as const

/** Bytes of a sealed swap: its blocks and postings with their indexes, in place of its rows of swap and swap_signature. */
export const SEALED_BYTES = 102
/** Hours of swaps of a chunk, which is sealed as a whole. */
export const CHUNK_HOURS = 6

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
