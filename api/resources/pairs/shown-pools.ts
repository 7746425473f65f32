/**
 * Cursor of the list of tokens' pools. Volumes change between pages, so that a position in their order would skip
 * and repeat pools. The cursor names the pools that were shown instead. Pure.
 *
 * It names at most SHOWN_MAX pools, so that a URL has room for them next to 200 mints. The pools after those are
 * listed by their first swaps. A pool is named by 40 bits of a hash of its account and mint, so that every installation
 * reads the cursor alike. Of two pools of the mints with one hash, which is one in two million where they have a thousand
 * pools, one may be repeated and the other left out.
 *
 * Decision: docs/decisions/0075-answers-follow-from-the-events.md
 */
import { hash } from 'node:crypto'
import { isAddress } from '../../../domain/numbers/base58.ts'
import {
  type CursorList,
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'

/** A position in the list by first swaps. */
export type FirstPosition = { slot: number; pair: string; mint: string }
/** `shown`: hashes; `after`: after those pools the list continues by first swaps, and has reached this position. */
type PoolsPosition = { shown: readonly number[]; after?: FirstPosition }
type PoolName = { pair_address: string; token_address: string }

export const SHOWN_MAX = 1_000
/** Longer than any of ours. */
export const POOLS_CURSOR_LENGTH_MAX = 8_192

const HASH_BITS = 40
/** A character of a cursor, from 128 on: no separator. */
const CHARACTER_BITS = 7
const FIRST_CHARACTER = 1 << CHARACTER_BITS

/** 40 bits of a hash of the pool, the same in every installation. */
export function poolHash({ pair_address: pair, token_address: mint }: PoolName): number {
  return Number.parseInt(hash('sha256', `${pair} ${mint}`).slice(0, HASH_BITS / 4), 16)
}

/** Before every pool. */
export const FIRST_OF_ALL: FirstPosition = { slot: -1, pair: '', mint: '' }

export function poolsCursor(list: CursorList, { shown, after }: PoolsPosition): string {
  const fields = after === undefined ? ['', '', ''] : [after.slot, after.pair, after.mint]
  return encodeCursor(list, [...fields, shown.length, packed(shown)])
}

/** Throws ApiError for a text that is no cursor of the list. */
export function readPoolsCursor(list: CursorList, text: string): PoolsPosition {
  const [slot = '', pair = '', mint = '', count = '', hashes = ''] = decodeCursor(list, text, 5)
  const shown = unpacked(hashes, cursorNumber(count, SHOWN_MAX))
  if (slot === '') return { shown }
  if (!isAddress(pair) || !isAddress(mint)) throw notOfThisList()
  return { shown, after: { slot: cursorNumber(slot), pair, mint } }
}

/**
 * Ascending, each as its distance from the one before by a Golomb-Rice code: quotient and remainder of a division by a
 * power of two near the mean distance, the quotient as so many ones and a zero. A thousand take 32 bits each.
 */
function packed(hashes: readonly number[]): string {
  const low = lowBits(hashes.length)
  let last = 0
  let bits = ''
  for (const each of hashes.toSorted((a, b) => a - b)) {
    const distance = each - last
    const quotient = Math.floor(distance / 2 ** low)
    const remainder = distance - quotient * 2 ** low
    bits += `${'1'.repeat(quotient)}0${remainder.toString(2).padStart(low, '0')}`
    last = each
  }
  return bits.replaceAll(/.{1,7}/g, (seven) =>
    String.fromCharCode(FIRST_CHARACTER + Number.parseInt(seven.padEnd(CHARACTER_BITS, '0'), 2)),
  )
}

function unpacked(text: string, count: number): number[] {
  const low = lowBits(count)
  const bits = Array.from(text, (each) => each.charCodeAt(0).toString(2).slice(1)).join('')
  const hashes: number[] = []
  let [at, last] = [0, 0]
  while (hashes.length < count) {
    const zero = bits.indexOf('0', at)
    const end = zero + 1 + low
    if (zero < 0 || end > bits.length) throw notOfThisList()
    last += (zero - at) * 2 ** low + Number.parseInt(bits.slice(zero + 1, end), 2)
    if (last >= 2 ** HASH_BITS) throw notOfThisList()
    hashes.push(last)
    at = end
  }
  return hashes
}

/** Bits of a remainder: those of the mean distance of so many hashes. */
const lowBits = (count: number): number => HASH_BITS - Math.ceil(Math.log2(count + 1))
