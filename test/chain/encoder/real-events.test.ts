// Real swaps, encoded again: every amount, reserve and fee of the new event is that of the real one. An error of the encoder
// that the decoder undoes shows here.

import test from 'ava'
import { decodeBlock } from '../../../chain/decode.ts'
import { callsOf, venuesOf } from '../../../chain/decoder/call.ts'
import { type Layout, readFields } from '../../../chain/decoder/layout.ts'
import { encodeBlock } from '../../../chain/encode-block.ts'
import type { Age } from '../../../chain/encoder/form.ts'
import { readBlockFile } from '../../../chain/forms/files/block-file.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import type { ChainBlock } from '../../../chain/transaction/transaction.ts'
import { DAMM_V2_SWAP2 } from '../../../chain/venues/meteora-damm-v2/generated.ts'
import { DAMM_V2_SWAP } from '../../../chain/venues/meteora-damm-v2/layout.ts'
import { DBC_SWAP2 } from '../../../chain/venues/meteora-dbc/generated.ts'
import { DLMM_SWAP } from '../../../chain/venues/meteora-dlmm/generated.ts'
import { DYNAMIC_AMM_SWAP } from '../../../chain/venues/meteora-pools/layout.ts'
import { WHIRLPOOL_TRADED } from '../../../chain/venues/orca/layout.ts'
import { PUMP_TRADE } from '../../../chain/venues/pumpfun/generated.ts'
import { PUMPSWAP_BUY, PUMPSWAP_SELL } from '../../../chain/venues/pumpswap/generated.ts'
import { CPMM_SWAP } from '../../../chain/venues/raydium-cpmm/layout.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { type DexId, venueOf } from '../../../domain/venue.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { chainAnswer, chainLines } from '../../support/chain/real-chain.ts'

/** Fields that follow from the swap's line, whichever way the pool's mints are ordered. */
const FIELDS: readonly (readonly [DexId, Layout, Age, readonly string[]])[] = [
  [
    1,
    PUMP_TRADE,
    1,
    [
      'sol_amount',
      'token_amount',
      'is_buy',
      'virtual_sol_reserves',
      'virtual_token_reserves',
      'real_sol_reserves',
      'real_token_reserves',
      'fee_basis_points',
      'fee',
    ],
  ],
  [
    2,
    PUMPSWAP_BUY,
    1,
    [
      'base_amount_out',
      'quote_amount_in_with_lp_fee',
      'pool_base_token_reserves',
      'pool_quote_token_reserves',
      'lp_fee',
      'lp_fee_basis_points',
    ],
  ],
  [
    2,
    PUMPSWAP_SELL,
    1,
    [
      'base_amount_in',
      'quote_amount_out_without_lp_fee',
      'quote_amount_out',
      'pool_base_token_reserves',
      'pool_quote_token_reserves',
      'lp_fee',
      'lp_fee_basis_points',
    ],
  ],
  [
    5,
    CPMM_SWAP,
    4,
    [
      'input_vault_before',
      'output_vault_before',
      'input_amount',
      'output_amount',
      'input_transfer_fee',
      'output_transfer_fee',
    ],
  ],
  [
    6,
    WHIRLPOOL_TRADED,
    1,
    ['input_amount', 'output_amount', 'input_transfer_fee', 'output_transfer_fee'],
  ],
  [7, DAMM_V2_SWAP, 1, ['actual_amount_in', 'swap_result.output_amount']],
  [
    7,
    DAMM_V2_SWAP2,
    1,
    [
      'swap_result.included_fee_input_amount',
      'swap_result.output_amount',
      'included_transfer_fee_amount_in',
      'excluded_transfer_fee_amount_out',
    ],
  ],
  [8, DBC_SWAP2, 1, ['trade_direction', 'quote_reserve_amount']],
  [9, DLMM_SWAP, 1, ['amount_in', 'amount_out']],
  [10, DYNAMIC_AMM_SWAP, 1, ['in_amount', 'out_amount']],
]

type Fields = Record<string, unknown>

/** The events of a layout that the calls of a venue emitted in transactions of this signature. */
function eventsOf(block: ChainBlock, swap: Swap, layout: Layout): Fields[] {
  const found: Fields[] = []
  for (const transaction of block.transactions) {
    if (transaction === undefined || transaction.signature !== swap.signature) continue
    const { program: own } = venueOf(swap.dex)
    const venues = venuesOf(transaction, (program) => (program === own ? true : undefined))
    for (const [call] of callsOf(transaction, venues)) {
      for (const { discriminator, payload, offset } of call.events) {
        if (discriminator === layout.discriminator) found.push(readFields(layout, payload, offset))
      }
    }
  }
  return found
}

function encodedAgain(swap: Swap, age: Age): ChainBlock {
  const { slot, timestamp } = swap
  const events: MarketEvent[] = [{ kind: 'swap', swap: { ...swap, ixIndex: 0 } }]
  const form = { age, isLogCut: false, isReferred: false, isRouterTrader: false, namesFees: true }
  const answer = encodeBlock(
    { slot, parentSlot: slot - 1, timestamp, events },
    { form, isBare: true },
  )
  const block = readRpcBlock(answer, slot)
  if (block === undefined) throw new Error(`slot ${slot}: expected a block`)
  return block
}

const fileOf = (line: Record<string, unknown>): string => (line.test as { file: string }).file

function readFile(file: string): ChainBlock {
  const bytes = file.endsWith('.gz')
    ? readChainFile(file)
    : Buffer.from(JSON.stringify(chainAnswer(file)))
  const [block] = readBlockFile(bytes, file)
  if (block === undefined) throw new Error(`file "${file}": expected a block`)
  return block
}

test('writes the amounts, reserves and fees of real events', (t) => {
  const compared = new Map<string, number>()
  for (const file of new Set(chainLines('EXPECTED.ndjson').map(fileOf))) {
    const block = readFile(file)
    const swaps = decodeBlock(block).events.flatMap((event) =>
      event.kind === 'swap' ? [event.swap] : [],
    )
    for (const swap of swaps) {
      for (const [dex, layout, age, fields] of FIELDS) {
        if (dex !== swap.dex) continue
        const real = eventsOf(block, swap, layout)
        const [own] = eventsOf(encodedAgain(swap, age), swap, layout)
        // Events of several swaps of a transaction cannot be assigned to their swaps.
        const [event] = real
        if (real.length !== 1 || event === undefined || own === undefined) continue
        for (const field of fields) {
          if (event[field] === undefined) continue
          t.is(own[field], event[field], `${layout.name} ${field} of ${swap.signature} in ${file}`)
        }
        const key = `${swap.dex} ${layout.name}`
        compared.set(key, (compared.get(key) ?? 0) + 1)
      }
    }
  }
  t.log([...compared].map(([key, count]) => `${key}: ${count}`).join(', '))
  t.is(compared.size, FIELDS.length)
})
