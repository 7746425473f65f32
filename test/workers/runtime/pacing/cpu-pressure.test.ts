/** When a machine counts as short of CPU: by given shares of idle time, and by a real machine's. */
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import {
  CpuShortage,
  type CpuTimes,
  timesOfMachine,
} from '../../../../workers/runtime/pacing/cpu-pressure.ts'

const STEP_MS = 500

/** The result after each half second with the given idle share. */
function said(shares: readonly number[]): boolean[] {
  let nowMs = 0
  const times: CpuTimes = { idleMs: 1_000, allMs: 5_000 }
  const shortage = new CpuShortage(
    () => ({ ...times }),
    () => nowMs,
  )
  shortage.holds()
  return shares.map((share) => {
    nowMs += STEP_MS
    times.allMs += 1_000
    times.idleMs += 1_000 * share
    return shortage.holds()
  })
}
const times = (count: number, share: number): number[] => Array(count).fill(share)

test('little idle time for some seconds is a shortage, a burst is none', (t) => {
  t.deepEqual(said(times(60, 0.3)), Array(60).fill(false))
  t.deepEqual(said([...times(10, 0.6), 0, ...times(10, 0.6)]), Array(21).fill(false))
  t.is(said(times(20, 0.1)).at(-1), true)
  t.is(said(times(20, 0.1)).indexOf(true), 3)
})

test('a shortage ends where clearly more is idle than it began at, not where sparing made it so', (t) => {
  const short = times(20, 0.1)
  t.is(said([...short, ...times(100, 0.5)]).at(-1), true)
  t.is(said([...short, ...times(20, 0.7)]).at(-1), false)
  t.is(said([...short, ...times(20, 0.7), ...times(100, 0.3)]).at(-1), false)
})

test('samples the machine at most twice a second for any number of calls', (t) => {
  let [nowMs, looks] = [0, 0]
  const shortage = new CpuShortage(
    () => {
      looks++
      return { idleMs: 0, allMs: looks }
    },
    () => nowMs,
  )
  for (; nowMs < 10 * STEP_MS; nowMs += 5) shortage.holds()
  t.is(looks, 10)
})

test('ignores a sample in which the clock of the machine did not advance', (t) => {
  let nowMs = 0
  const shortage = new CpuShortage(
    () => ({ idleMs: 7, allMs: 9 }),
    () => nowMs,
  )
  for (; nowMs < 20 * STEP_MS; nowMs += STEP_MS) t.false(shortage.holds())
})

test('times of the machine advance, and idle time is a part of them', async (t) => {
  const before = timesOfMachine()
  await pause(100)
  const after = timesOfMachine()
  const [idleMs, allMs] = [after.idleMs - before.idleMs, after.allMs - before.allMs]
  t.true(allMs > 0 && idleMs >= 0 && idleMs <= allMs, JSON.stringify({ idleMs, allMs }))
})

test('samples the machine and the clock by default', (t) => {
  const shortage = new CpuShortage()
  t.false(shortage.holds(), 'one look says nothing yet')
})
