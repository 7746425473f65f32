/**
 * Files of chain data as people have them: the answer of `getBlock` or `getTransaction` (whole, or its `result`),
 * an update of a Yellowstone stream printed as JSON, or several of these, one a line; gzipped or not. Pure.
 */

import { gunzipSync } from 'node:zlib'
import { isObject } from '../../domain/text/exact-json.ts'
import { readGeyserBlock, readGeyserTransaction } from './decoder/forms/geyser.ts'
import { countOf, type Json, objectOf } from './decoder/forms/parts.ts'
import { readRpcAnswer, readRpcBlock } from './decoder/forms/rpc.ts'
import type { ChainBlock } from './decoder/transaction.ts'

/** The message after the file's name: `a.json: not JSON: expected ...`. */
export class UnreadableBlockFile extends Error {
  override name = 'UnreadableBlockFile'
}

const EXPECTED =
  'expected the answer of getBlock or getTransaction, or a block or transaction update of Geyser'
/** A file that unpacks to more is no block: the largest are some 10 MB. */
const UNPACKED_BYTES_MAX = 1 << 30
const GZIP = [0x1f, 0x8b]
/** Slots are numbers of eight and more digits since 2020. */
const SLOT_IN_NAME = /(?<!\d)(\d{8,10})(?!\d)/

/**
 * The blocks of a file. Answers of getBlock lack their slot: it is the one given, else the number in the file's
 * name, else the one after the parent's.
 *
 * Throws UnreadableBlockFile.
 */
export function readBlockFile(bytes: Uint8Array, name: string, slot?: number): ChainBlock[] {
  const text = unpack(bytes)
  return parse(text).map((json) => readForm(objectOf(objectOf(json).result ?? json), name, slot))
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

/** One JSON text, or one a line. */
function parse(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    if (lines.length < 2) throw new UnreadableBlockFile(`not JSON: ${EXPECTED}`)
    return lines.map((line, index) => {
      try {
        return JSON.parse(line)
      } catch {
        throw new UnreadableBlockFile(`line ${index + 1} is not JSON: ${EXPECTED}`)
      }
    })
  }
}

function readForm(json: Json, name: string, slot: number | undefined): ChainBlock {
  if (isObject(json.block)) return orUnreadable(readGeyserBlock(json))
  if (Array.isArray(json.transactions)) {
    return orUnreadable(readRpcBlock(json, slot ?? slotOf(json, name)))
  }
  const update = objectOf(json.transaction)
  const envelope = isObject(update.transaction) ? update : json
  if (!isObject(envelope.transaction)) throw new UnreadableBlockFile(`not chain data: ${EXPECTED}`)
  const at = slot ?? countOf(envelope.slot)
  if (at === undefined) throw new UnreadableBlockFile('its slot is missing: add --slot SLOT')
  if (envelope === json) return orUnreadable(readRpcAnswer({ ...json, slot: at }))
  const transaction = readGeyserTransaction(objectOf(update.transaction))
  // An update has no time, so its events are rejected.
  return orUnreadable(
    transaction && { slot: at, timestamp: undefined, transactions: [transaction] },
  )
}

function orUnreadable(block: ChainBlock | undefined): ChainBlock {
  if (block === undefined) throw new UnreadableBlockFile(`not chain data: ${EXPECTED}`)
  return block
}

function slotOf(block: Json, name: string): number {
  const named = SLOT_IN_NAME.exec(name)?.[1]
  return (
    countOf(block.slot) ??
    (named === undefined ? undefined : Number(named)) ??
    (countOf(block.parentSlot) ?? 0) + 1
  )
}
