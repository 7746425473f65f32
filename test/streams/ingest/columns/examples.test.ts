/** The mappings under examples/ read a table of the columns that they are for. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { stringify } from 'csv-stringify/sync'
import type { Event } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { venueOf } from '../../../../domain/venue.ts'
import { readMapping } from '../../../../streams/ingest/columns/mapping.ts'
import { simulate } from '../../../../streams/simulator/simulate.ts'
import { csvSource, readTable } from '../../../support/events/read-table.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'
import { readText } from '../../../support/sources.ts'

const SOL = 'So11111111111111111111111111111111111111112'
const MAPPING = readMapping(readText('examples/mappings/dune-solana-trades.json'))
const SWAPS = Array.from(simulate({ seed: 9, swaps: 300, fromMs: Date.UTC(2026, 5, 1) })).flatMap(
  (event: Event) => (event.kind === 'swap' ? [event.swap] : []),
)

/** A row of the table: what was sold and what was bought, with the program as project_main_id. */
function rowOf(swap: Swap): Record<string, string> {
  const sides = swap.isBuy
    ? { sold: [SOL, swap.solAmount], bought: [swap.tokenAddress, swap.tokenAmount] }
    : { sold: [swap.tokenAddress, swap.tokenAmount], bought: [SOL, swap.solAmount] }
  return {
    blockchain: 'solana',
    block_time: new Date(swap.timestamp).toISOString().replace('T', ' ').replace('Z', ' UTC'),
    block_slot: String(swap.slot),
    token_sold_mint_address: String(sides.sold[0]),
    token_sold_amount_raw: String(sides.sold[1]),
    token_bought_mint_address: String(sides.bought[0]),
    token_bought_amount_raw: String(sides.bought[1]),
    fee_tier: '<nil>',
    project_program_id: swap.pairAddress,
    project_main_id: venueOf(swap.dex).program,
    trader_id: swap.user,
    tx_id: swap.signature,
    outer_instruction_index: String(swap.ixIndex),
    tx_index: String(swap.blockTxIndex),
    token_decimals: String(swap.quoteDecimals),
  }
}

test('reads an export of dex_solana.trades as the swaps that it was made of', async (t) => {
  const path = join(await temporaryFolder(t), 'trades.csv')
  await writeFile(path, stringify(SWAPS.map(rowOf), { header: true }))
  const { events, reports } = await readTable(csvSource(path, MAPPING))
  t.deepEqual(reports, [])
  t.is(events.length, SWAPS.length)
  t.deepEqual(
    events.map(essentials),
    SWAPS.map((swap) => essentials({ kind: 'swap', swap })),
  )
})

test('refuses a trade of two tokens without SOL', async (t) => {
  const path = join(await temporaryFolder(t), 'trades.csv')
  const [first, second] = SWAPS.map(rowOf)
  const strange = {
    ...first,
    token_sold_mint_address: SWAPS[1]?.user,
    token_bought_mint_address: SWAPS[1]?.tokenAddress,
  }
  await writeFile(path, stringify([strange, second], { header: true }))
  const { events, reports } = await readTable(csvSource(path, MAPPING))
  t.is(events.length, 1)
  t.true(
    reports.length > 0 &&
      reports.every((report) => /^trades\.csv:2 .*no case applies/.test(report)),
  )
})

/** The fields that the table has. */
function essentials(event: Event): unknown {
  if (event.kind !== 'swap') return event
  const { swap } = event
  return [
    swap.signature,
    swap.slot,
    swap.timestamp,
    swap.tokenAddress,
    swap.pairAddress,
    swap.user,
    swap.isBuy,
    swap.dex,
    swap.solAmount,
    swap.tokenAmount,
    swap.quoteDecimals,
    swap.blockTxIndex,
    swap.ixIndex,
  ]
}
