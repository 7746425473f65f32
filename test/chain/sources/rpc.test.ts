/**
 * The sources that read a node: forks of the chain, nodes that contradict themselves, the choice of venues, and faults
 * between the node and the publisher.
 */
import test, { type ExecutionContext } from 'ava'
import { openBlockClient } from '../../../chain/sources/blocks/block-client.ts'
import { backfillSource, type RpcOptions, rpcSource } from '../../../chain/sources/rpc.ts'
import type { Event } from '../../../domain/events/event.ts'
import type { DexId } from '../../../domain/venue.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { runSource } from '../../../streams/sources/run-source.ts'
import { type SourceBatch, SourceError } from '../../../streams/sources/source.ts'
import { eventsOf, printed, retractionsOf } from '../../support/chain/read-through.ts'
import { faultsBySeed } from '../../support/chain/rpc-faults.ts'
import { startRpcServer } from '../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  extendChain,
  FIRST_SLOT,
  forkChain,
  makeChain,
  type ServedChain,
} from '../../support/chain/served-chain.ts'

const NEVER = new AbortController().signal
const CHAIN = { slots: 30, transactions: 20, skipShare: 0.2 }
const RANGE = { from: FIRST_SLOT, to: FIRST_SLOT + CHAIN.slots - 1 }

async function serve(t: ExecutionContext, chain: ServedChain) {
  const server = await startRpcServer(chain)
  t.teardown(() => server.stop())
  const client = openBlockClient({
    rpcUrl: server.url,
    requestsPerSecond: 10_000,
    retryFromMs: 1,
    retryBudgetMs: 200,
    timeoutMs: 60_000,
  })
  const options: RpcOptions = { client, pollMs: 1 }
  return { server, options }
}

test('reports a fork, yields the new branch from where it begins, and resumes there', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { server, options } = await serve(t, chain)
  const end = RANGE.to + 10
  const source = rpcSource({ ...options, ...RANGE, to: end })
  const before: SourceBatch[] = []
  const after: SourceBatch[] = []
  const forkAt = RANGE.to - 3
  const oldHashes = [0, 1, 2, 3].map((offset) => chain.blocks.get(forkAt + offset)?.blockhash)
  for await (const batch of source.open(undefined, NEVER)) {
    if (after.length === 0 && batch.notices.length === 0) before.push(batch)
    else after.push(batch)
    if (batch.cursor === String(RANGE.to) && after.length === 0) {
      forkChain(chain, forkAt, { ...CHAIN, seed: 2, skipShare: 0 })
      extendChain(chain, 10, { ...CHAIN, seed: 2, skipShare: 0 })
      server.newest = chain.to
    }
  }
  const notices = after.flatMap((batch) => batch.notices)
  t.true(notices.every(({ kind }) => kind === 'fork'))
  // Each block that is refetched contradicts the one before it, back to where the branches part.
  const left = retractionsOf(after)
  t.deepEqual(
    left.toSorted((a, b) => a.slot - b.slot),
    oldHashes.map((blockhash, offset) => ({ slot: forkAt + offset, blockhash })),
  )
  t.is(eventsOf(before), printed(eventsOfChain(makeChain({ ...CHAIN, skipShare: 0 }))))
  t.is(
    printed(after.flatMap(({ events }) => events.filter(({ kind }) => kind !== 'retract'))),
    printed(eventsOfChain(chain, forkAt)),
  )
  const [fork] = after.filter(({ cursor }) => cursor === String(forkAt - 1))
  t.deepEqual(
    fork?.events.map(({ kind }) => kind),
    ['retract'],
  )
})

test('ends with a retryable error where a node contradicts itself', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { options } = await serve(t, chain)
  const slot = FIRST_SLOT + 5
  const block = chain.blocks.get(slot)
  if (block === undefined) throw new Error('expected a block')
  chain.blocks.set(slot, { ...block, previousBlockhash: 'another' })
  const batches: SourceBatch[] = []
  const error = await t.throwsAsync(
    async () => {
      const source = backfillSource({ ...options, ...RANGE })
      for await (const batch of source.open(undefined, NEVER)) batches.push(batch)
    },
    { instanceOf: SourceError, message: /names block "another" of slot \d+ as its parent/ },
  )
  t.true(error?.isRetryable)
  t.is(eventsOf(batches), printed(eventsOfChain(chain, FIRST_SLOT, slot - 1)))
})

test('reads the events of the chosen venues only and counts them', async (t) => {
  const chain = makeChain(CHAIN)
  const { options } = await serve(t, chain)
  const source = backfillSource({ ...options, ...RANGE, venues: new Set<DexId>([3]) })
  const batches: SourceBatch[] = []
  for await (const batch of source.open(undefined, NEVER)) batches.push(batch)
  const own = eventsOfChain(chain).filter((event) => event.kind === 'swap' && event.swap.dex === 3)
  t.true(own.length > 10)
  t.is(eventsOf(batches), printed(own))
  const { slots, skippedSlots, swaps } = source.counts
  t.deepEqual([slots, slots - skippedSlots, swaps], [CHAIN.slots, chain.blocks.size, own.length])
})

test('publishes every event once although requests fail and the source is reopened', async (t) => {
  const chain = makeChain(CHAIN)
  const expected = printed(eventsOfChain(chain)).split('\n').toSorted()
  for (const seed of [1, 2]) {
    const { server, options } = await serve(t, chain)
    server.disturb = faultsBySeed(seed, 0.15, 1)
    const published: Event[] = []
    let retries = 0
    const client = openBlockClient({
      rpcUrl: server.url,
      requestsPerSecond: 10_000,
      retryFromMs: 1,
      // Less than a failed request takes: the first failure ends the iteration.
      retryBudgetMs: 0,
      timeoutMs: 2_000,
    })
    const report = await runSource(backfillSource({ ...options, ...RANGE, client }), {
      publish: async ({ events }) => {
        published.push(...events)
        return 'stored'
      },
      laneCount: 2,
      prefix: 'test.',
      signal: NEVER,
      onNotice: () => {},
      onRetry: () => retries++,
    })
    t.true(report.hasEnded)
    t.true(retries > 0)
    t.deepEqual(published.map(printEvent).toSorted(), expected)
    t.is(report.acknowledged, String(RANGE.to))
  }
})
