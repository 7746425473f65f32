/**
 * Pool events of venue 6, by the program's instructions: older programs log no events. Pure.
 */
import { type Call, keyOf } from '../../decoder/call.ts'
import { movedSides, NO_CHANGES, type PoolChange, sidesAt } from '../../decoder/pool-change.ts'
import { ORCA_LIQUIDITY, ORCA_POOLS } from './layout.ts'

const created =
  ({ pool, mint, owner }: Readonly<Record<'pool' | 'mint' | 'owner', number>>) =>
  (call: Call): PoolChange => ({
    event: 'created',
    pool: keyOf(call, pool),
    sides: sidesAt(call, mint, mint + 1),
    creator: keyOf(call, owner),
  })

const changed =
  (event: 'liquidity_added' | 'liquidity_removed') =>
  (call: Call): PoolChange => ({
    event,
    pool: keyOf(call, ORCA_LIQUIDITY.added.at.pool),
    sides: movedSides(call),
  })

const { added, addedV2, addedByAmounts, removed, removedV2 } = ORCA_LIQUIDITY

const INSTRUCTIONS: Readonly<Record<string, (call: Call) => PoolChange>> = Object.fromEntries([
  ...Object.values(ORCA_POOLS).map(({ tag, at }) => [tag, created(at)]),
  ...[added, addedV2, addedByAmounts].map(({ tag }) => [tag, changed('liquidity_added')]),
  ...[removed, removedV2].map(({ tag }) => [tag, changed('liquidity_removed')]),
])

export function readPools(call: Call): readonly PoolChange[] {
  const read = INSTRUCTIONS[call.discriminator]
  return read === undefined ? NO_CHANGES : [read(call)]
}
