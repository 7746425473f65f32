// /v2/pnl/leaderboard/top: equal to the naive model at random instants, computed on the spot and from
// stored rankings alike; pages, refusals and edges.

import test from 'ava'
import { lamportsToSol } from '../../../../domain/amount.ts'
import { LEADERBOARD_PERIODS } from '../../../../domain/wallet/leaderboard.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { makeRanking } from '../../../../workers/jobs/leaderboard.ts'
import { ranksOf } from '../../../simulation/models/leaderboard-model.ts'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { planAsRun } from '../../../support/api/plan.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { START_MS, swapsOf } from '../pnl/ledger-swaps.ts'
import { bothApis, PATH, times } from './both-apis.ts'
import { randomTransactions } from './random-transactions.ts'

const DAYS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 }

/** Shares of the swaps that have arrived since the instant before. */
const INSTANTS = [
  [0, 0.4],
  [0.4, 0.9],
  [0.9, 0.95],
  [0.95, 1],
] as const

test('a leaderboard equals the naive model at random instants, computed or stored', async (t) => {
  const { db, getDirect, getStored } = await bothApis(t)
  // In any order: swaps come late, and those of one transaction apart.
  const prng = new Prng([12])
  const swaps = randomTransactions(new Prng([11]), { count: 900 }).map((swap) => ({
    swap,
    at: prng.unit(),
  }))
  let arbitrageurs = 0
  for (const [instant, [from, to]] of INSTANTS.entries()) {
    await insertLedger(
      db,
      swaps.filter(({ at }) => at >= from && at < to).map(({ swap }) => swap),
    )
    const known = swaps.filter(({ at }) => at < to).map(({ swap }) => swap)
    // Each with another limit: answers are cached for five minutes.
    const limit = 1000 - instant
    for (const period of LEADERBOARD_PERIODS) {
      t.true(await makeRanking(db, period, { remakeAfterMs: 0, directRowsMax: 0 }))
      for (const mode of PNL_MODES) {
        const all = ranksOf(known, { days: DAYS[period], mode, isHonest: false })
        for (const isHonest of [false, true]) {
          const query = `period=${period}&pnl_mode=${mode}&exclude_arbitrage=${isHonest}&limit=${limit}`
          const expected = isHonest ? ranksOf(known, { days: DAYS[period], mode, isHonest }) : all
          arbitrageurs += all.length - expected.length
          for (const get of [getDirect, getStored]) {
            const { status, body } = await get(query)
            t.is(status, 200, query)
            t.deepEqual(
              body.leaderboard,
              expected.map(({ realized, ...rank }) => ({
                ...rank,
                realized_sol: lamportsToSol(realized),
                is_kol: false,
                tags: [],
              })),
              `${query}, instant ${instant}`,
            )
          }
        }
      }
    }
  }
  t.true(arbitrageurs > 0, 'some wallets were left out')
  const { rows } = await db.query('select from wallet_transactions')
  t.true(rows.length > 0, 'for some wallets transactions were counted')
})

test('pages of a stored ranking meet without a seam, with and without arbitrageurs', async (t) => {
  const { db, getDirect, getStored } = await bothApis(t)
  const WALLETS = 2_345
  await db.query('insert into wallet (address) select unnest($1::text[])', [times(WALLETS, trader)])
  await db.query(
    'insert into slot_span select 0, width, 0, $1, $1 from unnest($2::integer[]) as width',
    [START_MS, [100, 10_000, 1_000_000_000]],
  )
  // Ties of five; from the 400th to the 1,600th arbitrageurs only: a page of the ranking has none else.
  await db.query(
    `insert into position_hour (wallet_id, hour_ms, token_id, segment, buy_count, sell_count,
       covered_sell_count, win_count, transaction_count, arbitrage_count, realized_strict,
       realized_adjusted, realized_raw, volume_lamports)
     select id, $1, 1, 0, 2, 2, 2, 1, 4, case when number between 400 and 1600 then 4 else 0 end,
       amount, amount, amount, 0
     from (select id, number, 1000 - number / 5 as amount
       from (select id, row_number() over (order by address) - 1 as number from wallet) as numbered
     ) as figures`,
    [START_MS],
  )
  await makeRanking(db, '1d', { remakeAfterMs: 0, directRowsMax: 0 })
  for (const honest of ['true', 'false']) {
    const total = honest === 'true' ? WALLETS - 1_201 : WALLETS
    for (const [offset, limit] of [
      [0, 1000],
      [0, 1],
      [399, 3],
      [400, 1000],
      [999, 2],
      [1000, 1],
      [1_143, 5],
      [1_990, 20],
      [total - 1, 10],
      [total, 10],
      [2_147_483_647, 1000],
    ]) {
      const query = `period=1d&exclude_arbitrage=${honest}&offset=${offset}&limit=${limit}`
      const [direct, stored] = [await getDirect(query), await getStored(query)]
      t.deepEqual(stored, direct, query)
      const expected = Math.max(0, Math.min(limit ?? 0, total - (offset ?? 0)))
      t.is(stored.body.leaderboard.length, expected, query)
      t.is(stored.body.leaderboard[0]?.rank, expected === 0 ? undefined : (offset ?? 0) + 1)
    }
  }
})

test('a page of ranks reads two rows of the stored ranking, however deep it is', async (t) => {
  const { db } = await bothApis(t)
  // 200 pages of one wallet each, every other one of an arbitrageur.
  // Without arbitrageurs an offset of 1,090 needs at most the pages after 90 others.
  await db.query('insert into wallet (address) values ($1)', [trader(1)])
  await db.query(
    `insert into leaderboard_page
     select '7d', mode, page, (page + 1) / 2, 1 - page % 2, array[id], array[page % 2 = 1],
       '{1}', '{1}', '{0}', '{0}'
     from wallet, generate_series(0, 199) page, unnest(array['raw', 'strict']) mode`,
  )
  await db.query('analyze leaderboard_page')
  const read = async (name: string, offset: number) => {
    const nodes = await planAsRun(db, name, ['7d', 'raw', 1000, offset])
    const pages = nodes.filter((node) => node['Relation Name'] === 'leaderboard_page')
    return pages.map((node) => [node['Index Name'], node['Actual Rows']])
  }
  t.deepEqual(await read('leaderboard/list_page_ranks', 150_500), [['leaderboard_page_pkey', 2]])
  t.deepEqual(await read('leaderboard/list_page_ranks', 0), [['leaderboard_page_pkey', 1]])
  const [[index, rows] = []] = await read('leaderboard/list_honest_ranks', 1_090)
  t.deepEqual([index, rows], ['leaderboard_page_honest', 9])
})

test('the answer repeats the request with defaults, and names KOLs', async (t) => {
  const { db, getDirect } = await bothApis(t)
  await insertLedger(
    db,
    swapsOf([
      // 2 SOL in, 3 out of them for half: realized 2 by both, raw 1; one win of one covered sell.
      { user: 1, mint: 1, isBuy: true, tokens: 10, sol: 2 },
      { user: 1, mint: 1, isBuy: false, tokens: 5, sol: 3 },
      // No realized profit: listed last; ties by wallet.
      { user: 3, mint: 1, isBuy: true, tokens: 1, sol: 1 },
      { user: 2, mint: 1, isBuy: true, tokens: 1, sol: 1 },
      // Uncovered sells: only raw counts them.
      { user: 4, mint: 1, isBuy: false, tokens: 1, sol: 7 },
    ]),
  )
  await db.query("insert into kol values ($1, 'Ann', 'ann')", [trader(2)])
  const { body } = await getDirect('')
  const { leaderboard, ...rest } = body
  t.deepEqual(rest, {
    period: '7d',
    exclude_arbitrage: true,
    pnl_mode: 'adjusted',
    limit: 100,
    offset: 0,
  })
  const zero = {
    realized_sol: 0,
    win_rate: 0,
    covered_sell_count: 0,
    trade_count: 1,
    is_kol: false,
    tags: [],
  }
  t.deepEqual(leaderboard, [
    {
      ...zero,
      rank: 1,
      wallet: trader(1),
      realized_sol: 2,
      win_rate: 1,
      covered_sell_count: 1,
      trade_count: 2,
    },
    { ...zero, rank: 2, wallet: trader(2), is_kol: true },
    { ...zero, rank: 3, wallet: trader(3) },
    { ...zero, rank: 4, wallet: trader(4) },
  ])
  const raw = await getDirect('pnl_mode=raw&limit=2&offset=1&exclude_arbitrage=0')
  t.is(raw.body.pnl_mode, 'raw')
  t.deepEqual(
    raw.body.leaderboard.map(({ rank, wallet, realized_sol }) => [rank, wallet, realized_sol]),
    [
      [2, trader(1), 1],
      [3, trader(2), -1],
    ],
  )
  t.is((await getDirect('pnl_mode=fifo&limit=3')).body.pnl_mode, 'adjusted')
})

test('a bad parameter is 400 and named, no key is 401, and no trades are an empty list', async (t) => {
  const under = await apiUnderTest(t)
  const bad = [
    'period=2d',
    'period=',
    'limit=0',
    'limit=1001',
    'limit=x',
    'offset=-1',
    'offset=1.5',
    'exclude_arbitrage=yes',
    'period=1d&period=7d',
  ]
  for (const query of bad) {
    const { status, body } = await under.get(`${PATH}?${query}`)
    t.is(status, 400, query)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, query)
  }
  const { status, body } = await under.call(PATH)
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
  const empty = await under.get(PATH)
  t.is(empty.status, 200)
  t.deepEqual(empty.body.leaderboard, [])
})
