/** Quotes, copies and brackets of generated markets, compared with a second model that was written from the rules only. */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { type CopiedPool, priceAt } from '../../../domain/market/copy/fill.ts'
import { ordersOf } from '../../../domain/market/copy/order.ts'
import { CopyRun } from '../../../domain/market/copy/run.ts'
import { copyTotals } from '../../../domain/market/copy/totals.ts'
import type { Bounds } from '../../../domain/market/evidence.ts'
import { inExecutionOrder, type OrderedSlot } from '../../../domain/market/order.ts'
import { detectSandwiches } from '../../../domain/market/sandwich/detect.ts'
import { modelBrackets } from '../../support/market/model/brackets.ts'
import { CopyModel } from '../../support/market/model/copies.ts'
import { madeMarket } from '../../support/market/model/market.ts'
import { modelQuote } from '../../support/market/model/quotes.ts'
import { drawnSettings } from '../../support/market/model/settings.ts'
import type { ModelPool } from '../../support/market/model/slots.ts'
import { trader } from '../../support/market/sample-swap.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../support/seed.ts'

const SEED = requestedSeed() ?? freshSeed()
const SEEDS = Array.from({ length: sizeOf({ daily: 300, long: 20_000 }) }, (_, n) => SEED + n)
const MARKET = { steps: 50, wallets: 4 }

function copiedPool({ swaps, ...known }: ModelPool, toSlot: number): CopiedPool {
  const slots = inExecutionOrder(swaps.filter(({ slot }) => slot <= toSlot))
  const evidence = slots.map(({ slot }, n): [number, OrderedSlot[]] => {
    const gap = known.gaps.find(({ from }) => from > slot)
    return [slot, slots.slice(n + 1).filter((later) => gap === undefined || later.slot < gap.from)]
  })
  return { ...known, slots, following: new Map(evidence) }
}

const rangeOf = ({ low, high }: Bounds) => [low, high]

test(`copies are those of the model, to the unit (from seed ${SEED})`, (t) => {
  const statuses = new Set<string>()
  for (const seed of SEEDS) {
    const { swaps, pools, draw } = madeMarket(seed, MARKET)
    const leaders = new Set([0, 1, 2, 3].filter((n) => n === 0 || draw.once(2)).map(trader))
    const history = swaps.filter(({ user }) => leaders.has(user))
    if (history.length === 0) continue
    const settings = drawnSettings(
      draw,
      swaps.map(({ slot }) => slot),
    )
    const { fromSlot, toSlot } = settings
    const own = new Map([...pools].map(([name, pool]) => [name, copiedPool(pool, toSlot)]))
    const run = new CopyRun(own, settings)
    const copied = ordersOf(history, fromSlot, toSlot).map((order) => run.take(order))
    const model = new CopyModel(pools, settings).run(history)
    const shown = copied.map(({ order, status, state, lamports, tokens, fee, realized }) => ({
      ...{ copies: order.main.signature, mint: order.mint, status, fee },
      state: stateOf(state),
      ...{ lamports: rangeOf(lamports), tokens: rangeOf(tokens) },
      realized: realized && rangeOf(realized),
    }))
    for (const [n, trade] of model.trades.entries()) {
      statuses.add(trade.status)
      t.deepEqual(shown[n] as unknown, trade, `seed ${seed}, trade ${n}`)
    }
    t.is(shown.length, model.trades.length, `seed ${seed}`)
    const {
      spent,
      transactionFees: paid,
      rent,
      capitalNeeded: deepest,
      ...rest
    } = copyTotals(run, copied)
    const figures = {
      spent,
      paid,
      rent,
      deepest,
      pnl: rangeOf(rest.pnl),
      value: rangeOf(rest.value),
    }
    t.deepEqual(figures, model.figures(), `seed ${seed}`)
  }
  t.log([...statuses].sort().join(' '))
  t.true(statuses.size > 15)
})

const stateOf = (swap: Swap | undefined): string =>
  swap === undefined ? '' : `${swap.signature} ${swap.ixIndex}`

test(`quotes are those of the model, to the unit (from seed ${SEED})`, (t) => {
  const bases = new Set<string>()
  for (const seed of SEEDS) {
    const { pools, draw } = madeMarket(seed, MARKET)
    for (const pool of pools.values()) {
      const slots = pool.swaps.map(({ slot }) => slot)
      if (slots.length === 0) continue
      const [first, last] = [Math.min(...slots), Math.max(...slots)]
      const moment = { slot: first - 1 + draw.below(last - first + 3) }
      const wanted = { isBuy: draw.once(2), input: draw.size(1, draw.once(2) ? 1e4 : 1e10) }
      const { isBuy, input } = wanted
      const expected = modelQuote(pool, moment, wanted, { assumed: 10n, extra: 0n, toSlot: last })
      const trade = isBuy ? { isBuy, lamports: input } : { isBuy, tokens: input }
      const at = { pool: copiedPool(pool, last), slot: moment.slot }
      const found = priceAt(at, trade, { assumedFeeBps: 10n })
      const about = `seed ${seed}, slot ${moment.slot}`
      if ('reason' in expected || found.basis === 'none') {
        const reason: string | undefined = 'reason' in found ? found.reason : undefined
        t.is(reason, 'reason' in expected ? expected.reason : expected.basis, about)
        bases.add(`${reason}`)
        continue
      }
      const { basis, state, tokens, outside, total } = found
      const ranges = { tokens: rangeOf(tokens), outside: rangeOf(outside), total: rangeOf(total) }
      t.deepEqual({ basis, state, ...ranges } as unknown, expected, about)
      bases.add(basis)
    }
  }
  t.log([...bases].sort().join(' '))
  t.true(bases.size > 5)
})

test(`brackets are those of the model, to the unit (from seed ${SEED})`, (t) => {
  const kinds = new Set<string>()
  for (const seed of SEEDS) {
    const { pools, draw } = madeMarket(seed, { steps: 60, wallets: 4 + (seed % 3) * 8 })
    const window = draw.pick([0, 1, 4, 4])
    for (const pool of pools.values()) {
      const { events, migratedAtMs } = pool
      const slots = inExecutionOrder(pool.swaps)
      const found = detectSandwiches({ slots, events, migratedAtMs }, window)
      const shown = found.map(({ ruling, link, width, fronts, backs, victims, ...each }) => ({
        ...{ ruling, link, width, profit: each.profit, gain: each.gainOfOthers },
        fronts: fronts.map(({ index }) => index),
        backs: backs.map(({ index }) => index),
        victims: victims.map(({ placed, loss }) => [placed.index, loss]),
      }))
      const expected = modelBrackets(pool, window)
      t.deepEqual(sorted(shown), sorted(expected), `seed ${seed}, window ${window}`)
      for (const { ruling, link, width, victims } of expected) {
        kinds.add([ruling, link, width, victims[0]?.[1]?.basis].join(' '))
      }
    }
  }
  t.log([...kinds].sort().join(', '))
  t.true(kinds.size > 8)
})

type Named = { link: string; fronts: number[]; backs: number[] }
const nameOf = ({ link, fronts, backs }: Named): string => `${link} ${fronts} ${backs}`
const sorted = (brackets: readonly Named[]): Named[] =>
  brackets.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
