// A random market whose trades lie at the edges of windows, ranked, with the model of it.

import type { Event } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import type { Token } from '../../../../domain/events/token.ts'
import type { DexId } from '../../../../domain/venue.ts'
import type { Db } from '../../../../sql/db.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { type Model, modelOf } from '../../../simulation/model.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { refreshOnce } from '../../../support/ranking/refresh.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const MINUTE = 60_000
const TOKENS = 12
const SWAPS = 900

/** Minutes before the newest: at and next to the edges of every window and of the one before it. */
const AGES = [
  0, 0, 0, 1, 2, 4, 5, 9, 10, 14, 15, 29, 30, 59, 60, 119, 120, 239, 240, 359, 360, 479, 480, 719,
  720, 1_439, 1_440, 2_879, 2_880, 3_000,
]

/** Stores and ranks it. Token 0 fell by 95 %, 1 trades in dust only, 2 began in the newest minute. */
export async function rankedMarket(db: Db): Promise<{ model: Model; swaps: Swap[] }> {
  const prng = new Prng([20_260_720, 5])
  const one = <Value>(values: readonly Value[]): Value => values[prng.below(values.length)]!
  const swaps = Array.from({ length: SWAPS }, (_, n): Swap => {
    const token = n % TOKENS
    const age = token === 2 ? 0 : one(AGES)
    const pool = token * 3 + one([0, 0, 1, 2])
    return sampleSwap({
      signature: signatureOf(n),
      slot: 1_000_000 - age * 150 - prng.below(100),
      ixIndex: prng.below(3),
      timestamp: NEWEST_MS - age * MINUTE - prng.below(31_000),
      tokenAddress: mint(token),
      pairAddress: pair(pool),
      dex: (1 + (pool % 10)) as DexId,
      user: trader(prng.below(30)),
      solAmount: token === 1 ? 9_999 : one([9_999, 20_000, 30_000_000, 4_000_000_000]),
      tokenAmount: token === 0 ? 70_000 * (3_100 - age) ** 2 : one([9_999, 70_001, 2n ** 40n]),
      quoteDecimals: 6,
      realSolReserves: 1_000_000_000 + 7 * n,
      agentTrade: one([0, 0, 0, 0, 2]),
      isBuy: prng.chance(0.55),
    })
  })
  const newest = sampleSwap({
    signature: signatureOf(9_999),
    slot: 1_000_100,
    timestamp: NEWEST_MS,
    tokenAddress: mint(3),
    pairAddress: pair(9),
    dex: 10,
    user: trader(1),
    quoteDecimals: 6,
  })
  const all = [...swaps, newest]
  const tokens = [3, 4, 5, 6].map(
    (n): Token => ({
      tokenAddress: mint(n),
      slot: 1,
      creator: trader(n),
      ...(n < 6 ? { sector: n < 5 ? 'meme' : 'game' } : {}),
    }),
  )
  await insertSwaps(db, all, { hasPrices: true })
  for (const { tokenAddress, creator, sector } of tokens) {
    await db.query('update token set creator = $2, sector = $3 where address = $1', [
      tokenAddress,
      creator,
      sector ?? null,
    ])
  }
  await insertLedger(db, [])
  await refreshOnce(db)
  const events: Event[] = [
    ...all.map((swap): Event => ({ kind: 'swap', swap })),
    ...tokens.map((token): Event => ({ kind: 'token', token })),
  ]
  return { model: modelOf(events), swaps: all }
}
