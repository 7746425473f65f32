/**
 * Reads of one GraphQL request: the same as those of REST, cached responses included.
 *
 * Identical reads run once, tokens of all rows are read in batches of TOKENS_AT_ONCE, and a request holds at most
 * READS_AT_ONCE connections, however many fields it requests and rows there are.
 */

import DataLoader from 'dataloader'
import { parseExact } from '../../domain/text/exact-json.ts'
import type { Cache } from '../gateway/cache/cache.ts'
import type { Reading } from '../routing/declaration.ts'
import { writeExact } from '../routing/json.ts'
import type { Route } from '../routing/route.ts'
import { readBody } from '../serving/read-body.ts'
import type { Reads, TokenRow } from './context.ts'
import { tooLarge } from './limits.ts'
import { readTokens } from './token.ts'

type RequestedRead = { route: Route; parameters: Record<string, unknown> }

const READS_AT_ONCE = 2
const TOKENS_AT_ONCE = 1_000
/** Characters of JSON that a request may load: more than any that the limits let through, but for lists without one. */
const LOADED_MAX = 32 * 1024 * 1024

export function createReads(cache: Cache, reading: Reading): Reads {
  const { reader, signal } = reading

  let left = LOADED_MAX
  const load = async (requested: RequestedRead): Promise<unknown> => {
    if (left > 0) {
      const text = await readBody(requested.route, requested.parameters, reading, cache)
      left -= text.length
      if (left >= 0) return parseExact(text)
    }
    throw tooLarge(
      `the query returns more than ${LOADED_MAX} characters: request fewer fields or rows`,
    )
  }
  const inLane = lanes(READS_AT_ONCE)
  const answers = new DataLoader<RequestedRead, unknown, string>(
    (reads) => Promise.all(reads.map((one) => inLane(() => load(one)).catch(toError))),
    {
      cacheKeyFn: ({ route, parameters }) =>
        `${route.path} ${writeExact(Object.entries(parameters))}`,
    },
  )
  const tokens = new DataLoader<string, TokenRow | undefined>(
    (mints) => inLane(() => reader.run(signal, (db) => readTokens(db, mints))),
    { maxBatchSize: TOKENS_AT_ONCE },
  )
  return {
    route: (route, parameters) => answers.load({ route, parameters }),
    token: (mint) => tokens.load(mint),
  }
}

/** Runs so many works at once, the others as they came. */
function lanes(atOnce: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let busy = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (busy < atOnce) busy += 1
    // A read that ends hands its slot to the next waiter.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) busy -= 1
      else next()
    }
  }
}

/** One that fails is an error among the answers. */
function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('a read failed', { cause: error })
}
