/**
 * `swaptide psql`, `pg-dump`, `pg-restore`, `pg-basebackup`, `redis-cli`, `nats-server`: the tools of the embedded servers, of the
 * servers' own versions, on the installation that runs in SWAPTIDE_HOME. Arguments are passed on unchanged, standard
 * input and output are the caller's, and the exit code is the tool's. `server-programs` needs no installation: an operator who starts
 * servers by hand calls their programs by their own names.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { directUrlOf } from '../../sql/driver/pooler.ts'
import { choiceOption, expectNone, parseArguments, type Usage, usage } from '../cli/arguments.ts'
import { type Command, type CommandContext, EXIT_OK } from '../cli/command.ts'
import { hostPrefix } from '../local/packages/host-prefix.ts'
import type { ProgramName } from '../local/packages/prefix.ts'
import { serverProgram } from '../local/servers/server.ts'
import { findInstallation, type Installation } from '../processes/installation.ts'
import {
  postgresAccess,
  redisAccess,
  type ToolAccess,
  toolVariables,
} from '../processes/server-tools.ts'
import { EXIT_BY_SIGNAL } from '../shutdown.ts'

const ownHelp = (name: string): string =>
  `All arguments are passed on; "swaptide ${name} -- --help" prints the options of the tool.`
const RESTORE_NOTE = 'The examples copy the database into another one of the same server.'
const RESTORE_EXAMPLES = [
  'swaptide pg-dump -Fc -f swaptide.dump',
  "swaptide psql -c 'create database second'",
  "swaptide psql -d second -c 'create extension timescaledb'",
  "swaptide psql -d second -c 'select timescaledb_pre_restore()'",
  'swaptide pg-restore -d second swaptide.dump',
  "swaptide psql -d second -c 'select timescaledb_post_restore()'",
]

const onPostgres = ({ databaseUrl }: Installation): ToolAccess =>
  postgresAccess(directUrlOf(databaseUrl))

export const psql = tool('psql', onPostgres, {
  line: 'psql [ARGUMENT...]',
  options: {},
  examples: ["swaptide psql -c 'select count(*) from swap'"],
})

export const pgDump = tool('pg_dump', onPostgres, {
  line: 'pg-dump [ARGUMENT...]',
  options: {},
  examples: ['swaptide pg-dump --format=custom --file=swaptide.dump'],
})

export const pgRestore = tool('pg_restore', onPostgres, {
  line: 'pg-restore [ARGUMENT...] -d DATABASE FILE',
  options: {},
  notes: [RESTORE_NOTE],
  examples: RESTORE_EXAMPLES,
})

export const pgBasebackup = tool('pg_basebackup', onPostgres, {
  line: 'pg-basebackup [ARGUMENT...] -D FOLDER',
  options: {},
  examples: ['swaptide pg-basebackup --pgdata=/backups/base --wal-method=stream'],
})

export const redisCli = tool('redis-cli', ({ redisUrl }) => redisAccess(redisUrl), {
  line: 'redis-cli [ARGUMENT...]',
  options: {},
  examples: ['swaptide redis-cli info memory'],
})

const SIGNALS = ['reload', 'reopen', 'ldm', 'quit', 'stop', 'term'] as const

export const natsServer: Command = {
  described: usage({
    line: 'nats-server --signal NAME',
    options: {
      signal: { type: 'string', value: 'NAME', about: `one of ${SIGNALS.join(' ')}` },
    },
    notes: ['"up" restarts a server that ends by itself, also after quit, stop and term.'],
    examples: ['swaptide nats-server --signal reload'],
  }),
  async run(argv, context) {
    const { values, positionals } = parseArguments(natsServer.described, argv)
    expectNone(natsServer.described.line, positionals)
    const signal = choiceOption('signal', values.signal as string | undefined, SIGNALS)
    await findInstallation(context.config)
    const { home, servers } = context.config
    if (servers !== undefined) {
      throw new Error('NATS_URL is set: nats-server --signal reaches the embedded server only')
    }
    const program = await serverProgram(join(home, 'nats'))
    if (program === undefined) {
      throw new Error(`no nats-server runs in "${home}": see the log of "up" for the reason`)
    }
    const access = { args: [`--signal=${signal}=${program.pid}`], variables: {} }
    return await runProgram('nats-server', access, [], context)
  },
}

export const serverPrograms: Command = {
  described: usage({
    line: 'server-programs',
    options: {},
    notes: [
      'For servers that you start yourself: PATH="$(swaptide server-programs):$PATH"',
      'Where no embedded stack has run on this host yet, it is fetched first.',
    ],
    examples: ['swaptide server-programs'],
  }),
  async run(argv, { config, stdout, stderr }) {
    const { positionals } = parseArguments(serverPrograms.described, argv)
    expectNone(serverPrograms.described.line, positionals)
    const prefix = await hostPrefix({ ...config, log: (line) => stderr.write(`${line}\n`) })
    stdout.write(`${prefix.folders.join(':')}\n`)
    return EXIT_OK
  },
}

function tool(
  program: ProgramName,
  accessOf: (installation: Installation) => ToolAccess,
  described: Usage,
): Command {
  const name = described.line.split(' ')[0] ?? ''
  return {
    described: {
      ...described,
      notes: [...(described.notes ?? []), ownHelp(name)],
      passesOn: true,
    },
    ending: 'drains',
    async run(argv, context) {
      const access = accessOf(await findInstallation(context.config))
      const args = argv[0] === '--' ? argv.slice(1) : argv
      return await runProgram(program, access, args, context)
    },
  }
}

/** Runs it as if it replaced this process. */
async function runProgram(
  name: ProgramName,
  access: ToolAccess,
  args: readonly string[],
  { config, stderr, signal }: CommandContext,
): Promise<number> {
  const prefix = await hostPrefix({ ...config, log: (line) => stderr.write(`${line}\n`) })
  const child = spawn(prefix.program(name), [...access.args, ...args], {
    stdio: 'inherit',
    env: toolVariables(config.environment, access),
  })
  const pass = (): void => {
    const requested = signal.reason in constants.signals ? signal.reason : 'SIGTERM'
    child.kill(requested)
  }
  signal.addEventListener('abort', pass, { once: true })
  if (signal.aborted) pass()
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, by) =>
      resolve(code ?? EXIT_BY_SIGNAL + constants.signals[by ?? 'SIGTERM']),
    )
  })
}
