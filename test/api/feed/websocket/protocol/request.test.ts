/** Frames of clients that are no request: the refusal names the failed field, its value and the expected one. Pure. */
import test from 'ava'
import { type FeedCode, FeedError } from '../../../../../api/feed/feed-error.ts'
import { readRequest } from '../../../../../api/feed/websocket/protocol/request.ts'
import { EXPECTED, REQUESTS } from '../../../../../api/feed/websocket/protocol/schema.ts'

const SUBSCRIBE = { op: 'subscribe', sub: 'a', channel: 'swaps' }
const FROM =
  'expected "live", {"cursor": text}, {"slot": 0 to 9007199254740991}, or both of these in one'

test('a frame that is no request is refused by its first field that is wrong', (t) => {
  const cases: [given: unknown, code: FeedCode, text: string][] = [
    [{}, 'BAD_REQUEST', 'op is required: one of subscribe update unsubscribe list ping'],
    [{ op: 5 }, 'BAD_REQUEST', 'op "5": expected one of subscribe update unsubscribe list ping'],
    [
      { op: 'no' },
      'UNKNOWN_OP',
      'unknown op "no": use one of subscribe update unsubscribe list ping',
    ],
    [{ ...SUBSCRIBE, from: 7 }, 'BAD_REQUEST', `from "7": ${FROM}`],
    [{ ...SUBSCRIBE, from: { slot: -1 } }, 'BAD_REQUEST', `from "{"slot":-1}": ${FROM}`],
    [{ ...SUBSCRIBE, from: {} }, 'BAD_REQUEST', `from "{}": ${FROM}`],
    [
      { ...SUBSCRIBE, from: { cursor: 5, slot: 7 } },
      'BAD_REQUEST',
      `from "{"cursor":5,"slot":7}": ${FROM}`,
    ],
    [
      { ...SUBSCRIBE, batch_ms: 1_001 },
      'BAD_REQUEST',
      'batch_ms "1001": expected an integer of 0 to 1000',
    ],
    [{ ...SUBSCRIBE, int64: 'text' }, 'BAD_REQUEST', 'int64 "text": expected "number" or "string"'],
    [
      { ...SUBSCRIBE, id: [] },
      'BAD_REQUEST',
      'id "[]": expected a text of at most 64 characters, or an integer of at most 2^53 - 1',
    ],
    // This id would be echoed as another value.
    [
      { op: 'list', id: 2 ** 53 },
      'BAD_REQUEST',
      'id "9007199254740992": expected a text of at most 64 characters, or an integer of at most 2^53 - 1',
    ],
    [
      { op: 'subscribe', channel: 'swaps' },
      'BAD_REQUEST',
      `sub is required: expected ${EXPECTED.sub}`,
    ],
    [{ ...SUBSCRIBE, sub: '*' }, 'BAD_REQUEST', `sub "*": expected ${EXPECTED.sub}`],
    [
      { op: 'subscribe', sub: 'a' },
      'BAD_REQUEST',
      `channel is required: expected ${EXPECTED.channel}`,
    ],
    [{ ...SUBSCRIBE, channel: 5 }, 'BAD_REQUEST', `channel "5": expected ${EXPECTED.channel}`],
    [
      { op: 'update', sub: 'a' },
      'BAD_REQUEST',
      'filter is required: expected an object, {} for everything',
    ],
    [
      { op: 'ping', t: {} },
      'BAD_REQUEST',
      't "{}": expected a number of at most 2^53 - 1, or a text of at most 64 characters',
    ],
  ]
  for (const [given, code, text] of cases) {
    const error = t.throws(() => readRequest(JSON.stringify(given)), { instanceOf: FeedError })
    t.is(error?.message, text)
    t.is(error?.code, code, text)
  }
})

test('a field that is unknown is refused with the nearest name', (t) => {
  const cases: [given: unknown, code: FeedCode, text: string][] = [
    [
      { ...SUBSCRIBE, filters: {} },
      'BAD_REQUEST',
      'unknown field "filters": did you mean "filter"?',
    ],
    [
      { op: 'subscribe', name: 'a', chanel: 'swaps' },
      'BAD_REQUEST',
      'unknown field "name": use one of op id sub channel from batch_ms int64 filter',
    ],
    [{ op: 'list', sub: 'a' }, 'BAD_REQUEST', 'unknown field "sub": use one of op id'],
    [
      { ...SUBSCRIBE, from: { Slot: 5 } },
      'BAD_REQUEST',
      'unknown field of from "Slot": did you mean "slot"?',
    ],
    [
      { ...SUBSCRIBE, from: { cursor: 'a-1', timestamp: 5 } },
      'BAD_REQUEST',
      'unknown field of from "timestamp": use one of cursor slot',
    ],
  ]
  for (const [given, code, text] of cases) {
    const error = t.throws(() => readRequest(JSON.stringify(given)), { instanceOf: FeedError })
    t.is(error?.message, text)
    t.is(error?.code, code, text)
  }
})

test('states the expected value of every field of every op', (t) => {
  const names = Object.values(REQUESTS).flatMap(({ properties }) => Object.keys(properties))
  for (const name of new Set(names)) t.true(name === 'op' || name in EXPECTED, name)
})

test('echoes an id verbatim, up to the last integer that a number holds', (t) => {
  for (const id of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 'x'.repeat(64)]) {
    t.is(readRequest(JSON.stringify({ op: 'list', id })).id, id)
  }
})

test('returns the value of a ping unchanged, or refuses it', (t) => {
  for (const said of [0.1, -5e-324, 1_753_000_000_000, Number.MAX_SAFE_INTEGER, 'x'.repeat(64)]) {
    t.like(readRequest(JSON.stringify({ op: 'ping', t: said })), { t: said })
  }
  const cases = [
    ['1e400', 'Infinity'],
    ['-1e400', '-Infinity'],
    ['1753000000000000123', '1753000000000000000'],
  ]
  for (const [said, shown] of cases) {
    const read = () => readRequest(`{"op":"ping","t":${said}}`)
    const error = t.throws(read, { instanceOf: FeedError })
    t.is(error?.message, `t "${shown}": expected ${EXPECTED.t}`)
  }
})
