/** Parameters and answer of the search. */
import Type from 'typebox'
import { limit, nameFlagList, unknownNames } from '../../routing/schema.ts'

/** The longest URL that browsers send. */
const QUERY_LENGTH_MAX = 2_048

export const ofSearch = Type.Object({
  q: Type.String({
    format: 'plain-text',
    minLength: 1,
    maxLength: QUERY_LENGTH_MAX,
    description:
      'Beginning of a mint, pool, wallet, symbol or name (symbols and names by NFKC, whatever their case, ' +
      'without invisible characters), a whole signature, or a URL with such an address or signature in it',
  }),
  limit: limit(100, 20),
  unsupported: unknownNames,
})

const found = Type.Object(
  {
    kind: Type.Enum(['token', 'pool', 'wallet', 'transaction']),
    id: Type.String({ description: 'Mint, pool account, wallet or signature' }),
    label: Type.String({ description: 'For people' }),
    score: Type.Number({ description: 'How well it fits, 0 to 1' }),
    name_flags: nameFlagList,
  },
  { $id: 'SearchResult' },
)

export const results = Type.Object(
  {
    results: Type.Array(found),
    warnings: Type.Array(Type.String({ description: 'Part of the request that had no effect' })),
  },
  { title: 'SearchResults' },
)
