/** The output of `swaptide dead retry` for ids that it cannot send again. */
import test from 'ava'
import { runHere, settingsOf } from '../../../support/programs/commands.ts'
import { openPipeline } from '../../../support/workers/pipeline.ts'

test('names each dead letter that does not exist, or does not wait', async (t) => {
  const pipeline = await openPipeline(t)
  const { rows } = await pipeline.db.query<{ id: string }>(
    `insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
     values ('ledger', 0, 'e', 1, 0, 's', 'bad', '') returning id::text`,
  )
  const ids = [rows[0]?.id ?? '', '999999']
  const { code, stdout, stderr } = await runHere(['dead', 'retry', ...ids], settingsOf(pipeline))
  t.is(code, 1)
  t.is(stdout, '0 dead letters sent again\n')
  const line = (id: string) =>
    `swaptide: dead letter "${id}" not found or not waiting: see "swaptide dead list"\n`
  t.is(stderr, ids.map(line).join(''))
})
