/**
 * `swaptide replay`: replays history as lines of the ingest format, to a file, standard output or a subject: from the
 * stream, and from the tables for events that the stream has trimmed. SIGINT ends it after a whole step and reports the
 * position; `--resume` continues exactly there, also after a kill.
 */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { EventCounts } from '../../domain/events/event.ts'
import { VENUE_NAMES } from '../../domain/venue.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { SubjectPattern } from '../../streams/nats/subject.ts'
import type { ReplayBounds, ReplayPlan, ReplayRecord } from '../../streams/replay/replay.ts'
import {
  outputSubject,
  type RefuseReplay,
  replayBounds,
  replayPattern,
  replaySpeed,
} from '../../streams/replay/replay-request.ts'
import { beginReplay, type ReplayDeps, replay } from '../../workers/replay/replay.ts'
import { type ReplayCourse, type ReplayOutput, runReplay } from '../../workers/replay/runner.ts'
import type { LostFromLog } from '../../workers/replay/stream-source.ts'
import { subjectOutput } from '../../workers/replay/subject-output.ts'
import { expectNone, parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../cli/command.ts'
import { counted, duration, grouped } from '../cli/format.ts'
import type { Output } from '../cli/progress.ts'
import { scratchOf } from '../local/files/durable-file.ts'
import { withServers } from '../processes/connections.ts'
import { findInstallation, type Installation } from '../processes/installation.ts'
import { fileOutput, streamOutput } from '../replay/output.ts'
import { readRecord, removeRecord, writeRecord } from '../replay/position.ts'

export const described = usage({
  line:
    'replay [--subject S] [--from T] [--to T] [--speed X] [--output FILE | --stdout | --to-subject S] ' +
    '[--position FILE] [--resume]',
  options: {
    subject: {
      type: 'string',
      value: 'S',
      about: `subject such as feed.${VENUE_NAMES[0]}.* (committed events) or swap.> (received events); absent: feed.>`,
    },
    from: {
      type: 'string',
      value: 'T',
      about: 'time or sequence of the first event, inclusive',
    },
    to: {
      type: 'string',
      value: 'T',
      about: 'time or sequence of the last event, inclusive; absent: now',
    },
    speed: {
      type: 'string',
      value: 'X',
      about: 'multiple of the original pace, or max',
      default: 'max',
    },
    output: {
      type: 'string',
      value: 'FILE',
      about: 'write to a new file; absent or -: print',
    },
    stdout: { type: 'boolean', about: 'print, which is the default' },
    'to-subject': { type: 'string', value: 'S', about: 'publish one message per event' },
    position: {
      type: 'string',
      value: 'FILE',
      about: 'file of the position; absent: OUTPUT.position',
    },
    resume: { type: 'boolean', about: 'resume at the stored position' },
  },
  notes: [
    'Writes lines of the ingest format, from the stream and, for older events, from the tables.',
    'A time is a time of events, a sequence one of the stream. Token lines come first, whatever the times.',
    'A time is ISO 8601 with a zone (2026-07-20T12:00:00Z), a date (2026-07-20: the whole day in UTC) or ' +
      'Unix ms. A sequence is sequence:N or, below 1000000000, a number only.',
    'An output file and its position always agree. After a kill, events that were printed or published since the ' +
      'last position (one per second) are repeated. The exit code is 1 after an interruption.',
  ],
  examples: [
    'swaptide replay --from 2026-11-01 --output history.ndjson',
    'swaptide replay --output history.ndjson --resume',
    `swaptide replay --subject 'feed.${VENUE_NAMES[0]}.*' --speed 10 --to-subject copy.feed`,
  ],
})

type Values = ReturnType<typeof parseArguments<(typeof described)['options']>>['values']

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const refuse = refusalOf(values)
  const speed = replaySpeed(values, refuse)
  const positionFile = positionFileOf(values)
  await expectApart(values.output, positionFile)
  const installation = await findInstallation(context.config)
  const bounds = replayBounds(values, refuse)
  const log = context.log('warn')
  const { stdout } = context
  const options = { name: 'swaptide replay', connectionsMax: 2, log }
  return await withServers(installation, options, async (connections) => {
    const { jetStream, topology } = connections
    const { laneCount } = topology
    const pattern = replayPattern(values, laneCount, refuse)
    const onLost = (lost: LostFromLog) => context.stderr.write(lostText(lost))
    const deps = { ...connections, onLost }
    const resumed = values.resume ? await recordToResume(positionFile, values, bounds) : undefined
    const wanted = resumed === undefined ? pattern : replayPattern(resumed.plan, laneCount, refuse)
    const record = resumed ?? (await beginReplay(deps, wanted, bounds, outputName(values)))
    const output = await openOutput(
      values,
      installation,
      { jetStream, stdout },
      record,
      resumed !== undefined,
    )
    try {
      return await go(deps, wanted, record, { output, positionFile, speed }, context)
    } finally {
      await output.close()
    }
  })
}

type Way = { output: ReplayOutput; positionFile: string | undefined; speed: number }

async function go(
  deps: ReplayDeps,
  pattern: SubjectPattern,
  record: ReplayRecord,
  { output, positionFile, speed }: Way,
  { stderr, progress, signal }: CommandContext,
): Promise<number> {
  const now = () => performance.now()
  const startedAt = now()
  const keep = async (reached: ReplayRecord): Promise<void> => {
    if (positionFile !== undefined) await writeRecord(positionFile, reached)
  }
  const steps = replay(deps, record.plan, pattern, record.position)
  const { end, counts } = await runReplay(steps, record, {
    output,
    keep,
    speed,
    signal,
    onStep: (course) => progress.update(() => describe(course)),
  })
  if (end === 'unread') return EXIT_OK
  if (end === 'done' && positionFile !== undefined) await removeRecord(positionFile)
  const rest = end === 'done' ? '' : stoppedText(positionFile)
  stderr.write(`${summary(counts)} in ${duration(now() - startedAt)}${rest}\n`)
  const isEmpty = record.events + counts.swaps + counts.poolEvents === 0
  if (end === 'done' && isEmpty) stderr.write(`nothing found: ${wantedText(record.plan)}\n`)
  return end === 'done' ? EXIT_OK : EXIT_FAILED
}

function stoppedText(positionFile: string | undefined): string {
  return positionFile === undefined
    ? '; stopped, and without --position nothing to resume from'
    : `; stopped, its position is in "${positionFile}": continue with --resume`
}

function lostText({ stream, after, messages }: LostFromLog): string {
  const lost = `the stream "${stream}" lost ${counted(messages, 'message')} after sequence ${after}`
  return `swaptide: ${lost}: this replay lacks their events; without --from the tables are read\n`
}

function summary({ swaps, poolEvents, tokens }: EventCounts): string {
  const parts = [counted(swaps, 'swap'), counted(poolEvents, 'pool event')]
  return [...parts, counted(tokens, 'token line')].join(', ')
}

/** `no swap or pool event of "feed.>" from 2026-07-20T00:00:00.000Z to now` */
function wantedText(plan: ReplayPlan): string {
  const bound = (name: 'from' | 'to'): string | undefined => {
    const [ms, sequence] = [plan[`${name}Ms`], plan[`${name}Sequence`]]
    if (ms !== null) return new Date(ms).toISOString()
    return sequence === null ? undefined : `sequence ${sequence}`
  }
  const from = bound('from') ?? 'the beginning'
  const to = bound('to') ?? 'now'
  return `no swap or pool event of "${plan.subject}" from ${from} to ${to}`
}

/** Throws UsageError where the arguments contradict the stored replay. */
async function recordToResume(
  positionFile: string | undefined,
  values: Values,
  bounds: ReplayBounds,
): Promise<ReplayRecord> {
  const { subject } = values
  if (positionFile === undefined) {
    throw new UsageError('--resume needs --output FILE or --position FILE: where its position is')
  }
  const record = await readRecord(positionFile)
  const { plan, output } = record
  const name = outputName(values)
  if (output !== name)
    throw new UsageError(`--resume: the replay went to ${output}, not to ${name}`)
  const isOther = (Object.keys(bounds) as (keyof ReplayBounds)[]).some(
    (name) => bounds[name] !== null && bounds[name] !== plan[name],
  )
  if (isOther || (subject !== undefined && subject !== plan.subject)) {
    throw new UsageError(
      `--resume: the position is of "${plan.subject}" with its own --from and --to: leave them out`,
    )
  }
  return record
}

async function openOutput(
  values: Values,
  { prefix }: Installation,
  { jetStream, stdout }: { jetStream: JetStream; stdout: Output },
  { run: runId, bytes }: ReplayRecord,
  isResumed: boolean,
): Promise<ReplayOutput> {
  const { output, 'to-subject': subject } = values
  if (subject !== undefined) {
    const wanted = outputSubject(subject, prefix, refusalOf(values))
    return await subjectOutput(jetStream, wanted, runId)
  }
  if (output === undefined || output === '-') return streamOutput(stdout)
  return await fileOutput(output, isResumed ? bytes : undefined)
}

/** The name of the output in a position. */
function outputName({ output, 'to-subject': subject }: Values): string {
  if (subject !== undefined) return `subject ${subject}`
  return output === undefined || output === '-' ? 'stdout' : 'file'
}

function positionFileOf(values: Values): string | undefined {
  const { output, position, stdout, 'to-subject': subject } = values
  const ways = [output !== undefined && output !== '-', stdout === true, subject !== undefined]
  if (ways.filter(Boolean).length > 1) {
    throw new UsageError('--output, --stdout and --to-subject: expected one of them')
  }
  return position ?? (output === undefined || output === '-' ? undefined : `${output}.position`)
}

/** The position is written to a scratch file next to its file and renamed: the output must be neither of the two. */
async function expectApart(output: string | undefined, position: string | undefined) {
  if (output === undefined || position === undefined) return
  const written = await resolvedPath(output)
  const taken = await Promise.all([position, scratchOf(position)].map(resolvedPath))
  if (taken.includes(written)) {
    throw new UsageError(`--output "${output}" and --position "${position}": expected two files`)
  }
}

/** Compares resolved paths of the folder. */
async function resolvedPath(path: string): Promise<string> {
  const folder = dirname(resolve(path))
  return join(await realpath(folder).catch(() => folder), basename(path))
}

/** By the names of the options. */
function refusalOf(values: Values): RefuseReplay {
  return (name, reason) => {
    const option = name === 'to_subject' ? 'to-subject' : name
    return new UsageError(`--${option} "${values[option]}": ${reason}`)
  }
}

/** `tables, slot 527,239,284: 120,000 events, 60,000 a second` */
function describe({ position, events, tookMs }: ReplayCourse): string {
  const { phase, slot, sequence, endSequence, tokenId } = position
  const progress = {
    tokens: `token ${grouped(tokenId)}`,
    tables: `slot ${grouped(slot)}`,
    stream: `message ${grouped(sequence)} of ${grouped(endSequence ?? sequence)}`,
    done: 'done',
  }[phase]
  const rate = grouped((events / Math.max(tookMs, 1)) * 1_000)
  return `${phase}, ${progress}: ${counted(events, 'event')}, ${rate} a second`
}
