/**
 * Verifies days one by one, each in a snapshot of its own. Results may be stored, so that a run which ended anywhere is
 * continued by the next one, and several processes share the days.
 *
 * Law: a day is claimed by one session at a time, by an advisory lock that ends with the session. A stored result counts where
 * nothing differed, while the day's swaps are those that it was made of and the program is of the same version.
 */
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { storedSince } from '../../../history/sealed/find/stored.ts'
import { type Connection, connectSession, cutOff, type Db } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import type { TableReport } from '../comparison.ts'
import { type DaySum, sumDay, verifyDay } from './day.ts'

/** The result of a day; `version` is that of the program. */
export type DayResult = DaySum & {
  readonly version: string
  /** `2026-11-01`, UTC. */
  readonly day: string
  /** Unix ms of the verification. */
  readonly verifiedMs: number
  readonly tables: readonly TableReport[]
}
/** Where results are stored between runs. */
export type DayStore = {
  read(day: string): Promise<DayResult | undefined>
  write(result: DayResult): Promise<void>
}
type DaysWanted = {
  /** Days that overlap these times are verified, Unix ms, inclusive. */
  readonly fromMs: number
  readonly toMs: number
  readonly version: string
  readonly now: () => number
  /** Absent: every day is verified. */
  readonly store: DayStore | undefined
  readonly signal: AbortSignal
  /** `isKnown`: by a stored result. */
  readonly onDay: (result: DayResult, isKnown: boolean) => void
}

const readBounds = query<{ first_ms: number | null; last_ms: number | null }>('verify/read_bounds')
const lockDay = query('verify/lock_day')
const tryLockDay = query<{ is_taken: boolean }>('verify/try_lock_day')
const unlockDay = query('verify/unlock_day')

const isSame = (a: DaySum, b: DaySum): boolean =>
  a.swaps === b.swaps && a.contentHash === b.contentHash
export const isEqual = ({ tables }: DayResult): boolean => tables.every(({ equal }) => equal)

/** Results in the order of days. Rejects with the signal's reason when it was aborted. */
export async function verifyDays(db: Db, wanted: DaysWanted): Promise<DayResult[]> {
  const { signal } = wanted
  const connection = await connectSession(db)
  const onAbort = () => cutOff(connection)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    const days = await daysOf(connection, wanted)
    const results = new Map<number, DayResult>()
    // Days that others have claimed come last: each is waited for, and verified here if they did not.
    for (const isPatient of [false, true]) {
      for (const day of days) {
        if (results.has(day) || !(await claim(connection, day, isPatient))) continue
        results.set(day, await resultOf(connection, day, wanted))
        await unlockDay(connection, [day])
      }
    }
    return days.map((day) => results.get(day)!)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Ends the session, and with it its claim.
    if (!signal.aborted) connection.release(true)
  }
}

async function claim(connection: Connection, day: number, isPatient: boolean): Promise<boolean> {
  if (isPatient) {
    await lockDay(connection, [day])
    return true
  }
  return (await tryLockDay(connection, [day]))[0]?.is_taken === true
}

/** The first Unix ms of the days whose swaps are all stored; 0 where none was dropped. */
export async function heldFromMs(db: Queryable): Promise<number> {
  return Math.ceil(((await storedSince(db))?.ms ?? 0) / DAY_MS) * DAY_MS
}

/** Days since 1970 that have or may have swaps, of which none was dropped. */
async function daysOf(connection: Connection, { fromMs, toMs }: DaysWanted): Promise<number[]> {
  const [bounds] = await readBounds(connection)
  const heldMs = await heldFromMs(connection)
  const { first_ms: first, last_ms: last } = bounds ?? { first_ms: null, last_ms: null }
  if (first === null || last === null) return []
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS)
  const days: number[] = []
  for (
    let day = dayOf(Math.max(first, fromMs, heldMs));
    day <= dayOf(Math.min(last, toMs));
    day++
  ) {
    days.push(day)
  }
  return days
}

function resultOf(connection: Connection, day: number, wanted: DaysWanted): Promise<DayResult> {
  const { version, now, store, onDay } = wanted
  const fromMs = day * DAY_MS
  const name = new Date(fromMs).toISOString().slice(0, 10)
  return inSnapshot(connection, async () => {
    const sum = await sumDay(connection, fromMs)
    const known = await store?.read(name)
    // A day that differed may have been repaired since.
    if (known?.version === version && isSame(known, sum) && isEqual(known)) {
      onDay(known, true)
      return known
    }
    const verifiedMs = now()
    const tables = await verifyDay(connection, fromMs, sum)
    const result = { version, day: name, verifiedMs, ...sum, tables }
    await store?.write(result)
    onDay(result, false)
    return result
  })
}
