/**
 * Latest values by a real client, with the actors at work: the last received value of each equals the answer of REST at
 * rest.
 */
import test from 'ava'
import { TIMEFRAMES } from '../../../../domain/time/timeframe.ts'
import { MOVER_TIMEFRAMES } from '../../../../domain/time/trade-window.ts'
import { poolOf } from '../../../support/events/sample-event.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { type FeedClient, type Received, welcomed } from '../../../support/feed/feed-client.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { feedEnd, publishAll, until, untilCaughtUp } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'

type Row = Record<string, unknown>

/** The contents of all frames of a subscription, one after the other. */
const sentTo = (client: FeedClient, sub: string): Row[] =>
  client.frames
    .filter((frame) => frame.sub === sub && (frame.type === 'snapshot' || frame.type === 'data'))
    .flatMap((frame) => frame.data as Row[])

/** The candle of the pool that was charted last. */
function newestCandle(sent: readonly Row[]): Row[] {
  const own = sent.filter(({ pair_address }) => pair_address === sent.at(-1)?.pair_address)
  const newest = Math.max(...own.map(({ timestamp }) => Number(timestamp)))
  const last = own.findLast(({ timestamp }) => timestamp === newest)
  return last === undefined ? [] : [last]
}

const WINDOWS = MOVER_TIMEFRAMES.map((window) => ({ window, sub: `movers ${window}` }))
type Requested = { pools: readonly string[]; tops: readonly string[]; tokens: readonly string[] }
type Get = (path: string) => Promise<Row>

function subscribe(client: FeedClient, { pools, tops, tokens }: Requested): void {
  for (const timeframe of TIMEFRAMES) {
    for (const [name, filter] of Object.entries({ pair: { pools }, token: { tokens: tops } })) {
      const requested = { channel: 'candles', filter: { ...filter, timeframe } }
      client.send({ op: 'subscribe', sub: `${timeframe} ${name}`, ...requested })
    }
  }
  // A pool without trades is empty, and does not block others.
  const filter = { tokens: [...tokens, poolOf(999)] }
  client.send({ op: 'subscribe', sub: 'stats', channel: 'token_stats', filter, batch_ms: 300 })
  const trending = { board: 'trending', window: '24h', limit: 20, include_score: true }
  client.send({ op: 'subscribe', sub: 'trending', channel: 'rankings', filter: trending })
  for (const { window, sub } of WINDOWS) {
    const movers = { board: 'top_movers', window, limit: 10 }
    client.send({ op: 'subscribe', sub, channel: 'rankings', filter: movers })
  }
}

/** Answers of REST, by subject. */
async function answered(get: Get, { pools, tops, tokens }: Requested): Promise<Map<string, Row[]>> {
  const answers = new Map<string, Row[]>()
  for (const timeframe of TIMEFRAMES) {
    for (const [name, accounts] of Object.entries({ pair: pools, token: tops })) {
      for (const each of accounts) {
        const path = `/api/v1/candles/latest?timeframe=${timeframe}&${name}_address=${each}`
        const latest = (await get(path)).data as Row | null
        answers.set(`${timeframe} ${name} ${each}`, latest === null ? [] : [latest])
      }
    }
  }
  const { stats } = await get(`/stats/tokens?mints=${tokens.join()}`)
  answers.set('stats', Object.values(stats as Record<string, Row>))
  const requested = 'window=24h&limit=20&include_score=true'
  answers.set('trending', [{ board: 'trending', ...(await get(`/trending?${requested}`)) }])
  for (const { window, sub } of WINDOWS) {
    const movers = await get(`/api/v1/top-movers?timeframe=${window}&limit=10`)
    answers.set(sub, [{ board: 'top_movers', ...(movers.data as Row) }])
  }
  return answers
}

/** The last of each that the client was sent. */
function found(client: FeedClient, { pools, tops }: Requested): Map<string, Row[]> {
  const answers = new Map<string, Row[]>()
  for (const timeframe of TIMEFRAMES) {
    for (const [name, accounts] of Object.entries({ pair: pools, token: tops })) {
      const all = sentTo(client, `${timeframe} ${name}`)
      const sent = Map.groupBy(all, (row) => row[`${name}_address`])
      for (const each of accounts) {
        answers.set(`${timeframe} ${name} ${each}`, newestCandle(sent.get(each) ?? []))
      }
    }
  }
  const stats = new Map(sentTo(client, 'stats').map((row) => [row.mint, row]))
  answers.set('stats', [...stats.values()])
  for (const sub of ['trending', ...WINDOWS.map((each) => each.sub)]) {
    answers.set(sub, sentTo(client, sub).slice(-1))
  }
  return answers
}

const sorted = (rows: readonly Row[] = []): string =>
  JSON.stringify(rows.map((row) => JSON.stringify(row)).sort())

test('latest values end equal to the answers of REST: candles, statistics, rankings', async (t) => {
  const { pipeline, api, keyFor } = await feedApi(t)
  await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'] })
  const { key, url } = await keyFor('enterprise')
  const get: Get = async (path) => {
    const response = await fetch(`${api.url}${path}`, { headers: { 'x-api-key': key } })
    t.is(response.status, 200, path)
    return (await response.json()) as Row
  }
  const events = smallMarket(77, 1_500)
  const swaps = events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const tokens = [...new Set(swaps.map(({ tokenAddress }) => tokenAddress))].slice(0, 60)
  const pools = [...new Set(swaps.map(({ pairAddress }) => pairAddress))].slice(0, 20)
  const requested = { pools, tops: tokens.slice(0, 20), tokens }
  const client = await welcomed(t, url)
  subscribe(client, requested)
  for (let from = 0; from < events.length; from += 300) {
    await publishAll(pipeline, events.slice(from, from + 300), { eventsMax: 5 })
    await untilCaughtUp(pipeline, 60_000)
  }
  await untilRankingCaughtUp(pipeline, 60_000)
  let answers = await answered(get, requested)
  const differing = (): string[] => {
    const got = found(client, requested)
    return [...got.keys()].filter((name) => sorted(got.get(name)) !== sorted(answers.get(name)))
  }
  // The ranking is refreshed once more after the last swap.
  await until('all is as REST answers', 60_000, async () => {
    if (differing().length > 0) answers = await answered(get, requested)
    return differing().length === 0
  }).catch(() => {})
  const got = found(client, requested)
  for (const name of differing()) t.is(sorted(got.get(name)), sorted(answers.get(name)), name)
  t.true(sorted(answers.get('trending')).includes('formula_breakdown'))
  t.is(answers.get('stats')?.length, tokens.length)
  t.true(pools.every((pool) => got.get(`1m pair ${pool}`)?.length === 1))
  const finals = client.of('snapshot').filter((frame) => frame.final)
  t.is(finals.length, 2 * TIMEFRAMES.length + 2 + MOVER_TIMEFRAMES.length)
  t.deepEqual(client.errors, [])
})

test('another filter begins with its snapshot; int64 is text on request; an unknown pool is empty', async (t) => {
  const { pipeline, urlFor, untilRead } = await feedApi(t)
  await runWorker(t, pipeline)
  const events = smallMarket(78, 200)
  const swaps = events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const tokens = [...new Set(swaps.map(({ tokenAddress }) => tokenAddress))]
  await publishAll(pipeline, events)
  await untilCaughtUp(pipeline)
  await untilRead()
  const client = await welcomed(t, await urlFor('free'))
  const send = { op: 'subscribe', channel: 'token_stats', from: { cursor: 'any' } }
  client.send({ ...send, sub: 'a', filter: { tokens: tokens.slice(0, 1) } })
  const subscribed = await client.until('subscribed')
  t.deepEqual([subscribed.mode, subscribed.cursor], ['live', null])
  await client.until('snapshot')
  const first = client.of('snapshot', 'a').at(-1) as Received
  t.is(first.cursor, `${pipeline.topology.feed.epoch}-${await feedEnd(pipeline)}`)
  client.send({ op: 'update', sub: 'a', filter: { tokens: tokens.slice(1, 4) } })
  await until('the other', 60_000, () => client.of('snapshot', 'a').length > 1)
  const mints = sentTo(client, 'a').map(({ mint }) => mint)
  t.deepEqual(mints, [tokens[0], ...tokens.slice(1, 4).sort()])
  client.send({ ...send, sub: 'text', filter: { tokens: tokens.slice(0, 1) }, int64: 'string' })
  await until('texts', 60_000, () => client.of('snapshot', 'text').length > 0)
  const [row] = sentTo(client, 'text')
  t.is(typeof row?.price_timestamp, 'string')
  t.regex(JSON.stringify(row), /"24h":\{"volume_sol":[\d.e-]+,"trades":"\d+"/)
  const unknown = {
    op: 'subscribe',
    sub: 'none',
    channel: 'candles',
    filter: { pools: [poolOf(5)] },
  }
  client.send(unknown)
  await until('nothing', 60_000, () => client.of('snapshot', 'none').length > 0)
  t.deepEqual(sentTo(client, 'none'), [])
  client.send({ op: 'subscribe', sub: 'bad', channel: 'rankings', filter: { board: 'x' } })
  t.is((await client.until('error')).code, 'INVALID_FILTER')
  t.deepEqual(client.errors, [])
})
