/**
 * The sources that read a portal: answers that break off, are empty, or lack a block; forks as the portal reports them; and
 * requests that are throttled or refused.
 */
import test, { type ExecutionContext } from 'ava'
import { addressOf } from '../../../../chain/encoder/keys.ts'
import { openBlockClient } from '../../../../chain/sources/blocks/block-client.ts'
import { PortalClient } from '../../../../chain/sources/portal/client.ts'
import {
  type PortalSourceOptions,
  portalMarketSource,
  portalRangeSource,
  portalSource,
} from '../../../../chain/sources/portal.ts'
import { VENUES } from '../../../../domain/venue.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { type Source, type SourceBatch, SourceError } from '../../../../streams/sources/source.ts'
import {
  type PortalFault,
  type PortalServerOptions,
  startPortal,
} from '../../../support/chain/portal/portal-server.ts'
import { eventsOf, printed, retractionsOf } from '../../../support/chain/read-through.ts'
import { chainAnswer } from '../../../support/chain/real-chain.ts'
import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  extendChain,
  FIRST_SLOT,
  forkChain,
  makeChain,
  type ServedChain,
} from '../../../support/chain/served-chain.ts'

const NEVER = new AbortController().signal
const CHAIN = { slots: 40, transactions: 20, skipShare: 0.2 }
const RANGE = { from: FIRST_SLOT, to: FIRST_SLOT + CHAIN.slots - 1 }

async function serve(t: ExecutionContext, chain: ServedChain, faults: PortalServerOptions = {}) {
  const portal = await startPortal(chain, faults)
  t.teardown(() => portal.stop())
  const client = new PortalClient({
    url: portal.url,
    requestsPerSecond: 10_000,
    retryFromMs: 1,
  })
  const options: PortalSourceOptions = { client, retryFromMs: 1 }
  return { portal, options }
}

const slotsOf = (batches: readonly SourceBatch[]): number[] =>
  batches.map(({ cursor }) => Number(cursor))

async function readAll(source: Source, after?: string): Promise<SourceBatch[]> {
  const batches: SourceBatch[] = []
  for await (const batch of source.open(after, NEVER)) batches.push(batch)
  return batches
}

/** Every slot once and in order, with the events of the chain. */
function assertWhole(
  t: ExecutionContext,
  batches: readonly SourceBatch[],
  chain: ServedChain,
): void {
  const all = Array.from({ length: CHAIN.slots }, (_, offset) => RANGE.from + offset)
  t.deepEqual(slotsOf(batches), all)
  t.true(eventsOf(batches) === printed(eventsOfChain(chain)))
}

for (const encoding of ['zstd', 'gzip', 'identity'] as const) {
  test(`a range is read whole from pages packed as ${encoding}, in parallel ranges`, async (t) => {
    const chain = makeChain(CHAIN)
    const { portal, options } = await serve(t, chain, { encoding, pageBlocks: 7 })
    const source = portalRangeSource({ ...options, ...RANGE, streams: 3, rangeSlots: 6 })
    assertWhole(t, await readAll(source), chain)
    t.true(portal.requests.length > 5, `${portal.requests.length} requests`)
    t.is(source.counts.slots, CHAIN.slots)
    t.is(source.newestSlot, chain.to)
  })
}

const FAULTS: readonly PortalFault[] = [
  'cut_line',
  'cut_frame',
  'short',
  'empty',
  'missing_block',
  429,
  529,
  500,
  502,
  503,
]

for (const fault of FAULTS) {
  test(`a range is read whole although each request fails once with ${fault}`, async (t) => {
    const chain = makeChain(CHAIN)
    const { options, portal } = await serve(t, chain, {
      pageBlocks: 9,
      disturb: ({ path, attempt }) => (path === '/stream' && attempt === 0 ? fault : undefined),
    })
    const client = new PortalClient({ url: portal.url, requestsPerSecond: 10_000, retryFromMs: 1 })
    assertWhole(t, await readAll(portalSource({ ...options, client, ...RANGE })), chain)
  })
}

test('a range is read whole with faults drawn by seeds, by any number of streams', async (t) => {
  for (let seed = 1; seed <= 12; seed++) {
    const chain = makeChain({ ...CHAIN, seed })
    const prng = new Prng([seed])
    const kinds = FAULTS.filter((fault) => typeof fault === 'string' || fault === 503)
    const { options } = await serve(t, chain, {
      pageBlocks: 1 + (seed % 7),
      disturb: ({ attempt }) =>
        attempt < 2 && prng.unit() < 0.4
          ? kinds[Math.floor(prng.unit() * kinds.length)]
          : undefined,
    })
    const source = portalRangeSource({
      ...options,
      ...RANGE,
      streams: 1 + (seed % 4),
      rangeSlots: 8,
    })
    assertWhole(t, await readAll(source), chain)
  }
})

test('skipped slots at the end of a range are believed for the block after it, and for nothing else', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const to = RANGE.from + 20
  for (let slot = to - 4; slot <= to; slot++) chain.blocks.delete(slot)
  const next = chain.blocks.get(to + 1)
  const last = chain.blocks.get(to - 5)
  if (next === undefined || last === undefined) throw new Error('the chain has no such block')
  next.parentSlot = to - 5
  next.previousBlockhash = last.blockhash
  const { options, portal } = await serve(t, chain)
  const batches = await readAll(portalRangeSource({ ...options, from: RANGE.from, to }))
  t.is(slotsOf(batches).at(-1), to)
  t.true(
    portal.requests.some(
      ({ body }) => body?.fromBlock === to + 1 && body.instructions === undefined,
    ),
  )
})

test('a block that the portal lacks is requested again, and ends the source with its slot', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { options, portal } = await serve(t, chain)
  const missing = RANGE.from + 11
  chain.blocks.delete(missing)
  const source = portalRangeSource({ ...options, ...RANGE })
  const batches: SourceBatch[] = []
  const error = await t.throwsAsync(
    async () => {
      for await (const batch of source.open(undefined, NEVER)) batches.push(batch)
    },
    { instanceOf: SourceError, message: new RegExp(`no block of slot ${missing}`) },
  )
  t.true(error?.isRetryable)
  t.is(slotsOf(batches).at(-1), missing - 1)
  t.true(portal.requests.filter(({ body }) => body?.fromBlock === missing).length >= 3)
})

for (const listsNewestFirst of [false, true]) {
  const order = listsNewestFirst ? 'newest first' : 'oldest first'
  test(`a fork is retracted after the ancestor that the portal lists ${order}`, async (t) => {
    const chain = makeChain({ ...CHAIN, skipShare: 0 })
    const { options, portal } = await serve(t, chain, { listsNewestFirst })
    const end = RANGE.to + 5
    const forkAt = RANGE.to - 3
    const hashOf = (slot: number): string | undefined => chain.blocks.get(slot)?.blockhash
    const left = [0, 1, 2, 3].map((offset) => {
      return { slot: forkAt + offset, blockhash: hashOf(forkAt + offset) }
    })
    const batches: SourceBatch[] = []
    for await (const batch of portalSource({ ...options, from: RANGE.from, to: end }).open(
      undefined,
      NEVER,
    )) {
      batches.push(batch)
      if (Number(batch.cursor) !== RANGE.to || retractionsOf(batches).length > 0) continue
      forkChain(chain, forkAt, { ...CHAIN, seed: 9, skipShare: 0.4 })
      extendChain(chain, 6, { ...CHAIN, seed: 9, skipShare: 0 })
      portal.newest = chain.to
    }
    t.deepEqual(retractionsOf(batches), left as ReturnType<typeof retractionsOf>)
    const at = batches.findIndex(({ events }) => events.some(({ kind }) => kind === 'retract'))
    t.is(batches[at]?.cursor, String(forkAt - 1))
    const events = batches.slice(at + 1).flatMap((batch) => batch.events)
    t.true(printed(events) === printed(eventsOfChain(chain, forkAt, end)))
  })
}

test('the chain is followed beyond its newest block, block by block', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { options, portal } = await serve(t, chain, { newest: RANGE.from + 5, waitMs: 1 })
  const batches: SourceBatch[] = []
  for await (const batch of portalSource({ ...options, ...RANGE }).open(undefined, NEVER)) {
    batches.push(batch)
    portal.newest = Math.min(chain.to, Number(batch.cursor) + 1)
  }
  assertWhole(t, batches, chain)
})

test('a portal whose newest block does not advance ends the source with a retryable error', async (t) => {
  const chain = makeChain(CHAIN)
  const { options } = await serve(t, chain, { newest: RANGE.from + 5, waitMs: 1 })
  const source = portalSource({ ...options, ...RANGE, stuckMs: 50 })
  const error = await t.throwsAsync(readAll(source), {
    instanceOf: SourceError,
    message: /no block at or after/,
  })
  t.true(error?.isRetryable)
})

test('a range whose end no block proves ends with a retryable error', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { options } = await serve(t, chain, {
    waitMs: 1,
    disturb: ({ body }) => (body?.toBlock === undefined ? undefined : 'empty'),
  })
  const source = portalRangeSource({ ...options, ...RANGE, stuckMs: 50 })
  const error = await t.throwsAsync(readAll(source), {
    instanceOf: SourceError,
    message: /no block at or after/,
  })
  t.true(error?.isRetryable)
})

test('a fork whose common block is unknown while headers break off is retryable', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { options, portal } = await serve(t, chain, { listsNone: true })
  const source = portalSource({ ...options, from: RANGE.from, to: RANGE.to + 5 })
  const batches: SourceBatch[] = []
  const error = await t.throwsAsync(
    async () => {
      for await (const batch of source.open(undefined, NEVER)) {
        batches.push(batch)
        if (Number(batch.cursor) !== RANGE.to) continue
        forkChain(chain, RANGE.to - 3, { ...CHAIN, seed: 9, skipShare: 0 })
        extendChain(chain, 6, { ...CHAIN, seed: 9, skipShare: 0 })
        portal.newest = chain.to
        portal.disturb = ({ body }) => (body?.instructions === undefined ? 'cut_line' : undefined)
      }
    },
    { instanceOf: SourceError, message: /the blocks of \d+ to \d+ .* inside a line/ },
  )
  t.true(error?.isRetryable)
  t.deepEqual(retractionsOf(batches), [])
})

test('a fork is retracted although the portal lists no block that is known', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { options, portal } = await serve(t, chain, { listsNone: true })
  const batches: SourceBatch[] = []
  const source = portalSource({ ...options, from: RANGE.from, to: RANGE.to + 5 })
  for await (const batch of source.open(undefined, NEVER)) {
    batches.push(batch)
    if (Number(batch.cursor) !== RANGE.to || retractionsOf(batches).length > 0) continue
    forkChain(chain, RANGE.to - 3, { ...CHAIN, seed: 9, skipShare: 0 })
    extendChain(chain, 6, { ...CHAIN, seed: 9, skipShare: 0 })
    portal.newest = chain.to
  }
  t.deepEqual(
    retractionsOf(batches).map(({ slot }) => slot),
    [RANGE.to - 3, RANGE.to - 2, RANGE.to - 1, RANGE.to],
  )
})

test('a refused request is final, and its error repeats the text of the portal but no key', async (t) => {
  for (const status of [400, 401, 403, 404, 422, 302]) {
    const { portal } = await serve(t, makeChain(CHAIN), {
      disturb: () => status,
      // The second key crosses the end of the part that is shown.
      refusal: ({ authorization }) => `not now, ${authorization}${'.'.repeat(150)}${authorization}`,
    })
    const header = { name: 'authorization', value: 'Bearer a-secret-key' }
    const client = new PortalClient({ url: portal.url, header, retryFromMs: 1 })
    const error = await t.throwsAsync(readAll(portalRangeSource({ client, ...RANGE })), {
      instanceOf: SourceError,
      message: new RegExp(`HTTP status ${status}: "not now, \\*\\*\\*`),
    })
    t.false(error?.isRetryable, String(status))
    t.false(error?.message.includes('a-s'))
    t.is(portal.requests.length, 1)
  }
})

test('an interrupted read resumes after its cursor without a loss or a duplicate', async (t) => {
  const chain = makeChain(CHAIN)
  const { options } = await serve(t, chain, { pageBlocks: 5 })
  const whole = await readAll(portalRangeSource({ ...options, ...RANGE }))
  for (const at of [0, 7, 20, whole.length - 2]) {
    const rest = await readAll(portalRangeSource({ ...options, ...RANGE }), whole[at]?.cursor)
    const expected = whole.slice(at + 1).flatMap(({ events }) => events)
    t.true(eventsOf(rest) === printed(expected))
  }
})

test('the newest block and the block at a time are found, also after an answer of null', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const { options, portal } = await serve(t, chain, {
    finalized: RANGE.to - 32,
    disturb: ({ attempt }) => (attempt === 0 ? 'no_head' : undefined),
  })
  t.is(await options.client.head(NEVER), RANGE.to)
  t.is(await options.client.head(NEVER, true), RANGE.to - 32)
  const block = Array.from(chain.blocks.values())[9]
  const first = Array.from(chain.blocks).find(([, { blockTime }]) => blockTime === block?.blockTime)
  t.is(await options.client.slotAt(block?.blockTime ?? 0, NEVER), first?.[0] ?? 0)
  t.true(portal.requests.length >= 4)
})

test('logs that were dropped are reported with their slot and signatures', async (t) => {
  const chain = makeChain({ ...CHAIN, slots: 5 })
  const { options } = await serve(t, chain, { dropsLogs: () => true })
  const reported: number[] = []
  const source = portalRangeSource({
    ...options,
    from: RANGE.from,
    to: RANGE.from + 4,
    watch: { onLacking: (slot) => reported.push(slot) },
  })
  await readAll(source)
  t.deepEqual(reported, [...chain.blocks.keys()])
})

test('names of mints come with their slots, also from blocks that are compared with a node', async (t) => {
  const chain = makeChain({ ...CHAIN, slots: 5 })
  const [first = 0, second = 0] = chain.blocks.keys()
  const naming = chainAnswer('transactions/mqSGNwKK8GZW7Pzt.json')
  chain.blocks.get(second)?.transactions.push(naming)
  const { portal, options } = await serve(t, chain)
  const rpc = await startRpcServer(chain)
  t.teardown(() => rpc.stop())
  const node = openBlockClient({ rpcUrl: rpc.url, requestsPerSecond: 10_000 })
  // No program of the transaction is wanted, so that it comes for the name only.
  const venues = new Set(VENUES.slice(-1).map(({ dex }) => dex))
  const read = { ...options, venues, from: first, to: RANGE.from + 4 }
  for (const verifyEvery of [undefined, 1]) {
    const batches = await readAll(portalRangeSource({ ...read, node, verifyEvery }))
    const named = batches.filter(({ names }) => names !== undefined)
    t.deepEqual(slotsOf(named), [second])
    t.like(named[0]?.names, [
      { mint: 'AqFe2tk1BRx6czUuRPGUZ8mtvcBGDZYsG6oPvELwzray', slot: second },
    ])
  }
  portal.requests.length = 0
  const account = 'AqFe2tk1BRx6czUuRPGUZ8mtvcBGDZYsG6oPvELwzray'
  // More accounts than one filter of a portal takes.
  const others = Array.from({ length: 20 }, (_, index) => addressOf(`pool ${index}`))
  const market = { kind: 'mint', account, accounts: [account, ...others] } as const
  const ofMarket = await readAll(portalMarketSource({ ...read, market }))
  t.true(ofMarket.every(({ names }) => names === undefined))
  const filters = portal.requests.flatMap(({ body }) => body?.instructions ?? [])
  const named = filters.flatMap(({ mentionsAccount }) => (mentionsAccount ? [mentionsAccount] : []))
  t.deepEqual(
    named.slice(0, 3).map(({ length }) => length),
    [10, 10, 1],
  )
  t.deepEqual(named.slice(0, 3).flat(), [account, ...others])
  t.true(filters.every(({ transactionInstructions }) => transactionInstructions === true))
})
