/**
 * Pool events of venue 9. Pure.
 */

import { addressOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import { byEvent, movedSides, sidesOfMints } from '../../decoder/pool-change.ts'
import { DLMM_ADD_LIQUIDITY, DLMM_CREATE_POOL, DLMM_REMOVE_LIQUIDITY } from './generated.ts'

export const readPools = byEvent({
  [DLMM_CREATE_POOL.discriminator]: (_, { payload, offset }) => {
    const event = readFields(DLMM_CREATE_POOL, payload, offset)
    return {
      event: 'created',
      pool: addressOf(event.lb_pair),
      sides: sidesOfMints(event.token_x, event.token_y),
    }
  },
  [DLMM_ADD_LIQUIDITY.discriminator]: (call, { payload, offset }) => {
    const event = readFields(DLMM_ADD_LIQUIDITY, payload, offset)
    return {
      event: 'liquidity_added',
      pool: addressOf(event.lb_pair),
      sides: movedSides(call),
      creator: addressOf(event.from),
    }
  },
  [DLMM_REMOVE_LIQUIDITY.discriminator]: (call, { payload, offset }) => {
    const event = readFields(DLMM_REMOVE_LIQUIDITY, payload, offset)
    return {
      event: 'liquidity_removed',
      pool: addressOf(event.lb_pair),
      sides: movedSides(call),
      creator: addressOf(event.from),
    }
  },
})
