// Every example of every document on a demo market: its subject exists. REST with each parameter by itself, GraphQL,
// the WebSocket feed, and operators' routes.

import test, { type ExecutionContext } from 'ava'
import { recordedExamples } from '../../../api/examples/recorded.ts'
import { REQUESTS } from '../../../api/feed/websocket/protocol/schema.ts'
import { PARTIAL_SECONDS } from '../../../api/openapi/documents.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { type Demo, startDemo } from '../../support/deploy/demo.ts'
import { FeedClient } from '../../support/feed/feed-client.ts'
import { trader } from '../../support/market/sample-swap.ts'

type Parameter = {
  name: string
  in: string
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example: unknown }> }
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>
  security?: object[]
}
type Document = { paths: Record<string, Record<string, Operation>> }
type Request = { shown: string; path: string; method: string; url: string; body?: string }

/** Lists that may be empty here, and why. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {
  'get /api/v1/coverage data.ranges': 'a demo market is not read from the chain',
  'get /api/v1/coverage data.gaps': 'the same',
  'any as_of.coverage_gaps': 'the same',
  'get /v2/mev/sandwiches data': 'nobody may have attacked, and the job follows some seconds later',
  'get /v2/mev/summary rows': 'the same',
  'get /v2/mev/wallets/{wallet} days': 'the same',
  'get /admin/v1/sources data.sources': 'a demo market is not read from the chain',
  'get /admin/v1/sources data.coverage.ranges': 'the same',
  'get /admin/v1/sources data.coverage.gaps': 'the same',
  'get /admin/v1/sources data.warnings': 'the same',
  'get /admin/v1/history data.waits': 'nothing is sealed, so no run of the sealer has waited',
  'get /admin/v1/history data.holders': 'no transaction may be open',
  'get /admin/v1/history data.refusals': 'no swap was dropped',
  'get /api/v1/retractions data': 'no block of a demo market leaves a chain',
  'get /wallets/{w}/chart series': 'days that have ended: the market is an hour old',
  'get /v2/pnl/wallets/{wallet}/positions/{mint}/lots sells':
    'behind a cursor lots may be left alone',
  'get /wallets/{wallet}/tags tags': 'not every wallet is known for something',
  ...Object.fromEntries(
    ['biggest_win', 'biggest_loss', 'biggest_bag', 'fastest_flip', 'longest_hold'].map((name) => [
      `get /v2/pnl/wallets/{wallet}/highlights ${name}.tags`,
      'a wallet is tagged on some of its mints',
    ]),
  ),
  'get /tokens/{mint}/intel name_flags': 'no name of the market deceives',
  'get /tokens/{mint}/intel metadata_conflicts':
    'the token lines of the market agree with its swaps',
  'get /api/v1/top-movers data.losers': 'of one venue every token may have risen in the window',
  'get /search warnings': 'nothing was wrong with the request',
  'get /screener warnings': 'nothing was wrong with the request',
  'get /screener by sector results': 'no token of the sector may trade so much within the hour',
  'get /admin/v1/webhooks data': 'the example that creates one comes after it',
  'get /admin/v1/dead-letters data': 'no event was refused by a worker',
  'post /admin/v1/dead-letters/retry data.sent': 'no event was refused by a worker',
  'get /tokens/{mint}/smart-money results':
    'a holder is smart money once he was profiled, and wallets are as they are read',
}
/** Requests that another status is right for, and why. */
const OTHER_STATUS: Readonly<Record<string, number>> = {
  // Browsers request an icon, which does not exist.
  'get /favicon.ico': 204,
  // Without a handshake.
  'get /ws/v1': 404,
  // No job has computed a back-test of this id.
  'get /v2/backtest/{id}': 404,
  'get /v2/backtest/{id}/events': 404,
  'delete /v2/backtest/{id}': 404,
  // The market continues, so that the same question is another one each time.
  'post /v2/asof/leaderboard': 202,
  'get /v2/asof/leaderboard/{id}': 404,
  'get /v2/asof/leaderboard/{id}/events': 404,
  'delete /v2/asof/leaderboard/{id}': 404,
  // The demo has no daily files.
  'post /v2/sql': 403,
  // No event was refused, and no replay is of this id.
  'post /admin/v1/dead-letters/{id}/retry': 404,
  'delete /admin/v1/replays/{id}': 404,
}
const OTHER_KOL = trader(1)
/** Milliseconds in which jobs have computed the requested answer. */
const JOBS_BOUND_MS = 60_000
const POLL_MS = 250
const OPERATORS_PATH = /^\/(?:admin|metrics)/
const DOCUMENT_PATH = /^\/(?:openapi|asyncapi)\.json$/

const exampleOf = ({ example, examples = {} }: Parameter): unknown =>
  example ?? Object.values(examples)[0]?.value

/** The example of an operation, and with each further parameter by itself. */
function requestsOf(path: string, method: string, operation: Operation): Request[] {
  const { parameters = [], requestBody } = operation
  const example = requestBody?.content['application/json']?.example
  const body = example === undefined ? {} : { body: JSON.stringify(example) }
  const alone = parameters.filter(({ examples }) => examples !== undefined)
  return [undefined, ...alone].map((further) => {
    let filled = path
    const query = new URLSearchParams()
    for (const parameter of parameters) {
      if (parameter.example === undefined && parameter !== further) continue
      const text = String(exampleOf(parameter))
      if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, text)
      else query.set(parameter.name, text)
    }
    return { shown: `${method} ${path}`, path, method, url: `${filled}?${query}`, ...body }
  })
}

/** Names of the empty lists of an answer; a list within a row may be. */
function emptyLists(answer: unknown, within = ''): string[] {
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.length === 0 ? [within + name] : []
    return emptyLists(value, `${within}${name}.`)
  })
}

/** The error of the answer; undefined: none. */
async function mismatchOf(
  demo: Demo,
  { shown, path, method, url, body }: Request,
): Promise<string | undefined> {
  const headers: Record<string, string> = OPERATORS_PATH.test(path)
    ? { Authorization: `Bearer ${demo.adminKey}` }
    : { 'X-API-Key': demo.key }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const requested = {
    method: method.toUpperCase(),
    headers,
    ...(body === undefined ? {} : { body }),
  }
  const answer = await fetch(demo.url + url, requested)
  const text = await answer.text()
  const expected = OTHER_STATUS[shown] ?? 200
  if (answer.status !== expected) return `${shown} ${url}: ${answer.status} ${text.slice(0, 200)}`
  if (expected !== 200) return undefined
  if (text === '' && method === 'get') return `${shown} ${url}: an empty answer`
  const isJson = /json/.test(answer.headers.get('Content-Type') ?? '')
  if (!isJson || DOCUMENT_PATH.test(path)) return undefined
  const names = [shown, 'any', ...(url.includes('sector=') ? [`${shown} by sector`] : [])]
  const empty = emptyLists(JSON.parse(text)).filter((list) =>
    names.every((each) => MAY_BE_EMPTY[`${each} ${list}`] === undefined),
  )
  return empty.length === 0 ? undefined : `${shown} ${url}: nothing in ${empty.join(' ')}`
}

async function documentOf(demo: Demo): Promise<Document> {
  let document: unknown
  // Until every worker has processed the market it is cached for seconds.
  await holdsWithin(
    JOBS_BOUND_MS,
    async () => {
      const answer = await fetch(`${demo.url}/openapi.json`)
      document = await answer.json()
      const [, seconds = '0'] =
        /max-age=(\d+)/.exec(answer.headers.get('Cache-Control') ?? '') ?? []
      return Number(seconds) > PARTIAL_SECONDS
    },
    POLL_MS,
  )
  return document as Document
}

async function expectRest(t: ExecutionContext, demo: Demo, { paths }: Document): Promise<void> {
  const requests = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(() => path !== '/graphql')
      .flatMap(([method, operation]) => requestsOf(path, method, operation)),
  )
  // A revoked key cannot be used by later examples.
  const [last, first] = [/revoke|rotate|^delete/, /^put/]
  const rank = ({ shown }: Request) => (last.test(shown) ? 2 : first.test(shown) ? 0 : 1)
  requests.sort((a, b) => rank(a) - rank(b))
  t.true(requests.length > 150, `${requests.length}`)
  let left = requests
  let mismatches: string[] = []
  await holdsWithin(JOBS_BOUND_MS, async () => {
    mismatches = []
    const again: Request[] = []
    for (const request of left) {
      const mismatch = await mismatchOf(demo, request)
      if (mismatch === undefined) continue
      mismatches.push(mismatch)
      again.push(request)
    }
    left = again
    return left.length === 0
  })
  t.deepEqual(mismatches, [])
}

/** A document is served at once, and not sent again to a client that has it. */
async function expectStored(t: ExecutionContext, { url }: Demo): Promise<void> {
  for (const path of ['/openapi.json', '/asyncapi.json']) {
    const first = await fetch(url + path)
    await first.arrayBuffer()
    t.regex(first.headers.get('Cache-Control') ?? '', /max-age=[1-9]/)
    const again = await fetch(url + path, {
      headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
    })
    t.is(again.status, 304, path)
    t.is(again.headers.get('X-Cache'), 'hit')
    t.is(await again.text(), '')
  }
}

async function expectGraphql(t: ExecutionContext, demo: Demo, { paths }: Document): Promise<void> {
  const { get, post } = paths['/graphql'] ?? {}
  const headers = { 'X-API-Key': demo.key, 'Content-Type': 'application/json' }
  const query = new URLSearchParams(
    get?.parameters?.map((each): [string, string] => [each.name, String(exampleOf(each))]),
  )
  const body = JSON.stringify(post?.requestBody?.content['application/json']?.example)
  for (const requesting of [
    fetch(`${demo.url}/graphql?${query}`, { headers }),
    fetch(`${demo.url}/graphql`, { method: 'POST', headers, body }),
  ]) {
    const { data, errors } = (await (await requesting).json()) as Record<string, unknown>
    t.is(errors, undefined)
    t.deepEqual(emptyLists(data), [])
  }
}

async function expectFeed(t: ExecutionContext, demo: Demo): Promise<void> {
  const { components } = (await (await fetch(`${demo.url}/asyncapi.json`)).json()) as {
    components: { messages: Record<string, { examples?: { payload: Record<string, unknown> }[] }> }
  }
  const client = new FeedClient(`${demo.url.replace('http', 'ws')}/ws/v1`, {
    headers: { 'X-API-Key': demo.key },
  })
  t.teardown(() => client.socket.terminate())
  await client.until('welcome')
  const ANSWERS = { subscribe: 'subscribed', update: 'updated', unsubscribe: 'unsubscribed' }
  for (const op of Object.keys(REQUESTS)) {
    const { examples = [] } = components.messages[op] ?? {}
    t.true(examples.length > 0, op)
    for (const { payload } of examples) {
      client.send(payload)
      const type = { ...ANSWERS, list: 'subscriptions', ping: 'pong' }[op] ?? op
      const answered = await holdsWithin(JOBS_BOUND_MS, () =>
        client.frames.some((frame) => frame.type === type && frame.id === payload.id),
      )
      t.true(answered, `${JSON.stringify(payload)}: ${JSON.stringify(client.of('error'))}`)
      if (op !== 'subscribe') continue
      const isSent = () =>
        client.frames.some(
          ({ type, sub, data }) =>
            (type === 'data' || type === 'snapshot') &&
            sub === payload.sub &&
            (data as unknown[]).length > 0,
        )
      t.true(await holdsWithin(JOBS_BOUND_MS, isSent), JSON.stringify(payload))
    }
  }
  t.deepEqual(client.of('error'), [])
}

test('every example of every document has an answer on a demo market', async (t) => {
  const demo = await startDemo(t)
  const document = await documentOf(demo)
  const wallet = document.paths['/wallets/{w}/stats']?.get?.parameters?.find(
    ({ name }) => name === 'w',
  )
  t.not(wallet?.example, recordedExamples().market.wallet, 'the installation has its own')
  // Without one the calendar of KOLs is empty, and only an operator can add them.
  const kols = [wallet?.example, OTHER_KOL].map((each) => `${each},Ann`)
  const file = ['wallet,display_name', ...kols, ''].join('\n')
  t.is((await demo.run(['import', 'kols', '-'], file)).code, 0)
  await expectStored(t, demo)
  await expectGraphql(t, demo, document)
  await expectFeed(t, demo)
  await expectRest(t, demo, document)
  const notFound = document.paths['/stats/token/{mint}']?.get?.responses[404]
  t.true(
    JSON.stringify(notFound).includes('1'.repeat(32)),
    'an error tells of a token that is not there',
  )
})
