// Intel of every mint of a simulated market against the naive model, and against the profiles of its first buyers.

import test from 'ava'
import type { IntelAnswer } from '../../../../api/resources/tokens/schema-profile.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { query } from '../../../../sql/query.ts'
import { walletTags } from '../../../../workers/jobs/wallet-tags.ts'
import { mergeTokens } from '../../../../workers/pool/write/token-merge.ts'
import { canonically } from '../../../simulation/model.ts'
import { positionsOf } from '../../../simulation/models/ledger-model.ts'
import { apiUnderTest, SILENT } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

const SWAPS = 1_500
const EARLY = 50
const BOUND_MS = 170_000

const mergeTokenLines = query('pool/merge_tokens')

/** By mint: balances of its holders, the largest first. */
function balancesOf(swaps: readonly Swap[]): Map<string, bigint[]> {
  const byMint = new Map<string, bigint[]>()
  for (const own of Map.groupBy(swaps, (swap) => swap.user).values()) {
    for (const [token, { balance }] of positionsOf(own)) {
      if (balance > 0n) byMint.set(token, [...(byMint.get(token) ?? []), balance])
    }
  }
  for (const balances of byMint.values()) balances.sort((a, b) => (a < b ? 1 : -1))
  return byMint
}

const percent = (part: readonly bigint[], whole: readonly bigint[]): number =>
  (Number(part.reduce((sum, each) => sum + each, 0n)) /
    Number(whole.reduce((sum, each) => sum + each, 0n))) *
  100

const isNear = (value: number | null, expected: number): boolean =>
  value !== null && Math.abs(value - expected) <= 1e-9 * Math.max(1, expected)

test('intel of a simulated market equals the naive model and the profiles of its wallets', async (t) => {
  const { db, call, key } = await apiUnderTest(t, { deadlineMs: 60_000 })
  const events = smallMarket(11, SWAPS)
  const swaps = events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  await insertSwaps(db, swaps, { hasPrices: true })
  await insertEvents(
    db,
    events.flatMap((event) => (event.kind === 'pool_event' ? [event.poolEvent] : [])),
  )
  const lines = events.flatMap((event) => (event.kind === 'token' ? [event.token] : []))
  if (lines.length > 0) await mergeTokenLines(db, mergeTokens(lines))
  await insertLedger(db, [])
  await db.query('analyze')
  for (const wallet of new Set(swaps.map(({ user }) => user))) {
    await walletTags({ wallet }, { db, log: SILENT }, AbortSignal.timeout(BOUND_MS))
  }
  const held = balancesOf(swaps)
  const byMint = Map.groupBy(swaps.toSorted(canonically), (swap) => swap.tokenAddress)
  t.true(byMint.size > 10)
  for (const [token, own] of byMint) {
    const { body } = await call(`/tokens/${token}/intel`, { 'X-API-Key': key })
    const intel = body as unknown as IntelAnswer
    t.is(intel.first_trade_at, own[0]?.timestamp ?? null)
    t.is(intel.pool_count, new Set(own.map(({ pairAddress }) => pairAddress)).size)
    const all = held.get(token) ?? []
    t.is(intel.concentration.holder_count, all.length)
    if (all.length > 0) {
      t.true(isNear(intel.concentration.top1_pct, percent(all.slice(0, 1), all)), token)
      t.true(isNear(intel.concentration.top10_pct, percent(all.slice(0, 10), all)), token)
    }
    const early = [...new Set(own.filter(({ isBuy }) => isBuy).map(({ user }) => user))]
    const { rows } = await db.query(
      `select wallet_tag.tag, count(distinct wallet.id)::integer as wallets
       from wallet_tag
       join wallet on wallet.id = wallet_id
       join token on token.id = token_id
       where wallet.address = any ($1) and (token.address = $2 or tag = 'smart_money')
       group by wallet_tag.tag`,
      [early.slice(0, EARLY), token],
    )
    const tagged = Object.fromEntries(rows.map(({ tag, wallets }) => [tag, wallets]))
    const { count, sniper, insider, whale, smart_money } = intel.early_buyers
    t.deepEqual(
      { count, sniper, insider, whale, smart_money },
      {
        count: Math.min(EARLY, early.length),
        sniper: tagged.sniper ?? 0,
        insider: tagged.insider ?? 0,
        whale: tagged.whale ?? 0,
        smart_money: tagged.smart_money ?? 0,
      },
      token,
    )
  }
})
