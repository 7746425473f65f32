/** A late swap ends the cached answers as of its slot and of later ones. */
import test from 'ava'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import { openPipeline, publishAll } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const BOUND_MS = 60_000
const SLOT = 200

const numbered = (n: number, slot: number) =>
  sampleSwap({ signature: signatureOf(n), slot, solAmount: 1_000_000, tokenAmount: 1_000_000 })
const { user: wallet, tokenAddress: mint } = numbered(0, 0)

/** Routes whose answers are cached, and what counts the swaps in them. */
const COUNTED: Readonly<Record<string, (text: string) => number>> = {
  [`/wallets/${wallet}/stats?window=all`]: numberOf('total_trades'),
  [`/v2/pnl/wallets/${wallet}?`]: numberOf('total_buy_count'),
  [`/stats/trader/${wallet}?`]: numberOf('trade_count'),
  [`/tokens/${mint}/holders?`]: (text) => numberOf('balance_atomic')(text) / 1_000_000,
}

function numberOf(field: string): (text: string) => number {
  return (text) => Number(new RegExp(`"${field}":"?(\\d+)`).exec(text)?.[1])
}

test('figures of a slot count a late swap as soon as it is applied, although they were cached', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 1 })
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  const { api, keyFor, untilRead } = await feedApi(t, { pipeline })
  const { key } = await keyFor('enterprise')
  const feed = async (...swaps: ReturnType<typeof numbered>[]) => {
    await publishAll(
      pipeline,
      swaps.map((swap) => ({ kind: 'swap', swap }) as const),
    )
    await untilLedgerCaughtUp(pipeline, BOUND_MS)
    await untilRead()
  }
  const counts = async (): Promise<number[]> => {
    const answers = Object.entries(COUNTED).map(async ([path, countOf]) => {
      const headers = { 'X-API-Key': key }
      const response = await fetch(`${api.url}${path}&as_of_slot=${SLOT}`, { headers })
      const text = await response.text()
      t.is(response.status, 200, text)
      t.regex(response.headers.get('Cache-Control') ?? '', /max-age=/)
      return countOf(text)
    })
    return await Promise.all(answers)
  }
  const all = (count: number) => Object.keys(COUNTED).map(() => count)
  await feed(numbered(1, 100), numbered(2, SLOT + 50))
  t.deepEqual(await counts(), all(1))
  // Answers of now between those of the slot are others.
  const now = await fetch(`${api.url}/stats/trader/${wallet}`, { headers: { 'X-API-Key': key } })
  t.regex(await now.text(), /"trade_count":2\b/)
  for (const [n, slot] of [150, SLOT, 50].entries()) {
    await feed(numbered(10 + n, slot), numbered(20 + n, SLOT + 60 + n))
    t.deepEqual(await counts(), all(2 + n), `after a swap of slot ${slot}`)
  }
})
