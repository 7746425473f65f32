/**
 * Advisory locks of one database session: of all processes one reads FEED for the webhooks, and one sends to an
 * endpoint.
 *
 * Invariant: a lock that may be lost is given up: when the session ends, by a crash of this process or of the server,
 * the signal of every lock is aborted, and another process may take it at once.
 */
import { type Connection, connectSession, type Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'

/** Classes of locks, apart from those of other features, which use one number. */
const LOCK_CLASSES = { reader: 20_119, sender: 20_120 } as const

type Lock = { lost: AbortSignal; release(): Promise<void> }

type Session = { connection: Connection; lost: AbortController }

const tryLock = query<{ is_taken: boolean }>('webhooks/try_lock')
const releaseLock = query('webhooks/release_lock')

export class SessionLocks {
  private readonly db: Db
  private session: Promise<Session> | undefined
  /** Statements of a session run one after the other. */
  private last: Promise<unknown> = Promise.resolve()
  private readonly held = new Set<string>()

  constructor(db: Db) {
    this.db = db
  }

  /** Undefined: another process, or another caller of this one, has it. */
  async take(kind: keyof typeof LOCK_CLASSES, number: number): Promise<Lock | undefined> {
    const name = `${kind} ${number}`
    // A session may take a lock twice: callers of this process exclude each other here.
    if (this.held.has(name)) return undefined
    this.held.add(name)
    try {
      const session = await this.open()
      const lockKey = [LOCK_CLASSES[kind], number]
      const [row] = await this.serialized(() => tryLock(session.connection, lockKey))
      if (row?.is_taken !== true) {
        this.held.delete(name)
        return undefined
      }
      const release = async (): Promise<void> => {
        if (!session.lost.signal.aborted) {
          await this.serialized(() => releaseLock(session.connection, lockKey)).catch(() => {})
        }
        this.held.delete(name)
      }
      return { lost: session.lost.signal, release }
    } catch (error) {
      this.held.delete(name)
      throw error
    }
  }

  async end(): Promise<void> {
    const session = await this.session?.catch(() => undefined)
    session?.connection.release(true)
    session?.lost.abort(new Error('the session of the locks ends'))
  }

  private open(): Promise<Session> {
    this.session ??= this.connect().catch((error: unknown) => {
      this.session = undefined
      throw error
    })
    return this.session
  }

  private async connect(): Promise<Session> {
    const connection = await connectSession(this.db)
    const lost = new AbortController()
    const lose = (): void => {
      if (lost.signal.aborted) return
      this.session = undefined
      lost.abort(new Error('the session of the locks was lost'))
      connection.release(true)
    }
    connection.on('error', lose)
    connection.on('end', lose)
    return { connection, lost }
  }

  private serialized<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work, work)
    this.last = result.catch(() => {})
    return result
  }
}
