/**
 * Pool events of venue 4, by its events, which show whether a position lies in the price. Pure.
 *
 * Where its logs are cut, a creation is read from the instruction, and a change of liquidity is a reject.
 */

import { addressOf, type Call, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import {
  byInstruction,
  movedSides,
  NO_CHANGES,
  type PoolChange,
  type PoolRead,
  readCutCall,
  sidesAt,
  sidesOfMints,
} from '../../decoder/pool-change.ts'
import {
  CLMM_LIQUIDITY,
  CLMM_POOL_CREATED,
  RAYDIUM_CLMM_LIQUIDITY,
  RAYDIUM_CLMM_POOLS,
  RAYDIUM_CLMM_ROUTER,
  RAYDIUM_CLMM_SWAPS,
} from './layout.ts'

const CLMM_EVENTS = new Set<string>([CLMM_POOL_CREATED.discriminator, CLMM_LIQUIDITY.discriminator])

/** A position that lies in the price holds both tokens. */
const movesBoth = (call: Call): boolean => movedSides(call).length > 1

const LIQUIDITY_AT = 8

const LIQUIDITY_BYTES = 16

/** Whether the instruction states a liquidity: collecting fees alone changes none. */
const hasLiquidity = ({ payload }: Call): boolean =>
  payload.subarray(LIQUIDITY_AT, LIQUIDITY_AT + LIQUIDITY_BYTES).some((byte) => byte > 0)

const { decreased, decreasedV2, ...grown } = RAYDIUM_CLMM_LIQUIDITY

const readClmmInstruction = byInstruction(
  Object.fromEntries([
    ...[RAYDIUM_CLMM_ROUTER, ...Object.values(RAYDIUM_CLMM_SWAPS)].map(({ tag }) => [
      tag,
      () => NO_CHANGES,
    ]),
    ...Object.values(RAYDIUM_CLMM_POOLS).map(({ tag, at }) => [
      tag,
      (call: Call): readonly PoolRead[] => [
        {
          event: 'created',
          pool: keyOf(call, at.pool),
          sides: sidesAt(call, at.mint, at.mint + 1),
        },
      ],
    ]),
    ...Object.values(grown).map(({ tag }) => [
      tag,
      (call: Call): readonly PoolRead[] => (movesBoth(call) ? ['no_event'] : []),
    ]),
    ...[decreased, decreasedV2].map(({ tag }) => [
      tag,
      (call: Call): readonly PoolRead[] =>
        hasLiquidity(call) && movesBoth(call) ? ['no_event'] : [],
    ]),
  ]),
  readCutCall,
)

export function readPools(call: Call): readonly PoolRead[] {
  const hasEvent = call.events.some(({ discriminator }) => CLMM_EVENTS.has(discriminator))
  return hasEvent ? readClmmEvents(call) : readClmmInstruction(call)
}

function readClmmEvents(call: Call): readonly PoolChange[] {
  return call.events.flatMap(({ discriminator, payload, offset }): readonly PoolChange[] => {
    if (discriminator === CLMM_POOL_CREATED.discriminator) {
      const event = readFields(CLMM_POOL_CREATED, payload, offset)
      return [
        {
          event: 'created',
          pool: addressOf(event.pool_state),
          sides: sidesOfMints(event.token_mint_0, event.token_mint_1),
        },
      ]
    }
    if (discriminator !== CLMM_LIQUIDITY.discriminator) return []
    const event = readFields(CLMM_LIQUIDITY, payload, offset)
    const [before, after] = [event.liquidity_before ?? 0n, event.liquidity_after ?? 0n]
    // A position that lies outside the price does not affect swaps.
    if (before === after) return []
    return [
      {
        event: after > before ? 'liquidity_added' : 'liquidity_removed',
        pool: addressOf(event.pool_state),
        sides: movedSides(call),
      },
    ]
  })
}
