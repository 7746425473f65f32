// A line never contradicts the vaults: it follows them, or is a counted reject.

import test from 'ava'
import type { Decoded } from '../../../chain/decode.ts'
import { WSOL_MINT } from '../../../chain/decoder/venue-swap.ts'
import { AGES, type TransactionForm } from '../../../chain/encoder/form.ts'
import { addressOf, signatureOf } from '../../../chain/encoder/keys.ts'
import { bytesOfHex, writeFields } from '../../../chain/encoder/payload.ts'
import { placed, vaultOf, walletAccount } from '../../../chain/encoder/swap-call.ts'
import type {
  Json,
  TokenAccount,
  TransactionWriter,
} from '../../../chain/encoder/transaction-writer.ts'
import { feesOf } from '../../../chain/transaction/token-moves.ts'
import { TOKEN_PROGRAMS } from '../../../chain/transaction/token-program.ts'
import { DLMM_SWAP, DLMM_SWAP2 } from '../../../chain/venues/meteora-dlmm/generated.ts'
import { DLMM_SWAP_AT } from '../../../chain/venues/meteora-dlmm/layout.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import { venueOf } from '../../../domain/venue.ts'
import { asJsonParsed } from '../../support/chain/forms.ts'
import { MINT, POOL, SWAP } from '../../support/events/sample-event.ts'
import {
  decodeEntry,
  encoded,
  swapsOf,
  TRADER,
  withBalance,
  written,
} from '../../support/transactions/made-transaction.ts'

const SIGNATURE = signatureOf('settled')

/** A sell of 1,000,000 base units, of which the vault receives all but the fee of the transfer. */
function sell(dex: DexId, changes: Partial<Swap> = {}): Swap {
  return {
    ...SWAP,
    ...{ signature: SIGNATURE, timestamp: 1_790_000_000_000, user: TRADER, dex, isBuy: false },
    ...{ solAmount: 5_000_000, tokenAmount: 970_000, transferFeeIn: 30_000 },
    ...{
      realSolReserves: 90_000_000_000,
      realTokenReserves: 40_000_000_000,
      fee: 12_500,
      feeBps: 25,
    },
    ...{ priceBefore: 5e-6, priceAfter: 4.9e-6 },
    ...changes,
  }
}

const amountsOf = ({ tokenAmount, solAmount, transferFeeIn, transferFeeOut }: Swap) => ({
  ...{ tokenAmount, solAmount, transferFeeIn, transferFeeOut },
})

/** Rejects and mismatches: both are reported. */
const reportsOf = ({ rejects, mismatches }: Decoded) => [
  ...rejects.map(({ reason }) => reason),
  ...mismatches.map(({ expected, actual }) => `moved ${actual}, expected ${expected}`),
]

const SOLD = {
  tokenAmount: 970_000,
  solAmount: 5_000_000,
  transferFeeIn: 30_000,
  transferFeeOut: 0,
}

test('reads what the vault received, and the fee, of sells whose event states what the trader sent', (t) => {
  for (const age of AGES) {
    for (const namesFees of [true, false]) {
      for (const form of [{}, { isReferred: true }, { isRouted: true, hasHeights: false }]) {
        const entry = encoded([sell(9)], { age, namesFees, ...form })
        for (const each of [entry, asJsonParsed(entry)]) {
          const decoded = decodeEntry(each)
          t.deepEqual(swapsOf(decoded).map(amountsOf), [SOLD], `age ${age}`)
          t.deepEqual(
            swapsOf(decoded).map((swap) => swap.realTokenReserves),
            [40_000_000_000],
          )
          t.deepEqual(reportsOf(decoded), [])
        }
      }
    }
  }
})

/** Venues whose vaults are checked, and whose pools may hold such tokens. */
const CHECKED: readonly DexId[] = [2, 3, 4, 5, 6, 7, 9]

const vaultKeyOf = (dex: DexId, mint: string): string =>
  vaultOf(sell(dex).pairAddress, mint, { decimals: 6, program: TOKEN_PROGRAMS[0] }).key

test('follows a vault that received less than the transfer that its venue states', (t) => {
  for (const dex of CHECKED) {
    const entry = encoded([sell(dex, { tokenAmount: 1_000_000, transferFeeIn: 0 })])
    const decoded = decodeEntry(withBalance(entry, vaultKeyOf(dex, MINT), -30_000n))
    t.deepEqual(swapsOf(decoded).map(amountsOf), [SOLD], `venue ${dex}`)
    t.deepEqual(reportsOf(decoded), [], `venue ${dex}`)
  }
})

test('follows vaults that contradict an event, believes nothing else of it, and reports it', (t) => {
  for (const dex of CHECKED) {
    const entry = encoded([sell(dex, { transferFeeIn: 0 })])
    const decoded = decodeEntry(withBalance(entry, vaultKeyOf(dex, WSOL_MINT), -7n))
    const [swap] = swapsOf(decoded)
    t.is(swap?.solAmount, 5_000_007, `venue ${dex}`)
    t.is(swap?.tokenAmount, 970_000, `venue ${dex}`)
    t.is(swap?.priceAfter, undefined, `venue ${dex}`)
    t.is(swap?.fee, dex === 3 ? 12_500 : 0, `venue ${dex}`)
    t.deepEqual(reportsOf(decoded), ['moved -5000007, expected -5000000'], `venue ${dex}`)
  }
})

test('rejects a swap whose vault moved the other way', (t) => {
  for (const dex of CHECKED) {
    const entry = encoded([sell(dex, { transferFeeIn: 0 })])
    const decoded = decodeEntry(withBalance(entry, vaultKeyOf(dex, MINT), -2_000_000n))
    t.deepEqual(swapsOf(decoded), [], `venue ${dex}`)
    t.true(reportsOf(decoded).includes('vault_mismatch'), `venue ${dex}`)
  }
})

test('rejects a swap of a curve whose vaults contradict its event: the leg is not in the vault', (t) => {
  for (const mint of [MINT, WSOL_MINT]) {
    const entry = encoded([sell(8, { transferFeeIn: 0 })])
    t.is(swapsOf(decodeEntry(entry)).length, 1)
    const decoded = decodeEntry(withBalance(entry, vaultKeyOf(8, mint), 7n))
    t.deepEqual(swapsOf(decoded), [])
    t.true(reportsOf(decoded).includes('vault_mismatch'))
  }
})

const DLMM = venueOf(9).program
const TOKEN_2022 = TOKEN_PROGRAMS[1]
const SOL_VAULT = vaultOf(POOL, WSOL_MINT, {
  ...{ decimals: 9, program: TOKEN_PROGRAMS[0], before: 90_000_000_000n },
})
const TOKEN_VAULT = vaultOf(POOL, MINT, {
  decimals: 6,
  program: TOKEN_2022,
  before: 40_000_000_000n,
})
const SOL_WALLET = walletAccount(TRADER, WSOL_MINT, { decimals: 9, program: TOKEN_PROGRAMS[0] })
const TOKEN_WALLET = walletAccount(TRADER, MINT, { decimals: 6, program: TOKEN_2022 })

type Sale = { paid: bigint; fee: bigint; sent: bigint; host?: bigint }

/** A sell on venue 9 of a token that withholds a fee, which no transfer names. */
function writeSale(writer: TransactionWriter, { paid, fee, sent, host = 0n }: Sale): void {
  const accounts = { vaultX: TOKEN_VAULT.key, vaultY: SOL_VAULT.key, trader: TRADER }
  const move = (from: TokenAccount, to: TokenAccount, baseUnits: bigint, withheld = 0n) =>
    writer.transfer({ from, to, authority: from.owner, baseUnits, fee: withheld })
  writer.call(DLMM, placed(DLMM_SWAP_AT, accounts, 15), bytesOfHex('414b3f4ceb5b5b88'), () => {
    move(TOKEN_WALLET, TOKEN_VAULT, paid, fee)
    if (host > 0n)
      move(TOKEN_VAULT, { ...TOKEN_WALLET, key: addressOf('host'), owner: 'host' }, host)
    move(SOL_VAULT, SOL_WALLET, sent)
    const common = {
      lb_pair: POOL,
      from: TRADER,
      amount_in: paid,
      amount_out: sent,
      host_fee: host,
    }
    writer.emit(DLMM, writeFields(DLMM_SWAP, { ...common, swap_for_y: true, fee: 100n }))
    const fees = { fees_on_input: true, fees_on_token_x: true, mm_fee: 100n }
    writer.emit(DLMM, writeFields(DLMM_SWAP2, { ...common, ...fees, swap_for_y: true }))
  })
}

const TWO_SALES: readonly Sale[] = [
  { paid: 1_000_000n, fee: 30_000n, sent: 5_000_000n },
  { paid: 333_333n, fee: 10_000n, sent: 1_600_000n },
]

const sold = (sales: readonly Sale[], form: Partial<TransactionForm> = {}): Json =>
  written((writer) => {
    for (const sale of sales) writeSale(writer, sale)
  }, form)

test('reads the fee of each of several sells into one vault by the rate that all of them have', (t) => {
  const decoded = decodeEntry(sold(TWO_SALES))
  t.deepEqual(
    swapsOf(decoded).map(({ tokenAmount, transferFeeIn, realTokenReserves }) => [
      tokenAmount,
      transferFeeIn,
      realTokenReserves,
    ]),
    [
      [970_000, 30_000, 40_000_970_000],
      [323_333, 10_000, 40_001_293_333],
    ],
  )
  t.deepEqual(reportsOf(decoded), [])
})

test('rejects several sells into one vault that did not move by their sum, at no rate', (t) => {
  const decoded = decodeEntry(withBalance(sold(TWO_SALES), TOKEN_VAULT.key, -77n))
  t.deepEqual(swapsOf(decoded), [])
  t.deepEqual(reportsOf(decoded), [
    'vault_mismatch',
    'vault_mismatch',
    'moved 1293256, expected 1333333',
  ])
})

test('rejects sells into a vault alongside another transfer, where no rate explains what was withheld', (t) => {
  const entry = written((writer) => {
    writeSale(writer, TWO_SALES[0] as Sale)
    writer.transfer({
      from: TOKEN_WALLET,
      to: TOKEN_VAULT,
      authority: TRADER,
      baseUnits: 500_000n,
      fee: 7n,
    })
  })
  t.deepEqual(reportsOf(decodeEntry(entry)), ['vault_mismatch', 'moved 1469993, expected 1500000'])
})

test('reads a sell whose host takes its share from the vault, before the transfer fee', (t) => {
  const decoded = decodeEntry(sold([{ ...(TWO_SALES[0] as Sale), host: 2_000n }]))
  t.deepEqual(swapsOf(decoded).map(amountsOf), [SOLD])
  t.deepEqual(reportsOf(decoded), [])
})

test('publishes the event of a vault that something else moved: its balance shows no leg', (t) => {
  const entry = written((writer) => {
    writeSale(writer, { paid: 1_000_000n, fee: 0n, sent: 5_000_000n })
    // sync_native: whatever lamports the account holds count from here on.
    writer.call(TOKEN_PROGRAMS[0], [SOL_VAULT.key], Uint8Array.of(17))
  })
  const decoded = decodeEntry(withBalance(entry, SOL_VAULT.key, 123_456n))
  t.deepEqual(
    swapsOf(decoded).map(({ solAmount }) => solAmount),
    [5_000_000],
  )
  t.deepEqual(reportsOf(decoded), [])
})

test('subtracts what other transfers of the transaction moved through a vault', (t) => {
  const entry = written((writer) => {
    writeSale(writer, { paid: 1_000_000n, fee: 0n, sent: 5_000_000n })
    writer.transfer({ from: SOL_WALLET, to: SOL_VAULT, authority: TRADER, baseUnits: 999n })
  })
  t.deepEqual(reportsOf(decodeEntry(entry)), [])
  t.deepEqual(
    swapsOf(decodeEntry(entry)).map(({ realSolReserves }) => realSolReserves),
    [89_995_000_000],
  )
})

test('takes no burned tokens of a buyer for a transfer fee', (t) => {
  for (const dex of [2, 3, 9] as const) {
    const entry = encoded([sell(dex, { isBuy: true, transferFeeIn: 0 })])
    const wallet = walletAccount(TRADER, MINT, { decimals: 6, program: TOKEN_PROGRAMS[0] }).key
    const burned = withBurn(entry, wallet, 400_000n)
    t.deepEqual(
      swapsOf(decodeEntry(burned)).map(({ transferFeeOut }) => transferFeeOut),
      [0],
    )
  }
})

/** The same transaction, that burns a part of an account at its end. */
function withBurn(entry: Json, account: string, baseUnits: bigint): Json {
  const copy = withBalance(entry, account, -baseUnits)
  type Message = { accountKeys: string[]; instructions: Json[] }
  const { message } = copy.transaction as { message: Message }
  const at = message.accountKeys.indexOf(account)
  const programIdIndex = message.accountKeys.indexOf(TOKEN_PROGRAMS[0])
  // The first byte of `burn` only, in base58.
  message.instructions.push({ programIdIndex, accounts: [at, 0, 0], data: '9', stackHeight: 1 })
  return copy
}

test('splits withheld base units by one rate, and by none that is not certain', (t) => {
  t.deepEqual(feesOf([1_000n, 500n], 0n), [0n, 0n])
  t.deepEqual(feesOf([1_000n], 17n), [17n])
  t.deepEqual(feesOf([1_000_000n, 333_333n], 40_000n), [30_000n, 10_000n])
  t.is(feesOf([1_000_000n, 333_333n], 40_077n), undefined)
  t.is(feesOf([10n], 11n), undefined)
  t.is(feesOf([], 5n), undefined)
  t.is(feesOf([100n, 100n], -1n), undefined)
  // Rates of 1 to 100 basis points all withhold one unit of each.
  t.deepEqual(feesOf([100n, 100n], 2n), [1n, 1n])
  t.deepEqual(feesOf([100n, 100n], 200n), [100n, 100n])
})
