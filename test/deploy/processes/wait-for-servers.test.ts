/** Parts that start before their servers do, that lose their parent, and that cannot commit; with real servers. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { unreachableServer } from '../../../deploy/processes/wait-for-servers.ts'
import { listCoverage } from '../../../sql/coverage.ts'
import { migrate } from '../../../sql/migrate.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { startRpcServer } from '../../support/chain/rpc-server.ts'
import { WrittenChain } from '../../support/chain/written-chain.ts'
import {
  commandEnvironment,
  runCommandLine,
  settingsOf,
  startCommand,
} from '../../support/programs/commands.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { unmigratedDatabase } from '../../support/servers/database.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { tcpProxy } from '../../support/servers/tcp-proxy.ts'
import { ROOT } from '../../support/sources.ts'
import { openPipeline, type Pipeline, publishAll, until } from '../../support/workers/pipeline.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const BOUND_MS = 120_000
const SOURCE = ['source', 'rpc', '--rpc', 'http://127.0.0.1:9']
const SERVERS = { databaseUrl: 'postgres://u:p@db:5432/x', natsUrl: 'nats://bus:4222' }

const coded = (code: string, more: object = {}): Error =>
  Object.assign(new Error(code), { code }, more)
const named = (name: string): Error => Object.assign(new Error(name), { name })

const ERRORS: [error: unknown, server: string | undefined][] = [
  [coded('ECONNREFUSED', { port: 5432 }), 'PostgreSQL at db:5432'],
  [new AggregateError([coded('ECONNREFUSED', { port: 5432 })]), 'PostgreSQL at db:5432'],
  [coded('ECONNREFUSED', { port: 4222 }), 'NATS at bus:4222'],
  [coded('57P03'), 'PostgreSQL at db:5432'],
  [coded('53300'), 'PostgreSQL at db:5432'],
  [new Error('Connection terminated unexpectedly'), 'PostgreSQL at db:5432'],
  [named('ConnectionError'), 'NATS at bus:4222'],
  [named('TimeoutError'), 'NATS at bus:4222'],
  // Waiting mends none of these.
  [coded('28P01'), undefined],
  [coded('3D000'), undefined],
  [named('AuthorizationError'), undefined],
  [new TypeError('x is not a function'), undefined],
  [coded('EADDRINUSE', { port: 8080 }), undefined],
]

test('distinguishes an unreachable server from errors that waiting does not resolve', (t) => {
  for (const [error, server] of ERRORS)
    t.is(unreachableServer(error, SERVERS), server, String(error))
})

test('a connection that NATS accepts and resets is reported as one of NATS', async (t) => {
  const server = createServer((socket) => setTimeout(() => socket.resetAndDestroy(), 20))
  t.teardown(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const natsUrl = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { log } = recordingLog()
  const error = await t.throwsAsync(connectJetStream(natsUrl, { name: 'test', log }))
  t.is(unreachableServer(error, { ...SERVERS, natsUrl }), natsUrl.replace('nats://', 'NATS at '))
})

async function apart(t: ExecutionContext) {
  const pipeline = await openPipeline(t)
  const database = await tcpProxy(t, pipeline.databaseUrl)
  const nats = await tcpProxy(t, pipeline.natsUrl)
  const port = await ownPort()
  const settings = {
    ...settingsOf(pipeline),
    ...{ DATABASE_URL: database.url, NATS_URL: nats.url },
    ...{ PORT: String(port), GRPC_PORT: '0', LOG_LEVEL: 'info' },
  }
  return { pipeline, database, nats, port, settings }
}

/** A command that ends with the test, and its log. */
function started(t: ExecutionContext, argv: readonly string[], settings: Record<string, string>) {
  const child = startCommand(argv, settings)
  const lines: string[] = []
  child.stderr?.on('data', (part) => lines.push(String(part)))
  t.teardown(async () => {
    if (!t.passed) t.log(argv.join(' '), child.exitCode, lines.join(''))
    child.kill('SIGKILL')
    await hasEnded(child)
  })
  return { child, said: () => lines.join('') }
}

const hasEnded = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('exit', resolve))
}

async function get(port: number, path: string) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
  return answer && { status: answer.status, headers: answer.headers, text: await answer.text() }
}

test('parts that start before their servers wait for each and get on by themselves', async (t) => {
  const { pipeline, database, nats, port, settings } = await apart(t)
  database.cut()
  nats.cut()
  const api = started(t, ['api'], settings)
  const worker = started(t, ['worker', 'pool'], settings)
  await until(
    'both wait',
    BOUND_MS,
    () =>
      api.said().includes('"server":"PostgreSQL at') &&
      worker.said().includes('"server":"PostgreSQL at'),
  )
  await until(
    'the stand-in answers',
    BOUND_MS,
    async () => (await get(port, '/healthz'))?.status === 200,
  )
  const [health, ready, swaps] = [
    await get(port, '/healthz'),
    await get(port, '/readyz'),
    await get(port, '/swaps'),
  ]
  t.is(health?.status, 200)
  t.is(ready?.status, 503)
  t.regex(
    ready?.text ?? '',
    /"code":"UNAVAILABLE","message":"waiting for PostgreSQL at 127\.0\.0\.1:\d+"/,
  )
  t.is(ready?.headers.get('retry-after'), '1')
  t.is(swaps?.status, 503)
  database.mend()
  await until(
    'both wait for NATS',
    BOUND_MS,
    () => api.said().includes('"server":"NATS at') && worker.said().includes('"server":"NATS at'),
  )
  nats.mend()
  await until(
    'the API is ready',
    BOUND_MS,
    async () => (await get(port, '/readyz'))?.status === 200,
  )
  await publishAll(pipeline, smallMarket(711, 40))
  await until('the worker commits', BOUND_MS, () => hasSwaps(pipeline))
  for (const { said } of [api, worker]) t.notRegex(said(), /postgres:\/\/|nats:\/\//)
})

test('a source that starts before its servers is live, and ready once they answer', async (t) => {
  const { pipeline, database, nats, port, settings } = await apart(t)
  const chain = new WrittenChain({ swaps: 40, seed: 713 })
  const node = await startRpcServer(chain)
  t.teardown(() => node.stop())
  database.cut()
  nats.cut()
  const scraped = { ...settings, METRICS_PORT: String(port) }
  const source = started(t, ['source', 'rpc', '--rpc', node.url], scraped)
  const waits = (server: string): Promise<void> =>
    until(`the source waits for ${server}`, BOUND_MS, () =>
      source.said().includes(`"server":"${server}`),
    )
  await waits('PostgreSQL at')
  t.is((await get(port, '/healthz'))?.status, 200)
  t.like(await get(port, '/readyz'), { status: 503, text: 'waiting for the servers\n' })
  database.mend()
  await waits('NATS at')
  nats.mend()
  await until('the source is ready', BOUND_MS, async () => {
    return (await get(port, '/readyz'))?.status === 200
  })
  await until('the source covers slots', BOUND_MS, async () => {
    return (await listCoverage(pipeline.db)).length > 0
  })
})

test('parts that start before the schema is migrated wait for it', async (t) => {
  const pipeline = await openPipeline(t, { database: await unmigratedDatabase() })
  const port = await ownPort()
  const settings = {
    ...settingsOf(pipeline),
    PORT: String(port),
    GRPC_PORT: '0',
    LOG_LEVEL: 'info',
  }
  const refused = await runCommandLine(['jobs', '--exit-if-unavailable'], settings)
  t.is(refused.code, 1)
  t.regex(refused.stderr, /the database is not migrated: run "swaptide migrate"/)
  const worker = started(t, ['worker'], settings)
  const jobs = started(t, ['jobs'], settings)
  const api = started(t, ['api'], settings)
  const parts = [worker, jobs, api]
  await until('every part waits', BOUND_MS, () =>
    parts.every(({ said }) => said().includes('waiting for the schema')),
  )
  await until('the stand-in gives the reason', BOUND_MS, async () => {
    const ready = await get(port, '/readyz')
    const reason = /"waiting for the schema: the database is not migrated: run /
    return ready?.status === 503 && reason.test(ready.text)
  })
  await migrate(pipeline.db)
  await until(
    'the API is ready',
    BOUND_MS,
    async () => (await get(port, '/readyz'))?.status === 200,
  )
  await publishAll(pipeline, smallMarket(712, 40))
  await until('the worker commits', BOUND_MS, () => hasSwaps(pipeline))
  await until('the job worker runs', BOUND_MS, () => jobs.said().includes('started job worker'))
})

test('a start that failed at the database alone is repeated as often as it must be', async (t) => {
  const { database, port, settings } = await apart(t)
  database.cut()
  const parts = [started(t, ['worker'], settings), started(t, ['api'], settings)]
  const failures = (said: string) => said.split('"server":"PostgreSQL at').length - 1
  await until('each failed twice', BOUND_MS, () => parts.every(({ said }) => failures(said()) >= 2))
  database.mend()
  await until(
    'the worker runs',
    BOUND_MS,
    () => parts[0]?.said().includes('started worker') === true,
  )
  await until('the API is ready', BOUND_MS, async () => {
    return (await get(port, '/readyz'))?.status === 200
  })
  for (const { said } of parts) t.notRegex(said(), /already been registered/)
})

async function hasSwaps({ db }: Pipeline): Promise<boolean> {
  const { rows } = await db.query('select count(*)::integer as swaps from swap')
  return rows[0].swaps > 0
}

test('a part that is signalled while it waits ends at once', async (t) => {
  const { database, nats, settings } = await apart(t)
  database.cut()
  nats.cut()
  for (const argv of [['api'], ['worker'], ['migrate'], SOURCE]) {
    const { child, said } = started(t, argv, settings)
    await until(`${argv[0]} waits`, BOUND_MS, () => said().includes('waiting for '))
    child.kill('SIGTERM')
    await hasEnded(child)
    t.not(child.signalCode, 'SIGKILL', argv[0])
  }
})

test('--exit-if-unavailable ends with a sentence instead', async (t) => {
  const { database, nats, settings } = await apart(t)
  database.cut()
  nats.cut()
  for (const argv of [['api'], ['worker'], ['migrate'], SOURCE]) {
    const { code, stderr } = await runCommandLine([...argv, '--exit-if-unavailable'], settings)
    t.is(code, 1, argv[0])
    t.notRegex(stderr, /waiting for| at .*\.ts:/)
  }
})

test('the API is not ready while the database rejects commits, and is ready afterwards', async (t) => {
  const { pipeline, port, settings } = await apart(t)
  started(t, ['api'], settings)
  started(t, ['worker', 'pool'], settings)
  await until(
    'the API is ready',
    BOUND_MS,
    async () => (await get(port, '/readyz'))?.status === 200,
  )
  const { rows } = await pipeline.db.query('select current_database() as name')
  const setReadOnly = async (value: 'on' | 'off') => {
    await pipeline.db.query('set default_transaction_read_only = off')
    await pipeline.db.query(
      `alter database "${rows[0].name}" set default_transaction_read_only = ${value}`,
    )
    await pipeline.db.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [rows[0].name],
    )
  }
  await setReadOnly('on')
  await publishAll(pipeline, smallMarket(712, 40))
  await until('the API is not ready', BOUND_MS, async () => {
    const ready = await get(port, '/readyz')
    return (
      ready?.status === 503 &&
      /(cannot commit|cannot renew its leases): .*read-only/.test(ready.text)
    )
  })
  await setReadOnly('off')
  await until(
    'the API is ready again',
    BOUND_MS,
    async () => (await get(port, '/readyz'))?.status === 200,
  )
  await until('the swaps are stored', BOUND_MS, () => hasSwaps(pipeline))
  t.pass()
})

for (const [runner, argv] of [
  ['npx', ['swaptide', 'worker', 'pool']],
  ['npm', ['exec', '--', 'swaptide', 'worker', 'pool']],
] as const) {
  test(`a signal to ${runner} ends its child`, async (t) => {
    const { settings } = await apart(t)
    const child = spawn(runner, argv, {
      cwd: ROOT,
      env: commandEnvironment(settings),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    t.teardown(() => {
      // All remaining processes of its session.
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {}
    })
    let said = ''
    child.stderr.on('data', (part) => {
      said += part
    })
    await until('the worker runs', BOUND_MS, () => said.includes('started worker'))
    // The pipe is closed when the last process that holds it has ended.
    const closed = new Promise((resolve) => child.stderr.once('close', resolve))
    child.kill('SIGTERM')
    await closed
    t.pass()
  })
}

test('reports an unwritable home in one sentence', async (t) => {
  // No account may add folders there, not even root.
  const { code, stderr } = await runCommandLine(['up'], { SWAPTIDE_HOME: '/sys/swaptide' })
  t.is(code, 1)
  t.regex(
    stderr,
    /^swaptide: cannot write "\/sys\/swaptide": [^\n]*: set SWAPTIDE_HOME to [^\n]*\n$/,
  )
})
