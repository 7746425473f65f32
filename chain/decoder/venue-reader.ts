/** The readers in the folder of a venue. Types only. */
import type { Known } from './known.ts'
import type { PoolReader } from './pool-change.ts'
import type { SwapReader } from './venue-swap.ts'

export type VenueReader = {
  /** The swaps of a call of the venue's program, in execution order. */
  readonly readSwaps: SwapReader
  readonly readPools: PoolReader
  /** The instructions and events of its program. */
  readonly known: Known
}
