/**
 * After a retraction every route answers as in an installation that never saw the block: a wallet, a mint and a pool that
 * had only retracted events are unknown. The routes are those that the API declares.
 */
import test, { type ExecutionContext } from 'ava'
import type { Event, MarketEvent } from '../../../../domain/events/event.ts'
import { WINDOW_NAMES } from '../../../../domain/time/trade-window.ts'
import { LEADERBOARD_PERIODS } from '../../../../domain/wallet/leaderboard.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { makeRanking } from '../../../../workers/jobs/leaderboard.ts'
import { refreshScreen } from '../../../../workers/jobs/screener.ts'
import { walletTags } from '../../../../workers/jobs/wallet-tags.ts'
import { followSandwiches } from '../../../../workers/sandwiches/follow.ts'
import { answersOf } from '../../../support/api/walk/installation.ts'
import { differencesOf, type Walked } from '../../../support/api/walk/routes.ts'
import { type Subjects, someOf, subjectsOf } from '../../../support/api/walk/subjects.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { verifiedHashes } from '../../../support/verify/hashes.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const ACTORS = ['pool', 'ledger', 'ranking']
const BOUND_MS = 120_000
const FROM_MS = Date.parse('2026-07-20T12:00:00Z')
const FORKED = poolOf(900_001)
const FORKED_SLOT = 2_000
const TOKENS = 4
const WALLETS = 7
/** Numbers of addresses that only the retracted block names. */
const GONE = 50

/** Answers that state the retraction itself. */
const OF_RETRACTIONS = /^\/api\/v1\/retractions/
/** Routes that are served from what jobs store, where there is much. */
const PRECOMPUTED = ['getLeaderboard', 'screenTokens']

/** Swaps of a few tokens on several venues over two hours, and their pools' creation. */
function history(prng: Prng): MarketEvent[] {
  const created = Array.from(
    { length: TOKENS },
    (_, n): MarketEvent => ({
      kind: 'pool_event',
      poolEvent: {
        ...{
          event: 'created',
          signature: signatureOf(500 + n),
          slot: 900 + n,
          blockTxIndex: 0,
          ixIndex: 0,
        },
        ...{ timestamp: FROM_MS - 7_300_000, dex: 1, pairAddress: pair(n), tokenAddress: mint(n) },
        creator: trader(n),
      },
    }),
  )
  const swaps = Array.from(
    { length: 120 },
    (_, n): MarketEvent => ({
      kind: 'swap',
      swap: sampleSwap({
        ...{
          signature: signatureOf(n),
          slot: 1_000 + 8 * n,
          timestamp: FROM_MS - 7_200_000 + n * 60_000,
        },
        ...{
          tokenAddress: mint(n % TOKENS),
          pairAddress: pair(n % TOKENS),
          user: trader(prng.below(WALLETS)),
        },
        ...{ isBuy: prng.chance(0.6), solAmount: 10_000_000 + prng.below(2_000_000_000) },
        ...{ tokenAmount: 1_000_000 + prng.below(90_000_000), realSolReserves: 40_000_000_000 },
        realTokenReserves: 3_000_000_000,
      }),
    }),
  )
  const tokens = Array.from(
    { length: TOKENS - 1 },
    (_, n): MarketEvent => ({
      kind: 'token',
      token: {
        ...{ tokenAddress: mint(n), slot: 1, decimals: 6, symbol: `SYM${n}`, name: `Name ${n}` },
        ...{ supply: 1_000_000_000_000, ...(n === 0 ? { sector: 'meme' } : {}) },
      },
    }),
  )
  // The pool is created in the block that leaves.
  const younger: MarketEvent = {
    kind: 'swap',
    swap: sampleSwap({
      ...{ signature: signatureOf(600), slot: FORKED_SLOT + 500, timestamp: FROM_MS - 60_000 },
      ...{ tokenAddress: mint(TOKENS), pairAddress: pair(TOKENS), user: trader(5), isBuy: true },
    }),
  }
  return [...created, ...swaps, ...tokens, younger]
}

/** Events of a block that leaves the chain: of known and of unknown wallets, mints and pools. */
function forkedBlock(timestamp: number): MarketEvent[] {
  const block = { slot: FORKED_SLOT, timestamp, blockhash: FORKED }
  // A whale's buy at no higher price: tags of wallets that are not in the block stay as they were.
  const legs = { solAmount: 60_000_000_000, tokenAmount: 6_000_000_000 }
  const swapOf = (n: number, changes: object): MarketEvent => ({
    kind: 'swap',
    swap: sampleSwap({
      ...block,
      ...legs,
      signature: signatureOf(700 + n),
      blockTxIndex: n,
      ...changes,
    }),
  })
  const gone = { tokenAddress: mint(GONE), pairAddress: pair(GONE), user: trader(GONE) }
  const known = { tokenAddress: mint(1), pairAddress: pair(1), user: trader(1) }
  return [
    {
      kind: 'pool_event',
      poolEvent: {
        ...{ event: 'created', signature: signatureOf(699), ...block, blockTxIndex: 0, ixIndex: 0 },
        ...{ dex: 1, pairAddress: pair(GONE), tokenAddress: mint(GONE), creator: trader(GONE) },
      },
    },
    {
      kind: 'pool_event',
      poolEvent: {
        ...{ event: 'created', signature: signatureOf(698), ...block, blockTxIndex: 0, ixIndex: 0 },
        ...{
          dex: 3,
          pairAddress: pair(GONE + 3),
          tokenAddress: mint(GONE + 3),
          creator: trader(2),
        },
      },
    },
    {
      kind: 'pool_event',
      poolEvent: {
        ...{ event: 'created', signature: signatureOf(697), ...block, blockTxIndex: 0, ixIndex: 0 },
        ...{ dex: 1, pairAddress: pair(TOKENS), tokenAddress: mint(TOKENS), creator: trader(3) },
      },
    },
    swapOf(1, gone),
    swapOf(2, { ...gone, user: trader(GONE + 1) }),
    swapOf(3, { ...gone, user: trader(1), isBuy: false }),
    swapOf(4, { ...known, user: trader(GONE + 2) }),
    swapOf(5, { ...known, pairAddress: pair(GONE + 1), dex: 3 }),
    swapOf(6, { ...known, tokenAddress: mint(GONE + 2) }),
    swapOf(7, known),
  ]
}

async function fed(t: ExecutionContext, batches: readonly (readonly Event[])[]): Promise<Pipeline> {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ACTORS })
  for (const events of batches) {
    await publishAll(pipeline, events)
    await untilLedgerCaughtUp(pipeline, BOUND_MS)
    await untilRankingCaughtUp(pipeline, BOUND_MS)
    await untilLedgerCaughtUp(pipeline, BOUND_MS)
    await runJobs(pipeline, events === batches.at(-1))
  }
  // Rankings are of all that was published when they equal the tables.
  await verifiedHashes(t, pipeline)
  return pipeline
}

/** Background jobs whose results readers get: tags of wallets, leaderboards and screens. */
async function runJobs(pipeline: Pipeline, isLast: boolean): Promise<void> {
  const {
    db,
    recording: { log },
  } = pipeline
  // An hour passes: otherwise the tags of a wallet stay those of before the block.
  if (!isLast) await db.query('update wallet_profile set computed_ms = 1')
  await walletTags({}, { db, log }, new AbortController().signal)
  await makeStored(pipeline)
}

async function makeStored({ db }: Pipeline): Promise<void> {
  for (const period of LEADERBOARD_PERIODS) {
    await makeRanking(db, period, { remakeAfterMs: 0, directRowsMax: 0 })
  }
  for (const window of WINDOW_NAMES) await refreshScreen(db, window, { freshMs: 0 })
  await followSandwiches(db, AbortSignal.timeout(BOUND_MS))
}

/** `isStored`: of the routes that are served from what jobs store, where there is much. */
async function answers(pipeline: Pipeline, subjects: Subjects, isStored: boolean): Promise<Walked> {
  const stored = { directRowsMax: 0, screenedPoolsMax: 0, operationIds: PRECOMPUTED }
  if (isStored) await makeStored(pipeline)
  const all = await answersOf(pipeline, subjects, isStored ? stored : {})
  return new Map([...all].filter(([request]) => !OF_RETRACTIONS.test(request)))
}

for (const [what, atMs] of Object.entries({
  'the newest block': FROM_MS + 3_600_000,
  'a block before others': FROM_MS - 3_000_000,
})) {
  test.serial(`every route answers as if ${what} had never been there`, async (t) => {
    const events = history(new Prng([7]))
    const block = forkedBlock(atMs)
    const retraction: Event = {
      kind: 'retract',
      retraction: { slot: FORKED_SLOT, blockhash: FORKED },
    }
    const forked = await fed(t, [events, block, [retraction]])
    const other = await fed(t, [events, []])
    const subjects = subjectsOf([...events, ...block])
    t.true(subjects.wallets.includes(trader(GONE)))
    const few = chosen(subjects, block)
    for (const stored of [true, false]) {
      const [one, two] = [await answers(forked, few, stored), await answers(other, few, stored)]
      const differences = differencesOf(one, two)
      t.is(differences.length, 0, differences.join('\n').slice(0, 10_000))
    }
  })
}

/** All addresses of the retracted block, and some others. */
function chosen(all: Subjects, block: readonly MarketEvent[]): Subjects {
  const ofBlock = subjectsOf(block)
  const withOthers = (kind: 'wallets' | 'mints' | 'pairs' | 'creators') => [
    ...new Set([...ofBlock[kind], ...all[kind].slice(0, 3)]),
  ]
  return {
    ...someOf(all, 5),
    ...{
      wallets: [...new Set([...withOthers('wallets'), ...ofBlock.creators])],
      mints: withOthers('mints'),
      pairs: withOthers('pairs'),
    },
    creators: withOthers('creators'),
  }
}
