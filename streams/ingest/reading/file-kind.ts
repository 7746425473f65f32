/**
 * Detects the kind of a file from its first bytes, because only UTF-8 text can be read as lines. Pure.
 *
 * Without it a gzip or UTF-16 file would be refused line by line, with reasons that hide the one mistake.
 */

/** Bytes that are tested; a shorter file is tested whole. */
export const HEAD_BYTES = 10

const TO_UTF8 = 'expected UTF-8 text: convert it first'
const UNPACKED = 'expected UTF-8 text: decompress it first'

/** Longer signatures come before their prefixes: UTF-32 begins as UTF-16 does. */
const SIGNATURES: readonly [bytes: readonly number[], explanation: string][] = [
  [[0x1f, 0x8b], `a gzip file, ${UNPACKED}, "gzip -dc"`],
  [[0x28, 0xb5, 0x2f, 0xfd], `a Zstandard file, ${UNPACKED}, "zstd -dc"`],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], `an xz file, ${UNPACKED}, "xz -dc"`],
  [[0x42, 0x5a, 0x68], `a bzip2 file, ${UNPACKED}, "bzip2 -dc"`],
  [[0x50, 0x4b, 0x03, 0x04], `a ZIP archive, ${UNPACKED}, "unzip -p"`],
  [[0x50, 0x41, 0x52, 0x31], 'a Parquet file, expected UTF-8 text: name it FILE.parquet'],
  [[0xff, 0xfe, 0x00, 0x00], `UTF-32 text, ${TO_UTF8}, "iconv -f UTF-32 -t UTF-8"`],
  [[0x00, 0x00, 0xfe, 0xff], `UTF-32 text, ${TO_UTF8}, "iconv -f UTF-32 -t UTF-8"`],
  [[0xff, 0xfe], `UTF-16 text, ${TO_UTF8}, "iconv -f UTF-16 -t UTF-8"`],
  [[0xfe, 0xff], `UTF-16 text, ${TO_UTF8}, "iconv -f UTF-16 -t UTF-8"`],
]
/** A block of bzip2 begins with these digits of pi; "BZh" alone may be the text of a header. */
const BZIP2 = 0x42
const BZIP2_BLOCK = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
const BZIP2_BLOCK_AT = 4

/** The kind of a file that is not UTF-8 text, and what to do about it; undefined for text. */
export function foreignKindOf(head: Uint8Array): string | undefined {
  const found = SIGNATURES.find(([bytes]) => beginsWith(head, bytes, 0))
  if (found !== undefined) {
    const isText = head[0] === BZIP2 && !beginsWith(head, BZIP2_BLOCK, BZIP2_BLOCK_AT)
    return isText ? undefined : found[1]
  }
  // Without a byte order mark every other byte of ASCII in UTF-16 is 0, which UTF-8 text never begins with.
  if (isAscii(head[0]) && head[1] === 0)
    return `UTF-16 text, ${TO_UTF8}, "iconv -f UTF-16LE -t UTF-8"`
  if (head[0] === 0 && isAscii(head[1]))
    return `UTF-16 text, ${TO_UTF8}, "iconv -f UTF-16BE -t UTF-8"`
  return undefined
}

function beginsWith(head: Uint8Array, bytes: readonly number[], at: number): boolean {
  return bytes.every((byte, index) => head[at + index] === byte)
}

function isAscii(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0 && byte < 0x80
}
