/** Hints by which lanes that are short of CPU make publishers send fewer messages. Against the real server. */
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { listenForPaceHint, publishPaceHint } from '../../../streams/nats/backpressure.ts'
import { paceSubject } from '../../../streams/nats/subject.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket, swapsOf } from '../../support/workers/small-market.ts'

const BOUND_MS = 60_000

async function open(t: ExecutionContext) {
  const { jetStream, prefix } = await openPipeline(t)
  const received = listenForPaceHint(jetStream, prefix)
  t.teardown(() => received.close())
  return { jetStream, prefix, received }
}

/** The first of these to arrive, while they are published repeatedly: a hint expires after a while. */
async function firstReceived(received: { moreMs(): number }, say: () => void): Promise<number> {
  let moreMs = 0
  await until('a word of a lane', BOUND_MS, () => {
    say()
    moreMs = received.moreMs()
    return moreMs > 0
  })
  return moreMs
}

test('a publisher waits half as long as lanes do, and never longer than 50 ms', async (t) => {
  const { jetStream, prefix, received } = await open(t)
  t.is(received.moreMs(), 0)
  t.is(await firstReceived(received, () => publishPaceHint(jetStream, prefix, 1, 80)), 40)
  await until('all is as at ease when lanes fall silent', BOUND_MS, () => received.moreMs() === 0)
  t.is(await firstReceived(received, () => publishPaceHint(jetStream, prefix, 0, 3_600_000)), 50)
})

test('ignores a single slow commit, other installations and garbled hints', async (t) => {
  const { jetStream, prefix, received } = await open(t)
  const first = await firstReceived(received, () => {
    publishPaceHint(jetStream, prefix, 0, 59)
    publishPaceHint(jetStream, `other.${prefix}`, 0, 80)
    jetStream.send(paceSubject(prefix, 0), Buffer.from('slow'))
    jetStream.send(paceSubject(prefix, 0), Buffer.from('-60'))
    publishPaceHint(jetStream, prefix, 0, 70)
  })
  t.is(first, 35)
})

for (const { commitEveryMs, isReported } of [
  { commitEveryMs: 8, isReported: true },
  { commitEveryMs: 0, isReported: false },
]) {
  const does = isReported ? 'publishes it' : 'and is to commit at once publishes none'
  test(`a pool lane whose commits are slow ${does}`, async (t) => {
    const pipeline = await openPipeline(t)
    const { jetStream, prefix, db } = pipeline
    const words: number[] = []
    t.teardown(
      jetStream.listen(paceSubject(prefix, '*'), (word) => words.push(Number(Buffer.from(word)))),
    )
    await jetStream.flush()
    await runWorker(t, pipeline, {
      commitEveryMs,
      onStep: async (step) => {
        if (step === 'written') await pause(120)
      },
    })
    const events = smallMarket(4_517, 60)
    await publishAll(pipeline, events)
    await untilCaughtUp(pipeline, BOUND_MS)
    if (isReported) await until('a word of a lane', BOUND_MS, () => words.length > 0)
    await jetStream.flush()
    t.is(words.length > 0, isReported)
    t.true(words.every((moreMs) => moreMs >= 60 && moreMs <= 100))
    const { rows } = await db.query<{ swaps: number }>('select count(*)::int as swaps from swap')
    t.is(rows[0]?.swaps, swapsOf(events))
  })
}
