// The candles of thirteen trades, computed with exact fractions, through the fold and the route. The vector's candles
// last a second: times are stretched, so that its second is a minute here.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'

type Vector = {
  trades: { id: number; ts_ms: number; price: number; qty: number }[]
  expected: { o: number; h: number; l: number; c: number; v: number; last_trade_id: number }[]
  remainder_trade_ids: number[]
}

const FILE = join(import.meta.dirname, '../../../data/vectors/candles.json')
const STRETCH = 60
const LAMPORTS = 1_000_000_000

const under = apiForFile()

test('the route returns the candles of the vector', async (t) => {
  const {
    trades,
    expected,
    remainder_trade_ids: open,
  } = JSON.parse(readFileSync(FILE, 'utf8')) as Vector
  const swaps = trades.map(({ id, ts_ms, price, qty }) => {
    const solAmount = Math.round(qty * LAMPORTS)
    return sampleSwap({
      signature: signatureOf(id),
      slot: id,
      timestamp: ts_ms * STRETCH,
      tokenAddress: mint(0),
      pairAddress: pair(0),
      quoteDecimals: 12,
      solAmount,
      tokenAmount: Math.round((solAmount * 1_000) / price),
    })
  })
  // The second half first: the rest is late.
  await insertSwaps(under().db, swaps.slice(6), { hasPrices: true })
  await insertSwaps(under().db, swaps.slice(0, 6), { hasPrices: true })
  const { body } = await under().get(`/api/v1/candles?pair_address=${pair(0)}`)
  const closed = body.data.slice(0, expected.length)
  const near = (value: unknown) => Math.round(Number(value) * 1e7) / 1e7
  t.deepEqual(
    closed.map((row) => [
      row.timestamp,
      ...['open', 'high', 'low', 'close'].map((name) => near(row[name])),
      near(row.volume_sol),
    ]),
    expected.map(({ o, h, l, c, v, last_trade_id }) => {
      const { ts_ms } = trades.find(({ id }) => id === last_trade_id)!
      return [Math.floor(ts_ms / 1_000) * 1_000 * STRETCH, o, h, l, c, near(v)]
    }),
  )
  // Open candles of the vector are our running candle.
  t.is(body.data.length, expected.length + 1)
  t.is(body.data.at(-1)!.trade_count, open.length)
})
