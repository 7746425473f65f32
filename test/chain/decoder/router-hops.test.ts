// Swaps of several pools in one call of venue 4's router: each has its own transfers, whatever the amounts are.

import test from 'ava'
import { WSOL_MINT } from '../../../chain/decoder/venue-swap.ts'
import type { TransactionForm } from '../../../chain/encoder/form.ts'
import { addressOf } from '../../../chain/encoder/keys.ts'
import { bytesOfHex, writeFields } from '../../../chain/encoder/payload.ts'
import { authorityOf, vaultOf, walletAccount } from '../../../chain/encoder/swap-call.ts'
import type {
  Json,
  TokenAccount,
  TransactionWriter,
} from '../../../chain/encoder/transaction-writer.ts'
import { TOKEN_PROGRAMS } from '../../../chain/transaction/token-program.ts'
import { CLMM_SWAP, RAYDIUM_CLMM_ROUTER } from '../../../chain/venues/raydium-clmm/layout.ts'
import { venueOf } from '../../../domain/venue.ts'
import {
  decodeEntry,
  swapsOf,
  TRADER,
  withLogsCut,
  written,
} from '../../support/transactions/made-transaction.ts'

const SOL = 1_000_000_000n
const USD = addressOf('usd')
const TOKEN = addressOf('token')
const CLMM = venueOf(4).program

type Hop = {
  pool: string
  from: string
  to: string
  /** Base units out of the trader's account, and out of the vault. */
  paid: bigint
  sent: bigint
  /** Base units withheld of both. */
  feeIn?: bigint
  feeOut?: bigint
}

const decimalsOf = (mint: string): number => (mint === WSOL_MINT ? 9 : 6)

/** Balances of the vaults before the transaction, by pool and mint. */
type Held = Readonly<Record<string, bigint>>

function accountsOf({ pool, from, to, feeIn, feeOut }: Hop, held: Held) {
  const rest = (mint: string, fee = 0n) => ({
    decimals: decimalsOf(mint),
    program: TOKEN_PROGRAMS[fee > 0n ? 1 : 0],
  })
  const before = (mint: string) => held[`${pool} ${mint}`] ?? 900n * SOL
  return {
    vaultIn: vaultOf(pool, from, { ...rest(from, feeIn), before: before(from) }),
    vaultOut: vaultOf(pool, to, { ...rest(to, feeOut), before: before(to) }),
    walletIn: walletAccount(TRADER, from, rest(from, feeIn)),
    walletOut: walletAccount(TRADER, to, rest(to, feeOut)),
  }
}

function eventOf({ pool, from, to, paid, sent, feeIn = 0n, feeOut = 0n }: Hop): Buffer {
  const isZeroIn = from < to
  const [amountIn, amountOut] = [paid - feeIn, sent - feeOut]
  return writeFields(CLMM_SWAP, {
    pool_state: pool,
    sender: TRADER,
    amount_0: isZeroIn ? amountIn : amountOut,
    transfer_fee_0: isZeroIn ? feeIn : feeOut,
    amount_1: isZeroIn ? amountOut : amountIn,
    transfer_fee_1: isZeroIn ? feeOut : feeIn,
    zero_for_one: isZeroIn,
    sqrt_price_x64: 1n << 64n,
  })
}

function routed(
  hops: readonly Hop[],
  options: { held?: Held; form?: Partial<TransactionForm>; isNested?: boolean } = {},
): Json {
  const { held = {}, form = {}, isNested = false } = options
  const [first] = hops
  const listed = hops.flatMap((hop) => {
    const { vaultIn, vaultOut, walletOut } = accountsOf(hop, held)
    const of = (name: string) => addressOf(`${name} ${hop.pool}`)
    const vaults = [vaultIn.key, vaultOut.key]
    return [
      of('config'),
      hop.pool,
      walletOut.key,
      ...vaults,
      hop.to,
      of('observation'),
      of('ticks'),
    ]
  })
  const own = ['token program', 'token 2022', 'memo'].map(addressOf)
  const inputs = first === undefined ? [] : [accountsOf(first, held).walletIn.key, first.from]
  const call = (writer: TransactionWriter) =>
    writer.call(
      CLMM,
      [TRADER, ...inputs, ...own, ...listed],
      bytesOfHex(RAYDIUM_CLMM_ROUTER.tag),
      () => {
        for (const hop of hops) writeHop(writer, hop, held)
      },
    )
  return written((writer) => {
    if (!isNested) call(writer)
    else
      writer.call(addressOf('aggregator'), [TRADER], new Uint8Array(8), () =>
        nest(writer, hops, call),
      )
  }, form)
}

function writeHop(writer: TransactionWriter, hop: Hop, held: Held): void {
  const { vaultIn, vaultOut, walletIn, walletOut } = accountsOf(hop, held)
  const authority = authorityOf(hop.pool)
  const { feeIn: fee = 0n, feeOut = 0n } = hop
  writer.logEvent(eventOf(hop))
  writer.transfer({ from: walletIn, to: vaultIn, authority: TRADER, baseUnits: hop.paid, fee })
  writer.transfer({ from: vaultOut, to: walletOut, authority, baseUnits: hop.sent, fee: feeOut })
}

/** Before and after the router, the aggregator moves the same amounts between accounts of its own. */
function nest(
  writer: TransactionWriter,
  hops: readonly Hop[],
  call: (writer: TransactionWriter) => void,
): void {
  const move = ({ from, paid }: Hop) => {
    const rest = { mint: from, decimals: decimalsOf(from), program: TOKEN_PROGRAMS[0] }
    const account = (name: string): TokenAccount => ({
      ...{ key: addressOf(`${name} ${from}`), owner: addressOf(name), before: 5_000n * SOL },
      ...rest,
    })
    const [source, to] = [account('treasury'), account('till')]
    writer.transfer({ from: source, to, authority: source.owner, baseUnits: paid })
  }
  for (const hop of hops) move(hop)
  call(writer)
  for (const hop of hops) move(hop)
}

const POOL_1 = addressOf('pool 1')
const POOL_2 = addressOf('pool 2')
const THROUGH_SOL: readonly Hop[] = [
  { pool: POOL_1, from: USD, to: WSOL_MINT, paid: 150_000_000n, sent: SOL },
  { pool: POOL_2, from: WSOL_MINT, to: TOKEN, paid: SOL, sent: 70_000_000n },
]
const HELD = { [`${POOL_2} ${WSOL_MINT}`]: 800n * SOL }

const factsOf = (entry: Json) =>
  swapsOf(decodeEntry(entry)).map((swap) => [
    swap.pairAddress,
    swap.isBuy,
    swap.solAmount,
    swap.tokenAmount,
    swap.realSolReserves,
    swap.realTokenReserves,
  ])

const EXPECTED = [
  [POOL_1, false, 1_000_000_000, 150_000_000, 899_000_000_000, 900_150_000_000],
  [POOL_2, true, 1_000_000_000, 70_000_000, 801_000_000_000, 899_930_000_000],
]

test('gives each pool of a route its own vaults where one sends what the next one receives', (t) => {
  const entry = routed(THROUGH_SOL, { held: HELD })
  t.deepEqual(factsOf(entry), EXPECTED)
  const { rejects, mismatches } = decodeEntry(entry)
  t.deepEqual([...rejects, ...mismatches], [])
})

test('reads a route inside another program that moves the same amounts', (t) => {
  for (const hasHeights of [true, false]) {
    const entry = routed(THROUGH_SOL, { held: HELD, isNested: true, form: { hasHeights } })
    t.deepEqual(factsOf(entry), EXPECTED, `heights ${hasHeights}`)
    t.deepEqual(decodeEntry(entry).mismatches, [])
  }
})

test('reads a route of equal amounts, also through the same pool twice', (t) => {
  const same = { paid: SOL, sent: SOL }
  const pool = POOL_1
  const hops = [
    { pool, from: USD, to: WSOL_MINT, ...same },
    { pool: POOL_2, from: WSOL_MINT, to: TOKEN, ...same },
    { pool: POOL_2, from: TOKEN, to: WSOL_MINT, ...same },
    { pool, from: WSOL_MINT, to: USD, ...same },
  ]
  const entry = routed(hops)
  t.deepEqual(factsOf(entry), [
    [POOL_1, false, 1e9, 1e9, 899e9, 901e9],
    [POOL_2, true, 1e9, 1e9, 901e9, 899e9],
    [POOL_2, false, 1e9, 1e9, 900e9, 900e9],
    [POOL_1, true, 1e9, 1e9, 900e9, 900e9],
  ])
  t.deepEqual(decodeEntry(entry).mismatches, [])
})

test('reads the transfer fees of a route, named by the event only', (t) => {
  const fees = { feeIn: 300n, feeOut: 500n }
  const hops = [
    { pool: POOL_1, from: TOKEN, to: WSOL_MINT, paid: 10_300n, sent: SOL, feeIn: fees.feeIn },
    { pool: POOL_2, from: WSOL_MINT, to: USD, paid: SOL, sent: 10_500n, feeOut: fees.feeOut },
  ]
  const entry = routed(hops)
  t.deepEqual(
    swapsOf(decodeEntry(entry)).map(({ tokenAmount, transferFeeIn, transferFeeOut }) => [
      tokenAmount,
      transferFeeIn,
      transferFeeOut,
    ]),
    [
      [10_000, 300, 0],
      [10_500, 0, 500],
    ],
  )
  t.deepEqual(decodeEntry(entry).mismatches, [])
})

test('reads the pools of a route whose events were cut off, from the first or the second on', (t) => {
  const entry = routed(THROUGH_SOL, { held: HELD })
  for (const cut of [0, 1]) {
    const decoded = decodeEntry(withLogsCut(entry, cut))
    t.deepEqual(factsOf(withLogsCut(entry, cut)), EXPECTED, `cut before event ${cut}`)
    t.deepEqual([...decoded.rejects, ...decoded.mismatches], [])
    t.deepEqual(
      swapsOf(decoded).map(({ priceAfter }) => priceAfter !== undefined),
      [cut > 0, false],
    )
  }
})
