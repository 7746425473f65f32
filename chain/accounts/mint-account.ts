/**
 * The answer of a Solana node to getAccountInfo (jsonParsed) about a mint, checked. Pure.
 *
 * Law: the supply is read from its digits, exactly (up to 2^64 - 1). An account of a token program that the node could
 * not parse is unknown: it must not pass for a mint without extensions.
 */
import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import { isAddress } from '../../domain/numbers/base58.ts'
import { OWN_SCHEMA } from '../../domain/own-schema.ts'
import { throwIfRefused, UnusableAnswer } from '../rpc/rpc-answer.ts'
import { TOKEN_PROGRAMS } from '../transaction/token-program.ts'

export const MINT_PROGRAMS = ['spl-token', 'spl-token-2022'] as const
type MintProgram = (typeof MINT_PROGRAMS)[number]

/** By the node's name: `transferFeeConfig`, `permanentDelegate`. Some have no state. */
export type MintExtension = { name: string; state: Readonly<Record<string, unknown>> }

export type MintAccount = {
  program: MintProgram
  decimals: number
  /** Base units. */
  supply: bigint
  /** Addresses that may mint more and freeze accounts; null: none, for ever. */
  mintAuthority: string | null
  freezeAuthority: string | null
  extensions: readonly MintExtension[]
  /** Epoch of the chain by the node; null where it is missing. */
  epoch: number | null
}

/** The account at an address. */
export type FoundAccount =
  | { kind: 'mint'; account: MintAccount }
  | { kind: 'absent' }
  | { kind: 'no_mint' }

const PROGRAM_OF_OWNER: ReadonlyMap<string, MintProgram> = new Map([
  [TOKEN_PROGRAMS[0], 'spl-token'],
  [TOKEN_PROGRAMS[1], 'spl-token-2022'],
])
const U64_MAX = 2n ** 64n - 1n
/** Slots of an epoch of the chain, the same since its first slot. */
const SLOTS_PER_EPOCH = 432_000

const holder = Type.String({ format: 'address' })
const authority = Type.Union([holder, Type.Null()])
const answered = Type.Object({
  result: Type.Object({
    context: Type.Optional(Type.Object({ slot: Type.Integer({ minimum: 0 }) })),
    value: Type.Union([
      Type.Null(),
      Type.Object({
        owner: holder,
        data: Type.Union([
          Type.Object({ parsed: Type.Object({ type: Type.String() }) }),
          Type.Array(Type.Unknown()),
        ]),
      }),
    ]),
  }),
})
const parsedMint = Type.Object({
  info: Type.Object({
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    supply: Type.String({ pattern: '^\\d{1,20}$' }),
    isInitialized: Type.Boolean(),
    mintAuthority: authority,
    freezeAuthority: authority,
    extensions: Type.Optional(
      Type.Array(
        Type.Object({
          extension: Type.String({ minLength: 1, maxLength: 100 }),
          state: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        }),
      ),
    ),
  }),
})

const ajv = new Ajv({
  ...OWN_SCHEMA,
  formats: { address: { type: 'string', validate: isAddress } },
})
const isAnswered = ajv.compile<Static<typeof answered>>(answered)
const isParsedMint = ajv.compile<Static<typeof parsedMint>>(parsedMint)

/** The body of a request for the account at an address. */
export function accountRequest(mint: string): object {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'getAccountInfo',
    params: [mint, { encoding: 'jsonParsed', commitment: 'confirmed' }],
  }
}

/** Throws UnusableAnswer. */
export function readFoundAccount(answer: unknown): FoundAccount {
  throwIfRefused(answer)
  if (!isAnswered(answer)) {
    throw new UnusableAnswer(`not an account: ${ajv.errorsText(isAnswered.errors)}`, false)
  }
  const { value, context } = answer.result
  if (value === null) return { kind: 'absent' }
  const program = PROGRAM_OF_OWNER.get(value.owner)
  if (program === undefined) return { kind: 'no_mint' }
  if (Array.isArray(value.data)) {
    throw new UnusableAnswer('an account of a token program that the node did not parse', false)
  }
  const { parsed } = value.data
  if (parsed.type !== 'mint') return { kind: 'no_mint' }
  if (!isParsedMint(parsed)) {
    throw new UnusableAnswer(`not a mint: ${ajv.errorsText(isParsedMint.errors)}`, false)
  }
  const epoch = context === undefined ? null : Math.floor(context.slot / SLOTS_PER_EPOCH)
  return accountOf(program, parsed.info, epoch)
}

function accountOf(
  program: MintProgram,
  fields: Static<typeof parsedMint>['info'],
  epoch: number | null,
): FoundAccount {
  const { decimals, mintAuthority, freezeAuthority, extensions = [] } = fields
  if (!fields.isInitialized) return { kind: 'no_mint' }
  const supply = BigInt(fields.supply)
  if (supply > U64_MAX) throw new UnusableAnswer(`${supply} is more than a mint has`, false)
  const account = {
    program,
    decimals,
    supply,
    mintAuthority,
    freezeAuthority,
    extensions: extensions.map(({ extension: name, state = {} }) => ({ name, state })),
    epoch,
  }
  return { kind: 'mint', account }
}
