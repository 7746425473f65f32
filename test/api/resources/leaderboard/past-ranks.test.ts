// Ranks as of a slot equal those of the naive model over the swaps up to it, whether the swaps are sealed or not.

import test from 'ava'
import { readPastRanks } from '../../../../api/resources/leaderboard/past/ranks.ts'
import { LEADERBOARD_PERIODS } from '../../../../domain/wallet/leaderboard.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { onConnection } from '../../../../sql/db.ts'
import { inSnapshot } from '../../../../sql/snapshot.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { ranksOf } from '../../../simulation/models/leaderboard-model.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { sealSome } from '../../../support/history/seal-some.ts'
import { freshSeed, requestedSeed } from '../../../support/seed.ts'
import { randomTransactions } from './random-transactions.ts'

const SEED = requestedSeed() ?? freshSeed()
const DAYS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 }
const SLOTS = 6

const under = apiForFile()

test(`ranks as of a slot equal the naive model of the swaps up to it, by seed ${SEED}`, async (t) => {
  const { db } = under()
  const prng = new Prng([SEED])
  const swaps = randomTransactions(prng, { count: 700, skewMs: prng.chance(0.5) ? 1 : 7_200_000 })
  await insertLedger(db, swaps)
  const slots = swaps.map(({ slot }) => slot).sort((a, b) => a - b)
  const random = Array.from(
    { length: SLOTS },
    () => slots[prng.below(slots.length)]! - prng.below(2),
  )
  const chosen = [slots.at(-1)!, slots.at(-1)! - 1, slots[0]!, ...random]
  let [compared, left] = [0, 0]
  for (const [index, slot] of chosen.entries()) {
    if (index === chosen.length / 3) await sealSome(db, prng)
    const known = swaps.filter((swap) => swap.slot <= slot)
    if (known.length === 0) continue
    const latestMs = Math.max(...known.map(({ timestamp }) => timestamp))
    for (const period of LEADERBOARD_PERIODS) {
      for (const mode of PNL_MODES) {
        for (const isHonest of [false, true]) {
          const limit = prng.chance(0.2) ? 1 + prng.below(10) : 1_000
          const ranks = await onConnection(db, (connection) =>
            inSnapshot(connection, () =>
              readPastRanks(connection, { slot, latestMs }, { period, mode, isHonest, limit }),
            ),
          )
          const expected = ranksOf(known, { days: DAYS[period], mode, isHonest })
          t.deepEqual(
            ranks.map((row) => ({ ...row, realized: BigInt(row.realized) })),
            expected.slice(0, limit).map(({ win_rate: _, ...rank }, at) => ({
              ...rank,
              win_count: ranks[at]!.win_count,
            })),
            `slot ${slot}, ${period}, ${mode}, ${isHonest} (again: SIMULATION_SEED=${SEED})`,
          )
          for (const [at, { covered_sell_count: sells, win_count: wins }] of ranks.entries()) {
            t.is(sells === 0 ? 0 : wins / sells, expected[at]!.win_rate)
          }
          compared += ranks.length
          if (isHonest)
            left +=
              ranksOf(known, { days: DAYS[period], mode, isHonest: false }).length - expected.length
        }
      }
    }
  }
  t.true(compared > 1_000)
  t.true(left > 0)
})
