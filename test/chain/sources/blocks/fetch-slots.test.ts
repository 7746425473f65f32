/**
 * Slots from a node over real HTTP: whatever goes wrong, every slot of a range comes once, in order and whole, or the
 * iteration ends with an error.
 */
import test, { type ExecutionContext } from 'ava'
import { decodeSlot } from '../../../../chain/sources/batch.ts'
import {
  type BlockClientOptions,
  openBlockClient,
  RpcUnavailable,
} from '../../../../chain/sources/blocks/block-client.ts'
import { createFetchSlots } from '../../../../chain/sources/blocks/fetch-slots.ts'
import type { SlotBlock } from '../../../../chain/sources/blocks/slot-block.ts'
import { printed } from '../../../support/chain/read-through.ts'
import {
  type Disturb,
  FAULTS,
  faultsBySeed,
  LACKED_PARTS,
} from '../../../support/chain/rpc-faults.ts'
import {
  type RpcServer,
  type RpcServerOptions,
  startRpcServer,
} from '../../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  makeChain,
  type ServedChain,
} from '../../../support/chain/served-chain.ts'

const NEVER = new AbortController().signal
const SLOTS = 30
const LAST_SLOT = FIRST_SLOT + SLOTS - 1
const CHAIN = { slots: SLOTS, transactions: 20, skipShare: 0.2 }
/** For tests in which the client does not give up: more than all tests of this file need on a loaded machine. */
const PATIENT_MS = 600_000

async function serve(
  t: ExecutionContext,
  chain: ServedChain,
  options?: RpcServerOptions,
): Promise<RpcServer> {
  const server = await startRpcServer(chain, options)
  t.teardown(() => server.stop())
  return server
}

/** A client that repeats at once. Where a test is about giving up, its options contain a budget. */
function clientOf({ url }: RpcServer, options: Partial<BlockClientOptions> = {}) {
  return openBlockClient({
    rpcUrl: url,
    requestsPerSecond: 10_000,
    timeoutMs: 60_000,
    retryFromMs: 1,
    retryBudgetMs: PATIENT_MS,
    ...options,
  })
}

async function fetchAll(
  client: ReturnType<typeof clientOf>,
  from = FIRST_SLOT,
  to = LAST_SLOT,
  stuckMs = PATIENT_MS,
): Promise<SlotBlock[]> {
  const slots: SlotBlock[] = []
  for await (const slot of createFetchSlots(client, { pollMs: 1, stuckMs })(from, to, NEVER))
    slots.push(slot)
  return slots
}

const decoded = (slots: readonly SlotBlock[]): string =>
  printed(slots.flatMap((each) => decodeSlot(each, undefined)?.events ?? []))
const numbersOf = (slots: readonly SlotBlock[]): number[] => slots.map(({ slot }) => slot)
const allSlots = Array.from({ length: SLOTS }, (_, index) => FIRST_SLOT + index)

function isWhole(t: ExecutionContext, slots: readonly SlotBlock[], chain: ServedChain): void {
  t.deepEqual(numbersOf(slots), allSlots)
  t.true(slots.every(({ slot, block }) => (block !== undefined) === chain.blocks.has(slot)))
  t.true(decoded(slots) === printed(eventsOfChain(chain)), 'the decoded events differ')
}

test('fetches every slot of a range once and in order, skipped ones too', async (t) => {
  const chain = makeChain(CHAIN)
  for (const isGzipped of [false, true]) {
    const server = await serve(t, chain, { isGzipped })
    const slots = await fetchAll(clientOf(server))
    isWhole(t, slots, chain)
    t.true(slots.some(({ block }) => block === undefined))
    const links = slots.flatMap(({ link }) => (link === undefined ? [] : [link]))
    for (const [index, link] of links.slice(1).entries()) {
      t.is(link.parentBlockhash, links[index]?.blockhash ?? '')
    }
  }
})

for (const fault of FAULTS) {
  test(`fetches every slot whole when a request ends with fault ${fault}`, async (t) => {
    const chain = makeChain(CHAIN)
    // A silent node costs the whole time-out: only few slots have it.
    const isChosen = (slot: unknown) => fault !== 'silent' || slot === FIRST_SLOT
    const server = await serve(t, chain, {
      disturb: ({ attempt, params }) => (attempt === 0 && isChosen(params[0]) ? fault : undefined),
    })
    const client = clientOf(server, fault === 'silent' ? { timeoutMs: 3_000 } : {})
    isWhole(t, await fetchAll(client), chain)
    t.true((server.faults.get(fault) ?? 0) > 0)
  })
}

test('fetches a block again whenever its answer is truncated, at 200 places', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const attempts = Math.ceil(200 / SLOTS)
  const disturb: Disturb = ({ method, attempt }) =>
    method === 'getBlock' && attempt < attempts ? 'truncated' : undefined
  const server = await serve(t, chain, { disturb })
  const client = clientOf(server)
  isWhole(t, await fetchAll(client), chain)
  t.is(server.faults.get('truncated'), attempts * SLOTS)
  t.is(client.counts.failed, attempts * SLOTS)
})

test('loses, doubles and changes nothing under seeded faults', async (t) => {
  const chain = makeChain(CHAIN)
  for (let seed = 1; seed <= 8; seed++) {
    const isGzipped = seed % 2 === 0
    const server = await serve(t, chain, { disturb: faultsBySeed(seed, 0.5), isGzipped })
    isWhole(t, await fetchAll(clientOf(server, { timeoutMs: 2_000 })), chain)
    t.true(server.faults.size > 5, `${server.faults.size} kinds of faults`)
    await server.stop()
  }
})

test('ends with a retryable error at a slot that never comes', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const absent = FIRST_SLOT + 10
  for (const fault of [
    'not_yet',
    'false_skip',
    'no_results',
    'lost_transactions',
    'silent',
  ] as const) {
    const disturb: Disturb = ({ method, params }) =>
      method === 'getBlock' && params[0] === absent ? fault : undefined
    const server = await serve(t, chain, { disturb })
    // Only the absent slot is silent: a loaded machine answers the others well within it.
    const client = clientOf(server, { retryBudgetMs: 100, timeoutMs: 20_000 })
    const slots: SlotBlock[] = []
    const error = await t.throwsAsync(
      async () => {
        for await (const slot of createFetchSlots(client)(FIRST_SLOT, LAST_SLOT, NEVER))
          slots.push(slot)
      },
      { instanceOf: RpcUnavailable },
    )
    t.true(error?.isRetryable)
    t.regex(error?.message ?? '', new RegExp(`^slot ${absent} from 127.0.0.1:\\d+: `))
    t.deepEqual(numbersOf(slots), allSlots.slice(0, 10), fault)
  }
})

test('ends with an error that names slot and part where a result lacks one', async (t) => {
  const chain = makeChain({ slots: 6, transactions: 'swaps', skipShare: 0 })
  const lacking = FIRST_SLOT + 3
  for (const [fault, part] of LACKED_PARTS) {
    const disturb: Disturb = ({ params }) => (params[0] === lacking ? fault : undefined)
    const server = await serve(t, chain, { disturb })
    const client = clientOf(server, { retryBudgetMs: 300 })
    const slots: SlotBlock[] = []
    const error = await t.throwsAsync(
      async () => {
        for await (const slot of createFetchSlots(client)(FIRST_SLOT, chain.to, NEVER))
          slots.push(slot)
      },
      { instanceOf: RpcUnavailable },
    )
    t.true(error?.isRetryable)
    const reason = `unusable answer: transaction \\d+ .*\\b${part}\\b`
    t.regex(error?.message ?? '', new RegExp(`^slot ${lacking} from 127.0.0.1:\\d+: ${reason}`))
    t.deepEqual(numbersOf(slots), allSlots.slice(0, 3), fault)
    await server.stop()
  }
})

test('does not believe a list that lacks blocks', async (t) => {
  const chain = makeChain(CHAIN)
  for (const fault of ['short_list', 'empty_list'] as const) {
    const disturb: Disturb = ({ method }) => (method === 'getBlocks' ? fault : undefined)
    isWhole(t, await fetchAll(clientOf(await serve(t, chain, { disturb }))), chain)
  }
})

test('confirms skipped slots at the end of a range by the block after it', async (t) => {
  const chain = makeChain(CHAIN)
  const skipped = allSlots.find((slot) => !chain.blocks.has(slot)) ?? 0
  const server = await serve(t, chain)
  const slots = await fetchAll(clientOf(server), FIRST_SLOT, skipped)
  t.deepEqual(numbersOf(slots), allSlots.slice(0, skipped - FIRST_SLOT + 1))
  t.is(slots.at(-1)?.block, undefined)
  // The successor of the slot does not exist yet: the slot may still be filled.
  const early = await serve(t, chain, { newest: skipped })
  const client = clientOf(early, { retryBudgetMs: 100 })
  const reading = fetchAll(client, FIRST_SLOT, skipped, 100)
  await t.throwsAsync(reading, { instanceOf: RpcUnavailable })
})

test('waits for slots that do not exist yet', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const server = await serve(t, chain, { newest: FIRST_SLOT })
  server.disturb = ({ method, attempt }) => {
    if (method === 'getSlot' && attempt % 3 === 2) server.newest += 10
    return undefined
  }
  isWhole(t, await fetchAll(clientOf(server)), chain)
})

test('requests the newest slot once for each slot that it waits for', async (t) => {
  const chain = makeChain({ ...CHAIN, skipShare: 0 })
  const server = await serve(t, chain, { newest: FIRST_SLOT - 1 })
  // Each look finds one more slot.
  server.disturb = ({ method }) => {
    if (method === 'getSlot') server.newest++
    return undefined
  }
  isWhole(t, await fetchAll(clientOf(server)), chain)
  const counts = Map.groupBy(server.requests, ({ method }) => method)
  t.is(counts.get('getSlot')?.length, SLOTS)
  t.is(counts.get('getBlocks')?.length, SLOTS)
  t.is(counts.get('getBlock')?.length, SLOTS)
})

/**
 * Reads a chain up to a slot, as a source that follows it does. The chain grows by a slot with each look, and with each request
 * for a block that the node does not have yet.
 */
async function follow(
  server: RpcServer,
  to: number,
  options: Partial<BlockClientOptions> = {},
): Promise<SlotBlock[]> {
  server.newest = FIRST_SLOT
  const disturb = server.disturb
  server.disturb = (request) => {
    const isRefused =
      request.method === 'getBlock' && Number(request.params[0]) > server.newest - server.lag.blocks
    if (request.method === 'getSlot' || isRefused) server.newest++
    return disturb?.(request)
  }
  const slots: SlotBlock[] = []
  const fetchSlots = createFetchSlots(clientOf(server, options), { pollMs: 1, stuckMs: PATIENT_MS })
  for await (const slot of fetchSlots(FIRST_SLOT, Number.MAX_SAFE_INTEGER, NEVER)) {
    slots.push(slot)
    if (slot.slot >= to) break
  }
  return slots
}

for (const lag of [
  { lists: 1, blocks: 0 },
  { lists: 1, blocks: 1 },
  { lists: 7, blocks: 7 },
  { lists: 7, blocks: 3 },
  { lists: 1_000, blocks: 0 },
]) {
  test(`follows a node whose lists lag by ${lag.lists} slots and whose blocks by ${lag.blocks}`, async (t) => {
    const chain = makeChain({ ...CHAIN, slots: SLOTS + 10 })
    const server = await serve(t, chain)
    server.lag = lag
    const slots = await follow(server, LAST_SLOT)
    t.deepEqual(numbersOf(slots).slice(0, SLOTS), allSlots)
    t.true(slots.every(({ slot, block }) => (block !== undefined) === chain.blocks.has(slot)))
    t.true(decoded(slots) === printed(eventsOfChain(chain, FIRST_SLOT, slots.at(-1)?.slot)))
  })
}

test('follows the chain where two nodes that share a URL take turns', async (t) => {
  const chain = makeChain({ ...CHAIN, slots: SLOTS + 10 })
  const server = await serve(t, chain)
  let requests = 0
  server.disturb = () => {
    const isLagging = requests++ % 2 === 0
    server.lag = isLagging ? { lists: 2, blocks: 2 } : { lists: 0, blocks: 0 }
    return undefined
  }
  const slots = await follow(server, LAST_SLOT)
  t.deepEqual(numbersOf(slots).slice(0, SLOTS), allSlots)
  t.true(decoded(slots) === printed(eventsOfChain(chain, FIRST_SLOT, slots.at(-1)?.slot)))
})

for (const [name, disturb] of Object.entries<Disturb>({
  'does not deliver its newest slots': ({ method, params }) =>
    method === 'getBlock' && Number(params[0]) > FIRST_SLOT ? 'not_yet' : undefined,
  'reports its newest slots as skipped': ({ method, params }) =>
    method === 'getBlock' && Number(params[0]) > FIRST_SLOT ? 'false_skip' : undefined,
})) {
  for (const lists of [0, 1_000]) {
    const listed = lists === 0 ? 'listed' : 'unlisted'
    test(`ends with a retryable error where a node ${name}, ${listed} ones`, async (t) => {
      const chain = makeChain({ ...CHAIN, slots: 200, transactions: 1, skipShare: 0 })
      const server = await serve(t, chain, { disturb })
      server.lag = { lists, blocks: 0 }
      const error = await t.throwsAsync(follow(server, chain.to, { retryBudgetMs: 300 }), {
        instanceOf: RpcUnavailable,
      })
      t.true(error?.isRetryable)
      t.regex(error?.message ?? '', /^slot \d+ from 127\.0\.0\.1:\d+: JSON-RPC error/)
    })
  }
}

test('ends with a retryable error where a node does not reach a slot in time', async (t) => {
  const chain = makeChain(CHAIN)
  const server = await serve(t, chain, { newest: FIRST_SLOT })
  server.disturb = ({ method }) => {
    if (method === 'getSlot') server.newest++
    return undefined
  }
  const wanted = chain.to
  const fetchSlots = createFetchSlots(clientOf(server), { pollMs: 20, stuckMs: 100 })
  const error = await t.throwsAsync(
    fetchSlots(wanted, wanted, NEVER)[Symbol.asyncIterator]().next(),
  )
  t.regex(error?.message ?? '', new RegExp(`is \\d+, expected ${wanted}`))
})

test('reads on after an answer that names a slot far beyond the chain', async (t) => {
  const chain = makeChain({ ...CHAIN, slots: SLOTS + 10 })
  const server = await serve(t, chain)
  server.disturb = ({ method, attempt }) =>
    method === 'getSlot' && attempt === 5 ? 'far_slot' : undefined
  const error = await t.throwsAsync(follow(server, LAST_SLOT, { retryBudgetMs: 300 }), {
    instanceOf: RpcUnavailable,
  })
  t.regex(error?.message ?? '', /^the next block after slot \d+ from .*: there is none yet$/)
})

test('requests version 0 of transactions where a node refuses version 1', async (t) => {
  const chain = makeChain(CHAIN)
  const server = await serve(t, chain, { transactionVersionMax: 0 })
  isWhole(t, await fetchAll(clientOf(server)), chain)
  const refused = server.requests.filter(
    ({ params }) =>
      (params[1] as { maxSupportedTransactionVersion?: number })?.maxSupportedTransactionVersion ===
      1,
  )
  t.true(refused.length >= 1 && refused.length <= 8, `${refused.length} were refused`)
})

test('repeats no key of the URL in an error, which is final', async (t) => {
  const key = 'a1b2c3d4e5f6a7b8'
  const server = await serve(t, makeChain({ slots: 2, transactions: 1 }), { key })
  const client = clientOf({ ...server, url: `${server.url}x?token=${key}` })
  const error = await t.throwsAsync(fetchAll(client), { instanceOf: RpcUnavailable })
  t.false(error?.isRetryable)
  t.regex(error?.message ?? '', /^the newest slot from 127\.0\.0\.1:\d+: HTTP status 401$/)
  t.notRegex(JSON.stringify(error, Object.getOwnPropertyNames(error)), new RegExp(key))
})

test('holds a bounded number of blocks while its reader is slow', async (t) => {
  const server = await serve(t, makeChain({ ...CHAIN, skipShare: 0 }))
  const slots = createFetchSlots(clientOf(server), { parallel: 3 })(FIRST_SLOT, LAST_SLOT, NEVER)
  let read = 0
  for await (const _ of slots) {
    read++
    const requests = server.requests.filter(({ method }) => method === 'getBlock').length
    t.true(requests <= read + 3, `${requests} blocks were requested after ${read} were read`)
    if (read === 10) break
  }
})

test('ends without waiting when it is aborted', async (t) => {
  const server = await serve(t, makeChain(CHAIN), { disturb: () => 'silent' })
  const end = new AbortController()
  const slots = createFetchSlots(clientOf(server))(FIRST_SLOT, LAST_SLOT, end.signal)
  const next = slots[Symbol.asyncIterator]().next()
  end.abort()
  await t.throwsAsync(next, { name: 'AbortError' })
})
