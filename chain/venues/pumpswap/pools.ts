/**
 * Pool events of venue 2. Pure.
 */
import { addressOf, type Call, type EmittedEvent } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import { type PoolChange, sidesAt } from '../../decoder/pool-change.ts'
import { PUMPSWAP_CREATE_POOL, PUMPSWAP_DEPOSIT, PUMPSWAP_WITHDRAW } from './generated.ts'
import { PUMPSWAP_LIQUIDITY } from './layout.ts'

const { baseMint: BASE_MINT, quoteMint: QUOTE_MINT } = PUMPSWAP_LIQUIDITY.deposit.at

export function readPools(call: Call): readonly PoolChange[] {
  return call.events.flatMap((event) => {
    const { discriminator } = event
    if (discriminator === PUMPSWAP_CREATE_POOL.discriminator) return [readNewPool(event)]
    if (discriminator === PUMPSWAP_DEPOSIT.discriminator) return [readDeposit(call, event)]
    if (discriminator === PUMPSWAP_WITHDRAW.discriminator) return [readWithdrawal(call, event)]
    return []
  })
}

function readNewPool({ payload, offset }: EmittedEvent): PoolChange {
  const event = readFields(PUMPSWAP_CREATE_POOL, payload, offset)
  return {
    event: 'created',
    pool: addressOf(event.pool),
    sides: [
      { mint: addressOf(event.base_mint), baseUnits: event.base_amount_in },
      { mint: addressOf(event.quote_mint), baseUnits: event.quote_amount_in },
    ],
    creator: addressOf(event.creator),
  }
}

function readDeposit(call: Call, { payload, offset }: EmittedEvent): PoolChange {
  const event = readFields(PUMPSWAP_DEPOSIT, payload, offset)
  return {
    event: 'liquidity_added',
    pool: addressOf(event.pool),
    sides: sidesAt(call, BASE_MINT, QUOTE_MINT, [event.base_amount_in, event.quote_amount_in]),
    creator: addressOf(event.user),
  }
}

function readWithdrawal(call: Call, { payload, offset }: EmittedEvent): PoolChange {
  const event = readFields(PUMPSWAP_WITHDRAW, payload, offset)
  return {
    event: 'liquidity_removed',
    pool: addressOf(event.pool),
    sides: sidesAt(call, BASE_MINT, QUOTE_MINT, [event.base_amount_out, event.quote_amount_out]),
    creator: addressOf(event.user),
  }
}
