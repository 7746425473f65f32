/**
 * The change of a pool in a call, as its venue states it, and the functions that the venues' readers share. Pure.
 */
import type { PoolEventKind } from '../../domain/events/pool-event.ts'
import type { DexId } from '../../domain/venue.ts'
import { addressOf, type Call, type EmittedEvent, keyOf, transfersIn } from './call.ts'
import type { Undecodable } from './venue-swap.ts'

export type PoolChange = {
  readonly event: PoolEventKind
  /** Where it is not the venue of the call: the venue that a launch migrated to. */
  readonly dex?: DexId
  readonly pool: string
  /** The pool's two mints with the base units that were added or removed, where they are known. */
  readonly sides: readonly PoolSide[]
  readonly creator?: string | undefined
  readonly fromPair?: string
}

type PoolSide = { readonly mint: string; readonly baseUnits: bigint | undefined }

/** A change, or why a call that changes a pool yields no line. */
export type PoolRead = PoolChange | Undecodable

export type PoolReader = (call: Call) => readonly PoolRead[]

export const NO_CHANGES: readonly PoolChange[] = []

/** Readers of instructions by their tags. */
export const byInstruction =
  (readers: Readonly<Record<string, PoolReader>>, otherwise: PoolReader): PoolReader =>
  (call) =>
    (readers[call.discriminator] ?? otherwise)(call)

/**
 * A call whose events were cut off and whose instruction is not known: it may have made a pool, or changed its liquidity, where
 * it moved several mints.
 */
export const readCutCall: PoolReader = (call) =>
  call.isLogCut() && movedSides(call).length > 1 ? ['no_event'] : NO_CHANGES

/** The two mints as an instruction lists them. */
export const sidesAt = (
  call: Call,
  first: number,
  second: number,
  amounts: readonly [bigint | undefined, bigint | undefined] = [undefined, undefined],
): readonly PoolSide[] => [
  { mint: keyOf(call, first), baseUnits: amounts[0] },
  { mint: keyOf(call, second), baseUnits: amounts[1] },
]

/** Mints as an event of a created pool states them, which has no amounts. */
export const sidesOfMints = (...mints: readonly (Uint8Array | undefined)[]): readonly PoolSide[] =>
  mints.map((mint) => ({ mint: addressOf(mint), baseUnits: undefined }))

/** The mints that a call moved, with the amounts: of a deposit or a withdrawal those of the pool. */
export function movedSides(call: Call): readonly PoolSide[] {
  const { tokenBalances } = call.transaction
  const amounts = new Map<string, bigint>()
  for (const { source, destination, baseUnits } of transfersIn(call)) {
    const mint = (tokenBalances.get(source) ?? tokenBalances.get(destination))?.mint
    if (mint !== undefined) amounts.set(mint, (amounts.get(mint) ?? 0n) + baseUnits)
  }
  return Array.from(amounts, ([mint, baseUnits]) => ({ mint, baseUnits }))
}

export type EventReader = (call: Call, event: EmittedEvent) => PoolChange

/** Readers of events by their discriminators. */
export const byEvent =
  (readers: Readonly<Record<string, EventReader>>) =>
  (call: Call): readonly PoolChange[] =>
    call.events.flatMap((event) => {
      const read = readers[event.discriminator]
      return read === undefined ? NO_CHANGES : [read(call, event)]
    })
