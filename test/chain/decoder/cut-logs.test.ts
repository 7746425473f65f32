// Logs that a node cut: every swap and pool event is still a line or a counted reject, with the same amounts.

import test, { type ExecutionContext } from 'ava'
import type { Decoded } from '../../../chain/decode.ts'
import { WSOL_MINT } from '../../../chain/decoder/venue-swap.ts'
import { addressOf } from '../../../chain/encoder/keys.ts'
import { vaultOf, walletAccount } from '../../../chain/encoder/swap-call.ts'
import type { Json } from '../../../chain/encoder/transaction-writer.ts'
import { TOKEN_PROGRAMS } from '../../../chain/transaction/token-program.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { type DexId, venueOf } from '../../../domain/venue.ts'
import { chainAnswer, chainLines } from '../../support/chain/real-chain.ts'
import { SWAP } from '../../support/events/sample-event.ts'
import {
  decodeEntry,
  encoded,
  isEventLine,
  swapsOf,
  TRADER,
  withLogsCut,
  written,
} from '../../support/transactions/made-transaction.ts'

/** Lines and rejects by kind, venue and index. */
const identitiesOf = ({ events, rejects }: Decoded): string[] =>
  [
    ...events.flatMap((event) => {
      if (event.kind === 'swap') return [`swap ${event.swap.dex} ${event.swap.ixIndex}`]
      if (event.kind === 'token') return []
      const { dex, ixIndex } = event.poolEvent
      return [`pool_event ${dex} ${ixIndex}`]
    }),
    ...rejects.map(({ kind, dex, ixIndex }) => `${kind} ${dex} ${ixIndex}`),
  ].toSorted()

/** Without its event it is not known whether a position of venue 4 lies in the price: a reject. */
const UNKNOWN = new Set(['pool_event 4 0'])
const isIn = (decoded: Decoded, identity: string): boolean =>
  identitiesOf(decoded).includes(identity)

/** Facts that do not need the event. Venue 10 rounds the amounts of its event. */
const factsOf = (swap: Swap) => ({
  ...{ pair: swap.pairAddress, token: swap.tokenAddress, user: swap.user, isBuy: swap.isBuy },
  ...(swap.dex === 10 ? {} : { sol: swap.solAmount, tokens: swap.tokenAmount }),
  ...{ feeIn: swap.transferFeeIn, feeOut: swap.transferFeeOut },
})

function assertSameWithout(t: ExecutionContext, entry: Json, name: string): number {
  const whole = decodeEntry(entry)
  const { logMessages } = entry.meta as { logMessages: string[] }
  const count = logMessages.filter(isEventLine).length
  for (let cut = 0; cut < count; cut++) {
    const decoded = decodeEntry(withLogsCut(entry, cut))
    const identities = identitiesOf(decoded).filter(
      (identity) => !UNKNOWN.has(identity) || isIn(whole, identity),
    )
    t.deepEqual(identities, identitiesOf(whole), `${name} cut before event ${cut}`)
    const facts = new Map(swapsOf(whole).map((swap) => [`${swap.dex} ${swap.ixIndex}`, swap]))
    for (const swap of swapsOf(decoded)) {
      const same = facts.get(`${swap.dex} ${swap.ixIndex}`)
      t.deepEqual(factsOf(swap), same && factsOf(same), `${name} cut before event ${cut}`)
    }
    t.deepEqual(decoded.mismatches, whole.mismatches, `${name} cut before event ${cut}`)
  }
  return count
}

test('loses nothing of recorded transactions, wherever their logs are cut', (t) => {
  const files = ['EXPECTED.ndjson', 'EXPECTED_NOTHING.ndjson', 'POOL_EVENTS.ndjson'].flatMap(
    (list) =>
      chainLines(list).map((line) => String((line.test as Json | undefined)?.file ?? line.file)),
  )
  let cuts = 0
  for (const file of new Set(files)) {
    if (file.startsWith('transactions/')) cuts += assertSameWithout(t, chainAnswer(file), file)
  }
  t.true(cuts > 50, `${cuts} cuts`)
})

const RESERVES = { realSolReserves: 5_000_000, realTokenReserves: 7_000_000 }
/** Venues that log their swaps: the others emit them by calls of themselves, which nodes do not cut. */
const LOGGED: readonly DexId[] = [3, 4, 5, 6, 10]

test('reads transfer fees both ways without the events that state them', (t) => {
  for (const dex of LOGGED) {
    if (dex === 10) continue
    for (const isBuy of [true, false]) {
      for (const namesFees of [true, false]) {
        const fees = isBuy ? { transferFeeOut: 40 } : { transferFeeIn: 40 }
        const facts = { ...SWAP, ...RESERVES, ...fees, user: TRADER }
        const entry = encoded([{ ...facts, dex, isBuy }], { namesFees })
        t.is(assertSameWithout(t, entry, `venue ${dex}`), 1)
        const [swap] = swapsOf(decodeEntry(withLogsCut(entry, 0)))
        t.is(swap?.transferFeeIn, isBuy ? 0 : 40, `venue ${dex}`)
        t.is(swap?.transferFeeOut, isBuy ? 40 : 0, `venue ${dex}`)
      }
    }
  }
})

test('reads the creation of a pool of venue 10 from its instruction', (t) => {
  const decoded = decodeEntry(withLogsCut(chainAnswer('transactions/4De4M3Xoni95DMdH.json'), 0))
  const created = decoded.events.flatMap((event) =>
    event.kind === 'pool_event' && event.poolEvent.event === 'created' ? [event.poolEvent] : [],
  )
  t.deepEqual(
    created.map(({ dex, pairAddress, tokenAddress }) => [dex, pairAddress, tokenAddress]),
    [
      [
        10,
        '9zk1R3TSrAznSKbyi68GvTF38PjxPYh6cKA51LxmFxPt',
        'AYAvrksbjCeWCmoyEgCLtgFw5zQRbdWjWskF7cSNntMB',
      ],
    ],
  )
})

test('counts a swap whose venue emitted no event, of venues that emit it by a call', (t) => {
  for (const dex of [1, 2, 7, 8, 9] as const) {
    const entry = encoded([{ ...SWAP, ...RESERVES, dex, user: TRADER }], { age: 2 })
    const whole = decodeEntry(entry)
    t.is(swapsOf(whole).length, 1, `venue ${dex}`)
    const { rejects, events } = decodeEntry(withoutEvents(entry))
    t.deepEqual(events, [], `venue ${dex}`)
    t.deepEqual(
      rejects.map(({ kind, reason }) => [kind, reason]),
      [['swap', 'no_event']],
      `venue ${dex}`,
    )
  }
})

/** The same transaction without the inner instructions by which its programs call themselves. */
function withoutEvents(entry: Json): Json {
  const copy = structuredClone(entry)
  type Instruction = { programIdIndex: number; accounts: number[] }
  type Group = { index: number; instructions: Instruction[] }
  const { message } = copy.transaction as { message: { instructions: Instruction[] } }
  const meta = copy.meta as { innerInstructions: Group[] }
  for (const { index, instructions } of meta.innerInstructions) {
    const own = message.instructions[index]?.programIdIndex
    const left = instructions.filter(({ programIdIndex }) => programIdIndex !== own)
    instructions.splice(0, instructions.length, ...left)
  }
  return copy
}

/** A call of a venue's program by an instruction that no reader knows: it moves two mints and logs an event. */
function unknownCall(dex: DexId): Json {
  const { program } = venueOf(dex)
  const rest = { decimals: 6, program: TOKEN_PROGRAMS[0] }
  const pool = addressOf('pool')
  return written((writer) => {
    writer.call(program, [pool], new Uint8Array(8).fill(3), () => {
      for (const mint of [addressOf('token'), WSOL_MINT]) {
        const [from, to] = [walletAccount(TRADER, mint, rest), vaultOf(pool, mint, rest)]
        writer.transfer({ from, to, authority: TRADER, baseUnits: 1_000n })
      }
      writer.logEvent(new Uint8Array(8).fill(5))
    })
  })
}

test('counts a call by an unknown instruction that moved two mints, where its logs are cut', (t) => {
  for (const dex of [4, 10] as const) {
    const entry = unknownCall(dex)
    t.deepEqual(identitiesOf(decodeEntry(entry)), [], `venue ${dex}`)
    const { rejects } = decodeEntry(withLogsCut(entry, 0))
    t.deepEqual(
      rejects.map(({ kind, reason }) => [kind, reason]),
      [['pool_event', 'no_event']],
      `venue ${dex}`,
    )
  }
})
