/**
 * The raw limit: binary COPY of the pipeline's rows into the pipeline's tables with all their indexes, rows
 * encoded beforehand, over one, two and four connections. No other work is done, so this is the capacity of PostgreSQL
 * on this machine. The pipeline is compared with one connection, like a manual COPY; the others are reported beside it,
 * because they fill both cores with COPY alone.
 */
import type { Db } from '../../sql/db.ts'
import { copySwaps, encodeSignatureRows, encodeSwapRows } from '../../workers/pool/write/copy.ts'
import { SignatureRows } from '../../workers/pool/write/signature-rows.ts'
import { marketEvents, marketRows } from '../market/market.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, type Sample, sharedClockMs } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'

/** Rows a COPY and commit: more do not make it faster. */
const ROWS_A_COPY = 10_000
const CONNECTIONS = [1, 2, 4] as const

type Part = { swapRows: Buffer; signatureRows: Buffer }

export const copyFigure = (connections: number): string =>
  `raw binary COPY, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
export const COPY_FIGURES: readonly string[] = CONNECTIONS.map(copyFigure)

export const copy: Measurement = {
  name: 'copy',
  needsStack: true,
  figures: COPY_FIGURES.map((figure) => ({ figure, unit: 'swaps/s' })),
  async round(context) {
    const parts = encodedParts(context.swaps)
    const samples: Sample[] = []
    for (const connections of CONNECTIONS) samples.push(await run(context, parts, connections))
    return samples
  },
}

function encodedParts(swaps: number): Part[] {
  const { accepted, walletIds } = marketRows(marketEvents(swaps))
  const parts: Part[] = []
  const signatures = new SignatureRows()
  for (let at = 0; at < accepted.length; at += ROWS_A_COPY) {
    const rows = accepted.slice(at, at + ROWS_A_COPY)
    const swapRows = encodeSwapRows(rows, walletIds)
    parts.push({ swapRows, signatureRows: encodeSignatureRows(rows, signatures) })
  }
  return parts
}

function run({ stack, stages, swaps }: BenchContext, parts: readonly Part[], connections: number) {
  return stages.use(async ({ db }): Promise<Sample> => {
    const meter = startMeter({ PostgreSQL: stack.servers.postgres.pid, client: 0 })
    const fromMs = sharedClockMs()
    // A free connection takes the next part, so rows arrive about in their order.
    const queue = parts.values()
    await Promise.all(Array.from({ length: connections }, () => copyAll(db, queue)))
    const seconds = (sharedClockMs() - fromMs) / 1000
    const cpu = meter.perSwap(swaps)
    const { rows } = await db.query<{ swaps: number }>('select count(*) as swaps from swap')
    expectEqual('rows in swap', rows[0]?.swaps ?? 0, swaps)
    return { figure: copyFigure(connections), value: swaps / seconds, cpu }
  })
}

async function copyAll(db: Db, queue: Iterator<Part>): Promise<void> {
  const connection = await db.connect()
  try {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      await connection.query('begin')
      await copySwaps(connection, next.value.swapRows, next.value.signatureRows)
      await connection.query('commit')
    }
  } finally {
    connection.release()
  }
}
