/** GET /swaps/{signature} over one keep-alive connection, one request after the other, without other load. */

import { marketEvents } from '../market/market.ts'
import { type ProgramCpu, startMeter } from '../measure/cpu.ts'
import { expectEqual, quantile, sharedClockMs } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { order, startWorkerProgram } from '../publisher.ts'
import { startRest } from '../rest-client.ts'
import type { Stage } from '../stage.ts'

const LOOK_UPS = 2_000
/** About so many swaps are stored. */
const STORED_SWAPS = 60_000
const WARM_UP_LOOK_UPS = 500
/** A prime far from the market's rhythms: the swaps looked up lie all over it. */
const STRIDE = 7_919
const P50 = 'GET /swaps/{signature}, p50'
const P99 = 'GET /swaps/{signature}, p99'

export const lookUp: Measurement = {
  name: 'look-up',
  figures: [
    { figure: P50, unit: 'ms', digits: 2 },
    { figure: P99, unit: 'ms', digits: 2, goal: '<= 10' },
  ],
  async round(context) {
    const publisher = await context.publisher()
    const stored = Math.min(STORED_SWAPS, publisher.swaps)
    const signatures = marketEvents(stored).flatMap((event) =>
      event.kind === 'swap' ? [event.swap.signature] : [],
    )
    return context.stages.use(async (stage) => {
      const worker = await startWorkerProgram(stage, [])
      const { events } = await order(publisher, stage, { run: 'bench', swaps: STORED_SWAPS })
      const done = worker.receive('done')
      worker.send({ kind: 'expect', events: { pool: events } })
      await done
      await worker.stop()
      await stage.db.query('vacuum analyze')
      const { p50Ms, p99Ms, cpu } = await lookUpAll(context, stage, signatures)
      return [
        { figure: P50, value: p50Ms, cpu },
        { figure: P99, value: p99Ms },
      ]
    })
  },
}

export type LookUps = { p50Ms: number; p99Ms: number; cpu: ProgramCpu }

/** Looks up signatures spread over the given ones; each must exist. */
export async function lookUpAll(
  context: Pick<BenchContext, 'stack' | 'workerFlags'>,
  stage: Stage,
  signatures: readonly string[],
): Promise<LookUps> {
  const rest = await startRest(stage, context.workerFlags)
  try {
    const took: number[] = []
    let meter = startMeter({})
    for (let count = 0; count < WARM_UP_LOOK_UPS + LOOK_UPS; count++) {
      if (count === WARM_UP_LOOK_UPS) {
        meter = startMeter({ API: rest.pid, PostgreSQL: context.stack.servers.postgres.pid })
      }
      const fromMs = sharedClockMs()
      const status = await rest.lookUp(signatures[(count * STRIDE) % signatures.length]!)
      if (count >= WARM_UP_LOOK_UPS) took.push(sharedClockMs() - fromMs)
      expectEqual('status of GET /swaps/{signature}', status, 200)
    }
    const cpu = meter.perSwap(LOOK_UPS)
    return { p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99), cpu }
  } finally {
    await rest.stop()
  }
}
