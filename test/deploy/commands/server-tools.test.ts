/**
 * The tools of the embedded servers on an installation that runs: dump, restore, copy, and their visibility to other
 * accounts.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { ENVIRONMENT } from '../../../deploy/config.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { homeSettings, startUp } from '../../support/deploy/started-up.ts'
import {
  finished,
  type Ran,
  runCommandLine,
  runHere,
  SWAPTIDE,
  startCommand,
} from '../../support/programs/commands.ts'
import { familyOf, remainingAfter } from '../../support/programs/programs.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

const BOUND_MS = 60_000
const COUNT = 'select count(*) from swap'
const WAIT = 'select pg_sleep(600)'

test('dumps, restores and copies the database, and reaches Redis and NATS', async (t) => {
  const settings = await homeSettings(t)
  await startUp(t, settings, ['--no-demo'])
  const run = (argv: readonly string[], input = ''): Promise<Ran> =>
    runCommandLine(argv, settings, input)
  const { stdout: market } = await runHere(['simulate', '--stdout', '--swaps', '300'])
  t.is((await run(['ingest', '-'], market)).code, 0)
  t.is((await runHere(['status', '--wait'], settings)).code, 0)
  const count = (...argv: string[]): Promise<Ran> => run(['psql', ...argv, '-At', '-c', COUNT])
  t.deepEqual(await count(), { code: 0, stdout: '300\n', stderr: '' })

  // By the very lines that the help shows.
  const { stdout: help } = await run(['pg-restore', '--help'])
  const lines = Array.from(help.matchAll(/^ {2}(swaptide .*)$/gm), ([, line = '']) => line)
  t.is(lines.length, 6)
  const folder = await temporaryFolder(t)
  const env = { ...ENVIRONMENT, ...settings, PATH: `${dirname(SWAPTIDE)}:${ENVIRONMENT.PATH}` }
  for (const line of lines) {
    await t.notThrowsAsync(promisify(execFile)('sh', ['-c', line], { cwd: folder, env }), line)
  }
  t.is((await count('-d', 'second')).stdout, '300\n')

  const copy = join(folder, 'copy')
  const copied = await run(['pg-basebackup', '-D', copy, '--checkpoint=fast'])
  t.is(copied.code, 0, copied.stderr)
  const names = await readdir(copy)
  for (const name of ['PG_VERSION', 'backup_manifest', 'base', 'pg_wal'])
    t.true(names.includes(name))

  t.deepEqual(await run(['redis-cli', 'ping']), { code: 0, stdout: 'PONG\n', stderr: '' })
  const reloaded = await run(['nats-server', '--signal', 'reload'])
  t.is(reloaded.code, 0, reloaded.stderr)
  const natsLog = join(settings.SWAPTIDE_HOME ?? '', 'logs/nats.log')
  t.true(
    await holdsWithin(BOUND_MS, async () =>
      (await readFile(natsLog, 'utf8')).includes('Reloaded server configuration'),
    ),
  )
  const unknown = await run(['nats-server', '--signal', 'nothing'])
  t.deepEqual([unknown.code, unknown.stdout], [2, ''])
})

test('passes on input, output and exit codes, and no password by arguments', async (t) => {
  const settings = await homeSettings(t)
  await startUp(t, settings, ['--no-demo'])
  const run = (argv: readonly string[], input = ''): Promise<Ran> =>
    runCommandLine(argv, settings, input)
  t.is((await run(['psql', '-At'], 'select 1 + 1;\nselect 20 + 2;\n')).stdout, '2\n22\n')
  const long = await run([
    'psql',
    '-At',
    '-c',
    "select repeat('x', 1000) from generate_series(1, 5000)",
  ])
  t.is(long.stdout.length, 5_000 * 1_001)
  const failed = await run(['psql', '-c', 'select nothing'])
  t.is(failed.code, 1)
  t.regex(failed.stderr, /column "nothing" does not exist/)
  t.regex(
    (await run(['psql', '--', '--help'])).stdout,
    /^psql is the PostgreSQL interactive terminal/,
  )
  t.regex((await run(['pg-dump', '--', '--version'])).stdout, /^pg_dump \(PostgreSQL\) 17\./)

  const { secret } = JSON.parse(
    await readFile(join(settings.SWAPTIDE_HOME ?? '', 'stack.json'), 'utf8'),
  )
  const waiting = startCommand(['psql', '-c', WAIT], settings)
  const ended = finished(waiting)
  const commands = async (): Promise<string[]> => {
    const family = familyOf(waiting.pid ?? 0)
    return await Promise.all(
      family.map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')),
    )
  }
  let seen: string[] = []
  const runs = await holdsWithin(BOUND_MS, async () => {
    seen = await commands()
    return seen.some((words) => words.includes('real/psql') && words.includes(WAIT))
  })
  t.true(runs, JSON.stringify(seen))
  t.deepEqual(
    seen.filter((words) => words.includes(secret)),
    [],
  )
  const family = familyOf(waiting.pid ?? 0)
  waiting.kill('SIGTERM')
  t.is((await ended).code, 143)
  t.deepEqual(await remainingAfter(BOUND_MS, family), [])
})

test('prints the folders of the programs of the servers, where no installation runs', async (t) => {
  const { code, stdout } = await runHere(['server-programs'])
  t.is(code, 0)
  const env = { PATH: `${stdout.trim()}:/usr/bin:/bin` }
  for (const name of ['postgres', 'initdb', 'pg_ctl', 'pg_rewind', 'nats-server', 'redis-server']) {
    const ran = await promisify(execFile)('sh', ['-c', `command -v ${name} && ${name} --version`], {
      env,
    })
    t.true(stdout.includes(dirname(ran.stdout.split('\n')[0] ?? '')), ran.stdout)
  }
})

test('reports that no installation runs', async (t) => {
  const settings = { SWAPTIDE_HOME: await temporaryFolder(t) }
  for (const name of ['psql', 'pg-dump', 'pg-restore', 'pg-basebackup', 'redis-cli']) {
    const { code, stderr } = await runCommandLine([name], settings)
    t.is(code, 1, name)
    t.regex(
      stderr,
      /^swaptide: nothing runs in ".*": start it with "npm start", set SWAPTIDE_HOME to /,
    )
  }
  const { code } = await runCommandLine(['nats-server', '--signal', 'reload'], settings)
  t.is(code, 1)
})
