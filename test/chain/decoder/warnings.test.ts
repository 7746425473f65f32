/**
 * Warnings of the decoder: recorded transactions yield none, and an upgrade of a venue's program, an instruction and an event that
 * it is not known to have yield one in every form of chain data.
 */
import { readdirSync } from 'node:fs'
import test from 'ava'
import { decodeBlock, READ_PROGRAMS, readsOf } from '../../../chain/decode.ts'
import { EVENT_TAG } from '../../../chain/decoder/call.ts'
import { LOADER_V4, UPGRADEABLE_LOADER } from '../../../chain/decoder/upgrades.ts'
import { parseBlockText } from '../../../chain/forms/block-text.ts'
import { readGeyserTransaction } from '../../../chain/forms/geyser.ts'
import { readPortalLine } from '../../../chain/forms/portal.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import { decodeSlot } from '../../../chain/sources/batch.ts'
import { portalBody } from '../../../chain/sources/portal/query.ts'
import type { ChainBlock } from '../../../chain/transaction/transaction.ts'
import { READERS } from '../../../chain/venues/readers.ts'
import type { BlockWarning } from '../../../domain/decoder-warning.ts'
import { VENUES, venueOf } from '../../../domain/venue.ts'
import { asGeyser, asJsonParsed } from '../../support/chain/forms.ts'
import { portalLine } from '../../support/chain/portal/portal-form.ts'
import { chainLines, decodeChainFile } from '../../support/chain/real-chain.ts'
import { type Json, recordedBlock, type ServedBlock } from '../../support/chain/served-chain.ts'
import { asBase64 } from '../../support/chain/wire-form.ts'
import { WrittenChain } from '../../support/chain/written-chain.ts'
import {
  AUTHORITY,
  BUFFER,
  DATA,
  keyAt,
  MADE_SIGNATURE,
  type Made,
  made,
  number,
  upgradeOf,
} from './made-transaction.ts'

const SLOT = 285_000_037
const ORCA = venueOf(5).program

const blockOf = (...transactions: Json[]): ServedBlock => ({ ...recordedBlock(), transactions })

/** The warnings of a transaction by the form in which it came. */
function warningsByForm(entry: Json): Record<string, BlockWarning[]> {
  const block = blockOf(entry)
  const of = (read: ChainBlock | undefined): BlockWarning[] =>
    read === undefined ? [] : decodeBlock(read).warnings
  const text = JSON.stringify({ result: blockOf(asBase64(entry)) })
  const fromText = parseBlockText(Buffer.from(text), READ_PROGRAMS) as { result: unknown }
  const geyser = readGeyserTransaction(asGeyser(entry, 0))
  const wanted = (
    JSON.parse(portalBody({ from: 0, programs: VENUES.map(({ program }) => program) })) as {
      instructions: { programId: string[] }[]
    }
  ).instructions.flatMap(({ programId }) => programId)
  const line = JSON.stringify(portalLine(SLOT, block, new Set(wanted)))
  return {
    json: of(readRpcBlock(block, SLOT)),
    'json parsed': of(readRpcBlock(blockOf(asJsonParsed(entry)), SLOT)),
    base64: of(readRpcBlock(fromText.result, SLOT)),
    geyser: of({ slot: SLOT, timestamp: 1, transactions: [geyser] }),
    portal: of(readPortalLine(line, new Set(VENUES.map(({ program }) => program))).block),
  }
}

test('an upgrade of the program of each venue is a warning in each form', (t) => {
  for (const { dex, program } of VENUES) {
    const found = warningsByForm(made([upgradeOf(program)]))
    for (const [form, warnings] of Object.entries(found)) {
      t.deepEqual(
        warnings,
        [{ kind: 'upgrade', dex, subject: `upgrade ${MADE_SIGNATURE}` }],
        `${form} ${dex}`,
      )
    }
  }
})

test('an upgrade inside the call of a multisig is a warning in each form', (t) => {
  const multisig = { program: keyAt(8), accounts: [AUTHORITY], payload: [1, 2, 3] }
  for (const [form, warnings] of Object.entries(
    warningsByForm(made([multisig, upgradeOf(ORCA)])),
  )) {
    t.deepEqual(warnings, [{ kind: 'upgrade', dex: 5, subject: `upgrade ${MADE_SIGNATURE}` }], form)
  }
})

test('each action of a loader on the program of a venue is a warning by its name', (t) => {
  const actions: [string, Made][] = [
    [
      'deploy',
      {
        program: UPGRADEABLE_LOADER,
        accounts: [keyAt(1), DATA, ORCA, BUFFER],
        payload: [...number(2), 0, 1],
      },
    ],
    [
      'extend',
      { program: UPGRADEABLE_LOADER, accounts: [DATA, ORCA], payload: [...number(6), 0, 4] },
    ],
    [
      'extend',
      {
        program: UPGRADEABLE_LOADER,
        accounts: [DATA, ORCA, AUTHORITY],
        payload: [...number(9), 0, 4],
      },
    ],
    [
      'close',
      {
        program: UPGRADEABLE_LOADER,
        accounts: [DATA, keyAt(1), AUTHORITY, ORCA],
        payload: number(5),
      },
    ],
    [
      'migrate',
      { program: UPGRADEABLE_LOADER, accounts: [DATA, ORCA, AUTHORITY], payload: number(8) },
    ],
    ['deploy', { program: LOADER_V4, accounts: [ORCA, AUTHORITY], payload: number(3) }],
  ]
  for (const [name, action] of actions) {
    for (const [form, warnings] of Object.entries(warningsByForm(made([action])))) {
      t.deepEqual(
        warnings,
        [{ kind: 'upgrade', dex: 5, subject: `${name} ${MADE_SIGNATURE}` }],
        `${form} ${name}`,
      )
    }
  }
})

test('a failed upgrade, one of another program, and other instructions of a loader are no warnings', (t) => {
  const write = {
    program: UPGRADEABLE_LOADER,
    accounts: [BUFFER, ORCA],
    payload: [...number(1), 7],
  }
  const short = { ...upgradeOf(ORCA), payload: [3] }
  const lacking = { ...upgradeOf(ORCA), accounts: [DATA] }
  const entries = [
    made([upgradeOf(ORCA)], { InstructionError: [0, 'Custom'] }),
    ...[upgradeOf(keyAt(8)), write, short, lacking].map((each) => made([each])),
  ]
  for (const entry of entries) {
    for (const [form, warnings] of Object.entries(warningsByForm(entry)))
      t.deepEqual(warnings, [], form)
  }
})

test('an instruction and an event that a program is not known to have are warnings in each form', (t) => {
  const [instruction, event] = ['0123456789abcdef', 'fedcba9876543210']
  for (const { dex, program } of VENUES) {
    const payload = [...Buffer.from(instruction, 'hex'), 1]
    const call = {
      program,
      accounts: [keyAt(2)],
      payload: READERS[dex].known.tagBytes === 1 ? [0x77, 1] : payload,
    }
    const emitted = {
      program,
      accounts: [keyAt(2)],
      payload: [...Buffer.from(EVENT_TAG + event, 'hex')],
    }
    const subject = READERS[dex].known.tagBytes === 1 ? '77' : instruction
    for (const [form, warnings] of Object.entries(warningsByForm(made([call, emitted])))) {
      t.deepEqual(
        warnings,
        [
          { kind: 'unknown_instruction', dex, subject },
          { kind: 'unknown_event', dex, subject: event },
        ],
        `${form} ${dex}`,
      )
    }
  }
})

test('the warnings of a venue that is not read are left out', (t) => {
  const block = readRpcBlock(blockOf(made([upgradeOf(ORCA)])), SLOT)
  const of = (dex: 4 | 5) => decodeSlot({ slot: SLOT, block }, new Set([dex]))?.warnings.length
  t.is(of(5), 1)
  t.is(of(4), 0)
})

test('recorded transactions of all venues yield no warning', (t) => {
  const block = readRpcBlock(recordedBlock(), SLOT)
  if (block === undefined) return t.fail('the recorded block is not read')
  const decoded = decodeBlock(block)
  t.deepEqual(decoded.warnings, [])
  const reads = readsOf(decoded)
  t.is(
    reads.reduce((sum, { swaps }) => sum + swaps, 0),
    decoded.events.filter(({ kind }) => kind === 'swap').length +
      decoded.rejects.filter(({ kind }) => kind === 'swap').length,
  )
  t.true(reads.every(({ unreadable }) => unreadable === 0))
  const files = chainLines('MANIFEST.ndjson').map(({ file }) => String(file))
  const transactions = files.filter((file) => file.startsWith('transactions/'))
  for (const file of transactions) t.deepEqual(decodeChainFile(file).warnings, [], file)
  t.true(transactions.length > 50)
})

test('each instruction and event of the layouts is known', async (t) => {
  const folder = new URL('../../../chain/venues/', import.meta.url)
  for (const { dex, programName } of VENUES) {
    const name = programName.replaceAll('_', '-')
    const files = readdirSync(new URL(`${name}/`, folder)).filter((file) =>
      /^(layout|generated)\.ts$/.test(file),
    )
    const { known } = READERS[dex]
    for (const file of files) {
      const values = JSON.stringify(await import(new URL(`${name}/${file}`, folder).href))
      for (const [, tag] of values.matchAll(/"tag":"(\w+)"/g))
        t.true(known.instructions.has(tag as string), `${name} ${tag}`)
      for (const [, tag] of values.matchAll(/"discriminator":"(\w+)"/g))
        t.true(known.events.has(tag as string), `${name} ${tag}`)
    }
  }
})

test('blocks that the encoder writes yield no warning, of any venue that they trade', (t) => {
  const chain = new WrittenChain({ seed: 7, swaps: 1_200 })
  const written = new Set(
    chain.slots.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === 'swap' ? [event.swap.dex] : [])),
    ),
  )
  const traded = new Set<number>()
  for (const [slot, served] of chain.blocks) {
    const block = readRpcBlock(served, slot)
    if (block === undefined) return t.fail(`block ${slot} is not read`)
    const decoded = decodeBlock(block)
    t.deepEqual(decoded.warnings, [])
    for (const { dex, unreadable } of readsOf(decoded)) {
      t.is(unreadable, 0)
      traded.add(dex)
    }
  }
  t.deepEqual(traded, written)
  t.true(written.size >= 10)
})
