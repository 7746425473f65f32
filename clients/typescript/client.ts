/**
 * Client of the Swaptide API for Node and browsers: a function for every read of REST, lists as async iterators, and the
 * feed. Integers of 64 bits are bigints, exactly.
 */
import { type Channels, type Feed, type FeedOptions, openFeed } from './feed.ts'
import { OPERATIONS } from './generated.ts'
import {
  type Answer,
  type CallOptions,
  type ClientOptions,
  call,
  checkedOptions,
  type OperationId,
  type Parameters,
  SwaptideError,
} from './request.ts'

export type { Channels, Feed, FeedOptions, FeedStart } from './feed.ts'
export type * from './generated.ts'
export type {
  Answer,
  CallOptions,
  ClientOptions,
  OperationId,
  Parameters,
  Socket,
  SocketClass,
} from './request.ts'
export { SwaptideError } from './request.ts'

/** Operations whose list continues from a cursor. */
export type ListId = {
  [Id in OperationId]: Answer<Id> extends { next_cursor: string | null } ? Id : never
}[OperationId]
/** Ids of the lists whose rows are `data`. */
export type RowsId = {
  [Id in ListId]: Answer<Id> extends { data: readonly unknown[] } ? Id : never
}[ListId]
type RowOf<Id extends OperationId> =
  Answer<Id> extends { data: readonly (infer Row)[] } ? Row : never

/** A function for each operation: `client.getWalletPositions({ wallet })`. Rejects with SwaptideError. */
type Calls = {
  [Id in OperationId]: Record<string, never> extends Parameters<Id>
    ? (parameters?: Parameters<Id>, options?: CallOptions) => Promise<Answer<Id>>
    : (parameters: Parameters<Id>, options?: CallOptions) => Promise<Answer<Id>>
}

export type Client = Calls & {
  /** Every page of a list, from the cursor of the parameters on. */
  pages<Id extends ListId>(
    id: Id,
    parameters: Parameters<Id>,
    options?: CallOptions,
  ): AsyncGenerator<Answer<Id>, void>
  /** Every row of a list, page by page. */
  rows<Id extends RowsId>(
    id: Id,
    parameters: Parameters<Id>,
    options?: CallOptions,
  ): AsyncGenerator<RowOf<Id>, void>
  /** Events from now, a cursor or a slot on; resumes after restarts of the API. */
  feed<Channel extends keyof Channels>(options: FeedOptions<Channel>): Feed<Channels[Channel]>
}

/** Throws SwaptideError: INVALID_OPTION. */
export function createClient(given: ClientOptions): Client {
  const options = checkedOptions(given)
  async function* pages<Id extends ListId>(
    id: Id,
    parameters: Parameters<Id>,
    settings?: CallOptions,
  ): AsyncGenerator<Answer<Id>, void> {
    let cursor: string | null | undefined
    do {
      const withCursor = cursor === undefined ? parameters : { ...parameters, cursor }
      const page = await call(options, id, withCursor, settings)
      yield page
      cursor = (page as { next_cursor: string | null }).next_cursor
      // Without this, an answer that has none would be the first page for ever.
      if (cursor === undefined) {
        throw new SwaptideError(200, 'INVALID_ANSWER', `${id}: the answer has no next_cursor`)
      }
    } while (cursor !== null)
  }
  async function* rows<Id extends RowsId>(
    id: Id,
    parameters: Parameters<Id>,
    settings?: CallOptions,
  ): AsyncGenerator<RowOf<Id>, void> {
    for await (const { data } of pages(id, parameters, settings) as AsyncIterable<{
      data: RowOf<Id>[]
    }>) {
      yield* data
    }
  }
  const calls = Object.keys(OPERATIONS).map((id) => [
    id,
    (parameters: never = {} as never, settings?: CallOptions) =>
      call(options, id as OperationId, parameters, settings),
  ])
  return {
    ...(Object.fromEntries(calls) as Calls),
    pages,
    rows,
    feed: (feedOptions) => openFeed(options, feedOptions),
  }
}
