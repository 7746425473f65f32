// The tables of an installation as `verify` hashes them: equal hashes are equal contents.

import type { ExecutionContext } from 'ava'
import { verify } from '../../../workers/verify/verify.ts'
import type { Pipeline } from '../workers/pipeline.ts'

/** By table; asserts that verify finds no difference in any. */
export async function verifiedHashes(
  t: ExecutionContext,
  { db, recording }: Pipeline,
  hint = '',
): Promise<Record<string, string>> {
  const { tables, rankings, clean } = await verify(db, { log: recording.log })
  t.deepEqual(
    tables.flatMap(({ name, differences }) => differences.map((each) => `${name}: ${each}`)),
    [],
    hint,
  )
  t.deepEqual(rankings.differences, [], hint)
  t.true(clean, hint)
  return Object.fromEntries(tables.map(({ name, rows, stored }) => [name, `${rows} ${stored}`]))
}
