/** Answers that wait for the reader of a call: how long, if the transport accepts few, and if it accepts none. */
import { Writable } from 'node:stream'
import test from 'ava'
import { Outlet } from '../../../../api/feed/grpc/outlet.ts'

/** Longer than a loaded machine delays a timer, and shorter than all answers take. */
const SLOW_MS = 4_000
const TAKEN_EVERY_MS = 320
const NEVER = new AbortController().signal

/** A full call, whose transport accepts an answer by `take`. */
function fullOutlet(take: (taken: () => void) => void): Outlet {
  const options = { objectMode: true, highWaterMark: 16 }
  const call = new Writable({ ...options, write: (_bytes, _encoding, taken) => take(taken) })
  const outlet = new Outlet(call as never)
  for (let count = 0; count < 16; count++) outlet.write(Buffer.alloc(1_000))
  return outlet
}

test('has room in time if each answer is read in time, however long all of them need', async (t) => {
  const startedAt = performance.now()
  const outlet = fullOutlet((taken) => setTimeout(taken, TAKEN_EVERY_MS))
  t.true(outlet.isFull)
  t.true(await outlet.hasRoomInTime(SLOW_MS, NEVER))
  t.false(outlet.isFull)
  t.true(performance.now() - startedAt > SLOW_MS)
})

test('has no room if no answer is read, or the call has ended', async (t) => {
  let count = 0
  // Three, and no more.
  const outlet = fullOutlet((taken) => {
    count += 1
    if (count <= 3) setTimeout(taken, 50)
  })
  t.false(await outlet.hasRoomInTime(SLOW_MS, NEVER))
  t.is(count, 4)
  t.false(await outlet.hasRoomInTime(60_000, AbortSignal.abort()))
})
