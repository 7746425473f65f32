/** Back-runs of generated markets, compared with the rule of docs/semantics.md#sandwiches read swap by swap. */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../../domain/market/order.ts'
import { backRunsOf } from '../../../../domain/market/sandwich/backrun.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { modelProfit } from '../../../support/market/model/brackets.ts'
import { madeMarket } from '../../../support/market/model/market.ts'
import { type ModelPool, slotsOf } from '../../../support/market/model/slots.ts'
import { mint, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../../support/seed.ts'

const SEED = requestedSeed() ?? freshSeed()
const SEEDS = Array.from({ length: sizeOf({ daily: 300, long: 10_000 }) }, (_, n) => SEED + n)

type Pools = ReadonlyMap<string, ModelPool>
const poolOf = (swap: Swap, pools: Pools): ModelPool =>
  pools.get(`${swap.pairAddress} ${swap.tokenAddress}`)!

const nameOf = (leg: Swap, after: Swap, profit: bigint): string =>
  [leg.pairAddress, leg.isBuy, leg.solAmount, leg.tokenAmount, after.signature, profit].join(' ')

function modelRuns(transaction: readonly Swap[], pools: Pools): string[] {
  return transaction.flatMap((leg) => {
    const own = transaction.filter(
      ({ user, tokenAddress }) => user === leg.user && tokenAddress === leg.tokenAddress,
    )
    if (own.every(({ pairAddress }) => pairAddress === leg.pairAddress)) return []
    const profit = modelProfit(
      own.filter(({ isBuy }) => isBuy),
      own.filter(({ isBuy }) => !isBuy),
    )
    const slot = slotsOf(poolOf(leg, pools).swaps).find((each) => each.slot === leg.slot)
    const before = slot?.swaps[slot.swaps.indexOf(leg) - 1]
    if (profit === undefined || profit <= 0n || slot?.isOrdered !== true) return []
    const isRun = before !== undefined && before.user !== leg.user && before.isBuy !== leg.isBuy
    return isRun ? [nameOf(leg, before, profit)] : []
  })
}

function foundRuns(transaction: readonly Swap[], pools: Pools): string[] {
  const slotOf = (swap: Swap) =>
    inExecutionOrder(poolOf(swap, pools).swaps).find(({ slot }) => slot === swap.slot)
  return backRunsOf(transaction, slotOf).map(({ leg, after, profit }) => nameOf(leg, after, profit))
}

test(`back-runs are those of the model (from seed ${SEED})`, (t) => {
  for (const seed of SEEDS) {
    const { swaps, pools } = madeMarket(seed, { steps: 80, wallets: 5 })
    for (const transaction of Map.groupBy(swaps, ({ signature }) => signature).values()) {
      if (transaction.length < 2) continue
      const found = foundRuns(transaction, pools)
      t.deepEqual(found.sort(), modelRuns(transaction, pools).sort(), `seed ${seed}`)
    }
  }
})

test('without indexes only the leg that follows the swap is a back-run', (t) => {
  const reserves = { sol: 10n ** 12n, tokens: 10n ** 15n }
  const [dear, cheap] = [70, 71].map((pair) => new FormulaPool({ ...reserves, dex: 3, pair }))
  const at = { slot: 5, tokenAddress: mint(7), blockTxIndex: 0, ixIndex: 0 }
  const pushed = dear!.buy(50n * 10n ** 9n, { ...at, signature: signatureOf(1), user: trader(1) })
  const own = { ...at, signature: signatureOf(2), user: trader(2) }
  const bought = cheap!.buy(20n * 10n ** 9n, own)
  const half = BigInt(bought.tokenAmount) / 2n
  const sold = [half, half].map((tokens) => dear!.sell(tokens, own))
  const ofPool = (swaps: Swap[]): ModelPool => ({
    ...{ swaps, events: [], migratedAtMs: undefined, closed: undefined, gaps: [] },
  })
  const pools = new Map([
    [`${pushed.pairAddress} ${mint(7)}`, ofPool([pushed, ...sold])],
    [`${bought.pairAddress} ${mint(7)}`, ofPool([bought])],
  ])
  const found = foundRuns([bought, ...sold], pools)
  t.deepEqual(found, modelRuns([bought, ...sold], pools))
  t.is(found.length, 1)
})
