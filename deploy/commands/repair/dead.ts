/**
 * `swaptide dead list|retry`: events that the actors could not apply. A retry sends them again unchanged, after a fix
 * of the software, or sends a corrected event instead.
 */

import type { Event } from '../../../domain/events/event.ts'
import type { DeadLetterRow } from '../../../domain/events/rejected-event.ts'
import type { Db } from '../../../sql/db.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import { createPublisher } from '../../../streams/ingest/publisher.ts'
import { type Line, readLines } from '../../../streams/ingest/reading/ndjson.ts'
import { explainRefusal, refuseLine } from '../../../streams/ingest/refusal.ts'
import { listDeadLetters, mendDeadLetter, retryDeadLetters } from '../../../workers/dead-letters.ts'
import {
  choiceWord,
  expectNone,
  integerOption,
  parseArguments,
  UsageError,
  usage,
} from '../../cli/arguments.ts'
import { CLI_ACTOR, type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, jsonLine, table } from '../../cli/format.ts'
import { openInput } from '../../operations/operator-file.ts'
import { withDatabase, withStreams } from '../../processes/connections.ts'
import { findInstallation, type Installation } from '../../processes/installation.ts'

export const described = usage({
  line: 'dead list [--limit N] | retry ID... | retry --all | retry ID --event FILE',
  options: {
    limit: { type: 'string', value: 'N', about: 'the newest N (list)', default: '100' },
    all: { type: 'boolean', about: 'all that were not retried yet (retry)' },
    event: {
      type: 'string',
      value: 'FILE',
      about: 'corrected event, one line of NDJSON; "-": standard input (retry)',
    },
    json: { type: 'boolean', about: 'print JSON' },
  },
  notes: ['A dead letter is an event that an actor could not apply, stored with its reason.'],
  examples: ['swaptide dead list', 'swaptide dead retry --all', 'swaptide dead retry 12 --event -'],
})

const NAME = 'swaptide dead'
const LIMIT_MAX = 10_000
const ID = /^[1-9]\d{0,14}$/

type Action = (db: Db, installation: Installation, context: CommandContext) => Promise<number>

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const action = parse(argv)
  const installation = await findInstallation(context.config)
  return await withDatabase(installation.databaseUrl, { name: NAME }, (db) =>
    action(db, installation, context),
  )
}

/** Checks the arguments before any connection is opened. */
function parse(argv: readonly string[]): Action {
  const { values, positionals } = parseArguments(described, argv)
  const [word, ...ids] = positionals
  const action = choiceWord('dead', word, ['list', 'retry'])
  const isJson = values.json ?? false
  if (action === 'list') {
    expectNone(described.line, ids)
    const limit = integerOption('limit', values.limit, { min: 1, max: LIMIT_MAX }) ?? 1
    return (db, _, context) => list(db, limit, isJson, context)
  }
  const wrong = ids.find((id) => !ID.test(id))
  if (wrong !== undefined) {
    throw new UsageError(`retry "${wrong}": expected ids of dead letters, see swaptide dead list`)
  }
  if ((values.all ?? false) === ids.length > 0)
    throw new UsageError('retry takes either ids or --all')
  const { event: file } = values
  if (file !== undefined) {
    const [id, ...others] = ids
    if (id === undefined || others.length > 0) {
      throw new UsageError('--event goes with one id: swaptide dead retry ID --event FILE')
    }
    return (db, installation, context) => mend(db, installation, Number(id), file, context)
  }
  const chosen = values.all ? 'all' : ids.map(Number)
  return (db, installation, context) => retry(db, installation, chosen, isJson, context)
}

async function list(
  db: Db,
  limit: number,
  isJson: boolean,
  { stdout }: CommandContext,
): Promise<number> {
  const letters = await listDeadLetters(db, { limit })
  if (isJson) stdout.write(jsonLine(letters))
  else if (letters.length === 0) stdout.write('no dead letters\n')
  else {
    const rows = letters.map((letter) => [
      String(letter.id),
      letter.actor,
      String(letter.lane),
      String(letter.sequence),
      letter.created_at.toISOString(),
      stateOf(letter),
      letter.reason,
    ])
    stdout.write(table(['id', 'actor', 'lane', 'sequence', 'since', 'state', 'reason'], rows))
  }
  return EXIT_OK
}

function stateOf({ actor, retried_at: retriedAt }: DeadLetterRow): string {
  if (actor !== 'pool') return 'counted'
  return retriedAt === null ? 'waits' : 'sent again'
}

async function retry(
  db: Db,
  installation: Installation,
  ids: readonly number[] | 'all',
  isJson: boolean,
  context: CommandContext,
): Promise<number> {
  const options = { name: NAME, log: context.log('warn') }
  const sent = await withStreams(installation, options, (streams) =>
    retryDeadLetters(db, streams, ids, CLI_ACTOR),
  )
  const { stdout, stderr } = context
  stdout.write(isJson ? jsonLine({ sent }) : `${counted(sent.length, 'dead letter')} sent again\n`)
  const absent = ids === 'all' ? [] : ids.filter((id) => !sent.includes(id))
  if (absent.length === 0) return EXIT_OK
  stderr.write(absent.map((id) => `swaptide: ${notFound(id)}\n`).join(''))
  return EXIT_FAILED
}

const notFound = (id: number): string =>
  `dead letter "${id}" not found or not waiting: see "swaptide dead list"`

async function mend(
  db: Db,
  installation: Installation,
  id: number,
  file: string,
  context: CommandContext,
): Promise<number> {
  const event = await eventOf(file, context)
  const log = context.log('warn')
  const isSent = await withStreams(installation, { name: NAME, log }, (streams) => {
    const { jetStream, topology } = streams
    const publisher = createPublisher(jetStream, topology, { log })
    const { prefix, laneCount } = topology
    return mendDeadLetter(db, publisher.publish, { id, event, prefix, laneCount, by: CLI_ACTOR })
  })
  if (!isSent) throw new Error(notFound(id))
  context.stdout.write(`the corrected event is sent instead of dead letter ${id}\n`)
  return EXIT_OK
}

/** The event of a file's one line. A field that was left out is the operator's mistake here: it is refused. */
async function eventOf(file: string, context: CommandContext): Promise<Event> {
  const lines: Line[] = []
  const input = await openInput(file, context)
  for await (const run of readLines(input)) lines.push(...run.lines)
  const [line, another] = lines
  if (line === undefined) throw new Error(`${file}: expected one line of NDJSON, found none`)
  if (another !== undefined) throw new Error(`${file}: expected one line of NDJSON, found more`)
  const { number, text, error } = line
  const parsed =
    error === undefined ? parseEvent(text, Date.now()) : { refusals: [refuseLine(text, error)] }
  const refusals = 'refusals' in parsed ? parsed.refusals : (parsed.warnings ?? [])
  if ('event' in parsed && refusals.length === 0) return parsed.event
  throw new Error(`${file}:${number} ${refusals.map(explainRefusal).join('; ')}`)
}
