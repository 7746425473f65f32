/**
 * The simulated market of `up`: swaps from now on, in real time, on slots after every slot of the database. Each start
 * draws another seed, so that a restart brings new swaps instead of known ones. Its bots make sandwiches, and wallets that are worth
 * copying. The market comes as events, which begin in an empty database with a past, or as blocks of a chain that the decoder reads.
 */
import { randomInt } from 'node:crypto'
import { CHAIN_SOURCES } from '../../chain/sources/table.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { Topology } from '../../streams/nats/topology.ts'
import { runSource } from '../../streams/sources/run-source.ts'
import { SOURCES } from '../../streams/sources/table.ts'
import type { Logger } from '../log.ts'

/** 100 swaps/s at 400 ms a slot. */
const SWAPS_PER_SLOT = 40
const PAST_SWAPS_PER_DAY = 2_000
const SEED_END = 2 ** 32

const findHighestSlot = query<{ slot: number | null }>('status/find_highest_slot')

export const MARKETS = ['events', 'chain'] as const
type MarketKind = (typeof MARKETS)[number]

export type MarketOptions = {
  kind: MarketKind
  /** Days of trading before now that a market of events begins with where the database is empty. */
  pastDays: number
}

type Market = { stop(): Promise<void> }

/** `onError` is called with the error that ended the market. */
export async function startMarket(
  { kind, pastDays }: MarketOptions,
  db: Db,
  jetStream: JetStream,
  topology: Topology,
  log: Logger,
  onError: (error: unknown) => void,
): Promise<Market> {
  const [highest] = await findHighestSlot(db)
  const fromMs = Date.now()
  const past = { swaps: pastDays * PAST_SWAPS_PER_DAY, days: pastDays }
  const options = {
    seed: randomInt(SEED_END),
    swaps: Number.MAX_SAFE_INTEGER,
    fromMs,
    swapsPerSlot: SWAPS_PER_SLOT,
    bots: {},
  }
  const newest = highest?.slot ?? null
  const begun = newest === null ? {} : { fromSlot: newest + 1 }
  const market =
    kind === 'chain'
      ? CHAIN_SOURCES['simulated-chain']({ ...options, ...begun, pace: 1 })
      : SOURCES.simulator({
          ...options,
          ...(newest === null ? { past } : begun),
          pace: 'timestamps',
        })
  const end = new AbortController()
  const publisher = createPublisher(jetStream, topology, { log })
  const { prefix, laneCount } = topology
  const running = runSource(market, {
    publish: publisher.publish,
    moreLingerMs: publisher.moreLingerMs,
    prefix,
    laneCount,
    signal: end.signal,
    onNotice: () => {},
  }).then(
    () => {},
    (error: unknown) => {
      if (!end.signal.aborted) onError(error)
    },
  )
  return {
    async stop() {
      end.abort()
      // While the stream is full or the server is away, the last batches would wait for ever.
      const giveUp = setTimeout(() => publisher.close(), GIVE_UP_MS)
      await running
      clearTimeout(giveUp)
      publisher.close()
    },
  }
}

const GIVE_UP_MS = 2_000
