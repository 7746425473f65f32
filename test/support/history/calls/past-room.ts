/** Random calls of the functions that read what stored swaps up to a slot determine. */
import * as past from '../../../../history/swaps/past.ts'
import { idsOf, one, type Read, read, slotOf, some } from './random-call.ts'

export const OF_PAST: Record<string, Read> = {
  readEarliestTimeAfter: (prng, market) => {
    const slot = slotOf(prng, market) - one(prng, [0, 40, 9_000])
    return read(slot, (db) => past.readEarliestTimeAfter(db, slot))
  },
  listPastEnds: (prng, market) => {
    const wanted = idsOf(prng, market.pools, 9).map((id) => ({ pool_id: id, first_slot: 0 }))
    const slot = slotOf(prng, market)
    return read([wanted, slot], (db) => past.listPastEnds(db, wanted, slot))
  },
  sumPastMinutes: (prng, market) => {
    const wanted = some(prng, market.minutes, 9).map((row) => ({ ...row, trade_count: 1 }))
    const slot = slotOf(prng, market)
    return read([wanted, slot], (db) => past.sumPastMinutes(db, wanted, slot))
  },
}
