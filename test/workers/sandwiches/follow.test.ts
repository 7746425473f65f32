/**
 * The job that follows the pool lanes finds what a search of the whole history finds, whatever came first: late legs, a late pool event
 * and a retraction included. `verify` compares, and `rebuild` repairs.
 */
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../domain/market/order.ts'
import { bracketOf } from '../../../domain/market/sandwich/bracket-row.ts'
import { WINDOW_MAX } from '../../../domain/market/sandwich/cuts.ts'
import { detectSandwiches } from '../../../domain/market/sandwich/detect.ts'
import type { BracketRow } from '../../../domain/market/sandwich/stored-row.ts'
import { listBracketPools } from '../../../history/swaps/sandwiches.ts'
import { type Connection, type Db, inTransaction } from '../../../sql/db.ts'
import { rebuildSandwiches } from '../../../workers/rebuild/sandwiches.ts'
import { followSandwiches } from '../../../workers/sandwiches/follow.ts'
import { readBrackets, textOf } from '../../../workers/sandwiches/store.ts'
import { verifySandwiches } from '../../../workers/verify/sandwiches.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { poolOf } from '../../support/events/sample-event.ts'
import { FormulaPool } from '../../support/market/formula-pool.ts'
import { LAUNCHES } from '../../support/market/launches.ts'
import { pair, trader } from '../../support/market/sample-swap.ts'
import { freshSeed, requestedSeed } from '../../support/seed.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const EVERYTHING = { from: 0, end: Number.MAX_SAFE_INTEGER }
const SOL = 1_000_000_000n
const BLOCK = poolOf(700_001)

async function publish(pipeline: Pipeline, events: readonly Event[]): Promise<void> {
  await publishAll(pipeline, events)
  await untilCaughtUp(pipeline)
}

const follow = (db: Db): Promise<boolean> => followSandwiches(db, new AbortController().signal)

async function storedOf(db: Db): Promise<BracketRow[]> {
  const { rows } = await db.query<{ id: number }>('select id from pool order by id')
  const found = await Promise.all(rows.map(({ id }) => readBrackets(db, id, EVERYTHING)))
  return found.flat().map(({ row }) => row)
}

function searched(swaps: readonly Swap[]): BracketRow[] {
  const pools = Map.groupBy(swaps, ({ pairAddress }) => pairAddress).values()
  return [...pools].flatMap((own) => {
    const pool = { slots: inExecutionOrder(own), events: [], migratedAtMs: undefined }
    return detectSandwiches(pool, WINDOW_MAX).map(bracketOf)
  })
}

/** Notes of slots before the swaps, many of them overlapping, such as commits leave before the job follows. */
const NOTES = `
  insert into sandwich_due (first_slot, last_slot)
  select 20 * (n % 90), 20 * (n % 90) + n % 5 from generate_series(1, 1_000) as n
`

async function statementsOfVerification(db: Db): Promise<number> {
  let statements = 0
  await inTransaction(db, (connection) => {
    const counted = Object.create(connection, {
      query: {
        value: (...given: Parameters<Connection['query']>) => {
          statements += 1
          return connection.query(...given)
        },
      },
    })
    return verifySandwiches(counted, 0)
  })
  return statements
}

const textsOf = (rows: readonly BracketRow[]): string[] => rows.map(textOf).sort()

/** A small generator, so that a failure can be repeated by its seed. */
function shuffled(swaps: readonly Swap[], seed: number): Swap[] {
  let state = seed
  const keyed = swaps.map((swap) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return { swap, key: state }
  })
  return keyed.sort((a, b) => a.key - b.key).map(({ swap }) => swap)
}

const PARTS = 5

test('recorded launches in any order of arrival have the sandwiches of the whole history', async (t) => {
  const seed = requestedSeed() ?? freshSeed()
  t.log(`seed ${seed}`)
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  await runWorker(t, pipeline)
  const swaps = shuffled(LAUNCHES, seed)
  const size = Math.ceil(swaps.length / PARTS)
  for (let part = 0; part < PARTS; part++) {
    const own = swaps.slice(part * size, (part + 1) * size)
    await publish(
      pipeline,
      own.map((swap): Event => ({ kind: 'swap', swap })),
    )
    // The first part is of the time before the job first ran, the last one is followed by one run for all.
    if (part !== 0) await follow(db)
  }
  const stored = await storedOf(db)
  t.deepEqual(textsOf(stored), textsOf(searched(LAUNCHES)))
  t.is(stored.filter(({ ruling }) => ruling === 'sandwich').length, 5)
  const { rows } = await db.query('select from sandwich_due')
  t.is(rows.length, 0)
  await rebuildSandwiches(db)
  t.deepEqual(textsOf(await storedOf(db)), textsOf(stored))
})

/** One sandwich in slot 2,000, and a trade before and after it in others. */
function market() {
  const pool = new FormulaPool({ sol: 1_000n * SOL, tokens: 10n ** 15n, dex: 3, pair: 1 })
  const attacker = trader(90)
  const at = { slot: 2_000, timestamp: Date.UTC(2026, 6, 1), blockhash: BLOCK }
  const before = pool.buy(SOL, { slot: 1_990, user: trader(91) })
  const front = pool.buy(20n * SOL, { ...at, blockTxIndex: 1, user: attacker })
  const victim = pool.buy(10n * SOL, { ...at, blockTxIndex: 2, user: trader(92) })
  const back = pool.sell(BigInt(front.tokenAmount), { ...at, blockTxIndex: 3, user: attacker })
  const after = pool.buy(SOL, { slot: 2_100, user: trader(91) })
  return { before, front, victim, back, after }
}

test('a late leg, a late change of liquidity and a retraction are followed, and verified', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 1 })
  const { db, recording } = pipeline
  await runWorker(t, pipeline)
  const { before, front, victim, back, after } = market()
  const verified = async () => (await verify(db, { log: recording.log })).sandwiches
  const swapsOf = (...swaps: Swap[]) => swaps.map((swap): Event => ({ kind: 'swap', swap }))
  const lossesOf = async () => {
    const rows = await storedOf(db)
    const victims = rows.flatMap(({ legs }) => legs.filter(({ role }) => role === 'victim'))
    return victims.map(({ basis, loss_low, loss_high }) => ({ basis, loss_low, loss_high }))
  }

  await publish(pipeline, swapsOf(before, victim, back, after))
  t.deepEqual(await verified(), { brackets: 0, pending: 0, differences: [] })
  await follow(db)
  t.deepEqual(await storedOf(db), [])
  // No wallet and no quantity on both sides: the pool is not read.
  const near = { near: WINDOW_MAX, tokensMin: 10_000 }
  t.deepEqual(await listBracketPools(db, [{ first: 1_990, last: 2_100 }], near), [])

  await publish(pipeline, swapsOf(front))
  const [concerned] = await listBracketPools(db, [{ first: 2_000, last: 2_000 }], near)
  t.like(concerned, { run: 1, is_whole: false })
  t.deepEqual(await verified(), { brackets: 1, pending: 1, differences: [] })
  await db.query(NOTES)
  t.true(
    (await statementsOfVerification(db)) < 20,
    'notes that cannot concern a bracket are not read',
  )
  await follow(db)
  const [exact, ...others] = await lossesOf()
  t.deepEqual(others, [])
  t.is(exact?.basis, 'exact')
  t.true(BigInt(exact?.loss_low ?? 0) > 100_000_000n)
  t.deepEqual(await verified(), { brackets: 1, pending: 0, differences: [] })

  const { signature: _, ...facts } = front
  const changed: Event = {
    kind: 'pool_event',
    poolEvent: {
      ...{ event: 'liquidity_added', signature: victim.signature, slot: 2_000 },
      ...{ blockTxIndex: 2, ixIndex: 9, timestamp: facts.timestamp, dex: 3 },
      ...{ pairAddress: pair(1), tokenAddress: facts.tokenAddress, solAmount: 1, tokenAmount: 1 },
    },
  }
  await publish(pipeline, [changed])
  await follow(db)
  t.like((await lossesOf())[0], { basis: 'bounded' })
  t.deepEqual((await verified()).differences, [])

  await db.query(`update sandwich_leg set loss_low = 7 where role = 'victim'`)
  const { differences } = await verified()
  t.is(differences.length, 2)
  await rebuildSandwiches(db)
  t.deepEqual((await verified()).differences, [])

  const retraction: Event = { kind: 'retract', retraction: { slot: 2_000, blockhash: BLOCK } }
  await publish(pipeline, [retraction])
  await follow(db)
  t.deepEqual(await storedOf(db), [])
  t.deepEqual(await verified(), { brackets: 0, pending: 0, differences: [] })
})
