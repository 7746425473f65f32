/**
 * The drill: a cluster of every server and two of each part under load, random faults, and afterwards every swap once in
 * the tables and at each subscriber, with the hashes of a single process that was fed the same events.
 *
 * `npm run drill` is the long form; DRILL_FAULTS and DRILL_SEED choose others.
 */
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../api/gateway/keys/keys.ts'
import type { MarketEvent } from '../../domain/events/event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import { ensureTopology } from '../../streams/nats/topology.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { ACTOR_NAMES } from '../../workers/actors.ts'
import { untilRankingCaughtUp } from '../support/ranking/ranking.ts'
import { askedDrill } from '../support/seed.ts'
import { verifiedHashes } from '../support/verify/hashes.ts'
import { untilLedgerCaughtUp } from '../support/workers/ledger.ts'
import { batchesOf, openPipeline, type Pipeline, publishAll } from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { smallMarket } from '../support/workers/small-market.ts'
import { FAULTS } from './faults.ts'
import { type Installation, openInstallation } from './installation.ts'
import { type Reader, readGrpc, readWebSocket, swapOf } from './readers.ts'

const { faultCount: FAULT_COUNT, seed: SEED } = askedDrill({
  faultCount: FAULTS.length,
  seed: 20_261_127,
})
const SWAPS_A_SECOND = 500
/** Swaps of a part of the load, which is published and published again until it was accepted. */
const PART_SWAPS = 250
const PAUSE_MS_MAX = 3_000
const CATCH_UP_MS = 300_000

test('each swap is counted once through faults of every server and part', async (t) => {
  t.timeout(4 * 3_600_000)
  const prng = new Prng([SEED])
  const installation = await openInstallation(t)
  const epoch = installation.topology.feed.epoch
  const readers = await openReaders(t, installation, `${epoch}-0`)

  const load = new Load(installation)
  const loading = load.run()
  const struck: string[] = []
  for (const fault of drawn(prng)) {
    struck.push(fault.name)
    await fault.strike(installation, prng)
    await pause(prng.below(PAUSE_MS_MAX))
  }
  load.stop()
  const published = await loading

  const explained = () => `seed ${SEED}: ${struck.join(', ')}\n${saidOf(installation)}`
  await untilAllCaughtUp(installation).catch((cause: Error) => {
    throw new Error(`${cause.message}\n${explained()}`, { cause })
  })
  const topology = await ensureTopology(installation.jetStream, installation)
  t.is(topology.feed.epoch, epoch, explained())
  const expected = identitiesOf(published)
  const isWhole = ({ seen }: Reader) => seen.size >= expected.size
  for (let wait = 0; wait < CATCH_UP_MS && !readers.every(isWhole); wait += 100) await pause(100)
  for (const { name, seen, failure } of readers) {
    t.is(failure(), undefined, name)
    const doubled = [...seen].filter(([, times]) => times > 1).map(([swap]) => swap)
    const lost = [...expected].filter((swap) => !seen.has(swap))
    t.deepEqual(
      { doubled, lost, count: seen.size },
      { doubled: [], lost: [], count: expected.size },
    )
  }
  t.deepEqual(
    installation.parts.flatMap(({ unexpected }) => unexpected),
    [],
    explained(),
  )
  const hashes = await verifiedHashes(t, installation, explained())
  t.deepEqual(hashes, await hashesOfOneProcess(t, published))
  t.log(`${struck.length} faults, ${expected.size} swaps, seed ${SEED}`)
})

/** Every fault once in some order, then any of them. */
function* drawn(prng: Prng) {
  const left = [...FAULTS]
  for (let count = 0; count < FAULT_COUNT; count++) {
    const from = left.length > 0 ? left : FAULTS
    const at = prng.below(from.length)
    const fault = from[at]
    if (left.length > 0) left.splice(at, 1)
    if (fault !== undefined) yield fault
  }
}

async function openReaders(
  t: ExecutionContext,
  { db, apis }: Installation,
  cursor: string,
): Promise<Reader[]> {
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(db, wanted)
  return apis.flatMap(({ port, grpcPort }) => [
    readWebSocket(t, { port, key, cursor }),
    readGrpc(t, { port: grpcPort, key, cursor }),
  ])
}

/** A market that is published at a steady rate; a part that was not accepted is published again. */
class Load {
  private isStopped = false
  private readonly installation: Installation

  constructor(installation: Installation) {
    this.installation = installation
  }

  stop(): void {
    this.isStopped = true
  }

  /** Resolves to what was published. */
  async run(): Promise<MarketEvent[]> {
    const { jetStream, topology, recording } = this.installation
    const published: MarketEvent[] = []
    const beganAt = performance.now()
    for (let part = 0; !this.isStopped; part++) {
      const events = smallMarket(SEED + part, PART_SWAPS)
      const publisher = createPublisher(jetStream, topology, { log: recording.log })
      for (const batch of batchesOf(this.installation, events)) await publisher.publish(batch)
      publisher.close()
      published.push(...events)
      const dueMs = ((part + 1) * PART_SWAPS * 1_000) / SWAPS_A_SECOND
      await pause(Math.max(0, dueMs - (performance.now() - beganAt)))
    }
    return published
  }
}

const identityOf = ({ signature, pairAddress, ixIndex }: Swap): string =>
  swapOf(signature, pairAddress, ixIndex)

const identitiesOf = (events: readonly MarketEvent[]): Set<string> =>
  new Set(events.flatMap((event) => (event.kind === 'swap' ? [identityOf(event.swap)] : [])))

async function untilAllCaughtUp(pipeline: Pipeline): Promise<void> {
  await untilLedgerCaughtUp(pipeline, CATCH_UP_MS)
  await untilRankingCaughtUp(pipeline, CATCH_UP_MS)
}

async function hashesOfOneProcess(
  t: ExecutionContext,
  events: readonly MarketEvent[],
): Promise<Record<string, string>> {
  const alone = await openPipeline(t)
  await runWorker(t, alone, { actors: ACTOR_NAMES })
  await publishAll(alone, events)
  await untilAllCaughtUp(alone)
  return await verifiedHashes(t, alone)
}

const saidOf = ({ parts }: Installation): string =>
  parts.map((part) => `--- ${part.name}\n${part.said().slice(-1_500)}`).join('\n')
