/**
 * The report of `up --live` on its source, printed once the first slots of the chain are stored, with the slot that answers state as
 * `complete_since`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { completeSince } from '../../domain/coverage.ts'
import { listSources } from '../../sql/chain/sources.ts'
import { listCoverage } from '../../sql/coverage.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { counted, duration } from '../cli/format.ts'

const LOOK_MS = 1_000
const findHighestSlot = query<{ slot: number | null }>('status/find_highest_slot')

/** Throws an Error where the database holds swaps that no source of chain data has read: their slots are not those of the chain. */
export async function refuseSimulated(db: Db, home: string): Promise<void> {
  const [highest] = await findHighestSlot(db)
  if ((highest?.slot ?? null) === null || (await listCoverage(db)).length > 0) return
  throw new Error(
    `"${home}" holds swaps that were not read from the chain, such as those of a simulated market: ` +
      'set SWAPTIDE_HOME to a new folder for --live',
  )
}

/** Resolves after the report, or at an abort. A database that is away is looked at again. */
export async function reportLive(
  db: Db,
  host: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const text = await liveText(db, host).catch(() => undefined)
    if (text !== undefined && !signal.aborted) {
      say(text)
      return
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

/** `reading slot 398202821 of portal.sqd.dev, 2 slots and 1.3 s late; figures are complete from slot 398202700 on` */
async function liveText(db: Db, host: string): Promise<string | undefined> {
  const source = (await listSources(db)).findLast((each) => each.to_slot === null)
  if (source === undefined || source.cursor_slot === null) return undefined
  const { cursor_slot: slot, lag_slots: lagSlots, lag_ms: lagMs } = source
  const from = completeSince(await listCoverage(db))
  if (from === undefined) return undefined
  const late = [
    ...(lagSlots === null ? [] : [counted(lagSlots, 'slot')]),
    ...(lagMs === null ? [] : [duration(lagMs)]),
  ].join(' and ')
  return `reading slot ${slot} of ${host}, ${late} late; figures are complete from slot ${from} on`
}
