/**
 * A client whose connection is destroyed by bytes that are no message of PostgreSQL, and whose statements then fail as on a lost
 * connection. A pooler whose server dies writes an error into the middle of a row, where the parser of pg throws outside of any
 * handler, or waits for the rest of a message of some hundred megabytes.
 *
 * Law: pg reads no frame that a server would not send (frames.ts); what it throws while it reads one ends the connection, too.
 *
 * Decision: docs/decisions/0111-frames-are-checked-before-pg-reads-them.md
 */
import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import pg from 'pg'
import { Frames } from './frames.ts'

/** The part of pg's connection that reads: called once for the plain or the TLS socket. */
type Wire = { attachListeners(stream: EventEmitter): void }

export class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    guard((this as unknown as { connection: Wire }).connection)
  }
}

function guard(wire: Wire): void {
  const attach = wire.attachListeners.bind(wire)
  wire.attachListeners = (stream) => {
    const socket = stream as Readable
    const guarded = new EventEmitter()
    const frames = new Frames()
    socket.on('data', (bytes: Buffer) => {
      if (socket.destroyed) return
      try {
        frames.check(bytes)
        guarded.emit('data', bytes)
      } catch (cause) {
        socket.destroy(brokenStream(cause))
      }
    })
    socket.on('end', () => guarded.emit('end'))
    attach(guarded)
  }
}

/** Begins as the errors of lost connections do (connection-error.ts). */
function brokenStream(cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Error(`Connection terminated: the server's answer cannot be read: ${reason}`, {
    cause,
  })
}
