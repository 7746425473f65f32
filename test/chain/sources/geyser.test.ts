/** The Yellowstone source: credentials, what it does without another provider, silence, slow readers, forks. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { geyserSource } from '../../../chain/sources/geyser.ts'
import type { Event } from '../../../domain/events/event.ts'
import { VENUES } from '../../../domain/venue.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { SourceError } from '../../../streams/sources/source.ts'
import { disturbed } from '../../support/chain/geyser/faults.ts'
import { encodeUpdate } from '../../support/chain/geyser/messages.ts'
import {
  BEFORE,
  chain,
  expected,
  fetchOf,
  LAST_SLOT,
  run,
  script,
} from '../../support/chain/geyser/run.ts'
import { type Step, scriptOf } from '../../support/chain/geyser/script.ts'
import { startGeyserServer } from '../../support/chain/geyser/server.ts'
import { printed, readThrough } from '../../support/chain/read-through.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  forkChain,
  makeChain,
} from '../../support/chain/served-chain.ts'
import { CERTIFICATE, tlsFiles } from '../../support/servers/tls-files.ts'

const TOKEN = 'a-token-of-nobody'

test('ends with an error that is final and names no token where it is not known', async (t) => {
  for (const token of [undefined, 'another-token']) {
    const server = { token: TOKEN }
    const error = await t.throwsAsync(run(t, script('held'), { server, source: { token } }), {
      instanceOf: SourceError,
      message:
        /^Yellowstone stream of 127\.0\.0\.1:\d+: gRPC status 16 "No valid auth token": check the x-token$/,
    })
    t.false(error?.isRetryable)
  }
  const { events } = await run(t, script('held'), {
    server: { token: TOKEN },
    source: { token: TOKEN },
  })
  t.true(printed(events) === expected)
})

test('repeats no token that the server repeats', async (t) => {
  const server = createServer()
  server.on('stream', (stream) => {
    const text = encodeURIComponent(`unknown token ${TOKEN}\nof\tyours`)
    stream.respond(
      { ':status': 200, 'grpc-status': '7', 'grpc-message': text },
      { endStream: true },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const source = geyserSource({ endpoint: `http://127.0.0.1:${port}`, token: TOKEN })
  await t.throwsAsync(readThrough(source, undefined), {
    message: /"unknown token \*\*\* of yours"$/,
  })
})

test('reports a server that does not speak gRPC, and one that is not there', async (t) => {
  const server = createServer()
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html' })
    stream.end('<html></html>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const source = geyserSource({ endpoint: `http://127.0.0.1:${port}` })
    for await (const _ of source.open(undefined, new AbortController().signal)) t.fail()
  }
  t.true(
    (await t.throwsAsync(open(), { instanceOf: SourceError, message: /is not gRPC$/ }))
      ?.isRetryable,
  )
  await new Promise((resolve) => server.close(resolve))
  const away = { instanceOf: SourceError, message: /connection failed: connect ECONNREFUSED/ }
  t.true((await t.throwsAsync(open(), away))?.isRetryable)
})

test('reads over TLS, and refuses a certificate without a known issuer', async (t) => {
  const files = await tlsFiles(t)
  const tls = { certificate: await readFile(files.certificate), key: await readFile(files.key) }
  const certificateAuthority = CERTIFICATE
  const { events } = await run(t, script('held'), {
    server: { tls },
    source: { certificateAuthority },
  })
  t.true(printed(events) === expected)
  const server = await startGeyserServer({ script: script('held'), tls })
  t.teardown(() => server.stop())
  const source = geyserSource({ endpoint: server.url })
  const reading = (async () => {
    for await (const _ of source.open(undefined, new AbortController().signal)) t.fail()
  })()
  await t.throwsAsync(reading, { message: /connection failed: self-signed certificate/ })
})

test('holds the cursor at a slot that it cannot have, and ends', async (t) => {
  const steps = disturbed(script('held'), chain, ['lost_transaction'], new Prng([3]))
  const server = await startGeyserServer({ script: steps })
  t.teardown(() => server.stop())
  const source = geyserSource({ endpoint: server.url, to: LAST_SLOT })
  let cursor = BEFORE
  const reading = (async () => {
    for await (const batch of source.open(BEFORE, new AbortController().signal))
      cursor = batch.cursor
  })()
  const error = await t.throwsAsync(reading, {
    instanceOf: SourceError,
    message: /did not come whole: name an RPC/,
  })
  t.false(error?.isRetryable)
  const lost = steps.find((step) => step.kind === 'transaction' && step.without !== undefined)
  t.true(lost !== undefined && 'slot' in lost && Number(cursor) < lost.slot)
})

test('passes over it where gaps are accepted, and reports them', async (t) => {
  const steps = disturbed(script('held'), chain, ['lost_transaction', 'lost_slot'], new Prng([3]))
  const source = { fetchSlots: undefined, acceptsGaps: true }
  const { events, notices } = await run(t, steps, { source })
  t.deepEqual(new Set(notices.map(({ kind }) => kind)), new Set(['gap']))
  t.deepEqual(notices[0]?.reasons, [{ field: 'slots', value: '1', reason: 'did not come whole' }])
  const gaps = new Set(notices.map(({ at }) => Number(at.split(' to ')[0])))
  t.is(gaps.size, 2)
  const rest = eventsOfChain({
    ...chain,
    blocks: new Map([...chain.blocks].filter(([slot]) => !gaps.has(slot))),
  })
  t.true(printed(events) === printed(rest))
})

test('subscribes first, then fetches from the cursor to the first live slot', async (t) => {
  const steps = script('held')
  const liveFrom = steps.findIndex(
    (step) => 'slot' in step && step.slot === FIRST_SLOT + 30 && step.kind === 'transaction',
  )
  const server = await startGeyserServer({ script: steps.slice(liveFrom) })
  t.teardown(() => server.stop())
  const fetched: [number, number, number][] = []
  const source = geyserSource({
    endpoint: server.url,
    to: LAST_SLOT,
    fetchSlots: fetchOf(chain),
    onFetch: (from, to) => fetched.push([from, to, server.requests.length]),
  })
  const { events } = await readThrough(source, BEFORE)
  t.true(printed(events) === expected)
  t.is(fetched[0]?.[0], FIRST_SLOT)
  t.true((fetched[0]?.[2] ?? 0) > 0)
  t.true(fetched.every(([, to]) => to < FIRST_SLOT + 40))
})

test('has the server replay what it still holds, and fetches nothing then', async (t) => {
  const steps = disturbed(script('held'), chain, ['cut', 'cut'], new Prng([5]))
  const { events, errors, fetched, server } = await run(t, steps, { server: { ringSteps: 10_000 } })
  t.true(printed(events) === expected)
  t.is(errors.length, 2)
  t.deepEqual(fetched, [])
  t.true(server.requests.filter(({ fromSlot }) => fromSlot !== undefined).length === 3)
})

test('answers the pings of the server', async (t) => {
  const { server } = await run(t, script('held'))
  t.true(server.requests.some(({ ping }) => ping !== undefined))
})

test('fails for a while when the stream brings nothing', async (t) => {
  const server = await startGeyserServer({ script: script('held'), silentAt: 400 })
  t.teardown(() => server.stop())
  const source = geyserSource({ endpoint: server.url, times: { silentMs: 1_500 } })
  let slots = 0
  const reading = (async () => {
    for await (const { units } of source.open(undefined, new AbortController().signal))
      slots += units
  })()
  const error = await t.throwsAsync(reading, {
    instanceOf: SourceError,
    message: /no update for 1\.5 s$/,
  })
  t.true(error?.isRetryable)
  t.true(slots > 5)
})

test('pauses the stream while events are not consumed, and holds a bounded number', async (t) => {
  // Little memory, and a reader that lets the server go as far as it can before each batch.
  const held: number[] = []
  const { events } = await run(t, script('held'), {
    server: { stepsATurn: 1 },
    source: { bytesMax: 200_000 },
    onBatch: async (server) => {
      for (let before = -1; before !== server.position; ) {
        before = server.position
        for (let ticks = 0; ticks < 50; ticks++)
          await new Promise((resolve) => setImmediate(resolve))
      }
      held.push(server.position)
    },
  })
  t.true(printed(events) === expected)
  t.true((held[0] ?? 0) < script('held').length, `${held[0]} of ${script('held').length} steps`)
})

test('gives the stream up when it is paused for long, and continues after the cursor', async (t) => {
  let isSlow = true
  const { events, errors } = await run(t, script('held'), {
    source: { bytesMax: 100_000, times: { pausedMs: 50 } },
    onBatch: async (server) => {
      while (isSlow && server.open > 0) await new Promise((resolve) => setImmediate(resolve))
      isSlow = false
    },
  })
  t.true(printed(events) === expected)
  t.true(
    errors.some((each) => /events were not consumed for 0\.05 s$/.test(each)),
    errors.join(),
  )
})

test('takes back the blocks that the chain left, and yields the others', async (t) => {
  const trunk = makeChain({ slots: 30, transactions: 12, skipShare: 0 })
  const branch = makeChain({ slots: 30, transactions: 12, skipShare: 0 })
  const forkedAt = FIRST_SLOT + 20
  forkChain(branch, forkedAt, { seed: 2, transactions: 12, skipShare: 0 })
  const isBeforeFork = (step: Step): boolean => 'slot' in step && step.slot < forkedAt + 5
  const steps = [
    ...scriptOf(trunk, 'held').filter(isBeforeFork),
    ...scriptOf(branch, 'held').filter((step) => 'slot' in step && step.slot >= forkedAt),
  ]
  const source = { fetchSlots: fetchOf(branch), to: FIRST_SLOT + 29 }
  const { events, notices } = await run(t, steps, { source })
  const left = [4, 3, 2, 1, 0].map((each) => forkedAt + each)
  t.deepEqual(
    notices.map(({ kind, at }) => [kind, at]),
    left.map((slot) => ['fork', String(slot)]),
  )
  const abandoned = eventsOfChain(trunk, forkedAt, forkedAt + 4)
  const all = [
    ...eventsOfChain(branch, 0, forkedAt - 1),
    ...abandoned,
    ...left.map((slot): Event => {
      const blockhash = trunk.blocks.get(slot)?.blockhash
      return { kind: 'retract', retraction: { slot, blockhash } }
    }),
    ...eventsOfChain(branch, forkedAt),
  ]
  t.true(printed(events) === printed(all))
})

test('fetches a slot whose transactions cannot be read', async (t) => {
  const programs = VENUES.map(({ program }) => program)
  const at = script('held').findIndex(
    (step) =>
      step.kind === 'transaction' &&
      !step.transaction.hasFailed &&
      programs.some((program) => step.transaction.keys.has(program)),
  )
  const { events, fetched } = await run(
    t,
    script('held').toSpliced(at, 1, ...unreadable(script('held')[at])),
  )
  t.is(fetched.length, 1)
  t.true(printed(events) === expected)
})

const MARK = 'Program log: marked'

/** The transaction with a field in its result that has no known type, and its status. */
function unreadable(step: Step | undefined): Step[] {
  if (step?.kind !== 'transaction') throw new Error('expected a transaction')
  const { update } = step.transaction
  const meta = { ...(update.meta as object), logMessages: [MARK] }
  const transaction = { slot: step.slot, transaction: { ...update, meta } }
  const bytes = encodeUpdate({ filters: ['w'], transaction })
  const tagAt = bytes.indexOf(MARK) - 2
  bytes[tagAt] = (bytes[tagAt] ?? 0) | 7
  return [
    { kind: 'bytes', bytes },
    { ...step, without: 'transaction' },
  ]
}

test('subscribes to the programs of the wanted venues and yields their events only', async (t) => {
  const venue = VENUES[2]
  if (venue === undefined) throw new Error('expected a third venue')
  const { events, server } = await run(t, script('held'), {
    source: { venues: new Set([venue.dex]) },
  })
  t.deepEqual(server.requests[0]?.transactions?.w?.accountInclude, [venue.program])
  const own = eventsOfChain(chain).filter(
    (event) => event.kind === 'swap' && event.swap.dex === venue.dex,
  )
  t.true(own.length > 0)
  t.true(printed(events.filter(({ kind }) => kind === 'swap')) === printed(own))
})

test('waits for the finalized status where that is the commitment', async (t) => {
  const steps = scriptOf(chain, 'held', 'FINALIZED')
  const { events, server } = await run(t, steps, { source: { commitment: 'finalized' } })
  t.is(server.requests[0]?.commitment, 'FINALIZED')
  t.true(printed(events) === expected)
})
