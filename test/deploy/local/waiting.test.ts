/** When a process that ended by itself is started again. */
import test from 'ava'
import { restartDelay } from '../../../deploy/local/waiting.ts'

test('restarts come after 1 s, then twice as long each time, 30 s at most', (t) => {
  const delays: number[] = []
  for (let delay = 0; delays.length < 7; delays.push(delay)) delay = restartDelay(delay, 100)
  t.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('a process that lived for a minute is started again after 1 s', (t) => {
  t.is(restartDelay(30_000, 59_999), 30_000)
  t.is(restartDelay(30_000, 60_000), 1000)
})
