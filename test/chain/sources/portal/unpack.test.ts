/** Packed answers, cut anywhere: several zstd frames, one gzip member, and bodies that break off. */
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import test from 'ava'
import { ConnectionLost } from '../../../../chain/rpc/http.ts'
import { linesOf } from '../../../../chain/sources/portal/lines.ts'
import { unpacked } from '../../../../chain/sources/portal/unpack.ts'
import { ZstdFrames } from '../../../../chain/sources/portal/zstd-frames.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'

const TEXTS = ['', 'one\n', 'two\n'.repeat(3), 'x'.repeat(70_000), 'long\n'.repeat(60_000)]
/** A skippable frame of three bytes. */
const SKIPPABLE = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])

const frame = (text: string, checksumFlag: 0 | 1): Buffer =>
  zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: checksumFlag } })

const FRAMES = TEXTS.flatMap((text) => [frame(text, 0), SKIPPABLE, frame(text, 1)])
const WHOLE = TEXTS.flatMap((text) => [text, text]).join('')

async function* chunksOf(bytes: Buffer, next: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + next())
    yield bytes.subarray(at, end)
    at = end
  }
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const chunk of body) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts).toString('utf8')
}

test('frames end where they were written, however their bytes are cut', (t) => {
  const bytes = Buffer.concat(FRAMES)
  const ends = FRAMES.map((_, index) => Buffer.concat(FRAMES.slice(0, index + 1)).length)
  for (const size of [1, 2, 3, 7, 64, 1_000, bytes.length]) {
    const frames = new ZstdFrames()
    const cuts = new Set<number>()
    let at = 0
    for (let from = 0; from < bytes.length; from += size) {
      for (const part of frames.cut(bytes.subarray(from, from + size))) {
        at += part.length
        cuts.add(at)
      }
    }
    t.is(at, bytes.length)
    t.false(frames.isInside)
    t.deepEqual(
      ends.filter((end) => !cuts.has(end)),
      [],
      `chunks of ${size}`,
    )
  }
})

test('all frames of an answer are unpacked, in chunks drawn by a seed', async (t) => {
  const bytes = Buffer.concat(FRAMES)
  for (let seed = 1; seed <= 20; seed++) {
    const prng = new Prng([seed])
    const next = (): number => 1 + Math.floor(prng.unit() * 4_000)
    t.true((await readAll(unpacked(chunksOf(bytes, next), 'zstd'))) === WHOLE, `seed ${seed}`)
  }
  const whole = unpacked(
    chunksOf(bytes, () => bytes.length),
    'zstd',
  )
  t.true((await readAll(whole)) === WHOLE)
})

test('a body without a byte is an answer without a block', async (t) => {
  for (const encoding of ['', 'identity', 'gzip', 'zstd']) {
    t.is(
      await readAll(
        unpacked(
          chunksOf(Buffer.alloc(0), () => 1),
          encoding,
        ),
      ),
      '',
      encoding,
    )
  }
})

test('a body that breaks off inside its packed bytes is a lost connection', async (t) => {
  const packed: [string, Buffer][] = [
    ['zstd', Buffer.concat(FRAMES)],
    ['gzip', gzipSync(WHOLE)],
  ]
  for (const [encoding, bytes] of packed) {
    for (const missing of [1, 2, 5, 9]) {
      const cut = bytes.subarray(0, bytes.length - missing)
      await t.throwsAsync(
        readAll(
          unpacked(
            chunksOf(cut, () => 500),
            encoding,
          ),
        ),
        {
          instanceOf: ConnectionLost,
        },
      )
    }
  }
})

test('bytes that are not packed as stated, and an encoding that was not requested, are refused', async (t) => {
  for (const encoding of ['zstd', 'gzip', 'br']) {
    const body = chunksOf(Buffer.from('{"header":{}}\n'), () => 5)
    await t.throwsAsync(async () => readAll(unpacked(body, encoding)), {
      instanceOf: ConnectionLost,
    })
  }
})

test('lines are whole however they are cut, and half a line is a lost connection', async (t) => {
  const text = 'é1\n\n{"a":"ü"}\nlast\n'
  for (const size of [1, 2, 3, 5, 100]) {
    const lines: string[] = []
    for await (const line of linesOf(chunksOf(Buffer.from(text), () => size))) lines.push(line)
    t.deepEqual(lines, ['é1', '{"a":"ü"}', 'last'], `chunks of ${size}`)
  }
  const half = linesOf(chunksOf(Buffer.from('one\ntw'), () => 4))
  t.is((await half.next()).value, 'one')
  await t.throwsAsync(half.next(), { instanceOf: ConnectionLost, message: /inside a line/ })
})

test('a line above the bound is refused, whether or not it ends', async (t) => {
  for (const text of ['x'.repeat(50), `${'x'.repeat(50)}\n`]) {
    const lines = linesOf(
      chunksOf(Buffer.from(text), () => 7),
      40,
    )
    await t.throwsAsync(lines.next(), { message: /more than 40 bytes/ })
  }
})
