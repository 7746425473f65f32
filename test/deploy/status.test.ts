/** What `swaptide status` tells, as a process of its own. */
import test from 'ava'
import { runCommandLine, settingsOf } from '../support/commands.ts'
import { openPipeline } from '../support/pipeline.ts'

test('dead letters of FEED wait for nobody, and status counts them not', async (t) => {
  const pipeline = await openPipeline(t)
  await pipeline.db.query(
    `insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
     select actor, 0, 'e', 1, 0, 's', 'bad', '' from unnest('{pool,ledger,ranking}'::text[]) actor`,
  )
  const settings = settingsOf(pipeline)
  const { code, stdout } = await runCommandLine(['status', '--json'], settings)
  t.is(code, 0)
  t.is(JSON.parse(stdout).dead_letters, 1)
  t.regex((await runCommandLine(['status'], settings)).stdout, /\n0 swaps, 1 dead letter\n$/)
  const { stdout: list } = await runCommandLine(['dead', 'list'], settings)
  t.is(list.match(/ counted +bad$/gm)?.length, 2)
  t.is(list.match(/ waits +bad$/gm)?.length, 1)
})

test('status reports the messages that streams lost within seven days', async (t) => {
  const pipeline = await openPipeline(t)
  await pipeline.db.query(
    `insert into lost_message (actor, lane, stream, stream_epoch, sequence, message_count, found_at)
     values ('ledger', 0, 'FEED', 'e', 1, 2, now()), ('pool', 0, 'SWAP', 'e', 1, 40, now() - interval '8 days')`,
  )
  const settings = settingsOf(pipeline)
  t.is(JSON.parse((await runCommandLine(['status', '--json'], settings)).stdout).lost_messages, 2)
  const { stdout } = await runCommandLine(['status'], settings)
  t.regex(stdout, /, 2 messages lost by the streams within seven days: see the log\n$/)
})
