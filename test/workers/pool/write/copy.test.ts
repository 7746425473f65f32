/** Rows of the swap writer, read again by an independent reader of PostgreSQL's format. */
import test from 'ava'
import { INT64_MAX } from '../../../../domain/amount.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { pairHash, signatureHash } from '../../../../domain/numbers/signature-hash.ts'
import { applySwap } from '../../../../workers/pool/pool.ts'
import type { AcceptedSwap } from '../../../../workers/pool/pool-state.ts'
import { encodeSignatureRows, encodeSwapRows } from '../../../../workers/pool/write/copy.ts'
import { SWAP, WALLET } from '../../../support/events/sample-event.ts'
import { readCopy } from '../../../support/workers/copy-reader.ts'
import { emptyPool } from '../../../support/workers/sample-pool.ts'

const accept = (changes: Partial<Swap> = {}): AcceptedSwap =>
  applySwap(emptyPool(), { ...SWAP, ...changes })

test('a row has the columns of the list, in its order', (t) => {
  const swap = accept({
    slot: 1,
    blockTxIndex: 2,
    timestamp: 3,
    solAmount: INT64_MAX,
    tokenAmount: 5,
    fee: 6,
    creatorFee: 7,
    virtualSolReserves: 8,
    virtualTokenReserves: 9,
    realSolReserves: 10,
    realTokenReserves: 11,
    transferFeeIn: 12,
    transferFeeOut: 13,
    cashback: 14,
    ixIndex: 21,
    feeBps: 22,
    creatorFeeBps: 23,
    cashbackBps: 24,
    timeSource: 25,
    agentTrade: 26,
    dex: 7,
    quoteDecimals: 18,
    poolPrice: 0.5,
    priceAfter: 0.25,
  })
  const [row] = readCopy(encodeSwapRows([swap], new Map([[WALLET, 20]])))
  const eights = [1, 2, 3, INT64_MAX, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(BigInt)
  t.deepEqual(
    row?.slice(0, 14).map((field) => field?.readBigInt64BE()),
    eights,
  )
  // No impact (dust), pool price, no price before, price after.
  t.is(row?.[14], null)
  t.is(row?.[15]?.readDoubleBE(), 0.5)
  t.is(row?.[16], null)
  t.is(row?.[17]?.readDoubleBE(), 0.25)
  t.deepEqual(
    row?.slice(18, 26).map((field) => field?.readInt32BE()),
    [1, 20, 21, 22, 23, 24, 25, 26],
  )
  t.deepEqual(
    row?.slice(26, 28).map((field) => field?.readInt16BE()),
    [7, 18],
  )
  t.is(row?.[28]?.readInt8(), 1)
  t.is(row?.[29]?.toString(), SWAP.signature)
  // A wallet without tags costs a length and no more.
  t.is(row?.[30], null)
  // Nor one that states no virtual reserves.
  t.is(row?.[31], null)
  // Nor one whose source names no block.
  t.is(row?.[32], null)
  // Nor one whose source states no rates outside the legs.
  t.deepEqual(row?.slice(33), [null, null])
  const tagged = { ...swap, walletTags: 9 }
  const [stamped] = readCopy(encodeSwapRows([tagged], new Map([[WALLET, 20]])))
  t.is(stamped?.[30]?.readInt16BE(), 9)
  const rates = { outsideProtocolBps: 93, outsideCreatorBps: 0 }
  const stating = { ...swap, swap: { ...swap.swap, ...rates, virtualQuoteReserves: 0 } }
  const [zero] = readCopy(encodeSwapRows([stating], new Map([[WALLET, 20]])))
  t.is(zero?.[31]?.readBigInt64BE(), 0n)
  t.deepEqual(
    zero?.slice(33).map((field) => field?.readInt16BE()),
    [93, 0],
  )
})

test('an impact below zero is stored with its sign, and many rows find room', (t) => {
  const swaps = Array.from({ length: 1_000 }, () => ({ ...accept(), priceImpactBps: -3 }))
  const rows = readCopy(encodeSwapRows(swaps, new Map([[WALLET, 1]])))
  t.is(rows.length, 1_000)
  t.true(rows.every((row) => row[14]?.readBigInt64BE() === -3n))
})

test('stores one row for each pool and position of a signature', (t) => {
  const swaps: Partial<Swap>[] = [
    { signature: 'a', pairAddress: 'p', slot: 1 },
    { signature: 'a', pairAddress: 'p', slot: 1, isBuy: false },
    // Another decoder reports another position of the transaction.
    { signature: 'a', pairAddress: 'p', slot: 1, blockTxIndex: 4 },
    { signature: 'a', pairAddress: 'p', slot: 2 },
    { signature: 'b', pairAddress: 'p', slot: 2 },
    { signature: 'b', pairAddress: 'q', slot: 2 },
  ]
  const rows = readCopy(encodeSignatureRows(swaps.map(accept)))
  t.deepEqual(
    rows.map((row) => [
      ...row.slice(0, 3).map((field) => field?.readBigInt64BE()),
      row[3]?.readInt32BE(),
    ]),
    [
      [signatureHash('a'), 1n, 0n, pairHash('p')],
      [signatureHash('a'), 1n, 4n, pairHash('p')],
      [signatureHash('a'), 2n, 0n, pairHash('p')],
      [signatureHash('b'), 2n, 0n, pairHash('p')],
      [signatureHash('b'), 2n, 0n, pairHash('q')],
    ],
  )
})
