/**
 * Copy back-tests as `swaptide backtest copy` and the jobs compute them, from the question to the hash of the result: 20 leaders in 100
 * pools, each of whose swaps is followed by one of another wallet. Every order is priced exactly.
 */
import { findCopies } from '../../api/resources/backtest/copy.ts'
import { JOB_LIMITS } from '../../api/resources/backtest/limits.ts'
import { type ChosenRequest, copyBody } from '../../api/resources/backtest/schema.ts'
import { CoverageGaps } from '../../api/resources/coverage/gaps.ts'
import { bodyParserOf } from '../../api/routing/body.ts'
import { type Db, onConnection } from '../../sql/db.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, type Sample, sharedClockMs } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { FormulaPool, insertSwaps, trader } from '../test-support.ts'

const POOLS = 100
const ORDERS_A_POOL = 1_000
const LEADERS = Array.from({ length: 20 }, (_, leader) => trader(1_000 + leader))
const RESERVES = { sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n }
const LAMPORTS = 500_000_000n
const FIRST_SLOT = 1_000

const FEW = 'copy back-test, 2,000 orders'
const ALL = 'copy back-test, 100,000 orders'
const QUESTIONS = [
  { figure: FEW, orders: 2_000 },
  { figure: ALL, orders: POOLS * ORDERS_A_POOL },
]

export const backtest: Measurement = {
  name: 'backtest',
  figures: [
    { figure: FEW, unit: 's', digits: 2, goal: '<= 2' },
    { figure: ALL, unit: 's', digits: 1, goal: '<= 60' },
  ],
  round: ({ stages, stack }) =>
    stages.use(async ({ db }) => {
      for (let pool = 0; pool < POOLS; pool++) await insertSwaps(db, swapsOf(pool))
      await db.query('vacuum analyze')
      const samples: Sample[] = []
      for (const { figure, orders } of QUESTIONS) {
        const meter = startMeter({ PostgreSQL: stack.servers.postgres.pid })
        const fromMs = sharedClockMs()
        await answerOrders(db, orders)
        const value = (sharedClockMs() - fromMs) / 1_000
        samples.push({ figure, value, cpu: meter.perSwap(orders) })
      }
      return samples
    }),
}

/** Each leader buys, and sells all of it at its next turn. */
function swapsOf(number: number) {
  const pool = new FormulaPool({ ...RESERVES, pair: number })
  const held = new Map<string, bigint>()
  let isUp = false
  return Array.from({ length: 2 * ORDERS_A_POOL }, (_, step) => {
    const user = LEADERS[(step >> 1) % LEADERS.length]!
    if (step % 2 === 1) {
      isUp = !isUp
      return isUp ? pool.buy(LAMPORTS) : pool.sell(RESERVES.tokens / 4_000n)
    }
    const own = held.get(user)
    const swap = own === undefined ? pool.buy(LAMPORTS, { user }) : pool.sell(own, { user })
    if (own === undefined) held.set(user, BigInt(swap.tokenAmount))
    else held.delete(user)
    return swap
  })
}

/** The first so many orders of the leaders. */
async function answerOrders(db: Db, orders: number): Promise<void> {
  const request = bodyParserOf(copyBody)({
    ...{ wallets: LEADERS, from_slot: FIRST_SLOT, size_lamports: 100_000_000, trades: false },
    to_slot: FIRST_SLOT + (2 * orders) / POOLS - 1,
  }) as ChosenRequest
  const { findings, count } = await findCopies(request, {
    near: (work) => onConnection(db, work),
    ...{ gaps: new CoverageGaps(), limits: JOB_LIMITS, signal: new AbortController().signal },
  })
  expectEqual('orders', count, orders)
  const made = findings.runs[0]?.priced
  expectEqual('orders without a price', Number(made?.unpriced) + Number(made?.bounded), 0)
}
