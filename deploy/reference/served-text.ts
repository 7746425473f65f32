/**
 * A document of the API as this version serves it, for files that are generated from it. The API has no database: examples
 * are then those of the story, and no document depends on them otherwise.
 */
import { startApi } from '../../api/main.ts'
import type { Log } from '../../domain/log.ts'

const NO_DATABASE = 'postgres://127.0.0.1:1/none'
/** Without one there are no routes of operators. */
const NO_OPERATOR = 'a-key-of-no-operator'
const ignore = (): void => {}
const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

export async function servedText(path: string): Promise<string> {
  const api = await startApi({
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
