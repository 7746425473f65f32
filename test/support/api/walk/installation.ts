/** The answers of an installation on all routes, by an API of its own that ends with the walk. */
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { type ApiOptions, startApi } from '../../../../api/main.ts'
import type { Db } from '../../../../sql/db.ts'
import { PATIENT_MS, SILENT } from '../api-under-test.ts'
import { type Walked, type WalkRequest, walkRequests, walkRoutes } from './routes.ts'
import type { Subjects } from './subjects.ts'

const ADMIN_KEY = 'a-key-of-the-operators'

/** Milliseconds after the newest swap at which the walk is, by the clock of the API. */
const LATER_MS = 3_600_000

/**
 * Requests of a walk: `operationIds`: those only; absent: all that read; `asOf`: those that answer as of a slot, and of which;
 * `choose`: of these.
 */
type Chosen = {
  operationIds?: readonly string[]
  asOf?: number | 'now'
  choose?: (requests: readonly WalkRequest[]) => readonly WalkRequest[]
}

export async function answersOf(
  { databaseUrl, db }: { databaseUrl: string; db: Db },
  subjects: Subjects,
  { operationIds, asOf, choose = (all) => all, ...options }: Partial<ApiOptions> & Chosen = {},
): Promise<Walked> {
  const nowMs = subjects.times[1] + LATER_MS
  const api = await startApi({
    ...{ databaseUrl, port: 0, log: SILENT, deadlineMs: PATIENT_MS, walkMs: PATIENT_MS },
    ...{ adminKey: ADMIN_KEY, now: () => nowMs },
    ...options,
  })
  try {
    const wanted = { tier: 'enterprise', environment: 'test', account: 'walker' } as const
    const { key } = await createKey(db, { ...wanted, by: 'test' })
    const walked = { url: api.url, key, adminKey: ADMIN_KEY }
    const requests = await walkRequests(walked, subjects)
    const chosen = requests
      .filter(({ operationId }) => operationIds?.includes(operationId) ?? true)
      .filter(({ hasAsOf }) => asOf === undefined || hasAsOf === true)
    return await walkRoutes(walked, choose(chosen), { asOfSlot: asOf === 'now' ? undefined : asOf })
  } finally {
    await api.stop()
  }
}
