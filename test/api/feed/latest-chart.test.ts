/**
 * Latest values as the first thing after a REST list: the snapshot equals the answer of REST, not an older one, and a
 * chart that refuses times that run backwards (lightweight-charts: update() throws "Cannot update oldest data") takes
 * every candle.
 */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { parseLatestFilter } from '../../../api/feed/latest/filter.ts'
import { LatestSubscription, type Values } from '../../../api/feed/latest/subscription.ts'
import { LatestValue } from '../../../api/feed/latest/value.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { poolOf } from '../../support/events/sample-event.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import { type FeedClient, welcomed } from '../../support/feed/feed-client.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const MINUTE_MS = 60_000
const BOUND_MS = 60_000
type Row = Record<string, unknown>

/** A chart library's series: bars by time, of which the last alone can be updated. */
class Chart {
  readonly bars: Map<number, Row>
  last: number
  readonly refused: string[] = []

  constructor(listed: readonly Row[]) {
    this.bars = new Map(listed.map((row) => [Number(row.timestamp), row]))
    this.last = Math.max(Number.NEGATIVE_INFINITY, ...this.bars.keys())
  }

  take(row: Row): void {
    const time = Number(row.timestamp)
    if (row.correction === true ? time >= this.last : time < this.last) {
      this.refused.push(`${time} after ${this.last}, correction ${row.correction}`)
    }
    if (row.correction !== true) this.last = time
    this.bars.set(time, row)
  }
}

/** The result of a read: the newest bucket, the changes of both of them, and the pool. */
const reads = fc.array(
  fc.record({
    further: fc.constantFrom(0, 0, 0, 1, 1, 2, 5),
    previous: fc.nat(3),
    newest: fc.nat(3),
    isOtherPool: fc.constantFrom(false, false, false, false, true),
    framesMax: fc.nat(2),
  }),
  { minLength: 1, maxLength: 60 },
)

test('for any reads at any pace times of a chart go back only in corrections', (t) => {
  fc.assert(
    fc.property(reads, fc.nat(5), (played, beginsAt) => {
      const wanted = parseLatestFilter({ tokens: [poolOf(1)] }, 'candles')
      const subscription = new LatestSubscription({
        ...{ name: 'a', channel: 'candles', wanted, form: 'number', batchMs: 0 },
      })
      const [[name, subject]] = [...wanted.subjects] as [
        [string, (typeof wanted)['subjects'] extends ReadonlyMap<string, infer S> ? S : never],
      ]
      const value = new LatestValue(name, subject)
      const of: Values = { valueOf: () => value, cursorOf: () => 'epoch-1' }
      const chart = new Chart([])
      let [bucket, pool, isFirst] = [100, 0, true]
      let newest = ''
      const take = (framesMax: number): void => {
        let frames = 0
        if (framesMax === 0) return
        for (const text of subscription.frames(of)) {
          const frame = JSON.parse(text)
          if (isFirst) {
            t.is(frame.type, 'snapshot')
            t.deepEqual(
              frame.data.map(
                (row: Row) => `${row.pair_address} ${row.timestamp} ${row.trade_count}`,
              ),
              [newest],
            )
            isFirst = false
          }
          for (const row of frame.data) chart.take(row)
          if (++frames === framesMax) return
        }
      }
      const begins = Math.min(beginsAt, played.length - 1)
      for (const [index, read] of played.entries()) {
        if (index === begins) subscription.beginAfter(index)
        bucket += read.further
        // The top pool of a token is another one, whose newest candle may be older.
        if (read.isOtherPool) [pool, bucket] = [pool + 1, bucket - read.newest]
        const part = (at: number, trades: number) => ({
          name: `${pool} ${at}`,
          atMs: at,
          content: {
            pair_address: poolOf(pool),
            token_address: poolOf(1),
            timeframe: '1m',
            timestamp: at,
            open: 1,
            high: 1,
            low: 1,
            close: 1,
            volume_sol: 1,
            trade_count: trades,
          },
        })
        const parts = [part(bucket - 1, read.previous), part(bucket, read.newest)]
        newest = `${poolOf(pool)} ${bucket} ${read.newest}`
        subscription.note(name, value.put(parts, 1, index + 1))
        if (index >= begins) take(read.framesMax)
      }
      take(Number.POSITIVE_INFINITY)
      t.deepEqual(chart.refused, [])
      const last = chart.bars.get(bucket)
      t.is(`${last?.pair_address} ${last?.timestamp} ${last?.trade_count}`, newest)
    }),
    { numRuns: 500 },
  )
})

const rowsOf = (client: FeedClient, sub: string): Row[] =>
  client.frames
    .filter((frame) => frame.sub === sub && (frame.type === 'snapshot' || frame.type === 'data'))
    .flatMap((frame) => frame.data as Row[])

/** A trade of the one pool, at a second of the chart. */
function tradeAt(n: number, second: number): Swap {
  const position = { slot: 10_000 + second, pairAddress: pair(0), tokenAddress: mint(0) }
  const timestamp = 1_700_000_000_000 - (1_700_000_000_000 % (4 * 60 * MINUTE_MS)) + second * 1_000
  return sampleSwap({
    ...position,
    timestamp,
    signature: signatureOf(n),
    solAmount: 1_000_000_000 + n * 1_000_000,
  })
}

async function trading(t: ExecutionContext) {
  const { pipeline, api, keyFor } = await feedApi(t)
  await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'] })
  const { key, url } = await keyFor('enterprise')
  let count = 0
  return {
    pipeline,
    url,
    async get(path: string): Promise<Row> {
      const response = await fetch(`${api.url}${path}`, { headers: { 'x-api-key': key } })
      t.is(response.status, 200, path)
      return (await response.json()) as Row
    },
    async trade(...seconds: number[]): Promise<void> {
      const events = seconds.map((second) => ({
        kind: 'swap' as const,
        swap: tradeAt(count++, second),
      }))
      await publishAll(pipeline, events, { eventsMax: 1 })
      await untilCaughtUp(pipeline, BOUND_MS)
    },
  }
}

test('a client that lists candles and then subscribes gets no older one, over minutes and late swaps', async (t) => {
  const { url, get, trade } = await trading(t)
  await trade(0, 30, 70)
  const client = await welcomed(t, url)
  const filter = { pools: [pair(0)], timeframe: '1m' }
  // A permanent subscriber: later ones find its values cached, and slightly old.
  client.send({ op: 'subscribe', sub: 'always', channel: 'candles', filter })
  await until('it has a snapshot', BOUND_MS, () => client.of('snapshot', 'always').length > 0)
  const charts = new Map<string, Chart>()
  const latest = `/api/v1/candles/latest?pair_address=${pair(0)}&timeframe=1m`
  for (let round = 0; round < 8; round++) {
    const second = 90 + round * 45
    // Late ones correct the minute before, and one further back.
    await trade(second, ...(round % 2 === 0 ? [second - 60] : [second - 125]))
    const listed = await get(`/api/v1/candles?pair_address=${pair(0)}&timeframe=1m&limit=100`)
    const answer = (await get(latest)).data as Row
    const sub = `after ${round}`
    charts.set(sub, new Chart(listed.data as Row[]))
    client.send({ op: 'subscribe', sub, channel: 'candles', filter })
    await until('its snapshot', BOUND_MS, () => client.of('snapshot', sub).length > 0)
    const [first] = client.of('snapshot', sub)
    const rows = first?.data as Row[]
    t.is(rows.length, 1)
    t.like(rows[0], {
      timestamp: answer.timestamp,
      trade_count: answer.trade_count,
      close: answer.close,
    })
    t.regex(String(first?.cursor), /-\d+$/)
  }
  const newest = JSON.stringify(((await get(latest)).data as Row).volume_sol)
  for (const [sub, chart] of charts) {
    const seen = () => rowsOf(client, sub).map(({ volume_sol }) => JSON.stringify(volume_sol))
    await until(`the newest for "${sub}"`, BOUND_MS, () => seen().includes(newest))
    for (const row of rowsOf(client, sub)) chart.take(row)
    t.deepEqual(chart.refused, [], sub)
    // Late swaps further back show in REST only.
    const answered = (await get(`/api/v1/candles?pair_address=${pair(0)}&timeframe=1m&limit=2`))
      .data as Row[]
    for (const row of answered) {
      t.like(
        chart.bars.get(Number(row.timestamp)),
        { volume_sol: row.volume_sol, trade_count: row.trade_count },
        sub,
      )
    }
  }
  t.true(rowsOf(client, 'always').some(({ correction }) => correction === true))
  t.deepEqual(client.errors, [])
})

test('the first message of statistics and rankings equals the answer of REST, watched before or not', async (t) => {
  const { pipeline, url, get, trade } = await trading(t)
  await trade(0, 10)
  const client = await welcomed(t, url)
  const requested = {
    token_stats: { tokens: [mint(0)] },
    rankings: { board: 'top_movers', window: '1h', limit: 10 },
  }
  const subscribe = (sub: string) => {
    for (const [channel, filter] of Object.entries(requested)) {
      client.send({ op: 'subscribe', sub: `${channel} ${sub}`, channel, filter })
    }
  }
  subscribe('always')
  const answered = async (): Promise<string[]> => {
    const { stats } = await get(`/stats/tokens?mints=${mint(0)}`)
    const { data } = await get('/api/v1/top-movers?timeframe=1h&limit=10')
    return [...Object.values(stats as Row), { board: 'top_movers', ...(data as Row) }].map((row) =>
      JSON.stringify(row),
    )
  }
  for (let round = 0; round < 4; round++) {
    await trade(20 + round * 50)
    await untilRankingCaughtUp(pipeline, BOUND_MS)
    const before = await answered()
    subscribe(`${round}`)
    for (const channel of Object.keys(requested)) {
      const sub = `${channel} ${round}`
      await until('its snapshot', BOUND_MS, () => client.of('snapshot', sub).length > 0)
      const answers = [...before, ...(await answered())]
      const [first] = rowsOf(client, sub)
      t.true(answers.includes(JSON.stringify(first)), `${JSON.stringify(first)} of ${answers}`)
    }
  }
  t.deepEqual(client.errors, [])
})
