/** /v2/quote: recorded pools to the lamport, bounds, reasons, refusals, and the same by GraphQL. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import { addCoverage } from '../../../../deploy/chain/coverage.ts'
import { venueBits } from '../../../../domain/coverage.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { mint, pair, signatureOf } from '../../../support/market/sample-swap.ts'
import { swapsOf } from '../../../support/real-swaps.ts'
import { asker } from '../../graphql/send-query.ts'

const under = apiForFile()
const LAUNCHES = swapsOf(
  readFileSync(new URL('../../../data/venue_1_2025-09.ndjson', import.meta.url), 'utf8'),
)
const RESERVES = { sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n }
const HIDDEN = new FormulaPool({ ...RESERVES, dex: 4, pair: 1, hasPrices: true })
const OPEN = new FormulaPool({ ...RESERVES, dex: 3, pair: 2 })
const GAPPED = new FormulaPool({ ...RESERVES, dex: 5, pair: 3 })
const hidden = Array.from({ length: 4 }, () => HIDDEN.buy(2_000_000_000n))
const open = OPEN.buy(5_000_000_000n)
const gapped = GAPPED.buy(5_000_000_000n)
const NEWEST = Math.max(...LAUNCHES.map(({ slot }) => slot))

/** A swap by the beginning of its signature. */
function launch(signature: string): Swap {
  const swap = LAUNCHES.find((each) => each.signature.startsWith(signature))
  if (swap === undefined) throw new Error(`no swap "${signature}"`)
  return swap
}

const ofPool = (swap: Swap) => ({
  ...{ signature: swap.signature, timestamp: swap.timestamp, dex: swap.dex },
  ...{ pairAddress: swap.pairAddress, tokenAddress: swap.tokenAddress },
})
const added: PoolEvent = {
  ...{ ...ofPool(open), event: 'liquidity_added', slot: 2_000, blockTxIndex: 0, ixIndex: 0 },
  ...{ solAmount: 1_000_000_000, tokenAmount: 500_000_000 },
}
const closing = launch('51fe9MES')
const migrated: PoolEvent = {
  ...{ ...ofPool(closing), event: 'migrated', slot: NEWEST, blockTxIndex: 0, ixIndex: 0 },
  ...{ pairAddress: pair(9), fromPair: closing.pairAddress, dex: 2 },
}
const twice = { ...open, pairAddress: pair(4), signature: signatureOf(77) }

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(db, [...LAUNCHES, ...hidden, open, gapped])
  await insertSwaps(db, [twice, { ...twice, tokenAddress: mint(44), signature: signatureOf(78) }])
  await insertEvents(db, [added, migrated])
  const run = { venues: venueBits([5]), decoderVersion: 1, source: 'rpc', commitment: 'confirmed' }
  await addCoverage(db, run, { from: 900, to: 1_200 }, [])
  await addCoverage(db, run, { from: 1_300, to: 1_400 }, [])
})

type Range = { low: number; high: number }
const only = (exact: number): Range => ({ low: exact, high: exact })

test('a buy after a recorded swap gets what the curve gives, to the lamport', async (t) => {
  const { pairAddress, tokenAddress, slot, signature, dex } = closing
  const path = `/v2/quote?pair_address=${pairAddress}&amount_in=100000000&slot=${slot}`
  const { status, body } = await under().get(path)
  t.is(status, 200)
  const { state, ...answer } = body
  t.deepEqual(answer as unknown, {
    ...{ pair_address: pairAddress, token_address: tokenAddress, dex, decimals: 6 },
    ...{ is_buy: true, slot, basis: 'exact', reason: null, evidence_swaps: 0 },
    sol_lamports: only(98_765_431),
    tokens: only(2_132_183_901_843),
    ...{ pool_fee_lamports: 0, pool_fee_tokens: 0 },
    outside_fees_lamports: only(938_272 + 296_297),
    outside_fees_source: 'stated',
    total_lamports: only(100_000_000),
    price_impact_bps: only(26),
    assumptions: { venue_2_outside_bps: 0, is_fee_unchanged: false },
  })
  t.like(state, {
    ...{ signature, slot, sol_reserves: 38_565_168_797, token_reserves: 834_691_017_982_754 },
    unreported_lamports: 0,
  })
})

test('a sell, by GraphQL as by REST, with slots that nothing traded in', async (t) => {
  const { pairAddress, slot } = launch('65hcnMcd')
  const tokens = 2_132_183_901_843
  const rest = await under().get(
    `/v2/quote?pair_address=${pairAddress}&is_buy=false&amount_in=${tokens}&slot=${slot}`,
  )
  t.like(rest.body, { basis: 'exact', is_buy: false, total_lamports: only(150_096_220) })
  const { send } = await asker(under())
  const { data } =
    await send(`{ quote(pair_address: "${pairAddress}", is_buy: false, amount_in: ${tokens}, slot: ${slot}) {
    basis state { signature } total_lamports { low high } tokens { low }
  } }`)
  t.deepEqual(data, {
    quote: {
      ...{ basis: 'exact', state: { signature: launch('65hcnMcd').signature } },
      ...{ total_lamports: only(150_096_220), tokens: { low: tokens } },
    },
  })
})

test('a pool without a formula is bounded by what followed, up to the newest slot', async (t) => {
  const of = `/v2/quote?pair_address=${pair(1)}`
  const { body } = await under().get(`${of}&amount_in=3000000000&slot=1000`)
  t.like(body, { basis: 'bounded', reason: null, evidence_swaps: 3, pool_fee_lamports: null })
  t.like(body.assumptions, { is_fee_unchanged: true })
  const { low, high } = body.tokens as unknown as Range
  const truth = new FormulaPool({ ...RESERVES, dex: 4 })
  truth.buy(2_000_000_000n)
  const outcome = Number(truth.curve().buy(3_000_000_000n).tokens)
  t.true(low <= outcome && outcome <= high && low < high && high < low * 1.01)
  const later = await under().get(`${of}&amount_in=3000000000&slot=1003`)
  t.like(later.body, { basis: 'none', reason: 'no_depth', tokens: null, total_lamports: null })
  t.like((await under().get(`${of}&amount_in=1&slot=999`)).body, {
    ...{ basis: 'none', reason: 'no_swap', state: null, dex: null },
  })
})

test('the newest slot is the default, with changes of liquidity since the last swap', async (t) => {
  const of = `/v2/quote?pair_address=${pair(2)}&amount_in=1000000`
  const { body } = await under().get(of)
  t.like(body, { basis: 'exact', slot: NEWEST })
  t.like(body.state, {
    sol_reserves: Number(open.realSolReserves) + 1_000_000_000,
    token_reserves: Number(open.realTokenReserves) + 500_000_000,
  })
  const before = await under().get(`${of}&slot=1999`)
  t.like(before.body.state, { sol_reserves: Number(open.realSolReserves) })
})

test('a curve that migrated and a pool whose slots were not read have no quote', async (t) => {
  const { pairAddress } = closing
  const closed = await under().get(`/v2/quote?pair_address=${pairAddress}&amount_in=1000000`)
  t.like(closed.body, { basis: 'none', reason: 'pool_closed' })
  const of = `/v2/quote?pair_address=${pair(3)}&amount_in=1000000`
  t.like((await under().get(`${of}&slot=1200`)).body, { basis: 'exact', reason: null })
  t.like((await under().get(`${of}&slot=1201`)).body, { basis: 'none', reason: 'coverage' })
  t.like((await under().get(of)).body, { basis: 'none', reason: 'coverage' })
})

test('refusals name what is wrong', async (t) => {
  const own = `pair_address=${pair(2)}`
  const refusals: [query: string, status: number, message: RegExp][] = [
    [own, 400, /amount_in is required/],
    [`${own}&amount_in=0`, 400, /amount_in/],
    [`${own}&amount_in=1&slot=${NEWEST + 1}`, 400, new RegExp(`use at most ${NEWEST}`)],
    [`${own}&amount_in=1&venue_2_outside_bps=10001`, 400, /venue_2_outside_bps/],
    [`pair_address=${mint(2)}&amount_in=1`, 400, /is a token mint, not a pool/],
    [`pair_address=${pair(4)}&amount_in=1`, 400, /trades several mints/],
    ['amount_in=1', 400, /pair_address is required/],
  ]
  for (const [query, status, message] of refusals) {
    const answer = await under().get(`/v2/quote?${query}`)
    t.is(answer.status, status, query)
    t.regex(answer.text, message)
  }
  const chosen = await under().get(
    `/v2/quote?pair_address=${pair(4)}&token_address=${mint(44)}&amount_in=1000000`,
  )
  t.like(chosen.body, { basis: 'exact', token_address: mint(44) })
  const unknown = await under().get(`/v2/quote?pair_address=${pair(50)}&amount_in=1`)
  t.is(unknown.status, 200)
  t.like(unknown.body, { basis: 'none', reason: 'no_swap', state: null, token_address: null })
})
