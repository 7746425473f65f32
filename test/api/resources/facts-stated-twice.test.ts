/**
 * One fact, one source: a history in which the sources disagree (a token line against swaps, a token line against a
 * `created` event, the pool traded last against the top pool), through the real actors, and every route and feed that
 * reports a fact. A row of FACTS is a fact, its value, and all answers that have it.
 */
import test, { type ExecutionContext } from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import { welcomed } from '../../support/feed/feed-client.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { asker } from '../graphql/send-query.ts'

const BOUND_MS = 60_000
const FIRST_MS = Date.UTC(2026, 7, 1, 12)
const SOL = 1_000_000_000
const RATE = 100
const TOKEN = mint(1)
/** In the other order: its swaps first, its line after them. */
const LATER = mint(2)
const [SMALL, TOP] = [pair(1), pair(2)] as const
const [LINE_CREATOR, EVENT_CREATOR, HOLDER] = [trader(1), trader(2), trader(3)] as const
/** By the swaps; the line has 9. */
const DECIMALS = 6
const SUPPLY = 1_000_000_000_000n
const PRICE = 2
const RESERVES = 40 * SOL

let slot = 1_000
function swap(changes: Partial<Swap>): Event {
  slot += 1
  const own = sampleSwap({
    signature: signatureOf(slot),
    slot,
    timestamp: FIRST_MS + (slot - 1_000) * 1_000,
    tokenAddress: TOKEN,
    user: HOLDER,
    quoteDecimals: DECIMALS,
    tokenAmount: 10_000_000,
    realSolReserves: RESERVES,
    ...changes,
  })
  return { kind: 'swap', swap: own }
}
const line = (tokenAddress: string): Event => ({
  kind: 'token',
  token: {
    tokenAddress,
    slot: 1,
    creator: LINE_CREATOR,
    decimals: 9,
    symbol: 'FACT',
    name: 'Fact',
    supply: SUPPLY,
    sector: 'memes',
  },
})
const CREATED: PoolEvent = {
  event: 'created',
  signature: signatureOf(1),
  slot: 999,
  timestamp: FIRST_MS,
  pairAddress: SMALL,
  tokenAddress: TOKEN,
  dex: 1,
  blockTxIndex: 0,
  ixIndex: 0,
  creator: EVENT_CREATOR,
}

const EVENTS: readonly Event[][] = [
  [
    line(TOKEN),
    { kind: 'pool_event', poolEvent: CREATED },
    swap({ pairAddress: SMALL, dex: 1, solAmount: 30 * SOL, realSolReserves: 7 * SOL }),
    swap({ tokenAddress: LATER, pairAddress: pair(3), solAmount: SOL }),
  ],
  [
    swap({ pairAddress: TOP, dex: 3, solAmount: 60 * SOL }),
    swap({ pairAddress: TOP, dex: 3, solAmount: 10 * PRICE * SOL }),
    // Newer than the trade that sets the price, in a pool that does not.
    swap({ pairAddress: SMALL, dex: 1, solAmount: SOL, realSolReserves: 8 * SOL }),
    line(LATER),
  ],
]

type Json = { readonly [name: string]: Json }
type Answers = Record<string, Json | undefined>

const rowsIn = (value: Json | undefined): Json[] => Object.values(value ?? {})
const rowOf = (value: Json | undefined, name = 'mint'): Json | undefined =>
  rowsIn(value).find((row) => (row[name] as unknown) === TOKEN)

const at = (value: Json, path: string): Json | undefined =>
  path.split('.').reduce<Json | undefined>((part, name) => part?.[name], value)

async function everyAnswer(t: ExecutionContext): Promise<{ answers: Answers; lines: string[] }> {
  const { pipeline, api, keyFor } = await feedApi(t, { api: { solUsdFallback: RATE } })
  await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'] })
  const { key, url } = await keyFor('enterprise')
  const get = async (path: string): Promise<Json> => {
    const response = await fetch(`${api.url}${path}`, { headers: { 'x-api-key': key } })
    t.is(response.status, 200, path)
    return (await response.json()) as Json
  }
  for (const events of EVENTS) {
    await publishAll(pipeline, events)
    await untilCaughtUp(pipeline, BOUND_MS)
  }
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await untilRankingCaughtUp(pipeline, BOUND_MS)
  const trending = '/trending?window=24h&sector=memes'
  await until('the token is ranked', BOUND_MS, async () => {
    return (await get(trending)).total === (2 as unknown)
  })
  const readMovers = async () => (await get('/api/v1/top-movers?timeframe=24h')).data
  const moverOf = (movers?: Json) => rowOf(movers?.gainers) ?? rowOf(movers?.losers)
  await until('the token moves', BOUND_MS, async () => moverOf(await readMovers()) !== undefined)
  const client = await welcomed(t, url)
  const filter = { tokens: [TOKEN] }
  client.send({ op: 'subscribe', sub: 'stats', channel: 'token_stats', filter })
  client.send({ op: 'subscribe', sub: 'candles', channel: 'candles', filter })
  await until('both snapshots', BOUND_MS, () => client.of('snapshot').length >= 2)
  const first = (sub: string) => rowsIn(client.of('snapshot', sub)[0]?.data as Json)[0]
  const { send } = await asker({ api, db: pipeline.db })
  const graphql = `{
    tokenStats(mint: "${TOKEN}") { token { decimals creator symbol name sector price_sol } }
  }`
  const range = `from=${FIRST_MS}&to=${FIRST_MS + 600_000}`
  const screen = async (query: string) =>
    rowOf((await get(`/screener?window=24h&${query}`)).results)
  const answers: Answers = {
    stats: (await get(`/stats/token/${TOKEN}`)).data,
    many: rowOf((await get(`/stats/tokens?mints=${TOKEN}`)).stats),
    intel: await get(`/tokens/${TOKEN}/intel`),
    graphql: at((await send(graphql)).data as Json, 'tokenStats.token'),
    streamed: first('stats'),
    candle: first('candles'),
    candles: await get(`/api/v1/candles?token_address=${TOKEN}`),
    latest: await get(`/api/v1/candles/latest?token_address=${TOKEN}`),
    range: await get(`/price/history/range?token=${TOKEN}&${range}`),
    pairs: rowsIn((await get(`/api/v1/pairs?token_address=${TOKEN}`)).data)[0],
    screener: await screen(`mint=${TOKEN}`),
    screenedBySector: await screen('sector=memes'),
    screenedByCreator: await screen(`creator=${LINE_CREATOR}`),
    trending: rowOf((await get(trending)).results),
    search: rowOf((await get('/search?q=FACT')).results, 'id'),
    movers: moverOf(await readMovers()),
    lots: await get(`/v2/pnl/wallets/${HOLDER}/positions/${TOKEN}/lots`),
    position: rowOf((await get(`/v2/pnl/wallets/${HOLDER}/positions`)).positions),
    holding: rowOf((await get(`/wallets/${HOLDER}/holdings`)).holdings),
    holder: rowsIn((await get(`/tokens/${TOKEN}/holders`)).holders)[0],
    whale: at(await get(`/tokens/${TOKEN}/whales`), 'results.0.position'),
    later: await get(`/tokens/${LATER}/intel`),
    foreign: await get(`/screener?creator=${EVENT_CREATOR}&window=24h`),
  }
  return { answers, lines: pipeline.recording.lines }
}

/** Four buys of ten. */
const HELD = 40
const [PRICE_USD, LIQUIDITY_SOL] = [PRICE * RATE, (2 * RESERVES) / SOL]
const CAP = PRICE * Number(SUPPLY / 10n ** BigInt(DECIMALS))

/** A fact: its value, and the fields that report it, as `answer.field`. */
const FACTS: readonly (readonly [string, unknown, readonly string[]])[] = [
  [
    'decimals',
    DECIMALS,
    ['stats', 'many', 'intel', 'graphql', 'streamed', 'lots'].map((name) => `${name}.decimals`),
  ],
  ['market cap in SOL', CAP, ['stats', 'many', 'streamed'].map((name) => `${name}.market_cap_sol`)],
  [
    'price in SOL',
    PRICE,
    [
      ...[
        'stats',
        'many',
        'intel',
        'graphql',
        'streamed',
        'screener',
        'screenedBySector',
        'pairs',
      ].map((name) => `${name}.price_sol`),
      ...['candle.close', 'candles.data.0.close', 'latest.data.close', 'range.close'],
      'movers.close_price',
    ],
  ],
  [
    'price in US dollars',
    PRICE_USD,
    ['stats', 'many', 'intel', 'streamed', 'screener', 'trending'].map(
      (name) => `${name}.price_usd`,
    ),
  ],
  [
    'top pool',
    TOP,
    [
      ...['stats', 'many', 'intel', 'streamed'].map((name) => `${name}.top_pair`),
      ...['candle', 'latest.data', 'latest.pool', 'candles.pool', 'range', 'pairs'].map(
        (name) => `${name}.pair_address`,
      ),
      'candles.data.0.pair_address',
    ],
  ],
  [
    'liquidity in SOL',
    LIQUIDITY_SOL,
    ['stats', 'many', 'intel', 'streamed', 'screener', 'pairs'].map(
      (name) => `${name}.liquidity_sol`,
    ),
  ],
  [
    'liquidity in US dollars',
    LIQUIDITY_SOL * RATE,
    ['stats', 'intel', 'screener', 'trending'].map((name) => `${name}.liquidity_usd`),
  ],
  ['quantity held', HELD, ['holding.qty', 'holder.qty', 'whale.qty']],
  [
    'value held in SOL',
    HELD * PRICE,
    ['position', 'holding', 'holder', 'whale'].map((name) => `${name}.current_value_sol`),
  ],
  ['creator', LINE_CREATOR, ['intel.creator.wallet', 'graphql.creator']],
  ['the token is found by its creator', TOKEN, ['screenedByCreator.mint']],
  ['nothing is found by the other creator', 0, ['foreign.total_matches']],
  [
    'sector',
    'memes',
    ['intel', 'graphql', 'screener', 'screenedBySector'].map((name) => `${name}.sector`),
  ],
  ['the token is found by its sector', TOKEN, ['screenedBySector.mint', 'trending.mint']],
  [
    'symbol',
    'FACT',
    ['stats', 'many', 'intel', 'graphql', 'streamed', 'screener'].map((name) => `${name}.symbol`),
  ],
  [
    'name',
    'Fact',
    ['stats', 'many', 'intel', 'graphql', 'streamed', 'screener'].map((name) => `${name}.name`),
  ],
  ['label', 'FACT (Fact)', ['search.label']],
]

test('every answer reads a fact from the same source, whatever others contain', async (t) => {
  const { answers, lines } = await everyAnswer(t)
  for (const [fact, expected, paths] of FACTS) {
    const reported = Object.fromEntries(
      paths.map((path) => [path, at(answers as Json, path) as unknown]),
    )
    const all = Object.fromEntries(paths.map((path) => [path, expected]))
    t.deepEqual(reported, all, fact)
  }
  const decimals = {
    field: 'decimals',
    shown: '6',
    shown_source: 'newest_swap',
    ignored: '9',
    ignored_source: 'token_line',
  }
  t.deepEqual(answers.intel?.metadata_conflicts as unknown, [
    decimals,
    {
      field: 'creator',
      shown: LINE_CREATOR,
      shown_source: 'token_line',
      ignored: EVENT_CREATOR,
      ignored_source: 'created_event',
    },
  ])
  t.deepEqual(answers.later?.metadata_conflicts as unknown, [decimals])
  // One line a mint, whether its line or its swaps came last.
  const warned = lines.filter((text) => text.includes('ignored decimals of token line'))
  t.is(warned.length, 2)
  for (const each of [TOKEN, LATER]) t.true(warned.some((text) => text.includes(each)))
})
