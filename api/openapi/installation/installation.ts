/**
 * Example values taken from this installation: a wallet that bought, sold and holds, its token and pool, a
 * transaction, their slots and times, and the cursors of their lists.
 *
 * Each value is read through the route whose example uses it, so that the example request finds data. A value that
 * does not exist (an empty installation) stays that of examples/story.ts.
 */

import { lamportsToSol } from '../../../domain/amount.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { venueOf } from '../../../domain/venue.ts'
import { THRESHOLDS } from '../../../domain/wallet/wallet-tag.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import * as story from '../../examples/story.ts'
import { ApiError } from '../../routing/error.ts'
import type { Reading, Route } from '../../routing/route.ts'
import { VALUES } from '../values/values.ts'
import { type LiveExamples, requestOf } from './localize.ts'
import { below, isCounted, type Screened, screenerBounds } from './screener-bounds.ts'

type Subjects = {
  wallet: string
  mint: string
  largest_buy_lamports: number
  symbol: string | null
  name: string | null
  sector: string | null
  creator: string | null
  other_mint: string | null
}
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
  from_pair: string | null
}
type List<Row> = Record<'data', Row[]> & { next_cursor: string | null }

const findSubjects = query<Subjects>('examples/find_subjects')

/** Upper bounds of the SOL thresholds in the examples of whales and of other lists. */
const WHALE_SOL = 10
const MIN_SOL = 1.5
const LARGE_BUYS = {
  min_sol: String(lamportsToSol(Number(THRESHOLDS.whale.buyLamports))),
  is_buy: 'true',
  limit: '1',
}
const QUERY_LENGTH = 3
const MIN_VALUE_SOL = 0.0001
/** Days from the first day of an example with dates to the last, which is today. */
const DAYS_BEFORE = 30
/** Routes of a wallet that take a range of days. */
const DATED = ['performance', 'tokens', 'history', 'calendar'].map(
  (name) => `/v2/pnl/wallets/{wallet}/${name}`,
)
const CALENDAR = '/v2/pnl/leaderboard/kols/calendar'
const BARS = '/udf/history'
const MS_A_SECOND = 1_000

export type Found = {
  examples: LiveExamples
  /** Whether nothing of it is missing that a market has within minutes. */
  isWhole: boolean
}

/** Undefined when there is no trade to show. Rejects with the errors of the routes that it reads. */
export async function findLiveExamples(
  routes: readonly Route[],
  reading: Reading,
  nowMs: number,
): Promise<Found | undefined> {
  const subjects = await reading.reader.run(reading.signal, readSubjects)
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
  const seen = { subjects, buy, sale: sales[0], event, screened: results[0] ?? {} }
  const texts = new Map(textsOf(seen))
  const { data: whales } = await fetchRoute<List<{ token_address: string }>>(
    '/swaps/whale',
    LARGE_BUYS,
  )
  const parameterValues = new Map<string, unknown>([
    // Not every token has one.
    ['/tokens/{mint}/whales mint', whales[0]?.token_address ?? mint],
    ...parametersOf(seen, nowMs),
    ...screenerBounds(seen.screened, routeAt(routes, '/screener').parameters.properties),
  ])
  const slots = new Map([[story.BUY_SLOT, buy.slot]])
  if (seen.sale !== undefined) slots.set(story.SALE_SLOT, seen.sale.slot)
  if (event !== undefined) slots.set(story.MIGRATED.slot, event.slot)
  const examples = { texts, slots, buyMs: buy.timestamp, dex: buy.dex, parameterValues }
  await addCursors(routes, fetchRoute, examples)
  const isWhole = seen.sale !== undefined && event !== undefined && isCounted(seen.screened)
  return { examples, isWhole }
}

/** The pool's newest event, or that of any pool: one that is known from its swaps alone has none. */
async function findEvent(fetchRoute: FetchRoute, pair: string): Promise<EventAnswer | undefined> {
  const own = await fetchRoute<List<EventAnswer>>('/pool-events', {
    pair_address: pair,
    limit: '1',
  })
  if (own.data.length > 0) return own.data[0]
  return (await fetchRoute<List<EventAnswer>>('/pool-events', { limit: '1' })).data[0]
}

async function readSubjects(db: Queryable): Promise<Subjects | undefined> {
  return (await findSubjects(db))[0]
}

type Seen = {
  subjects: Subjects
  buy: SwapAnswer
  sale: SwapAnswer | undefined
  event: EventAnswer | undefined
  screened: Screened
}

/** Pairs of a text of the story and its replacement; without a replacement the story's text stays. */
function* textsOf({ subjects, buy, sale, event }: Seen): Generator<[string, string]> {
  const { wallet, mint, other_mint: other, creator, symbol, name } = subjects
  const eventSignature = (kind: string) => (event?.event === kind ? event.signature : null)
  const pairs: [string, string | null | undefined][] = [
    [story.WALLET, wallet],
    [story.MINT, mint],
    [story.OTHER_MINT, other],
    [story.CREATOR, creator],
    [story.PAIR, buy.pair_address],
    [story.CURVE, event?.from_pair],
    [story.SIGNATURE, buy.signature],
    [story.SALE, sale?.signature],
    [story.CREATION, eventSignature('created')],
    [story.MIGRATION, eventSignature('migrated')],
    [story.SYMBOL, symbol],
    [story.NAME, name],
  ]
  for (const [documented, live] of pairs) if (live) yield [documented, live]
}

/** Request parameters whose value must differ from the story's to get a response with data. */
function parametersOf({ subjects, buy, event }: Seen, nowMs: number): [string, unknown][] {
  const { mint, symbol, sector, creator, largest_buy_lamports: largest } = subjects
  const { timestamp, dex } = buy
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)
  const eventMs = event?.timestamp ?? timestamp
  const beginning = (symbol || mint).slice(0, QUERY_LENGTH).toLowerCase()
  return [
    ['dex', dex],
    ['protocol', venueOf(dex).name],
    ['event', event?.event],
    ['q', beginning],
    ['sector', sector ?? undefined],
    ['creator', creator ?? undefined],
    ['offset', 1],
    ['min_value_sol', MIN_VALUE_SOL],
    ['min_sol', below(Math.min(MIN_SOL, lamportsToSol(buy.sol_amount)))],
    ['/swaps/whale min_sol', below(Math.min(WHALE_SOL, lamportsToSol(largest)))],
    ['from', timestamp - HOUR_MS],
    ['to', timestamp + MINUTE_MS],
    ['/pool-events pair_address', event?.pair_address ?? buy.pair_address],
    ['/pool-events token_address', event?.token_address ?? mint],
    ['/pool-events dex', event?.dex ?? dex],
    ['/pool-events from', eventMs - HOUR_MS],
    ['/pool-events to', eventMs + MINUTE_MS],
    ['/price/history/range from', timestamp - DAY_MS],
    [`${BARS} from`, Math.floor((timestamp - DAY_MS) / MS_A_SECOND)],
    [`${BARS} to`, Math.ceil((timestamp + MINUTE_MS) / MS_A_SECOND)],
    ['/udf/search query', beginning],
    ...DATED.flatMap((path): [string, string][] => [
      [`${path} from`, dayOf(nowMs - DAYS_BEFORE * DAY_MS)],
      [`${path} to`, dayOf(nowMs)],
    ]),
    [`${CALENDAR} from`, dayOf(nowMs - DAY_MS)],
    [`${CALENDAR} to`, dayOf(nowMs)],
  ]
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
async function addCursors(
  routes: readonly Route[],
  fetchRoute: FetchRoute,
  live: Draft,
): Promise<void> {
  for (const { path, access, parameters, example } of routes) {
    if (access !== undefined || !('cursor' in parameters.properties)) continue
    const given = Object.entries({ ...requestOf(path, example, live), limit: 1 })
    const { next_cursor: next } = await fetchRoute<{ next_cursor: string | null }>(
      path,
      Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    )
    const name = `${path} cursor`
    live.parameterValues.set(name, next ?? undefined)
    const documented = VALUES[name]
    if (next !== null && typeof documented === 'string') live.texts.set(documented, next)
  }
}

type Draft = LiveExamples & { texts: Map<string, string>; parameterValues: Map<string, unknown> }
