/**
 * `swaptide up` (`npm start`): all of Swaptide on one machine. Servers, schema, streams, a worker process for all actors
 * or for each, a process for jobs, the API in this process, and a source of chain data or a simulated market. Reports that it is ready when /readyz answers
 * 200; on a signal it ends all parts in reverse order, and leaves no process running.
 */
import { mkdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type Api, startApi } from '../../api/main.ts'
import { bundleInBackground } from '../../api/pages/bundle.ts'
import { connect, type Db } from '../../sql/db.ts'
import { type MigrationStep, migrate } from '../../sql/migrate.ts'
import { openJobQueue } from '../../streams/jobs/bullmq.ts'
import { connectJetStream, type JetStream } from '../../streams/nats/jetstream.ts'
import { ensureTopology, type Topology } from '../../streams/nats/topology.ts'
import { refreshSearchKeys } from '../../workers/search-keys.ts'
import { refuseSimulated, reportLive } from '../chain/live-report.ts'
import { expectNone, integerOption, parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../cli/command.ts'
import { explainError } from '../cli/explain-error.ts'
import { duration } from '../cli/format.ts'
import { type Config, environmentFor, type ServerUrls } from '../config.ts'
import { MARKETS, type MarketOptions, startMarket } from '../ingest/demo-market.ts'
import { watchPriorities } from '../local/cpu-priority.ts'
import { startStack } from '../local/stack.ts'
import type { Logger } from '../log.ts'
import { workerSessions } from '../operations/lanes.ts'
import { openOperations } from '../operations/operations.ts'
import { operatorKey, readyKey, webhookKey } from '../operations/stored-keys.ts'
import { type Child, startChild } from '../processes/child.ts'
import { measureHealth } from '../processes/health-metrics.ts'
import {
  externalServers,
  publishEndpoints,
  reachable,
  readEndpoints,
} from '../processes/installation.ts'
import { metricsPortOf, refusePorts } from '../processes/listening.ts'
import { openMetrics, type ScrapedMessage } from '../processes/metrics.ts'
import { listTargets, type MetricsTargets } from '../processes/metrics-targets.ts'
import { balancesOf, grpcOf, mintsOf, partsOf } from '../processes/part-options.ts'
import { type SourcePart, sourcePartOf } from '../processes/source-part.ts'
import { type Closers, createClosers, untilAborted } from '../shutdown.ts'

export const described = usage({
  line: 'up [--live | --demo MARKET | --no-demo] [--past DAYS] [--tune] [--debian-mirror URL]',
  options: {
    demo: {
      type: 'string',
      value: 'MARKET',
      about: 'simulated market: events, or chain, blocks that are decoded like those of a node',
      default: 'events',
    },
    past: {
      type: 'string',
      value: 'DAYS',
      about:
        'days of trading that the market of events begins with in an empty database: default 30',
    },
    live: {
      type: 'boolean',
      about:
        'follow the chain: by SOURCE_GEYSER_URL or SOURCE_RPC_URL, else by a portal without a key',
    },
    'no-demo': {
      type: 'boolean',
      about: 'do not start the simulated market where no source of chain data is set',
    },
    tune: {
      type: 'boolean',
      about: 'lower the CPU priority of workers: for a machine that runs nothing else',
    },
    'debian-mirror': {
      type: 'string',
      value: 'URL',
      about:
        "a mirror of Debian for the embedded servers' programs, remembered; absent: SWAPTIDE_DEBIAN_MIRROR, the one remembered, or the host's apt",
    },
  },
  notes: [
    'Stores everything in SWAPTIDE_HOME (default .swaptide in the current folder). Starts embedded servers unless ' +
      'DATABASE_URL, NATS_URL and REDIS_URL are set. Ctrl-C stops all of it.',
    'With SOURCE_GEYSER_URL or SOURCE_RPC_URL the chain is followed instead of the simulated market, by "swaptide ' +
      'source": it is restarted when it ends, and resumes after the last slot of "swaptide coverage". With --live without both, ' +
      'the portal of SOURCE_PORTAL_URL is followed, in a home of its own: "swaptide backfill --portal" reads the past.',
  ],
  examples: [
    'swaptide up',
    'swaptide up --demo chain',
    'swaptide up --past 7',
    'SWAPTIDE_HOME=live swaptide up --live',
    'SWAPTIDE_HOME=/srv/swaptide PORT=9000 swaptide up --no-demo',
    'SOURCE_RPC_URL=https://rpc.example.com/KEY swaptide up',
  ],
})

/** The API is the first process that is scraped; a source follows the other parts. */
const sourceAt = (config: Config): number => 1 + partsOf(config).length
const PAST_DAYS = 30
const PAST_DAYS_MAX = 365
const READY_BOUND_MS = 60_000
const READY_POLL_MS = 50

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const market = values['no-demo'] === true ? undefined : marketOf(values.demo, values.past)
  const startedAt = performance.now()
  const { stdout, stderr, signal } = context
  const log = context.log('warn')
  const closers = createClosers((name, error) =>
    log.error({ name, cause: explainError(error) }, 'failed to stop cleanly'),
  )
  signal.addEventListener('abort', () => stderr.write('stopping\n'), { once: true })
  try {
    const isTuned = values.tune ?? context.config.isTuned
    const isLive = values.live === true
    const debianMirror = values['debian-mirror'] ?? context.config.debianMirror
    const config = { ...context.config, debianMirror }
    const started = await start({ ...context, config }, log, closers, { market, isLive }, isTuned)
    if (started !== undefined && !signal.aborted) {
      // The first visitor must not wait for it.
      bundleInBackground(log)
      stdout.write(banner(started, context.config.home, performance.now() - startedAt))
    }
    await untilAborted(signal)
  } finally {
    await closers.closeAll()
  }
  stderr.write('stopped\n')
  return EXIT_OK
}

function marketOf(name: string, past: string | undefined): MarketOptions {
  const kind = MARKETS.find((each) => each === name)
  const pastDays = integerOption('past', past, { min: 0, max: PAST_DAYS_MAX })
  if (kind === 'chain' && pastDays) {
    throw new UsageError(`--past ${pastDays}: the market of blocks begins now; use --demo events`)
  }
  if (kind !== undefined) return { kind, pastDays: pastDays ?? PAST_DAYS }
  throw new UsageError(`unknown market "${name}": use ${MARKETS.join(' or ')}`)
}

type Started = {
  url: string
  /** One-time link that signs a browser in. */
  pagesLink: string
  grpcPort: number | undefined
  key: string
  /** Generated operator token; a configured ADMIN_TOKEN is not shown. */
  madeAdminKey: string | undefined
  /** Absent: no source of chain data is set. */
  source: SourcePart | undefined
}

/** Starts all parts, each with the function that closes it; starts no further one after a signal to end. */
async function start(
  { config, stderr, signal }: CommandContext,
  log: Logger,
  closers: Closers,
  { market, isLive }: { market: MarketOptions | undefined; isLive: boolean },
  isTuned: boolean,
): Promise<Started | undefined> {
  await refuseSecond(config)
  const source = sourcePartOf(config, isLive)
  await refusePorts(config, sourceAt(config) + (source === undefined ? 0 : 1))
  await mkdir(config.home, { recursive: true })
  const servers = await startServers(config, (line) => stderr.write(`${line}\n`), closers)
  if (signal.aborted) return undefined
  const db = connect(servers.databaseUrl, { max: 4, applicationName: 'swaptide up' })
  closers.add('database connections', () => db.end())
  await migrate(db, (step) => logStep(log, step))
  if (isLive) await refuseSimulated(db, config.home)
  await refreshSearchKeys(db)
  const jetStream = await connectJetStream(servers.natsUrl, { name: 'swaptide up', log })
  closers.add('NATS connection', () => jetStream.close())
  const topology = await ensureTopology(jetStream, config)
  if (signal.aborted) return undefined
  const { databaseUrl, redisUrl } = servers
  const { port, host, prefix, clientsMax, solUsdFallback, upgradeUrl, venueNames, lakeDir } = config
  const jobs = openJobQueue({ redisUrl, prefix, log })
  closers.add('job queues', () => jobs.close())
  const operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
  closers.add('connections of operators', () => operations.close())
  const adminKey = await operatorKey(config.adminKey, config.home)
  const own = { clientsMax, solUsdFallback, adminKey, upgradeUrl, venueNames, lakeDir }
  const webhooks = await webhooksIn(config)
  const stores = { databaseUrl, redisUrl, prefix, ...own, webhooks }
  const feed = { jetStream, stream: topology.feed.stream, grpc: grpcOf(config) }
  const given = {
    checkJetStream: reachable(jetStream, prefix),
    jobs,
    operations,
    feed,
    ...{ standbys: config.standbys, mcpOrigins: config.mcpOrigins },
    publicPages: config.publicPages,
    ...{ ...balancesOf(config, log), ...mintsOf(config, log) },
  }
  const targets = targetsIn(config, closers)
  const scraped = await openMetrics({ ...config, metricsPort: config.metricsPort ?? 0 }, log)
  closers.add('metrics', () => scraped.close())
  if (scraped.port !== undefined) targets.set('api', scraped.port)
  const metrics = scraped.registry
  const api = await startApi({ ...stores, port, host, log, metrics, ...given })
  closers.add('API', () => api.stop())
  measureHealth(metrics, api.url, config.servers === undefined ? config.home : undefined)
  const workers = startParts(config, servers, webhooks.secretKey, targets, log, closers)
  if (isTuned) lowerPriorities(workers, config.servers === undefined ? db : undefined, closers)
  const { laneCount } = topology
  const endpoints = { ...servers, directUrl: config.directUrl, prefix, laneCount, apiUrl: api.url }
  const withdraw = await publishEndpoints(config.home, endpoints)
  closers.add('endpoints', withdraw)
  const key = await readyKey(db, config.home)
  await untilReady(api.url, signal).then(() => scraped.ready(databaseUrl))
  if (signal.aborted) return undefined
  const begun = { config, servers, db, jetStream, topology, targets, log, closers, stderr, signal }
  await startEvents({ source, market, isLive }, begun)
  const madeAdminKey = config.adminKey === undefined ? adminKey : undefined
  return { ...urlsOf(api, key), key, madeAdminKey, source }
}

type Begun = {
  config: Config
  servers: ServerUrls
  db: Db
  jetStream: JetStream
  topology: Topology
  targets: MetricsTargets
  log: Logger
  closers: Closers
} & Pick<CommandContext, 'stderr' | 'signal'>

/** The source of chain data, else the simulated market. */
async function startEvents(
  {
    source,
    market,
    isLive,
  }: { source: SourcePart | undefined; market: MarketOptions | undefined; isLive: boolean },
  { config, servers, db, jetStream, topology, targets, log, closers, stderr, signal }: Begun,
): Promise<void> {
  if (source !== undefined) {
    startSource(source, config, servers, targets, log, closers)
    const say = (line: string): void => void stderr.write(`${line}\n`)
    if (isLive) void reportLive(db, source.host, say, signal)
    return
  }
  if (market === undefined) return
  const onError = (cause: unknown) =>
    log.error({ cause: explainError(cause) }, 'simulated market ended')
  const running = await startMarket(market, db, jetStream, topology, log, onError)
  closers.add('simulated market', () => running.stop())
}

/** `db`: absent where the server's process ids may be those of another machine. */
function lowerPriorities(workers: readonly Child[], db: Db | undefined, closers: Closers): void {
  const sessions = db === undefined ? undefined : () => workerSessions(db)
  const watch = watchPriorities(() => workers.map(({ pid }) => pid), sessions)
  closers.add('CPU priorities', watch.stop)
}

function logStep(log: Logger, step: MigrationStep): void {
  if ('applied' in step) log.info(step, 'applied migration')
  else log.info(step, 'waiting to migrate')
}

function targetsIn(config: Config, closers: Closers): MetricsTargets {
  const targets = listTargets(config)
  closers.add('list of metrics', () => targets.close())
  return targets
}

async function webhooksIn({ webhookSecretKey, webhookPolicy: policy, home }: Config) {
  return { secretKey: await webhookKey(webhookSecretKey, home), policy }
}

function urlsOf(api: Api, key: string): Pick<Started, 'url' | 'pagesLink' | 'grpcPort'> {
  return { url: api.url, pagesLink: api.signInLink(key), grpcPort: api.grpcPort }
}

function startSource(
  { argv }: SourcePart,
  config: Config,
  servers: ServerUrls,
  targets: MetricsTargets,
  log: Logger,
  closers: Closers,
): void {
  const LOG_LEVEL = config.logLevel ?? 'warn'
  const own = { LOG_LEVEL, METRICS_PORT: String(metricsPortOf(config, sourceAt(config))) }
  const child = startChild(argv, { ...environmentFor(config, servers), ...own }, log, (message) =>
    targets.set(argv.join(' '), (message as ScrapedMessage).metricsPort),
  )
  closers.add(argv.join(' '), () => child.stop())
}

/**
 * Separate processes: a job must delay neither a lane nor a request. One worker costs less while the market is live; one for
 * each actor reads history faster where there are more than two cores. Where METRICS_PORT is given, each is scraped on the next one. Result: the workers.
 */
function startParts(
  config: Config,
  servers: ServerUrls,
  webhookSecretKey: string,
  targets: MetricsTargets,
  log: Logger,
  closers: Closers,
): readonly Child[] {
  const shared = { LOG_LEVEL: config.logLevel ?? 'warn', WEBHOOK_SECRET_KEY: webhookSecretKey }
  const workers: Child[] = []
  for (const [at, part] of partsOf(config).entries()) {
    const own = { ...shared, METRICS_PORT: String(metricsPortOf(config, 1 + at)) }
    const child = startChild(part, { ...environmentFor(config, servers), ...own }, log, (message) =>
      targets.set(part.join(' '), (message as ScrapedMessage).metricsPort),
    )
    closers.add(part.join(' '), () => child.stop())
    if (part[0] === 'worker') workers.push(child)
  }
  return workers
}

async function refuseSecond({ home }: Config): Promise<void> {
  const running = await readEndpoints(home)
  if (running !== undefined) {
    throw new Error(
      `"${home}" is in use by process ${running.holder.pid} (${running.apiUrl}): ` +
        'stop that one first, or set SWAPTIDE_HOME to another folder',
    )
  }
}

async function startServers(
  config: Config,
  say: (line: string) => void,
  closers: Closers,
): Promise<ServerUrls> {
  if (config.servers !== undefined) return externalServers(config, config.servers)
  const { home, debianMirror, cacheDir, sharedBuffersMib, environment: env } = config
  const settings = { debianMirror, cacheDir, sharedBuffersMib, env }
  const stack = await startStack({ home, log: say, ...settings })
  closers.add('servers', () => stack.stop())
  const { databaseUrl, natsUrl, redisUrl } = stack
  return { databaseUrl, natsUrl, redisUrl }
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + READY_BOUND_MS
  let response = 'no answer'
  while (!signal.aborted) {
    const answer = await fetch(new URL('/readyz', url)).catch(() => undefined)
    if (answer?.status === 200) return
    if (answer !== undefined) response = `${answer.status} ${await answer.text()}`
    if (performance.now() >= endsAt) {
      throw new Error(
        `${url}/readyz does not answer 200 after ${READY_BOUND_MS / 1000} s: ${response}`,
      )
    }
    await pause(READY_POLL_MS)
  }
}

function banner(
  { url, pagesLink, grpcPort, key, madeAdminKey, source }: Started,
  home: string,
  tookMs: number,
): string {
  const read = source === undefined ? '' : `  source   ${source.argv[1]}, ${source.host}\n`
  return `
Swaptide is ready after ${duration(tookMs)}.

  open     ${pagesLink}
           in a browser, once within an hour; later ${url} with the key

  address  ${url}
  gRPC     port ${grpcPort}
  key      ${key}
  try      curl -H 'X-API-Key: ${key}' '${url}/swaps?limit=3'
  console  ${url}/admin, operator token ${madeAdminKey ?? 'as in ADMIN_TOKEN'}
${read}  more     npx swaptide status, npx swaptide ingest FILE, npx swaptide --help
  data     ${home}
  stop     Ctrl-C

`
}
