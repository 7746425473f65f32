// Bounds of a replay as text: sequences are distinguished from times, and an ambiguous text is refused. Pure.

import test from 'ava'
import type { ReplayBounds } from '../../../streams/replay/replay.ts'
import {
  type ReplayRequest,
  replayBounds,
  sequenceText,
} from '../../../streams/replay/replay-request.ts'

const NONE: ReplayBounds = { fromMs: null, toMs: null, fromSequence: null, toSequence: null }
const DAY_MS = Date.UTC(2026, 6, 20)

const boundsOf = (requested: ReplayRequest) =>
  replayBounds(requested, (name, reason) => new Error(`${name} "${requested[name]}": ${reason}`))

const UNDERSTOOD: readonly [
  why: string,
  requested: ReplayRequest,
  expected: Partial<ReplayBounds>,
][] = [
  ['nothing', {}, {}],
  ['small integers', { from: '0', to: '999999999' }, { fromSequence: 0, toSequence: 999_999_999 }],
  [
    'sequences that say so',
    { from: 'sequence:7', to: 'sequence:1784548800' },
    { fromSequence: 7, toSequence: 1_784_548_800 },
  ],
  [
    'a sequence and a time',
    { from: '7', to: '2026-07-20T00:00:00Z' },
    { fromSequence: 7, toMs: DAY_MS },
  ],
  ['Unix ms', { from: `${DAY_MS}`, to: `${DAY_MS}` }, { fromMs: DAY_MS, toMs: DAY_MS }],
  [
    'a day',
    { from: '2026-07-20', to: '2026-07-20' },
    { fromMs: DAY_MS, toMs: DAY_MS + 86_400_000 - 1 },
  ],
]

for (const [why, requested, expected] of UNDERSTOOD) {
  test(`reads bounds of a replay: ${why}`, (t) => {
    t.deepEqual(boundsOf(requested), { ...NONE, ...expected })
  })
}

const REFUSED: readonly [why: string, requested: ReplayRequest, expected: RegExp][] = [
  ['a text', { from: 'foo 1' }, /^from "foo 1": expected a time like .*, or a sequence$/],
  ['30 February', { to: '2026-02-30' }, /^to "2026-02-30": the calendar has no day 2026-02-30$/],
  [
    'what may be Unix seconds',
    { from: '1784548800' },
    /^from "1784548800": looks like Unix seconds .*, or sequence:1784548800$/,
  ],
  ['the least of these', { from: '1000000000' }, /, or sequence:1000000000$/],
  ['the greatest of these', { from: '99999999999' }, /, or sequence:99999999999$/],
  [
    'a sequence that is no number',
    { from: 'sequence:x' },
    /expected a time like .*, or a sequence$/,
  ],
  ['a sequence beyond any', { from: 'sequence:9999999999999999' }, /expected a sequence of 0 to/],
  ['an exponent', { from: '1e3' }, /expected a time like/],
  ['a negative number', { from: '-1' }, /expected a time like/],
  [
    'a later beginning than end',
    { from: '6', to: '5' },
    /^from "6": expected no later than to "5"$/,
  ],
]

for (const [why, requested, expected] of REFUSED) {
  test(`refuses bounds of a replay: ${why}`, (t) => {
    t.throws(() => boundsOf(requested), { message: expected })
  })
}

test('a sequence is shown as it may be given again', (t) => {
  for (const sequence of [0, 999_999_999, 1_000_000_000, Number.MAX_SAFE_INTEGER]) {
    t.is(boundsOf({ from: sequenceText(sequence) }).fromSequence, sequence)
  }
})
