/**
 * The history of a database as this process knows it, so that one that went back in time (an older backup, a standby
 * that lagged when it was promoted), or another database in its place, is noticed.
 *
 * Law: the write-ahead log of a server only grows, and what it has flushed survives a crash. A server whose flushed
 * end lies before one that was seen earlier has lost transactions, and with them rows whose ids the process caches:
 *
 *   every new connection     system identifier, timeline, flushed end of the log, before its first use
 *   every commit of a lane   flushed end of the log, in the statement that moves the checkpoint
 *
 * A restart, a crash, and a standby that was promoted with everything continue after the end that was seen.
 * Decision: docs/decisions/0063-a-database-that-went-back-in-time.md
 */

/** One observation of a server. A standby has no flushed end. */
export type Sighting = {
  system_identifier: string
  timeline: number
  flushed: number | bigint | null
}

/** Knowledge of a process about a server at some moment. */
type Known = { identity: Sighting | undefined; newest: number | bigint }

/** The database went back in time, or is another one: this process must not use it any more. */
export class HistoryLost extends Error {}

const AFTERWARDS =
  'stop every part of Swaptide, bring back the newest copy or run "swaptide recover", and start them again'

export class History {
  private identity: Sighting | undefined
  private newest: number | bigint = 0
  private loss: HistoryLost | undefined
  private readonly listeners = new Set<(lost: HistoryLost) => void>()

  /** Throws HistoryLost, from the first time on for ever. */
  assertRetained(): void {
    if (this.loss !== undefined) throw this.loss
  }

  /** To be read before a request to a server: answers of several connections may arrive in another order. */
  known(): Known {
    return { identity: this.identity, newest: this.newest }
  }

  /** A connection begins; `known` is from before the request to its server. Throws HistoryLost. */
  see(sighting: Sighting, known: Known): void {
    this.assertRetained()
    const { system_identifier: system, timeline, flushed } = sighting
    const before = known.identity
    if (before !== undefined && before.system_identifier !== system) {
      this.lose(
        `this is a different database: its system identifier is "${system}", expected ` +
          `"${before.system_identifier}": ${AFTERWARDS}`,
      )
    }
    if (before !== undefined && timeline < before.timeline) {
      this.lose(
        `the database went back in time: its timeline is ${timeline}, expected ${before.timeline} ` +
          `or a later one: ${AFTERWARDS}`,
      )
    }
    if (flushed !== null) this.note(flushed, known)
    this.identity = sighting
  }

  /** The end of the log that the server has flushed. Throws HistoryLost where more was known before the request. */
  note(flushed: number | bigint, { newest }: Known): void {
    this.assertRetained()
    if (flushed < newest) {
      this.lose(
        `the database went back in time: its log ends at ${flushed}, expected ${newest} or ` +
          `more, because this process has seen that: ${AFTERWARDS}`,
      )
    }
    if (flushed > this.newest) this.newest = flushed
  }

  /** Returns the function that unsubscribes. */
  onLost(listener: (lost: HistoryLost) => void): () => void {
    this.listeners.add(listener)
    if (this.loss !== undefined) listener(this.loss)
    return () => this.listeners.delete(listener)
  }

  private lose(text: string): never {
    const lost = new HistoryLost(text)
    this.loss = lost
    for (const listener of this.listeners) listener(lost)
    throw lost
  }
}

/** All pools of a process to one database share its known history. */
export function historyAt(databaseUrl: string): History {
  const { host, pathname } = new URL(databaseUrl)
  const key = host + pathname
  let history = histories.get(key)
  if (history === undefined) {
    history = new History()
    histories.set(key, history)
  }
  return history
}

const histories = new Map<string, History>()
