/**
 * Requests per key lineage and calendar month (UTC), and the number of live API processes: counted in memory, written
 * every 5 s in one statement.
 *
 * The counts are for information only and limit nothing. A count that could not be written is written with the next
 * one; a process that is killed loses its last seconds.
 */
import { randomUUID } from 'node:crypto'
import type { Log } from '../../../domain/log.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

const mergeUsage = query('gateway/merge_usage')
const findUsage = query<{ requests: number | bigint }>('gateway/find_usage')
const beatInstance = query<{ instances: number }>('gateway/beat_instance')
const forgetInstance = query('gateway/forget_instance')

/** Milliseconds between two writes. */
const WRITE_EVERY_MS = 5_000

export type Usage = {
  /** Counts one request. */
  count(lineage: string): void
  /** Requests of this month; those of other processes appear with a lag of some seconds. */
  thisMonth(db: Queryable, lineage: string): Promise<bigint>
  /** Live API processes, this one included, as of the last successful write. */
  instances(): number
  /** Writes the pending counts and deregisters this process. */
  end(): Promise<void>
}

type UsageSources = {
  /** Runs on a connection to the database. */
  run: <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>
  /** Unix ms. */
  now: () => number
  log: Log
}

/** Starts to write in the background. */
export function startUsage({ run, now, log }: UsageSources): Usage {
  const id = randomUUID()
  const month = createMonths(now)
  let pending = new Months()
  let instances = 1
  let isFailing = false

  const writePending = async (): Promise<void> => {
    const written = pending
    pending = new Months()
    try {
      await run((db) => writeCounts(db, written))
    } catch (error) {
      for (const [requestMonth, lineage, count] of written.all())
        pending.add(requestMonth, lineage, count)
      throw error
    }
  }
  const write = async (): Promise<void> => {
    try {
      await writePending()
      instances = await run(async (db) => (await beatInstance(db, [id]))[0]?.instances ?? 1)
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'failed to persist monthly API usage; will retry')
      isFailing = true
    }
  }
  let writing = write()
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, WRITE_EVERY_MS)

  return {
    count: (lineage) => pending.add(month(), lineage, 1),
    async thisMonth(db, lineage) {
      const requestMonth = month()
      for (;;) {
        // Counts that are being written are neither stored nor pending.
        const written = writing
        await written
        const [row] = await findUsage(db, [lineage, requestMonth])
        // A write that began meanwhile may have taken counts that are in neither: read again.
        if (writing !== written) continue
        return BigInt(row?.requests ?? 0) + BigInt(pending.get(requestMonth, lineage))
      }
    },
    instances: () => instances,
    async end() {
      clearInterval(timer)
      writing = writing.then(write)
      await writing
      await run((db) => forgetInstance(db, [id])).catch(() => {})
    },
  }
}

async function writeCounts(db: Queryable, counts: Months): Promise<void> {
  const rows = counts.all()
  if (rows.length === 0) return
  await mergeUsage(db, [
    rows.map(([, lineage]) => lineage),
    rows.map(([month]) => month),
    rows.map(([, , count]) => count),
  ])
}

type Row = [month: string, lineage: string, count: number]

/** Requests of each lineage in each month; mostly there is one month. */
class Months {
  readonly #months = new Map<string, Map<string, number>>()

  add(month: string, lineage: string, count: number): void {
    const counts = this.#months.get(month)
    if (counts === undefined) this.#months.set(month, new Map([[lineage, count]]))
    else counts.set(lineage, (counts.get(lineage) ?? 0) + count)
  }

  get(month: string, lineage: string): number {
    return this.#months.get(month)?.get(lineage) ?? 0
  }

  all(): Row[] {
    return Array.from(this.#months, ([month, counts]) =>
      Array.from(counts, ([lineage, count]): Row => [month, lineage, count]),
    ).flat()
  }
}

/** The first day of the month, made once a day. */
function createMonths(now: () => number): () => string {
  let day = Number.NaN
  let month = ''
  return () => {
    const today = Math.floor(now() / DAY_MS)
    if (today !== day) {
      day = today
      month = `${new Date(today * DAY_MS).toISOString().slice(0, 7)}-01`
    }
    return month
  }
}
