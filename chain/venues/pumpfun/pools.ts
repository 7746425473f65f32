/**
 * Pool events of venue 1: curves that are created and migrate to PumpSwap. Pure.
 */
import { addressOf, type Call, type EmittedEvent } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import type { PoolChange } from '../../decoder/pool-change.ts'
import { WSOL_MINT } from '../../decoder/venue-swap.ts'
import { PUMP_CREATE, PUMP_MIGRATION } from './generated.ts'

const DEX_OF_MIGRATION = 2

export function readPools(call: Call): readonly PoolChange[] {
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
