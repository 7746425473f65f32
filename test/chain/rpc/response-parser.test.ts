/** Responses of HTTP/1.1 from bytes cut anywhere, and bytes that break its rules. */
import test from 'ava'
import fc from 'fast-check'
import {
  MalformedResponse,
  type ResponseHead,
  ResponseParser,
} from '../../../chain/rpc/response-parser.ts'

type Read = { heads: ResponseHead[]; body: string; isDone: boolean; isPersistent: boolean }

/** Cuts the bytes at these places; `isInPlace`: body bytes are read by the owner of the connection. */
function read(text: string, cuts: readonly number[] = [], isSameBuffer = false): Read {
  const heads: ResponseHead[] = []
  const parts: Buffer[] = []
  const parser = new ResponseParser({
    onHead: (head) => void heads.push(head),
    onBody: (bytes) => void parts.push(Buffer.from(bytes)),
  })
  const bytes = Buffer.from(text, 'latin1')
  const offsets = [...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length]
  let start = 0
  for (const end of offsets.toSorted((a, b) => a - b)) {
    const count = Math.min(end - start, parser.bodyBytesNext)
    if (isSameBuffer && count > 0) {
      parts.push(bytes.subarray(start, start + count))
      parser.pass(count)
      start += count
    }
    parser.push(bytes.subarray(start, end))
    start = end
  }
  const { isDone, isPersistent } = parser
  return { heads, body: Buffer.concat(parts).toString('latin1'), isDone, isPersistent }
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`

const chunk = (text: string): string => `${text.length.toString(16)};name=value\r\n${text}\r\n`

const text = fc.string({ maxLength: 300 }).map((each) => Buffer.from(each).toString('latin1'))

test('a response is read the same however its bytes are cut', (t) => {
  const responses = fc.oneof(
    text.map((body) => ({ body, sent: `${OK}Content-Length: ${body.length}\r\n\r\n${body}` })),
    fc.array(text, { maxLength: 4 }).map((parts) => ({
      body: parts.join(''),
      sent: `${CHUNKED}${parts
        .filter((part) => part !== '')
        .map(chunk)
        .join('')}0\r\nx: y\r\n\r\n`,
    })),
  )
  const cuts = fc.array(fc.nat(2_000), { maxLength: 12 })
  fc.assert(
    fc.property(responses, cuts, fc.boolean(), ({ body, sent }, offsets, isSameBuffer) => {
      t.deepEqual(read(sent, offsets, isSameBuffer), { ...read(sent), body })
      t.true(read(sent).isDone)
    }),
    { numRuns: 300 },
  )
})

test('a response that arrives byte by byte is read', (t) => {
  const sent = `${CHUNKED}${chunk('abc')}${chunk('d')}0\r\n\r\n`
  const { heads, body, isDone } = read(
    sent,
    Array.from({ length: sent.length }).map((_, at) => at),
  )
  t.is(body, 'abcd')
  t.true(isDone)
  t.deepEqual(
    heads.map(({ status }) => status),
    [200],
  )
})

test('a response that was cut is not done', (t) => {
  const whole = [`${OK}Content-Length: 5\r\n\r\nabcde`, `${CHUNKED}${chunk('abcde')}0\r\n\r\n`]
  for (const sent of whole) {
    for (let length = 0; length < sent.length; length++) {
      t.false(read(sent.slice(0, length)).isDone, `${length} bytes`)
    }
    t.true(read(sent).isDone)
  }
})

test('a body without a length ends with its connection', (t) => {
  const parser = new ResponseParser({ onHead: () => {}, onBody: () => {} })
  parser.push(Buffer.from(`${OK}\r\nabc`))
  t.false(parser.isDone)
  t.false(parser.isPersistent)
  parser.end()
  t.true(parser.isDone)
})

test('the end of a connection completes no body with a length', (t) => {
  for (const sent of [`${OK}Content-Length: 4\r\n\r\nabc`, `${CHUNKED}${chunk('abc')}`, OK, '']) {
    const parser = new ResponseParser({ onHead: () => {}, onBody: () => {} })
    parser.push(Buffer.from(sent))
    parser.end()
    t.false(parser.isDone, sent)
  }
})

test('interim responses are passed over', (t) => {
  const { heads } = read(`HTTP/1.1 103 Early\r\nx: 1\r\n\r\n${OK}Content-Length: 0\r\n\r\n`)
  t.deepEqual(
    heads.map(({ status, headers }) => ({ status, headers: [...headers] })),
    [{ status: 200, headers: [['content-length', '0']] }],
  )
})

test('a connection serves another response unless the response forbids it', (t) => {
  const length = 'Content-Length: 0\r\n'
  t.true(read(`${OK}${length}\r\n`).isPersistent)
  t.false(read(`${OK}${length}Connection: Close\r\n\r\n`).isPersistent)
  t.false(read(`HTTP/1.0 200 OK\r\n${length}\r\n`).isPersistent)
})

test('bytes that break the rules of HTTP are refused', (t) => {
  const broken = [
    'SSH-2.0-x\r\n',
    'HTTP/2 200\r\n',
    'HTTP/1.1 101 Switching\r\n\r\n',
    `${OK}no colon\r\n`,
    `${OK}name : value\r\n`,
    `${OK}a: b\r\n folded\r\n`,
    `${OK}a: b\n`,
    `${OK}Content-Length: -1\r\n\r\n`,
    `${OK}Content-Length: 3, 4\r\n\r\n`,
    `${OK}Content-Length: 3\r\nContent-Length: 3\r\n\r\n`,
    `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`,
    `${CHUNKED}x\r\n`,
    `${CHUNKED}\r\n`,
    `${CHUNKED}-1\r\n`,
    `${CHUNKED}fffffffffffff\r\n`,
    `${CHUNKED}1\r\nab\r\n`,
    `${OK}Content-Length: 1\r\n\r\nab`,
    `${OK}a: ${'b'.repeat(17_000)}`,
    `${OK}${'a: b\r\n'.repeat(4_000)}`,
    `${CHUNKED}0\r\n${'a: b\r\n'.repeat(4_000)}`,
  ]
  for (const sent of broken) {
    t.throws(() => read(sent), { instanceOf: MalformedResponse }, sent.slice(0, 60))
  }
})
