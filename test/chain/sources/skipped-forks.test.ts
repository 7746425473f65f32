/**
 * Forks whose branches skip different slots, while a source follows the chain and between two of its runs: what is left of its
 * events is the chain.
 */
import test, { type ExecutionContext } from 'ava'
import { openBlockClient } from '../../../chain/sources/blocks/block-client.ts'
import { geyserSource } from '../../../chain/sources/geyser.ts'
import { PortalClient } from '../../../chain/sources/portal/client.ts'
import { portalSource } from '../../../chain/sources/portal.ts'
import { fetchSlotsBy, rpcSource } from '../../../chain/sources/rpc.ts'
import { type Event, isChainEvent, payloadOf } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import type { ChainLink, Source } from '../../../streams/sources/source.ts'
import { scriptOf } from '../../support/chain/geyser/script.ts'
import { startGeyserServer } from '../../support/chain/geyser/server.ts'
import { startPortal } from '../../support/chain/portal/portal-server.ts'
import { printed, readThrough } from '../../support/chain/read-through.ts'
import { startRpcServer } from '../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  extendChain,
  FIRST_SLOT,
  forkChain,
  makeChain,
  type ServedChain,
} from '../../support/chain/served-chain.ts'

const SLOTS = 24
const CHAIN = { transactions: 6, skipShare: 0.5 }
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1)

type Range = { from: number; to: number; links?: readonly ChainLink[] }
type Served = { open: (range: Range) => Source; moveTo: (newest: number) => void }

/** A client of a node that serves the chain. */
async function nodeOf(t: ExecutionContext, chain: ServedChain) {
  const server = await startRpcServer(chain)
  t.teardown(() => server.stop())
  const client = openBlockClient({
    ...{ rpcUrl: server.url, requestsPerSecond: 10_000 },
    ...{ retryFromMs: 1, retryBudgetMs: 200, timeoutMs: 60_000 },
  })
  return { server, client }
}

async function serveRpc(t: ExecutionContext, chain: ServedChain): Promise<Served> {
  const { server, client } = await nodeOf(t, chain)
  return {
    open: (range) => rpcSource({ client, pollMs: 1, ...range }),
    moveTo(newest) {
      server.newest = newest
    },
  }
}

async function servePortal(t: ExecutionContext, chain: ServedChain): Promise<Served> {
  const portal = await startPortal(chain, { waitMs: 1 })
  t.teardown(() => portal.stop())
  const client = new PortalClient({ url: portal.url, requestsPerSecond: 10_000, retryFromMs: 1 })
  return {
    open: (range) => portalSource({ client, retryFromMs: 1, ...range }),
    moveTo(newest) {
      portal.newest = newest
    },
  }
}

/** The events that are left, in the order in which they came. */
function leftOf(events: readonly Event[]): Event[] {
  let left = new Map<string, Event>()
  for (const event of events) {
    if (event.kind !== 'retract') {
      left.set(printEvent(event), event)
      continue
    }
    const { slot, blockhash } = event.retraction
    const isOf = (each: Event): boolean => {
      const payload = isChainEvent(each) ? payloadOf(each) : undefined
      return payload?.slot === slot && payload.blockhash === blockhash
    }
    left = new Map([...left].filter(([, each]) => !isOf(each)))
  }
  return [...left.values()]
}

/** The chain leaves some of its newest blocks, and has further ones. */
function fork(chain: ServedChain, prng: Prng, seed: number): void {
  forkChain(chain, chain.to - Math.floor(prng.unit() * 12), { seed: seed + 100, ...CHAIN })
  extendChain(chain, 6, { seed: seed + 100, ...CHAIN })
}

const linksOf = (chain: ServedChain, before: number): ChainLink[] =>
  [...chain.blocks]
    .filter(([slot]) => slot < before)
    .map(([slot, { blockhash, parentSlot, previousBlockhash }]) => {
      return { slot, blockhash, parentSlot, parentBlockhash: previousBlockhash }
    })

const inOrder = (events: readonly Event[]): Event[] => {
  const slotOf = (event: Event): number => (isChainEvent(event) ? payloadOf(event).slot : 0)
  return events.toSorted((one, other) => slotOf(one) - slotOf(other))
}

const withoutTokens = (events: readonly Event[]): Event[] => events.filter(isChainEvent)

for (const [name, serve] of Object.entries({ rpc: serveRpc, portal: servePortal })) {
  for (const seed of SEEDS) {
    test(`${name}: a fork that skips other slots while it is followed, by seed ${seed}`, async (t) => {
      const prng = new Prng([seed])
      const chain = makeChain({ seed, slots: SLOTS, ...CHAIN })
      const newest = chain.to
      const { open, moveTo } = await serve(t, chain)
      const source = open({ from: FIRST_SLOT, to: newest + 6 })
      let hasForked = false
      const events: Event[] = []
      for await (const batch of source.open(undefined, new AbortController().signal)) {
        events.push(...batch.events)
        if (hasForked || Number(batch.cursor) < newest) continue
        hasForked = true
        fork(chain, prng, seed)
        moveTo(chain.to)
      }
      const left = withoutTokens(leftOf(events))
      t.is(printed(inOrder(left)), printed(withoutTokens(eventsOfChain(chain))))
    })
  }
}

/** Runs a source, forks the chain, and runs it again, as `reopen` opens it. */
async function assertForkBetweenRuns(
  t: ExecutionContext,
  seed: number,
  serve: typeof serveRpc,
  reopen?: (chain: ServedChain, range: Range) => Promise<Source>,
): Promise<void> {
  const prng = new Prng([seed])
  const chain = makeChain({ seed, slots: SLOTS, ...CHAIN })
  const { open, moveTo } = await serve(t, chain)
  const last = chain.to - Math.floor(prng.unit() * 6)
  const first = await readThrough(open({ from: FIRST_SLOT, to: last }), undefined)
  const links = linksOf(chain, last + 1)
  fork(chain, prng, seed)
  moveTo(chain.to)
  const range = { from: last + 1, to: chain.to, links }
  const second = await readThrough((await reopen?.(chain, range)) ?? open(range), undefined)
  const left = withoutTokens(leftOf([...first.events, ...second.events]))
  t.is(printed(inOrder(left)), printed(withoutTokens(eventsOfChain(chain))))
  t.deepEqual(second.errors, [])
}

for (const seed of SEEDS) {
  for (const [name, serve] of Object.entries({ rpc: serveRpc, portal: servePortal })) {
    test(`${name}: a fork that skips other slots between two runs, by seed ${seed}`, async (t) => {
      await assertForkBetweenRuns(t, seed, serve)
    })
  }

  test(`geyser: a fork that skips other slots between two runs, by seed ${seed}`, async (t) => {
    await assertForkBetweenRuns(t, seed, serveRpc, async (chain, range) => {
      const { client } = await nodeOf(t, chain)
      const isSent = (step: object): boolean => 'slot' in step && Number(step.slot) >= range.from
      const script = scriptOf(chain, 'held').filter(isSent)
      const stream = await startGeyserServer({ script })
      t.teardown(() => stream.stop())
      const fetchSlots = fetchSlotsBy(client, { pollMs: 1 })
      return geyserSource({ endpoint: stream.url, fetchSlots, ...range })
    })
  })
}
