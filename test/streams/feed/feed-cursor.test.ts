// A cursor as text: a printed one is parsed back, and any other text is refused. Pure.

import test from 'ava'
import fc from 'fast-check'
import {
  aheadAfter,
  isDoneAhead,
  readCursor,
  writeCursor,
} from '../../../streams/feed/feed-cursor.ts'

test('round-trips a position', (t) => {
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

test('reads back the applied-ahead set of a cursor by lane', (t) => {
  const commits = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  fc.assert(
    fc.property(
      fc.dictionary(fc.integer({ min: 0, max: 63 }).map(String), commits, { minKeys: 1 }),
      fc.integer({ min: 0, max: 9 }),
      (byLane, eventCount) => {
        const entries = Object.entries(byLane).map(([lane, commit]) => [+lane, commit] as const)
        const position = { epoch: 'a.b-c', sequence: 7, eventCount }
        const cursor = { ...position, ahead: new Map(entries) }
        t.deepEqual(readCursor(writeCursor(cursor)), cursor)
      },
    ),
  )
  const cursor = { epoch: 'e', sequence: 3, eventCount: 1 }
  const ahead = new Map([
    [0, 77],
    [2, 80],
  ])
  t.is(writeCursor({ ...cursor, ahead }), 'e-3.1~77..80')
})

test('a negative number is no sequence', (t) => {
  t.is(readCursor('be7707ac--1'), undefined)
  t.is(readCursor('--1'), undefined)
  t.is(readCursor('-1'), undefined)
  t.deepEqual(readCursor('be7707ac-1'), { epoch: 'be7707ac', sequence: 1, eventCount: 0 })
})

test('skips a lane up to its commit, and drops it with the first later commit', (t) => {
  const ahead = new Map([
    [0, 77],
    [2, 80],
  ])
  const mark = (poolLane: number, commitNumber: number) => ({ poolLane, commitNumber, part: 0 })
  t.true(isDoneAhead(ahead, mark(0, 77)))
  t.true(isDoneAhead(ahead, mark(2, 3)))
  t.false(isDoneAhead(ahead, mark(0, 78)))
  t.false(isDoneAhead(ahead, mark(1, 1)))
  t.is(aheadAfter(ahead, mark(0, 77)), ahead)
  t.is(aheadAfter(ahead, mark(1, 500)), ahead)
  const rest = aheadAfter(ahead, mark(0, 78))
  t.deepEqual(rest, new Map([[2, 80]]))
  t.is(aheadAfter(rest, mark(2, 81)), undefined)
})

test('parses no other text as a cursor', (t) => {
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
    'a-1~',
    'a-1~.',
    'a-1~0',
    'a-1~7.',
    'a-1~07',
    'a-1~7.x',
    'a-1~9007199254740992',
  ]
  for (const text of texts) t.is(readCursor(text), undefined, JSON.stringify(text))
})
