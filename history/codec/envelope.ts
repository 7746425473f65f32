/**
 * The frame of everything that sealed history stores as bytes. Pure.
 *
 *   crc32 of the rest (4) | format (1) | kind (1) | length of all (4) | body
 *
 * Law: damage is an error that names what is damaged, never a shorter answer. The first five bytes mean the same in every
 * format, so a reader distinguishes damage (the checksum) from an unknown format.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/**
 * Formats that this version reads, the newest last. A change of what bytes mean is the next number. Bytes are of the least format that has their
 * values, so that an earlier version reads what it could have written.
 */
const FORMATS = [1, 2] as const
export const FORMAT = 2
export type Format = (typeof FORMATS)[number]
const isFormat = (format: number): format is Format => FORMATS.some((known) => known === format)

/** Kinds of bytes: a block of swaps, and the postings that find its rows. Never renumbered. */
export const KINDS = {
  block: 1,
  signature: 2,
  wallet: 3,
  heavy_wallet: 4,
  order: 5,
  pool: 6,
  large: 7,
} as const
export type Kind = keyof typeof KINDS

/** Row numbers of a segment are three bytes. */
export const SEGMENT_ROWS_MAX = 2 ** 24
/** Bytes that a body has at most before it is packed: bounds what a damaged frame may demand. */
const BODY_BYTES_MAX = 2 ** 26

const CHECKSUM_BYTES = 4
const FORMAT_AT = 4
const KIND_AT = 5
const LENGTH_AT = 6
export const ENVELOPE_BYTES = 10
const ZSTD_LEVEL = 3
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }

/** Stored bytes of sealed history that cannot be what was written. */
export class DamagedHistory extends Error {
  /** The block or posting, as `blockName()` and `postingName()` write it. */
  readonly subject: string
  readonly reason: string

  constructor(subject: string, reason: string, options?: ErrorOptions) {
    super(`${subject} is damaged: ${reason}: restore it from a backup`, options)
    this.subject = subject
    this.reason = reason
  }
}

/** Whole bytes of a format that this version cannot read. */
export class UnknownFormat extends Error {
  readonly subject: string
  readonly format: number

  constructor(subject: string, format: number) {
    super(
      `${subject} has format ${format}, expected ${FORMATS.join(' or ')}: read it by the version that wrote it or a later one`,
    )
    this.subject = subject
    this.format = format
  }
}

/** The format of whole bytes. */
export const formatOf = (bytes: Uint8Array): number => bytes[FORMAT_AT] as number

/** How errors name a block. */
export function blockName(segmentId: number, firstRow: number): string {
  return `block ${firstRow} of segment ${segmentId}`
}

/** How errors name a posting. */
export function postingName(segmentId: number, kind: Kind, bucket: number, part = 0): string {
  return `posting "${kind}" ${bucket}/${part} of segment ${segmentId}`
}

/** In format 1. The body may come in parts, which follow each other. */
export function enclose(kind: Kind, ...body: readonly Uint8Array[]): Uint8Array {
  return encloseIn(1, kind, ...body)
}

export function encloseIn(format: Format, kind: Kind, ...body: readonly Uint8Array[]): Uint8Array {
  const length = body.reduce((sum, part) => sum + part.length, ENVELOPE_BYTES)
  const bytes = Buffer.allocUnsafe(length)
  bytes[FORMAT_AT] = format
  bytes[KIND_AT] = KINDS[kind]
  bytes.writeUInt32LE(bytes.length, LENGTH_AT)
  let at = ENVELOPE_BYTES
  for (const part of body) {
    bytes.set(part, at)
    at += part.length
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(CHECKSUM_BYTES)), 0)
  return bytes
}

/** The body of bytes of format 1. Throws DamagedHistory or UnknownFormat, which name `subject`. */
export function disclose(kind: Kind, stored: Uint8Array, subject: string): Buffer {
  const { format, body } = discloseAny(kind, stored, subject)
  if (format !== 1) throw new DamagedHistory(subject, `a "${kind}" has no format ${format}`)
  return body
}

/** The same of any format. */
export function discloseAny(
  kind: Kind,
  stored: Uint8Array,
  subject: string,
): { format: Format; body: Buffer } {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  if (bytes.length < ENVELOPE_BYTES) {
    throw new DamagedHistory(
      subject,
      `it has ${bytes.length} bytes, expected ${ENVELOPE_BYTES} or more`,
    )
  }
  const length = bytes.readUInt32LE(LENGTH_AT)
  const expected = bytes.readUInt32LE(0)
  const found = crc32(bytes.subarray(CHECKSUM_BYTES))
  if (found !== expected) {
    const cut =
      length === bytes.length ? '' : `, and it has ${bytes.length} bytes, expected ${length}`
    throw new DamagedHistory(subject, `its checksum is ${found}, expected ${expected}${cut}`)
  }
  const format = formatOf(bytes)
  if (!isFormat(format)) throw new UnknownFormat(subject, format)
  if (length !== bytes.length) {
    throw new DamagedHistory(subject, `it has ${bytes.length} bytes, expected ${length}`)
  }
  if (bytes[KIND_AT] !== KINDS[kind]) {
    throw new DamagedHistory(subject, `it is of kind ${bytes[KIND_AT]}, expected ${KINDS[kind]}`)
  }
  return { format, body: bytes.subarray(ENVELOPE_BYTES) }
}

/** Length of the bytes, then the bytes by zstd. */
export function pack(bytes: Uint8Array): Uint8Array {
  const packed = zstdCompressSync(bytes, ZSTD)
  const framed = Buffer.allocUnsafe(4 + packed.length)
  framed.writeUInt32LE(bytes.length, 0)
  framed.set(packed, 4)
  return framed
}

/** The reverse of `pack()`. Throws DamagedHistory. */
export function unpack(framed: Buffer, subject: string): Buffer {
  if (framed.length < 4) throw new DamagedHistory(subject, 'its packed part is cut')
  const length = framed.readUInt32LE(0)
  if (length > BODY_BYTES_MAX) {
    throw new DamagedHistory(
      subject,
      `its body has ${length} bytes, expected ${BODY_BYTES_MAX} at most`,
    )
  }
  const bytes = decompressed(framed.subarray(4), length, subject)
  if (bytes.length !== length) {
    throw new DamagedHistory(subject, `its body has ${bytes.length} bytes, expected ${length}`)
  }
  return bytes
}

function decompressed(packed: Buffer, length: number, subject: string): Buffer {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: Math.max(1, length) })
  } catch (cause) {
    throw new DamagedHistory(subject, 'its packed part is no zstd frame', { cause })
  }
}
