/**
 * Pool events of venue 5, by the instructions, which every version of the program has. Pure.
 */
import { type Call, keyOf } from '../../decoder/call.ts'
import { NO_CHANGES, type PoolChange, sidesAt } from '../../decoder/pool-change.ts'
import { RAYDIUM_CPMM_POOLS } from './layout.ts'

const CPMM_EVENTS = {
  created: 'created',
  createdWithPermission: 'created',
  added: 'liquidity_added',
  removed: 'liquidity_removed',
} as const

const CPMM: Readonly<Record<string, (call: Call) => PoolChange>> = Object.fromEntries(
  Object.entries(CPMM_EVENTS).map(([name, event]) => {
    const { tag, at } = RAYDIUM_CPMM_POOLS[name as keyof typeof CPMM_EVENTS]
    const read = (call: Call): PoolChange => ({
      event,
      pool: keyOf(call, at.pool),
      sides: sidesAt(call, at.mint, at.mint + 1),
      creator: keyOf(call, at.owner),
    })
    return [tag, read]
  }),
)

export function readPools(call: Call): readonly PoolChange[] {
  const read = CPMM[call.discriminator]
  return read === undefined ? NO_CHANGES : [read(call)]
}
