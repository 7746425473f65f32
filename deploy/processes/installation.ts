/**
 * Where the servers of an installation are. `up` writes SWAPTIDE_HOME/endpoints.json (readable by its
 * owner only) while it runs; the other commands find the servers there unless the environment names
 * them. A file that a killed `up` left is recognised by its holder, which no longer runs.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NotReady } from '../../api/resources/health/routes.ts'
import { noteTransactionPooler } from '../../sql/driver/pooler.ts'
import { watchCommitFailures } from '../../streams/nats/commit-failures.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { Config, ServerUrls } from '../config.ts'
import { parseDurable, readDurable, writeDurable } from '../local/files/durable-file.ts'
import { isRunning, type Program, programOf } from '../local/state.ts'

export type Installation = ServerUrls & {
  prefix: string
  /** Absent: the count that the streams were created with. */
  laneCount?: number | undefined
  /** Absent: the streams stay as they are. */
  replicas?: number | undefined
  swapMaxBytes?: number | undefined
  feedMaxBytes?: number | undefined
}

type Endpoints = Installation & {
  /** The database past the pooler of transactions that `databaseUrl` names. */
  directUrl?: string | undefined
  apiUrl: string
  holder: Program
}

export class NothingRuns extends Error {
  override name = 'NothingRuns'
}

/** The installation that the environment names or that `up` runs in the home. Throws NothingRuns. */
export async function findInstallation(config: Config): Promise<Installation> {
  const { home, servers } = config
  if (servers !== undefined) {
    const { prefix, laneCount, replicas, swapMaxBytes, feedMaxBytes } = config
    const streams = { prefix, laneCount, replicas, swapMaxBytes, feedMaxBytes }
    return { ...externalServers(config, servers), ...streams }
  }
  const endpoints = await readEndpoints(home)
  if (endpoints !== undefined) return { ...endpoints, ...externalServers(endpoints, endpoints) }
  throw new NothingRuns(
    `nothing runs in "${home}": start it with "npm start", set SWAPTIDE_HOME to the folder of one that runs ` +
      '(default .swaptide in the current folder), or set DATABASE_URL, NATS_URL and REDIS_URL',
  )
}

/** The servers that the environment names; from here on this process respects a pooler before the database. */
export function externalServers(
  { directUrl }: Pick<Config | Endpoints, 'directUrl'>,
  servers: ServerUrls,
): ServerUrls {
  if (directUrl !== undefined) noteTransactionPooler(servers.databaseUrl, directUrl)
  return servers
}

/** The endpoints of the `up` that runs in the home. */
export async function readEndpoints(home: string): Promise<Endpoints | undefined> {
  const text = await readDurable(endpointsFile(home))
  // One that was cut short is of a machine that lost power, and of no `up` that runs.
  const endpoints = text === undefined ? undefined : parseDurable<Endpoints>(text)
  return endpoints !== undefined && isRunning(endpoints.holder) ? endpoints : undefined
}

/** Writes the endpoints of this process; returns the function that removes them. */
export async function publishEndpoints(
  home: string,
  endpoints: Omit<Endpoints, 'holder'>,
): Promise<() => Promise<void>> {
  const written: Endpoints = { ...endpoints, holder: programOf(process.pid) }
  await writeDurable(endpointsFile(home), `${JSON.stringify(written, undefined, 2)}\n`)
  return () => rm(endpointsFile(home), { force: true })
}

/** The API's check of JetStream and of the lanes' commits; rejects when either is not as it should be. */
export function reachable(jetStream: JetStream, prefix: string): () => Promise<void> {
  const newestFailure = watchCommitFailures(jetStream, prefix)
  return async () => {
    if (!jetStream.isReachable()) throw new Error('NATS does not answer')
    const failure = newestFailure()
    if (failure !== undefined) throw new NotReady(failure)
  }
}

function endpointsFile(home: string): string {
  return join(home, 'endpoints.json')
}
