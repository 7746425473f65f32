/** Messages of PostgreSQL are followed whatever chunks they arrive in. */
import test from 'ava'
import { Frames } from '../../../sql/driver/frames.ts'
import { frame, POOLER_ERROR } from '../../support/cluster/postgres-frames.ts'

const GOOD = Buffer.concat([
  frame('Z', 'I'),
  frame('1', ''),
  POOLER_ERROR,
  frame('D', '\0\x01\0\0\0\x03abc'),
  frame('N', 'SNOTICE\0\0'),
  frame('c', ''),
])

/** Whether the bytes are refused, in chunks of one size. */
function isRefused(bytes: Buffer, size: number): boolean {
  const frames = new Frames()
  try {
    for (let at = 0; at < bytes.length; at += size) frames.check(bytes.subarray(at, at + size))
    return false
  } catch {
    return true
  }
}

test('messages pass in chunks of any size', (t) => {
  for (let size = 1; size <= GOOD.length; size++) t.false(isRefused(GOOD, size), `${size}`)
})

const BAD: readonly (readonly [string, Buffer])[] = [
  ['an unknown code', frame('x', '')],
  ['a zero', Buffer.alloc(5)],
  ['a length less than its own', frame('D', '', 3)],
  ['a huge length', frame('d', '', 2 ** 29)],
  ['a long message of a short kind', frame('C', '', 30_001)],
  ['an error without fields', frame('E', '')],
  ['an error without an end', frame('E', 'SFATAL\0')],
  ['a notice that ends in its last field', frame('N', 'SNOTICE\0Mtext')],
]

for (const [kind, bytes] of BAD) {
  test(`${kind} is refused in chunks of any size`, (t) => {
    const whole = Buffer.concat([GOOD, bytes, frame('Z', 'I')])
    for (let size = 1; size <= whole.length; size++) t.true(isRefused(whole, size), `${size}`)
  })
}
