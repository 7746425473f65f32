/**
 * Pool events of venues 3, 4 and 5. Pure.
 *
 * AMM v4 and CPMM are read by their instructions, which every version of the programs has; CLMM by its events, which show
 * whether a position lies in the price. Where its logs are cut, a creation is read from the instruction, and a change of
 * liquidity is a reject.
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
} from '../../decoder/pool-change.ts'
import {
  RAYDIUM_AMM_POOLS,
  RAYDIUM_CLMM_LIQUIDITY,
  RAYDIUM_CLMM_POOLS,
  RAYDIUM_CLMM_ROUTER,
  RAYDIUM_CLMM_SWAPS,
  RAYDIUM_CPMM_POOLS,
} from '../../layouts/instructions.ts'
import { CLMM_LIQUIDITY, CLMM_POOL_CREATED } from '../../layouts/published.ts'

const { created, added, removed } = RAYDIUM_AMM_POOLS
const tagOf = ({ tag }: { tag: string }): number => Number.parseInt(tag, 16)

export function readRaydiumAmmPools(call: Call): readonly PoolChange[] {
  switch (call.payload[0]) {
    case tagOf(created):
      return [
        {
          event: 'created',
          pool: keyOf(call, created.at.pool),
          sides: sidesAt(call, created.at.mint, created.at.mint + 1),
          creator: keyOf(call, created.at.creator),
        },
      ]
    case tagOf(added):
      return [
        { event: 'liquidity_added', pool: keyOf(call, added.at.pool), sides: movedSides(call) },
      ]
    case tagOf(removed):
      return [
        { event: 'liquidity_removed', pool: keyOf(call, removed.at.pool), sides: movedSides(call) },
      ]
    default:
      return NO_CHANGES
  }
}

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

export function readRaydiumClmmPools(call: Call): readonly PoolRead[] {
  const hasEvent = call.events.some(({ discriminator }) => CLMM_EVENTS.has(discriminator))
  return hasEvent ? readClmmEvents(call) : readClmmInstruction(call)
}

function readClmmEvents(call: Call): readonly PoolChange[] {
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

const CPMM_EVENTS = {
  created: 'created',
  createdWithPermission: 'created',
  added: 'liquidity_added',
  removed: 'liquidity_removed',
} as const

const CPMM: Readonly<Record<string, (call: Call) => PoolChange>> = Object.fromEntries(
  Object.entries(CPMM_EVENTS).map(([name, event]) => {
    const { tag, at } = RAYDIUM_CPMM_POOLS[name as keyof typeof CPMM_EVENTS]
    const read = (call: Call): PoolChange => ({
      event,
      pool: keyOf(call, at.pool),
      sides: sidesAt(call, at.mint, at.mint + 1),
      creator: keyOf(call, at.owner),
    })
    return [tag, read]
  }),
)

export function readRaydiumCpmmPools(call: Call): readonly PoolChange[] {
  const read = CPMM[call.discriminator]
  return read === undefined ? NO_CHANGES : [read(call)]
}
