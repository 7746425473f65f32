// The metrics that all processes together export, and that the dashboard uses no others.

import { readFile } from 'node:fs/promises'
import test, { type ExecutionContext } from 'ava'
import { Registry } from 'prom-client'
import { startApi } from '../../../api/main.ts'
import { startWebhooks } from '../../../api/webhooks/sending/running.ts'
import { createLog } from '../../../deploy/log.ts'
import { openOperations } from '../../../deploy/operations/operations.ts'
import { measureHealth } from '../../../deploy/processes/health-metrics.ts'
import { openMetrics } from '../../../deploy/processes/metrics.ts'
import { beatSource } from '../../../sql/chain/sources.ts'
import { HistoryLost, historyAt } from '../../../sql/history.ts'
import { publishPoison } from '../../api/admin/console-under-test.ts'
import { sampleOf } from '../../support/api/metric-value.ts'
import { addWarnings, sourceBeat } from '../../support/chain/source-beat.ts'
import { pretendHistory } from '../../support/history/pretend-sealed.ts'
import { trader } from '../../support/market/sample-swap.ts'
import { runCommandLine } from '../../support/programs/commands.ts'
import { temporaryFolder, testServers } from '../../support/servers/servers.ts'
import { openJobBench } from '../../support/workers/jobs.ts'
import { openPipeline, type Pipeline } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

test('some process exports every metric of the dashboard, and the dashboard shows every one of ours', async (t) => {
  const pipeline = await openPipeline(t)
  const { databaseUrl, jetStream, topology, recording, db } = pipeline
  const bench = openJobBench(t)
  const jobs = bench.queue()
  const log = createLog({ level: 'silent', isTerminal: false, write: () => {} })
  const operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
  t.teardown(() => operations.close())
  const atHome = { metricsPort: 0, metricsHost: '127.0.0.1' }
  const ofApi = await openMetrics(atHome, log)
  t.teardown(() => ofApi.close())
  const api = await startApi({
    ...{ databaseUrl, jobs, operations, metrics: ofApi.registry, port: 0, log: recording.log },
    feed: { jetStream, stream: topology.feed.stream },
  })
  t.teardown(() => api.stop())
  measureHealth(ofApi.registry, api.url, await temporaryFolder(t))
  const ofWorker = new Registry()
  await runWorker(t, pipeline, { metrics: ofWorker })
  const ofJobs = new Registry()
  bench.work({
    databaseUrl,
    metrics: ofJobs,
    functions: { 'wallet-tags': async () => {}, screener: () => Promise.reject(new Error('no')) },
  })
  runWebhooks(t, pipeline, ofJobs)
  await publishPoison(pipeline, 2)
  await Promise.all([beatSource(db, sourceBeat()), addWarnings(db), pretendHistory(db)])
  await jobs.requestAndWait('wallet-tags', { wallet: trader(1) }, AbortSignal.timeout(60_000))
  const screened = jobs.requestAndWait('screener', { window: '1h' }, AbortSignal.timeout(60_000))
  await t.throwsAsync(screened)

  t.is((await fetch(`${api.url}/healthz`)).status, 200)
  const answer = await fetch(`http://127.0.0.1:${ofApi.port}/metrics`)
  t.is(answer.status, 200)
  t.is((await fetch(`http://127.0.0.1:${ofApi.port}/`)).status, 404)
  const worker = await ofWorker.metrics()
  t.is(sampleOf(worker, 'swaptide_lanes_held', { actor: 'pool' }), pipeline.laneCount)
  t.is(sampleOf(worker, 'swaptide_dead_letters_total', { actor: 'pool' }), 2)
  t.is(sampleOf(worker, 'swaptide_batch_events_sum', { actor: 'pool' }), 1)
  for (const step of ['fold', 'commit', 'announce']) {
    const count = sampleOf(worker, `swaptide_batch_${step}_seconds_count`, { actor: 'pool' })
    t.true((count ?? 0) >= 1, step)
  }
  const ofJob = await ofJobs.metrics()
  const runs = 'swaptide_job_duration_seconds_count'
  t.true((sampleOf(ofJob, runs, { job_name: 'wallet-tags', outcome: 'done' }) ?? 0) >= 1)
  t.true((sampleOf(ofJob, runs, { job_name: 'screener', outcome: 'failed' }) ?? 0) >= 1)
  const text = [await answer.text(), worker, ofJob].join('\n')
  t.is(sampleOf(text, 'swaptide_feed_readers', { transport: 'websocket' }), 0)

  const file = new URL('../../../deploy/grafana/swaptide.json', import.meta.url)
  const requested = namesIn(await readFile(file, 'utf8'))
  const reported = new Set(Array.from(text.matchAll(/^(\w+)[ {]/gm), ([, name]) => name ?? ''))
  t.deepEqual([...requested.difference(reported)], [])
  const alerts = await readFile(
    new URL('../../../deploy/prometheus-alerts.yaml', import.meta.url),
    'utf8',
  )
  const alertedOn = new Set(alerts.match(/\bswaptide_\w+/g))
  t.true(alertedOn.size > 10)
  t.deepEqual([...alertedOn.difference(reported)], [], 'metrics of alert rules')
  t.is(sampleOf(text, 'swaptide_api_ready'), 1)
  const families = Array.from(text.matchAll(/^# TYPE (swaptide_\w+)/gm), ([, name]) => name ?? '')
  const shown = (name: string): boolean => [...requested].some((each) => each.startsWith(name))
  t.deepEqual(
    families.filter((name) => !shown(name)),
    [],
  )
})

function runWebhooks(t: ExecutionContext, pipeline: Pipeline, metrics: Registry): void {
  const { databaseUrl, natsUrl, prefix, laneCount, recording } = pipeline
  const { redisUrl } = testServers()
  const running = startWebhooks({
    ...{ databaseUrl, natsUrl, redisUrl, prefix, laneCount, metrics, log: recording.log },
    ...{ secretKey: 'a-long-key-of-the-secrets-of-webhooks', policy: 'refuse' },
  })
  t.teardown(() => running.stop())
}

const DATABASE = 'postgres://db.example/probed'
const sightingAt = (flushed: number) => ({
  ...{ system_identifier: '7300000000000000001', timeline: 1, flushed },
})

test('answers probes on the port of metrics, ready while the part has servers with their history', async (t) => {
  const log = createLog({ level: 'silent', isTerminal: false, write: () => {} })
  const scraped = await openMetrics({ metricsPort: 0, metricsHost: '127.0.0.1' }, log)
  t.teardown(() => scraped.close())
  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(`http://127.0.0.1:${scraped.port}${path}`, { method })).status
  t.is(await status('/healthz'), 200)
  t.is(await status('/readyz'), 503)
  const history = historyAt(DATABASE)
  history.see(sightingAt(2_000), history.known())
  scraped.ready(DATABASE)
  t.is(await status('/readyz'), 200)
  t.is(await status('/readyz?probe=1'), 200)
  t.is(await status('/healthz', 'POST'), 404)
  t.is(await status('/health'), 404)
  t.throws(() => history.see(sightingAt(1_000), history.known()), { instanceOf: HistoryLost })
  const unready = await fetch(`http://127.0.0.1:${scraped.port}/readyz`)
  t.is(unready.status, 503)
  t.regex(await unready.text(), /^the database went back in time: .*run "swaptide recover"/)
  t.is(await status('/healthz'), 200)
})

test('a part that cannot start ends, and names a metrics port in use', async (t) => {
  const { databaseUrl, natsUrl, prefix } = await openPipeline(t)
  const log = createLog({ level: 'silent', isTerminal: false, write: () => {} })
  const holder = await openMetrics({ metricsPort: 0, metricsHost: '127.0.0.1' }, log)
  t.teardown(() => holder.close())
  const settings = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    REDIS_URL: testServers().redisUrl,
    SWAPTIDE_STREAM_PREFIX: prefix.slice(0, -1),
    PORT: '0',
    GRPC_PORT: '0',
  }
  const source = ['source', 'rpc', '--rpc', 'http://127.0.0.1:1']
  for (const part of [['api'], ['worker'], ['jobs'], source]) {
    const taken = await runCommandLine(part, { ...settings, METRICS_PORT: String(holder.port) })
    t.is(taken.code, 1, part.join(' '))
    t.regex(taken.stderr, /port \d+ for metrics \(METRICS_PORT\) is taken/)
  }
  const nowhere = { ...settings, NATS_URL: 'nats://127.0.0.1:1', METRICS_PORT: '0' }
  t.is((await runCommandLine(['worker', '--exit-if-unavailable'], nowhere)).code, 1)
})

/** Names of metrics within the expressions of a dashboard. */
function namesIn(dashboard: string): Set<string> {
  const expressions: string[] = []
  JSON.parse(dashboard, (name, value) => {
    if (name === 'expr') expressions.push(value)
    return value
  })
  return new Set(expressions.join(' ').match(/\b(?:swaptide|process|nodejs)_\w+/g))
}
