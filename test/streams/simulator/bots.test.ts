/** The bots of the simulated market, and that the analyses of sandwiches and of copied wallets find them. */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { ordersOf } from '../../../domain/market/copy/order.ts'
import { CopyRun } from '../../../domain/market/copy/run.ts'
import { COPY_DEFAULTS, type CopySettings } from '../../../domain/market/copy/settings.ts'
import { copyTotals } from '../../../domain/market/copy/totals.ts'
import { inExecutionOrder } from '../../../domain/market/order.ts'
import { WINDOW_MAX } from '../../../domain/market/sandwich/cuts.ts'
import { detectSandwiches, type Judged } from '../../../domain/market/sandwich/detect.ts'
import type { BotAct } from '../../../streams/simulator/bots.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { copiedPools } from '../../support/market/copied-pools.ts'

const acts: BotAct[] = []
/** The slots of about ten minutes of a demo market. */
const OPTIONS = { seed: 5, swaps: 60_000, fromMs: Date.UTC(2026, 8, 1), swapsPerSlot: 40 }
const EVENTS = [...simulate({ ...OPTIONS, bots: { onAct: (act) => acts.push(act) } })]
const SWAPS = EVENTS.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
const COPIED_LAMPORTS = 50_000_000n

const legsKey = (front: string | undefined, back: string | undefined): string => `${front} ${back}`
const keyOf = ({ fronts, backs }: Judged): string =>
  legsKey(fronts[0]?.swap.signature, backs.at(-1)?.swap.signature)

function foundSandwiches(): Judged[] {
  const changes = EVENTS.flatMap((event) => (event.kind === 'pool_event' ? [event.poolEvent] : []))
  return [...Map.groupBy(SWAPS, ({ pairAddress }) => pairAddress)].flatMap(([pair, own]) => {
    const events = changes.filter(({ pairAddress }) => pairAddress === pair)
    const migratedAtMs = events.find(({ event }) => event === 'migrated')?.timestamp
    const pool = { slots: inExecutionOrder(own), events, migratedAtMs }
    return detectSandwiches(pool, WINDOW_MAX).filter(({ ruling }) => ruling === 'sandwich')
  })
}

test('bots leave the crowd as it is without them until the first of them acts', (t) => {
  const without = [...simulate({ ...OPTIONS, swaps: 20 })]
  t.deepEqual(without, EVENTS.slice(0, without.length))
  const again = [...simulate({ ...OPTIONS, swaps: 500, bots: {} })]
  t.deepEqual(again, EVENTS.slice(0, again.length))
})

test('a curve in which bots trade migrates once', (t) => {
  const from = EVENTS.flatMap((event) =>
    event.kind === 'pool_event' && event.poolEvent.event === 'migrated'
      ? [event.poolEvent.fromPair]
      : [],
  )
  t.true(from.length > 5)
  t.is(new Set(from).size, from.length)
})

test('sandwiches of the bots are found, and few of others', (t) => {
  const truth = new Map(
    acts.flatMap((act) =>
      act.kind === 'sandwich' ? [[legsKey(act.front, act.back), act.victim] as const] : [],
    ),
  )
  t.true(truth.size > 300)
  const found = foundSandwiches()
  const right = found.filter((each) => truth.has(keyOf(each)))
  for (const each of right) {
    const victims = each.victims.map(({ placed }) => placed.swap.signature)
    t.true(victims.includes(truth.get(keyOf(each)) ?? ''))
  }
  const narrow = found.filter(({ width }) => width !== 'wide')
  const recall = right.length / truth.size
  const precision = narrow.filter((each) => truth.has(keyOf(each))).length / narrow.length
  t.log({ attacks: truth.size, recall, precisionInOneSlot: precision })
  t.true(recall > 0.96)
  t.true(precision > 0.95)
})

test('volume bots are no sandwiches but where a trade that their pair gained from fell between', (t) => {
  const volume = new Set(
    acts.flatMap((act) => (act.kind === 'volume' ? [legsKey(act.front, act.back)] : [])),
  )
  t.true(volume.size > 150)
  const flagged = foundSandwiches().filter((each) => volume.has(keyOf(each)))
  t.true(flagged.length < 0.05 * volume.size)
})

test('early buyers are worth copying a slot later, and busy traders are not', (t) => {
  const early = new Set(acts.flatMap((act) => (act.kind === 'entry' ? [act.wallet] : [])))
  t.true(early.size > 4)
  const bots = new Set(botWallets())
  const byTrader = Map.groupBy(SWAPS, ({ user }) => user)
  const busy = [...byTrader]
    .filter(([user]) => !early.has(user) && !bots.has(user))
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, early.size)
    .map(([user]) => user)
  const [copiedEarly, copiedBusy] = [copied([...early]), copied(busy)]
  t.log({ early: copiedEarly, busy: copiedBusy })
  t.true(copiedEarly > 0)
  t.true(copiedEarly > copiedBusy)
})

function botWallets(): string[] {
  const legs = new Set(acts.flatMap((act) => ('front' in act ? [act.front, act.back] : [])))
  return SWAPS.flatMap(({ signature, user }) => (legs.has(signature) ? [user] : []))
}

/** Profit of copies by the spent lamports. */
function copied(leaders: readonly string[]): number {
  const settings: CopySettings = {
    ...{ ...COPY_DEFAULTS, fromSlot: 0, toSlot: SWAPS.at(-1)?.slot ?? 0 },
    ...{ size: { lamports: COPIED_LAMPORTS }, delaySlots: 1, slippageBps: 3_000n },
  }
  const history: Swap[] = SWAPS.filter(({ user }) => leaders.includes(user))
  const run = new CopyRun(copiedPools(SWAPS), settings)
  const trades = ordersOf(history, settings.fromSlot, settings.toSlot).map((each) => run.take(each))
  const { pnl, spent } = copyTotals(run, trades)
  return Number(pnl.low) / Number(spent)
}
