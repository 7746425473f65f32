/** The market as a whole as the interface shows it: the same for REST and GraphQL. Pure. */
import { lamportsToSol } from '../../streams/amount.ts'
import { VENUES } from '../../streams/venue.ts'
import type { VenueRow } from './read.ts'

/** All venues, in their order, whatever they did. */
export function presentProtocols(venues: ReadonlyMap<number, VenueRow>) {
  const venuesShown = VENUES.map(({ name, dex, kind }) => {
    const { poolCount = 0, tradeCount = 0, volumeLamports = '0' } = venues.get(dex) ?? {}
    const volume_sol_24h = lamportsToSol(volumeLamports)
    return { protocol: name, dex, kind, pools: poolCount, swaps_24h: tradeCount, volume_sol_24h }
  })
  return { success: true as const, data: venuesShown }
}
