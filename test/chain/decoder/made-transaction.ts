/** Transactions that no chain recorded: calls of any program, and upgrades of programs. */
import { UPGRADEABLE_LOADER } from '../../../chain/decoder/upgrades.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { Json } from '../../support/chain/served-chain.ts'

export const keyAt = (seed: number): string =>
  encodeBase58(Uint8Array.from({ length: 32 }, () => seed))
export const MADE_SIGNATURE = encodeBase58(Uint8Array.from({ length: 64 }, (_, at) => at + 1))

export type Made = { accounts: readonly string[]; program: string; payload: readonly number[] }

/** A transaction that runs the calls, the later ones inside the first, as a node answers with encoding json. */
export function made([outer, ...inner]: readonly [Made, ...Made[]], err: unknown = null): Json {
  const calls = [outer, ...inner]
  const keys = [
    ...new Set([
      keyAt(1),
      ...calls.flatMap((each) => each.accounts),
      ...calls.map(({ program }) => program),
    ]),
  ]
  const instruction = ({ accounts, program, payload }: Made, stackHeight?: number) => ({
    programIdIndex: keys.indexOf(program),
    accounts: accounts.map((key) => keys.indexOf(key)),
    data: encodeBase58(Uint8Array.from(payload)),
    ...(stackHeight === undefined ? {} : { stackHeight }),
  })
  const instructions = inner.map((each) => instruction(each, 2))
  return {
    version: 'legacy',
    transaction: {
      signatures: [MADE_SIGNATURE],
      message: {
        header: {
          numRequiredSignatures: 1,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: 0,
        },
        accountKeys: keys,
        recentBlockhash: keyAt(9),
        instructions: [instruction(outer)],
      },
    },
    meta: {
      err,
      innerInstructions: inner.length === 0 ? [] : [{ index: 0, instructions }],
      logMessages: [
        `Program ${outer.program} invoke [1]`,
        ...inner.flatMap(({ program }) => [
          `Program ${program} invoke [2]`,
          `Program ${program} success`,
        ]),
        `Program ${outer.program} success`,
      ],
      preTokenBalances: [],
      postTokenBalances: [],
      loadedAddresses: { writable: [], readonly: [] },
    },
  }
}

export const number = (value: number): number[] => [value, 0, 0, 0]
export const [DATA, BUFFER, AUTHORITY] = [keyAt(2), keyAt(3), keyAt(4)] as const
export const upgradeOf = (program: string): Made => ({
  program: UPGRADEABLE_LOADER,
  accounts: [DATA, program, BUFFER, keyAt(5), keyAt(6), keyAt(7), AUTHORITY],
  payload: number(3),
})
