/** Connections of a command to the servers of an installation, closed when its work ends in whatever way. */
import type { Log } from '../../domain/log.ts'
import { connect, type Db } from '../../sql/db.ts'
import { connectJetStream, type JetStream } from '../../streams/nats/jetstream.ts'
import { ensureTopology, type Topology } from '../../streams/nats/topology.ts'
import type { Installation } from './installation.ts'

/** `name`: of the command, as the servers list their clients. */
type DatabaseOptions = { name: string; connectionsMax?: number; isPipelined?: boolean }
type StreamOptions = { name: string; log: Log }

type Streams = { jetStream: JetStream; topology: Topology }
export type Connections = Streams & { db: Db }

/** Resolves with the result of the work, for which the pool has at most `connectionsMax` connections, 1 by default; `isPipelined`: as in DbOptions. */
export async function withDatabase<Result>(
  databaseUrl: string,
  { name, connectionsMax = 1, isPipelined = false }: DatabaseOptions,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const db = connect(databaseUrl, { max: connectionsMax, applicationName: name, isPipelined })
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

/** Resolves with the result of the work. Rejects as it does, and where NATS does not answer. */
export async function withStreams<Result>(
  installation: Omit<Installation, 'databaseUrl' | 'redisUrl'>,
  options: StreamOptions,
  work: (streams: Streams) => Promise<Result>,
): Promise<Result> {
  const jetStream = await connectJetStream(installation.natsUrl, options)
  try {
    return await work({ jetStream, topology: await ensureTopology(jetStream, installation) })
  } finally {
    await jetStream.close()
  }
}

/** Combines withDatabase and withStreams. */
export function withServers<Result>(
  installation: Omit<Installation, 'redisUrl'>,
  options: DatabaseOptions & StreamOptions,
  work: (connections: Connections) => Promise<Result>,
): Promise<Result> {
  return withDatabase(installation.databaseUrl, options, (db) =>
    withStreams(installation, options, (streams) => work({ db, ...streams })),
  )
}
