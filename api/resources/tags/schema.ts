/** Parameters and response of wallet tags. */
import Type, { type Static } from 'typebox'
import { TAGS } from '../../../domain/wallet/wallet-tag.ts'
import { accountAddress, wallet } from '../../routing/schema.ts'

export const ofTags = Type.Object({ wallet })

const computedAt = (description: string) => Type.Integer({ minimum: 0, description })

export const walletTags = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    tags: Type.Array(
      Type.Object(
        {
          tag: Type.Enum([...TAGS], { title: 'Tag' }),
          score: Type.Number({ minimum: 0, maximum: 1 }),
          mint: accountAddress({ description: 'The token for which it has the tag' }),
          computed_at: computedAt('Unix seconds'),
        },
        { title: 'WalletTag' },
      ),
      { description: 'One a tag and mint, the strongest first' },
    ),
    computed_at: computedAt('Unix seconds of the newest profile; 0: never profiled'),
  },
  { title: 'WalletTags' },
)
export type WalletTagsAnswer = Static<typeof walletTags>
