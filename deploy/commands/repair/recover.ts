/**
 * `swaptide recover`: shows the state of a database that went back in time and of the streams, the events that are read
 * again and the lost ones; with --yes makes every part resume from that database. Starts the embedded servers itself
 * where `up` does not run, because `up` is not ready while FEED is ahead of the database.
 */
import {
  type Held,
  type LaneRecovery,
  type Recovery,
  readRecovery,
  recover,
} from '../../../workers/recovery.ts'
import { expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { grouped, jsonLine, table } from '../../cli/format.ts'
import { withServers } from '../../processes/connections.ts'
import { openInstallation } from '../../processes/stopped-home.ts'
import { createLoggingClosers } from '../../shutdown.ts'

export const described = usage({
  line: 'recover [--yes] [--json]',
  options: {
    yes: { type: 'boolean', about: 'carry it out; without it nothing is changed' },
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'For a database that went back in time (a restored backup). Where FEED holds commits that the database lacks, ' +
      'FEED is deleted and created again under another epoch, and pool lanes read SWAP again from their checkpoints. ' +
      'Stop every part first, and start every part afterwards.',
  ],
  examples: ['swaptide recover', 'swaptide recover --yes'],
})

export const ending = 'releases'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const log = context.log('warn')
  const closers = createLoggingClosers(log)
  try {
    const installation = await openInstallation(context, closers)
    const options = { name: 'swaptide recover', connectionsMax: 2, log }
    const { found, isDone } = await withServers(installation, options, async (connections) => ({
      found: await readRecovery(connections),
      isDone: values.yes === true && (await recover(connections)),
    }))
    const output = values.json ? jsonLine({ ...found, done: isDone }) : describe(found, isDone)
    context.stdout.write(output)
    return EXIT_OK
  } finally {
    await closers.closeAll()
  }
}

function describe(found: Recovery, isDone: boolean): string {
  const { database, swap, feed, ahead, lanes } = found
  const { name, systemIdentifier, timeline, committedAt } = database
  const sides = [
    [
      'database',
      `"${name}" of server ${systemIdentifier}, timeline ${timeline}, newest commit ${timeOf(committedAt)}`,
    ],
    ['SWAP', heldText(swap)],
    ['FEED', heldText(feed)],
  ]
  const listed = sides.map(([side = '', text]) => `${side.padEnd(10)}${text}\n`).join('')
  const compared = table(
    ['pool lane', 'database at commit', 'FEED at commit', 'SWAP read to', 'SWAP ends at'],
    lanes.map((lane) => [
      String(lane.lane),
      grouped(lane.databaseCommit),
      grouped(lane.feedCommit),
      grouped(lane.readTo),
      grouped(lane.head),
    ]),
  )
  if (ahead === undefined) {
    return `${listed}\n${compared}\nnothing to recover: FEED publishes no commit that the database lacks\n`
  }
  const steps = [
    `FEED publishes commits that the database lacks, from message ${grouped(ahead.sequence)} on, stored ${timeOf(ahead.at)}.`,
    ...consequences(found),
  ]
  return `${listed}\n${compared}\n${steps.join('\n')}\n\n${isDone ? DONE : NOT_DONE}\n`
}

const DONE =
  'done: FEED was recreated. Start every part, then run "swaptide status --wait" and\n"swaptide verify"'
const NOT_DONE =
  'nothing was changed: make sure that this is the database to continue from and that every part is stopped,\n' +
  'then run "swaptide recover --yes"'

function consequences({ database, lanes, gone }: Recovery): string[] {
  const since = timeOf(database.committedAt)
  const again = lanes.filter(({ readTo, head }) => head > readTo)
  return [
    `Read again: ${again.length === 0 ? 'nothing, SWAP holds nothing newer' : again.map(againText).join('; ')}.`,
    'Created again: FEED, under another epoch. Clients with a cursor get CURSOR_EPOCH_CHANGED and resume by slot;',
    '  positions and rankings are counted against the stored swaps.',
    gone === undefined
      ? 'Lost of SWAP: nothing.'
      : `Lost of SWAP: messages ${grouped(gone.from)} to ${grouped(gone.to)}, stored after ${timeOf(gone.after)} and before\n` +
        `  ${timeOf(gone.before)}. Ingest the events of that time again: known events are skipped.`,
    `Lost of the database: changes by operators after ${since}: API keys that were created, rotated or`,
    '  revoked, imports, dead letters that were brought in again. Repeat it.',
  ]
}

const againText = ({ lane, readTo, head }: LaneRecovery): string =>
  `lane ${lane} from message ${grouped(readTo + 1)} to ${grouped(head)} of SWAP`

const heldText = ({ stream, epoch, first, last }: Held): string =>
  `"${stream}", epoch ${epoch}, ${last < first ? 'empty' : `messages ${grouped(first)} to ${grouped(last)}`}`

const timeOf = (at: Date | null): string => at?.toISOString() ?? 'at an unknown time'
