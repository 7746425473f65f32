/**
 * Changes of an untraded token are in the next refresh: its sector, its creator by a token line or by the first pool's
 * creation, recomputed positions and rebuilt candles. Tokens are also refreshed one by one, so the one that changes
 * here is never the next of these.
 */
import test from 'ava'
import { TREND_WINDOWS } from '../../../domain/ranking.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { RankingIndex } from '../../../workers/ranking/ranked/ranking-index.ts'
import { StoredSnapshots } from '../../../workers/ranking/snapshot/snapshot-store.ts'
import type { RankedToken, RankingSnapshot } from '../../../workers/ranking/snapshot/snapshots.ts'
import { rebuildCandles } from '../../../workers/rebuild/candles.ts'
import { rebuildLedger } from '../../../workers/rebuild/ledger.ts'
import { SILENT } from '../../support/api/api-under-test.ts'
import { recountAll } from '../../support/api/insert-ranking.ts'
import { insertEvents, insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { writePages } from '../../support/ranking/refresh.ts'
import { testDatabase } from '../../support/servers/database.ts'

const deleteRecomputes = query('ledger/delete_recomputes')

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const TOKENS = 20
/** Number of the trader that sells every token; another one buys. */
const SELLER = 1
const LAST = TOKENS - 1

async function market(t: { teardown: (end: () => unknown) => void }): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const swaps = Array.from({ length: TOKENS * 2 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 1_000 + n,
      timestamp: NEWEST_MS,
      tokenAddress: mint(n % TOKENS),
      pairAddress: pair(n % TOKENS),
      isBuy: n < TOKENS,
      user: trader(n < TOKENS ? 0 : SELLER),
      solAmount: 2_000_000_000,
    }),
  )
  await insertSwaps(db, swaps, { hasPrices: true })
  await recountAll(db)
  return db
}

/** A refreshed ranking, which is refreshed on request, like the actor's. */
async function refreshing(
  db: Db,
  rankingIndex = new RankingIndex(db, async () => []),
): Promise<() => Promise<RankingSnapshot | undefined>> {
  const written = new StoredSnapshots()
  const refresh = async (): Promise<RankingSnapshot | undefined> => {
    const pages = await rankingIndex.refresh()
    if (pages !== undefined) await writePages(db, written, pages)
    return pages
  }
  await refresh()
  return refresh
}

function tokensOf(pages: RankingSnapshot | undefined, ofSector: string): readonly RankedToken[] {
  const page = pages?.trending.find(
    ({ minutes, hasRugged, sector }) => minutes === 60 && hasRugged && sector === ofSector,
  )
  return page?.tokens ?? []
}

const HOUR_POSITION = TREND_WINDOWS.indexOf('1h')
const partsOf = (token: RankedToken | undefined) => token?.figures[HOUR_POSITION]?.parts

const devSellOf = (pages: RankingSnapshot | undefined, wanted: string): number | undefined =>
  partsOf(tokensOf(pages, '').find((token) => token.mint === wanted))?.[4]

const waiting = async (db: Db): Promise<unknown> =>
  (await db.query('select count(*) as words from token_change')).rows[0].words

test('moves a token to the ranking of its new sector', async (t) => {
  const db = await market(t)
  const refresh = await refreshing(db)
  t.is(await refresh(), undefined, 'nothing happened')
  await db.query("update token set sector = 'meme' where address = $1", [mint(LAST)])
  t.is(await waiting(db), 1)
  const pages = await refresh()
  t.deepEqual(
    tokensOf(pages, 'meme').map((token) => token.mint),
    [mint(LAST)],
  )
  t.is(await waiting(db), 0)
  // The number of pages stays, but others are among them: those of a sector without tokens are deleted.
  await db.query("update token set sector = 'game' where address = $1", [mint(LAST)])
  await refresh()
  const { rows } = await db.query('select distinct sector from trending_page order by sector')
  t.deepEqual(rows, [{ sector: '' }, { sector: 'game' }])
  // A repeated line causes no notification.
  await db.query('update token set sector = sector, creator = creator, symbol = address')
  t.is(await waiting(db), 0)
})

test('another creator, by a token line and by the creation of a pool', async (t) => {
  const db = await market(t)
  const refresh = await refreshing(db)
  t.is(devSellOf(await refreshedAfter(db, refresh, mint(LAST - 1), null), mint(LAST)), 0)
  const byLine = await refreshedAfter(db, refresh, mint(LAST), trader(SELLER))
  t.is(devSellOf(byLine, mint(LAST)), 2)
  await insertEvents(db, [
    {
      event: 'created',
      signature: signatureOf(9_999),
      slot: 1,
      blockTxIndex: 0,
      ixIndex: 0,
      timestamp: NEWEST_MS - 1_000,
      dex: 1,
      pairAddress: pair(LAST - 2),
      tokenAddress: mint(LAST - 2),
      creator: trader(SELLER),
    },
  ])
  t.is(devSellOf(await refresh(), mint(LAST - 2)), 2)
})

test('another first pool, because an earlier swap came late', async (t) => {
  const db = await market(t)
  const refresh = await refreshing(db)
  const made = mint(LAST)
  await insertEvents(db, [
    {
      event: 'created',
      signature: signatureOf(9_998),
      slot: 5,
      blockTxIndex: 0,
      ixIndex: 0,
      timestamp: NEWEST_MS - 1_000,
      dex: 1,
      pairAddress: pair(500),
      tokenAddress: made,
      creator: trader(SELLER),
    },
  ])
  t.is(devSellOf(await refresh(), made), 2)
  const earlier = sampleSwap({
    signature: signatureOf(9_997),
    slot: 4,
    timestamp: NEWEST_MS - 2_000,
    tokenAddress: made,
    pairAddress: pair(LAST),
    user: trader(0),
  })
  await insertSwaps(db, [earlier], { hasPrices: true })
  t.is(await waiting(db), 1)
  t.is(devSellOf(await refresh(), made), 0)
  t.is(await waiting(db), 0)
})

for (const isKnownBefore of [true, false]) {
  const when = isKnownBefore ? 'before the ranking began' : 'while the ranking runs'
  test(`a creator, named ${when}, whose first trade is a sale`, async (t) => {
    const db = await market(t)
    const name = () => db.query('update token set creator = $1', [trader(77)])
    if (isKnownBefore) await name()
    const rankingIndex = new RankingIndex(db, async () => [])
    const refresh = await refreshing(db, rankingIndex)
    if (!isKnownBefore) await name()
    await refresh()
    const sale = sampleSwap({
      signature: signatureOf(8_888),
      slot: 2_000,
      timestamp: NEWEST_MS,
      tokenAddress: mint(LAST),
      pairAddress: pair(LAST),
      isBuy: false,
      user: trader(77),
      solAmount: 2_000_000_000,
    })
    await insertSwaps(db, [sale], { hasPrices: true })
    await recountAll(db)
    const { rows } = await db.query('select id from token where address = $1', [mint(LAST)])
    rankingIndex.note(rows[0].id, NEWEST_MS, 1, 0)
    const pages = await refresh()
    t.true(devSellOf(pages, mint(LAST))! > 0)
    t.is(devSellOf(pages, mint(LAST - 1)), 0)
  })
}

test('another first pool, because an earlier swap of the first slot came late', async (t) => {
  const db = await market(t)
  const made = mint(LAST)
  const at = { slot: 5, timestamp: NEWEST_MS - 1_000, ixIndex: 0 }
  await insertEvents(db, [
    {
      ...{ event: 'created', signature: signatureOf(9_998), ...at, blockTxIndex: 7 },
      ...{ dex: 1, pairAddress: pair(500), tokenAddress: made, creator: trader(SELLER) },
    },
  ])
  const swapAt = (n: number, blockTxIndex: number) =>
    sampleSwap({
      ...{ signature: signatureOf(n), ...at, blockTxIndex, user: trader(0) },
      ...{ tokenAddress: made, pairAddress: pair(LAST) },
    })
  await insertSwaps(db, [swapAt(9_997, 8)], { hasPrices: true })
  await recountAll(db)
  const rankingIndex = new RankingIndex(db, async () => [])
  const refresh = await refreshing(db, rankingIndex)
  t.true(devSellOf(await new RankingIndex(db, async () => []).refresh(), made)! > 1)
  await insertSwaps(db, [swapAt(9_996, 6)], { hasPrices: true })
  await recountAll(db)
  const { rows } = await db.query('select id from token where address = $1', [made])
  rankingIndex.note(rows[0].id, at.timestamp, 1, 0)
  t.is(devSellOf(await refresh(), made), 0)
})

test('positions that a rebuild of the ledger changes', async (t) => {
  const db = await market(t)
  const laneCount = 4
  await rebuildLedger(db, { laneCount, log: SILENT })
  const refresh = await refreshing(db)
  const growths = async (): Promise<unknown[]> =>
    tokensOf(await refresh(), '').map((token) => partsOf(token)?.[5])
  await db.query('update position set balance = 0, held_changes = null')
  t.deepEqual(await growths(), [], 'nobody told of it')
  await rebuildLedger(db, { laneCount, log: SILENT })
  await db.query('update position set balance = 0, held_changes = null')
  const grown = await growths()
  t.is(grown.length, TOKENS)
  t.true(grown.every((growth) => growth === null))
  t.is(await waiting(db), 0)
})

test('a position that was recomputed', async (t) => {
  const db = await market(t)
  await rebuildLedger(db, { laneCount: 4, log: SILENT })
  const refresh = await refreshing(db)
  await refresh()
  const { rows } = await db.query<{ wallet_id: number; token_id: number }>(
    `insert into position_refold (wallet_id, token_id, lane, from_slot)
     select wallet_id, token_id, 0, 0 from position limit 2 returning wallet_id, token_id`,
  )
  t.is(await refresh(), undefined, 'it waits')
  await deleteRecomputes(db, [rows.map((row) => row.wallet_id), rows.map((row) => row.token_id)])
  t.is(await waiting(db), rows.length)
  await db.query('update position set balance = 0, held_changes = null where token_id = $1', [
    rows[0]!.token_id,
  ])
  const tokens = tokensOf(await refresh(), '')
  const growth = partsOf(tokens.find(({ tokenId }) => tokenId === rows[0]!.token_id))
  t.is(growth?.[5], null)
  t.is(await waiting(db), 0)
})

test('candles that were rebuilt', async (t) => {
  const db = await market(t)
  const shown = (pages: RankingSnapshot | undefined): unknown[] =>
    tokensOf(pages, '').map((token) => [token.mint, token.figures])
  const right = shown(await new RankingIndex(db, async () => []).refresh())
  // Long before the range that a refresh reads again, and of a pool without a trade in the day.
  await db.query(
    `insert into candle_1m
     select pool_id, 1, bucket_ms - 86400000, 3, 3, 3, 3, 5, 5, 7000000000 from candle_1m`,
  )
  await db.query('update candle_1m set close = 2 * close, volume_lamports = 9 * volume_lamports')
  const refresh = await refreshing(db)
  t.is(await refresh(), undefined, 'nothing happened')
  await rebuildCandles(db)
  t.is(await waiting(db), TOKENS)
  const refreshed = await refresh()
  t.is(await waiting(db), 0)
  t.is(right.length, TOKENS)
  t.deepEqual(shown(refreshed), right)
  t.is(await refresh(), undefined, 'nothing happened since')
})

test('candles that were rebuilt, of a token that did not seem to trade, and of others that do not', async (t) => {
  const db = await market(t)
  await db.query('update pool set newest_ms = $1 where id in (select id from pool limit 3)', [
    NEWEST_MS - 40 * 86_400_000,
  ])
  const rankingIndex = new RankingIndex(db, async () => [])
  const refresh = await refreshing(db, rankingIndex)
  t.is(rankingIndex.tokenCount, TOKENS - 3)
  await rebuildCandles(db)
  t.is(tokensOf(await refresh(), '').length, TOKENS)
  // A swap far ahead of all others.
  const late = sampleSwap({
    ...{ signature: signatureOf(7_777), slot: 9_000, timestamp: NEWEST_MS + 40 * 86_400_000 },
    ...{ tokenAddress: mint(0), pairAddress: pair(0), user: trader(0) },
  })
  await insertSwaps(db, [late], { hasPrices: true })
  await rebuildCandles(db)
  t.is(await waiting(db), 1)
})

test('drops a token whose trades are long past', async (t) => {
  const db = await market(t)
  const rankingIndex = new RankingIndex(db, async () => [])
  const refresh = await refreshing(db, rankingIndex)
  t.is(rankingIndex.tokenCount, TOKENS)
  const swapAt = (n: number, timestamp: number) =>
    sampleSwap({
      ...{ signature: signatureOf(n), slot: n, timestamp },
      ...{ tokenAddress: mint(n), pairAddress: pair(n), user: trader(0) },
    })
  const late = swapAt(5_000, NEWEST_MS - 40 * 86_400_000)
  await insertSwaps(db, [late], { hasPrices: true })
  await recountAll(db)
  const { rows } = await db.query('select id from token where address = $1', [mint(5_000)])
  rankingIndex.note(rows[0].id, late.timestamp, 1, 0)
  await refresh()
  await insertSwaps(db, [swapAt(5_001, NEWEST_MS + 60_000)], { hasPrices: true })
  await recountAll(db)
  await refresh()
  t.is(rankingIndex.tokenCount, TOKENS)
})

async function refreshedAfter(
  db: Db,
  refresh: () => Promise<RankingSnapshot | undefined>,
  of: string,
  creator: string | null,
): Promise<RankingSnapshot | undefined> {
  const sector = `of ${of}`
  await db.query('update token set creator = $2, sector = $3 where address = $1', [
    of,
    creator,
    sector,
  ])
  return refresh()
}
