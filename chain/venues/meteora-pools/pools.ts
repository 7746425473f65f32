/**
 * Pool events of venue 10, by its logs; where they are cut, the instructions state the same. Pure.
 */
import { addressOf, type Call, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import {
  byEvent,
  byInstruction,
  type EventReader,
  movedSides,
  NO_CHANGES,
  type PoolRead,
  readCutCall,
  sidesAt,
  sidesOfMints,
} from '../../decoder/pool-change.ts'
import {
  DYNAMIC_AMM_ADD_LIQUIDITY,
  DYNAMIC_AMM_BOOTSTRAP,
  DYNAMIC_AMM_LIQUIDITY,
  DYNAMIC_AMM_POOL_AT,
  DYNAMIC_AMM_POOL_CREATED,
  DYNAMIC_AMM_POOLS,
  DYNAMIC_AMM_REMOVE_LIQUIDITY,
  DYNAMIC_AMM_SWAPS,
} from './layout.ts'

const changed =
  (event: 'liquidity_added' | 'liquidity_removed'): EventReader =>
  (call) => ({ event, pool: keyOf(call, DYNAMIC_AMM_POOL_AT), sides: movedSides(call) })

const readDynamicEvents = byEvent({
  [DYNAMIC_AMM_POOL_CREATED.discriminator]: (_, { payload, offset }) => {
    const event = readFields(DYNAMIC_AMM_POOL_CREATED, payload, offset)
    return {
      event: 'created',
      pool: addressOf(event.pool),
      sides: sidesOfMints(event.token_a_mint, event.token_b_mint),
    }
  },
  [DYNAMIC_AMM_ADD_LIQUIDITY.discriminator]: changed('liquidity_added'),
  [DYNAMIC_AMM_BOOTSTRAP.discriminator]: changed('liquidity_added'),
  [DYNAMIC_AMM_REMOVE_LIQUIDITY.discriminator]: changed('liquidity_removed'),
})

const { bootstrapped, added, addedImbalanced, removed, removedFromOneSide } = DYNAMIC_AMM_LIQUIDITY

type LiquidityChange = 'liquidity_added' | 'liquidity_removed'

const readDynamicInstruction = byInstruction(
  Object.fromEntries([
    [DYNAMIC_AMM_SWAPS.swap.tag, () => NO_CHANGES],
    ...Object.values(DYNAMIC_AMM_POOLS).map(({ tag, at }) => [
      tag,
      (call: Call): readonly PoolRead[] => [
        {
          event: 'created',
          pool: keyOf(call, at.pool),
          sides: sidesAt(call, at.mint, at.mint + 1),
        },
      ],
    ]),
    ...[bootstrapped, added, addedImbalanced].map(({ tag }) => [tag, changedBy('liquidity_added')]),
    ...[removed, removedFromOneSide].map(({ tag }) => [tag, changedBy('liquidity_removed')]),
  ]),
  readCutCall,
)

function changedBy(event: LiquidityChange) {
  return (call: Call): readonly PoolRead[] => [
    { event, pool: keyOf(call, DYNAMIC_AMM_POOL_AT), sides: movedSides(call) },
  ]
}

export function readPools(call: Call): readonly PoolRead[] {
  const changes = readDynamicEvents(call)
  return changes.length > 0 ? changes : readDynamicInstruction(call)
}
