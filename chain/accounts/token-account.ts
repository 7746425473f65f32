/**
 * The answer of a Solana node to getTokenAccountsByOwner (jsonParsed), checked and summed by mint. Pure.
 *
 * Law: base units are read from their digits, exactly (an account holds up to 2^64 - 1). An answer with any unreadable
 * account is refused whole: no account is skipped. Native SOL is no token, wrapped in an account or not; a balance of 0
 * is not a holding.
 */
import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import { isAddress } from '../../domain/numbers/base58.ts'
import { OWN_SCHEMA } from '../../domain/own-schema.ts'
import { throwIfRefused, UnusableAnswer } from '../rpc/rpc-answer.ts'

/** Balance of a wallet in one mint, over all its accounts. */
export type TokenBalance = { mint: string; quantity: bigint; decimals: number }

const U64_MAX = 2n ** 64n - 1n

const tokenAccount = Type.Object({
  account: Type.Object({
    data: Type.Object({
      parsed: Type.Object({
        type: Type.Literal('account'),
        info: Type.Object({
          mint: Type.String({ format: 'address' }),
          owner: Type.String({ format: 'address' }),
          isNative: Type.Boolean(),
          tokenAmount: Type.Object({
            amount: Type.String({ pattern: '^\\d{1,20}$' }),
            decimals: Type.Integer({ minimum: 0, maximum: 255 }),
          }),
        }),
      }),
    }),
  }),
})
const answered = Type.Object({ result: Type.Object({ value: Type.Array(tokenAccount) }) })
const ajv = new Ajv({
  ...OWN_SCHEMA,
  formats: { address: { type: 'string', validate: isAddress } },
})
const isAnswered = ajv.compile<Static<typeof answered>>(answered)

/** The body of a request for a wallet's accounts of one program. */
export function accountsRequest(wallet: string, programId: string): object {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'getTokenAccountsByOwner',
    params: [wallet, { programId }, { encoding: 'jsonParsed', commitment: 'confirmed' }],
  }
}

/** Sums by mint of the answers for all programs. Throws UnusableAnswer. */
export function readTokenBalances(wallet: string, answers: readonly unknown[]): TokenBalance[] {
  const byMint = new Map<string, TokenBalance>()
  for (const answer of answers) {
    throwIfRefused(answer)
    if (!isAnswered(answer)) {
      throw new UnusableAnswer(
        `not a list of token accounts: ${ajv.errorsText(isAnswered.errors)}`,
        false,
      )
    }
    for (const { account } of answer.result.value)
      addAccount(byMint, wallet, account.data.parsed.info)
  }
  return [...byMint.values()].filter(({ quantity }) => quantity > 0n)
}

type AccountFields = Static<typeof tokenAccount>['account']['data']['parsed']['info']

function addAccount(
  byMint: Map<string, TokenBalance>,
  wallet: string,
  { mint, owner, isNative, tokenAmount }: AccountFields,
): void {
  const quantity = BigInt(tokenAmount.amount)
  const { decimals } = tokenAmount
  if (owner !== wallet)
    throw new UnusableAnswer(`an account of "${owner}" was not requested`, false)
  if (quantity > U64_MAX)
    throw new UnusableAnswer(`${quantity} is more than an account holds`, false)
  if (isNative) return
  const sum = byMint.get(mint)
  if (sum === undefined) byMint.set(mint, { mint, quantity, decimals })
  else if (sum.decimals === decimals) sum.quantity += quantity
  else
    throw new UnusableAnswer(`mint "${mint}" with ${sum.decimals} and ${decimals} decimals`, false)
}
