/** Moments of the chain at which a page reads: the newest one, or that of the slot in its address. */
import { get } from '../request.ts'

export type Moment = {
  /** null: nothing is indexed yet, and answers are those of now. */
  slot: bigint | null
  /** Unix ms of the latest swap up to the slot; null before the first. */
  timestamp: number | null
  /** Where the feed continues; null where there is no feed just now. */
  cursor: string | null
  /** Unix ms with which periods of the page end: `timestamp`, where those of answers as of the slot end. */
  nowMs: number
  /** Whether later slots are indexed already, which some worker has yet to apply. */
  isHeld: boolean
}

/** Milliseconds for which further swaps of the newest slot arrive. */
const FILLING_MS = 2_000

/** The newest slot up to which all workers have applied everything; the one before it while further swaps of it arrive. */
export async function readNewest(signal: AbortSignal): Promise<Moment> {
  const { data } = await get('getCurrentSlot', {}, signal)
  const { slot, cursor, newest_slot: newest } = data
  const timestamp = numberOf(data.timestamp)
  const ageMs = Date.now() - (timestamp ?? 0)
  const isFilling = slot !== null && slot === newest && Math.abs(ageMs) < FILLING_MS
  return {
    slot: isFilling ? slot - 1n : slot,
    isHeld: isFilling || slot !== newest,
    ...{ timestamp, cursor, nowMs: timestamp ?? Date.now() },
  }
}

/** The moment of a slot of the address. One that cannot be answered rejects with the reason of the API. */
export async function readPinned(slot: string, signal: AbortSignal): Promise<Moment> {
  const { as_of: asOf } = await get('listSwaps', { as_of_slot: slot, limit: 1 }, signal)
  const timestamp = numberOf(asOf?.timestamp)
  const moment = { slot: asOf?.slot ?? null, timestamp, nowMs: timestamp ?? Date.now() }
  return { ...moment, cursor: null, isHeld: false }
}

const numberOf = (ms: bigint | null | undefined): number | null =>
  ms === null || ms === undefined ? null : Number(ms)
