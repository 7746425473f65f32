/**
 * Pool events of venues 7 to 10. Pure.
 *
 * Venue 10 logs its events; where the logs are cut, the instructions state the same.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import {
  byInstruction,
  movedSides,
  NO_CHANGES,
  type PoolChange,
  type PoolRead,
  readCutCall,
  sidesAt,
} from '../../decoder/pool-change.ts'
import {
  DAMM_V2_CREATE_POOL,
  DAMM_V2_LIQUIDITY,
  DBC_CREATE_POOL,
  DBC_CREATE_POOL_WITH_HOOK,
  DLMM_ADD_LIQUIDITY,
  DLMM_CREATE_POOL,
  DLMM_REMOVE_LIQUIDITY,
} from '../../layouts/generated-meteora.ts'
import {
  DBC_CREATION_AT,
  DYNAMIC_AMM_LIQUIDITY,
  DYNAMIC_AMM_POOL_AT,
  DYNAMIC_AMM_POOLS,
  DYNAMIC_AMM_SWAPS,
} from '../../layouts/instructions.ts'
import {
  DAMM_V2_ADD_LIQUIDITY,
  DAMM_V2_REMOVE_LIQUIDITY,
  DYNAMIC_AMM_ADD_LIQUIDITY,
  DYNAMIC_AMM_BOOTSTRAP,
  DYNAMIC_AMM_POOL_CREATED,
  DYNAMIC_AMM_REMOVE_LIQUIDITY,
} from '../../layouts/published.ts'

type EventReader = (call: Call, event: EmittedEvent) => PoolChange

const byEvent =
  (readers: Readonly<Record<string, EventReader>>) =>
  (call: Call): readonly PoolChange[] =>
    call.events.flatMap((event) => {
      const read = readers[event.discriminator]
      return read === undefined ? NO_CHANGES : [read(call, event)]
    })

const REMOVED = 1

export const readMeteoraDammV2Pools = byEvent({
  [DAMM_V2_CREATE_POOL.discriminator]: (_, { payload, offset }) => {
    const event = readFields(DAMM_V2_CREATE_POOL, payload, offset)
    return {
      event: 'created',
      pool: addressOf(event.pool),
      sides: [event.token_a_mint, event.token_b_mint].map((mint) => ({
        mint: addressOf(mint),
        baseUnits: undefined,
      })),
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

export function readMeteoraDbcPools(call: Call): readonly PoolChange[] {
  const migration = MIGRATIONS[call.discriminator]
  return migration === undefined ? readNewCurves(call) : [migration(call)]
}

export const readMeteoraDlmmPools = byEvent({
  [DLMM_CREATE_POOL.discriminator]: (_, { payload, offset }) => {
    const event = readFields(DLMM_CREATE_POOL, payload, offset)
    return {
      event: 'created',
      pool: addressOf(event.lb_pair),
      sides: [event.token_x, event.token_y].map((mint) => ({
        mint: addressOf(mint),
        baseUnits: undefined,
      })),
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

const changed =
  (event: 'liquidity_added' | 'liquidity_removed'): EventReader =>
  (call) => ({ event, pool: keyOf(call, DYNAMIC_AMM_POOL_AT), sides: movedSides(call) })

const readDynamicEvents = byEvent({
  [DYNAMIC_AMM_POOL_CREATED.discriminator]: (_, { payload, offset }) => {
    const event = readFields(DYNAMIC_AMM_POOL_CREATED, payload, offset)
    return {
      event: 'created',
      pool: addressOf(event.pool),
      sides: [event.token_a_mint, event.token_b_mint].map((mint) => ({
        mint: addressOf(mint),
        baseUnits: undefined,
      })),
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

export function readMeteoraPoolsPools(call: Call): readonly PoolRead[] {
  const changes = readDynamicEvents(call)
  return changes.length > 0 ? changes : readDynamicInstruction(call)
}
