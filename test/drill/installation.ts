/**
 * The installation of the drill on one host: three NATS nodes, a primary with a standby, a pooler of transactions, Redis,
 * and two of each part as processes.
 */
import type { ExecutionContext } from 'ava'
import { freePort, LOOPBACK } from '../../deploy/local/ports.ts'
import { whyNoDisks } from '../support/cluster/disk.ts'
import { type NatsCluster, natsCluster } from '../support/cluster/nats.ts'
import { type Bouncer, pgBouncer } from '../support/cluster/pgbouncer.ts'
import { postgresCluster, type Standby } from '../support/cluster/postgres.ts'
import { ownRedis } from '../support/cluster/redis.ts'
import { settingsOf } from '../support/programs/commands.ts'
import { askedDrill } from '../support/seed.ts'
import { type TcpProxy, tcpProxy } from '../support/servers/tcp-proxy.ts'
import { openPipeline, type Pipeline, until } from '../support/workers/pipeline.ts'
import { STREAM_BYTES } from './load.ts'
import { type Part, startPart } from './part.ts'

export type Installation = Pipeline & {
  nats: NatsCluster
  /** A promotion exchanges them. */
  primary: Standby
  standby: Standby
  pooler: Bouncer
  redis: Awaited<ReturnType<typeof ownRedis>>
  settings: Readonly<Record<string, string>>
  workers: readonly Part[]
  jobs: readonly Part[]
  apis: readonly ApiPart[]
  parts: readonly Part[]
  proxies: Proxies
}

/** What the connections of the parts pass, and those of the clients. */
export type Proxies = {
  /** Of the moment: also for the pooler, and for the test itself. */
  primary: TcpProxy
  standby: TcpProxy
  pooler: TcpProxy
  redis: TcpProxy
  nats: readonly TcpProxy[]
  /** Ports of the APIs for their clients. */
  clients: readonly TcpProxy[]
}

export type ApiPart = Part & { port: number; grpcPort: number }

const POOL_SIZE = 30
/** A request to a node that was just killed is lost. */
const ANSWER_MS = 3_000
const READY_MS = 120_000
/** Length and seed of the drill. */
export const ASKED = askedDrill({ seed: 20_261_127 })
/** Of each node of PostgreSQL. */
const DISK_MIB = ASKED.faultCount === undefined ? 2 * 1024 : 5 * 1024

/** Why no disk of the installation can be filled; undefined where one can. */
export const NO_DISK = whyNoDisks(DISK_MIB)

export async function openInstallation(t: ExecutionContext): Promise<Installation> {
  const nats = await natsCluster(t)
  const diskMib = NO_DISK === undefined ? DISK_MIB : undefined
  const { primary, standbys } = await postgresCluster(t, { connectionsMax: 120, diskMib })
  const standby = standbys[0] as Standby
  const redis = await ownRedis(t)
  const direct = await tcpProxy(t, primary.url)
  const pipeline = await openPipeline(t, {
    servers: { databaseUrl: direct.url, natsUrl: nats.natsUrl },
    ...{ swapMaxBytes: STREAM_BYTES, feedMaxBytes: STREAM_BYTES, natsAnswerMs: ANSWER_MS },
  })
  const pooler = await pgBouncer(t, pipeline.databaseUrl, { poolSize: POOL_SIZE })
  const servers = {
    primary: direct,
    standby: await tcpProxy(t, standby.url),
    pooler: await tcpProxy(t, pooler.url),
    redis: await tcpProxy(t, redis.url),
    nats: await Promise.all(nats.natsUrl.split(',').map((url) => tcpProxy(t, url))),
  }
  const read = new URL(servers.standby.url)
  read.pathname = new URL(pipeline.databaseUrl).pathname
  const settings = {
    ...settingsOf(pipeline, servers.redis.url),
    ...{ NATS_URL: servers.nats.map(({ url }) => url).join(',') },
    ...{ DATABASE_URL: servers.pooler.url, DATABASE_DIRECT_URL: pipeline.databaseUrl },
    ...{ PG_POOLER: 'transaction', DATABASE_READ_URL: read.href },
    ...{ STREAM_REPLICAS: '3', LOG_LEVEL: 'info' },
  }
  const twice = (argv: readonly string[]) => [0, 1].map(() => startPart(t, argv, settings))
  const [workers, jobs] = [twice(['worker']), twice(['jobs'])]
  const apis = await Promise.all([0, 1].map(() => startApi(t, settings)))
  await until('both APIs are ready', READY_MS, async () =>
    (await Promise.all(apis.map(({ port }) => isReady(port)))).every(Boolean),
  )
  for (const { stream } of [pipeline.topology.swap, pipeline.topology.feed])
    await nats.untilComplete(pipeline.jetStream, stream)
  const ports = apis.flatMap(({ port, grpcPort }) => [port, grpcPort])
  const clients = await Promise.all(ports.map((port) => tcpProxy(t, `http://${LOOPBACK}:${port}`)))
  return {
    ...{ ...pipeline, nats, primary, standby, pooler, redis, settings },
    ...{ workers, jobs, apis, parts: [...workers, ...jobs, ...apis] },
    proxies: { ...servers, clients },
  }
}

/** The ports at which clients reach the APIs. */
export const clientPorts = ({ proxies }: Installation): Pick<ApiPart, 'port' | 'grpcPort'>[] => {
  const ports = proxies.clients.map(({ url }) => Number(new URL(url).port))
  return [0, 2].map((at) => ({ port: ports[at] as number, grpcPort: ports[at + 1] as number }))
}

/** On free ports unless they are given; of another version with its `program`. */
export async function startApi(
  t: ExecutionContext,
  settings: Readonly<Record<string, string>>,
  other: { ports?: Pick<ApiPart, 'port' | 'grpcPort'>; program?: string } = {},
): Promise<ApiPart> {
  const { port, grpcPort } = other.ports ?? { port: await freePort(), grpcPort: await freePort() }
  const own = { ...settings, PORT: String(port), GRPC_PORT: String(grpcPort) }
  return Object.assign(startPart(t, ['api'], own, other.program), { port, grpcPort })
}

/** Whether the probe on the port of an API succeeds. */
export async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status === 200
}
