/** Clients that have closed or broken WebSocket and stay connected: the feed does not read for them and cuts them. */
import { connect } from 'node:net'
import test from 'ava'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { until } from '../../../support/workers/pipeline.ts'

/** A client's frame, masked with zeros. */
function framed(opcode: number, text: string): Buffer {
  const { length } = text
  const head = length < 126 ? [0x80 | length] : [0xfe, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head, 0, 0, 0, 0]), Buffer.from(text)])
}
const TEXT = 1
const CLOSE = 8
/** An opcode that RFC 6455 does not define. */
const UNKNOWN = 3
/** ws itself waits for 30 s. */
const GONE_MS = 15_000

for (const [what, opcode] of [
  ['has closed', CLOSE],
  ['has broken WebSocket', UNKNOWN],
] as const) {
  test(`sends no more frames to a client that ${what} and stays connected, and cuts it`, async (t) => {
    const { pipeline, urlFor } = await feedApi(t, { timing: { cutMs: 300, tickMs: 50 } })
    const { db, recording } = pipeline
    const swaps = Array.from({ length: 20_000 }, (_, n) => {
      const position = { slot: 1_000 + n, pairAddress: pair(0), tokenAddress: mint(0) }
      return sampleSwap({ ...position, signature: signatureOf(n) })
    })
    await insertSwaps(db, swaps)
    const { port, pathname, search } = new URL(await urlFor('pro'))
    // The client never ends its half of the connection.
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    let bytes = 0
    socket.on('data', (part) => {
      bytes += part.length
    })
    const head = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    const handshake = [`GET ${pathname}${search} HTTP/1.1`, 'Host: x', ...head, key, '', '']
    socket.write(handshake.join('\r\n'))
    await until('it is welcomed', 60_000, () => bytes > 400)
    const request = { op: 'subscribe', sub: 'a', channel: 'swaps', from: { slot: 0 } }
    socket.write(Buffer.concat([framed(TEXT, JSON.stringify(request)), framed(opcode, '')]))
    const went = () => recording.lines.some((line) => line.includes('feed client disconnected'))
    await until('it is cut', GONE_MS, went)
    // 20,000 swaps are 15 MB.
    t.true(bytes < 2_000_000, `${bytes}`)
  })
}
