/** When a token is rugged: for prices computed from legs, to the last digit. Pure. */
import test from 'ava'
import fc from 'fast-check'
import { executedPrice } from '../../domain/amount.ts'
import { isRugged } from '../../domain/ranking.ts'

test('a fall of exactly 90 % counts for any digits', (t) => {
  // 0.1 * 0.0003 is 0.000029999999999999997 as a double.
  const falls: [open: number, close: number][] = [
    [0.0003, 0.00003],
    [0.001, 0.0001],
    [0.7, 0.07],
    [1.1, 0.11],
    [3, 0.3],
  ]
  for (const [open, close] of falls) {
    t.true(isRugged(open, close), `${open} to ${close}`)
    t.false(isRugged(open, close * (1 + 1e-12)), `${open} to a little over ${close}`)
    t.true(isRugged(open, close * (1 - 1e-12)))
  }
  t.false(isRugged(1, 1))
})

const legs = fc.bigInt(10_000n, 2n ** 53n)
const decimals = fc.nat(18)

test('any price and its tenth are a rug, slightly more is none', (t) => {
  fc.assert(
    fc.property(legs, legs, decimals, fc.bigInt(1n, 1_000n), (sol, tokens, digits, factor) => {
      const priceOf = (lamports: bigint, units: bigint): number =>
        executedPrice(lamports, units, digits)
      const open = priceOf(sol * 10n * factor, tokens * factor)
      const close = priceOf(sol, tokens)
      t.true(isRugged(open, close))
      t.false(isRugged(open, close * (1 + 1e-14)))
    }),
    { numRuns: 2_000 },
  )
})
