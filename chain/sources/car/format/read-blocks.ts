/**
 * The blocks of a CAR file, or of a piece of one, from its bytes: plain, or packed as zstd. One block is held at a time.
 *
 * A file whose header names a root ends with that root; where it does not, it was cut off. Errors name the offset in the
 * unpacked bytes and the newest slot that was read.
 */
import { SourceError } from '../../../../streams/sources/source.ts'
import { ConnectionLost } from '../../../rpc/http.ts'
import { unpacked } from '../../portal/unpack.ts'
import { BlockAssembler, type CarBlock } from './blocks.ts'
import { CarError, SectionReader } from './sections.ts'

export type CarBytes = {
  /** The name of the file in errors. */
  readonly name: string
  /** Offset of the first byte: above 0 it is that of a section. */
  readonly start: number
  readonly bytes: AsyncIterable<Uint8Array>
}

/** `isWhole`: the root was read, so that no block of its epoch follows. */
export type BlockEnd = { isWhole: boolean }

const ZSTD_MAGIC = 0xfd2fb528
const MAGIC_BYTES = 4

/** Throws SourceError, which is final, and the errors of the bytes. `end` is filled in when all blocks were yielded. */
export async function* readCarBlocks(
  { name, start, bytes }: CarBytes,
  end: BlockEnd,
): AsyncGenerator<CarBlock> {
  const sections = new SectionReader(start)
  const assembler = new BlockAssembler()
  let newest: number | undefined
  try {
    for await (const chunk of plainBytes(bytes)) {
      for (const section of sections.read(chunk)) {
        const block = assembler.add(section)
        if (block === undefined) continue
        newest = block.slot
        yield block
      }
    }
    sections.end()
    assembler.end()
    end.isWhole = isWhole(sections, assembler)
  } catch (error) {
    throw explainedCarError(error, { name, offset: sections.offset, newest })
  }
}

function isWhole({ roots, offset }: SectionReader, { root }: BlockAssembler): boolean {
  const missing = roots?.some((key) => key !== root) ?? false
  if (missing) throw new CarError(offset, 'it ends before the root that its header names')
  return root !== undefined
}

/** `offset`: of an error that states none; `newest`: the newest slot that was read. */
type ErrorPosition = { name: string; offset: number; newest: number | undefined }

export function explainedCarError(
  error: unknown,
  { name, offset, newest }: ErrorPosition,
): unknown {
  const isCar = error instanceof CarError
  if (!isCar && !(error instanceof ConnectionLost)) return error
  const after = newest === undefined ? 'before its first block' : `after slot ${newest}`
  const reason = isCar ? error.message : `it ends too early: ${error.message}`
  const text = `${name}: byte ${isCar ? error.offset : offset}, ${after}: ${reason}`
  return new SourceError(text, { isRetryable: false, cause: error })
}

async function* plainBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const chunks = buffers(bytes)
  const parts: Buffer[] = []
  let length = 0
  while (length < MAGIC_BYTES) {
    const next = await chunks.next()
    if (next.done === true) break
    parts.push(next.value)
    length += next.value.length
  }
  const first = Buffer.concat(parts)
  const isPacked = length >= MAGIC_BYTES && first.readUInt32LE(0) === ZSTD_MAGIC
  yield* isPacked ? unpacked(preceded(first, chunks), 'zstd') : preceded(first, chunks)
}

async function* preceded(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first
  yield* rest
}

async function* buffers(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  for await (const each of bytes) {
    yield each instanceof Buffer ? each : Buffer.from(each.buffer, each.byteOffset, each.length)
  }
  return undefined
}
