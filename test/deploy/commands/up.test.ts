/** `swaptide up` as a new user meets it, with the commands of another terminal, to its end. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { readState } from '../../../deploy/local/state.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { JOB_NAMES, type QueueDepth } from '../../../streams/jobs/job.ts'
import {
  homeSettings,
  pidOf,
  READY_BOUND_MS,
  startUp,
  type Up,
} from '../../support/deploy/started-up.ts'
import { type Ran, runCommandLine, runHere, settingsOf } from '../../support/programs/commands.ts'
import { familyOf, remainingAfter } from '../../support/programs/programs.ts'
import { testRedis } from '../../support/servers/redis.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'

const END_BOUND_MS = 60_000

async function swapsOf({ url, key }: Up): Promise<{ signature: string }[]> {
  let found: Record<'data', { signature: string }[]> | undefined
  // A loaded machine logs now and then that it lacks time.
  await holdsWithin(READY_BOUND_MS, async () => {
    const answer = await fetch(`${url}/swaps?limit=1000`, { headers: { 'X-API-Key': key } })
    if (answer.status >= 500) return false
    found = (await answer.json()) as Record<'data', { signature: string }[]>
    return true
  })
  return found?.data ?? []
}

/** The worker is the one process of `up` with this command. */
async function workerOf(up: Up): Promise<number | undefined> {
  for (const { pid } of familyOf(pidOf(up))) {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    if (words.includes('worker')) return pid
  }
  return undefined
}

/** Settings with which `up` runs on existing servers. */
async function settingsWithServers(t: ExecutionContext): Promise<Record<string, string>> {
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  return { ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) }
}

/** A metric that each process of `up` exports, and no other. */
const SAMPLES = {
  api: 'swaptide_http_request_duration_seconds_count',
  worker: 'swaptide_batch_events_count{actor="pool"}',
  jobs: 'swaptide_job_duration_seconds_count',
}

/** The metrics of a part, discovered as by Prometheus. */
async function scrapeOf(home: string, part: string): Promise<string> {
  const list = await readFile(join(home, 'metrics-targets.json'), 'utf8')
  const listed = JSON.parse(list) as { targets: string[]; labels: { part: string } }[]
  const [target] = listed.find(({ labels }) => labels.part === part)?.targets ?? []
  return target === undefined ? '' : (await fetch(`http://${target}/metrics`)).text()
}

/** A file of 300 simulated swaps, with the other events of such a market. */
async function marketFile(folder: string): Promise<string> {
  const { stdout } = await runHere(['simulate', '--stdout', '--swaps', '300'])
  const file = join(folder, 'market.ndjson')
  await writeFile(file, stdout)
  return file
}

/** Files of the home that another account can open, those in folders that are closed to it aside. */
async function openFiles(home: string): Promise<string[]> {
  const found = new Set<string>()
  for (const name of await readdir(home)) {
    // A file that is being replaced has its successor alongside it for a moment.
    const file = await stat(join(home, name)).catch(() => undefined)
    if (file !== undefined && (file.mode & 0o077) !== 0) found.add(name.replace(/\.new$/, ''))
  }
  return [...found]
}

test('up serves swaps that grow, and ends without leaving a process', async (t) => {
  const settings = await homeSettings(t)
  const up = await startUp(t, settings)
  const home = settings.SWAPTIDE_HOME ?? ''
  t.is(up.url, `http://127.0.0.1:${settings.PORT}`)
  for (const name of ['key', 'operator-key', 'endpoints.json']) {
    t.is((await stat(join(home, name))).mode & 0o777, 0o600)
  }
  t.deepEqual(await openFiles(home), ['metrics-targets.json'])
  // The newest one, not their number: a slow start has a full page of them by now.
  const newest = async (): Promise<string | undefined> => (await swapsOf(up))[0]?.signature
  let first: string | undefined
  const hasSwaps = async (): Promise<boolean> => {
    first = await newest()
    return first !== undefined
  }
  t.true(await holdsWithin(READY_BOUND_MS, hasSwaps))
  t.true(await holdsWithin(READY_BOUND_MS, async () => (await newest()) !== first))

  for (const [part, sample] of Object.entries(SAMPLES)) {
    const reported = await holdsWithin(60_000, async () =>
      (await scrapeOf(home, part)).includes(sample),
    )
    t.true(reported, `${part} tells ${sample}`)
  }
  const operatorKey = (await readFile(join(home, 'operator-key'), 'utf8')).trim()
  const headers = { Authorization: `Bearer ${operatorKey}` }
  t.is((await fetch(`${up.url}/admin/v1/lanes`, { headers })).status, 200)

  const second = await runCommandLine(['up'], settings)
  t.is(second.code, 1)
  t.regex(second.stderr, /is in use by process \d+ .*SWAPTIDE_HOME to another folder\n$/)

  const family = familyOf(pidOf(up))
  t.true(family.length >= 6, 'up, a worker, jobs and three servers')
  const { secret, secrets } = (await readState(home)) ?? {}
  for (const { pid } of family) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    for (const each of [secret, secrets?.nats, secrets?.redis]) t.false(words.includes(each ?? ' '))
  }
  up.child.kill('SIGINT')
  up.child.kill('SIGINT')
  t.is(await up.ended, 0)
  t.deepEqual(await remainingAfter(END_BOUND_MS, family), [])
  const after = await runHere(['status'], settings)
  t.is(after.code, 1)
  t.regex(after.stderr, /nothing runs in/)
})

test('ingest, status, keys and verify find the servers that up runs', async (t) => {
  const settings = await homeSettings(t)
  const up = await startUp(t, settings, ['--no-demo'])
  const run = (...argv: string[]): Promise<Ran> => runHere(argv, settings)
  const file = await marketFile(settings.SWAPTIDE_HOME ?? '')

  const first = await run('ingest', file)
  t.is(first.code, 0, first.stderr)
  t.regex(first.stdout, /^300 swaps accepted, 0 duplicates, 0 conflicts, .*, 0 refused\n$/)
  const again = await run('ingest', '--json', file)
  t.like(JSON.parse(again.stdout), { accepted: 0, duplicates: 300, conflicts: 0, uncounted: 0 })
  t.is((await swapsOf(up)).length, 300)

  const bad = `${await readFile(file, 'utf8')}{"kind":"swap","dex":99}\n`
  await writeFile(file, bad)
  const refused = await run('ingest', '/no/such/file', file)
  t.is(refused.code, 1)
  t.regex(refused.stderr, /^\/no\/such\/file: ENOENT/m)
  t.regex(refused.stderr, new RegExp(`^${file}:\\d+ dex 99: `, 'm'))
  t.regex(refused.stdout, /^0 swaps accepted, 300 duplicates, .*, 1 refused, 1 file not read\n$/)

  const status = await run('status', '--wait', '--json')
  t.is(status.code, 0)
  const { lanes, queues, swaps, dead_letters } = JSON.parse(status.stdout)
  t.deepEqual(
    queues.map(({ name, failed }: QueueDepth) => [name, failed]),
    JOB_NAMES.map((name) => [name, 0]),
  )
  t.deepEqual([lanes.length, swaps, dead_letters], [3, 300, 0])
  t.true(lanes.every(({ lag, owner }: { lag: number; owner: string }) => lag === 0 && owner))

  const created = await run('keys', 'create', '--tier', 'free', '--env', 'test', '--json')
  const { id, key, hint } = JSON.parse(created.stdout)
  t.is((await swapsOf({ ...up, key })).length, 300)
  const rotated = await run('keys', 'rotate', String(id), '--json')
  t.is((await swapsOf({ ...up, key: JSON.parse(rotated.stdout).key })).length, 300)
  const twice = await run('keys', 'rotate', String(id))
  t.is(twice.code, 1)
  t.regex(twice.stderr, /was rotated before: rotate its successor/)
  t.is((await run('keys', 'revoke', String(id))).code, 0)
  const listed = await run('keys', 'list')
  t.true(listed.stdout.includes(hint))
  t.false(listed.stdout.includes(key))
  t.regex(listed.stdout, /free +local .* revoked\n/)

  const rebuilt = await run('rebuild', 'ledger')
  t.is(rebuilt.code, 0, rebuilt.stderr)
  t.regex(rebuilt.stdout, /^[\d,]+ positions of 300 swaps in /)
  const candles = await run('rebuild', 'candles')
  t.regex(candles.stdout, /^candles of [\d,]+ pools of 300 swaps in /, candles.stderr)

  const verified = await run('verify')
  t.is(verified.code, 0, verified.stdout)
  t.regex(verified.stdout, /\nclean: every table is the fold of its swaps\n$/)
  t.is((await run('dead', 'list')).stdout, 'no dead letters\n')
  t.is((await run('migrate')).stdout, 'nothing to apply: the schema is up to date\n')
})

test('restarts a killed worker, and a killed up leaves no process running', async (t) => {
  const settings = await homeSettings(t)
  const up = await startUp(t, settings, ['--no-demo', '--tune'])
  const file = await marketFile(settings.SWAPTIDE_HOME ?? '')
  const worker = await workerOf(up)
  process.kill(worker ?? 0, 'SIGKILL')
  t.regex((await runHere(['ingest', file], settings)).stdout, /^300 swaps accepted/)
  const next = (await workerOf(up)) ?? 0
  t.not(next, worker)
  const isLowered = () => Promise.resolve(getPriority(next) === getPriority(pidOf(up)) + 10)
  t.true(await holdsWithin(60_000, isLowered), 'the priority of the new one is lowered, too')

  const family = familyOf(pidOf(up))
  up.child.kill('SIGKILL')
  await up.ended
  t.deepEqual(await remainingAfter(END_BOUND_MS, family), [])

  const again = await startUp(t, settings, ['--no-demo'])
  t.is(again.key, up.key)
  t.is((await swapsOf(again)).length, 300)
})

test("on servers of one's own, up makes the home that is not there yet", async (t) => {
  const settings = await settingsWithServers(t)
  const home = join(settings.SWAPTIDE_HOME ?? '', 'not', 'yet')
  await startUp(t, { ...settings, SWAPTIDE_HOME: home }, ['--no-demo'])
  for (const name of ['key', 'operator-key', 'endpoints.json']) {
    t.is((await stat(join(home, name))).mode & 0o777, 0o600)
  }
})
