/** The events of one market, a pool or a mint, of the slots of a provider. */
import { isChainEvent, type MarketEvent, payloadOf } from '../../../domain/events/event.ts'
import { decodeBlock } from '../../decode.ts'
import type { FetchSlots, SlotBlock } from '../blocks/slot-block.ts'

export type Market = {
  readonly kind: 'pool' | 'mint'
  readonly account: string
  /** Accounts of which the requested calls name one at least, at most `MENTIONS_MAX`. */
  readonly accounts: readonly string[]
  /** Called with the pool of each event of the market. */
  readonly onPool?: (pool: string) => void
}

/**
 * The same slots with only the events of the market. They name their blocks; the slots have no links, as not every block
 * was sent.
 */
export function ofMarket(fetch: FetchSlots, market: Market): FetchSlots {
  return async function* fetchMarket(from, to, signal) {
    for await (const slotBlock of fetch(from, to, signal)) yield select(slotBlock, market)
  }
}

function select({ slot, block, link }: SlotBlock, market: Market): SlotBlock {
  if (block === undefined) return { slot, block }
  const decoded = 'decoded' in block ? block.decoded : decodeBlock(block)
  const events = eventsOf(decoded.events, market)
  for (const event of events) {
    if (link !== undefined && isChainEvent(event)) payloadOf(event).blockhash = link.blockhash
  }
  return { slot, block: { slot, timestamp: block.timestamp, decoded: { ...decoded, events } } }
}

function eventsOf(
  events: readonly MarketEvent[],
  { kind, account, onPool }: Market,
): MarketEvent[] {
  const mints = new Set(kind === 'mint' ? [account] : [])
  const own = events.filter((event) => {
    if (!isChainEvent(event)) return false
    const { pairAddress, tokenAddress } = payloadOf(event)
    const isOwn = (kind === 'pool' ? pairAddress : tokenAddress) === account
    if (!isOwn) return false
    mints.add(tokenAddress)
    onPool?.(pairAddress)
    return true
  })
  const chosen = new Set<MarketEvent>(own)
  return events.filter(
    (event) => chosen.has(event) || (event.kind === 'token' && mints.has(event.token.tokenAddress)),
  )
}
