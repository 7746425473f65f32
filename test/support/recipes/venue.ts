/** Adds venue 11: a constant product pool that logs one event a swap. */
import type { Edit } from './edit.ts'

const LAYOUT = `/**
 * Layouts of Saber: its instructions by their first bytes, with the positions of the accounts that are read, and its event.
 * Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { type Instructions, layout } from '../../decoder/layout.ts'

export const SABER_SWAPS = {
  swap: { tag: '5abe500000000001', at: { payer: 0, pool: 3, inputVault: 6, outputVault: 7 } },
} as const satisfies Instructions

/** \`mint\`: the first of two mints next to each other. */
export const SABER_POOLS = {
  created: { tag: '5abe500000000002', at: { pool: 3, mint: 4, owner: 0 } },
  added: { tag: '5abe500000000003', at: { pool: 2, mint: 10, owner: 0 } },
  removed: { tag: '5abe500000000004', at: { pool: 2, mint: 10, owner: 0 } },
} as const satisfies Instructions

export const SABER_SWAP = layout({
  name: 'SwapEvent',
  discriminator: '40c6cde8260871e2',
  fields: [
    ['pool', 'pubkey'],
    ['input_before', 'u64'],
    ['output_before', 'u64'],
    ['paid', 'u64'],
    ['sent', 'u64'],
    ['input_transfer_fee', 'u64'],
    ['output_transfer_fee', 'u64'],
    ['fee', 'u64'],
  ],
})

export const KNOWN = knownByAnchor('', '', [
  ...Object.values({ ...SABER_SWAPS, ...SABER_POOLS }).map(({ tag }) => tag),
  SABER_SWAP.discriminator,
])
`

const SWAPS = `/**
 * Venue 11, Saber: a constant product pool. Pure.
 *
 * SwapEvent comes in the logs, with the reserves before the trade; the fee is one of the input. Where logs are cut, there is no
 * fee and the reserves are the vaults' balances.
 */
import { addressOf, type Call, keyOf } from '../../decoder/call.ts'
import { type Fields, readFields } from '../../decoder/layout.ts'
import {
  movedReserve,
  type SwapRead,
  sidesByTransfers,
  vaultSide,
  WSOL_MINT,
} from '../../decoder/venue-swap.ts'
import { SABER_SWAP, SABER_SWAPS } from './layout.ts'

const { tag, at } = SABER_SWAPS.swap

export function readSwaps(call: Call): readonly SwapRead[] {
  const event = call.events.find(({ discriminator }) => discriminator === SABER_SWAP.discriminator)
  if (event !== undefined) {
    return [readEvent(call, readFields(SABER_SWAP, event.payload, event.offset))]
  }
  if (call.discriminator !== tag) return []
  const sides = sidesByTransfers(call, at.inputVault, at.outputVault)
  if (sides === undefined) return ['no_event']
  return [{ pool: keyOf(call, at.pool), trader: keyOf(call, at.payer), ...sides }]
}

function readEvent(call: Call, event: Fields<typeof SABER_SWAP>): SwapRead {
  const { paid, sent } = event
  if (paid === undefined || sent === undefined) return 'no_amounts'
  const input = vaultSide(call, at.inputVault, paid, {
    transferFee: event.input_transfer_fee,
    ...movedReserve(event.input_before, paid, 1n),
  })
  const output = vaultSide(call, at.outputVault, sent, {
    transferFee: event.output_transfer_fee,
    ...movedReserve(event.output_before, sent, -1n),
  })
  if (input === undefined || output === undefined) return 'no_vault'
  return {
    pool: addressOf(event.pool),
    trader: keyOf(call, at.payer),
    input,
    output,
    fee: input.mint === WSOL_MINT ? event.fee : undefined,
  }
}
`

const POOLS = `/** Pool events of venue 11, by its instructions. Pure. */
import { type Call, keyOf } from '../../decoder/call.ts'
import { NO_CHANGES, type PoolChange, sidesAt } from '../../decoder/pool-change.ts'
import { SABER_POOLS } from './layout.ts'

const { created, added, removed } = SABER_POOLS
const CHANGES = [
  { event: 'created', layout: created },
  { event: 'liquidity_added', layout: added },
  { event: 'liquidity_removed', layout: removed },
] as const

export function readPools(call: Call): readonly PoolChange[] {
  const change = CHANGES.find(({ layout }) => layout.tag === call.discriminator)
  if (change === undefined) return NO_CHANGES
  const { pool, mint, owner } = change.layout.at
  return [
    {
      event: change.event,
      pool: keyOf(call, pool),
      sides: sidesAt(call, mint, mint + 1),
      creator: keyOf(call, owner),
    },
  ]
}
`

const ENCODE = `/** Writes swaps and pool events of venue 11. Pure. */
import { writeFields } from '../../encoder/payload.ts'
import { changedByInstruction, createdByInstruction } from '../../encoder/pool-writers.ts'
import type { SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import { SABER_POOLS, SABER_SWAP, SABER_SWAPS } from './layout.ts'

function writeSwap(call: SwapCall): void {
  const { swap, writer, trader, input, output } = call
  const accounts = {
    payer: trader,
    pool: swap.pairAddress,
    inputVault: input.vault.key,
    outputVault: output.vault.key,
  }
  const payload = writeFields(SABER_SWAP, {
    pool: swap.pairAddress,
    input_before: input.reserve - input.leg,
    output_before: output.reserve + output.leg,
    paid: input.leg,
    sent: output.leg,
    input_transfer_fee: input.fee,
    output_transfer_fee: output.fee,
    fee: call.feeOfInput,
  })
  call.call(SABER_SWAPS.swap, accounts, 13, () => {
    call.pay()
    call.send()
    writer.logEvent(payload)
  })
}

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves_and_owed',
  create: createdByInstruction(() => SABER_POOLS.created, true),
  changeLiquidity: changedByInstruction((isAdded) => SABER_POOLS[isAdded ? 'added' : 'removed']),
}
`

const FACTS = `  11: {
    swap: (swap, { isLogCut }) => ({
      ...UNPRICED,
      ...NO_FEES,
      ...(isLogCut ? { ...knownTransferFees(swap), ...vaultReserves(swap) } : {}),
      fee: swap.isBuy && !isLogCut ? swap.fee : 0,
    }),
    created: { hasAmounts: false, hasCreator: true },
    changed: { hasAmounts: false, hasCreator: true },
  },
}

/** Tokens that a curve begins with. */`

export const VENUE: readonly Edit[] = [
  {
    recipe: 'venue',
    step: 1,
    path: 'domain/venue.ts',
    old: '] as const satisfies readonly VenueRow[]',
    text: `  {
    dex: 11,
    name: 'venue_11',
    programName: 'saber',
    title: 'Saber',
    program: 'SSwpkEEcbUqx4vtoEByFjSkhKdCT862DNVb52nZg1UZ',
    ...RESERVES,
  },
] as const satisfies readonly VenueRow[]`,
  },
  { recipe: 'venue', step: 2, path: 'chain/venues/saber/layout.ts', text: LAYOUT },
  { recipe: 'venue', step: 2, path: 'chain/venues/saber/swaps.ts', text: SWAPS },
  { recipe: 'venue', step: 2, path: 'chain/venues/saber/pools.ts', text: POOLS },
  { recipe: 'venue', step: 2, path: 'chain/venues/saber/encode.ts', text: ENCODE },
  {
    recipe: 'venue',
    step: 3,
    path: 'test/support/chain/stated-events.ts',
    old: '}\n\n/** Tokens that a curve begins with. */',
    text: FACTS,
  },
]
