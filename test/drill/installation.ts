/**
 * The installation of the drill on one host: three NATS nodes, a primary with a standby, a pooler of transactions, Redis,
 * and two of each part as processes.
 */
import type { ExecutionContext } from 'ava'
import { freePort } from '../../deploy/local/ports.ts'
import { type NatsCluster, natsCluster } from '../support/cluster/nats.ts'
import { type Bouncer, pgBouncer } from '../support/cluster/pgbouncer.ts'
import { type ClusterNode, postgresCluster, type Standby } from '../support/cluster/postgres.ts'
import { ownRedis } from '../support/cluster/redis.ts'
import { settingsOf } from '../support/programs/commands.ts'
import { openPipeline, type Pipeline, until } from '../support/workers/pipeline.ts'
import { type Part, startPart } from './part.ts'

export type Installation = Pipeline & {
  nats: NatsCluster
  primary: ClusterNode
  standby: Standby
  pooler: Bouncer
  redis: Awaited<ReturnType<typeof ownRedis>>
  settings: Readonly<Record<string, string>>
  workers: readonly Part[]
  jobs: readonly Part[]
  apis: readonly ApiPart[]
  parts: readonly Part[]
}

export type ApiPart = Part & { port: number; grpcPort: number }

const POOL_SIZE = 30
/** A request to a node that was just killed is lost. */
const ANSWER_MS = 3_000
const READY_MS = 120_000
/** Much more than the drill writes, so that no message is trimmed. */
const STREAM_BYTES = 512 * 1024 * 1024

export async function openInstallation(t: ExecutionContext): Promise<Installation> {
  const nats = await natsCluster(t)
  const { primary, standbys } = await postgresCluster(t, { connectionsMax: 120 })
  const redis = await ownRedis(t)
  const pipeline = await openPipeline(t, {
    servers: { databaseUrl: primary.url, natsUrl: nats.natsUrl },
    ...{ swapMaxBytes: STREAM_BYTES, feedMaxBytes: STREAM_BYTES, natsAnswerMs: ANSWER_MS },
  })
  const pooler = await pgBouncer(t, pipeline.databaseUrl, { poolSize: POOL_SIZE })
  const settings = {
    ...settingsOf(pipeline, redis.url),
    ...{ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: pipeline.databaseUrl },
    ...{ PG_POOLER: 'transaction', STREAM_REPLICAS: '3', LOG_LEVEL: 'info' },
  }
  const twice = (argv: readonly string[]) => [0, 1].map(() => startPart(t, argv, settings))
  const [workers, jobs] = [twice(['worker']), twice(['jobs'])]
  const apis = await Promise.all([0, 1].map(() => startApi(t, settings)))
  await until('both APIs are ready', READY_MS, async () =>
    (await Promise.all(apis.map(({ port }) => isReady(port)))).every(Boolean),
  )
  for (const { stream } of [pipeline.topology.swap, pipeline.topology.feed])
    await nats.untilComplete(pipeline.jetStream, stream)
  const parts = [...workers, ...jobs, ...apis]
  const standby = standbys[0] as Standby
  return {
    ...{ ...pipeline, nats, primary, standby, pooler, redis, settings },
    ...{ workers, jobs, apis, parts },
  }
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
