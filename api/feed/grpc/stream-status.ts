/**
 * Maps errors to the gRPC status, text and trailers that end a call of SwapStream. Stacks and database messages are
 * never sent.
 */
import { Metadata, status } from '@grpc/grpc-js'
import { type Cursor, writeCursor } from '../../../streams/feed/feed-cursor.ts'
import type { Carriers } from '../../gateway/keys/authenticate.ts'
import { ApiError, type ErrorCode, toApiError } from '../../routing/error.ts'
import { newestNeeded } from '../ahead.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import { FeedExpired, FeedReplaced } from '../log/hub-interface.ts'
import { LineIsFull } from '../log/reader-queue.ts'
import { RequestError } from './subscribe-request.ts'

/** Error in the form that grpc-js turns into a status. */
export class StreamStatus extends Error {
  readonly code: status
  readonly details: string
  readonly metadata: Metadata

  constructor(code: status, details: string, trailers: Record<string, string> = {}) {
    super(details)
    this.name = 'StreamStatus'
    this.code = code
    this.details = details
    this.metadata = metadataOf(trailers)
  }
}

const STATUS_OF: Record<ErrorCode, status> = {
  UNAUTHORIZED: status.UNAUTHENTICATED,
  FORBIDDEN: status.PERMISSION_DENIED,
  RATE_LIMIT_EXCEEDED: status.UNAVAILABLE,
  INVALID_PARAM: status.INVALID_ARGUMENT,
  MISSING_PARAM: status.INVALID_ARGUMENT,
  AS_OF_UNSUPPORTED: status.INVALID_ARGUMENT,
  AS_OF_TOO_COSTLY: status.INVALID_ARGUMENT,
  AS_OF_BEFORE_HISTORY: status.OUT_OF_RANGE,
  NOT_FOUND: status.NOT_FOUND,
  TOO_MANY_ORDERS: status.INVALID_ARGUMENT,
  METHOD_NOT_ALLOWED: status.UNIMPLEMENTED,
  UNAVAILABLE: status.UNAVAILABLE,
  GATEWAY_TIMEOUT: status.UNAVAILABLE,
  DATABASE: status.INTERNAL,
  INTERNAL: status.INTERNAL,
}

export function toStatus(error: unknown, hub: FeedHub): StreamStatus {
  if (error instanceof StreamStatus) return error
  if (error instanceof RequestError) return new StreamStatus(status.INVALID_ARGUMENT, error.message)
  if (error instanceof FeedExpired || error instanceof FeedReplaced) {
    return outOfRange(error.message, hub)
  }
  if (error instanceof LineIsFull) {
    return new StreamStatus(status.UNAVAILABLE, 'too many concurrent replays: try again')
  }
  const { code, message } = error instanceof ApiError ? error : toApiError(error)
  return new StreamStatus(STATUS_OF[code], message)
}

/** Throws OUT_OF_RANGE if FEED cannot be resumed from this cursor. */
export function expectHeld(cursor: Cursor, hub: FeedHub): void {
  const { epoch } = cursor
  const text = writeCursor(cursor)
  if (epoch !== hub.epoch) {
    throw outOfRange(`cursor "${text}" is of another stream: this one is "${hub.epoch}"`, hub)
  }
  if (isExpired(cursor, hub)) {
    throw outOfRange(`cursor "${text}" is expired: the stream begins at ${hub.first()}`, hub)
  }
  if (newestNeeded(cursor) > hub.head()) {
    throw outOfRange(`cursor "${text}" is ahead: the stream ends at ${hub.head()}`, hub)
  }
}

/** Whether FEED has trimmed the messages after this cursor. */
export function isExpired({ epoch, sequence }: Cursor, hub: FeedHub): boolean {
  return epoch === hub.epoch && sequence + 1 < hub.first()
}

/** Status for a cursor that FEED does not hold; the trailers name the oldest and newest that it does. */
export function outOfRange(details: string, hub: FeedHub): StreamStatus {
  const { epoch } = hub
  return new StreamStatus(status.OUT_OF_RANGE, details, {
    // Resuming from this cursor yields everything that FEED holds.
    'x-swaptide-first': writeCursor({ epoch, sequence: hub.first() - 1, eventCount: 0 }),
    'x-swaptide-head': writeCursor({ epoch, sequence: hub.head(), eventCount: 0 }),
  })
}

export function metadataOf(fields: Record<string, string>): Metadata {
  const metadata = new Metadata()
  for (const [name, text] of Object.entries(fields)) metadata.set(name, text)
  return metadata
}

/** The key carriers of a call. */
export function carriersOf(metadata: Metadata): Carriers {
  const [header] = metadata.get('x-api-key')
  const [authorization] = metadata.get('authorization')
  return { header: header?.toString(), authorization: authorization?.toString(), query: undefined }
}
