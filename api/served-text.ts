/**
 * A document of the API as this version serves it, without an installation. The API that serves it has no database:
 * examples are then those of the story, and no document depends on them otherwise.
 */
import type { Log } from '../domain/log.ts'
import { NO_OPERATIONS } from './admin/no-operations.ts'
import { type ApiOptions, startApi } from './main.ts'
import { CoverageGaps } from './resources/coverage/gaps.ts'
import { routesWithAudits } from './routes.ts'
import type { Route } from './routing/route.ts'

const NO_DATABASE = 'postgres://127.0.0.1:1/none'
/** Without one there are no routes of operators. */
const NO_OPERATOR = 'a-key-of-no-operator'
const ignore = (): void => {}
const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

export async function servedText(
  path: string,
  options: Pick<ApiOptions, 'venueNames' | 'operations'> = {},
): Promise<string> {
  const api = await startApi({
    ...options,
    databaseUrl: NO_DATABASE,
    adminKey: NO_OPERATOR,
    port: 0,
    log: SILENT,
  })
  try {
    const response = await fetch(api.url + path)
    if (!response.ok) throw new Error(`"${path}" is answered with ${response.status}`)
    return await response.text()
  } finally {
    await api.stop()
  }
}

/** The routes that an installation with operators declares; their handlers cannot be called. */
export function declaredRoutes(): Route[] {
  const usage = { thisMonth: () => Promise.reject(new Error('there is no database')) }
  const deps = {
    adminKey: NO_OPERATOR,
    usage,
    now: Date.now,
    log: SILENT,
    operations: NO_OPERATIONS,
  }
  const { routes, audits } = routesWithAudits(deps, new CoverageGaps())
  return [...routes, ...audits]
}
