/** Brackets are settled some slots after their first leg: swaps that come later change none of them, and bring none before. */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../../domain/market/order.ts'
import { SETTLING_SLOTS, WINDOW_MAX } from '../../../../domain/market/sandwich/cuts.ts'
import { detectSandwiches, type Judged } from '../../../../domain/market/sandwich/detect.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../../support/seed.ts'

const SEED = requestedSeed() ?? freshSeed()
const MARKETS = sizeOf({ daily: 60, long: 2_000 })
const SWAPS = 40
const SOL = 1_000_000_000n
/** Slots that end a stretch in any case lie within. */
const FIRST_SLOT = 4_096 - 20

/** Few wallets and quantities in few slots, so that every pair is near others. */
function market(prng: Prng): Swap[] {
  const pool = new FormulaPool({
    ...{ sol: 500n * SOL, tokens: 10n ** 15n },
    dex: prng.chance(0.5) ? 3 : 4,
    hasPrices: prng.chance(0.5),
  })
  const wallets = 2 + prng.below(5)
  const quantities = Array.from({ length: 3 }, () => 10n ** 13n + BigInt(prng.below(10 ** 9)))
  let slot = FIRST_SLOT
  return Array.from({ length: SWAPS }, (_, n) => {
    slot += prng.chance(0.4) ? prng.below(4) : 0
    const at = { slot, blockTxIndex: n, user: trader(prng.below(wallets)) }
    const changes = { ...at, signature: signatureOf(prng.chance(0.1) ? n - 1 : n) }
    const quantity = quantities[prng.below(3)]!
    if (prng.chance(0.5)) return pool.buyExactly(quantity, changes)
    return pool.sell(quantity, changes)
  })
}

const found = (swaps: readonly Swap[], until: number): string[] =>
  detectSandwiches(
    { slots: inExecutionOrder(swaps), events: [], migratedAtMs: undefined },
    WINDOW_MAX,
  )
    .filter(({ fronts }) => fronts[0]!.swap.slot <= until)
    .map(textOf)

const textOf = ({ fronts, backs, victims, ...bracket }: Judged): string =>
  JSON.stringify(
    [
      bracket,
      [fronts, backs].map((legs) => legs.map(({ index }) => index)),
      victims.map(({ placed, loss }) => [placed.index, loss]),
    ],
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  )

test(`later swaps change no bracket that began a settling time before, by seed ${SEED}`, (t) => {
  const prng = new Prng([SEED])
  let brackets = 0
  for (let n = 0; n < MARKETS; n++) {
    const swaps = market(prng)
    const last = swaps.at(-1)!.slot
    for (let slot = FIRST_SLOT; slot <= last; slot++) {
      // The repeats of a bracket read others up to a window later.
      const until = slot - SETTLING_SLOTS + WINDOW_MAX
      const own = swaps.filter((each) => each.slot <= slot)
      const whole = found(swaps, until)
      t.deepEqual(found(own, until), whole, `market ${n}, slot ${slot}`)
      brackets += whole.length
    }
  }
  t.true(brackets > MARKETS)
})
