/**
 * The decimals of a mint: those of its newest swap, at any time and in any pool, even if its token line has others;
 * before the first swap, the line's. The same in every answer.
 */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { walletTags } from '../../../../workers/jobs/wallet-tags.ts'
import { apiForFile, PATIENT_MS } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { recountAll } from '../../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { asker } from '../../graphql/send-query.ts'

const DAY_FROM_MS = Date.UTC(2026, 7, 1)
const NEWEST_MS = DAY_FROM_MS + 3_600_000
const under = apiForFile({ now: () => NEWEST_MS })

const EARLY = trader(1)
const NEWEST = trader(2)
const LATE = trader(3)
const SOL = 1_000_000_000

const at = (slot: number, changes: Partial<Swap>): Swap =>
  sampleSwap({
    signature: signatureOf(slot),
    slot,
    timestamp: NEWEST_MS - 2_000 + slot,
    tokenAddress: mint(1),
    pairAddress: pair(1),
    isBuy: true,
    tokenAmount: 2_000_000_000,
    ...changes,
  })

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(
    db,
    [
      at(1_000, { user: EARLY, solAmount: 10 * SOL, quoteDecimals: 6 }),
      // By which all 2e9 base units are 2 tokens, at 150 SOL each.
      at(2_000, { user: NEWEST, pairAddress: pair(2), solAmount: 300 * SOL, quoteDecimals: 9 }),
      at(1_100, { tokenAddress: mint(2), pairAddress: pair(3), quoteDecimals: 6 }),
    ],
    { hasPrices: true },
  )
  // After the newest of one pool, before that of the other.
  for (const [slot, pool] of [
    [1_500, 2],
    [1_600, 1],
  ] as const) {
    const late = { user: LATE, pairAddress: pair(pool), solAmount: SOL, quoteDecimals: 3 }
    await insertSwaps(db, [at(slot, { ...late, tokenAmount: 1_000_000 })], { hasPrices: true })
  }
  await insertLedger(db, [])
  await recountAll(db)
  await db.query('update token set decimals = 4 where address = $1', [mint(2)])
  await db.query('insert into token (address, decimals) values ($1, null), ($2, 7)', [
    mint(3),
    mint(4),
  ])
  await db.query(
    `insert into wallet_tag (wallet_id, token_id, tag, score, computed_ms)
     select wallet.id, token.id, 'smart_money', 0.5, 0
     from wallet, token
     where wallet.address = $1 and token.address = $2`,
    [EARLY, mint(1)],
  )
})

test('statistics, intel and GraphQL agree about the decimals of a mint', async (t) => {
  const { get } = under()
  const { send } = await asker(under())
  for (const [n, decimals] of [
    [1, 9],
    [2, 6],
    [3, null],
    [4, 7],
  ] as const) {
    const one = await get(`/stats/token/${mint(n)}`)
    t.like(one.body.data, { decimals } as never)
    const many = await get(`/stats/tokens?mints=${mint(n)}`)
    t.like(many.body.stats, { [mint(n)]: { decimals } } as never)
    t.like((await get(`/tokens/${mint(n)}/intel`)).body, { decimals })
    const { data } = await send(
      `{ tokenStats(mint: "${mint(n)}") { decimals token { decimals } } }`,
    )
    t.like(data, { tokenStats: { decimals, token: { decimals } } })
  }
})

test('positions of wallets with the same balance are the same, whichever decimals they traded by', async (t) => {
  const { get } = under()
  for (const [wallet, cost] of [
    [EARLY, 10],
    [NEWEST, 300],
  ] as const) {
    const base = `/v2/pnl/wallets/${wallet}`
    for (const requested of ['', '?sort=realized', '?min_value_sol=300', `?mint=${mint(1)}`]) {
      const { positions } = (await get(`${base}/positions${requested}`)).body
      t.like(positions, {
        length: 1,
        0: { current_value_sol: 300, avg_cost_per_token: cost / 2, unrealized_sol: 300 - cost },
      } as never)
    }
    t.like((await get(`${base}/positions?min_value_sol=300.1`)).body, { total: 0 })
    t.like((await get(`${base}/risk`)).body, { total_open_value_sol: 300 })
    t.like((await get(`${base}/positions/${mint(1)}/lots`)).body, { decimals: 9 })
    const { holdings } = (await get(`/wallets/${wallet}/holdings`)).body
    t.like(holdings, { length: 1, 0: { qty: 2, current_value_sol: 300 } } as never)
    t.like((await get(`/wallets/${wallet}/chart`)).body, { today: { value_sol: 300 } })
  }
})

test.serial('uses the same decimals of a token in holders, whales and smart money', async (t) => {
  const { key } = await asker(under())
  const of = async (list: string) =>
    (await under().call(`/tokens/${mint(1)}/${list}`, { 'X-API-Key': key })).body
  const { holders } = (await of('holders')) as unknown as { holders: Record<string, unknown>[] }
  t.deepEqual(
    new Map(holders.map(({ wallet, qty, current_value_sol: value }) => [wallet, [qty, value]])),
    new Map([
      [EARLY, [2, 300]],
      [NEWEST, [2, 300]],
      [LATE, [0.002, 0.3]],
    ]),
  )
  type Results = { results: { wallet: string; position: Record<string, number> }[] }
  const whales = (await of('whales')) as unknown as Results
  t.deepEqual(
    whales.results.map(({ wallet, position }) => [wallet, position.qty]).sort(),
    [[EARLY, 2] as const, [NEWEST, 2] as const].sort(),
  )
  const smart = (await of('smart-money')) as unknown as Results
  t.deepEqual(
    smart.results.map(({ wallet, position }) => [wallet, position.qty, position.current_value_sol]),
    [[EARLY, 2, 300]],
  )
})

test.serial('a whale is one by the decimals of the mint', async (t) => {
  const { db } = under()
  for (const wallet of [EARLY, LATE]) {
    const deps = { db, log: recordingLog().log }
    await walletTags({ wallet }, deps, AbortSignal.timeout(PATIENT_MS))
    const { rows } = await db.query(
      `select score from wallet_tag join wallet on wallet.id = wallet_id
       where address = $1 and tag = 'whale'`,
      [wallet],
    )
    t.deepEqual(rows, wallet === EARLY ? [{ score: 0.3 }] : [])
  }
})
