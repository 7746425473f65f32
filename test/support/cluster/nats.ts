/**
 * Three nats-server nodes on free ports of this host, one JetStream cluster: the embedded program, each with a folder
 * below the test's own. They end with the test. A node that was killed is started again only by the test.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { ClusterInfo, PeerInfo } from '@nats-io/jetstream'
import type { ExecutionContext } from 'ava'
import { give, serverAccount } from '../../../deploy/local/account.ts'
import { toolEnv } from '../../../deploy/local/host.ts'
import { hostPrefix } from '../../../deploy/local/packages/host-prefix.ts'
import { LOOPBACK } from '../../../deploy/local/ports.ts'
import {
  answers,
  createServer,
  OWN_FOLDER,
  type Server,
} from '../../../deploy/local/servers/server.ts'
import { connectJetStream, type JetStream } from '../../../streams/nats/jetstream.ts'
import { recordingLog } from '../recording-log.ts'
import { ownPort } from '../servers/own-port.ts'
import { stackDefaults, temporaryFolder } from '../servers/servers.ts'
import { until } from '../workers/pipeline.ts'

export type NatsNode = {
  name: string
  port: number
  /** Where its streams are. */
  folder: string
  logFile: string
  server: Server
}

export type NatsCluster = {
  nodes: readonly NatsNode[]
  /** All nodes, as NATS_URL has them. */
  natsUrl: string
  /** The node that leads a stream now, as soon as there is one. */
  leaderOf(jetStream: JetStream, stream: string): Promise<NatsNode>
  /** SIGKILL; returns when it has ended. */
  kill(node: NatsNode): Promise<void>
  /** Stops it in the middle of whatever it does, until `wake`. */
  freeze(node: NatsNode): void
  wake(node: NatsNode): void
  /** Starts it, and returns when all nodes of the stream have its messages. */
  start(node: NatsNode): Promise<void>
  /** Starts a node again that does not follow for a minute, and logs it. */
  untilComplete(jetStream: JetStream, stream: string): Promise<void>
}

const NODES = 3
const BOUND_MS = 120_000
/** Several times what nodes on a loaded machine need to form a cluster. */
const FORMED_MS = 40_000
const STARTS_MAX = 3
/** Once in some hundred kills a node follows a stream only after another start. */
const STALLED_MS = 60_000
/** Messages that a node may lack under load and count as complete. */
const LAG_MAX = 100

export async function natsCluster(t: ExecutionContext): Promise<NatsCluster> {
  const home = await temporaryFolder(t)
  const routes: number[] = []
  const ports: number[] = []
  for (let index = 0; index < NODES; index++) {
    ports.push(await ownPort())
    routes.push(await ownPort())
  }
  const all = await Promise.all(
    ports.map((port, index) => {
      const settings = clusterSettings(routes, index)
      return makeNode(t, home, { name: `n${index + 1}`, port, settings })
    }),
  )
  const natsUrl = all.map(({ port }) => `nats://${LOOPBACK}:${port}`).join(',')
  await Promise.all(all.map(({ server }) => server.start()))
  t.teardown(() => Promise.all(all.map(({ server }) => server.stop('SIGKILL'))))
  const log = (line: string): void => t.log(line)
  await untilReplicates(all, natsUrl, log)
  return { nodes: all, natsUrl, ...controls(all, log) }
}

function clusterSettings(routes: readonly number[], index: number): string {
  const others = routes.map((port) => `nats://${LOOPBACK}:${port}`)
  return `cluster { name: test, listen: "${LOOPBACK}:${routes[index]}", routes: [${others}], pool_size: -1 }`
}

/** One nats-server, which its test starts and stops. `jetStream: false`: it stores nothing. */
export async function makeNode(
  t: ExecutionContext,
  home: string,
  node: { name: string; port: number; settings: string },
): Promise<NatsNode> {
  const { name, port, settings } = node
  const { env = {}, debianMirror, log } = stackDefaults((line) => t.log(line))
  const uid = process.getuid?.() ?? 0
  const prefix = await hostPrefix({ environment: env, debianMirror, log })
  const account = serverAccount(uid)
  const folder = join(home, name)
  await mkdir(folder)
  const text = `server_name: ${name}
listen: "${LOOPBACK}:${port}"
jetstream { store_dir: "${OWN_FOLDER}", max_file_store: 1TB }
${settings}
`
  await writeFile(join(folder, 'nats.conf'), text)
  await give(account, folder)
  const logFile = join(home, `${name}.log`)
  const server = createServer({
    ...{ name: `NATS ${name}`, port, folder, account, stopSignal: 'SIGTERM' },
    logFile,
    program: prefix.program('nats-server'),
    setpriv: prefix.program('setpriv'),
    args: ['-c', 'nats.conf'],
    env: { PATH: toolEnv(env).PATH },
    isReady: () => answers(port, '', 'INFO '),
    log: (line) => t.log(line),
  })
  return { name, port, folder, logFile, server }
}

/** The nodes have a leader before it knows all of them: a stream on every node shows that it does. */
async function untilReplicates(
  nodes: readonly NatsNode[],
  natsUrl: string,
  log: (line: string) => void,
): Promise<void> {
  const quiet = recordingLog().log
  const jetStream = await connectJetStream(natsUrl, { name: 'test', log: quiet, answerMs: 2_000 })
  try {
    await untilFormed(
      (boundMs) => untilStored(jetStream, NODES, boundMs),
      async ({ message }) => {
        log(`all nodes start again without a store: ${message}`)
        await Promise.all(nodes.map(({ server }) => server.stop('SIGKILL')))
        const stores = nodes.map(({ folder }) => join(folder, 'jetstream'))
        await Promise.all(stores.map((store) => rm(store, { recursive: true, force: true })))
        await Promise.all(nodes.map(({ server }) => server.start()))
      },
    )
  } finally {
    await jetStream.close()
  }
}

/**
 * Waits for the first nodes of a cluster to form it. Where they start at the same moment on a loaded machine, the leader of
 * about one of forty clusters never counts the third node: that one follows it, and is given no stream until it starts
 * again (nats-server 2.10). `again` replaces such nodes.
 */
export async function untilFormed(
  form: (boundMs?: number) => Promise<void>,
  again: (error: Error) => Promise<void>,
): Promise<void> {
  for (let starts = 1; starts < STARTS_MAX; starts++) {
    const failure = await form(FORMED_MS).then(
      () => undefined,
      (error: Error) => error,
    )
    if (failure === undefined) return
    await again(failure)
  }
  await form()
}

/** Stores a stream as often as given, as soon as that many nodes can, and deletes it. */
export async function untilStored(
  { manager }: JetStream,
  copies: number,
  boundMs = BOUND_MS,
): Promise<void> {
  const trial = { name: 'TRIAL', subjects: ['trial'], num_replicas: copies }
  const failures = new Map<string, unknown>()
  const noted = (request: string) => (error: unknown) => void failures.set(request, error)
  await until(`a stream is stored ${copies} times`, boundMs, async () => {
    failures.clear()
    await manager.streams.add(trial).catch(noted('add'))
    // A request without an answer may have made the stream: how it is stored decides.
    const found = await manager.streams.info(trial.name).catch(noted('info'))
    return found?.cluster?.replicas?.length === copies - 1
  }).catch((cause: Error) => {
    const reasons = Array.from(failures, ([request, error]) => `${request}: ${error}`)
    throw new Error([cause.message, ...reasons].join('; '), { cause })
  })
  await manager.streams.delete(trial.name).catch(noted('delete'))
}

const isNear = ({ offline, current, lag = 0 }: PeerInfo): boolean =>
  offline !== true && (current || lag < LAG_MAX)

function controls(
  nodes: readonly NatsNode[],
  log: (line: string) => void,
): Omit<NatsCluster, 'nodes' | 'natsUrl'> {
  const leaderOf = async (jetStream: JetStream, stream: string): Promise<NatsNode> => {
    let leader: NatsNode | undefined
    await until(`"${stream}" has a leader`, BOUND_MS, async () => {
      const found = await jetStream.manager.streams.info(stream).catch(() => undefined)
      leader = nodes.find(({ name }) => name === found?.cluster?.leader)
      return leader?.server.pid !== undefined
    })
    return leader as NatsNode
  }
  return {
    leaderOf,
    kill: ({ server }) => server.stop('SIGKILL'),
    freeze: ({ server }) => server.kill('SIGSTOP'),
    wake: ({ server }) => server.kill('SIGCONT'),
    start: ({ server }) => server.start(),
    async untilComplete(jetStream, stream) {
      let seen: ClusterInfo | undefined
      const isComplete = async () => {
        const found = await jetStream.manager.streams.info(stream).catch(() => undefined)
        if (found === undefined) return false
        seen = found.cluster
        const followers = seen?.replicas ?? []
        return followers.length === found.config.num_replicas - 1 && followers.every(isNear)
      }
      const what = `the nodes of "${stream}" are complete`
      await until(what, STALLED_MS, isComplete).catch(async () => {
        const stalled = seen?.replicas?.filter((follower) => !isNear(follower)) ?? []
        for (const { name, server } of nodes) {
          if (!stalled.some((follower) => follower.name === name)) continue
          log(`${name} does not follow "${stream}": it is started again`)
          await server.stop('SIGKILL')
          await server.start()
        }
      })
      await until(what, BOUND_MS, isComplete).catch((cause: Error) => {
        throw new Error(`${cause.message}: ${inspect(seen, { depth: 3 })}`, { cause })
      })
    },
  }
}
