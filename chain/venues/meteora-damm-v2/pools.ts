/**
 * Pool events of venue 7. Pure.
 */

import { addressOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import { byEvent, movedSides, sidesOfMints } from '../../decoder/pool-change.ts'
import { DAMM_V2_CREATE_POOL, DAMM_V2_LIQUIDITY } from './generated.ts'
import { DAMM_V2_ADD_LIQUIDITY, DAMM_V2_REMOVE_LIQUIDITY } from './layout.ts'

const REMOVED = 1

export const readPools = byEvent({
  [DAMM_V2_CREATE_POOL.discriminator]: (_, { payload, offset }) => {
    const event = readFields(DAMM_V2_CREATE_POOL, payload, offset)
    return {
      event: 'created',
      pool: addressOf(event.pool),
      sides: sidesOfMints(event.token_a_mint, event.token_b_mint),
      creator: addressOf(event.creator),
    }
  },
  [DAMM_V2_LIQUIDITY.discriminator]: (call, { payload, offset }) => {
    const event = readFields(DAMM_V2_LIQUIDITY, payload, offset)
    return {
      event: event.change_type === REMOVED ? 'liquidity_removed' : 'liquidity_added',
      pool: addressOf(event.pool),
      sides: movedSides(call),
      creator: addressOf(event.owner),
    }
  },
  [DAMM_V2_ADD_LIQUIDITY.discriminator]: (call, { payload, offset }) => ({
    event: 'liquidity_added',
    pool: addressOf(readFields(DAMM_V2_ADD_LIQUIDITY, payload, offset).pool),
    sides: movedSides(call),
  }),
  [DAMM_V2_REMOVE_LIQUIDITY.discriminator]: (call, { payload, offset }) => ({
    event: 'liquidity_removed',
    pool: addressOf(readFields(DAMM_V2_REMOVE_LIQUIDITY, payload, offset).pool),
    sides: movedSides(call),
  }),
})
