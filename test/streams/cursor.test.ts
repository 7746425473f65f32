// A cursor as text: what is written is read back, and what nobody wrote is none. Pure.

import test from 'ava'
import fc from 'fast-check'
import { readCursor, writeCursor } from '../../streams/cursor.ts'

test('a place is read back as it was written', (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom('3fa8c1d2', '2026-08-01T10:00:00.123456Z', 'a', '0'),
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fc.integer({ min: 0, max: 999_999 }),
      (epoch, sequence, eventCount) => {
        const cursor = { epoch, sequence, eventCount }
        t.deepEqual(readCursor(writeCursor(cursor)), cursor)
      },
    ),
  )
  t.is(writeCursor({ epoch: '3fa8c1d2', sequence: 12, eventCount: 0 }), '3fa8c1d2-12')
})

test('a text that is no cursor is none', (t) => {
  const texts = [
    '',
    '-',
    '-1',
    'a',
    'a-',
    'a-01',
    'a--1.5x',
    'a-1.',
    'a-1.0',
    'a-1.01',
    'a-1e3',
    'a-9007199254740992',
    'a b-1',
    'a-1 ',
    `${'a'.repeat(60)}-1234`,
    'a\n-1',
  ]
  for (const text of texts) t.is(readCursor(text), undefined, JSON.stringify(text))
})
