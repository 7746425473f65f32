// Bodies in one piece, compressed: small and large ones read back unchanged. Pure.

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import test from 'ava'
import { COMPRESS_FROM_BYTES, compressed } from '../../../api/http/compression.ts'

const READ = { br: brotliDecompressSync, gzip: gunzipSync }
// Incompressible texts, and highly compressible ones.
const TEXTS = {
  'of chance': (bytes: number) =>
    Array.from({ length: bytes }, (_, at) =>
      String.fromCharCode(33 + ((at * at * 7919) % 93)),
    ).join(''),
  'of one letter': (bytes: number) => 'a'.repeat(bytes),
  'of long letters': (bytes: number) => '€'.repeat(bytes / 3),
}

for (const encoding of ['br', 'gzip'] as const) {
  for (const [name, textOf] of Object.entries(TEXTS)) {
    test(`${encoding} of texts ${name} reads back the same at any length`, async (t) => {
      for (const bytes of [COMPRESS_FROM_BYTES, 49_151, 49_152, 49_154, 3_000_000]) {
        const body = textOf(bytes)
        const short = await compressed(body, Buffer.byteLength(body), encoding)
        t.is(READ[encoding](short).toString(), body)
      }
    })
  }
}
