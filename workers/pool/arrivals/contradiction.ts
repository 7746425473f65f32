/**
 * Compares an arriving event with the stored ones: new, duplicate, or conflict. Pure.
 *
 * Law: the event stored first wins. A conflict enters no table but `event_conflict`, where both
 * versions are listed. Two kinds:
 *   redelivery_differs   one identity, other fields
 *   fork_suspected       a fork's second version: one identity in another block, or one place in a transaction
 *                        (signature, venue, pool, wallet, index, side) in another block or slot with other amounts
 * Within one block such swaps are several trades, from before instructions were indexed. Unnamed blocks are one.
 *
 * A duplicate may state what the event before it left out (`OMITTED`): later ones are compared with both together.
 */

import type { ChainEvent } from '../../../domain/events/event.ts'
import { type PoolEvent, poolEventIdentity } from '../../../domain/events/pool-event.ts'
import type { ConflictKind } from '../../../domain/events/rejected-event.ts'
import { areOtherBlocks } from '../../../domain/events/retraction.ts'
import { compareSwaps, isSameSwap, type Swap } from '../../../domain/events/swap.ts'
import { poolPrice } from '../pool.ts'

/** A rejected event, and the stored one that it contradicts. */
export type Conflict<Arriving = ChainEvent> = {
  kind: ConflictKind
  stored: Arriving
  rejected: Arriving
}

/** Fields outside the identity that a second delivery may contradict. */
const SWAP_FIELDS = [
  'slot',
  'timestamp',
  'tokenAddress',
  'fee',
  'feeBps',
  'creatorFee',
  'creatorFeeBps',
  'quoteDecimals',
  'virtualSolReserves',
  'virtualTokenReserves',
  'realSolReserves',
  'realTokenReserves',
  'transferFeeIn',
  'transferFeeOut',
  'cashback',
  'cashbackBps',
  'blockTxIndex',
  'timeSource',
  'agentTrade',
  'priceBefore',
  'priceAfter',
  'virtualQuoteReserves',
] as const satisfies (keyof Swap)[]

const POOL_EVENT_FIELDS = [
  'slot',
  'timestamp',
  'tokenAddress',
  'dex',
  'blockTxIndex',
  'creator',
  'fromPair',
  'solAmount',
  'tokenAmount',
] as const satisfies (keyof PoolEvent)[]

/** Fields that a source may leave out of a swap that others state with them. */
const OMITTED = ['blockhash', 'outsideProtocolBps', 'outsideCreatorBps'] as const

/** Whether two deliveries of one identity differ in another field. */
function isContradiction(first: Swap, second: Swap): boolean {
  return (
    SWAP_FIELDS.some((field) => first[field] !== second[field]) ||
    OMITTED.some((field) => {
      const [one, other] = [first[field], second[field]]
      return one !== undefined && other !== undefined && one !== other
    }) ||
    poolPrice(first) !== poolPrice(second)
  )
}

/** The first delivery with what only the second states; undefined where that is nothing. */
function completed(first: Swap, second: Swap): Swap | undefined {
  const added = OMITTED.filter(
    (field) => first[field] === undefined && second[field] !== undefined,
  ).map((field) => [field, second[field]])
  return added.length === 0 ? undefined : { ...first, ...Object.fromEntries(added) }
}

/** Whether two swaps of different amounts have the same position in a transaction, reported in two slots or blocks. */
function isForkOf(stored: Swap, swap: Swap): boolean {
  return (
    (stored.slot !== swap.slot || areOtherBlocks(stored.blockhash, swap.blockhash)) &&
    stored.signature === swap.signature &&
    stored.dex === swap.dex &&
    stored.ixIndex === swap.ixIndex &&
    stored.pairAddress === swap.pairAddress &&
    stored.user === swap.user &&
    stored.isBuy === swap.isBuy
  )
}

/** A duplicate that states more, the event before it, and both together. */
type Completion<Arriving> = { kind: 'completes'; first: Arriving; whole: Arriving }

export type Judgement<Arriving> = 'new' | 'duplicate' | Completion<Arriving> | Conflict<Arriving>

function duplicateOf<Arriving>(
  first: Arriving,
  whole: Arriving | undefined,
): 'duplicate' | Completion<Arriving> {
  return whole === undefined ? 'duplicate' : { kind: 'completes', first, whole }
}

/** Swaps in the order in which they were first delivered: the stored ones, then those of a batch. */
export class FirstSwaps {
  /** By signature; a list only where there are several, which is rare. */
  private readonly known = new Map<string, Swap | Swap[]>()

  constructor(stored: readonly Swap[]) {
    for (const swap of stored) this.remember(swap, this.known.get(swap.signature))
  }

  /** A new swap is remembered: its next delivery is a duplicate. */
  judge(swap: Swap): Judgement<Swap> {
    const known = this.known.get(swap.signature)
    const result = known === undefined ? 'new' : judgeSwap(known, swap)
    if (result === 'new') this.remember(swap, known)
    else if (typeof result === 'object' && result.kind === 'completes') {
      this.replace(result.first, result.whole)
    }
    return result
  }

  private replace(first: Swap, whole: Swap): void {
    const known = this.known.get(first.signature)
    if (Array.isArray(known)) known[known.indexOf(first)] = whole
    else this.known.set(first.signature, whole)
  }

  private remember(swap: Swap, known: Swap | Swap[] | undefined): void {
    if (known === undefined) this.known.set(swap.signature, swap)
    else if (Array.isArray(known)) known.push(swap)
    else this.known.set(swap.signature, [known, swap])
  }
}

function judgeSwap(known: Swap | Swap[], swap: Swap): Judgement<Swap> {
  const all = Array.isArray(known) ? known : [known]
  const same = all.find((each) => isSameSwap(each, swap))
  if (same !== undefined) {
    if (areOtherBlocks(same.blockhash, swap.blockhash)) {
      return { kind: 'fork_suspected', stored: same, rejected: swap }
    }
    if (!isContradiction(same, swap)) return duplicateOf(same, completed(same, swap))
    return { kind: 'redelivery_differs', stored: same, rejected: swap }
  }
  // The canonically first of several: the result must not depend on the order of rows in the answer.
  const [stored] = all.filter((each) => isForkOf(each, swap)).sort(compareSwaps)
  return stored === undefined ? 'new' : { kind: 'fork_suspected', stored, rejected: swap }
}

/** The same of pool events: another slot is a field like the others, because amounts are no identity. */
export class FirstPoolEvents {
  private readonly known: Map<string, PoolEvent>

  constructor(stored: readonly PoolEvent[]) {
    this.known = new Map(stored.map((event) => [poolEventIdentity(event), event]))
  }

  judge(event: PoolEvent): Judgement<PoolEvent> {
    const identity = poolEventIdentity(event)
    const stored = this.known.get(identity)
    if (stored === undefined) {
      this.known.set(identity, event)
      return 'new'
    }
    if (areOtherBlocks(stored.blockhash, event.blockhash)) {
      return { kind: 'fork_suspected', stored, rejected: event }
    }
    const isSame = POOL_EVENT_FIELDS.every((field) => stored[field] === event[field])
    if (!isSame) return { kind: 'redelivery_differs', stored, rejected: event }
    const isNaming = stored.blockhash === undefined && event.blockhash !== undefined
    if (isNaming) this.known.set(identity, event)
    return duplicateOf(stored, isNaming ? event : undefined)
  }
}
