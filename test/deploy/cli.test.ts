/**
 * The command line without servers: its answers to right and wrong arguments, in this process; and in a separate
 * process where that matters.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { UsageError } from '../../deploy/cli/arguments.ts'
import type { Command, CommandContext } from '../../deploy/cli/command.ts'
import * as importing from '../../deploy/commands/import.ts'
import * as ingest from '../../deploy/commands/ingest.ts'
import * as keys from '../../deploy/commands/operate/keys.ts'
import * as worker from '../../deploy/commands/parts/worker.ts'
import * as dead from '../../deploy/commands/repair/dead.ts'
import * as rebuild from '../../deploy/commands/repair/rebuild.ts'
import * as simulate from '../../deploy/commands/simulate.ts'
import * as up from '../../deploy/commands/up.ts'
import { COMMAND_NAMES } from '../../deploy/config/setting.ts'
import { finished, runHere, SWAPTIDE, startCommand } from '../support/programs/commands.ts'
import { familyOf } from '../support/programs/programs.ts'

const CREATE = ['create', '--tier', 'pro', '--env', 'test']

const COMMANDS = COMMAND_NAMES.join(' ')

test('help lists every command', async (t) => {
  for (const argv of [['--help'], ['-h'], ['help'], []]) {
    const { code, stdout, stderr } = await runHere(argv)
    t.is(code, 0)
    t.is(stderr, '')
    for (const name of COMMANDS.split(' ')) t.regex(stdout, new RegExp(`^ {2}${name} `, 'm'))
  }
})

test('the overview describes each command', async (t) => {
  const { stdout } = await runHere(['--help'])
  t.regex(stdout, /^ {2}keys +create, list, rotate and revoke API keys$/m)
  t.regex(stdout, /SWAPTIDE_HOME\s\(default\s\.swaptide\sin\sthe\scurrent\sfolder\)/)
})

test('prints the same help of a command for every form of the request', async (t) => {
  for (const name of COMMANDS.split(' ')) {
    const { stdout } = await runHere([name, '--help'])
    for (const argv of [
      [name, '-h'],
      ['help', name],
      ['--help', name],
      ['-h', name],
    ]) {
      t.deepEqual(await runHere(argv), { code: 0, stdout, stderr: '' }, argv.join(' '))
    }
  }
  const { code, stderr } = await runHere(['help', 'stauts'])
  t.is(code, 2)
  t.is(stderr, 'swaptide: unknown command "stauts": did you mean "status"?\n')
})

test('prints the version with the schema in any environment', async (t) => {
  for (const word of ['--version', '-v', '-V', 'version']) {
    const { code, stdout, stderr } = await runHere([word], { PORT: 'none' })
    t.is(code, 0)
    t.is(stderr, '')
    t.regex(stdout, /^swaptide \d+\.\d+\.\d+ \(schema \d{4}_\w+(, commit [0-9a-f]{7})?\)\n$/)
  }
})

test('every command prints its options in any environment', async (t) => {
  for (const name of COMMANDS.split(' ')) {
    const { code, stdout } = await runHere([name, '--help'], { PORT: 'none' })
    t.is(code, 0)
    t.true(stdout.startsWith(`swaptide ${name}`))
    t.regex(stdout, /^ {2}--help +print this text$/m)
  }
})

test('refuses an unknown command with the list of known ones', async (t) => {
  const { code, stdout, stderr } = await runHere(['frobnicate'])
  t.is(code, 2)
  t.is(stdout, '')
  t.is(stderr, `swaptide: unknown command "frobnicate": use one of ${COMMANDS} help version\n`)
})

test('refuses an unknown option with the list of known ones', async (t) => {
  const { code, stderr } = await runHere(['status', '--frobnicate'])
  t.is(code, 2)
  t.is(
    stderr,
    'swaptide: unknown option "--frobnicate": status has --wait --timeout --json --help\n',
  )
})

const TOOLS = ['psql', 'pg-dump', 'pg-restore', 'pg-basebackup', 'redis-cli', 'nats-server']

/** A typing error: one letter of the middle left out. */
const mistyped = (word: string): string => {
  const middle = Math.ceil(word.length / 2)
  return word.slice(0, middle) + word.slice(middle + 1)
}

test('suggests the intended name for every mistyped command and option', async (t) => {
  for (const name of COMMANDS.split(' ')) {
    // The remainder of "up" is no word.
    if (name.length > 2) {
      const { code, stderr } = await runHere([mistyped(name)])
      t.is(code, 2)
      t.is(stderr, `swaptide: unknown command "${mistyped(name)}": did you mean "${name}"?\n`)
    }
    // The servers' tools parse their own options.
    if (TOOLS.includes(name)) continue
    const { stdout } = await runHere([name, '--help'])
    const options = Array.from(stdout.matchAll(/^ {2}(--[a-z-]+)/gm), ([, option]) => option ?? '')
    for (const option of options.filter((each) => each.length > 4)) {
      const { code, stderr } = await runHere([name, `${mistyped(option)}=x`])
      t.is(code, 2, `${name} ${option}: ${stderr}`)
      t.is(
        stderr,
        `swaptide: unknown option "${mistyped(option)}": did you mean "${option}"?\n`,
        name,
      )
    }
  }
})

test('so are words and values of closed sets', async (t) => {
  const cases: [string[], string][] = [
    [['statsu'], 'unknown command "statsu": did you mean "status"?'],
    [['--verison'], 'unknown command "--verison": did you mean "version"?'],
    [['keys', 'craete'], 'unknown "keys craete": did you mean "create"?'],
    [['dead', 'lst'], 'unknown "dead lst": did you mean "list"?'],
    [['import', 'kol', 'x'], 'unknown "import kol": did you mean "kols"?'],
    [['rebuild', 'candle'], 'unknown "rebuild candle": did you mean "candles"?'],
    [['worker', 'leger'], 'unknown actor "leger": did you mean "ledger"?'],
    [['keys', 'create', '--tier', 'Pro'], 'unknown tier "Pro": did you mean "pro"?'],
    [
      ['keys', 'create', '--tier', 'pro', '--env', 'tset'],
      'unknown env "tset": did you mean "test"?',
    ],
    [['status', 'wait'], 'unexpected argument "wait": did you mean "--wait"?'],
    [['up', 'no-demo'], 'unexpected argument "no-demo": did you mean "--no-demo"?'],
  ]
  for (const [argv, message] of cases) {
    t.deepEqual(await runHere(argv), { code: 2, stdout: '', stderr: `swaptide: ${message}\n` })
  }
  const { stderr } = await runHere(['status'], { LOG_LEVEL: 'wran' })
  t.is(stderr, 'swaptide: LOG_LEVEL "wran": did you mean "warn"?\n')
})

test('refuses wrong words after a command with the expected ones', async (t) => {
  const cases: [string, Command, string[], RegExp][] = [
    ['keys', keys, [], /^"keys" alone does nothing: use one of create list rotate revoke$/],
    ['keys', keys, ['burn'], /^unknown "keys burn": use one of create list rotate revoke$/],
    [
      'keys',
      keys,
      ['create', '--tier'],
      /^--tier needs a value: TIER, one of free developer pro enterprise/,
    ],
    ['keys', keys, ['create', '--env', 'test'], /--tier is missing: use one of free developer pro/],
    ['keys', keys, [...CREATE, '--account', ''], /^--account "": expected 1 to 200 characters/],
    [
      'keys',
      keys,
      [...CREATE, '--account', 'a\x1b[2J'],
      /^--account "a\\u001b\[2J": expected 1 to/,
    ],
    [
      'keys',
      keys,
      [...CREATE, '--account', 'a'.repeat(201)],
      /^--account "a{100}\.\.\.": expected/,
    ],
    ['keys', keys, ['create', '--env', 'no', '--tier', 'pro'], /unknown env "no": use one of live/],
    ['keys', keys, ['rotate'], /^rotate needs the id of a key, see/],
    ['keys', keys, ['revoke'], /^revoke needs the id of a key, see/],
    ['keys', keys, ['revoke', 'x'], /revoke "x": expected the id of a key/],
    ['dead', dead, ['retry'], /retry takes either ids or --all/],
    ['dead', dead, ['retry', '7', '--all'], /retry takes either ids or --all/],
    ['dead', dead, ['bury'], /unknown "dead bury": use one of list retry/],
    ['dead', dead, [], /^"dead" alone does nothing: use one of list retry$/],
    ['ingest', ingest, [], /no file named/],
    [
      'import',
      importing,
      ['whales', 'a'],
      /unknown "import whales": use one of kols tokens sectors/,
    ],
    ['import', importing, [], /^"import" alone does nothing: use one of kols tokens sectors$/],
    ['import', importing, ['kols'], /one file is read/],
    ['import', importing, ['kols', 'a', 'b'], /one file is read/],
    ['import', importing, ['sectors', 'a', '--replace'], /--replace is for kols/],
    ['worker', worker, ['whales'], /unknown actor "whales": use one of pool/],
    ['simulate', simulate, ['--swaps', '0'], /--swaps "0": expected an integer of 1 to/],
    ['simulate', simulate, ['--from', 'monday'], /--from "monday": expected a time like/],
    [
      'rebuild',
      rebuild,
      [],
      /^"rebuild" alone does nothing: use one of ledger ranking candles sandwiches$/,
    ],
    ['rebuild', rebuild, ['swaps'], /^unknown "rebuild swaps": use one of ledger ranking/],
    ['rebuild', rebuild, ['ledger', 'x'], /^unexpected argument "x"/],
    ['up', up, ['now'], /unexpected argument "now"/],
  ]
  for (const [name, command, argv, message] of cases) {
    // Refused before anything of the context is looked at.
    const refused = command.run(argv, {} as CommandContext)
    await t.throwsAsync(refused, { instanceOf: UsageError, message }, `${name} ${argv.join(' ')}`)
  }
})

test('a market is simulated of no time that ingest would refuse', async (t) => {
  const range = 'expected a time from 2020-01-01 to now'
  const cases: [from: string, reason: string][] = [
    ['1999-01-01', range],
    ['3026-01-01', range],
    [
      '1780272000',
      'looks like Unix seconds (2026-06-01T00:00:00.000Z): expected Unix ms, such as 1780272000000',
    ],
  ]
  for (const [from, reason] of cases) {
    const { code, stderr } = await runHere(['simulate', '--stdout', '--from', from])
    t.is(code, 2)
    t.is(stderr, `swaptide: --from "${from}": ${reason}\n`)
  }
})

test('a command without a running installation explains how to start it', async (t) => {
  const cases: [environment: Record<string, string>, folder: string][] = [
    [{ SWAPTIDE_HOME: '/nowhere' }, '/nowhere'],
    [{ SWAPTIDE_HOME: 'of/no/home' }, join(process.cwd(), 'of/no/home')],
  ]
  for (const [environment, folder] of cases) {
    const { code, stderr } = await runHere(['status'], environment)
    t.is(code, 1)
    t.is(
      stderr,
      `swaptide: nothing runs in "${folder}": start it with "npm start", set SWAPTIDE_HOME to the folder of one ` +
        'that runs (default .swaptide in the current folder), or set DATABASE_URL, NATS_URL and REDIS_URL\n',
    )
  }
})

test('a bad setting is one sentence, with or without debug lines', async (t) => {
  for (const LOG_LEVEL of ['info', 'debug']) {
    const { code, stderr } = await runHere(['status'], { PORT: 'abc', LOG_LEVEL })
    t.is(code, 1)
    t.is(stderr, 'swaptide: PORT "abc": expected an integer of 0 to 65535\n')
  }
})

test('up reports unavailable ports before it starts any part', async (t) => {
  const home = join(tmpdir(), 'swaptide-of-no-ports')
  const settings = { SWAPTIDE_HOME: home, PORT: '0', GRPC_PORT: '0', METRICS_PORT: '65535' }
  const { code, stderr } = await runHere(['up'], settings)
  t.is(code, 1)
  t.regex(stderr, /^swaptide: METRICS_PORT "65535": expected 65533 at most, since each of 3 /)
  t.false(existsSync(home))
})

test('reports a server that does not answer in one sentence with its address', async (t) => {
  const { code, stderr } = await runHere(['migrate', '--exit-if-unavailable'], {
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
    ['3', '3', '4'].map((seed) => runHere([...argv, seed])),
  )
  t.is(first?.code, 0)
  t.is(first?.stdout.match(/^\{"kind":"swap"/gm)?.length, 500)
  t.is(again?.stdout, first?.stdout)
  t.not(other?.stdout, first?.stdout)
})

test('a reader that closes its end stops the simulation quietly', async (t) => {
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

const FULL = '/dev/full'
const ifFull = existsSync(FULL) ? test : test.skip
const WHY_SKIPPED = existsSync(FULL) ? '' : ` (skipped: there is no ${FULL} here)`

ifFull(
  `a result that no disk has room for is a sentence and exit code 1${WHY_SKIPPED}`,
  async (t) => {
    for (const argv of [['--help'], ['simulate', '--stdout', '--swaps', '5000']]) {
      const full = await open(FULL, 'w')
      const child = spawn(SWAPTIDE, argv, { stdio: ['ignore', full.fd, 'pipe'] })
      const said = text(child.stderr as Readable)
      t.deepEqual(await once(child, 'exit'), [1, null])
      t.regex(await said, /^swaptide: standard output: ENOSPC: .*\n$/)
      await full.close()
    }
  },
)

test('reports a file that accepts only a part of a result, too', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-cut-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const limited = 'ulimit -f 40; exec "$0" simulate --stdout --swaps 60 > "$1"'
  const child = spawn('sh', ['-c', limited, SWAPTIDE, join(folder, 'cut')], { stdio: 'pipe' })
  const { code, stderr } = await finished(child)
  t.is(code, 1)
  t.regex(stderr, /^swaptide: standard output: EFBIG: /)
})

ifFull(`a log that no disk has room for ends nobody${WHY_SKIPPED}`, async (t) => {
  const full = await open(FULL, 'w')
  const child = spawn(SWAPTIDE, ['nope'], { stdio: ['ignore', 'ignore', full.fd] })
  t.deepEqual(await once(child, 'exit'), [2, null])
  await full.close()
})

test('the command is one process, and receives signals directly', async (t) => {
  const child = startCommand(['simulate', '--stdout', '--rate', '1', '--swaps', '1000'], {})
  const ended = finished(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  t.is(familyOf(child.pid ?? 0).length, 1)
  child.kill('SIGTERM')
  t.is((await ended).code, 0)
})
