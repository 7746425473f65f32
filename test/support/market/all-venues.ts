/**
 * A simulated market on every venue: the venues that are not simulated receive every second pool of a venue of their kind.
 * So a venue that was added is encoded and decoded before it has a part in the market.
 */
import type { MarketEvent } from '../../../domain/events/event.ts'
import { type DexId, VENUES } from '../../../domain/venue.ts'

/** Venues that are not simulated, by the venue whose pools they receive. */
const RECEIVERS: ReadonlyMap<DexId, readonly DexId[]> = receivers()

function receivers(): Map<DexId, DexId[]> {
  const byDonor = new Map<DexId, DexId[]>()
  for (const { dex, kind } of VENUES.filter(({ simulated }) => simulated === undefined)) {
    const donor = VENUES.findLast((each) => each.kind === kind && each.simulated !== undefined)
    if (donor === undefined) throw new RangeError(`venue ${dex}: expected a simulated "${kind}"`)
    byDonor.set(donor.dex, [...(byDonor.get(donor.dex) ?? []), dex])
  }
  return byDonor
}

export function* onAllVenues(events: Iterable<MarketEvent>): Generator<MarketEvent> {
  if (RECEIVERS.size === 0) {
    yield* events
    return
  }
  const pools = new Map<string, DexId>()
  const counts = new Map<DexId, number>()
  const poolsOf = new Map<DexId, number>()
  let signature = ''
  const venueOf = (pool: string, dex: DexId): DexId => {
    const known = pools.get(pool)
    if (known !== undefined) return known
    const count = poolsOf.get(dex) ?? 0
    poolsOf.set(dex, count + 1)
    const venues = [dex, ...(RECEIVERS.get(dex) ?? [])]
    const venue = venues[count % venues.length] ?? dex
    pools.set(pool, venue)
    return venue
  }
  for (const event of events) {
    if (event.kind === 'token') {
      yield event
      continue
    }
    const each = event.kind === 'swap' ? event.swap : event.poolEvent
    if (each.signature !== signature) counts.clear()
    signature = each.signature
    const dex = venueOf(each.pairAddress, each.dex)
    const ixIndex = counts.get(dex) ?? 0
    if (event.kind === 'pool_event') {
      yield { kind: 'pool_event', poolEvent: { ...event.poolEvent, dex, ixIndex } }
    } else {
      counts.set(dex, ixIndex + 1)
      yield { kind: 'swap', swap: { ...event.swap, dex, ixIndex } }
    }
  }
}
