/**
 * The reads of one GraphQL request: the same as those of REST, kept answers included.
 *
 * Law: what is asked twice is read once, tokens of all rows are one statement, and no request holds more
 * connections than READS_AT_ONCE however many fields it asks for.
 */
import DataLoader from 'dataloader'
import { parseExact } from '../exact-json.ts'
import { type Cache, wholeOf } from '../gateway/cache.ts'
import { writeExact } from '../json.ts'
import type { Reading, Route } from '../route.ts'
import { readTokens, type TokenRow } from './token.ts'

export type Reads = {
  /** The answer of a route to its parameters, parsed. Rejects with ApiError. */
  route(route: Route, parameters: Record<string, unknown>): Promise<unknown>
  /** Undefined: no such token is known. */
  token(mint: string): Promise<TokenRow | undefined>
}

export type GraphqlContext = { reads: Reads }

type Asked = { route: Route; parameters: Record<string, unknown> }

const READS_AT_ONCE = 2
const TOKENS_AT_ONCE = 1_000

export function createReads(cache: Cache, reading: Reading): Reads {
  const { reader, signal, caller } = reading

  const read = async ({ route, parameters }: Asked): Promise<unknown> => {
    const fresh = (until: AbortSignal) => route.respond(parameters, { ...reading, signal: until })
    const name = route.cacheName?.(parameters, caller)
    const { body } =
      name === undefined ? await fresh(signal) : (await cache.through(name, signal, fresh)).kept
    return parseExact(wholeOf(body))
  }
  const answers = new DataLoader<Asked, unknown, string>((asked) => readSome(asked, read), {
    cacheKeyFn: ({ route, parameters }) =>
      `${route.path} ${writeExact(Object.entries(parameters))}`,
  })
  const tokens = new DataLoader<string, TokenRow | undefined>(
    (mints) => reader.run(signal, (db) => readTokens(db, mints)),
    { maxBatchSize: TOKENS_AT_ONCE },
  )
  return {
    route: (route, parameters) => answers.load({ route, parameters }),
    token: (mint) => tokens.load(mint),
  }
}

/** Each in its place, some at once; one that fails is an error among the answers. */
async function readSome(
  asked: readonly Asked[],
  read: (one: Asked) => Promise<unknown>,
): Promise<unknown[]> {
  const answers: unknown[] = []
  const rest = asked.entries()
  const lane = async (): Promise<void> => {
    for (const [place, one] of rest) {
      answers[place] = await read(one).catch((fault: unknown) =>
        fault instanceof Error ? fault : new Error('a read failed', { cause: fault }),
      )
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, lane))
  return answers
}
