/**
 * Pool events of venues 3, 4 and 5. Pure.
 *
 * AMM v4 and CPMM are read by their instructions, which every version of the programs has; CLMM by its events, as
 * its instructions that change a position are many.
 */
import { addressOf, type Call, keyOf } from '../call.ts'
import { readFields } from '../layouts/layout.ts'
import { CLMM_LIQUIDITY, CLMM_POOL_CREATED } from '../layouts/published.ts'
import { movedSides, NO_CHANGES, type PoolChange, sidesAt } from './pool-change.ts'

/** First byte of the instructions of AMM v4. */
const INITIALIZE2 = 1
const DEPOSIT = 3
const WITHDRAW = 4

export function readRaydiumAmmPools(call: Call): readonly PoolChange[] {
  switch (call.payload[0]) {
    case INITIALIZE2:
      return [
        {
          event: 'created',
          pool: keyOf(call, 4),
          sides: sidesAt(call, 8, 9),
          creator: keyOf(call, 17),
        },
      ]
    case DEPOSIT:
      return [{ event: 'liquidity_added', pool: keyOf(call, 1), sides: movedSides(call) }]
    case WITHDRAW:
      return [{ event: 'liquidity_removed', pool: keyOf(call, 1), sides: movedSides(call) }]
    default:
      return NO_CHANGES
  }
}

export function readRaydiumClmmPools(call: Call): readonly PoolChange[] {
  return call.events.flatMap(({ discriminator, payload, offset }): readonly PoolChange[] => {
    if (discriminator === CLMM_POOL_CREATED.discriminator) {
      const event = readFields(CLMM_POOL_CREATED, payload, offset)
      const mints = [event.token_mint_0, event.token_mint_1]
      return [
        {
          event: 'created',
          pool: addressOf(event.pool_state),
          sides: mints.map((mint) => ({ mint: addressOf(mint), baseUnits: undefined })),
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

/** initialize, initialize_with_permission, deposit, withdraw */
const CPMM: Readonly<Record<string, (call: Call) => PoolChange>> = {
  afaf6d1f0d989bed: (call) => ({
    event: 'created',
    pool: keyOf(call, 3),
    sides: sidesAt(call, 4, 5),
    creator: keyOf(call, 0),
  }),
  '3f37fe4131b25979': (call) => ({
    event: 'created',
    pool: keyOf(call, 4),
    sides: sidesAt(call, 5, 6),
    creator: keyOf(call, 1),
  }),
  f223c68952e1f2b6: (call) => ({
    event: 'liquidity_added',
    pool: keyOf(call, 2),
    sides: sidesAt(call, 10, 11),
    creator: keyOf(call, 0),
  }),
  b712469c946da122: (call) => ({
    event: 'liquidity_removed',
    pool: keyOf(call, 2),
    sides: sidesAt(call, 10, 11),
    creator: keyOf(call, 0),
  }),
}

export function readRaydiumCpmmPools(call: Call): readonly PoolChange[] {
  const read = CPMM[call.discriminator]
  return read === undefined ? NO_CHANGES : [read(call)]
}
