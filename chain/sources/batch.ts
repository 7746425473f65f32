/**
 * Decoded slots as batches of a source, for every source of chain data.
 *
 * The cursor is `SLOT` after a whole slot, a skipped one too, and `SLOT:EVENTS:BLOCKHASH` inside a slot: so many events of
 * this block were yielded. The notices of a slot come with its last batch, so a resumed source reports them once.
 */
import {
  countEvents,
  type Event,
  type EventCounts,
  isChainEvent,
  type MarketEvent,
  noEvents,
  payloadOf,
} from '../../domain/events/event.ts'
import { type DexId, venueOf } from '../../domain/venue.ts'
import {
  type ChainTime,
  type Cursor,
  SOURCE_BATCH_EVENTS_MAX,
  type SourceBatch,
  SourceError,
  type SourceNotice,
} from '../../streams/sources/source.ts'
import {
  type Decoded,
  decodeBlock,
  type Mismatch,
  type Reject,
  type RejectReason,
  readsOf,
} from '../decode.ts'
import type { SlotBlock, UnreadTransaction } from './blocks/slot-block.ts'

/** `events` is absent after a whole slot, `blockhash` where the source knows no blocks by their hashes. */
type ChainCursor = {
  readonly slot: number
  readonly events?: number
  readonly blockhash?: string
}

const CURSOR = /^(\d{1,15})(?::(\d{1,9})(?::([1-9A-Za-z]{32,88}))?)?$/

/** `name`: the source, as errors call it. Throws SourceError. */
export function readChainCursor(cursor: Cursor, name: string): ChainCursor {
  const [, slot, events, blockhash] = CURSOR.exec(cursor) ?? []
  if (slot === undefined) {
    const expected = 'expected SLOT or SLOT:EVENTS:BLOCKHASH, as an earlier run reported it'
    throw new SourceError(`cursor "${cursor}" of ${name}: ${expected}`, { isRetryable: false })
  }
  if (events === undefined) return { slot: Number(slot) }
  const inside = { slot: Number(slot), events: Number(events) }
  return blockhash === undefined ? inside : { ...inside, blockhash }
}

/** A beginning: the slot, and how many events of which of its blocks were yielded before. */
export type Beginning = ChainCursor & { readonly events: number }

/** The beginning of a source that is opened after the cursor. */
export function resumeAfter({ slot, events, blockhash }: ChainCursor): Beginning {
  if (events === undefined) return { slot: slot + 1, events: 0 }
  return blockhash === undefined ? { slot, events } : { slot, events, blockhash }
}

/**
 * The retraction of a block of which a part was yielded, where its slot has another block now or none; the cursor lies before
 * the slot, which is yielded from its first event.
 */
export function replacedInside(
  { slot, blockhash }: ChainCursor,
  { link }: SlotBlock,
  newest: ChainTime | undefined,
): SourceBatch | undefined {
  if (blockhash === undefined || blockhash === link?.blockhash) return undefined
  const { event, notice } = retracted(slot, blockhash, 'replaced while a part of it was read')
  return { events: [event], cursor: String(slot - 1), units: 0, newest, notices: [notice] }
}

/**
 * The batches of one slot. `decoded` is undefined for a skipped slot, `newest` what the source reported before, and
 * `from` the number of events to leave out because they were yielded before.
 */
export function batchesOf(
  { slot, block, link, unread = [], names = [] }: SlotBlock,
  decoded: Decoded | undefined,
  newest: ChainTime | undefined,
  from = 0,
): SourceBatch[] {
  const events = decoded?.events ?? []
  const time =
    block?.timestamp !== undefined && (newest === undefined || slot > newest.slot)
      ? { slot, timestampMs: block.timestamp }
      : newest
  const linked = link === undefined ? {} : { link: { slot, ...link } }
  const batches: SourceBatch[] = []
  let at = from
  for (; events.length - at > SOURCE_BATCH_EVENTS_MAX; at += SOURCE_BATCH_EVENTS_MAX) {
    const end = at + SOURCE_BATCH_EVENTS_MAX
    const cursor = [slot, end, ...(link === undefined ? [] : [link.blockhash])].join(':')
    const part = events.slice(at, end)
    batches.push({ events: part, cursor, units: 0, newest: time, notices: [], ...linked })
  }
  const notices = decoded === undefined ? [] : noticesOf(slot, decoded)
  for (const each of unread) notices.push(noticeOfUnread(slot, each))
  const rest = at === 0 ? events : events.slice(at)
  const end = { cursor: String(slot), endsSlot: slot, units: 1, newest: time, notices, ...linked }
  const stated = names.length === 0 ? {} : { names }
  batches.push({ events: rest, ...end, ...readingOf(decoded), ...stated })
  return batches
}

function readingOf(decoded: Decoded | undefined): Pick<SourceBatch, 'reading'> {
  if (decoded === undefined) return {}
  const [warnings, reads] = [decoded.warnings, readsOf(decoded)]
  return warnings.length + reads.length === 0 ? {} : { reading: { warnings, reads } }
}

function noticeOfUnread(slot: number, { signature, reason }: UnreadTransaction): SourceNotice {
  const value = signature === '' ? undefined : signature
  return { kind: 'refused', at: String(slot), reasons: [{ field: 'transaction', value, reason }] }
}

/** Pools without SOL are expected on every block: they are counted and not reported. */
export const EXPECTED_REJECT: RejectReason = 'no_sol_side'

function noticesOf(slot: number, { rejects, mismatches }: Decoded): SourceNotice[] {
  return [
    ...rejects
      .filter(({ reason }) => reason !== EXPECTED_REJECT)
      .map((reject) => noticeOfReject(slot, reject)),
    ...mismatches.map((mismatch) => noticeOfMismatch(slot, mismatch)),
  ]
}

const chainPositionText = (slot: number, dex: DexId, signature: string): string =>
  `${slot} ${venueOf(dex).name} ${signature}`

function noticeOfReject(
  slot: number,
  { dex, signature, kind, ixIndex, reason }: Reject,
): SourceNotice {
  return {
    kind: 'refused',
    at: chainPositionText(slot, dex, signature),
    reasons: [{ field: kind, value: String(ixIndex), reason }],
  }
}

function noticeOfMismatch(
  slot: number,
  { dex, signature, vault, expected, actual }: Mismatch,
): SourceNotice {
  return {
    kind: 'mismatch',
    at: chainPositionText(slot, dex, signature),
    reasons: [{ field: 'vault', value: vault, reason: `moved by ${actual}, expected ${expected}` }],
  }
}

/** A block that was yielded and is no longer part of the chain, as its retraction and its notice. */
export function retracted(
  slot: number,
  blockhash: string,
  reason: string,
): { event: Event; notice: SourceNotice } {
  const reasons = [{ field: 'blockhash', value: blockhash, reason }]
  return {
    event: { kind: 'retract', retraction: { slot, blockhash } },
    notice: { kind: 'fork', at: String(slot), reasons },
  }
}

/** A slot that was passed over as skipped, and is the parent of a block. */
export function unskipped(slot: number): SourceNotice {
  const reasons = [
    { field: 'slot', value: String(slot), reason: 'was skipped, and has a block now' },
  ]
  return { kind: 'fork', at: String(slot), reasons }
}

/**
 * Decodes a slot for these venues, or for all where they are absent; undefined for a skipped slot. The events name their
 * block.
 */
export function decodeSlot(
  { block, link }: SlotBlock,
  venues: ReadonlySet<DexId> | undefined,
): Decoded | undefined {
  if (block === undefined) return undefined
  const decoded = 'decoded' in block ? block.decoded : decodeBlock(block)
  if (link !== undefined) nameBlock(decoded.events, link.blockhash)
  return venues === undefined ? decoded : ofVenues(decoded, venues)
}

function nameBlock(events: readonly MarketEvent[], blockhash: string): void {
  for (const event of events) if (isChainEvent(event)) payloadOf(event).blockhash = blockhash
}

/** The decoded events of some venues; a token line stays with the pool event that it belongs to. */
export function ofVenues(decoded: Decoded, venues: ReadonlySet<DexId>): Decoded {
  const mints = new Set<string>()
  const isOfVenue = (event: MarketEvent): boolean => {
    if (!isChainEvent(event)) return false
    const { dex, tokenAddress } = payloadOf(event)
    if (venues.has(dex)) mints.add(tokenAddress)
    return venues.has(dex)
  }
  const own = new Set(decoded.events.filter(isOfVenue))
  const events = decoded.events.filter(
    (event) => own.has(event) || (event.kind === 'token' && mints.has(event.token.tokenAddress)),
  )
  return {
    ...decoded,
    events,
    rejects: decoded.rejects.filter(({ dex }) => venues.has(dex)),
    mismatches: decoded.mismatches.filter(({ dex }) => venues.has(dex)),
    warnings: decoded.warnings.filter(({ dex }) => venues.has(dex)),
  }
}

/** Counts of everything that a source of chain data decoded so far, for status and metrics. */
export type ChainCounts = EventCounts & {
  slots: number
  skippedSlots: number
  /** Slots whose block does not prove them complete. */
  gapSlots: number
  transactions: number
  failedTransactions: number
  readonly rejects: Map<RejectReason, number>
  readonly mismatches: Map<DexId, number>
}

export const noChainCounts = (): ChainCounts => ({
  ...noEvents(),
  slots: 0,
  skippedSlots: 0,
  gapSlots: 0,
  transactions: 0,
  failedTransactions: 0,
  rejects: new Map(),
  mismatches: new Map(),
})

/** Adds one slot; `decoded` is undefined for a skipped one. */
export function countSlot(
  counts: ChainCounts,
  decoded: Decoded | undefined,
  { gapReason, unread = [] }: Pick<SlotBlock, 'gapReason' | 'unread'> = {},
): void {
  counts.slots++
  if (decoded === undefined) {
    counts.skippedSlots++
    return
  }
  if (gapReason !== undefined) counts.gapSlots++
  for (const _ of unread) addOne(counts.rejects, 'no_event')
  countEvents(counts, decoded.events)
  counts.transactions += decoded.transactionCount
  counts.failedTransactions += decoded.failedCount
  for (const { reason } of decoded.rejects) addOne(counts.rejects, reason)
  for (const { dex } of decoded.mismatches) addOne(counts.mismatches, dex)
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
