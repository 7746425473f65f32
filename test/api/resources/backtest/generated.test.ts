/** Back-tests, quotes and sandwiches of generated markets by the API, from the tables, compared with a second model that reads everything. */
import test from 'ava'
import type { Static } from 'typebox'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import type {
  CopyAnswer,
  CopyRunAnswer,
  CopyTradeAnswer,
} from '../../../../api/resources/backtest/schema.ts'
import type { SandwichAnswer, sandwichList } from '../../../../api/resources/mev/schema.ts'
import type { QuoteAnswer } from '../../../../api/resources/quotes/schema.ts'
import { addCoverage } from '../../../../deploy/chain/coverage.ts'
import { venueBits } from '../../../../domain/coverage.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { CopySettings } from '../../../../domain/market/copy/settings.ts'
import { parseExact } from '../../../../domain/text/exact-json.ts'
import type { DexId } from '../../../../domain/venue.ts'
import { followSandwiches } from '../../../../workers/sandwiches/follow.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { modelBrackets } from '../../../support/market/model/brackets.ts'
import { CopyModel } from '../../../support/market/model/copies.ts'
import { Draw, madeMarket } from '../../../support/market/model/market.ts'
import { modelQuote } from '../../../support/market/model/quotes.ts'
import { drawnSettings } from '../../../support/market/model/settings.ts'
import { type ModelPool, slotsOf } from '../../../support/market/model/slots.ts'
import { signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../../support/seed.ts'

const under = apiForFile()
const SEED = requestedSeed() ?? freshSeed()
const COUNT = sizeOf({ daily: 12, long: 60 })
/** Slots of one market. */
const APART = 1_000
const NUMBERS = Array.from({ length: COUNT }, (_, n) => n + 1)
const MARKETS = NUMBERS.map((number) => ({
  number,
  ...madeMarket(SEED + number, { steps: 60, wallets: number % 3 === 0 ? 14 : 4, number }),
}))
const POOLS = MARKETS.flatMap(({ number, pools }) =>
  [...pools].filter(([, { swaps }]) => swaps.length > 0).map((named) => ({ number, named })),
)
const NEWEST = Math.max(...MARKETS.flatMap(({ swaps }) => swaps.map(({ slot }) => slot)))
let key = ''

/** The migration that closes each curve, in the pool that its liquidity moved to. */
function migrations(): PoolEvent[] {
  return POOLS.flatMap(({ number, named: [name, { closed }] }, n) => {
    if (closed === undefined) return []
    const [fromPair = ''] = name.split(' ')
    const [pairAddress = '', tokenAddress = ''] = closed.successor.split(' ')
    const of = { signature: signatureOf(9_000_000 + number * 100 + n), slot: closed.slot }
    return [
      {
        ...{ ...of, event: 'migrated', timestamp: 0, dex: 3, pairAddress, tokenAddress, fromPair },
        ...{ blockTxIndex: 0, ixIndex: 0 },
      },
    ]
  })
}

/** Gaps are those of a venue: of the first pool of each other market, in all pools of its venue there. */
async function coverWithGaps(): Promise<void> {
  const gaps: { dex: DexId; from: number; to: number }[] = []
  for (const { pools, number } of MARKETS) {
    const own = [...pools.values()].filter(({ swaps }) => swaps.length > 0)
    const dex = own[0]?.swaps[0]?.dex ?? 3
    const from = APART * (number + 1) + ((number * 7) % 30)
    const gap = { from, to: from + (number % 4) }
    const hasGap = number % 2 === 0
    for (const pool of own) pool.gaps = hasGap && pool.swaps[0]?.dex === dex ? [gap] : []
    if (hasGap) gaps.push({ dex, ...gap })
  }
  for (const [dex, own] of Map.groupBy(gaps, (gap) => gap.dex)) {
    const run = { venues: venueBits([dex]), decoderVersion: 1, source: 'rpc' } as const
    const ends = [...own.map(({ from }) => from - 1), NEWEST]
    for (const [n, to] of ends.entries()) {
      const from = (own[n - 1]?.to ?? -1) + 1
      await addCoverage(under().db, { ...run, commitment: 'confirmed' }, { from, to }, [])
    }
  }
}

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(
    db,
    MARKETS.flatMap(({ swaps }) => swaps),
  )
  const changes = POOLS.flatMap(({ named: [, { events }] }) => events)
  await insertEvents(db, [...changes, ...migrations()])
  for (const {
    named: [name, { migratedAtMs }],
  } of POOLS) {
    if (migratedAtMs === undefined) continue
    const text = 'update pool set migrated_at_ms = $1 where pair_address = $2'
    await db.query(text, [migratedAtMs, name.split(' ')[0]])
  }
  await coverWithGaps()
  await followSandwiches(db, new AbortController().signal)
  const wanted = { tier: 'enterprise', environment: 'test', account: 'copy', by: 'test' } as const
  key = (await createKey(db, wanted)).key
})

const exact = (value: number | bigint): bigint => BigInt(value)
type Range = { low: number | bigint; high: number | bigint }
const rangeOf = ({ low, high }: Range) => [exact(low), exact(high)]

async function post(body: object): Promise<CopyAnswer> {
  const numbered = (_: string, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value
  const response = await fetch(`${under().api.url}/v2/backtest/copy`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify(body, numbered),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return parseExact(text) as CopyAnswer
}

async function get<Answered>(path: string): Promise<Answered> {
  const { status, text } = await under().get(path)
  if (status !== 200) throw new Error(`${path}: ${text}`)
  return parseExact(text) as Answered
}

const bodyOf = (settings: CopySettings, wallets: readonly string[], delays: readonly number[]) => ({
  ...{ wallets, delay_slots: delays, from_slot: settings.fromSlot, to_slot: settings.toSlot },
  ...{ position: settings.position, repeat_buys: settings.repeatBuys, open_max: settings.openMax },
  ...('lamports' in settings.size
    ? { size_lamports: settings.size.lamports }
    : { ratio_ppm: settings.size.ratioPpm }),
  ...{ leader_min_lamports: settings.leaderMin, leader_max_lamports: settings.leaderMax },
  ...{ trade_min_lamports: settings.tradeMin, trade_max_lamports: settings.tradeMax },
  ...{ token_max_lamports: settings.tokenMax, capital_lamports: settings.capital },
  ...{ slippage_bps: settings.slippageBps, sell_slippage_bps: settings.sellSlippageBps },
  ...{ extra_fee_bps: settings.extraFeeBps, venue_2_outside_bps: settings.assumedFeeBps },
  priority_fee_lamports: settings.priorityFee,
})

const tradeOf = (trade: CopyTradeAnswer) => ({
  ...{ copies: trade.copies, mint: trade.mint, status: trade.status },
  state: trade.state === null ? '' : `${trade.state.signature} ${trade.state.ix_index}`,
  ...{ lamports: rangeOf(trade.sol_lamports), tokens: rangeOf(trade.tokens) },
  fee: exact(trade.fee_lamports),
  realized: trade.realized_lamports === null ? undefined : rangeOf(trade.realized_lamports),
})

const figuresOf = (run: CopyRunAnswer) => ({
  ...{ spent: exact(run.spent_lamports), paid: exact(run.tx_fees_lamports) },
  ...{ rent: exact(run.rent_lamports), deepest: exact(run.capital_needed_lamports) },
  ...{ pnl: rangeOf(run.pnl_lamports), value: rangeOf(run.value_lamports) },
})

test(`back-tests are those of the model (from seed ${SEED})`, async (t) => {
  const delays = [0, 1, 3]
  for (const { number, swaps, pools } of MARKETS) {
    const draw = new Draw(SEED + number)
    const leaders = [0, 1, 2, 3].map((n) => trader(number * 100 + n)).filter(() => !draw.once(3))
    const history = swaps.filter(({ user }) => leaders.includes(user))
    if (leaders.length === 0) continue
    const settings = drawnSettings(
      draw,
      swaps.map(({ slot }) => slot),
    )
    if (settings.fromSlot > settings.toSlot) continue
    const { runs, trades } = await post(bodyOf(settings, leaders, delays))
    for (const [n, delaySlots] of delays.entries()) {
      const model = new CopyModel(pools, { ...settings, delaySlots }).run(history)
      const shown = trades.filter(({ run }) => run === n).map(tradeOf)
      const about = `market ${number}, delay ${delaySlots}`
      t.deepEqual(shown as unknown, model.trades, about)
      t.deepEqual(figuresOf(runs[n]!) as unknown, model.figures(), about)
    }
  }
})

test(`quotes are those of the model (from seed ${SEED})`, async (t) => {
  for (const {
    number,
    named: [name, pool],
  } of POOLS) {
    const draw = new Draw(SEED + number)
    const [pair, mint] = name.split(' ')
    const slots = pool.swaps.map(({ slot }) => slot)
    const slot = Math.min(...slots) - 1 + draw.below(Math.max(...slots) - Math.min(...slots) + 5)
    const wanted = { isBuy: draw.once(2), input: draw.size(1, draw.once(2) ? 1e4 : 1e10) }
    const found = await get<QuoteAnswer>(
      `/v2/quote?pair_address=${pair}&token_address=${mint}&slot=${slot}&is_buy=${wanted.isBuy}&amount_in=${wanted.input}&venue_2_outside_bps=10`,
    )
    const about = `${name}, slot ${slot}`
    const isClosed = pool.closed !== undefined && pool.closed.slot <= slot
    const expected = modelQuote(pool, { slot }, wanted, { assumed: 10n, extra: 0n, toSlot: NEWEST })
    if (isClosed || 'reason' in expected) {
      const hasTraded = slots.some((each) => each <= slot)
      const reason = 'reason' in expected ? expected.reason : undefined
      t.is(found.reason as string, isClosed && hasTraded ? 'pool_closed' : `${reason}`, about)
      continue
    }
    const ranges = {
      tokens: found.tokens,
      outside: found.outside_fees_lamports,
      total: found.total_lamports,
    }
    const shown = Object.entries(ranges).map(([name, range]) => [name, range && rangeOf(range)])
    const { basis, tokens, outside, total } = expected
    t.is(found.basis, basis, about)
    t.deepEqual(Object.fromEntries(shown), { tokens, outside, total }, about)
  }
})

test(`sandwiches are those of the model (from seed ${SEED})`, async (t) => {
  for (const {
    named: [name, pool],
  } of POOLS) {
    const [pair, mint] = name.split(' ')
    const of = `/v2/mev/sandwiches?pair_address=${pair}&token_address=${mint}&limit=200`
    const lists = [`${of}&include=wide`, `${of}&rejected=true`].map((path) =>
      get<Static<typeof sandwichList>>(path),
    )
    const found = (await Promise.all(lists)).flatMap((list) => list.data)
    const shown = found.map((bracket) => bracketOf(bracket, pool))
    t.deepEqual(shown.sort(), modelBrackets(pool, 4).map(textOf).sort(), name)
  }
})

/** With the number of victims where the bracket is refused. */
function textOf({ victims, ...bracket }: ReturnType<typeof modelBrackets>[number]): string {
  const lost = victims.map(([at, loss]) => [at, loss?.basis, loss?.low, loss?.high ?? null])
  return textIn({
    ...{ ...bracket, profit: bracket.profit ?? null },
    victims: bracket.ruling === 'sandwich' ? lost : victims.length,
  })
}

function bracketOf(bracket: SandwichAnswer, pool: ModelPool): string {
  const order = slotsOf(pool.swaps).flatMap(({ swaps }) =>
    swaps.map(({ signature, ixIndex, user, isBuy, tokenAmount }) =>
      [signature, ixIndex, user, isBuy, tokenAmount].join(' '),
    ),
  )
  const of = (role: string) =>
    bracket.legs
      .filter((leg) => leg.role === role)
      .map(({ signature, ix_index, wallet, is_buy, token_amount, loss }) => {
        const name = [signature, ix_index, wallet, is_buy, token_amount].join(' ')
        return { at: order.indexOf(name), loss }
      })
  const lost = of('victim').map(({ at, loss }) => [at, loss?.basis, loss?.low, loss?.high])
  return textIn({
    ...{ link: bracket.link, width: bracket.width, ruling: bracket.verdict },
    ...{ fronts: of('front').map(({ at }) => at), backs: of('back').map(({ at }) => at) },
    ...{ profit: bracket.profit_lamports, gain: bracket.gain_of_others_lamports },
    victims: bracket.verdict === 'sandwich' ? lost : bracket.victims,
  })
}

/** Integers of any size alike. */
const textIn = (of: object): string =>
  JSON.stringify(
    Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)),
    (_, value) => (typeof value === 'bigint' ? Number(value) : value),
  )
