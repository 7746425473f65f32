/**
 * Files of chain data as people have them: the answer of `getBlock` or `getTransaction` (whole, or its `result`),
 * an update of a Yellowstone stream printed as JSON, or several of these, one a line or in a list; gzipped or not. Pure.
 *
 * Law: whatever is not read is refused by its name, or is an `undefined` transaction of its block. No input that may hold
 * transactions yields an empty block.
 */

import { gunzipSync } from 'node:zlib'
import type { ChainBlock } from '../../transaction/transaction.ts'
import { readPrintedUpdate } from './geyser-file.ts'
import {
  isRpcBlock,
  isRpcTransaction,
  readBlockAnswer,
  readTransactionAnswer,
  resultOf,
} from './rpc-file.ts'
import { EXPECTED, UnreadableBlockFile, unknownForm } from './unreadable.ts'

/** A file that unpacks to more is no block: the largest are some 10 MB. */
const UNPACKED_BYTES_MAX = 1 << 30
const GZIP = [0x1f, 0x8b]

/**
 * The blocks of a file. Answers of getBlock lack their slot: it is the one given, else a number in the file's name that
 * may follow the parent's slot, else the one after the parent's.
 *
 * Throws UnreadableBlockFile.
 */
export function readBlockFile(bytes: Uint8Array, name: string, slot?: number): ChainBlock[] {
  const values = parse(unpack(bytes))
  const blocks: ChainBlock[] = []
  let without: string | undefined
  for (const { value, at } of values) {
    const read = locating(values.length > 1 ? at : undefined, () => {
      return readForm(value, values.length === 1 ? name : undefined, slot)
    })
    if ('block' in read) blocks.push(read.block)
    else without ??= read.without
  }
  if (blocks.length > 0) return blocks
  throw new UnreadableBlockFile(`no transactions: ${without ?? 'an empty list'}`)
}

function unpack(bytes: Uint8Array): string {
  const isPacked = GZIP.every((byte, at) => bytes[at] === byte)
  try {
    const plain = isPacked ? gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX }) : bytes
    return new TextDecoder().decode(plain)
  } catch (error) {
    throw new UnreadableBlockFile(
      `a gzip file that cannot be unpacked: ${(error as Error).message}`,
    )
  }
}

/** A JSON value of a file, and where it lies there. */
type Value = { readonly value: unknown; readonly at: string }

/** One JSON text, or one a line. A list holds the answers of a batch. */
function parse(text: string): readonly Value[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value)
      ? value.map((each, index) => ({ value: each, at: `answer ${index + 1}` }))
      : [{ value, at: 'line 1' }]
  } catch {
    const lines = text
      .split('\n')
      .map((line, index) => ({ line, at: `line ${index + 1}` }))
      .filter(({ line }) => line.trim() !== '')
    if (lines.length < 2) throw new UnreadableBlockFile(`not JSON: ${EXPECTED}`)
    return lines.map(({ line, at }) => {
      try {
        return { value: JSON.parse(line), at }
      } catch {
        throw new UnreadableBlockFile(`${at} is not JSON: ${EXPECTED}`)
      }
    })
  }
}

/** The result of `read`; its error names the place in the file. */
function locating<T>(at: string | undefined, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (at === undefined || !(error instanceof UnreadableBlockFile)) throw error
    throw new UnreadableBlockFile(`${at}: ${error.message}`, { cause: error })
  }
}

function readForm(
  value: unknown,
  name: string | undefined,
  slot: number | undefined,
): { block: ChainBlock } | { without: string } {
  const json = resultOf(value)
  const update = readPrintedUpdate(json, slot)
  if (update !== undefined) return update
  if (isRpcBlock(json)) return { block: readBlockAnswer(json, name, slot) }
  if (isRpcTransaction(json)) return { block: readTransactionAnswer(json, slot) }
  throw unknownForm()
}
