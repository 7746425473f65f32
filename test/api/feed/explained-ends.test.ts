/**
 * Every end of a WebSocket that the server chooses: the client reads a fatal error or a goodbye before the close
 * frame, and never an end without one. One row for each way to be closed, and clients that behave at random.
 */
import { deflateRawSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { CLOSES } from '../../../api/feed/websocket/protocol/close.ts'
import { revokeKey } from '../../../api/gateway/keys/keys.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import { welcomed } from '../../support/feed/feed-client.ts'
import { until } from '../../support/workers/pipeline.ts'
import {
  compressedFrame,
  OPCODES,
  RawClient,
  rawFrame,
  rawText,
  rawWelcomed,
} from './raw-client.ts'

const { continuation, text, binary, close, ping, pong } = OPCODES
const BOUND_MS = 60_000
/** A case that `ws` closes with 1006 and no frame: it owes 60 pongs. */
const BURST = 200

const closeFrame = (code: number, reason: string | Buffer = '') => {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return rawFrame(close, Buffer.concat([payload, Buffer.from(reason as string)]))
}
const PING = rawText({ op: 'ping' })
/** Deflate without its last four bytes, as permessage-deflate sends it: 10 MB of zeros in 10 KB. */
const bomb = deflateRawSync(Buffer.alloc(10_000_000), { finishFlush: 2 }).subarray(0, -4)

type Row = {
  what: string
  bytes: readonly Uint8Array[]
  code: number
  error: string
  isCompressed?: boolean
}

const BROKEN: Row[] = (
  [
    ['a text over 64 KiB', [rawFrame(text, 'x'.repeat(64 * 1024 + 1))], 1009],
    ['the header of a text over 64 KiB', [rawFrame(text, '', { claimed: 65_537n })], 1009],
    ['a length beyond 2^53', [rawFrame(text, '', { claimed: 2n ** 62n })], 1009],
    [
      'fragments that are over 64 KiB together',
      [
        rawFrame(text, 'x'.repeat(40_000), { isFinal: false }),
        rawFrame(continuation, 'x'.repeat(40_000)),
      ],
      1009,
    ],
    ['a text that is not UTF-8', [rawFrame(text, Buffer.from([0xc3, 0x28]))], 1007],
    ['a close with a reason that is not UTF-8', [closeFrame(1000, Buffer.from([0xff]))], 1007],
    ['an unknown opcode', [rawFrame(3, '')], 1002],
    ['an unknown control opcode', [rawFrame(11, '')], 1002],
    ['a frame without a mask', [rawFrame(text, '{}', { isMasked: false })], 1002],
    ['a reserved bit', [rawFrame(text, '{}', { reserved: 0x20 })], 1002],
    ['a compressed frame that was not agreed on', [compressedFrame(Buffer.from('{}'))], 1002],
    ['a ping of 126 bytes', [rawFrame(ping, 'x'.repeat(126))], 1002],
    ['a ping in fragments', [rawFrame(ping, '', { isFinal: false })], 1002],
    ['a continuation of nothing', [rawFrame(continuation, '{}')], 1002],
    [
      'a text within a text in fragments',
      [rawFrame(text, '{', { isFinal: false }), rawFrame(text, '{}')],
      1002,
    ],
    ['a close with an invalid code', [closeFrame(1006)], 1002],
    ['a close of one byte', [rawFrame(close, 'x')], 1002],
    [
      'a text of 17,000 fragments',
      [
        rawFrame(text, '', { isFinal: false }),
        ...Array<Buffer>(17_000).fill(rawFrame(continuation, '', { isFinal: false })),
      ],
      1008,
    ],
  ] as const
).map(([what, bytes, code]) => ({ what, bytes, code, error: 'BAD_REQUEST' }))

const ROWS: readonly Row[] = [
  ...BROKEN,
  {
    what: 'a compressed text that inflates to more than 64 KiB',
    bytes: [compressedFrame(bomb)],
    isCompressed: true,
    code: 1009,
    error: 'BAD_REQUEST',
  },
  {
    what: 'a compressed text that does not inflate',
    bytes: [compressedFrame(Buffer.from([0xff, 0xff, 0xff, 0xff]))],
    isCompressed: true,
    code: 1007,
    error: 'BAD_REQUEST',
  },
  {
    what: 'binary frames',
    bytes: Array<Buffer>(20).fill(rawFrame(binary, '{}')),
    code: 4400,
    error: 'BAD_REQUEST',
  },
  {
    what: 'texts that are not JSON',
    bytes: Array<Buffer>(20).fill(rawFrame(text, '{')),
    code: 4400,
    error: 'BAD_JSON',
  },
  {
    what: 'far too many operations',
    bytes: Array<Buffer>(2_000).fill(PING),
    code: 4429,
    error: 'RATE_LIMITED',
  },
  {
    what: 'far too many pings',
    bytes: Array<Buffer>(20_000).fill(rawFrame(ping, 'x')),
    code: 4429,
    error: 'RATE_LIMITED',
  },
  {
    what: 'far too many pongs',
    bytes: Array<Buffer>(20_000).fill(rawFrame(pong, 'x')),
    code: 4429,
    error: 'RATE_LIMITED',
  },
]

/** The error or goodbye before the close frame; both name the end. */
function assertReported(t: ExecutionContext, client: RawClient, what: string): void {
  const code = client.closeCode
  const kinds = client.frames.map(({ opcode }) => opcode)
  t.is(kinds.at(-1), close, `${what}: no close frame, had ${kinds.slice(-5)}`)
  const last = client.reported.filter(({ type }) => type !== 'heartbeat').at(-1)
  t.is(last?.type, 'goodbye', `${what}: ${JSON.stringify(last)}`)
  t.is(last?.code, code, what)
  t.true(
    Object.values(CLOSES).some((each) => each.code === code),
    `${what}: ${code}`,
  )
}

test('each way of breaking the protocol or its bounds ends in an error, a goodbye and a close code', async (t) => {
  const { urlFor } = await feedApi(t)
  const url = await urlFor('enterprise')
  for (const { what, bytes, code, error, isCompressed = false } of ROWS) {
    const client = await rawWelcomed(t, url, { isCompressed })
    client.send(...bytes)
    await until(`the end after ${what}`, BOUND_MS, () => client.isOver)
    assertReported(t, client, what)
    t.is(client.closeCode, code, what)
    const fatal = client.reported.filter((frame) => frame.fatal === true)
    t.deepEqual(
      fatal.map((frame) => frame.code),
      [error],
      what,
    )
  }
})

test('a burst of 200 pings is answered, each with its payload', async (t) => {
  const { urlFor } = await feedApi(t)
  const client = await welcomed(t, await urlFor('free'))
  const pongs: string[] = []
  client.socket.on('pong', (payload) => pongs.push(String(payload)))
  const sent = Array.from({ length: BURST }, (_, index) => `${index}`)
  for (const payload of sent) client.socket.ping(payload)
  client.send({ op: 'ping', id: 'alive' })
  t.is((await client.until('pong')).id, 'alive')
  t.deepEqual(pongs, sent)
  t.is(client.closeCode, undefined)
})

test('refuses a too large filter, and the connection stays open', async (t) => {
  const { urlFor } = await feedApi(t)
  const client = await welcomed(t, await urlFor('free'))
  const filter = { venues: Array(1_001).fill('venue_1') }
  client.send({ op: 'subscribe', sub: 'a', channel: 'swaps', filter })
  t.is((await client.until('error')).code, 'FILTER_TOO_LARGE')
  client.send({ op: 'ping' })
  await client.until('pong')
})

test('a time that passes, a revoked key and a shutdown end in a goodbye and a close code', async (t) => {
  const { api, pipeline, keyFor } = await feedApi(t, {
    timing: { subscribeMs: 1_500, pingMs: 700, tickMs: 50 },
  })
  const subscribing = rawText({ op: 'subscribe', sub: 'a', channel: 'swaps' })
  const [own, revoked] = [await keyFor('enterprise'), await keyFor('enterprise')]
  const idle = await rawWelcomed(t, own.url)
  const silent = await rawWelcomed(t, own.url)
  silent.answersPings = false
  const keyless = await rawWelcomed(t, revoked.url)
  const ended = await rawWelcomed(t, own.url)
  for (const client of [silent, keyless, ended]) client.send(subscribing)
  await revokeKey(pipeline.db, revoked.id, 'test')
  for (const [what, client, code] of [
    ['no subscription', idle, 4408],
    ['no pong', silent, 4408],
    ['a revoked key', keyless, 4401],
  ] as const) {
    await until(`the end after ${what}`, BOUND_MS, () => client.isOver)
    assertReported(t, client, what)
    t.is(client.closeCode, code, what)
  }
  void api.stop()
  await until('the end by the shutdown', BOUND_MS, () => ended.isOver)
  assertReported(t, ended, 'shutdown')
  t.is(ended.closeCode, 1012)
})

/** Anything that a client might send, with the bytes of it in pieces of any length. */
const sending = fc.oneof(
  fc.constantFrom(
    PING,
    rawFrame(ping, 'x'),
    rawFrame(pong, ''),
    rawText({ op: 'subscribe', sub: 'a', channel: 'swaps' }),
    rawText({ op: 'list' }),
    rawFrame(text, '{'),
    rawFrame(binary, '{}'),
  ),
  fc
    .tuple(
      fc.nat(15),
      fc.uint8Array({ maxLength: 200 }),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom(0, 0, 0, 0x40, 0x20),
    )
    .map(([opcode, bytes, isFinal, isMasked, reserved]) =>
      rawFrame(opcode, bytes, { isFinal, isMasked, reserved }),
    ),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
)
const behaviour = fc.array(fc.tuple(sending, fc.constantFrom(1, 1, 1, 3, 50, 300)), {
  minLength: 1,
  maxLength: 12,
})

test('for any frames of a client, no connection ends without an error or a goodbye before its close', async (t) => {
  const { urlFor } = await feedApi(t)
  const url = await urlFor('enterprise')
  await fc.assert(
    fc.asyncProperty(behaviour, fc.boolean(), async (played, isCompressed) => {
      const client = new RawClient(url, { isCompressed })
      try {
        await client.untilWelcome()
        for (const [bytes, times] of played) client.send(...Array<Buffer>(times).fill(bytes))
        // After any parts of a frame: 70 KB that no frame may have in one message.
        client.send(...Array<Buffer>(600).fill(rawFrame(3, 'x'.repeat(120))))
        await until('the end', BOUND_MS, () => client.isOver)
        const own = client.reported
        const isClosedByClient = client.closeCode !== undefined && own.at(-1)?.type !== 'goodbye'
        // A close frame of the client's own, by chance, is answered by its code.
        if (isClosedByClient) t.true(hasClose(played), JSON.stringify(own.slice(-3)))
        else assertReported(t, client, 'the end')
      } finally {
        client.destroy()
      }
    }),
    { numRuns: 60, examples: [[[[rawFrame(close, ''), 1]], false]] },
  )
})

const hasClose = (played: readonly (readonly [Uint8Array, number])[]): boolean =>
  played.some(([bytes]) => bytes.some((byte) => (byte & 0x0f) === close))
