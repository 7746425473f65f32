/** Messages from chunks that are cut anywhere. */
import test from 'ava'
import fc from 'fast-check'
import { FrameReader, frameOf } from '../../../../chain/sources/geyser/frames.ts'
import { WireError } from '../../../../streams/codec/protobuf.ts'

function read(
  chunks: readonly Buffer[],
  bytesMax = 1_000,
): { messages: string[]; isBetween: boolean } {
  const reader = new FrameReader(bytesMax)
  const messages: string[] = []
  for (const chunk of chunks) reader.push(chunk, (each) => messages.push(each.toString('hex')))
  return { messages, isBetween: reader.isBetweenMessages }
}

test('reads the same messages however the bytes are cut', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
      (messages, cuts) => {
        const bytes = Buffer.concat(messages.map(frameOf))
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length; ) {
          const end = at + (cuts[chunks.length % cuts.length] ?? 1)
          chunks.push(bytes.subarray(at, end))
          at = end
        }
        const expected = messages.map((each) => Buffer.from(each).toString('hex'))
        const { messages: found, isBetween } = read(chunks)
        return isBetween && JSON.stringify(found) === JSON.stringify(expected)
      },
    ),
  )
  t.pass()
})

test('knows a stream that ends within a message', (t) => {
  const frame = frameOf(Buffer.from('abcd'))
  t.deepEqual(read([frame.subarray(0, 7)]), { messages: [], isBetween: false })
  t.deepEqual(read([frame.subarray(0, 3)]), { messages: [], isBetween: false })
  t.true(read([frame]).isBetween)
})

test('refuses a message that is longer than the limit before it is held, and a compressed one', (t) => {
  t.deepEqual(read([frameOf(Buffer.alloc(10))], 10).messages.length, 1)
  t.throws(() => read([frameOf(Buffer.alloc(11)).subarray(0, 5)], 10), {
    instanceOf: WireError,
    message: 'message has 11 bytes, expected at most 10',
  })
  t.throws(() => read([Buffer.from([1, 0, 0, 0, 0])]), { instanceOf: WireError })
})
