/** Volumes of venues by minute and quarter: against sums over all swaps, in any order, in any batches. */
import test from 'ava'
import fc from 'fast-check'
import { MINUTE_MS, QUARTER_MS } from '../../../domain/time/time-bucket.ts'
import type { DexId } from '../../../domain/venue.ts'
import { VenueVolumeFold } from '../../../workers/pool/venue-volume.ts'

const traded = fc.record({
  timestamp: fc.integer({ min: 0, max: 4_000_000 }),
  dex: fc.constantFrom<DexId>(1, 2, 10),
  solAmount: fc.constantFrom<number | bigint>(0, 1, 9_999, 2 ** 53 - 1, 2n ** 63n - 1n),
})

test('each venue has its trades and SOL in both widths, exactly, in the order of the key', (t) => {
  fc.assert(
    fc.property(fc.array(traded, { maxLength: 60 }), (swaps) => {
      const fold = new VenueVolumeFold()
      for (const swap of swaps) fold.add(swap)
      const expected = [MINUTE_MS, QUARTER_MS].flatMap((width) => {
        const buckets = [...new Set(swaps.map(({ timestamp }) => timestamp - (timestamp % width)))]
        return buckets
          .sort((a, b) => a - b)
          .flatMap((bucketMs) =>
            [1, 2, 10].flatMap((dex) => {
              const own = swaps.filter(
                (swap) =>
                  swap.dex === dex && swap.timestamp - (swap.timestamp % width) === bucketMs,
              )
              const volume = own.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)
              return own.length === 0 ? [] : [[width, bucketMs, dex, own.length, volume]]
            }),
          )
      })
      const found = fold
        .sorted()
        .map((row) => [
          row.width,
          row.bucketMs,
          row.dex,
          row.tradeCount,
          BigInt(row.volumeLamports),
        ])
      t.deepEqual(found, expected)
    }),
  )
})
