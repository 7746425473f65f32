/**
 * Pool events of venues 1 and 2: curves that are created and migrate to PumpSwap, and PumpSwap's pools. Pure.
 */
import { addressOf, type Call, type EmittedEvent } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import { type PoolChange, sidesAt } from '../../decoder/pool-change.ts'
import { WSOL_MINT } from '../../decoder/venue-swap.ts'
import {
  PUMP_CREATE,
  PUMP_MIGRATION,
  PUMPSWAP_CREATE_POOL,
  PUMPSWAP_DEPOSIT,
  PUMPSWAP_WITHDRAW,
} from '../../layouts/generated-pump.ts'
import { PUMPSWAP_LIQUIDITY } from '../../layouts/instructions.ts'

const DEX_OF_MIGRATION = 2
const { baseMint: BASE_MINT, quoteMint: QUOTE_MINT } = PUMPSWAP_LIQUIDITY.deposit.at

export function readPumpfunPools(call: Call): readonly PoolChange[] {
  return call.events.flatMap((event) => {
    if (event.discriminator === PUMP_CREATE.discriminator) return [readCreation(event)]
    if (event.discriminator === PUMP_MIGRATION.discriminator) return [readMigration(event)]
    return []
  })
}

function readCreation({ payload, offset }: EmittedEvent): PoolChange {
  const event = readFields(PUMP_CREATE, payload, offset)
  return {
    event: 'created',
    pool: addressOf(event.bonding_curve),
    sides: [
      { mint: addressOf(event.mint), baseUnits: event.real_token_reserves },
      { mint: WSOL_MINT, baseUnits: undefined },
    ],
    creator: addressOf(event.creator ?? event.user),
  }
}

function readMigration({ payload, offset }: EmittedEvent): PoolChange {
  const event = readFields(PUMP_MIGRATION, payload, offset)
  return {
    event: 'migrated',
    dex: DEX_OF_MIGRATION,
    pool: addressOf(event.pool),
    fromPair: addressOf(event.bonding_curve),
    sides: [
      { mint: addressOf(event.mint), baseUnits: event.mint_amount },
      { mint: WSOL_MINT, baseUnits: event.sol_amount },
    ],
  }
}

export function readPumpswapPools(call: Call): readonly PoolChange[] {
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
