/** Processes whose CPU priority is lowered, how far, and those whose is not. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import test, { type ExecutionContext } from 'ava'
import { lowerPriority, watchPriorities } from '../../../deploy/local/cpu-priority.ts'
import { workerSessions } from '../../../deploy/operations/lanes.ts'
import { connect } from '../../../sql/db.ts'
import { migrate } from '../../../sql/migrate.ts'
import { sessionName } from '../../../sql/schema/version.ts'
import { ownStack } from '../../support/servers/servers.ts'
import { openPipeline, until } from '../../support/workers/pipeline.ts'

const { signal } = new AbortController()
const isLinux = process.platform === 'linux'
const onLinux = isLinux ? test : test.skip
const suffix = isLinux ? '' : ' (skipped: threads have no niceness of their own here)'
const VACUUMS = `select pid from pg_stat_activity where query like 'autovacuum: VACUUM%worn%'`
const HAS_SESSIONS = existsSync('/proc/self/autogroup')
const onSessions = HAS_SESSIONS ? test : test.skip
const noSessions = HAS_SESSIONS ? '' : ' (skipped: this kernel does not count sessions)'

/** An idle program that runs until it is ended. */
async function idler(
  t: ExecutionContext,
  detached: boolean,
): Promise<ChildProcess & { pid: number }> {
  const program = 'setInterval(() => {}, 1_000); process.send("up")'
  const child = spawn(process.execPath, ['--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached,
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')
  const { pid } = child
  if (pid === undefined) throw new Error('the program was not started')
  return Object.assign(child, { pid })
}

/** How nice the threads of a program are, beyond this one. */
function nicenesses(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number)
  return [...new Set(threads.map((thread) => getPriority(thread) - getPriority()))]
}

const sessionNiceness = (pid: number | 'self'): number =>
  Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'latin1'))?.[1])

onLinux(`lowers the priority of all threads of a program${suffix}`, async (t) => {
  const { pid } = await idler(t, true)
  t.deepEqual(nicenesses(pid), [0])
  await lowerPriority(pid, signal)
  t.deepEqual(nicenesses(pid), [10])
})

onSessions(
  `lowers the priority of a session with the one program in it${noSessions}`,
  async (t) => {
    const before = sessionNiceness('self')
    const [alone, beside] = [await idler(t, true), await idler(t, false)]
    await lowerPriority(alone.pid, signal)
    await lowerPriority(beside.pid, signal)
    t.is(sessionNiceness(alone.pid), 10)
    t.is(sessionNiceness('self'), before, 'the session of its starter')
  },
)

test('ignores a program that has ended', async (t) => {
  const child = await idler(t, true)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  await t.notThrowsAsync(lowerPriority(child.pid, signal))
})

const beyond = (pid: number) => getPriority(pid) - getPriority()

onLinux(`lowers the priority of workers' sessions, not of others${suffix}`, async (t) => {
  const { db, databaseUrl } = await openPipeline(t)
  const open = async (applicationName: string): Promise<number> => {
    const own = connect(databaseUrl, { max: 1, applicationName })
    t.teardown(() => own.end())
    const { rows } = await own.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]?.pid ?? 0
  }
  await db.query(`insert into worker (id, actors, seen_at) values ($1, '{pool}', now())`, [
    sessionName('one'),
  ])
  const [worker, reader] = [await open('one'), await open('swaptide api')]
  const program = await idler(t, true)
  const watch = watchPriorities(
    () => [program.pid],
    () => workerSessions(db),
  )
  t.teardown(() => watch.stop())
  await until('both are told', 60_000, () =>
    Promise.resolve(beyond(worker) === 10 && beyond(program.pid) === 10),
  )
  const later = await open('one')
  await until('one that came later is told', 60_000, () => Promise.resolve(beyond(later) === 10))
  t.deepEqual([beyond(worker), beyond(program.pid), beyond(reader)], [10, 10, 0], 'once each')
})

onLinux(`lowers the priority of vacuums${suffix}`, async (t) => {
  const { databaseUrl } = await ownStack(t)
  const db = connect(databaseUrl, { max: 2 })
  t.teardown(() => db.end())
  await migrate(db)
  // Looked for every second, and at work for minutes.
  await db.query("alter system set autovacuum_naptime = '1s'")
  await db.query('select pg_reload_conf()')
  await db.query(`create table worn (place integer) with (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0,
    autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1
  )`)
  await db.query('insert into worn select generate_series(1, 300000)')
  await db.query('delete from worn')
  const watch = watchPriorities(
    () => [],
    () => workerSessions(db),
  )
  t.teardown(() => watch.stop())
  await until('it is told', 60_000, async () => {
    const { rows } = await db.query<{ pid: number }>(VACUUMS)
    return rows.some(({ pid }) => beyond(pid) === 10)
  })
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  t.is(beyond(rows[0]?.pid ?? 0), 0)
})
