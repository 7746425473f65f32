/** Which slots are in progress: those of which an active pool lane may publish more. */
import test from 'ava'
import type { DecodedSwap } from '../../../../streams/codec/ledger-decoder.ts'
import { SlotClock } from '../../../../workers/runtime/pacing/slot-clock.ts'
import { buy } from '../../../domain/ledger/histories.ts'

const heard = (poolLane: number, slot: number): DecodedSwap => ({
  swap: buy(slot, 1, 1, { slot }),
  user: { text: '', id: 0 },
  mint: { text: '', id: 0 },
  mark: { poolLane, commitNumber: 1, part: 0 },
})

test('the newest slot of the most lagging lane has begun, and no later one', (t) => {
  let nowMs = 0
  const clock = new SlotClock(() => nowMs)
  t.is(clock.begun, Number.POSITIVE_INFINITY)
  clock.note([heard(0, 7), heard(0, 9), heard(0, 8)])
  t.is(clock.begun, 9)
  clock.note([heard(1, 4)])
  t.is(clock.begun, 4)
  clock.note([heard(1, 3)])
  t.is(clock.begun, 4, 'what is late does not set it back')
  clock.note([])
  nowMs = 400
  clock.note([heard(0, 12)])
  t.is(clock.begun, 4)
  nowMs = 600
  t.is(clock.begun, 12, 'a quiet lane is not waited for')
  nowMs = 2_000
  t.is(clock.begun, Number.POSITIVE_INFINITY)
})
