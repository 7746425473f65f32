/** Masking and format of the log. */
import test from 'ava'
import { makeKey } from '../../api/routing/key-format.ts'
import { createLog, redact, shortLine } from '../../deploy/log.ts'

const KEY = makeKey('live', (count) => new Uint8Array(count).fill(7))

test('masks a key anywhere in a line', (t) => {
  const lines: string[] = []
  const log = createLog({ level: 'info', isTerminal: false, write: (line) => lines.push(line) })
  log.info({ headers: { 'x-api-key': KEY }, list: [KEY] }, `asked with ${KEY}`)
  log.error(new Error(`no such key: ${KEY}`))
  t.is(lines.length, 2)
  for (const line of lines) {
    t.false(line.includes(KEY))
    t.true(line.includes('ohlcv_live_sk_***'))
    t.notThrows(() => JSON.parse(line))
  }
})

test('passwords of URLs are blotted out, the rest of the URL stays', (t) => {
  t.is(redact('at postgres://me:s3cr+t@db:5432/x now'), 'at postgres://me:***@db:5432/x now')
  t.is(redact('redis://:s3cret@cache:6379'), 'redis://:***@cache:6379')
  t.is(redact('from nats://s3cr+t@bus:4222'), 'from nats://***@bus:4222')
  t.is(redact('from nats://me:s3cr+t@bus:4222'), 'from nats://me:***@bus:4222')
  t.is(redact('http://127.0.0.1:8080/swaps'), 'http://127.0.0.1:8080/swaps')
})

test('lines below the level are not written', (t) => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', isTerminal: false, write: (line) => lines.push(line) })
  log.info('quiet')
  log.warn('loud')
  t.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['loud'],
  )
})

test('a warning has the messages of its errors without their stacks, an error has them', (t) => {
  const linesOf = (level: 'warn' | 'debug') => {
    const lines: string[] = []
    const log = createLog({ level, isTerminal: false, write: (line) => lines.push(line) })
    const err = new Error('no answer', { cause: new AggregateError([new Error('refused')], 'all') })
    log.warn({ err, lane: 2 }, 'lost "stack":')
    log.error({ err }, 'failed')
    return lines
  }
  const [warning, error] = linesOf('warn')
  const parsed = JSON.parse(warning ?? '')
  t.like(parsed, { level: 40, lane: 2, msg: 'lost "stack":', err: { type: 'Error' } })
  t.regex(parsed.err.message, /^no answer/)
  t.false(warning?.includes('    at '))
  t.regex(JSON.parse(error ?? '').err.stack, /^Error: no answer\n {4}at /)
  t.regex(JSON.parse(linesOf('debug')[0] ?? '').err.stack, /^Error: no answer\n {4}at /)
})

test('a line for a terminal is short', (t) => {
  // 2026-06-01T12:03:04Z
  const line = { level: 40, time: 1780315384000, pid: 7, msg: 'lost NATS', lane: 2, actor: 'pool' }
  t.is(shortLine(JSON.stringify(line)), '12:03:04 warn lost NATS lane=2 actor=pool\n')
  const failure = { level: 50, time: 1780315384000, pid: 7, msg: 'failed', err: { message: 'why' } }
  t.is(shortLine(JSON.stringify(failure)), '12:03:04 error failed: why\n')
})
