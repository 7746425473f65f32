/**
 * A backfill that a person can plan: newest chunks first, only one market, and the seam to a source that follows the chain
 * meanwhile, where both are killed again and again.
 */
import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { type Event, isChainEvent, payloadOf } from '../../../../domain/events/event.ts'
import { venueOf } from '../../../../domain/venue.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import {
  type PortalServer,
  type PortalServerOptions,
  startPortal,
} from '../../../support/chain/portal/portal-server.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  forkChain,
  type Json,
  makeChain,
  type ServedChain,
} from '../../../support/chain/served-chain.ts'
import { sampleSwap } from '../../../support/market/sample-swap.ts'
import { finished, runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { freshSeed, sizeOf } from '../../../support/seed.ts'
import {
  openPipeline,
  readSwap,
  until,
  untilCaughtUp,
  untilSessionsEnd,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const BOUND_MS = 120_000
const SLOTS = 60

async function open(t: ExecutionContext, chain: ServedChain, options: PortalServerOptions = {}) {
  const portal = await startPortal(chain, { pageBlocks: 10, waitMs: 20, ...options })
  t.teardown(() => portal.stop())
  const pipeline = await openPipeline(t)
  const settings = { ...settingsOf(pipeline), SOURCE_PORTAL_URL: portal.url }
  return { portal, pipeline, settings }
}

const lines = (events: readonly Event[]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()

const rangeOf = ({ from, to }: ServedChain): string[] => [
  ...['--from', String(from), '--to', String(to)],
]

/** First slots of the requests that begin a chunk or a range. */
const firstSlots = ({ requests }: PortalServer): number[] =>
  requests.flatMap(({ body }) =>
    body?.instructions !== undefined && body.parentBlockHash === undefined ? [body.fromBlock] : [],
  )

test('reads the newest chunk first, and continues so after a kill', async (t) => {
  const chain = makeChain({ slots: SLOTS, transactions: 10 })
  const { portal, pipeline, settings } = await open(t, chain)
  const argv = ['backfill', '--portal', '--chunk', '20', ...rangeOf(chain)]
  const child = startCommand(argv, settings)
  const ended = once(child, 'close')
  child.stdout?.resume()
  child.stderr?.resume()
  portal.disturb = ({ body }) => {
    if (body?.fromBlock === FIRST_SLOT + 20) child.kill('SIGKILL')
    return undefined
  }
  await ended
  await untilSessionsEnd(pipeline.db, 'swaptide backfill')
  t.deepEqual(
    (await listCoverage(pipeline.db)).map(({ from, to }) => ({ from, to })),
    [{ from: FIRST_SLOT + 40, to: chain.to }],
  )
  portal.disturb = undefined
  portal.requests.length = 0
  const { code, stderr } = await runHere(argv, settings)
  t.is(code, 0, stderr)
  const begun = firstSlots(portal).filter((slot) => (slot - FIRST_SLOT) % 20 === 0)
  t.deepEqual(begun, [FIRST_SLOT + 20, FIRST_SLOT])
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  t.is((await listCoverage(pipeline.db)).length, 1)
})

test('reads from the first slot on with --oldest-first', async (t) => {
  const chain = makeChain({ slots: SLOTS, transactions: 10 })
  const { portal, settings } = await open(t, chain)
  const argv = ['backfill', '--portal', '--oldest-first', '--chunk', '30', ...rangeOf(chain)]
  const { code, stderr } = await runHere(argv, settings)
  t.is(code, 0, stderr)
  const begun = firstSlots(portal).filter((slot) => (slot - FIRST_SLOT) % 30 === 0)
  t.deepEqual(begun, [FIRST_SLOT, FIRST_SLOT + 30])
})

for (const kind of ['pool', 'mint'] as const) {
  test(`reads only the past of one ${kind}, which covers no slot`, async (t) => {
    const chain = makeChain({ slots: SLOTS, transactions: 'swaps', skipShare: 0.2 })
    const { portal, pipeline, settings } = await open(t, chain)
    const all = eventsOfChain(chain)
    const of = (event: Event): string | undefined => {
      if (event.kind === 'token' || !isChainEvent(event)) return undefined
      const { pairAddress, tokenAddress, dex } = payloadOf(event)
      if (kind === 'pool') return pairAddress
      return venueOf(dex).hasCallsWithoutMint ? undefined : tokenAddress
    }
    const account = of(all.find((event) => event.kind === 'swap' && of(event)) as Event) ?? ''
    const argv = ['backfill', '--portal', ...rangeOf(chain), `--${kind}`, account]
    portal.disturb = ({ attempt }) => (attempt === 0 ? 'cut_line' : undefined)
    const { code, stdout, stderr } = await runHere(argv, settings)
    t.is(code, 0, stderr)
    const mints = new Set(
      all.flatMap((event) =>
        of(event) === account && isChainEvent(event) ? [payloadOf(event).tokenAddress] : [],
      ),
    )
    const expected = all.filter(
      (event) =>
        of(event) === account || (event.kind === 'token' && mints.has(event.token.tokenAddress)),
    )
    t.true(expected.length > 0)
    t.deepEqual(lines(await readSwap(pipeline)), lines(expected))
    t.regex(stdout, new RegExp(`^[\\d,]+ swaps? of ${kind} ${account} published .*cover no slot`))
    t.deepEqual(await listCoverage(pipeline.db), [])
    const again = await runHere(argv, settings)
    t.regex(again.stdout, /already stored/)
    t.deepEqual(lines(await readSwap(pipeline)), lines(expected))
  })
}

/** The market of the recorded block's first swap whose call names no mint, and all events of it. */
function unnamedMarket(chain: ServedChain) {
  const swaps = eventsOfChain(chain).flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const [first] = swaps.filter(({ dex }) => dex === 3)
  if (first === undefined) throw new Error('expected a swap of venue 3')
  const { tokenAddress: mint, pairAddress: pool } = first
  const own = swaps.filter((swap) => swap.tokenAddress === mint && swap.pairAddress === pool)
  return { mint, pool, own: own.map((swap): Event => ({ kind: 'swap', swap })) }
}

test('--mint reads the known pools of the mint, as calls of some venues name no mint', async (t) => {
  const chain = makeChain({ slots: SLOTS, transactions: 'swaps', skipShare: 0.2 })
  const { pipeline, settings } = await open(t, chain)
  const { mint, pool, own } = unnamedMarket(chain)
  const argv = ['backfill', '--portal', ...rangeOf(chain), '--mint', mint]
  const unknown = await runHere(argv, settings)
  t.is(unknown.code, 0, unknown.stderr)
  t.regex(
    unknown.stdout,
    /^0 swaps .*; 0 pools of the mint read by address: calls of venue_3,venue_4,venue_6,venue_10 may name no mint, read further pools by --pool$/m,
  )
  await insertSwaps(pipeline.db, [sampleSwap({ dex: 3, tokenAddress: mint, pairAddress: pool })])
  const { code, stdout, stderr } = await runHere(argv, settings)
  t.is(code, 0, stderr)
  t.regex(stdout, /; 1 pool of the mint read by address: /)
  t.deepEqual(lines(await readSwap(pipeline)), lines(own))
  const others = await runHere([...argv, '--venues', 'venue_1'], settings)
  t.notRegex(others.stdout, /read by address/)
})

test('--mint also reads the pools of the calls that it found', async (t) => {
  const chain = makeChain({ slots: SLOTS, transactions: 'swaps', skipShare: 0.2 })
  const { pipeline, settings } = await open(t, chain)
  const { mint, own } = unnamedMarket(chain)
  const transactions = [...chain.blocks.values()][SLOTS / 4]?.transactions ?? []
  const signatures = new Set(own.map((event) => isChainEvent(event) && payloadOf(event).signature))
  const at = transactions.findIndex((each) => signatures.has(signatureOf(each)))
  transactions[at] = namedInCalls(transactions[at], mint)
  const argv = ['backfill', '--portal', ...rangeOf(chain), '--mint', mint]
  const { code, stdout, stderr } = await runHere(argv, settings)
  t.is(code, 0, stderr)
  t.regex(stdout, /; 1 pool of the mint read by address: /)
  t.deepEqual(lines(await readSwap(pipeline)), lines(own))
})

const signatureOf = ({ transaction }: Json): string =>
  (transaction as { signatures: string[] }).signatures[0] ?? ''

type Calls = { instructions: { accounts: number[] }[] }

/** A copy of a recorded transaction, each call of which names a further account. */
function namedInCalls(entry: Json | undefined, account: string): Json {
  const copy = structuredClone(entry ?? {})
  const { message } = copy.transaction as { message: Calls & { accountKeys: string[] } }
  const { loadedAddresses, innerInstructions } = copy.meta as {
    loadedAddresses?: { writable: string[]; readonly: string[] }
    innerInstructions: Calls[]
  }
  const { writable = [], readonly = message.accountKeys } = loadedAddresses ?? {}
  readonly.push(account)
  const count = message.accountKeys.length + writable.length
  const at = count + (loadedAddresses?.readonly.length ?? 0) - 1
  const calls = [message, ...innerInstructions].flatMap(({ instructions }) => instructions)
  for (const { accounts } of calls) accounts.push(at)
  return copy
}

test('explains options of one market that cannot be', async (t) => {
  const chain = makeChain({ slots: 5, transactions: 1 })
  const { settings } = await open(t, chain)
  const pool = '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2'
  const cases: [argv: string[], message: RegExp][] = [
    [['--portal', '--pool', 'abc'], /--pool "abc": expected an address/],
    [['--pool', pool], /--pool reads from a portal: add --portal/],
    [['--portal', '--pool', pool, '--mint', pool], /--mint ".*": expected without --pool/],
    [['--portal', '--chunk', '1'], /--chunk "1": expected an integer of 10/],
  ]
  for (const [argv, message] of cases) {
    const { code, stderr } = await runHere(['backfill', ...rangeOf(chain), ...argv], {
      ...settings,
      SOURCE_RPC_URL: 'http://127.0.0.1:1',
    })
    t.is(code, 2, stderr)
    t.regex(stderr, message)
  }
})

const KILLS = { daily: 4, long: 50 }

/** A chain of the last minutes: its last block is of `endS`, Unix seconds. */
function chainUpTo(endS: number, slots: number, seed: number): ServedChain {
  const chain = makeChain({ seed, slots, transactions: 6 })
  moveTo(chain, endS)
  return chain
}

function moveTo({ blocks, to }: ServedChain, endS: number): void {
  for (const [slot, block] of blocks) {
    blocks.set(slot, { ...block, blockTime: endS - Math.ceil((to - slot) / 2.5) })
  }
}

/** Replaces blocks that are not final; false where it draws none. */
function forkTip(
  { chain, finalized }: PortalServer,
  prng: Prng,
  { seed, endS }: { seed: number; endS: number },
): boolean {
  const from = finalized + 1 + Math.floor(prng.unit() * NOT_FINAL)
  if (from > chain.to) return false
  forkChain(chain, from, { seed, transactions: 6 })
  moveTo(chain, endS)
  return true
}

const SEAM_FAULTS = ['cut_line', 'cut_frame', 'empty', 'short', 'missing_block', 503] as const
/** Newest blocks that are not final. */
const NOT_FINAL = 3

const seed = freshSeed()

test(`the seam of a backfill and a live source loses and doubles nothing, killed and forked by seed ${seed}`, async (t) => {
  const kills = sizeOf(KILLS)
  const prng = new Prng([seed])
  const endS = Math.floor(Date.now() / 1_000)
  const chain = chainUpTo(endS, 120 + 8 * kills, seed)
  const options: PortalServerOptions = { newest: FIRST_SLOT + 60 }
  const { portal, pipeline, settings } = await open(t, chain, options)
  // Without a worker lanes would lag, and the backfill would wait for them while the live source runs.
  await runWorker(t, pipeline, { actors: ['pool'] })
  const advance = (slots: number): void => {
    portal.newest = Math.min(chain.to, portal.newest + slots)
    portal.finalized = portal.newest - NOT_FINAL
  }
  advance(0)
  let forks = 0
  const fork = (): void => {
    if (!forkTip(portal, prng, { seed: seed + forks + 1, endS })) return
    forks++
    portal.listsNewestFirst = forks % 2 === 0
  }
  const argv = {
    live: ['source', 'portal'],
    backfill: ['backfill', '--portal', '--last', '1h', '--chunk', '20', '--streams', '2'],
  }
  for (let kill = 0; kill < kills; kill++) {
    const children = Object.values(argv).map((each) => startCommand(each, settings))
    const ended = children.map((child) => finished(child))
    let left = 1 + Math.floor(prng.unit() * 30)
    portal.disturb = ({ path }) => {
      if (!path.endsWith('stream')) return undefined
      if (prng.unit() < 0.2) advance(1)
      if (prng.unit() < 0.05) fork()
      if (--left === 0) for (const child of children) child.kill('SIGKILL')
      return prng.unit() < 0.1 ? pick(prng, SEAM_FAULTS) : undefined
    }
    const killed = Promise.all(ended)
    await Promise.race([killed, ended[1]])
    for (const child of children) child.kill('SIGKILL')
    await killed
    // At least one fork of blocks that the killed source has read.
    fork()
  }
  portal.disturb = undefined
  advance(chain.to)
  portal.finalized = chain.to
  const live = startCommand(argv.live, settings)
  t.teardown(() => live.kill('SIGKILL'))
  const liveEnded = finished(live)
  await until('the live source reaches the end', BOUND_MS, async () => {
    return (await listCoverage(pipeline.db)).some(({ to }) => to === chain.to)
  })
  const last = await runHere(argv.backfill, settings)
  t.is(last.code, 0, last.stderr)
  live.kill('SIGTERM')
  await liveEnded
  const covered = await listCoverage(pipeline.db)
  t.deepEqual(
    covered.map(({ from, to }) => ({ from, to })),
    [{ from: FIRST_SLOT, to: chain.to }],
  )
  const swaps = eventsOfChain(chain).filter(({ kind }) => kind === 'swap')
  t.is(covered[0]?.swaps, swaps.length)
  const signatures = swaps.map((event) => (isChainEvent(event) ? payloadOf(event).signature : ''))
  // The table, as SWAP also holds the blocks that left the chain, and their retractions.
  await untilCaughtUp(pipeline, BOUND_MS)
  const { rows } = await pipeline.db.query('select signature from swap')
  t.deepEqual(rows.map(({ signature }) => signature).toSorted(), signatures.toSorted())
  const retracted = (await readSwap(pipeline)).filter(({ kind }) => kind === 'retract')
  t.log(`${kills} kills, ${forks} forks, ${retracted.length} retractions`)
})

const pick = <Of>(prng: Prng, list: readonly Of[]): Of =>
  list[Math.floor(prng.unit() * list.length)] as Of
