/**
 * The recorded swaps of `test/data/`: which of them the formulas reproduce, their order where indexes are missing, and what trades in
 * their pools would have got. docs/semantics.md lists the shares.
 */
import { readFileSync } from 'node:fs'
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../domain/market/order.ts'
import { outsideFees, outsideRates } from '../../../domain/market/outside-fees.ts'
import { quote, type Trade } from '../../../domain/market/quote.ts'
import { heldBefore, reproducedBy } from '../../../domain/market/reproduced.ts'
import { reservesAfter, reservesBefore } from '../../../domain/market/reserves.ts'
import { unreportedLamports, VENUES } from '../../../domain/venue.ts'
import { chainLines, decodeChainFile } from '../../support/chain/real-chain.ts'
import { swapsOf } from '../../support/real-swaps.ts'

const readFile = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const LAUNCHES = swapsOf(readFile('test/data/venue_1_2025-09.ndjson'))
const LAUNCH_POOLS = [...Map.groupBy(LAUNCHES, ({ pairAddress }) => pairAddress).values()]
const FILES = chainLines('EXPECTED.ndjson').map((line) => (line.test as { file: string }).file)
/** Every swap of the recorded blocks and transactions, decoded. */
const DECODED = [...new Set(FILES)].flatMap((file) =>
  decodeChainFile(file).events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : [])),
)

const formulaOf = (swap: Swap) =>
  reproducedBy(swap, BigInt(unreportedLamports(swap.dex, null, swap.virtualQuoteReserves)))

test('the documents state how many recorded swaps of each venue are reproduced', (t) => {
  const rows = VENUES.filter(({ pricing }) => pricing !== undefined).map(({ dex, title }) => {
    const own = [...DECODED, ...LAUNCHES].filter((swap) => swap.dex === dex)
    return `| ${title} (${dex}) | ${own.filter(formulaOf).length} of ${own.length} |`
  })
  t.deepEqual(rows, [
    '| Pump.fun (1) | 1519 of 1519 |',
    '| PumpSwap (2) | 16 of 17 |',
    '| Raydium AMM (3) | 119 of 119 |',
    '| Raydium CPMM (5) | 5 of 6 |',
  ])
  const documented = readFile('docs/semantics.md')
  for (const row of rows) t.true(documented.includes(row), row)
})

test('the documents state for how many PumpSwap swaps the fees outside the legs are those of the event', (t) => {
  const stated = chainLines('EXPECTED.ndjson').flatMap(({ signature, test }) => {
    const { event_fees: fees } = test as { event_fees?: { prot_fee: number; creator_fee: number } }
    if (fees === undefined) return []
    return [
      [String(signature).slice(0, 16), BigInt(fees.prot_fee) + BigInt(fees.creator_fee)],
    ] as const
  })
  // Fields of two events whose lines state no fees.
  const paid = new Map([
    ...stated,
    ['2nLWcmrav8Zinvms', 96_195n + 31_031n],
    ['3KBJWV5MdZfrE9QA', 1_878n + 1_878n],
  ])
  const paidFor = ({ signature }: Swap) => paid.get(signature.slice(0, 16))
  const swaps = DECODED.filter((swap) => swap.dex === 2 && formulaOf(swap) !== undefined)
  const matching = (charged: (swap: Swap) => bigint) =>
    `${swaps.filter((swap) => charged(swap) === paidFor(swap)).length} of ${swaps.length}`
  const byRates = matching((swap) => {
    const [leg, fee] = [BigInt(swap.solAmount), BigInt(swap.fee)]
    return outsideFees(leg, swap.isBuy ? leg - fee : leg + fee, outsideRates(swap, 0n))
  })
  const assumed = matching((swap) => {
    const none = { ...swap, outsideProtocolBps: undefined, outsideCreatorBps: undefined }
    return outsideFees(BigInt(swap.solAmount), 0n, outsideRates(none, 10n))
  })
  t.deepEqual({ byRates, assumed }, { byRates: '16 of 16', assumed: '0 of 16' })
  t.true(readFile('docs/semantics.md').includes(`by the stated rates ${byRates}`))
  t.true(readFile('docs/semantics.md').includes(`with 10 bps assumed ${assumed}`))
})

test('swaps that are not reproduced are a pool with SOL as base and a log that was cut', (t) => {
  const others = DECODED.filter((swap) => {
    const isPriced = VENUES.some(({ dex, pricing }) => dex === swap.dex && pricing !== undefined)
    return isPriced && formulaOf(swap) === undefined
  })
  const signatures = others.map(({ signature }) => signature.slice(0, 16))
  const lines = chainLines('EXPECTED.ndjson').filter(({ signature }) =>
    signatures.includes(String(signature).slice(0, 16)),
  )
  const traits = lines.map(({ test }) => test as { base_is_wsol?: boolean; truth: string })
  t.deepEqual(traits.map(({ base_is_wsol, truth }) => (base_is_wsol ? 'base' : truth)).sort(), [
    'base',
    'transfers',
  ])
})

test('a swap that is reproduced with a changed leg, fee or reserve is not', (t) => {
  const [swap] = DECODED.filter((each) => each.dex === 3 && each.isBuy)
  if (swap === undefined) throw new Error('expected a recorded buy')
  t.truthy(formulaOf(swap))
  const [sol, tokens] = [BigInt(swap.realSolReserves), BigInt(swap.realTokenReserves)]
  for (const changed of [
    { solAmount: BigInt(swap.solAmount) * 2n },
    { tokenAmount: BigInt(swap.tokenAmount) + 10n ** 6n },
    { realSolReserves: sol * 2n },
    { realTokenReserves: tokens * 2n },
    { realSolReserves: 0, realTokenReserves: 0 },
    { isBuy: false },
  ]) {
    t.is(formulaOf({ ...swap, ...changed }), undefined)
  }
})

test('a reproduced swap is priced at its own legs in the state that it met', (t) => {
  const bought = [...LAUNCHES, ...DECODED].filter(({ isBuy }) => isBuy)
  const priced = bought.flatMap((swap) => {
    const curve = formulaOf(swap)?.curveAt(heldBefore(swap))
    return curve === undefined ? [] : [{ swap, curve }]
  })
  t.true(priced.length > 700)
  for (const { swap, curve } of priced) {
    // Exact input may buy a unit more than a buy for this much, which never pays in excess.
    const { sol, tokens } = curve.buy(BigInt(swap.solAmount))
    const missing = BigInt(swap.tokenAmount) - tokens
    t.true(sol <= BigInt(swap.solAmount))
    t.true(missing <= BigInt(swap.tokenAmount) / BigInt(swap.solAmount) + 1n)
  }
})

test('recorded swaps without indexes are linked by their reserves, in any order of arrival', (t) => {
  const count = LAUNCH_POOLS.map((swaps) => {
    const slots = inExecutionOrder(swaps)
    t.true(slots.every(({ isOrdered }) => isOrdered))
    t.deepEqual(inExecutionOrder(swaps.toReversed()), slots)
    const ordered = slots.flatMap((slot) => slot.swaps)
    const breaks = ordered.slice(1).filter((swap, index) => {
      const before = ordered[index]
      return before === undefined || isApart(before, swap)
    })
    t.deepEqual(breaks, [])
    return ordered.length
  })
  t.is(
    count.reduce((sum, own) => sum + own, 0),
    1_498,
  )
})

function isApart(before: Swap, after: Swap): boolean {
  const [left, met] = [reservesAfter(before), reservesBefore(after)]
  return left.sol !== met.sol || left.tokens !== met.tokens
}

/** A trade in the state after a recorded swap of a launch. */
function quoteAfter(signature: string, trade: Trade) {
  const state = LAUNCHES.find((swap) => swap.signature.startsWith(signature))
  if (state === undefined) throw new Error(`no swap "${signature}"`)
  const own = LAUNCHES.filter(({ pairAddress }) => pairAddress === state.pairAddress)
  const slots = inExecutionOrder(own).filter(({ slot }) => slot <= state.slot)
  assertNewest(slots.at(-1)?.swaps.at(-1)?.signature === state.signature)
  const pool = { slots, following: [], events: [], slot: state.slot }
  const found = quote({ ...pool, migratedAtMs: undefined, isClosed: false, hasGap: false }, trade, {
    assumedFeeBps: 0n,
  })
  if (found.basis === 'none') throw new Error(`no quote: ${found.reason}`)
  return found
}

function assertNewest(isNewest: boolean): void {
  if (!isNewest) throw new Error('expected the newest swap of its slot')
}

test('a copied buy of 0.1 SOL and the sale of its tokens, to the lamport', (t) => {
  const buy = quoteAfter('51fe9MES', { isBuy: true, lamports: 100_000_000n })
  t.is(buy.basis, 'exact')
  t.deepEqual(buy.held?.price, { sol: 38_565_168_797n, tokens: 834_691_017_982_754n })
  t.is(buy.sol.low, 98_765_431n)
  t.is(buy.tokens.low, 2_132_183_901_843n)
  t.is(buy.outside.low, 938_272n + 296_297n)
  t.is(buy.total.low, 100_000_000n)
  const sale = quoteAfter('65hcnMcd', { isBuy: false, tokens: 2_132_183_901_843n })
  t.deepEqual(sale.held?.price, { sol: 47_979_253_876n, tokens: 670_914_977_156_390n })
  t.is(sale.sol.low, 151_996_173n)
  t.is(sale.outside.low, 1_443_964n + 455_989n)
  t.is(sale.total.low, 150_096_220n)
  t.deepEqual(sale.total.low, sale.total.high)
})
