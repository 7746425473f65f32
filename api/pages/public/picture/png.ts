/** Encoder of PNG with indexed colours (ISO/IEC 15948): every image viewer and every service of previews reads it. */
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { type Canvas, paletteOf } from './canvas.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BIT_DEPTH = 8
const INDEXED = 3

const packed = promisify<Buffer, Buffer>(deflate)

/** Packs in the thread pool. */
export async function encodePng(canvas: Canvas): Promise<Buffer> {
  const { width, height, pixels } = canvas
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([BIT_DEPTH, INDEXED, 0, 0, 0], 8)
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(paletteOf(canvas).flat())),
    chunk('IDAT', await packed(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}
