/** Schema of a mint's audit: its authorities, their holders and on-chain facts. */
import Type, { type Static } from 'typebox'
import { MINT_PROGRAMS } from '../../../chain/accounts/mint-account.ts'
import { MINT_CHECKS } from '../../../chain/accounts/mint-check.ts'
import { accountAddress, nullable, unbounded } from '../../routing/schema.ts'

export const ofAudit = Type.Object({ mint: accountAddress({ description: 'Mint' }) })

const authority = (description: string) => nullable(Type.String({ description }))

const onchainMint = Type.Object(
  {
    program: Type.Enum([...MINT_PROGRAMS]),
    decimals: Type.Integer({ minimum: 0 }),
    supply: unbounded({ minimum: 0, description: 'Base units, uint64' }),
    mint_authority: authority('Authority that may mint more; null: revoked'),
    freeze_authority: authority('Authority that may freeze accounts; null: revoked'),
    transfer_fee_bps: Type.Integer({
      minimum: 0,
      description: 'The greater of the current and the scheduled fee',
    }),
    extensions: Type.Array(Type.String(), { description: 'Extensions of Token-2022, by name' }),
  },
  { title: 'OnchainMint' },
)

export const audit = Type.Object(
  {
    mint: accountAddress({ description: 'Mint' }),
    indexed: Type.Boolean({ description: 'Whether any event of it is indexed' }),
    onchain_status: Type.Enum(['mint', 'no_mint', 'absent', 'unavailable', 'not_configured'], {
      description:
        'mint: read from a node; no_mint: another kind of account; absent: no account; unavailable: ' +
        'the node did not answer; not_configured: no node is configured',
    }),
    onchain: nullable(onchainMint),
    checks: Type.Array(
      Type.Object(
        {
          name: Type.Enum([...MINT_CHECKS]),
          passed: nullable(Type.Boolean({ description: 'null: not known' })),
          detail: nullable(Type.String({ description: 'Holder of the power, or its setting' })),
        },
        { title: 'MintCheck' },
      ),
    ),
    computed_at: Type.Integer({ minimum: 0, description: 'Unix ms' }),
  },
  { title: 'TokenAudit' },
)
export type AuditAnswer = Static<typeof audit>
