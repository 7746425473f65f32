/**
 * For any bytes of a client of the gRPC server, its call ends with a status: never a connection that is cut without
 * one.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import fc from 'fast-check'
import { streamUnderTest } from '../../support/programs/swap-stream.ts'

const SUBSCRIBE = '/swaptide.v1.SwapStream/Subscribe'
const BOUND_MS = 60_000

/** A message as gRPC frames it. */
function framed(payload: Uint8Array, { flag = 0, length = payload.length } = {}): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flag, 0)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, payload])
}

type Requested = { path?: string; key?: string; type?: string; body: Uint8Array }

/** The status that a call ended with; undefined: it ended without one. */
function statusOf(session: ClientHttp2Session, { path = SUBSCRIBE, key, type, body }: Requested) {
  return new Promise<number | undefined>((resolve, reject) => {
    const request = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': type ?? 'application/grpc',
      te: 'trailers',
      ...(key === undefined ? {} : { 'x-api-key': key }),
    })
    let found: number | undefined
    const note = (headers: Record<string, unknown>) => {
      if (headers['grpc-status'] !== undefined) found = Number(headers['grpc-status'])
    }
    const bound = setTimeout(() => reject(new Error(`no end within ${BOUND_MS} ms`)), BOUND_MS)
    request.on('response', note)
    request.on('trailers', note)
    request.on('error', () => {})
    request.on('close', () => {
      clearTimeout(bound)
      resolve(found)
    })
    request.resume()
    request.end(body)
  })
}

test('each kind of invalid call ends with its status', async (t) => {
  const { server, key } = await streamUnderTest(t)
  const own = (await key('pro')).key
  const session = connect(`http://127.0.0.1:${server.port}`)
  t.teardown(() => session.destroy())
  const everything = framed(new Uint8Array(0))
  // min_sol 7, a double, in the filter 1: no number.
  const notFinite = Buffer.concat([Buffer.from([0x0a, 9, 0x39]), Buffer.alloc(8, 0xff)])
  const rows: [what: string, requested: Requested, expected: number][] = [
    ['no key', { body: everything }, status.UNAUTHENTICATED],
    ['a bad key', { body: everything, key: 'x' }, status.UNAUTHENTICATED],
    [
      'an unknown method',
      { body: everything, key: own, path: `${SUBSCRIBE}d` },
      status.UNIMPLEMENTED,
    ],
    ['a filter that is no filter', { body: framed(notFinite), key: own }, status.INVALID_ARGUMENT],
    [
      'a message over 1 MiB',
      { body: framed(Buffer.alloc(1_100_000)), key: own },
      status.RESOURCE_EXHAUSTED,
    ],
    ['no protobuf', { body: framed(Buffer.from([0x0a, 0xff, 0xff])), key: own }, status.INTERNAL],
    [
      'a compression that was not named',
      { body: framed(Buffer.from([1]), { flag: 1 }), key: own },
      status.INTERNAL,
    ],
  ]
  for (const [what, requested, expected] of rows) {
    t.is(await statusOf(session, requested), expected, what)
  }
})

test('a call with any bytes ends with a status', async (t) => {
  const { server, key } = await streamUnderTest(t)
  const own = (await key('enterprise')).key
  const session = connect(`http://127.0.0.1:${server.port}`)
  t.teardown(() => session.destroy())
  // Each payload begins with a filter that is cut short or invalid, so that no subscription succeeds by chance; an empty
  // message is a valid one, with or without the flag of compression.
  const bytes = fc.uint8Array({ maxLength: 300 })
  const payload = bytes.map((rest) => Buffer.concat([Buffer.from([0x0a, 0x7f]), rest]))
  const body = fc.oneof(
    payload.map((each) => framed(each)),
    bytes.filter(({ length }) => length > 5).map((each) => Buffer.concat([Buffer.from([2]), each])),
    fc
      .tuple(payload, fc.integer({ min: 1, max: 2 ** 32 - 1 }))
      .map(([each, length]) => framed(each, { flag: 1, length })),
  )
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const found = await statusOf(session, { body: sent, key: own })
      t.not(found, undefined, sent.toString('hex'))
      t.not(found, status.OK)
    }),
    { numRuns: 100 },
  )
  t.false(session.closed)
})
