/** Waiting for the workers' counts of one run. */
import test from 'ava'
import { createProgress } from '../../../deploy/cli/progress.ts'
import { waitForCounts } from '../../../deploy/ingest/run-counts.ts'

const NONE = {
  ...{ accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 },
  ...{ retracted_swap: 0, retracted_pool_event: 0, dropped_swap: 0, dropped_pool_event: 0 },
}

function recorded() {
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const progress = createProgress({ write, isTerminal: false, now: () => 0 })
  return { progress, written: () => written }
}

test('returns when every event has been counted with any result', async (t) => {
  const answers = [NONE, { ...NONE, accepted: 4, other: 1 }]
  const complete = {
    ...{ accepted: 4, duplicate: 2, conflict: 1, other: 1, dead: 1 },
    ...{ retracted_swap: 2, retracted_pool_event: 1, dropped_swap: 2, dropped_pool_event: 1 },
  }
  const { progress } = recorded()
  const { signal } = new AbortController()
  const counts = await waitForCounts(async () => answers.shift() ?? complete, 15, signal, progress)
  t.deepEqual(counts, { ...complete, isComplete: true })
})

test('reports that no worker counts, and still waits', async (t) => {
  const { progress, written } = recorded()
  const { signal } = new AbortController()
  const countsNow = async () =>
    written().includes('no worker has counted anything') ? { ...NONE, accepted: 3 } : NONE
  const counts = await waitForCounts(countsNow, 3, signal, progress, 60)
  t.true(counts.isComplete)
  t.regex(written(), /^no worker has counted anything for \d+\.\d s; is one running\?\n$/)
})

test('returns the present counts when it is aborted', async (t) => {
  const { progress } = recorded()
  const counts = await waitForCounts(async () => NONE, 3, AbortSignal.abort(), progress)
  t.deepEqual(counts, { ...NONE, isComplete: false })
})
