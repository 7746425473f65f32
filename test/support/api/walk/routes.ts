/**
 * Requests of every route that reads, made from the document of the API and the subjects of a market, and their answers as
 * texts: to compare installations that were fed the same events. Parameters of the path take each subject of their kind,
 * optional parameters are added one by one with each of their values, and lists are walked by their cursors.
 *
 * A parameter without values is an error: a new route or parameter is walked, or has a row in LEFT_OUT.
 */
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { ASSUMED_FEES, VENUES } from '../../../../domain/venue.ts'
import type { Prng } from '../../../../streams/simulator/prng.ts'
import type { Subjects } from './subjects.ts'

/** `body`: of a POST that reads, as JSON; `isList`: it has a cursor; `hasAsOf`: it answers as of a slot. */
export type WalkRequest = {
  operationId: string
  path: string
  body?: string
  isList?: boolean
  hasAsOf?: boolean
}
/** `key`: without a limit of requests. */
type WalkedApi = { url: string; key: string; adminKey: string }
/** `asOfSlot`: of the end of which answers are requested; absent: of now. */
type Walk = { asOfSlot?: number | undefined }
/** By request and page: status and body, without the fields that differ by nature. */
export type Walked = ReadonlyMap<string, string>

type Schema = { type?: string; enum?: readonly unknown[] }
type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Operation = { operationId: string; parameters?: Parameter[] }
type Document = { paths: Record<string, Record<string, Operation>> }
type Values = Readonly<Record<string, string>>

const ANSWER_MS = 60_000
/** The refusal of a fact of a token line after the slot. */
const NO_FACT = /"AS_OF_UNSUPPORTED"|only lines after slot|is of a line after slot/

/** Routes that are no function of the events, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  getBacktest: 'reads a job of the key',
  getPastLeaderboard: 'reads a job of the key',
  getCurrentSlot: 'is how far the workers of the installation have come',
  getCredits: 'counts the requests of the key',
  getDocument: 'is a document of the program',
  getFavicon: 'has no content',
  getMetrics: 'measures the installation',
  getReadiness: 'measures the installation',
  getSamples: 'measures the installation',
  getUdfTime: 'is the time of the request',
  getWebhook: 'is about an endpoint of the installation',
  listAuditEntries: 'lists actions of operators',
  listKeys: 'lists keys of the installation',
  listLanes: 'lists lanes of the installation',
  listQueues: 'lists jobs of the installation',
  listReplays: 'lists replays that operators started',
  listSources: 'lists programs that feed the installation',
  listWebhooks: 'lists endpoints of the installation',
  openFeed: 'is a handshake',
  queryGraphqlByUrl: 'takes any query: a query is asked by POST',
  streamBacktest: 'reads a job of the key',
  streamPastLeaderboard: 'reads a job of the key',
}

/** Requests that routes which answer as of a slot refuse, and why. */
const REFUSED_AS_OF: Readonly<Record<string, (query: URLSearchParams) => boolean>> = {
  // Pools are listed by the venue of their newest swaps.
  listPairs: (query) =>
    query.has('protocol') && !query.has('token_address') && !query.has('token_addresses'),
}

/** Fields that differ by nature, and why. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  computed_at: 'the time at which the answer, or what it shows, was computed',
  feed_cursor: "a position in the installation's own FEED",
  retracted_at: 'the time at which the installation read a retraction',
}

/** Parameters that a request needs besides those that are required, where the document states it in words only. */
const BASES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  getLatestCandle: [['token_address'], ['pair_address']],
  getPriceRange: [['token', 'from', 'to']],
  // A pool of the market trades several mints: the answer names them.
  getQuote: [['token_address']],
  getTokensStats: [['mints'], ['token_addresses']],
  listCandles: [['token_address'], ['pair_address']],
  listSwapsInRange: [
    ['from', 'to'],
    ['start_slot', 'end_slot'],
  ],
}

/** Parameters that are other names of one, or are not a matter of the events. */
const PASSED_OVER: readonly string[] = [
  ...['_', 'api_key', 'cursor', 'int64', 'type', 'exchange'],
  // A walk is of now, or of one slot as a whole.
  ...['as_of_slot', 'as_of_time'],
]
/** Optional parameters that exclude each other are not added to a base. */
const RIVALS: readonly string[] = [
  'token',
  'token_address',
  'pair_address',
  'mints',
  'token_addresses',
]

const PAGE_ROWS = 3
/** Pages of a list that are walked. */
const PAGES_MAX = 30
const AT_ONCE = 4
/** Combinations of required values to which each optional value is added. */
const COMBINATIONS = 3

/** Requests of all routes that read. */
export async function walkRequests({ url }: WalkedApi, subjects: Subjects): Promise<WalkRequest[]> {
  const response = await fetch(`${url}/openapi.json`)
  const { paths } = (await response.json()) as Document
  const ofPaths = Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined || get.operationId in LEFT_OUT ? [] : requestsOf(path, get, subjects),
  )
  const posts = Object.values(paths).flatMap(({ post }) => post ?? [])
  const past = new Set(posts.filter(hasAsOf).map(({ operationId }) => operationId))
  const batches = batchesOf(subjects)
  return [...ofPaths, ...batches.map((each) => ({ ...each, hasAsOf: past.has(each.operationId) }))]
}

const hasAsOf = ({ parameters }: Operation): boolean =>
  parameters?.some(({ name }) => name === 'as_of_slot') ?? false

/** A share of the requests, from 0 to 1, by chance, and at least the first of each route. */
export function shareOf(
  requests: readonly WalkRequest[],
  share: number,
  prng: Prng,
): readonly WalkRequest[] {
  const known = new Set<string>()
  return requests.filter(({ operationId }) => {
    const isFirst = !known.has(operationId)
    known.add(operationId)
    return prng.chance(share) || isFirst
  })
}

/** Answers to all requests, and the further pages of their lists. */
export async function walkRoutes(
  api: WalkedApi,
  requests: readonly WalkRequest[],
  walk: Walk = {},
): Promise<Walked> {
  const walked = new Map<string, string>()
  const waiting = requests.values()
  const walker = async (): Promise<void> => {
    for (const request of waiting) await walkPages(api, request, walk, walked)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, walker))
  return walked
}

/** In place of an answer that shows a fact which is not stored as of the slot. */
export const NOT_STORED = 'not stored'

/** Requests whose answers differ, with both from where they do; empty where all are equal. Those that are not stored are passed over. */
export function differencesOf(one: Walked, other: Walked): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort().flatMap((request) => {
    const [own = '', others = ''] = [one.get(request), other.get(request)]
    if (own === NOT_STORED || others === NOT_STORED) return []
    return own === others ? [] : [`${request}\n  ${apart(own, others)}\n  ${apart(others, own)}`]
  })
}

function apart(text: string, other: string): string {
  let at = 0
  while (at < text.length && text[at] === other[at]) at += 1
  return `...${text.slice(Math.max(0, at - 80), at + 80)}`
}

async function walkPages(
  api: WalkedApi,
  { path, body, isList = false }: WalkRequest,
  { asOfSlot }: Walk,
  walked: Map<string, string>,
): Promise<void> {
  let cursor: string | undefined
  for (let page = 1; page <= PAGES_MAX; page++) {
    const moment = asOfSlot === undefined ? '' : `&as_of_slot=${asOfSlot}`
    const from = cursor === undefined ? '' : `&cursor=${cursor}`
    const text = await answerOf(api, `${path}${moment}${from}`, body)
    const isStored = moment === '' || !NO_FACT.test(text)
    const shown = isStored ? withoutOwnFields(text) : NOT_STORED
    walked.set(`${path} ${body ?? ''} page ${page}`, shown)
    cursor = isList ? /"next_cursor":"([^"]+)"/.exec(text)?.[1] : undefined
    if (cursor === undefined) return
  }
}

/** Repeats a request while the API has not read all that was published (503), and where it closed an idle connection. */
async function answerOf(api: WalkedApi, path: string, body?: string): Promise<string> {
  let answer: string | Error = new Error('not asked')
  const isThere = async (): Promise<boolean> => {
    answer = await answerNow(api, path, body)
    return typeof answer === 'string'
  }
  await holdsWithin(ANSWER_MS, isThere)
  if (typeof answer === 'string') return answer
  throw new Error(`${path} ${body ?? ''}: ${answer.message}`, { cause: answer })
}

/** An error: the same request may be answered later. */
async function answerNow(
  { url, key, adminKey }: WalkedApi,
  path: string,
  body?: string,
): Promise<string | Error> {
  const isOperators = path.startsWith('/admin/')
  const response = await fetch(url + path, {
    headers: {
      ...(isOperators ? { Authorization: `Bearer ${adminKey}` } : { 'X-API-Key': key }),
      'Content-Type': 'application/json',
    },
    ...(body === undefined ? {} : { method: 'POST', body }),
  }).catch((error: Error) => new Error(`${error.message}: ${error.cause}`, { cause: error }))
  if (response instanceof Error) return response
  const text = await response.text()
  const isRefused = response.status === 422 && text.includes(BEFORE_HISTORY)
  const isAnswer = response.ok || response.status === 404 || isRefused
  if (isAnswer || NO_FACT.test(text)) return `${response.status} ${text}`
  const refused = new Error(`${response.status} ${text}`)
  if (response.status === 503) return refused
  throw new Error(`${path} ${body ?? ''}: ${refused.message}`)
}

/** The code of what needs swaps that were dropped. */
export const BEFORE_HISTORY = 'AS_OF_BEFORE_HISTORY'

const OWN_FIELD = new RegExp(`"(${Object.keys(OWN_FIELDS).join('|')})":("[^"]*"|-?\\d+)`, 'g')

/** The last field of an answer, which states the moment that it is of. */
const AS_OF = /,"as_of":\{[^}]*\}(?=\}$)/

const withoutOwnFields = (text: string): string =>
  text.replace(AS_OF, '').replaceAll(OWN_FIELD, '"$1":"its own"')

function requestsOf(path: string, operation: Operation, subjects: Subjects): WalkRequest[] {
  const { operationId } = operation
  const has = (parameter: string): boolean =>
    operation.parameters?.some(({ name }) => name === parameter) ?? false
  const traits = { isList: has('cursor'), hasAsOf: hasAsOf(operation) }
  const parameters = (operation.parameters ?? []).filter(({ name }) => !PASSED_OVER.includes(name))
  const valuesOf = (name: string): readonly string[] => {
    const parameter = parameters.find((each) => each.name === name)
    if (parameter === undefined) throw new Error(`"${operationId}" has no parameter "${name}"`)
    return valuesOfParameter(operationId, parameter, subjects)
  }
  const required = parameters.filter((each) => each.required === true).map(({ name }) => name)
  const rows: Values = parameters.some(({ name }) => name === 'limit')
    ? { limit: `${PAGE_ROWS}` }
    : {}
  return (BASES[operationId] ?? [[]]).flatMap((base) => {
    const given = [...new Set([...required, ...base])]
    const combinations = combined(given, valuesOf).map((values) => ({ ...rows, ...values }))
    const optional = parameters
      .map(({ name }) => name)
      .filter((name) => !given.includes(name) && name !== 'limit')
      .filter((name) => base.length === 0 || !RIVALS.includes(name))
    const added = optional.flatMap((name) =>
      valuesOf(name).flatMap((value, index) =>
        spread(combinations, index).map((values) => ({ ...values, [name]: value })),
      ),
    )
    const all = [...combinations, ...added]
    const isRefused = REFUSED_AS_OF[operationId] ?? (() => false)
    return all
      .map((values) => filled(path, values))
      .map((own) => {
        const hasAsOf = traits.hasAsOf && !isRefused(new URLSearchParams(own.split('?')[1]))
        return { operationId, path: own, ...traits, hasAsOf }
      })
  })
}

/** Every combination of values of these parameters; each range is one value. */
function combined(
  names: readonly string[],
  valuesOf: (name: string) => readonly string[],
): Values[] {
  let combinations: Values[] = [{}]
  for (const name of names) {
    const values = valuesOf(name)
    combinations = combinations.flatMap((each) =>
      values.map((value) => ({ ...each, [name]: value })),
    )
  }
  return combinations
}

/** Some of the combinations, others for each place. */
function spread(combinations: readonly Values[], index: number): readonly Values[] {
  const count = Math.min(COMBINATIONS, combinations.length)
  return Array.from(
    { length: count },
    (_, n) => combinations[(index * count + n) % combinations.length]!,
  )
}

function filled(path: string, values: Values): string {
  let text = path
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    const index = `{${name}}`
    if (text.includes(index)) text = text.replace(index, encodeURIComponent(value))
    else query.set(name, value)
  }
  return `${text}?${query}`
}

const FIVE_DAYS_MS = 5 * DAY_MS

const dateOfMs = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function valuesOfParameter(
  operationId: string,
  { name, schema }: Parameter,
  { wallets, mints, pairs, signatures, symbols, sectors, creators, slots, times }: Subjects,
): readonly string[] {
  const seconds = times.map((ms) => String(Math.floor(ms / 1_000)))
  const isUdf = operationId === 'getUdfHistory'
  // A range has at most 10,000 candles of a minute.
  const fromMs =
    operationId === 'getPriceRange' ? Math.max(times[0], times[1] - FIVE_DAYS_MS) : times[0]
  const beginnings = [...symbols, ...mints, ...pairs].map((text) => [...text].slice(0, 2).join(''))
  const table: Readonly<Record<string, readonly string[]>> = {
    ...{ wallet: wallets, w: wallets, user: wallets, attacker: wallets },
    ...{ mint: mints, token: mints, token_address: mints, t: mints },
    ...{ pair_address: pairs, signature: signatures, symbol: [...mints, ...pairs] },
    ...{ mints: [mints.join()], token_addresses: [mints.join()], tokens: [mints.join()] },
    ...{
      'mints[]': [mints.join()],
      q: [...beginnings, ...mints, ...pairs, ...wallets],
      query: beginnings,
    },
    ...{ creator: creators, sector: sectors, dex: venues, protocol: venues },
    ...{ from: [isUdf ? seconds[0]! : dateOfMs(fromMs)] },
    ...{ to: [isUdf ? seconds[1]! : dateOfMs(times[1])] },
    ...{ start_slot: [String(slots[0])], end_slot: [String(slots[1])] },
    ...{ timestamp: times.map(String), countback: ['7'], offset: ['1', '2'], top_n: ['2'] },
    ...{
      amount_in: ['1000000'],
      slot: [String(Math.floor((slots[0] + slots[1]) / 2))],
      [ASSUMED_FEES]: ['10'],
    },
    ...{ min_sol: ['0.05'], min_value_sol: ['0.001'], extra_windows: ['5m,24h'] },
  }
  const own = table[name]
  if (own !== undefined) return own
  if (schema.enum !== undefined) return schema.enum.map(String)
  if (schema.type === 'boolean') return ['true', 'false']
  if (name.startsWith('min_')) return ['1']
  if (name.startsWith('max_')) return ['1000']
  throw new Error(`"${operationId}" has a parameter "${name}": give it values here`)
}

const venues: readonly string[] = VENUES.map(({ dex }) => String(dex))

const MODES = ['raw', 'strict', 'adjusted']
/** Fields of GraphQL in addition to those of the routes: a token within a row. */
const GRAPHQL_FIELDS = 'mint symbol name decimals creator sector price_sol price_usd'

/** The POSTs that read. */
function batchesOf({ wallets, mints }: Subjects): WalkRequest[] {
  const pairs = wallets.flatMap((wallet) => mints.map((mint) => ({ wallet, mint }))).slice(0, 200)
  const post = (operationId: string, path: string, body: object): WalkRequest => ({
    operationId,
    path: `${path}?`,
    body: JSON.stringify(body),
  })
  const ofModes = MODES.flatMap((mode) => [
    post('getPositionsBatch', '/v2/pnl/positions/batch', { pairs, pnl_mode: mode }),
    ...wallets.map((wallet) =>
      post('getWalletPositionsBatch', `/wallets/${wallet}/positions/batch`, {
        mints,
        pnl_mode: mode,
      }),
    ),
    ...mints.map((mint) =>
      post('getTokenPositionsBatch', `/tokens/${mint}/positions/batch`, {
        wallets,
        pnl_mode: mode,
      }),
    ),
  ])
  const summaries = post('getWalletsBatch', '/wallets/batch', { wallets })
  const query = `{ swaps(limit: 50) { signature token { ${GRAPHQL_FIELDS} } } }`
  const copied = { wallets: wallets.slice(0, 3), from_slot: 0, delay_slots: [0, 1, 5] }
  const copies = post('copyBacktest', '/v2/backtest/copy', { ...copied, size_lamports: 1e8 })
  return [...ofModes, summaries, copies, post('queryGraphql', '/graphql', { query })]
}
