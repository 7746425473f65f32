/** The example of servers: the settings, environment and probes of its NATS, run as three nodes that form a cluster. */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { hostPrefix } from '../../../deploy/local/packages/host-prefix.ts'
import { LOOPBACK } from '../../../deploy/local/ports.ts'
import { connectJetStream, type JetStream } from '../../../streams/nats/jetstream.ts'
import { untilFormed, untilStored } from '../../support/cluster/nats.ts'
import { type Manifest, manifestsOf, workloadsOf } from '../../support/deploy/manifests.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { stackDefaults, temporaryFolder } from '../../support/servers/servers.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const PASSWORD = 'p0123456789abcdef'
const NODES = [0, 1, 2]

const SERVERS = manifestsOf('servers')
function natsSettings(): string {
  const found = SERVERS.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'nats',
  )
  return (found as (Manifest & ConfigMap) | undefined)?.data?.['nats.conf'] ?? ''
}

async function natsProgram(): Promise<string> {
  const { debianMirror, env = {}, log } = stackDefaults(() => {})
  const prefix = await hostPrefix({ environment: env, debianMirror, log })
  return prefix.program('nats-server')
}

/** A container of the set, with $(NAME) expanded as Kubernetes does. */
function natsContainer() {
  const set = workloadsOf(SERVERS).find(({ metadata }) => metadata.name === 'nats')
  const container = set?.spec.template.spec?.containers[0]
  if (container === undefined) throw new Error('there is no NATS')
  const given: Record<string, string> = { NATS_PASSWORD: PASSWORD }
  for (const { name, value = '' } of container.env ?? []) {
    if (value !== '') given[name] = value.replace(/\$\((\w+)\)/g, (_, other) => given[other] ?? '')
  }
  const { startupProbe, livenessProbe, readinessProbe } = container
  const probes = [startupProbe, livenessProbe, readinessProbe].map(
    (probe) => probe?.httpGet?.path ?? '',
  )
  return { environment: given, probes }
}

type Node = { client: number; cluster: number; monitor: number }

async function startNode(t: ExecutionContext, program: string, at: number, nodes: readonly Node[]) {
  const own = nodes[at]
  if (own === undefined) throw new Error(`there is no node ${at}`)
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'streams'))
  const file = join(folder, 'nats.conf')
  const replaced = natsSettings()
    .replace('port: 4222', `port: ${own.client}`)
    .replace('http_port: 8222', `http_port: ${own.monitor}`)
    .replace('port: 6222', `port: ${own.cluster}`)
    .replace('/streams', join(folder, 'streams'))
  await writeFile(file, replaced)
  const routes = Object.entries(natsContainer().environment).map(([name, value]) => {
    const host = /@nats-(\d)\.nats-peers:6222$/.exec(value)
    const port = nodes[Number(host?.[1])]?.cluster
    return [name, host === null ? value : value.replace(/@.*/, `@${LOOPBACK}:${port}`)]
  })
  const env = { PATH: '/usr/bin:/bin', POD_NAME: `nats-${at}`, ...Object.fromEntries(routes) }
  const child = spawn(program, ['-c', file], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  child.stderr.on('data', (piece) => {
    printed += piece
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    if (!t.passed) t.log(printed)
  })
}

/** Three nodes whose probes succeed. */
async function startNodes(t: ExecutionContext): Promise<JetStream> {
  const program = await natsProgram()
  const nodes: Node[] = []
  for (const _ of NODES)
    nodes.push({ client: await ownPort(), cluster: await ownPort(), monitor: await ownPort() })
  for (const at of NODES) await startNode(t, program, at, nodes)
  const { probes } = natsContainer()
  t.is(probes.length, 3)
  for (const { monitor } of nodes)
    for (const path of probes)
      await until(`the probe ${path} succeeds`, BOUND_MS, async () => {
        const answer = await fetch(`http://${LOOPBACK}:${monitor}${path}`).catch(() => undefined)
        await answer?.body?.cancel()
        return answer?.status === 200
      })
  const { log } = recordingLog()
  const url = `nats://swaptide:${PASSWORD}@${LOOPBACK}:${nodes[0]?.client}`
  const jetStream = await connectJetStream(url, { name: 'swaptide-test', log })
  t.teardown(() => jetStream.close())
  return jetStream
}

test('three nodes by the settings of the example form a cluster that holds a stream three times', async (t) => {
  let jetStream = await startNodes(t)
  await untilFormed(
    (boundMs) => untilStored(jetStream, NODES.length, boundMs),
    async () => {
      jetStream = await startNodes(t)
    },
  )
  t.pass()
})
