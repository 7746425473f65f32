/** A retraction as a line: the command returns when the workers have counted it, and the slot has left the tables. */
import test from 'ava'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { SWAP, swapEvent } from '../../../support/events/sample-event.ts'
import { finished, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { openPipeline, until } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

test('ingest takes a slot back by a line', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ['pool'] })
  const ingest = async (line: string) => {
    const child = startCommand(['ingest', '-'], settingsOf(pipeline))
    t.teardown(() => child.kill('SIGKILL'))
    return await finished(child, `${line}\n`)
  }
  const first = await ingest(printEvent(swapEvent()))
  t.regex(first.stdout, /^1 swap accepted/, first.stderr)
  const second = await ingest(`{"kind":"retract","slot":${SWAP.slot}}`)
  t.is(second.code, 0, second.stderr)
  t.regex(second.stdout, /, 1 retraction\n$/)
  await until('the swap is taken out', 60_000, async () => {
    const { rowCount } = await pipeline.db.query('select from swap')
    return rowCount === 0
  })
  const again = await ingest(printEvent(swapEvent({ ixIndex: 1 })))
  t.regex(
    again.stdout,
    /^0 swaps accepted, 0 duplicates, .+, 1 event of retracted blocks left out$/m,
    'it stays in force',
  )
})
