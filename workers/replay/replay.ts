/**
 * Replays history: token lines, then the tables, then the stream from where the tables end, as steps that are published
 * whole or not at all, each with the position to resume from.
 *
 * ```
 *   by sequence, or from a time that the stream holds:      [tokens]  stream ............ its newest
 *   from a time before, or from the beginning:              tokens  tables ......|stream. its newest
 * ```
 * The seam is exact: the stream is read from its extent before the first page of the tables was read, and an event is
 * left out if its commit was in the snapshot of the page that holds its slot.
 */
import { randomUUID } from 'node:crypto'
import { RetractedBlocks } from '../../domain/events/retraction.ts'
import { type RetractionRow, retractionOfRow } from '../../domain/events/stored-row.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import {
  matchesPattern,
  type SubjectPattern,
  subjectIn,
  venuesOf,
} from '../../streams/nats/subject.ts'
import {
  beginning,
  historyOf,
  pagesOf,
  type ReplayBounds,
  type ReplayPlan,
  type ReplayPosition,
  type ReplayRecord,
  type ReplayStep,
} from '../../streams/replay/replay.ts'
import {
  extentOf,
  type LogDeps,
  logSteps,
  ReplayRefused,
  sequenceBefore,
  streamOf,
} from './stream-source.ts'
import { type MarkOf, readMarks, storedPages, storedTokens } from './table-source.ts'

const listRetractedBlocks = query<RetractionRow>('retraction/list_all_blocks')

/** `pageRows`: rows of the tables that are read at once. */
export type ReplayDeps = LogDeps & { db: Db; pageRows?: number }

/** Where a replay of this begins. Throws ReplayRefused. */
export async function planReplay(
  deps: ReplayDeps,
  pattern: SubjectPattern,
  bounds: ReplayBounds,
): Promise<{ plan: ReplayPlan; position: ReplayPosition }> {
  const { fromMs, fromSequence } = bounds
  const extent = await extentOf(deps, pattern)
  const plan = { ...bounds, subject: pattern.text, epoch: extent.epoch, isStored: false }
  // SWAP contains token lines; for FEED the tables alone have them.
  const phase = pattern.stream === 'SWAP' ? 'stream' : 'tokens'
  if (fromSequence !== null) {
    expectSequence(extent, fromSequence)
    return { plan, position: beginning(phase, fromSequence - 1) }
  }
  const before =
    fromMs === null
      ? undefined
      : await sequenceBefore(deps, streamOf(deps, pattern), extent, fromMs)
  if (before !== undefined) return { plan, position: beginning(phase, before) }
  if (bounds.toSequence !== null) {
    // From the beginning, which the tables cannot give up to a sequence: rows do not know theirs.
    expectSequence(extent, 1)
    return { plan, position: beginning(phase, 0) }
  }
  // Lanes may have read little of SWAP yet: all that it holds is read.
  const sequence = pattern.stream === 'SWAP' ? extent.first - 1 : extent.last
  const marks = await readMarks(deps.db, markOf(pattern, extent.epoch))
  const position = beginning('tokens', sequence, [...marks])
  return { plan: { ...plan, isStored: true }, position }
}

/** A planned replay without output so far. Throws ReplayRefused. */
export async function beginReplay(
  deps: ReplayDeps,
  pattern: SubjectPattern,
  bounds: ReplayBounds,
  output: string,
): Promise<ReplayRecord> {
  const planned = await planReplay(deps, pattern, bounds)
  return { version: 1, run: randomUUID(), output, bytes: 0, events: 0, ...planned }
}

function expectSequence({ first, last }: { first: number; last: number }, wanted: number): void {
  // One beyond the last is where a reader of the whole stream resumes.
  if (wanted > last + 1) {
    const held = last < first ? 'the stream is empty' : `the stream holds ${first} to ${last}`
    throw new ReplayRefused(`${held}, not ${wanted}: expected at most ${last + 1}`)
  }
  if (wanted >= first) return
  throw new ReplayRefused(
    `the stream holds ${first} to ${last}, not ${wanted}: begin at a time to have ` +
      'older events from the tables',
  )
}

/** Messages of FEED are numbered by commits of their lane, messages of SWAP by the sequence that it has read. */
function markOf({ stream }: SubjectPattern, epoch: string): MarkOf {
  return (row) => {
    if (stream === 'FEED') return row.commit_number
    return row.stream_epoch === epoch ? row.sequence : 0
  }
}

/** Steps after a position; the phase of the last one is `done`. */
export async function* replay(
  deps: ReplayDeps,
  plan: ReplayPlan,
  pattern: SubjectPattern,
  from: ReplayPosition,
): AsyncGenerator<ReplayStep> {
  let position = from
  const steps = async function* (made: AsyncGenerator<ReplayStep>): AsyncGenerator<ReplayStep> {
    for await (const step of made) {
      position = step.position
      yield step
    }
  }
  if (position.phase === 'tokens') {
    yield* steps(tokenSteps(deps, pattern, position))
    position = { ...position, phase: plan.isStored ? 'tables' : 'stream' }
  }
  if (position.phase === 'tables') {
    yield* steps(tableSteps(deps, plan, pattern, position))
    position = { ...position, phase: 'stream' }
  }
  if (position.phase === 'stream') {
    const retracted = new RetractedBlocks((await listRetractedBlocks(deps.db)).map(retractionOfRow))
    yield* steps(logSteps({ ...deps, retracted }, plan, pattern, position))
  }
  yield { events: [], position: { ...position, phase: 'done' } }
}

async function* tokenSteps(
  { db, topology }: ReplayDeps,
  pattern: SubjectPattern,
  from: ReplayPosition,
): AsyncGenerator<ReplayStep> {
  const { stream } = pattern
  const venues = stream === 'FEED' ? venuesOf(pattern) : undefined
  for await (const { tokens, id } of storedTokens(db, from.tokenId, venues)) {
    const events = tokens
      .map((token) => ({ kind: 'token' as const, token }))
      .filter(
        (event) =>
          stream === 'FEED' ||
          matchesPattern(pattern, subjectIn('SWAP', event, topology.laneCount)),
      )
    yield { events, position: { ...from, tokenId: id } }
  }
}

async function* tableSteps(
  { db, topology, pageRows }: ReplayDeps,
  { fromMs, toMs, epoch }: ReplayPlan,
  pattern: SubjectPattern,
  from: ReplayPosition,
): AsyncGenerator<ReplayStep> {
  const { stream } = pattern
  const times = { fromMs, toMs }
  const wanted = { ...times, venues: venuesOf(pattern), markOf: markOf(pattern, epoch), pageRows }
  const history = historyOf(from)
  let pages = pagesOf(history)
  for await (const { slots, slotEnd, marks } of storedPages(db, from.slot, wanted)) {
    const held = [...marks]
    for (const [slot, found] of slots) {
      const events = found.filter((event) =>
        matchesPattern(pattern, subjectIn(stream, event, topology.laneCount)),
      )
      yield { events, position: { ...from, slot, pages, marks: held } }
    }
    history.add(slotEnd, marks)
    pages = pagesOf(history)
    const slot = Number.isFinite(slotEnd) ? slotEnd - 1 : Number.MAX_SAFE_INTEGER
    yield { events: [], position: { ...from, slot, pages, marks: null } }
  }
}
