// /admin/v1/samples of a running API, with a worker that commits and clients that request.

import test from 'ava'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { until } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'
import { consoleUnderTest, OPERATOR_KEY, publishPoison } from '../console-under-test.ts'

type Samples = {
  every_ms: number
  at: string[]
  series: Record<string, (number | null)[]>
}

const EVERY_MS = 100
const BOUND_MS = 60_000

test('samples lanes, latency, requests and failures, for operators only', async (t) => {
  const { api, operator, pipeline } = await consoleUnderTest(t, { sampleEveryMs: EVERY_MS })
  t.is((await fetch(`${api.url}/admin/v1/samples`)).status, 401)
  await runWorker(t, pipeline)
  await publishPoison(pipeline, 2)
  let samples: Samples = { every_ms: 0, at: [], series: {} }
  const isKnown = (name: string): boolean =>
    (samples.series[name] ?? []).some((value) => value !== null && value > 0)
  const wanted = ['commit_latency_ms', 'dead_letters', 'requests_per_second', 'request_p99_ms']
  await until('each figure was sampled', BOUND_MS, async () => {
    await fetch(`${api.url}/swaps`)
    await publishPoison(pipeline, 1)
    samples = (await operator('/admin/v1/samples')).body.data as unknown as Samples
    return wanted.every(isKnown)
  })
  const { at, series, every_ms } = samples
  t.is(every_ms, EVERY_MS)
  const times = at.map((time) => Date.parse(time))
  t.true(times.every((ms, index) => index === 0 || ms - Number(times[index - 1]) === EVERY_MS))
  for (const [name, values] of Object.entries(series)) {
    t.is(values.length, at.length, name)
    t.true(
      values.every((value) => value === null || value >= 0),
      name,
    )
  }
  // This process has no feed, and no source follows the chain.
  for (const name of ['swaps_per_second', 'feed_lag_ms', 'source_lag_ms']) {
    t.true(
      series[name]?.every((value) => value === null),
      name,
    )
  }
  const answers = series.server_errors_per_minute?.filter((value) => value !== null) ?? []
  t.true(answers.length > 0 && answers.every((value) => value === 0))
})

test('requests of operators do not count', async (t) => {
  const { operator } = await consoleUnderTest(t, { sampleEveryMs: EVERY_MS })
  // The first sample from here on may cover the test's own request of the document.
  const beganMs = Date.now()
  let rates: (number | null)[] = []
  await until('some rates are known', BOUND_MS, async () => {
    const { at, series } = (await operator('/admin/v1/samples')).body.data as unknown as Samples
    rates = (series.requests_per_second ?? [])
      .filter((rate, index) => rate !== null && Date.parse(at[index] ?? '') > beganMs)
      .slice(1)
    return rates.length > 5
  })
  t.true(rates.every((rate) => rate === 0))
})

test('counts the swaps of FEED that the process reads', async (t) => {
  const { api, pipeline } = await feedApi(t, {
    api: { adminKey: OPERATOR_KEY, sampleEveryMs: 5 * EVERY_MS },
  })
  let written = 0
  await until('swaps were sampled', BOUND_MS, async () => {
    await writeFeed(pipeline, written++ * 4, 1)
    const headers = { Authorization: `Bearer ${OPERATOR_KEY}` }
    const answer = await fetch(`${api.url}/admin/v1/samples`, { headers })
    const { series } = ((await answer.json()) as Record<'data', Samples>).data
    return (series.swaps_per_second ?? []).some((rate) => rate !== null && rate > 0)
  })
  const text = await fetch(`${api.url}/metrics`, {
    headers: { Authorization: `Bearer ${OPERATOR_KEY}` },
  }).then((answer) => answer.text())
  t.regex(text, /^swaptide_feed_swaps_total [1-9]/m)
})
