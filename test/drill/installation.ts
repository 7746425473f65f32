/**
 * The installation of the drill on one host: three NATS nodes, a primary with a standby, a pooler of transactions, Redis,
 * and two of each part as processes.
 */
import type { ExecutionContext } from 'ava'
import { LOOPBACK } from '../../deploy/local/ports.ts'
import { whyNoDisks } from '../support/cluster/disk.ts'
import { type NatsCluster, natsCluster } from '../support/cluster/nats.ts'
import { type Bouncer, pgBouncer } from '../support/cluster/pgbouncer.ts'
import { postgresCluster, type Standby } from '../support/cluster/postgres.ts'
import { ownRedis } from '../support/cluster/redis.ts'
import { settingsOf } from '../support/programs/commands.ts'
import { requestedDrill } from '../support/seed.ts'
import { type TcpProxy, tcpProxy } from '../support/servers/tcp-proxy.ts'
import { openPipeline, type Pipeline, until } from '../support/workers/pipeline.ts'
import { STREAM_BYTES } from './load.ts'
import { type ApiPart, type ApiPorts, areReady, type Part, startApi, startPart } from './part.ts'

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

/** Proxies that the connections of the parts pass, and those of the clients. */
export type Proxies = {
  /** Leads to the present primary; the pooler and the test itself pass it, too. */
  primary: TcpProxy
  standby: TcpProxy
  pooler: TcpProxy
  redis: TcpProxy
  nats: readonly TcpProxy[]
  /** For the clients of each API. */
  clients: readonly { rest: TcpProxy; grpc: TcpProxy }[]
}

const POOL_SIZE = 30
/** A request to a node that was just killed is lost. */
const ANSWER_MS = 3_000
const READY_MS = 120_000
/** Length and seed of the drill. */
export const REQUESTED = requestedDrill({ seed: 20_261_127 })
/** For each node of PostgreSQL. */
const DISK_MIB = REQUESTED.faultCount === undefined ? 2 * 1024 : 5 * 1024

/** Why no disk of the installation can be filled; undefined where one can. */
export const NO_DISK = whyNoDisks(DISK_MIB)

export async function openInstallation(t: ExecutionContext): Promise<Installation> {
  const nats = await natsCluster(t)
  const diskMib = NO_DISK === undefined ? DISK_MIB : undefined
  const postgres = await postgresCluster(t, { connectionsMax: 120, diskMib })
  const { primary, standbys } = postgres
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
  const database = new URL(pipeline.databaseUrl).pathname.slice(1)
  const readUrl = postgres.inDatabase(servers.standby, database)
  const settings = {
    ...settingsOf(pipeline, servers.redis.url),
    ...{ NATS_URL: servers.nats.map(({ url }) => url).join(',') },
    ...{ DATABASE_URL: servers.pooler.url, DATABASE_DIRECT_URL: pipeline.databaseUrl },
    ...{ PG_POOLER: 'transaction', DATABASE_READ_URL: readUrl },
    ...{ STREAM_REPLICAS: '3', LOG_LEVEL: 'info' },
  }
  const twice = (argv: readonly string[]) => [0, 1].map(() => startPart(t, argv, settings))
  const [workers, jobs] = [twice(['worker']), twice(['jobs'])]
  const apis = await Promise.all([0, 1].map(() => startApi(t, settings)))
  await until('both APIs are ready', READY_MS, () => areReady(apis))
  await untilWhole({ ...pipeline, nats })
  const toPort = (port: number) => tcpProxy(t, `http://${LOOPBACK}:${port}`)
  const clients = await Promise.all(
    apis.map(async ({ port, grpcPort }) => ({
      rest: await toPort(port),
      grpc: await toPort(grpcPort),
    })),
  )
  return {
    ...{ ...pipeline, nats, primary, standby, pooler, redis, settings },
    ...{ workers, jobs, apis, parts: [...workers, ...jobs, ...apis] },
    proxies: { ...servers, clients },
  }
}

/** The ports at which clients reach the APIs. */
export const clientPorts = ({ proxies }: Installation): ApiPorts[] => {
  const portOf = ({ url }: TcpProxy) => Number(new URL(url).port)
  return proxies.clients.map(({ rest, grpc }) => ({ port: portOf(rest), grpcPort: portOf(grpc) }))
}

/** Every node of NATS has all messages again. */
export async function untilWhole({
  nats,
  jetStream,
  topology,
}: Pick<Installation, 'nats' | 'jetStream' | 'topology'>): Promise<void> {
  for (const { stream } of [topology.swap, topology.feed])
    await nats.untilComplete(jetStream, stream)
}
