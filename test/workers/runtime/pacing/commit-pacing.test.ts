/** Intervals of commits: the configured one while they are quick, longer while they are slow. */
import test from 'ava'
import type { PendingBatch } from '../../../../streams/nats/micro-batch.ts'
import { CommitPacing } from '../../../../workers/runtime/pacing/commit-pacing.ts'

const EVERY_MS = 8

function after(...tookMs: number[]): number {
  const pacing = new CommitPacing({ waitMs: 0, everyMs: EVERY_MS })
  for (const ms of tookMs) pacing.took(ms)
  return pacing.ms
}

test('quick commits begin at the configured interval', (t) => {
  t.is(after(), EVERY_MS)
  t.is(after(...Array(50).fill(EVERY_MS - 1)), EVERY_MS)
})

test('one commit that stumbles moves the next one little, many that are slow move them far apart', (t) => {
  const quick: number[] = Array(50).fill(4)
  const slow: number[] = Array(50).fill(16)
  t.is(after(...quick, 16), EVERY_MS)
  t.true(after(...quick, ...slow) > 5 * EVERY_MS)
  t.is(after(...slow, ...quick), EVERY_MS, 'and they come back together')
})

test('however slow they are, commits stay within a bound', (t) => {
  t.is(after(...Array(50).fill(60_000)), EVERY_MS + 100)
})

test('spreads quick commits while the machine is short of CPU, and returns to the interval at once', (t) => {
  let isShort = true
  const pacing = new CommitPacing({ waitMs: 0, everyMs: EVERY_MS }, () => isShort)
  pacing.took(4)
  t.is(pacing.ms, EVERY_MS + 60)
  isShort = false
  t.is(pacing.ms, EVERY_MS)
})

test('a lane that is to commit at once never waits', (t) => {
  const pacing = new CommitPacing({ waitMs: 0, everyMs: 0 }, () => true)
  pacing.took(500)
  t.is(pacing.ms, 0)
})

test('delays a catch-up batch while more arrives, up to a separate bound', (t) => {
  const catchUp = { bytes: 1_000, pauseMs: 200, everyMs: 1_000 }
  const pacing = new CommitPacing({ waitMs: 0, everyMs: 250, catchUp })
  const due = (bytes: number, newestMs: number) =>
    pacing.untilMs(100, { sinceMs: 30, bytes, newestMs })
  t.is(due(999, 340), 350, 'a small batch goes when it is due')
  t.is(due(1_000, 60), 350, 'a large one no earlier')
  t.is(due(1_000, 340), 540, 'and not before nothing came for that long')
  t.is(due(50_000, 1_090), 1_100, 'but has to go')
  const always = new CommitPacing({ waitMs: 0, everyMs: 250 })
  t.is(always.untilMs(100, { sinceMs: 30, bytes: 50_000, newestMs: 340 }), 350)
})

test('a batch waits for more from its first message on, and is no sooner due than commits may begin', (t) => {
  const pacing = new CommitPacing({ waitMs: 200, everyMs: 12 })
  t.is(pacing.untilMs(100, { sinceMs: 500, newestMs: 510, bytes: 1 }), 700)
  const apart = new CommitPacing({ waitMs: 5, everyMs: 250 })
  t.is(apart.untilMs(100, { sinceMs: 110, newestMs: 120, bytes: 1 }), 350)
})

test('a batch waits a short while for the rest of its block, and for no more once it is complete', (t) => {
  const pacing = new CommitPacing({ waitMs: 0, everyMs: EVERY_MS })
  const due = (block?: PendingBatch['block']) =>
    pacing.untilMs(100, { sinceMs: 500, newestMs: 510, bytes: 1, block })
  t.is(due(), 500)
  t.is(due('complete'), 500)
  t.is(due({ openSinceMs: 500 }), 550)
  t.is(due({ openSinceMs: 300 }), 500, 'of a block that is overdue')
})
