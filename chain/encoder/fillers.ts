/**
 * Transactions of a block that yield no event: votes, and swaps that failed. Pure.
 */
import { addressOf, drawOf, isDrawn, signatureOf } from './keys.ts'
import type { Json } from './transaction-writer.ts'

const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111'
const FAILED_PERCENT = 6
const VALIDATORS = 50
const VOTE_LAMPORTS = 5_000
const LAMPORTS = 38_674_338_166

/** A vote, or at times the failed transaction that `fail` makes. */
export function fillerOf(name: string, fail: () => Json): Json {
  return isDrawn(name, FAILED_PERCENT) ? fail() : voteOf(name)
}

function voteOf(name: string): Json {
  const validator = drawOf(name) % VALIDATORS
  const keys = [addressOf(`validator ${validator}`), addressOf(`votes ${validator}`), VOTE_PROGRAM]
  return {
    transaction: {
      signatures: [signatureOf(name)],
      message: {
        header: {
          numRequiredSignatures: 1,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: 1,
        },
        accountKeys: keys,
        recentBlockhash: addressOf('recent blockhash'),
        instructions: [
          { programIdIndex: 2, accounts: [1, 0], data: 'Fk63PYDUa97', stackHeight: 1 },
        ],
      },
    },
    meta: {
      err: null,
      status: { Ok: null },
      fee: VOTE_LAMPORTS,
      preBalances: [LAMPORTS, LAMPORTS, 1],
      postBalances: [LAMPORTS - VOTE_LAMPORTS, LAMPORTS, 1],
      innerInstructions: [],
      logMessages: [`Program ${VOTE_PROGRAM} invoke [1]`, `Program ${VOTE_PROGRAM} success`],
      preTokenBalances: [],
      postTokenBalances: [],
      rewards: [],
      loadedAddresses: { writable: [], readonly: [] },
      computeUnitsConsumed: 2_100,
    },
    version: 'legacy',
  }
}
