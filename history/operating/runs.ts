/** Seals and verifies as operators order it, and stores what came of it for them. */
import type { Log } from '../../domain/log.ts'
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { type Db, sqlCode } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { type SealedRun, type SealOrder, type SealReport, sealOld } from '../sealing/sealer.ts'

const READ_ONLY = '25006'

const beginSeal = query('history-runs/begin_seal')
const endSeal = query('history-runs/end_seal')
const countWait = query('history-runs/count_wait')
const switchOff = query('history-runs/switch_off')
const storeVerification = query('history-runs/store_verification')

/** Seals as sealOld does. `hours`: SEAL_AFTER_HOURS; undefined: it is not set. */
export async function sealAndStore(
  db: Db,
  order: SealOrder,
  hours: number | undefined,
  signal: AbortSignal,
  onSealed: (run: SealedRun, ms: number) => void,
): Promise<SealReport> {
  await beginSeal(db, [hours ?? null])
  try {
    const report = await sealOld(db, order, signal, onSealed)
    await storeEnd(db, report)
    return report
  } catch (error) {
    // The error that is thrown is the one of the seal, also where the database is away.
    await endSeal(db, ['failed', null, String(error)]).catch(() => {})
    throw error
  }
}

/** A run that was stopped is not stored: the next one continues it. */
async function storeEnd(db: Db, { waits }: SealReport): Promise<void> {
  if (waits === undefined) await endSeal(db, ['done', null, null])
  else if (waits.cause !== 'stopping') {
    await countWait(db, [waits.cause])
    await endSeal(db, ['waits', waits.cause, waits.reason])
  }
}

/** Seals chunks whose swaps are all older than so many hours; undefined: sealing is switched off. */
export async function sealAged(
  db: Db,
  log: Log,
  hours: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (hours === undefined) {
    await switchOff(db)
    return
  }
  const beforeMs = Date.now() - hours * HOUR_MS
  const order = { beforeMs, toSlot: Number.MAX_SAFE_INTEGER, partsOfChunks: false }
  const logRun = ({ low, high, rows, bytes }: SealedRun, ms: number): void => {
    const figures = { rows, bytesPerSwap: Math.round(bytes / rows), durationMs: Math.round(ms) }
    log.info({ fromSlot: low, toSlot: high, ...figures }, 'sealed swaps')
  }
  const { runs, waits } = await sealAndStore(db, order, hours, signal, logRun)
  if (waits !== undefined) log.debug({ runs, reason: waits.reason }, 'postponed sealing')
}

/** Stores what a verification found, except on a standby. `reason`: the first damage. */
export async function storeVerified(
  db: Queryable,
  { segments, damaged, reason }: { segments: number; damaged: number; reason: string | undefined },
): Promise<void> {
  const outcome = damaged === 0 ? 'whole' : 'damaged'
  try {
    await storeVerification(db, [outcome, reason ?? null, segments, damaged])
  } catch (error) {
    if (sqlCode(error) !== READ_ONLY) throw error
  }
}
