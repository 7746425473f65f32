/** The quick yes of the contract: it never says yes where the table of rules says no. */
import test from 'ava'
import fc from 'fast-check'
import type { Swap } from '../../../../domain/events/swap.ts'
import { refusalByTable } from '../../../../streams/ingest/contract.ts'
import { isPlainSwap } from '../../../../streams/ingest/reading/fast-check.ts'
import { anyEvent, SWAP } from '../../../support/events/sample-event.ts'

const FULL: Swap = { ...SWAP, poolPrice: 1, priceBefore: 2, priceAfter: 3 }
const NAMES = Object.keys(FULL)

test('every swap that the contract lets in is plain', (t) => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      if (event.kind === 'swap') t.true(isPlainSwap(event.swap))
    }),
    { numRuns: 500 },
  )
})

/** At and around every limit of a rule, and what is no number or no text at all. */
const ODD: unknown[] = [
  ...[-1, -0, 0, 0.5, 1, 9, 10, 11, 18, 19, 200, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1],
  ...[2 ** 53, 2 ** 63, Date.UTC(2020, 0, 1) - 1, Date.UTC(2020, 0, 1), 1e300],
  ...[Date.UTC(2100, 0, 1) - 1, Date.UTC(2100, 0, 1)],
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ...[0n, -1n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n],
  ...[true, false, null, undefined, '', '5', '0', 'l', SWAP.user, SWAP.signature, `${SWAP.user}1`],
  ...[[], {}, ['5']],
]

test('with any one field changed, the quick yes is the yes of the table', (t) => {
  let refused = 0
  for (const name of NAMES) {
    for (const value of ODD) {
      const swap = { ...FULL, [name]: value } as Swap
      const isGood = refusalByTable({ kind: 'swap', swap }) === undefined
      t.is(isPlainSwap(swap), isGood, `${name}: ${String(value)}`)
      if (!isGood) refused += 1
    }
  }
  t.true(refused > NAMES.length * 10)
})
