// Four histories with the cost that remains under FIFO and average cost, computed with exact fractions, and every
// wallet of a file of real swaps against the naive model.

import { readFileSync } from 'node:fs'
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import { buy, foldAll, inOrder, sell } from '../../domain/ledger/histories.ts'
import { bothOf } from '../../domain/ledger/judge.ts'

const FOLDER = new URL('../../data/', import.meta.url)
const VECTORS = new URL('vectors/cost.json', FOLDER)
const SWAPS = new URL('venue_1_2025-09.ndjson', FOLDER)

type Trade = [side: 'buy' | 'sell', quantity: number, cash: number]
type Case = {
  name: string
  trades: Trade[]
  remaining_cost_fifo: number
  remaining_cost_average: number
  remaining_cost_fifo_exact?: number
  remaining_cost_average_exact?: number
}

/** Half of the last decimal that the vectors show. */
const BOUND = 0.000_005
/** Units of money a coin: fine enough that a floor of one unit is below the precision of the vectors. */
const UNITS = 10_000_000

test('the remaining cost equals that of exact fractions', (t) => {
  const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { cases: Case[] }
  t.is(cases.length, 4)
  for (const { name, trades, ...expected } of cases) {
    const state = foldAll(
      trades.map(([side, quantity, cash], index) =>
        (side === 'buy' ? buy : sell)(index + 1, quantity, Math.round(cash * UNITS)),
      ),
    )
    const strict = Number(state.lots.cost) / UNITS
    const average = Number(state.basis) / UNITS
    t.is(Number(strict.toFixed(2)), expected.remaining_cost_fifo, name)
    t.is(Number(average.toFixed(2)), expected.remaining_cost_average, name)
    const fifoExact = expected.remaining_cost_fifo_exact ?? strict
    t.true(Math.abs(strict - fifoExact) <= BOUND, `${name}: ${strict}`)
    const averageExact = expected.remaining_cost_average_exact ?? average
    t.true(Math.abs(average - averageExact) <= BOUND, `${name}: ${average}`)
    // A position that is sold out leaves no residue.
    if (expected.remaining_cost_fifo === 0) t.deepEqual([state.lots.cost, state.basis], [0n, 0n])
  }
})

test('every wallet of the real swaps has the figures of the naive model', (t) => {
  const swaps: Swap[] = []
  for (const line of readFileSync(SWAPS, 'utf8').trimEnd().split('\n')) {
    const parsed = parseEvent(line, Date.UTC(2026, 0, 1))
    if ('event' in parsed && parsed.event.kind === 'swap') swaps.push(parsed.event.swap)
  }
  t.is(swaps.length, 1_498)
  const wallets = Map.groupBy(inOrder(swaps), (swap) => swap.user)
  t.is(wallets.size, 396)
  for (const [wallet, own] of wallets) {
    const { folded, expected } = bothOf(own)
    t.deepEqual(folded, expected, wallet)
  }
})
