/** Kinds of files that cannot be read as lines: each is named, even if read a few bytes at a time. */
import { gzipSync, zstdCompressSync } from 'node:zlib'
import test from 'ava'
import { foreignKindOf } from '../../../../streams/ingest/reading/file-kind.ts'
import { ForeignInput, readLines } from '../../../../streams/ingest/reading/ndjson.ts'

const LINE = '{"kind":"token","token_address":"x"}\n'

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

const FOREIGN: [what: string, bytes: Uint8Array, said: RegExp][] = [
  ['gzip', gzipSync(LINE), /^a gzip file, expected UTF-8 text: decompress it first, "gzip -dc"$/],
  ['Zstandard', zstdCompressSync(LINE), /^a Zstandard file, .*"zstd -dc"$/],
  ['xz', Buffer.from('fd377a585a000004e6d6', 'hex'), /^an xz file/],
  ['bzip2', Buffer.from('BZh91AY&SY.....'), /^a bzip2 file/],
  ['ZIP', Buffer.from('504b0304140000000800', 'hex'), /^a ZIP archive/],
  ['Parquet', Buffer.from('PAR1\u0015\u0004\u0015......'), /^a Parquet file/],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${LINE}`, 'utf16le'), /^UTF-16 text, expected UTF-8/],
  ['UTF-16 big-endian with a mark', utf16be(`\ufeff${LINE}`), /^UTF-16 text.*"iconv -f UTF-16 /],
  ['UTF-16', Buffer.from(LINE, 'utf16le'), /^UTF-16 text.*"iconv -f UTF-16LE /],
  ['UTF-16 big-endian', utf16be(LINE), /^UTF-16 text.*"iconv -f UTF-16BE /],
  ['UTF-16 after a blank line', Buffer.from(`\n${LINE}`, 'utf16le'), /^UTF-16 text/],
  ['UTF-16 big-endian after a blank line', utf16be(`\n${LINE}`), /^UTF-16 text/],
  ['UTF-32', Buffer.from('fffe00007b00000022000000', 'hex'), /^UTF-32 text/],
  ['a mark of UTF-16 only', Buffer.from([0xff, 0xfe]), /^UTF-16 text/],
]

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function linesOf(bytes: Uint8Array, size: number): Promise<string[]> {
  const texts: string[] = []
  for await (const { lines } of readLines(chunksOf(bytes, size))) {
    texts.push(...lines.map(({ text }) => text))
  }
  return texts
}

for (const [what, bytes, said] of FOREIGN) {
  test(`reports the kind of ${what}`, async (t) => {
    for (const size of [1, 3, 1_000]) {
      const error = await t.throwsAsync(linesOf(bytes, size), { instanceOf: ForeignInput })
      t.regex(error?.message ?? '', said)
    }
  })
}

/** Texts that begin as few other texts do. */
const TEXTS = ['', '\n', '{', '\ufeff{}', 'BZh,symbol\nx', 'PK,symbol\n', 'é', '\u0001', '0', 'PAR']

test('reads bytes that may be text as text', async (t) => {
  for (const text of TEXTS) {
    t.is(foreignKindOf(Buffer.from(text)), undefined, text)
    const lines = text
      .replace('\ufeff', '')
      .split('\n')
      .filter((line) => line.trim() !== '')
    for (const size of [1, 1_000]) t.deepEqual(await linesOf(Buffer.from(text), size), lines)
  }
})
