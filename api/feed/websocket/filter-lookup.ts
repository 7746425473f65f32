/**
 * Inverted index of filters by token, pool or wallet: yields the candidates that an event may match. Pure.
 *
 * Invariant: every filter that an event matches is among its candidates, once. Most others are not, so that a thousand
 * filters of one token each do not cost a thousand tests per event.
 */
import type { FeedEvent } from '../../../streams/codec/event-codec.ts'
import type { FeedFilter } from '../filter.ts'

/** Fields by which a filter is indexed, the most selective first. */
type IndexedField = 'wallets' | 'pools' | 'tokens'
const FIELDS: readonly IndexedField[] = ['wallets', 'pools', 'tokens']

export class FilterLookup<Entry> {
  private readonly byValue: Readonly<Record<IndexedField, Map<string, Set<Entry>>>> = {
    wallets: new Map(),
    pools: new Map(),
    tokens: new Map(),
  }
  private readonly rest = new Set<Entry>()

  add(entry: Entry, filter: FeedFilter): void {
    const field = fieldOf(filter)
    if (field === undefined) {
      this.rest.add(entry)
      return
    }
    const sets = this.byValue[field]
    for (const value of filter[field]) {
      const known = sets.get(value)
      if (known === undefined) sets.set(value, new Set([entry]))
      else known.add(entry)
    }
  }

  /** `filter`: the same as in `add`. */
  delete(entry: Entry, filter: FeedFilter): void {
    const field = fieldOf(filter)
    if (field === undefined) {
      this.rest.delete(entry)
      return
    }
    const sets = this.byValue[field]
    for (const value of filter[field]) {
      const known = sets.get(value)
      known?.delete(entry)
      if (known?.size === 0) sets.delete(value)
    }
  }

  visit(event: FeedEvent, visit: (entry: Entry) => void): void {
    const { wallets, pools, tokens } = this.byValue
    const record = event.kind === 'swap' ? event.swap : event.poolEvent
    for (const entry of this.rest) visit(entry)
    if (event.kind === 'swap' && wallets.size > 0) {
      wallets.get(event.swap.user)?.forEach(visit)
    }
    if (pools.size > 0) pools.get(record.pairAddress)?.forEach(visit)
    if (tokens.size > 0) tokens.get(record.tokenAddress)?.forEach(visit)
  }
}

function fieldOf(filter: FeedFilter): IndexedField | undefined {
  return FIELDS.find((field) => filter[field].length > 0)
}
