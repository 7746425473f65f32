/** Cost of holdings by the remaining lots: a hand-computed table. */
import test from 'ava'
import fc from 'fast-check'
import { costOfHeld } from '../../../../api/resources/holdings/holding.ts'

test('scales cost down with departed tokens, never up with arrived ones', (t) => {
  const cases: [quantity: bigint, balance: bigint, cost: bigint, expected: bigint | null][] = [
    // All of the lots.
    [10n, 10n, 7n, 7n],
    // Half of them: 3.5 rounded down.
    [5n, 10n, 7n, 3n],
    // More than the lots: the rest came without a cost.
    [1_000n, 10n, 7n, 7n],
    // No lot: the cost is unknown.
    [10n, 0n, 0n, null],
    // Lots of cost 0.
    [10n, 10n, 0n, 0n],
    // Beyond 2^53, to the last digit.
    [
      9_007_199_254_740_993n,
      18_014_398_509_481_986n,
      9_007_199_254_740_993n,
      4_503_599_627_370_496n,
    ],
  ]
  for (const [quantity, balance, cost, expected] of cases) {
    t.is(costOfHeld(quantity, { balance, cost }), expected)
  }
})

test('the parts of a wallet that is split cost no more than the whole, and one lamport less at most', (t) => {
  const positive = fc.bigInt({ min: 1n, max: 2n ** 70n })
  fc.assert(
    fc.property(positive, positive, positive, (part, other, cost) => {
      const lots = { balance: part + other, cost }
      const sum = (costOfHeld(part, lots) ?? 0n) + (costOfHeld(other, lots) ?? 0n)
      return sum <= cost && sum >= cost - 1n
    }),
  )
  t.pass()
})
