/**
 * Pool events of venue 6, by the program's instructions: older programs log no events. Pure.
 */
import { type Call, keyOf } from '../call.ts'
import { movedSides, NO_CHANGES, type PoolChange, sidesAt } from './pool-change.ts'

const WHIRLPOOL_OF_POSITION = 0

const created =
  (pool: number, mintA: number, creator: number) =>
  (call: Call): PoolChange => ({
    event: 'created',
    pool: keyOf(call, pool),
    sides: sidesAt(call, mintA, mintA + 1),
    creator: keyOf(call, creator),
  })

const changed =
  (event: 'liquidity_added' | 'liquidity_removed') =>
  (call: Call): PoolChange => ({
    event,
    pool: keyOf(call, WHIRLPOOL_OF_POSITION),
    sides: movedSides(call),
  })

const INSTRUCTIONS: Readonly<Record<string, (call: Call) => PoolChange>> = {
  // initialize_pool, initialize_pool_v2, initialize_pool_with_adaptive_fee
  '5fb40aac54aee828': created(4, 1, 3),
  cf2d57f21b3fcc43: created(6, 1, 5),
  '8f5e604cac7c77c7': created(7, 1, 5),
  // increase_liquidity, increase_liquidity_v2, increase_liquidity_by_token_amounts_v2
  '2e9cf3760dcdfbb2': changed('liquidity_added'),
  '851d59df45eeb00a': changed('liquidity_added'),
  effb097cd2c6352b: changed('liquidity_added'),
  // decrease_liquidity, decrease_liquidity_v2
  a026d06f685b2c01: changed('liquidity_removed'),
  '3a7fbc3e4f52c460': changed('liquidity_removed'),
}

export function readOrcaPools(call: Call): readonly PoolChange[] {
  const read = INSTRUCTIONS[call.discriminator]
  return read === undefined ? NO_CHANGES : [read(call)]
}
