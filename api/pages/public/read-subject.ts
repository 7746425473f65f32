/**
 * Reads what a public page is about, by the routes that the page itself reads: its head never differs from its figures.
 * Cached, so that a page that many open is read once.
 */
import { parseExact } from '../../../domain/text/exact-json.ts'
import type { Cache } from '../../gateway/cache/cache.ts'
import { ANY_CALLER } from '../../routing/caller.ts'
import { ApiError } from '../../routing/error.ts'
import type { Reader } from '../../routing/reading/reader.ts'
import type { Standbys } from '../../routing/reading/standbys.ts'
import type { Route } from '../../routing/route.ts'
import { readBody } from '../../serving/read-body.ts'
import type { PageHead } from './head.ts'
import { type Subject, tokenSubject, transactionHead, walletSubject } from './subjects.ts'

export type SubjectDeps = {
  routes: readonly Route[]
  reader: Reader
  standbys?: Standbys | undefined
  cache: Cache
}

/** Kinds of pages that have a picture of their own. */
export const PICTURED = ['token', 'wallet'] as const
export type Pictured = (typeof PICTURED)[number]

/** Undefined: nothing is indexed of it, or it is no address. Rejects with ApiError. */
type ReadSubjects = {
  of(kind: Pictured, id: string, signal: AbortSignal): Promise<Subject | undefined>
  transaction(signature: string, signal: AbortSignal): Promise<PageHead | undefined>
}

const CACHE_SECONDS = 30
/** Candles of the picture of a token: a day. */
const LINE = { timeframe: '15m', limit: '96' }
const UNKNOWN = new Set(['NOT_FOUND', 'INVALID_PARAM', 'MISSING_PARAM'])

/** Answer of the enveloped family. */
type Enveloped<Value> = { [Name in 'data']: Value }
type Answers = {
  getTokenStats: Enveloped<Parameters<typeof tokenSubject>[0]>
  listCandles: Enveloped<readonly { close: number }[]>
  getWalletSummary: Parameters<typeof walletSubject>[0]
  getTransaction: { swaps: readonly unknown[] }
}

export function subjectReader({ routes, cache, reader, standbys }: SubjectDeps): ReadSubjects {
  const source = { reader, ...(standbys === undefined ? {} : { standbys }) }
  const byId = new Map(routes.map((each) => [each.operationId, each]))
  const read = async <Id extends keyof Answers>(
    id: Id,
    given: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Answers[Id]> => {
    const route = byId.get(id)
    if (route === undefined) throw new Error(`no route has the id ${id}`)
    const reading = { ...source, signal, caller: ANY_CALLER }
    return parseExact(await readBody(route, route.parse(given), reading, cache)) as Answers[Id]
  }

  const readToken = async (mint: string, signal: AbortSignal): Promise<Subject> => {
    const [stats, candles] = await Promise.all([
      read('getTokenStats', { mint }, signal),
      read('listCandles', { token_address: mint, ...LINE }, signal),
    ])
    return tokenSubject(
      stats.data,
      candles.data.map(({ close }) => close),
    )
  }
  const readWallet = async (wallet: string, signal: AbortSignal): Promise<Subject> => {
    const pnl = await read('getWalletSummary', { wallet }, signal)
    // An unknown wallet has zeros.
    if (pnl.first_trade_ts === null) throw new ApiError('NOT_FOUND', 'no swap of the wallet')
    return walletSubject(pnl)
  }
  const readers = { token: readToken, wallet: readWallet }

  return {
    of: (kind, id, signal) =>
      unlessUnknown(async () => {
        const name = `page:${kind}:${id}`
        const { cached } = await cache.through(name, signal, async (until) => ({
          body: JSON.stringify(await readers[kind](id, until)),
          seconds: CACHE_SECONDS,
        }))
        return JSON.parse(cached.body) as Subject
      }),
    transaction: (signature, signal) =>
      unlessUnknown(async () => {
        const { swaps } = await read('getTransaction', { signature }, signal)
        return transactionHead(signature, swaps.length)
      }),
  }
}

async function unlessUnknown<Found>(read: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && UNKNOWN.has(error.code)) return undefined
    throw error
  }
}
