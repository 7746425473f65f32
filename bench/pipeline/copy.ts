/**
 * The raw limit: binary COPY of the pipeline's rows into the pipeline's tables with all their indexes, rows encoded
 * beforehand, over one connection, like a manual COPY. No other work is done, so this is the capacity of a backend of
 * PostgreSQL on this machine. It has no goal: the pipeline alongside it is compared between machines.
 */
import type { Db } from '../../sql/db.ts'
import { copySwaps, encodeSignatureRows, encodeSwapRows } from '../../workers/pool/write/copy.ts'
import { SignatureRows } from '../../workers/pool/write/signature-rows.ts'
import { marketEvents, marketRows } from '../market/market.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, sharedClockMs } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'

/** Rows a COPY and commit: more do not make it faster. */
const ROWS_A_COPY = 10_000

type Part = { swapRows: Buffer; signatureRows: Buffer }

export const COPY = 'raw binary COPY, 1 connection'

export const copy: Measurement = {
  name: 'copy',
  figures: [{ figure: COPY, unit: 'swaps/s' }],
  round: ({ stack, stages, swaps }) =>
    stages.use(async ({ db }) => {
      const parts = encodedParts(swaps)
      const meter = startMeter({ PostgreSQL: stack.servers.postgres.pid, client: 0 })
      const fromMs = sharedClockMs()
      await copyAll(db, parts)
      const seconds = (sharedClockMs() - fromMs) / 1000
      const cpu = meter.perSwap(swaps)
      const { rows } = await db.query<{ swaps: number }>('select count(*) as swaps from swap')
      expectEqual('rows in swap', rows[0]?.swaps ?? 0, swaps)
      return [{ figure: COPY, value: swaps / seconds, cpu }]
    }),
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

async function copyAll(db: Db, parts: readonly Part[]): Promise<void> {
  const connection = await db.connect()
  try {
    for (const { swapRows, signatureRows } of parts) {
      await connection.query('begin')
      await copySwaps(connection, swapRows, signatureRows)
      await connection.query('commit')
    }
  } finally {
    connection.release()
  }
}
