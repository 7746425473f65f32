// Recognition of arbitrageurs against hand-computed cases, computed directly and from stored rankings.

import test from 'ava'
import { makeRanking } from '../../../../workers/jobs/leaderboard.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { START_MS, swapsOf, type Trade } from '../pnl/ledger-swaps.ts'
import { bothApis, times } from './both-apis.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

const arbitrage = (user: number, m: number, transaction: number, atMs?: number): Trade[] =>
  [true, false].map((isBuy) => ({
    user,
    mint: m,
    isBuy,
    tokens: 1,
    sol: 1,
    transaction,
    ...(atMs === undefined ? {} : { atMs }),
  }))
const plain = (user: number, m: number, transaction: number): Trade => ({
  user,
  mint: m,
  isBuy: true,
  tokens: 1,
  sol: 1,
  transaction,
})
/** Trades of each wallet, and whether they make it an arbitrageur. `at`: number of its transactions. */
const JUDGED: [string, boolean, (user: number, at: number) => Trade[]][] = [
  // 3 of 6: half.
  [
    'half',
    true,
    (u, at) => times(6, (n) => (n < 3 ? arbitrage(u, 1, at + n) : plain(u, 2, at + n))).flat(),
  ],
  // 3 of 7: less than half.
  [
    'less',
    false,
    (u, at) => times(7, (n) => (n < 3 ? arbitrage(u, 1, at + n) : plain(u, 2, at + n))).flat(),
  ],
  // 2 of 2: too few.
  ['few', false, (u, at) => times(2, (n) => arbitrage(u, 1, at + n)).flat()],
  // 3 of 3 in one mint each.
  ['three mints', true, (u, at) => times(3, (n) => arbitrage(u, n, at + n)).flat()],
  // 2 transactions, each of two mints: by mints 4 of 4, by transactions 2 of 2.
  ['two of two mints', false, (u, at) => times(4, (n) => arbitrage(u, n, at + (n >> 1))).flat()],
  // 3 transactions of two mints each: 3 of 3.
  ['three of two mints', true, (u, at) => times(6, (n) => arbitrage(u, n, at + (n >> 1))).flat()],
  // 3 arbitrages and 3 others that touch two mints: by mints 3 of 9, by transactions 3 of 6.
  [
    'others of two mints',
    true,
    (u, at) => [
      ...times(3, (n) => arbitrage(u, 1, at + n)).flat(),
      ...times(6, (n) => plain(u, 2 + (n & 1), at + 3 + (n >> 1))),
    ],
  ],
  // 3 arbitrages and 4 others that touch two mints: 3 of 7.
  [
    'more others of two mints',
    false,
    (u, at) => [
      ...times(3, (n) => arbitrage(u, 1, at + n)).flat(),
      ...times(8, (n) => plain(u, 2 + (n & 1), at + 3 + (n >> 1))),
    ],
  ],
  // Buys one mint and sells another in each transaction: none is one.
  [
    'different mints',
    false,
    (u, at) =>
      times(4, (n) => [
        { ...plain(u, 1, at + n) },
        { ...plain(u, 2, at + n), isBuy: false },
      ]).flat(),
  ],
  // Arbitrages of three hours.
  [
    'three hours',
    true,
    (u, at) => times(3, (n) => arbitrage(u, 1, at + n, START_MS + n * HOUR_MS)).flat(),
  ],
  // Before the 30 days: two of three lie in the hour before the first.
  [
    'long ago',
    false,
    (u, at) => [
      ...arbitrage(u, 1, at, START_MS),
      ...arbitrage(u, 1, at + 1, START_MS - 27 * DAY_MS - 1),
      ...arbitrage(u, 1, at + 2, START_MS - 27 * DAY_MS - 2),
    ],
  ],
  // In the first hour of the 30 days.
  [
    'just within',
    true,
    (u, at) => [
      ...arbitrage(u, 1, at, START_MS),
      ...arbitrage(u, 1, at + 1, START_MS - 27 * DAY_MS),
      ...arbitrage(u, 1, at + 2, START_MS - 27 * DAY_MS + HOUR_MS - 1),
    ],
  ],
]

test('recognizes arbitrageurs by transactions over any mints and hours', async (t) => {
  const { db, getDirect, getStored } = await bothApis(t)
  const trades = JUDGED.flatMap(([, , make], user) => make(user, 1_000 * (user + 1)))
  // The newest swap: three days and half an hour after the start, so that the 30 days begin 27 before.
  const newest: Trade = { ...plain(99, 1, 99_000), atMs: START_MS + 3 * DAY_MS + HOUR_MS / 2 }
  await insertLedger(db, swapsOf([...trades, newest]))
  const expected = JUDGED.flatMap(([name, isOne], user) =>
    isOne ? [] : [`${name} ${trader(user)}`],
  )
  for (const period of ['7d', '90d'] as const) {
    await makeRanking(db, period, { remakeAfterMs: 0, directRowsMax: 0 })
    for (const get of [getDirect, getStored]) {
      const { body } = await get(`period=${period}&exclude_arbitrage=1`)
      const left = body.leaderboard.map(({ wallet }) => wallet)
      const named = JUDGED.flatMap(([name], user) =>
        left.includes(trader(user)) ? [`${name} ${trader(user)}`] : [],
      )
      t.deepEqual(named, expected, period)
      t.deepEqual(
        body.leaderboard.map(({ rank }) => rank),
        left.map((_, index) => index + 1),
      )
    }
  }
})

test('a late transaction causes a recount', async (t) => {
  const { db, getStored } = await bothApis(t)
  const isArbitrageur = async (limit: number): Promise<boolean> => {
    t.true(await makeRanking(db, '7d', { remakeAfterMs: 0, directRowsMax: 0 }))
    const { body } = await getStored(`exclude_arbitrage=1&limit=${limit}`)
    return body.leaderboard.length === 0
  }
  // 3 arbitrages and 3 others of two mints each, all in one hour: 3 of 6.
  const half = [
    ...times(3, (n) => arbitrage(1, 1, n)).flat(),
    ...times(6, (n) => plain(1, 2 + (n & 1), 3 + (n >> 1))),
  ]
  await insertLedger(db, swapsOf(half))
  t.true(await isArbitrageur(10))
  // One more other: 3 of 7. Then an arbitrage: 4 of 8.
  const more = times(2, (n) => plain(1, 2 + n, 6))
  await insertLedger(db, swapsOf([...half, ...more]).slice(half.length))
  t.false(await isArbitrageur(11))
  const last = arbitrage(1, 3, 7)
  await insertLedger(db, swapsOf([...half, ...more, ...last]).slice(half.length + more.length))
  t.true(await isArbitrageur(12))
})
