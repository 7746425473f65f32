/** The command line without servers: what it answers to right and wrong words. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { finished, runCommandLine, SWAPTIDE, startCommand } from '../support/commands.ts'
import { familyOf } from '../support/programs.ts'

const COMMANDS = 'up ingest simulate status keys api worker migrate verify rebuild dead'

test('help lists every command', async (t) => {
  for (const argv of [['--help'], ['-h'], ['help'], []]) {
    const { code, stdout, stderr } = await runCommandLine(argv)
    t.is(code, 0)
    t.is(stderr, '')
    for (const name of COMMANDS.split(' ')) t.regex(stdout, new RegExp(`^ {2}${name} `, 'm'))
  }
})

test('every command tells its options, whatever the environment says', async (t) => {
  for (const name of COMMANDS.split(' ')) {
    const { code, stdout } = await runCommandLine([name, '--help'], { PORT: 'none' })
    t.is(code, 0)
    t.true(stdout.startsWith(`swaptide ${name}`))
    t.regex(stdout, /^ {2}--help +this text$/m)
  }
})

test('an unknown command says which there are and does nothing', async (t) => {
  const { code, stdout, stderr } = await runCommandLine(['inject'])
  t.is(code, 2)
  t.is(stdout, '')
  t.is(stderr, `swaptide: unknown command "inject": use one of ${COMMANDS}\n`)
})

test('an unknown option says which there are and does nothing', async (t) => {
  const { code, stderr } = await runCommandLine(['status', '--wiat'])
  t.is(code, 2)
  t.is(stderr, 'swaptide: unknown option "--wiat": status has --wait --timeout --json --help\n')
})

test('wrong words after a command say what is expected', async (t) => {
  const cases: [string[], RegExp][] = [
    [['keys'], /unknown "keys ": use one of create list revoke/],
    [['keys', 'create', '--env', 'test'], /--tier is missing: use one of free developer pro/],
    [['keys', 'create', '--env', 'prod', '--tier', 'pro'], /unknown env "prod": use one of live/],
    [['keys', 'revoke', 'x'], /revoke "x": expected the id of a key/],
    [['dead', 'retry'], /retry takes either ids or --all/],
    [['dead', 'bury'], /unknown "dead bury": use one of list retry/],
    [['ingest'], /no file named/],
    [['worker', 'pools'], /unknown actor "pools": use one of pool/],
    [['simulate', '--swaps', '0'], /--swaps "0": expected an integer of 1 to/],
    [['simulate', '--from', 'monday'], /--from "monday": expected a time like/],
    [['up', 'now'], /unexpected argument "now"/],
  ]
  for (const [argv, expected] of cases) {
    const { code, stdout, stderr } = await runCommandLine(argv)
    t.is(code, 2, argv.join(' '))
    t.is(stdout, '')
    t.regex(stderr, expected)
    t.is(stderr.split('\n').length, 2)
  }
})

test('where nothing runs, a command says how to start it', async (t) => {
  const { code, stderr } = await runCommandLine(['status'], { SWAPTIDE_HOME: '/nowhere' })
  t.is(code, 1)
  t.is(
    stderr,
    'swaptide: nothing runs in "/nowhere": start it with "npm start", or set DATABASE_URL, NATS_URL and REDIS_URL\n',
  )
})

test('a bad setting is one sentence, with or without debug lines', async (t) => {
  for (const LOG_LEVEL of ['info', 'debug']) {
    const { code, stderr } = await runCommandLine(['status'], { PORT: 'abc', LOG_LEVEL })
    t.is(code, 1)
    t.is(stderr, 'swaptide: PORT "abc": expected an integer of 0 to 65535\n')
  }
})

test('a server that does not answer is one sentence with its place', async (t) => {
  const { code, stderr } = await runCommandLine(['migrate'], {
    DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x',
    NATS_URL: 'nats://127.0.0.1:1',
    REDIS_URL: 'redis://127.0.0.1:1',
  })
  t.is(code, 1)
  t.is(stderr, 'swaptide: nothing answers at 127.0.0.1:1: is the server running?\n')
})

test('it runs from any folder and through links', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-cli-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'bin'))
  await symlink(SWAPTIDE, join(folder, 'direct'))
  await symlink('../direct', join(folder, 'bin', 'swaptide'))
  const child = spawn(join(folder, 'bin', 'swaptide'), ['--help'], { cwd: '/', stdio: 'pipe' })
  const { code, stdout } = await finished(child)
  t.is(code, 0)
  t.regex(stdout, /^swaptide COMMAND/)
})

test('a simulated market is printed the same for the same seed', async (t) => {
  const argv = ['simulate', '--stdout', '--swaps', '500', '--seed']
  const [first, again, other] = await Promise.all(
    ['3', '3', '4'].map((seed) => runCommandLine([...argv, seed])),
  )
  t.is(first?.code, 0)
  t.is(first?.stdout.match(/^\{"kind":"swap"/gm)?.length, 500)
  t.is(again?.stdout, first?.stdout)
  t.not(other?.stdout, first?.stdout)
})

test('a reader that goes away ends the simulation quietly', async (t) => {
  const child = startCommand(['simulate', '--stdout', '--swaps', '100000000'], {})
  child.stdout?.once('data', () => child.stdout?.destroy())
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let said = ''
  child.stderr?.on('data', (piece) => {
    said += piece
  })
  t.is(await ended, 0)
  t.is(said, '')
})

test('the command is one process, and a signal goes straight to it', async (t) => {
  const child = startCommand(['simulate', '--stdout', '--rate', '1', '--swaps', '1000'], {})
  const ended = finished(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  t.is(familyOf(child.pid ?? 0).length, 1)
  child.kill('SIGTERM')
  t.is((await ended).code, 0)
})
