/**
 * Pool events of venue 8: curves that are created and migrate to venues 7 and 10. Pure.
 */
import { addressOf, type Call, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import { byEvent, type EventReader, type PoolChange, sidesAt } from '../../decoder/pool-change.ts'
import { DBC_CREATE_POOL, DBC_CREATE_POOL_WITH_HOOK } from './generated.ts'
import { DBC_CREATION_AT } from './layout.ts'

/** migration_damm_v2 and migrate_meteora_damm: the venue that the curve's liquidity moves to. */
const MIGRATIONS: Readonly<Record<string, (call: Call) => PoolChange>> = {
  '9ca9e66735e45040': (call) => ({
    event: 'migrated',
    dex: 7,
    pool: keyOf(call, 4),
    fromPair: keyOf(call, 0),
    sides: sidesAt(call, 13, 14),
  }),
  '1b013016b43f76d9': (call) => ({
    event: 'migrated',
    dex: 10,
    pool: keyOf(call, 4),
    fromPair: keyOf(call, 0),
    sides: sidesAt(call, 7, 8),
  }),
}

const { baseMint: BASE_MINT, quoteMint: QUOTE_MINT } = DBC_CREATION_AT

const readNewCurve: EventReader = (call, { payload, offset }) => {
  const event = readFields(DBC_CREATE_POOL, payload, offset)
  return {
    event: 'created',
    pool: addressOf(event.pool),
    sides: sidesAt(call, BASE_MINT, QUOTE_MINT),
    creator: addressOf(event.creator),
  }
}

const readNewCurves = byEvent({
  [DBC_CREATE_POOL.discriminator]: readNewCurve,
  [DBC_CREATE_POOL_WITH_HOOK.discriminator]: readNewCurve,
})

export function readPools(call: Call): readonly PoolChange[] {
  const migration = MIGRATIONS[call.discriminator]
  return migration === undefined ? readNewCurves(call) : [migration(call)]
}
