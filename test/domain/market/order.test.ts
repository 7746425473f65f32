/** Execution order of a pool: by true indexes, else by the reserves that each swap met. */
import test from 'ava'
import fc from 'fast-check'
import type { Swap } from '../../../domain/events/swap.ts'
import { hasTrueIndexes, inExecutionOrder } from '../../../domain/market/order.ts'
import { FormulaPool } from '../../support/market/formula-pool.ts'
import { signatureOf } from '../../support/market/sample-swap.ts'

const RESERVES = { sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n }
const SIZES = [5n, 2n, 9n, 4n].map((sol) => sol * 1_000_000_000n)

/** Trades of these sizes, all in slot 1,000 with both indexes 0. */
function tied(market: FormulaPool): Swap[] {
  return SIZES.map((size, index) =>
    market.buy(size, { slot: 1_000, signature: signatureOf(9 - index) }),
  )
}

const signaturesOf = (swaps: readonly Swap[]): string[] => swaps.map(({ signature }) => signature)

test('true indexes give canonical order, whatever the reserves', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 3 })
  const swaps = tied(market).map((swap, index) => ({ ...swap, blockTxIndex: 9 - index }))
  t.true(hasTrueIndexes(swaps))
  const [slot] = inExecutionOrder(swaps)
  t.deepEqual(slot?.swaps, swaps.toReversed())
  t.true(slot?.isOrdered)
})

test('indexes are untrue where two transactions or two swaps of one share one', (t) => {
  const [a, b] = tied(new FormulaPool({ ...RESERVES, dex: 3 }))
  if (a === undefined || b === undefined) throw new Error('expected swaps')
  t.true(hasTrueIndexes([a, { ...a, ixIndex: 1 }]))
  t.true(hasTrueIndexes([a, { ...b, blockTxIndex: 1 }]))
  t.false(hasTrueIndexes([a, b]))
  t.false(hasTrueIndexes([a, { ...a, isBuy: false }]))
})

test('swaps without indexes follow the reserves that they met, in any order of arrival', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 3 })
  const before = market.buy(1_000_000_000n, { slot: 999 })
  const swaps = tied(market)
  const orders = fc.shuffledSubarray([before, ...swaps], { minLength: 5 })
  const holds = fc.property(orders, (arrived) => {
    const [first, second] = inExecutionOrder(arrived)
    return (
      first?.slot === 999 &&
      second?.isOrdered === true &&
      signaturesOf(second.swaps).join() === signaturesOf(swaps).join()
    )
  })
  t.notThrows(() => fc.assert(holds))
})

test('without a slot before, the first is the only one whose reserves no other left', (t) => {
  const swaps = tied(new FormulaPool({ ...RESERVES, dex: 3 }))
  t.deepEqual(inExecutionOrder(swaps.toReversed()), [{ slot: 1_000, swaps, isOrdered: true }])
})

test('a return to earlier reserves begins at those of the slot before', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 3, ratePpm: 0n })
  const before = market.buy(1_000_000_000n, { slot: 999 })
  const out = market.buy(3_000_000_000n, { slot: 1_000, signature: signatureOf(2) })
  // The same legs back: no swap of the slot met reserves that no other left.
  const { sol, tokens } = RESERVES
  const back = {
    ...{ ...out, isBuy: false, signature: signatureOf(1) },
    realSolReserves: before.realSolReserves,
    realTokenReserves: before.realTokenReserves,
  }
  t.deepEqual(inExecutionOrder([back, out, before]).at(-1)?.swaps, [out, back])
  t.false(inExecutionOrder([back, out]).at(-1)?.isOrdered)
  t.true(sol > 0n && tokens > 0n)
})

test('the order is unknown where the link is not unique, is broken, or the venue reports no reserves', (t) => {
  const [a, b, c, d] = tied(new FormulaPool({ ...RESERVES, dex: 3 }))
  if (!(a && b && c && d)) throw new Error('expected swaps')
  const isOrdered = (swaps: Swap[]): boolean | undefined => inExecutionOrder(swaps)[0]?.isOrdered
  t.true(isOrdered([a, b, c, d]))
  t.false(isOrdered([a, b, d]))
  t.false(isOrdered([a, b, { ...b, signature: signatureOf(20) }]))
  t.false(isOrdered([a, b].map((swap) => ({ ...swap, dex: 10 as const }))))
  const [unknown, next] = inExecutionOrder([a, b, d, { ...c, slot: 1_001 }])
  t.deepEqual([unknown?.isOrdered, next?.isOrdered], [false, true])
})
