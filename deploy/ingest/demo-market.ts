/**
 * The simulated market of `up`: swaps from now on, at the pace of the clock, on slots after all that the
 * database knows. Another seed each start, so that a restart brings new swaps instead of known ones.
 */
import { randomInt } from 'node:crypto'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { publishEvents } from '../../streams/ingest/batcher.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { Topology } from '../../streams/nats/topology.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import type { Logger } from '../log.ts'
import { dueByTimestamp, paced } from './pace.ts'

/** 100 swaps/s at 400 ms a slot. */
const SWAPS_PER_SLOT = 40
const SEED_END = 2 ** 32

const findHighestSlot = query<{ slot: number | null }>('status/find_highest_slot')

export type Market = { stop(): Promise<void> }

/** `onFault` hears why it ended, if it ended by itself. */
export async function startMarket(
  db: Db,
  jetStream: JetStream,
  topology: Topology,
  log: Logger,
  onFault: (fault: unknown) => void,
): Promise<Market> {
  const [highest] = await findHighestSlot(db)
  const fromMs = Date.now()
  const events = simulate({
    seed: randomInt(SEED_END),
    swaps: Number.MAX_SAFE_INTEGER,
    fromMs,
    swapsPerSlot: SWAPS_PER_SLOT,
    ...(highest?.slot ? { fromSlot: highest.slot + 1 } : {}),
  })
  const end = new AbortController()
  const publisher = createPublisher(jetStream, topology, { log })
  const { prefix, laneCount } = topology
  const running = publishEvents(paced(events, dueByTimestamp(fromMs), end.signal), {
    publish: publisher.publish,
    moreLingerMs: publisher.moreLingerMs,
    prefix,
    laneCount,
  }).then(
    () => {},
    (fault: unknown) => {
      if (!end.signal.aborted) onFault(fault)
    },
  )
  return {
    async stop() {
      end.abort()
      // A full stream or a server that is away would keep the last batches for ever.
      const giveUp = setTimeout(() => publisher.close(), GIVE_UP_MS)
      await running
      clearTimeout(giveUp)
      publisher.close()
    },
  }
}

const GIVE_UP_MS = 2_000
