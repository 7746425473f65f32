/** The parts of the manifests as processes on real servers: command, environment, account, probes, metrics and grace period. */
import test, { type ExecutionContext } from 'ava'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { startRpcServer } from '../../support/chain/rpc-server.ts'
import { makeChain } from '../../support/chain/served-chain.ts'
import { type Manifest, manifestsOf, partOf, workloadsOf } from '../../support/deploy/manifests.ts'
import { type PackagedPart, runPart, startPart } from '../../support/deploy/packaged-part.ts'
import { ownStack } from '../../support/servers/servers.ts'

const MANIFESTS = manifestsOf('base', 'source')

async function packagedParts(t: ExecutionContext, more: Record<string, string> = {}) {
  const { databaseUrl, natsUrl, redisUrl } = await ownStack(t)
  const secrets = {
    'swaptide-servers': { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl },
    swaptide: { ADMIN_TOKEN: 'an-operator-token-of-a-test', ...more },
  }
  return (name: string): PackagedPart => {
    const workload = workloadsOf(MANIFESTS).find(({ metadata }) => metadata.name === name)
    if (workload === undefined) throw new Error(`there is no workload "${name}"`)
    return partOf(workload, MANIFESTS, secrets)
  }
}

test('every part of the base starts by its manifest, answers its probes and stops in time', async (t) => {
  const part = await packagedParts(t)
  const migration = await runPart(t, part('migrate'))
  t.is(migration.code, 0, migration.output)
  const names = workloadsOf(manifestsOf('base'))
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata }) => metadata.name)
  const workers = ACTOR_NAMES.map((actor) => `worker-${actor}`)
  t.deepEqual(names.toSorted(), ['api', 'jobs', ...workers].toSorted())
  const running = await Promise.all(
    names.map(async (name) => ({ packaged: part(name), run: await startPart(t, part(name)) })),
  )
  for (const { packaged, run } of running) {
    t.is(packaged.probes.length, 3, packaged.name)
    await run.untilReady()
  }
  const api = running.find(({ packaged }) => packaged.name === 'api')
  const metrics = (await api?.run.get(9464, '/metrics'))?.text ?? ''
  for (const [name, labels] of scaledBy(MANIFESTS)) {
    const series = metrics.split('\n').filter((line) => line.startsWith(`${name}{`))
    const found = series.filter((line) => labels.every((label) => line.includes(label)))
    t.true(found.length > 0, `${name} ${labels}`)
  }
  for (const { packaged, run } of running) {
    const { code, signal, seconds } = await run.stop()
    t.is(code, 0, `${packaged.name} ${signal} ${run.output()}`)
    t.true(seconds < packaged.graceSeconds, `${packaged.name} took ${seconds} s`)
  }
})

/** External metrics of the autoscalers, with the labels that they select. */
function scaledBy(manifests: readonly Manifest[]): [name: string, labels: string[]][] {
  const scalers = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
  const metrics = scalers.flatMap((scaler) => {
    return (scaler as unknown as HorizontalPodAutoscaler).spec?.metrics ?? []
  })
  return metrics.flatMap(({ external }) => {
    if (external === undefined) return []
    const { name, selector } = external.metric
    const labels = Object.entries(selector?.matchLabels ?? {})
    return [[name, labels.map(([label, value]) => `${label}="${value}"`)]]
  })
}

test('the source starts by its manifest and stops in time', async (t) => {
  const server = await startRpcServer(makeChain({ slots: 5, transactions: 5, skipShare: 0 }))
  t.teardown(() => server.stop())
  const part = await packagedParts(t, { SOURCE_RPC_URL: server.url })
  const migration = await runPart(t, part('migrate'))
  t.is(migration.code, 0, migration.output)
  const run = await startPart(t, part('source'))
  await run.untilReady()
  const { code, seconds } = await run.stop()
  t.is(code, 0, run.output())
  t.true(seconds < part('source').graceSeconds)
})
