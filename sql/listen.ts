/**
 * Notifications of the database (LISTEN): one connection, past a pooler, reopened whenever it is lost.
 *
 * Law: notifications during a gap are lost, so `onStart` is called whenever listening begins again: caches must then be
 * read again.
 */
import { Client } from './driver/client.ts'
import { directUrlOf } from './driver/pooler.ts'
import type { Query } from './query.ts'
import { sessionName } from './schema/version.ts'

type ListenOptions = {
  databaseUrl: string
  /** A `listen` statement. */
  listen: Query<Record<string, never>>
  onStart: () => void
  onMessage: (text: string) => void
  onLoss: (error: unknown) => void
  applicationName: string
}

type Listening = { end(): Promise<void> }

const CONNECT_MS_MAX = 5_000
const AGAIN_AFTER_MS = 500

/** Begins to listen in the background; it never fails, but retries. */
export function startListening(options: ListenOptions): Listening {
  let client: Client | undefined
  let again: NodeJS.Timeout | undefined
  let isEnded = false

  const begin = async (): Promise<void> => {
    const next = new Client({
      connectionString: directUrlOf(options.databaseUrl),
      application_name: sessionName(options.applicationName),
      connectionTimeoutMillis: CONNECT_MS_MAX,
      keepAlive: true,
    })
    client = next
    const lose = (error: unknown): void => {
      if (isEnded || client !== next) return
      client = undefined
      next.end().catch(() => {})
      options.onLoss(error)
      again = setTimeout(() => void begin(), AGAIN_AFTER_MS)
    }
    next.on('error', lose)
    next.on('end', () => lose(new Error('the connection ended')))
    next.on('notification', ({ payload = '' }) => options.onMessage(payload))
    try {
      await next.connect()
      await next.query(options.listen.text)
      if (client === next) options.onStart()
    } catch (error) {
      lose(error)
    }
  }

  void begin()
  return {
    async end() {
      isEnded = true
      clearTimeout(again)
      await client?.end().catch(() => {})
    },
  }
}
