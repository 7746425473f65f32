/** A slot as sources of chain data pass it on, and the one way to fetch slots by number. Types only. */
import type { StatedName } from '../../../domain/events/stated-name.ts'
import type { Decoded } from '../../decode.ts'
import type { ChainBlock } from '../../transaction/transaction.ts'

/** One slot as a provider returned it: its block, or nothing where the leader skipped the slot. */
export type SlotBlock = {
  readonly slot: number
  readonly block: ChainBlock | DecodedBlock | undefined
  /** Why the block does not prove its slot complete, which is then a gap in coverage; absent where it does. */
  readonly gapReason?: string
  /** Names of mints that its transactions state, where the provider sends them. */
  readonly names?: readonly StatedName[]
  /** Absent for a skipped slot. */
  readonly link?: {
    readonly blockhash: string
    readonly parentSlot: number
    /** '' where the provider does not know it: the block is linked only by its parent's slot. */
    readonly parentBlockhash: string
  }
  /** Transactions of the block that cannot be decoded. */
  readonly unread?: readonly UnreadTransaction[]
}

/** A slot whose leader made no block. */
export type SkippedSlot = { readonly slot: number; readonly block: undefined }

/** `signature`: '' where it cannot be read either. */
export type UnreadTransaction = { readonly signature: string; readonly reason: string }

/** A block that was decoded as soon as it came: blocks that wait for earlier ones then hold their events only. */
type DecodedBlock = Pick<ChainBlock, 'slot' | 'timestamp'> & { readonly decoded: Decoded }

/**
 * All slots of a range, both ends included, ascending, each once, skipped ones too. Throws a retryable SourceError where
 * a slot cannot be fetched: no slot is passed over.
 */
export type FetchSlots = (from: number, to: number, signal: AbortSignal) => AsyncIterable<SlotBlock>
