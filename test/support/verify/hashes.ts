// The tables of an installation as `verify` hashes them: equal hashes are equal contents.

import type { ExecutionContext } from 'ava'
import { verify } from '../../../workers/verify/verify.ts'
import type { Pipeline } from '../workers/pipeline.ts'

/** Ten times what a verify of the largest market of a test takes on a busy machine. */
const BOUND_MS = 240_000
const LINES_SHOWN = 12

/** By table; asserts that verify finds no difference in any. Rejects after the bound, with what verify was doing. */
export async function verifiedHashes(
  t: ExecutionContext,
  pipeline: Pipeline,
  { hint = '', boundMs = BOUND_MS }: { hint?: string; boundMs?: number } = {},
): Promise<Record<string, string>> {
  const { db, recording } = pipeline
  const found = verify(db, { log: recording.log })
  const { tables, rankings, sandwiches, clean } = await within(found, boundMs, pipeline)
  t.deepEqual(
    tables.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`)),
    [],
    hint,
  )
  t.deepEqual(rankings.differences, [], hint)
  t.deepEqual(sandwiches.differences, [], hint)
  t.true(clean, hint)
  return Object.fromEntries(tables.map(({ name, rows, stored }) => [name, `${rows} ${stored}`]))
}

async function within<Result>(
  work: Promise<Result>,
  boundMs: number,
  pipeline: Pipeline,
): Promise<Result> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const bound = setTimeout(() => resolve('late'), boundMs)
  try {
    const found = await Promise.race([work.then((value) => ({ value })), late])
    if (found !== 'late') return found.value
    throw new Error(`not within ${boundMs} ms: verify\n${await doingOf(pipeline)}`)
  } finally {
    clearTimeout(bound)
    // One that is late may fail after the test has ended.
    work.catch(() => {})
  }
}

/** The end of the log, and the statements of the database. */
async function doingOf({ db, recording }: Pipeline): Promise<string> {
  const { rows } = await db.query(
    `select application_name, state, wait_event, now() - query_start as since, left(query, 300) as query
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const statements = rows.map((row) => JSON.stringify(row))
  return [...recording.lines.slice(-LINES_SHOWN), ...statements].join('\n')
}
