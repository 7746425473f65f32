/**
 * Pool events of venue 3, by the instructions, which every version of the program has. Pure.
 */
import { type Call, keyOf } from '../../decoder/call.ts'
import { movedSides, NO_CHANGES, type PoolChange, sidesAt } from '../../decoder/pool-change.ts'
import { RAYDIUM_AMM_POOLS } from './layout.ts'

const { created, added, removed } = RAYDIUM_AMM_POOLS

const tagOf = ({ tag }: { tag: string }): number => Number.parseInt(tag, 16)

export function readPools(call: Call): readonly PoolChange[] {
  switch (call.payload[0]) {
    case tagOf(created):
      return [
        {
          event: 'created',
          pool: keyOf(call, created.at.pool),
          sides: sidesAt(call, created.at.mint, created.at.mint + 1),
          creator: keyOf(call, created.at.creator),
        },
      ]
    case tagOf(added):
      return [
        { event: 'liquidity_added', pool: keyOf(call, added.at.pool), sides: movedSides(call) },
      ]
    case tagOf(removed):
      return [
        { event: 'liquidity_removed', pool: keyOf(call, removed.at.pool), sides: movedSides(call) },
      ]
    default:
      return NO_CHANGES
  }
}
