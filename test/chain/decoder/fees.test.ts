// The fee of each venue, from the event or the transfers that state it; 0 where it is in the token or not stated.

import test from 'ava'
import { WSOL_MINT } from '../../../chain/decoder/venue-swap.ts'
import { addressOf } from '../../../chain/encoder/keys.ts'
import { bytesOfHex, writeFields } from '../../../chain/encoder/payload.ts'
import { placed, vaultOf, walletAccount } from '../../../chain/encoder/swap-call.ts'
import { TOKEN_PROGRAMS } from '../../../chain/transaction/token-program.ts'
import { DLMM_SWAP, DLMM_SWAP2 } from '../../../chain/venues/meteora-dlmm/generated.ts'
import { DLMM_SWAP_AT } from '../../../chain/venues/meteora-dlmm/layout.ts'
import { venueOf } from '../../../domain/venue.ts'
import { chainLines, decodeChainFile } from '../../support/chain/real-chain.ts'
import { SWAP } from '../../support/events/sample-event.ts'
import {
  decodeEntry,
  encoded,
  swapsOf,
  TRADER,
  written,
} from '../../support/transactions/made-transaction.ts'

/** By recorded transaction and index of the swap: the fee that the event states, or the buyer's transfer. */
const RECORDED: readonly (readonly [dex: number, file: string, ixIndex: number, fee: number])[] = [
  // Events of 129 bytes state none. The buyer pays it by a transfer, the seller by none.
  [1, '628Q5CDNX5mW8pmH', 0, 3_920_792],
  [1, '5839B8x1gBRJHHbA', 0, 980_199],
  [1, '3bYXWjjNkVZpz3VW', 0, 0],
  [1, '4RUXQBSXzATG3dgG', 0, 928_889],
  [2, '2F7KM7K1cZBmmmLv', 0, 2_959_032],
  // Version 1 of the event states none.
  [5, '4Jz5XNzTzd4HRgBi', 0, 0],
  // A sell: the fee is in the token.
  [6, '2nLWcmrav8Zinvms', 0, 0],
  // A fee of the second token, paid and received.
  [7, '2s3oqoKbj2eN6UUA', 0, 12_000_000],
  [7, '5UTN4vmeWbfQniQ5', 0, 6_289_817],
  [7, '3MjwWppMFExZuMtT', 0, 2_471_397],
  // A fee of what the pool sends: tokens, then SOL.
  [7, '3qkopPqccubHBNNL', 0, 0],
  [7, 'D15rV1do8MJmA6jq', 0, 4_720_602],
  // SOL is the first token, the fee one of the second.
  [7, '3iDFzePTPFkijK6q', 0, 0],
  [8, '64KX3tNbhE4XwgnV', 0, 16_000_000],
  [8, '5qZ1Di2aMNpPxq82', 0, 9_876_544],
  [8, '5sGzof9AgsMUR6pU', 0, 5_202_534],
  // A fee of the token that the curve sends.
  [8, '5bQqZU4gbr8g5N43', 0, 0],
  [9, '32qhB3DwWNjA3pao', 0, 2_222_747],
  [9, 'pDKjipqx9M5dYr3m', 0, 0],
  [10, '2qnpqtBFFYeKMw27', 0, 8_000_000],
  [10, 'Guw8Q7S29VRAAMzD', 0, 0],
]

test('reads the fee of recorded swaps where event or transfers state it in SOL', (t) => {
  for (const [dex, file, ixIndex, fee] of RECORDED) {
    const swap = swapsOf(decodeChainFile(`transactions/${file}.json`)).find(
      (each) => each.dex === dex && each.ixIndex === ixIndex,
    )
    t.is(swap?.fee, fee, `venue ${dex} in ${file}`)
  }
})

test('reads a fee of 0.25 % of every swap of venue 3', (t) => {
  const swaps = swapsOf(decodeChainFile('block_285000037.json.gz')).filter(({ dex }) => dex === 3)
  t.true(swaps.length > 50 && chainLines('EXPECTED.ndjson').length > 0)
  for (const { solAmount, fee, feeBps } of swaps) {
    t.is(fee, Math.floor((Number(solAmount) * 25) / 10_000))
    t.is(feeBps, 25)
  }
})

test('reads the fee of buys of venue 6 from its event, and none without it', (t) => {
  const reserves = { realSolReserves: 5_000_000, realTokenReserves: 7_000_000 }
  const facts = { ...SWAP, ...reserves, dex: 6, user: TRADER, fee: 777, priceAfter: 1 } as const
  const feeOf = (isBuy: boolean, age: 0 | 4) =>
    swapsOf(decodeEntry(encoded([{ ...facts, isBuy }], { age }))).map(({ fee }) => fee)
  t.deepEqual(feeOf(true, 4), [777])
  t.deepEqual(feeOf(true, 0), [0])
  t.deepEqual(feeOf(false, 4), [0])
})

const DLMM = venueOf(9).program
const POOL = addressOf('pool')
const TOKEN = addressOf('token')
const [PROGRAM] = TOKEN_PROGRAMS

/** A swap of venue 9 whose newer event states that the fee is one of what the pool sends, or of what it receives. */
function feeOfDlmm(isBuy: boolean, isFeeOfInput: boolean): unknown {
  const accounts = (mint: string, decimals: number) => [
    walletAccount(TRADER, mint, { decimals, program: PROGRAM }),
    vaultOf(POOL, mint, { decimals, program: PROGRAM, before: 1_000_000_000n }),
  ]
  const [solWallet, solVault] = accounts(WSOL_MINT, 9)
  const [tokenWallet, tokenVault] = accounts(TOKEN, 6)
  if (!solWallet || !solVault || !tokenWallet || !tokenVault) return undefined
  const [from, vaultIn, vaultOut, to] = isBuy
    ? [solWallet, solVault, tokenVault, tokenWallet]
    : [tokenWallet, tokenVault, solVault, solWallet]
  const entry = written((writer) => {
    const keys = { vaultX: tokenVault.key, vaultY: solVault.key, trader: TRADER }
    writer.call(DLMM, placed(DLMM_SWAP_AT, keys, 15), bytesOfHex('414b3f4ceb5b5b88'), () => {
      writer.transfer({ from, to: vaultIn, authority: TRADER, baseUnits: 5_000n })
      writer.transfer({ from: vaultOut, to, authority: vaultOut.owner, baseUnits: 7_000n })
      const common = { lb_pair: POOL, amount_in: 5_000n, amount_out: 7_000n, swap_for_y: !isBuy }
      const flags = { fees_on_input: isFeeOfInput, fees_on_token_x: isFeeOfInput !== isBuy }
      writer.emit(DLMM, writeFields(DLMM_SWAP, { ...common, fee: 31n }))
      writer.emit(DLMM, writeFields(DLMM_SWAP2, { ...common, ...flags, mm_fee: 31n }))
    })
  })
  return swapsOf(decodeEntry(entry)).map(({ fee }) => fee)
}

test('reads the fee of venue 9 on the side that the newer event states', (t) => {
  t.deepEqual(feeOfDlmm(true, true), [31])
  t.deepEqual(feeOfDlmm(true, false), [0])
  t.deepEqual(feeOfDlmm(false, true), [0])
  t.deepEqual(feeOfDlmm(false, false), [31])
})
