/**
 * Finds the market of examples in this installation: a wallet that bought, sold and holds, its token and pool, a
 * transaction, their slots and times, and the cursors of their lists.
 *
 * Each value is read through the route whose example uses it, so that the example request finds data. Values that
 * do not exist (an empty installation) are absent.
 */

import { lamportsToSol } from '../../../domain/amount.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { venueOf } from '../../../domain/venue.ts'
import { THRESHOLDS } from '../../../domain/wallet/wallet-tag.ts'
import { findSubjects, type Subjects } from '../../../history/swaps/newest.ts'
import type { ExampleEvent, ExampleMarket } from '../../examples/market.ts'
import type { Reading } from '../../routing/declaration.ts'
import { ApiError } from '../../routing/error.ts'
import type { Route } from '../../routing/route.ts'
import { below, isCounted, type Screened, screenerBounds } from './screener-bounds.ts'

type SwapAnswer = {
  signature: string
  slot: number
  timestamp: number
  pair_address: string
  dex: number
  sol_amount: number
}
type EventAnswer = {
  event: string
  signature: string
  slot: number
  timestamp: number
  pair_address: string
  token_address: string
  dex: number
}
type List<Row> = Record<'data', Row[]> & { next_cursor: string | null }

/** Upper bounds of the SOL thresholds in the examples of whales and of other lists. */
const WHALE_SOL = 10
const MIN_SOL = 1.5
const LARGE_BUYS = {
  min_sol: String(lamportsToSol(Number(THRESHOLDS.whale.buyLamports))),
  is_buy: 'true',
  limit: '1',
}
const QUERY_LENGTH = 3
/** Days from the first day of an example with dates to the last, which is today. */
const DAYS_BEFORE = 30

type Found = {
  market: Partial<ExampleMarket>
  /** Whether nothing of it is missing that a market has within minutes. */
  isWhole: boolean
}

/**
 * Undefined when there is no trade to show. `base`: what the market lacks, in the requests whose cursors are read. Rejects
 * with the errors of the routes that it reads.
 */
export async function findMarket(
  routes: readonly Route[],
  reading: Reading,
  nowMs: number,
  base: Partial<ExampleMarket> = {},
): Promise<Found | undefined> {
  const subjects = await reading.reader.run(reading.signal, findSubjects)
  if (subjects === undefined) return undefined
  const { wallet, mint } = subjects
  const fetchRoute = fetcherOf(routes, reading)
  const own = { user: wallet, token_address: mint, limit: '1' }
  const { data: buys } = await fetchRoute<List<SwapAnswer>>('/swaps', { ...own, is_buy: 'true' })
  const [buy] = buys
  if (buy === undefined) return undefined
  const { data: sales } = await fetchRoute<List<SwapAnswer>>('/swaps', { ...own, is_buy: 'false' })
  const event = await findEvent(fetchRoute, buy.pair_address)
  const { results } = await fetchRoute<{ results: Screened[] }>('/screener', { mint, window: '1h' })
  const { data: whales } = await fetchRoute<List<{ token_address: string }>>(
    '/swaps/whale',
    LARGE_BUYS,
  )
  const [screened = {}] = results
  const bounds = screenerBounds(screened, routeAt(routes, '/screener').parameters.properties)
  const found: Partial<ExampleMarket> = {
    ...namesOf(subjects),
    ...tradesOf(buy, sales[0]),
    ...(event === undefined ? {} : { event }),
    // Not every token has one.
    whaleMint: whales[0]?.token_address ?? mint,
    whaleSol: below(Math.min(WHALE_SOL, lamportsToSol(subjects.largest_buy_lamports))),
    minSol: below(Math.min(MIN_SOL, lamportsToSol(buy.sol_amount))),
    ...(bounds.length === 0 ? {} : { screened: Object.fromEntries(bounds) }),
    ...daysOf(nowMs),
  }
  const cursors = await readCursors(routes, fetchRoute, { ...base, ...found } as ExampleMarket)
  const isWhole = sales.length > 0 && event !== undefined && isCounted(screened)
  return { market: { ...found, cursors }, isWhole }
}

/** The pool's newest event, or that of any pool: one that is known from its swaps alone has none. */
async function findEvent(fetchRoute: FetchRoute, pair: string): Promise<ExampleEvent | undefined> {
  const limited = { limit: '1' }
  for (const given of [{ pair_address: pair, ...limited }, limited]) {
    const { data } = await fetchRoute<List<EventAnswer>>('/pool-events', given)
    const [row] = data
    if (row === undefined) continue
    const { event: kind, signature, slot, timestamp, dex } = row
    return {
      ...{ kind, signature, slot, timestamp, dex },
      ...{ pair: row.pair_address, mint: row.token_address },
    }
  }
  return undefined
}

/** Without those that are unknown. */
function namesOf({ wallet, mint, other_mint, creator, symbol, name, sector }: Subjects) {
  const searchText = (symbol || mint).slice(0, QUERY_LENGTH).toLowerCase()
  const named = { otherMint: other_mint, creator, symbol, name, sector }
  const known = Object.entries(named).filter(([, text]) => text)
  return { wallet, mint, searchText, ...(Object.fromEntries(known) as Partial<ExampleMarket>) }
}

function tradesOf(buy: SwapAnswer, sale: SwapAnswer | undefined): Partial<ExampleMarket> {
  const { signature, slot, dex } = buy
  return {
    ...{ pair: buy.pair_address, dex, protocol: venueOf(dex).name },
    ...{ signature, slot, buyMs: buy.timestamp },
    ...(sale === undefined ? {} : { saleSignature: sale.signature, saleSlot: sale.slot }),
  }
}

function daysOf(nowMs: number) {
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)
  return {
    lastDay: dayOf(nowMs),
    dayBefore: dayOf(nowMs - DAY_MS),
    firstDay: dayOf(nowMs - DAYS_BEFORE * DAY_MS),
  }
}

type FetchRoute = <Answer>(path: string, given: Record<string, string>) => Promise<Answer>

/** Answers of our own routes, as parsed JSON: the fields used of them are no int64. */
function fetcherOf(routes: readonly Route[], reading: Reading): FetchRoute {
  return async (path, given) => {
    const route = routeAt(routes, path)
    const { body } = await route.respond(route.parse(given), reading)
    return JSON.parse(body)
  }
}

function routeAt(routes: readonly Route[], path: string): Route {
  const route = routes.find((each) => each.path === path)
  if (route === undefined) throw new ApiError('INTERNAL', `no route "${path}" for examples`)
  return route
}

/** Each cursor continues after the first row of its list's own example; without a second row there is none. */
async function readCursors(
  routes: readonly Route[],
  fetchRoute: FetchRoute,
  market: ExampleMarket,
): Promise<Record<string, string>> {
  const cursors: Record<string, string> = {}
  for (const { path, access, parameters, example } of routes) {
    if (access !== undefined || !('cursor' in parameters.properties)) continue
    const stated = example(market)
    if ('cursor' in stated) continue
    const given = Object.entries({ ...stated, limit: 1 })
    const { next_cursor: next } = await fetchRoute<{ next_cursor: string | null }>(
      path,
      Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    )
    if (next !== null) cursors[path] = next
  }
  return cursors
}
