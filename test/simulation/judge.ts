/** Checks an installation that has caught up: tables and FEED against the naive model, and verify. */
import type { ExecutionContext } from 'ava'
import type { Event } from '../../domain/events/event.ts'
import { verify } from '../../workers/verify/verify.ts'
import { type Pipeline, readFeed, readSwap } from '../support/workers/pipeline.ts'
import { compareFeed, compareTables } from './compare.ts'
import { modelOf } from './model.ts'

/** Differences shown at most. */
const SHOWN = 20

type JudgeOptions = {
  /** The accepted events, in their order; read from SWAP if absent. */
  arrived?: readonly Event[]
  /** False where FEED was lost on the way. */
  hasFeed?: boolean
  /** How many dead letters there should be. */
  deadLetters?: number
  /** Shown with a failure. */
  hint?: string
}

/** Asserts that the tables and FEED have every accepted event once, with the right computed values. */
export async function assertExact(
  t: ExecutionContext,
  pipeline: Pipeline,
  options: JudgeOptions = {},
): Promise<void> {
  const { hint = '' } = options
  const model = modelOf(options.arrived ?? (await readSwap(pipeline)))
  const tables = await compareTables(pipeline.db, model)
  t.deepEqual(tables.slice(0, SHOWN), [], `tables and model differ ${tables.length} times ${hint}`)
  if (options.hasFeed !== false) {
    const feed = compareFeed(await readFeed(pipeline), model)
    t.deepEqual(feed.slice(0, SHOWN), [], `FEED and model differ ${feed.length} times ${hint}`)
  }
  const report = await verify(pipeline.db, { log: pipeline.recording.log })
  const differences = report.tables.flatMap((table) => table.differences)
  t.deepEqual(differences, [], `verify finds differences ${hint}`)
  t.true(report.clean)
  const dead = await pipeline.db.query<{ reason: string }>('select reason from dead_letter')
  t.is(dead.rowCount, options.deadLetters ?? 0, dead.rows.map(({ reason }) => reason).join('\n'))
}
