/**
 * A pooler of transactions (PgBouncer) between this process and its database: each transaction may run on another
 * session of the server.
 *
 * Law: nothing that a session holds outlives a transaction. Startup options become settings of each transaction,
 * statements have no names, and stages (temporary tables) are dropped by the commit. Code that needs a session of
 * its own (LISTEN, session locks, migrations) connects to the server itself.
 *
 * Decision: docs/decisions/0057-a-pooler-of-transactions-holds-no-session-state.md
 */
import type pg from 'pg'
import { Client } from './client.ts'
import type { Queryable } from './queryable.ts'

/** URL of the pooler -> URL of the server itself. */
const directServers = new Map<string, string>()

/** From here on this process reaches the database of the first URL through a pooler, which the second one passes by. */
export function noteTransactionPooler(databaseUrl: string, directUrl: string): void {
  directServers.set(databaseUrl, directUrl)
}

export const isPooled = (databaseUrl: string): boolean => directServers.has(databaseUrl)

/** The URL of the server itself; without a pooler, the same. */
export const directUrlOf = (databaseUrl: string): string =>
  directServers.get(databaseUrl) ?? databaseUrl

/** Settings of a session, or of each transaction through a pooler. */
export type Settings = Readonly<Record<string, string | number>>

/** A client of a pooler: rewrites statements that would outlive their transaction. */
class PooledClient extends Client {
  private readonly settings: string
  private isEnclosed = false

  constructor(config: pg.ClientConfig | undefined, settings: string) {
    super(config)
    this.settings = settings
    const send = this.query.bind(this) as (...given: unknown[]) => Promise<unknown>
    const rewritten = (statement: unknown, ...rest: unknown[]) =>
      send(this.rewrite(statement), ...rest)
    this.query = rewritten as typeof this.query
  }

  /**
   * From here on every statement runs in a transaction with the settings. One that a statement begins is another one,
   * and is followed by another.
   */
  async enclose(): Promise<void> {
    await this.query('begin')
    this.isEnclosed = true
  }

  /** Ends the last transaction. */
  async disclose(): Promise<void> {
    this.isEnclosed = false
    await this.query('commit')
  }

  private rewrite(statement: unknown): unknown {
    if (typeof statement === 'string') return this.rewriteText(statement)
    const { text, submit } = statement as { text?: string; submit?: unknown }
    if (text === undefined || submit !== undefined) return statement
    return { ...(statement as object), name: undefined, text: text.replace(STAGED, DROPPED) }
  }

  private rewriteText(text: string): string {
    const { settings, isEnclosed } = this
    if (BEGINS.test(text)) {
      const begun = text.replace(BEGINS, (begin) => begin + settings)
      return isEnclosed ? `commit; ${begun}` : begun
    }
    return isEnclosed && ENDS.test(text) ? `${text}; begin${settings}` : text
  }
}

const BEGINS = /^begin[^;]*/
const ENDS = /^(commit|rollback)$/
/** A stage is made for a session, and emptied by each commit. */
const STAGED = 'on commit delete rows'
const DROPPED = 'on commit drop'

/** Makes a pool whose transactions have the settings, instead of its sessions. */
export function pooledConfig(config: pg.PoolConfig, settings: Settings): pg.PoolConfig {
  const text = Object.entries(settings)
    .map(([name, value]) => `; set local ${name} = '${value}'`)
    .join('')
  class OwnClient extends PooledClient {
    constructor(given?: pg.ClientConfig) {
      super(given, text)
    }
  }
  return { ...config, Client: OwnClient }
}

/** The client of a connection through a pooler; undefined for a session. */
export const pooledClientOf = (db: Queryable): PooledClient | undefined =>
  db instanceof PooledClient ? db : undefined
