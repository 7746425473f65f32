/**
 * One page of a position's proof: its sells in canonical order, each with the buys that it matched, then
 * the lots that are open. Pure.
 *
 * All pages of a walk prove the position as of one swap, the newest when it began. Later swaps are left to the next
 * walk, so pages skip and repeat nothing. A sell with more matched buys than a page holds continues on the next page,
 * from the match at which it stopped.
 */

import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import type { ProvenLot, SellProof } from '../../../domain/ledger/proof.ts'
import {
  type CursorList,
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'
import { KEY_FIELDS, keyFields, keyOfFields } from '../swaps/swap-key.ts'

/** Where a page ended: after a row, or within a sell's matches. */
type PageEnd = {
  section: 'sells' | 'lots'
  key: SwapOrderKey
  /** Matches of that sell on earlier pages; undefined: all, and so for lots. */
  matchesSent?: number
}
export type LotsCursor = { asOf: SwapOrderKey; end: PageEnd }

/** A sell, and which of its matches this page holds. */
export type SellRow = { proof: Omit<SellProof, 'matches'>; matchCount: number } & Part
type Part = { matchesFrom: number; matches: SellProof['matches'] }

const CURSOR_FIELDS = 2 + 2 * KEY_FIELDS
const ALL_SENT = 'all'

/** The list of a wallet's lots in a mint. */
export function lotsList(wallet: string, mint: string): CursorList {
  return ['lots', wallet, mint]
}

export function lotsCursor(list: CursorList, { asOf, end }: LotsCursor): string {
  const sent = end.matchesSent ?? ALL_SENT
  const keys = [...keyFields(end.key), ...keyFields(asOf)]
  return encodeCursor(list, [end.section, sent, ...keys])
}

/** Throws ApiError for a text that is no cursor of the list. */
export function readLotsCursor(list: CursorList, text: string): LotsCursor {
  const [section, sent = '', ...keys] = decodeCursor(list, text, CURSOR_FIELDS)
  if (section !== 'sells' && section !== 'lots') throw notOfThisList()
  const key = keyOfFields(keys.slice(0, KEY_FIELDS))
  const asOf = keyOfFields(keys.slice(KEY_FIELDS))
  const end: PageEnd = { section, key }
  if (sent !== ALL_SENT) end.matchesSent = cursorNumber(sent)
  return { asOf, end }
}

export class LotsPage {
  readonly sells: SellRow[] = []
  readonly lots: ProvenLot[] = []
  /** Set when more entries follow the page. */
  end: PageEnd | undefined
  readonly #after: PageEnd | undefined
  readonly #limit: number
  #matchRoom: number
  #last: PageEnd | undefined

  /** At most `limit` rows and `matchesMax` matches, from where `after` ended. */
  constructor(limit: number, matchesMax: number, after?: PageEnd) {
    this.#limit = limit
    this.#matchRoom = matchesMax
    this.#after = after
  }

  /** The sells come in canonical order, all of them, before the lots. */
  takeSell({ matches, ...proof }: SellProof): void {
    const from = this.#matchOffset(proof.sell)
    if (from === undefined || this.#isFull()) return
    const sent = matches.slice(from, from + this.#matchRoom)
    this.sells.push({ proof, matchCount: matches.length, matchesFrom: from, matches: sent })
    this.#matchRoom -= sent.length
    this.#last = { section: 'sells', key: proof.sell }
    const matchesSent = from + sent.length
    if (matchesSent < matches.length) this.end = { ...this.#last, matchesSent }
  }

  /** The open lots, oldest first. */
  takeLots(lots: Iterable<ProvenLot>): void {
    for (const lot of lots) {
      const isSent = this.#after?.section === 'lots' && compareSwaps(lot.buy, this.#after.key) <= 0
      if (isSent) continue
      if (this.#isFull()) return
      this.lots.push(lot)
      this.#last = { section: 'lots', key: lot.buy }
    }
  }

  /** The first match of the sell that the page is to hold; undefined when earlier pages hold them all. */
  #matchOffset(sell: SwapOrderKey): number | undefined {
    const after = this.#after
    if (after === undefined) return 0
    if (after.section === 'lots') return undefined
    const order = compareSwaps(sell, after.key)
    if (order === 0) return after.matchesSent
    return order > 0 ? 0 : undefined
  }

  /** Checked before each entry is added: on a full page it is left for the next one. */
  #isFull(): boolean {
    const isFull =
      this.end !== undefined ||
      this.sells.length + this.lots.length >= this.#limit ||
      this.#matchRoom === 0
    if (isFull) this.end ??= this.#last
    return isFull
  }
}
