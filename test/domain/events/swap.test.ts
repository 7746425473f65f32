/** Canonical order, identity and dust: each rule by a case, then the laws over random swaps. */
import test from 'ava'
import fc from 'fast-check'
import { INT64_MAX } from '../../../domain/amount.ts'
import {
  compareChainPositions,
  compareSwaps,
  isDust,
  isDustForPrice,
  isSameSwap,
  pricedTokensMin,
  type Swap,
  type SwapOrderKey,
  setsPrice,
} from '../../../domain/events/swap.ts'
import { naivePrice } from '../../simulation/models/candle-model.ts'
import { SWAP } from '../../support/events/sample-event.ts'
import { swapIdentity } from '../../support/market/swap-identity.ts'

const swap = (changes: Partial<Swap> = {}): Swap => ({ ...SWAP, ...changes })

/** Each pair: equal in all that comes before, first and second by the rule that is named. */
const TIE_BREAKS: [string, Partial<Swap>, Partial<Swap>][] = [
  ['slot, over all that follows', { slot: 1, blockTxIndex: 9, ixIndex: 9, dex: 9 }, { slot: 2 }],
  ['slots as numbers', { slot: 9 }, { slot: 10 }],
  ['block_tx_index, over ix_index', { blockTxIndex: 1, ixIndex: 9 }, { blockTxIndex: 2 }],
  ['ix_index, over dex', { ixIndex: 1, dex: 9 }, { ixIndex: 2, dex: 1 }],
  ['dex as a number, over the side', { dex: 9, isBuy: false }, { dex: 10, isBuy: true }],
  ['buys before sells, over signature', { isBuy: true, signature: 'b' }, { isBuy: false }],
  [
    'signature, over pair',
    { signature: 'a', pairAddress: 'z' },
    { signature: 'b', pairAddress: 'a' },
  ],
  // Compared as bytes: capitals before small letters, digits before both, a prefix before the whole.
  ['signature as bytes', { signature: 'Zz' }, { signature: 'aA' }],
  ['digits before letters', { signature: '9' }, { signature: 'A' }],
  ['a prefix before the whole', { signature: 'ab' }, { signature: 'abc' }],
  ['pair, over user', { pairAddress: 'a', user: 'z' }, { pairAddress: 'b', user: 'a' }],
  ['user, over sol_amount', { user: 'Z', solAmount: 9 }, { user: 'a', solAmount: 1 }],
  ['sol_amount, over token_amount', { solAmount: 9, tokenAmount: 9 }, { solAmount: 10 }],
  ['token_amount as an integer', { tokenAmount: 9 }, { tokenAmount: 10 }],
  // A double would hold both to be 2^63.
  ['amounts beyond doubles', { solAmount: INT64_MAX - 1n }, { solAmount: INT64_MAX }],
  ['a number before a bigint', { tokenAmount: 2 ** 53 - 1 }, { tokenAmount: 2n ** 53n }],
]

for (const [rule, first, second] of TIE_BREAKS) {
  test(`canonical order goes by ${rule}`, (t) => {
    const a = swap({ signature: 'a', ...first })
    const b = swap({ signature: 'a', ...second })
    t.true(compareSwaps(a, b) < 0)
    t.true(compareSwaps(b, a) > 0)
    t.is(compareSwaps(a, { ...a }), 0)
  })
}

test('canonical order ignores all other fields', (t) => {
  const other = swap({ timestamp: 1, tokenAddress: 'x', fee: 7, realSolReserves: 8, priceAfter: 1 })
  t.is(compareSwaps(swap(), other), 0)
})

test('orders positions by slot, block_tx_index and ix_index', (t) => {
  const position = (slot: number, blockTxIndex: number, ixIndex: number) => ({
    slot,
    blockTxIndex,
    ixIndex,
  })
  t.true(compareChainPositions(position(1, 9, 9), position(2, 0, 0)) < 0)
  t.true(compareChainPositions(position(1, 1, 9), position(1, 2, 0)) < 0)
  t.true(compareChainPositions(position(1, 1, 1), position(1, 1, 2)) < 0)
  t.is(compareChainPositions(position(1, 1, 1), position(1, 1, 1)), 0)
  // The greatest slots that the contract accepts are still distinct.
  t.true(compareChainPositions(position(2 ** 53 - 2, 0, 0), position(2 ** 53 - 1, 0, 0)) < 0)
})

const few = fc.nat(1)
const letters = fc.constantFrom('A', 'a')
const quantities = fc.constantFrom(1, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n)
const orderKeys: fc.Arbitrary<SwapOrderKey> = fc.record({
  slot: few,
  blockTxIndex: few,
  ixIndex: few,
  dex: fc.constantFrom(1, 2),
  isBuy: fc.boolean(),
  signature: letters,
  pairAddress: letters,
  user: letters,
  solAmount: quantities,
  tokenAmount: quantities,
})
/** Two that mostly agree, so that the late tie-breaks are reached as well. */
const related = orderKeys.chain((base) =>
  fc
    .array(fc.record({ slot: few, user: letters, solAmount: quantities }, { requiredKeys: [] }), {
      minLength: 3,
      maxLength: 3,
    })
    .map((changes) => changes.map((change) => ({ ...base, ...change }))),
)
const threes = fc.oneof(fc.array(orderKeys, { minLength: 3, maxLength: 3 }), related)

const keyText = (key: SwapOrderKey): string =>
  Object.keys(key)
    .sort()
    .map((name) => `${name} ${key[name as keyof SwapOrderKey]}`)
    .join()

test('canonical order is total: antisymmetric, transitive, 0 only for the same key', (t) => {
  fc.assert(
    fc.property(threes, (keys) => {
      const [a, b, c] = keys as [SwapOrderKey, SwapOrderKey, SwapOrderKey]
      t.is(Math.sign(compareSwaps(a, b)), 0 - Math.sign(compareSwaps(b, a)))
      t.is(compareSwaps(a, b) === 0, keyText(a) === keyText(b))
      if (compareSwaps(a, b) <= 0 && compareSwaps(b, c) <= 0) t.true(compareSwaps(a, c) <= 0)
    }),
    { numRuns: 1_000 },
  )
})

/** Another value of every field of a swap. */
const CHANGED: Required<Swap> = {
  blockhash: 'other',
  signature: 'other',
  slot: 401,
  timestamp: 1,
  tokenAddress: 'other',
  pairAddress: 'other',
  user: 'other',
  isBuy: false,
  dex: 2,
  solAmount: 20_001,
  tokenAmount: 30_001,
  fee: 1,
  feeBps: 1,
  creatorFee: 1,
  creatorFeeBps: 1,
  quoteDecimals: 7,
  virtualSolReserves: 1,
  virtualTokenReserves: 1,
  realSolReserves: 1,
  realTokenReserves: 1,
  transferFeeIn: 1,
  transferFeeOut: 1,
  cashback: 1,
  cashbackBps: 1,
  blockTxIndex: 1,
  ixIndex: 1,
  timeSource: 1,
  agentTrade: 1,
  poolPrice: 1,
  priceBefore: 1,
  priceAfter: 1,
  virtualQuoteReserves: 1,
  outsideProtocolBps: 1,
  outsideCreatorBps: 1,
}
const IDENTITY = [
  'signature',
  'dex',
  'ixIndex',
  'pairAddress',
  'user',
  'isBuy',
  'solAmount',
  'tokenAmount',
]

for (const name of Object.keys(CHANGED) as (keyof Swap)[]) {
  const isPart = IDENTITY.includes(name)
  test(`identity ${isPart ? 'goes by' : 'leaves out'} ${name}`, (t) => {
    const other = swap({ [name]: CHANGED[name] })
    t.is(swapIdentity(other) === swapIdentity(swap()), !isPart)
    t.is(isSameSwap(other, swap()), !isPart)
  })
}

test('distinguishes amounts by identity that a double would not', (t) => {
  const a = swap({ solAmount: 2n ** 53n })
  const b = swap({ solAmount: 2n ** 53n + 1n })
  t.not(swapIdentity(a), swapIdentity(b))
  t.false(isSameSwap(a, b))
  t.true(isSameSwap(a, swap({ solAmount: 2n ** 53n })))
})

test('the text of an identity and the comparison of two swaps agree', (t) => {
  fc.assert(
    fc.property(threes, ([a, b]) => {
      const [one, two] = [swap(a), swap(b)]
      t.is(swapIdentity(one) === swapIdentity(two), isSameSwap(one, two))
    }),
  )
})

/** Decimals of a token, and its least amount that may set a price: a whole token, 10,000 base units at most. */
const PRICED_FROM: [decimals: number, tokenAmount: number][] = [
  [0, 1],
  [1, 10],
  [2, 100],
  [3, 1_000],
  ...Array.from({ length: 15 }, (_, index): [number, number] => [index + 4, 10_000]),
]

test('tokens of any decimals from 0 to 18 have prices from a whole token or 10,000 base units on', (t) => {
  t.is(PRICED_FROM.length, 19)
  for (const [quoteDecimals, least] of PRICED_FROM) {
    const priced = swap({ solAmount: 10_000, tokenAmount: least, quoteDecimals })
    const tooFew = swap({ solAmount: 10_000, tokenAmount: least - 1, quoteDecimals })
    const tooCheap = swap({ solAmount: 9_999, tokenAmount: least, quoteDecimals })
    t.is(pricedTokensMin(quoteDecimals), least)
    t.deepEqual([priced, tooFew, tooCheap].map(isDustForPrice), [false, true, true])
    t.deepEqual([priced, tooFew, tooCheap].map(setsPrice), [true, false, false])
    t.deepEqual(
      [priced, tooFew, tooCheap].map((each) => naivePrice(each) !== null),
      [true, false, false],
    )
    t.is(isDust(priced), least < 10_000, 'the dust rule of the impact does not know decimals')
  }
})

test('a leg below 10,000 base units is dust, and neither dust nor the agent sets a price', (t) => {
  const cases: [Partial<Swap>, boolean][] = [
    [{ solAmount: 10_000, tokenAmount: 10_000 }, false],
    [{ solAmount: 9_999, tokenAmount: 10_000 }, true],
    [{ solAmount: 10_000, tokenAmount: 9_999 }, true],
    [{ solAmount: 0, tokenAmount: INT64_MAX }, true],
    [{ solAmount: INT64_MAX, tokenAmount: 1 }, true],
    [{ solAmount: INT64_MAX, tokenAmount: INT64_MAX }, false],
  ]
  for (const [changes, expected] of cases) {
    t.is(isDust(swap(changes)), expected)
    t.is(setsPrice(swap(changes)), !expected)
  }
  t.false(setsPrice(swap({ agentTrade: 2 })))
  t.true(setsPrice(swap({ agentTrade: 1 })))
})
