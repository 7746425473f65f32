// /tokens/{mint}/ath against a scan of the top pool's swaps over random markets, with ties, dust and agent trades; a late
// swap; GraphQL, unknown tokens, refusals.

import test from 'ava'
import type { AthAnswer } from '../../../../api/resources/prices/schema.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { canonically } from '../../../simulation/model.ts'
import { naivePrice } from '../../../simulation/models/candle-model.ts'
import { naiveTokenPrice } from '../../../simulation/models/price-model.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { planAsRun } from '../../../support/api/plan.ts'
import { MINUTE_MS, randomMarket, TOKENS } from '../../../support/market/random-market.ts'
import { mint, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'

const START_MS = Date.UTC(2026, 6, 1)
const minuteOf = ({ timestamp }: Swap): number => Math.floor(timestamp / MINUTE_MS)

/** The earliest by minute, then canonically, of the swaps of the top pool with the highest price. */
function naiveAth(swaps: readonly Swap[], token: string): Swap | undefined {
  const top = naiveTokenPrice(swaps, token)?.pair
  const own = swaps.filter((swap) => swap.pairAddress === top && swap.tokenAddress === token)
  const prices = own.map((swap) => naivePrice(swap) ?? 0)
  const highest = Math.max(...prices)
  return own
    .filter((_, at) => prices[at] === highest)
    .sort((a, b) => minuteOf(a) - minuteOf(b) || canonically(a, b))[0]
}

async function athOf(api: ApiUnderTest, token: string): Promise<AthAnswer> {
  const { status, body } = await api.get(`/tokens/${token}/ath`)
  if (status !== 200) throw new Error(`${token}: ${status} ${JSON.stringify(body)}`)
  return body as unknown as AthAnswer
}

test('the highest price is that of a scan of the top pool, with its swap', async (t) => {
  for (const seed of [20_261_127, 7]) {
    const api = await apiUnderTest(t, { solUsdFallback: 200 })
    const swaps = randomMarket(new Prng([seed]), 500)
    await insertSwaps(api.db, swaps, { hasPrices: true })
    let compared = 0
    for (let n = 0; n < TOKENS; n++) {
      const own = naiveTokenPrice(swaps, mint(n))
      if (own === undefined) {
        t.is((await api.get(`/tokens/${mint(n)}/ath`)).status, 404)
        continue
      }
      const answer = await athOf(api, mint(n))
      const swap = naiveAth(swaps, mint(n))!
      const highest = naivePrice(swap)!
      t.like(answer, {
        ath_price_sol: highest,
        signature: swap.signature,
        slot: swap.slot,
        timestamp: swap.timestamp,
        pair_address: swap.pairAddress,
        user: swap.user,
        price_sol: own.price,
        price_timestamp: own.price_ms,
        ath_price_usd: highest * 200,
      })
      t.is(answer.from_ath_pct, ((own.price - highest) / highest) * 100)
      compared += 1
    }
    t.true(compared > 2)
  }
})

test('a late swap takes the place of the highest, and dust does not', async (t) => {
  const api = await apiUnderTest(t)
  const trade = (n: number, solAmount: number, more: Partial<Swap> = {}): Swap =>
    sampleSwap({ signature: signatureOf(n), slot: 100 + n, solAmount, ...more })
  const tokenAmount = 1_000_000_000
  await insertSwaps(
    api.db,
    [trade(1, 50_000, { tokenAmount }), trade(2, 40_000, { tokenAmount })],
    {
      hasPrices: true,
    },
  )
  const token = sampleSwap().tokenAddress
  t.is((await athOf(api, token)).signature, signatureOf(1))
  const dust = trade(3, 9_000, { tokenAmount: 10_000 })
  const late = trade(4, 60_000, { tokenAmount, slot: 50 })
  await insertSwaps(api.db, [dust, late], { hasPrices: true })
  t.is((await athOf(api, token)).signature, signatureOf(4))
})

test('GraphQL answers as REST does; unknown tokens are 404, bad ones 400', async (t) => {
  const api = await apiUnderTest(t)
  await insertSwaps(api.db, [sampleSwap()], { hasPrices: true })
  const token = sampleSwap().tokenAddress
  const { send } = await asker(api)
  const { data } = await send(`{ tokenAth(mint: "${token}") { ath_price_sol signature } }`)
  const { ath_price_sol, signature } = await athOf(api, token)
  t.deepEqual(JSON.parse(JSON.stringify(data)), { tokenAth: { ath_price_sol, signature } })
  t.is((await api.get(`/tokens/${mint(77)}/ath`)).status, 404)
  t.is((await api.get('/tokens/nonsense/ath')).status, 400)
  t.is((await api.call(`/tokens/${token}/ath`)).status, 401)
})

test('the highest price reads the swaps of one minute only', async (t) => {
  const { db } = await apiUnderTest(t)
  const swaps = Array.from({ length: 600 }, (_, n) =>
    sampleSwap({
      ...{ signature: signatureOf(n), slot: 100 * n, timestamp: START_MS + n * 20_000 },
      ...{ solAmount: 1_000_000 + (n % 200 === 77 ? n : 0), tokenAmount: 1_000_000_000 },
    }),
  )
  await insertSwaps(db, swaps, { hasPrices: true })
  await db.query('analyze')
  const units = Array.from({ length: 19 }, (_, decimals) => Math.min(10_000, 10 ** decimals))
  const parameters = [sampleSwap().tokenAddress, 10_000, units, 2]
  const nodes = await planAsRun(db, 'swap-history/find_peak', parameters)
  const swapsRead = nodes.filter(
    (node) => /swap_pool/.test(node['Index Name'] ?? '') && (node['Actual Loops'] ?? 0) > 0,
  )
  const read = swapsRead.reduce((sum, node) => sum + (node['Actual Rows'] ?? 0), 0)
  t.true(read >= 1 && read <= 3, `${read}`)
})
