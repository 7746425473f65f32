/**
 * The model of docs/capacity.md: the needs of a load, from the measured inputs. Pure. CPU of a program is a part that lanes
 * cost whatever the rate is (commits and wake-ups) and a part that each swap costs. Above the steady load the first part is an upper bound,
 * since batches grow and commits do not become more frequent.
 */
import { FEED_DAYS } from '../../domain/stream-bounds.ts'
import {
  CHUNK_HOURS,
  type Costs,
  FEED_STREAM_BYTES,
  JSON_BYTES,
  PROCESS_BYTES,
  PROGRAMS,
  type Program,
  REST_BYTES,
  SEALED_BYTES,
  STEADY,
  SWAP_STREAM_BYTES,
  TABLES,
  WAL_BYTES,
  WALLET_BYTES,
} from './inputs.ts'

export type Load = {
  /** Swaps a second in the busiest minutes. */
  peak: number
  /** Average over the whole time, as percent of the peak. */
  averagePercent: number
  wallets: number
  days: number
  lanes: number
  /** Reads a second that no cache answers. */
  reads: number
  /** Clients that receive every swap. */
  subscribers: number
  /** Copies of the database alongside the primary. */
  standbys: number
  /** Servers that hold each stream. */
  streamCopies: number
  /** SWAP_BYTES and FEED_BYTES. */
  swapBytes: number
  feedBytes: number
  apiProcesses: number
  /** SEAL_AFTER_HOURS; 0: no swap is sealed. */
  sealHours: number
  /** Size of the disk of one copy of the database. */
  diskBytes: number
}

export type Plan = {
  swaps: number
  /** Cores at the peak. */
  cores: Record<Program, number>
  /** The same as planned: half of each core stays free for bursts, catching up and slow hours of the machine. */
  coresPlanned: number
  memory: { processes: number; database: number }
  /** `swap`, `sealedSwap`: bytes of a swap in the table or sealed, with all that is stored of it; `days`: of such a load on the disk. */
  disk: {
    swap: number
    sealedSwap: number
    database: number
    databases: number
    streams: number
    days: number
  }
  /** Bits a second at the peak. */
  network: { nats: number; database: number; clients: number }
  /** Seconds at the peak: SWAP until producers wait, FEED until a cursor is too old. */
  buffered: { swap: number; feed: number }
  /** Swaps a second that one lane of an actor can apply on a core of its own. */
  laneBound: { pool: number; ledger: number }
  /**
   * Uncached reads a second: of the processes of the API on a core each, in addition to what swaps and subscribers take there; and of one
   * core of each standby (of the primary where there is none), without what the standby needs to follow.
   */
  readBound: { api: number; database: number }
}

const US = 1e-6
const DAY_SECONDS = 86_400
const USED_SHARE = 0.5
/** The time whose positions and signatures PostgreSQL should find in memory: an assumption, not measured. */
const HOT_SECONDS = 6 * 3_600
const DATABASE_MEMORY_MIN = 4 * 1024 ** 3
const HOT_TABLES = ['swap_signature', 'position', 'position_hour', 'pool_trader'] as const

export function planFor(load: Load, costs: Costs): Plan {
  const average = averageOf(load)
  const swaps = Math.round(average * load.days * DAY_SECONDS)
  const cores = coresAt(load, costs)
  const total = PROGRAMS.reduce((sum, name) => sum + cores[name], 0)
  const swapBytes = bytesPerSwap()
  const database = databaseBytes(load, swaps)
  const streams = Math.min(load.swapBytes + load.feedBytes, swaps * STREAM_BYTES)
  return {
    swaps,
    cores,
    coresPlanned: Math.ceil(total / USED_SHARE),
    memory: { processes: processBytes(load), database: databaseMemory(average, database) },
    disk: {
      swap: swapBytes,
      sealedSwap: swapBytes - SAVED_BYTES,
      database,
      databases: database * (1 + load.standbys),
      streams: streams * load.streamCopies,
      days: daysOnDisk(load),
    },
    network: networkAt(load),
    buffered: {
      swap: load.swapBytes / SWAP_STREAM_BYTES / load.peak,
      feed: Math.min(load.feedBytes / FEED_STREAM_BYTES / load.peak, FEED_DAYS * DAY_SECONDS),
    },
    readBound: readBoundOf(load, cores.API, costs),
    laneBound: {
      pool: 1 / (costs.swap.pool.full * US),
      ledger: 1 / (costs.swap.ledger.full * US),
    },
  }
}

const STREAM_BYTES = SWAP_STREAM_BYTES + FEED_STREAM_BYTES

const bytesPerSwap = (): number =>
  Object.values(TABLES).reduce((sum, each) => sum + each.rowBytes * each.rowsPerSwap, REST_BYTES)

const SAVED_BYTES = TABLES.swap.rowBytes + TABLES.swap_signature.rowBytes - SEALED_BYTES

const averageOf = ({ peak, averagePercent }: Load): number => (peak * averagePercent) / 100

/** Swaps of the newest hours are in the table: SEAL_AFTER_HOURS and the width of a chunk. */
const hotSwaps = (load: Load): number =>
  load.sealHours === 0
    ? Number.POSITIVE_INFINITY
    : averageOf(load) * (load.sealHours + CHUNK_HOURS) * 3_600

function databaseBytes(load: Load, swaps: number): number {
  const sealed = Math.max(0, swaps - hotSwaps(load))
  return swaps * bytesPerSwap() - sealed * SAVED_BYTES + load.wallets * WALLET_BYTES
}

function daysOnDisk(load: Load): number {
  const aDay = averageOf(load) * DAY_SECONDS
  const left = load.diskBytes - load.wallets * WALLET_BYTES
  const unsealed = left / bytesPerSwap()
  const hot = hotSwaps(load)
  const swaps =
    unsealed <= hot ? unsealed : (left - hot * SAVED_BYTES) / (bytesPerSwap() - SAVED_BYTES)
  return Math.max(0, Math.floor(swaps / aDay))
}

function coresAt(
  { peak, lanes, reads, subscribers, apiProcesses }: Load,
  { swap, read, eventsPerCore }: Costs,
): Record<Program, number> {
  const ofSwaps = (name: Program): number => {
    const { steady, full } = swap[name]
    const ofLanes = ((steady - full) * STEADY.swapsPerSecond * lanes) / STEADY.lanes
    // The ranking has one lane, whatever the others have.
    const fixed = name === 'ranking' ? (steady - full) * STEADY.swapsPerSecond : ofLanes
    return (fixed + full * peak) * US
  }
  return {
    pool: ofSwaps('pool'),
    ledger: ofSwaps('ledger'),
    ranking: ofSwaps('ranking'),
    PostgreSQL: ofSwaps('PostgreSQL') + reads * read.PostgreSQL * US,
    NATS: ofSwaps('NATS'),
    API:
      ofSwaps('API') * apiProcesses + reads * read.API * US + (peak * subscribers) / eventsPerCore,
  }
}

function readBoundOf({ apiProcesses, reads, standbys }: Load, apiCores: number, { read }: Costs) {
  const others = apiCores - reads * read.API * US
  return {
    api: Math.max(0, apiProcesses - others) / (read.API * US),
    database: Math.max(1, standbys) / (read.PostgreSQL * US),
  }
}

const processBytes = ({ apiProcesses }: Load): number =>
  Object.values(PROCESS_BYTES).reduce((sum, each) => sum + each, 0) +
  PROCESS_BYTES.API * (apiProcesses - 1)

function databaseMemory(average: number, database: number): number {
  const hot = HOT_TABLES.reduce(
    (sum, name) => sum + TABLES[name].rowBytes * TABLES[name].rowsPerSwap,
    0,
  )
  return Math.max(DATABASE_MEMORY_MIN, Math.min(database, hot * average * HOT_SECONDS))
}

/**
 * NATS: SWAP in and out once, FEED in once and out to ledger, ranking and each process of the API, both to further copies.
 * PostgreSQL: its log at most from the workers, and to each standby.
 */
function networkAt({ peak, subscribers, standbys, streamCopies, apiProcesses }: Load) {
  const copies = (streamCopies - 1) * STREAM_BYTES
  const nats = 2 * SWAP_STREAM_BYTES + FEED_STREAM_BYTES * (3 + apiProcesses) + copies
  return {
    nats: peak * nats * 8,
    database: peak * WAL_BYTES * (1 + standbys) * 8,
    clients: peak * subscribers * JSON_BYTES * 8,
  }
}
