/**
 * The pool actor measures impacts by doubles where they are exact, quotes compute reserves in bigint: both start from the same
 * reserves before a swap, whatever its venue and the size of its legs.
 */
import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { INT64_MAX, type Int64, int64, int64Saturated } from '../../../../domain/amount.ts'
import { isDust, type Swap } from '../../../../domain/events/swap.ts'
import {
  realReservesAfter,
  realReservesBefore,
  reservesAfter,
  reservesBefore,
} from '../../../../domain/market/reserves.ts'
import {
  AGENT_TRADE,
  type DexId,
  unreportedLamports,
  VENUES,
  venueOf,
} from '../../../../domain/venue.ts'
import { priceImpactBps } from '../../../../workers/pool/impact/impact.ts'
import { chainLines, decodeChainFile } from '../../../support/chain/real-chain.ts'
import { SWAP } from '../../../support/events/sample-event.ts'
import { byFractions } from '../../../support/market/impact-model.ts'
import { swapsOf } from '../../../support/real-swaps.ts'
import { sizeOf } from '../../../support/seed.ts'

const RESERVE_VENUES = VENUES.filter(({ impactReference }) =>
  ['curve_after', 'reserves_before'].includes(impactReference),
)
const FROM_MS = Math.max(
  ...VENUES.flatMap(({ impactFromMs = 0, agentMarksFromMs = 0 }) => [
    impactFromMs,
    agentMarksFromMs,
  ]),
)

/** The impact relative to the reserves of domain/market; undefined where the venue is not measured by reserves. */
function impactByReserves(swap: Swap, migratedAtMs?: number): Int64 | null | undefined {
  const { impactReference, impactRounding } = venueOf(swap.dex)
  if (impactReference !== 'curve_after' && impactReference !== 'reserves_before') return undefined
  const isAfter = impactReference === 'curve_after'
  const { sol, tokens } = isAfter ? reservesAfter(swap) : realReservesBefore(swap)
  const unreported = unreportedLamports(swap.dex, migratedAtMs, swap.virtualQuoteReserves)
  const refSol = isAfter ? sol : sol + BigInt(unreported)
  if (refSol <= 0n || tokens <= 0n) return null
  return int64Saturated(byFractions(swap, refSol, tokens, impactRounding === 'nearest'))
}

/** Sizes of every magnitude, those around the end of exact doubles and of int64 more often. */
const amounts = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 10n ** 6n }),
    fc.bigInt({ min: 0n, max: 2n ** 53n }),
    fc.bigInt({ min: 2n ** 53n - 10n, max: 2n ** 53n + 10n }),
    fc.bigInt({ min: 0n, max: INT64_MAX }),
    fc.bigInt({ min: INT64_MAX - 10n, max: INT64_MAX }),
  )
  .map(int64)

const swaps = fc.record({
  dex: fc.constantFrom<DexId[]>(...VENUES.map(({ dex }) => dex)),
  isBuy: fc.boolean(),
  ...{ solAmount: amounts, tokenAmount: amounts },
  ...{ realSolReserves: amounts, realTokenReserves: amounts },
  ...{ virtualSolReserves: amounts, virtualTokenReserves: amounts },
  virtualQuoteReserves: fc.option(amounts, { nil: undefined }),
})

test('an impact is relative to the reserves that quotes compute, on every venue and for any int64', (t) => {
  t.true(RESERVE_VENUES.length >= 4)
  const measured = new Map<DexId, number>()
  fc.assert(
    fc.property(swaps, fc.option(fc.constant(FROM_MS * 2), { nil: undefined }), (drawn, ms) => {
      const swap: Swap = { ...SWAP, ...drawn, timestamp: FROM_MS, agentTrade: 1 }
      if (isDust(swap)) return
      const expected = impactByReserves(swap, ms)
      if (expected === undefined) return
      if (expected !== null) measured.set(swap.dex, (measured.get(swap.dex) ?? 0) + 1)
      t.is(priceImpactBps(swap, { migratedAtMs: ms, priceBefore: undefined }), expected)
    }),
    { numRuns: sizeOf({ daily: 5_000, long: 100_000 }) },
  )
  for (const { dex } of RESERVE_VENUES) t.true((measured.get(dex) ?? 0) > 20, `venue ${dex}`)
})

test('undoing the legs of a swap returns the reserves that it met, for any int64', (t) => {
  fc.assert(
    fc.property(swaps, (drawn) => {
      const swap: Swap = { ...SWAP, ...drawn }
      for (const [before, after] of [
        [reservesBefore(swap), reservesAfter(swap)],
        [realReservesBefore(swap), realReservesAfter(swap)],
      ] as const) {
        const [sol, tokens] = [BigInt(swap.solAmount), BigInt(swap.tokenAmount)]
        const sign = swap.isBuy ? 1n : -1n
        t.is(before.sol + sign * sol, after.sol)
        t.is(before.tokens - sign * tokens, after.tokens)
      }
    }),
    { numRuns: sizeOf({ daily: 2_000, long: 50_000 }) },
  )
})

test('the impacts of recorded swaps are relative to the reserves that quotes compute', (t) => {
  const readSwaps = (name: string): Swap[] =>
    swapsOf(readFileSync(new URL(`../../../data/${name}`, import.meta.url), 'utf8'))
  const files = new Set(
    chainLines('EXPECTED.ndjson').map((line) => (line.test as { file: string }).file),
  )
  const recorded = [
    ...readSwaps('venue_1_2025-09.ndjson'),
    ...readSwaps('venue_3_block_285000037.ndjson'),
    ...[...files].flatMap((file) =>
      decodeChainFile(file).events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : [])),
    ),
  ]
  const compared = recorded.filter((swap) => {
    if (isDust(swap) || swap.agentTrade === AGENT_TRADE) return false
    const later: Swap = { ...swap, timestamp: FROM_MS }
    const expected = impactByReserves(later)
    if (expected === undefined) return false
    const context = { migratedAtMs: undefined, priceBefore: undefined }
    t.is(priceImpactBps(later, context), expected, swap.signature)
    return expected !== null
  })
  const [known, venues] = [recorded, compared].map((each) => new Set(each.map(({ dex }) => dex)))
  t.deepEqual(
    RESERVE_VENUES.filter(({ dex }) => known?.has(dex) && !venues?.has(dex)),
    [],
  )
  t.true(compared.length > 1_500, `${compared.length}`)
})
