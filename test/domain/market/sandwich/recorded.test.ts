/** Sandwiches in the recorded swaps of `test/data/`: one with its losses to the lamport, and a block without one. */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../../domain/market/order.ts'
import { backRunsOf } from '../../../../domain/market/sandwich/backrun.ts'
import { detectSandwiches, type Judged } from '../../../../domain/market/sandwich/detect.ts'
import { decodeChainFile } from '../../../support/chain/real-chain.ts'
import { LAUNCHES } from '../../../support/market/launches.ts'

const BLOCK = decodeChainFile('block_285000037.json.gz').events.flatMap((event) =>
  event.kind === 'swap' ? [event.swap] : [],
)

function detect(swaps: readonly Swap[], window: number): Judged[] {
  return [...Map.groupBy(swaps, ({ pairAddress }) => pairAddress).values()].flatMap((own) =>
    detectSandwiches({ slots: inExecutionOrder(own), events: [], migratedAtMs: undefined }, window),
  )
}

const sandwichesOf = (swaps: readonly Swap[], window: number) =>
  detect(swaps, window).filter(({ ruling }) => ruling === 'sandwich')

test('the only sandwich of one slot among the recorded launches, to the lamport', (t) => {
  const [sandwich, ...others] = sandwichesOf(LAUNCHES, 0)
  t.deepEqual(others, [])
  t.like(sandwich, { ruling: 'sandwich', link: 'wallet', width: 'slot', profit: 206_438_020n })
  t.true(sandwich?.fronts[0]?.swap.signature.startsWith('CCnD5NXV'))
  t.true(sandwich?.backs[0]?.swap.signature.startsWith('3jzN1g1R'))
  const losses = sandwich?.victims.map(({ loss }) => loss) ?? []
  t.true(losses.every((loss) => loss?.basis === 'exact' && loss.low === loss.high))
  t.deepEqual(
    losses.map((loss) => loss?.low),
    [33_361_840n, 34_725_604n, 38_192_316n, 811_674n, 167_852_208n, 50_666_920n],
  )
  t.is(sandwich?.gainOfOthers, 81_145_863n)
})

test('a window of four slots adds four, and takes none away', (t) => {
  const all = sandwichesOf(LAUNCHES, 4)
  t.is(all.length, 5)
  t.is(all.filter(({ width }) => width === 'wide').length, 4)
  t.is(sandwichesOf(LAUNCHES, 8).length, 20)
})

test('a block of a volume bot has ten brackets without profit, no sandwich and no back-run', (t) => {
  for (const window of [0, 4]) {
    const refused = detect(BLOCK, window)
    t.is(refused.length, 10)
    t.true(refused.every(({ ruling }) => ruling === 'unprofitable'))
    const profits = refused.map(({ profit }) => Number(profit))
    t.is(Math.max(...profits), -42_796)
    t.is(Math.min(...profits), -247_810)
    t.is(
      refused.reduce((sum, { victims }) => sum + victims.length, 0),
      86,
    )
  }
  const slots = new Map(
    [...Map.groupBy(BLOCK, ({ pairAddress }) => pairAddress)].map(([pair, own]) => [
      pair,
      inExecutionOrder(own)[0],
    ]),
  )
  const transactions = Map.groupBy(BLOCK, ({ signature }) => signature).values()
  const backRuns = [...transactions].flatMap((own) =>
    backRunsOf(own, ({ pairAddress }) => slots.get(pairAddress)),
  )
  t.deepEqual(backRuns, [])
})
