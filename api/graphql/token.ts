/**
 * Token lookup: a field `token` on every type with `token_address` or `mint`, read
 * for all rows of an answer in one statement.
 */

import {
  GraphQLBoolean,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  GraphQLString,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { solToUsd } from '../../domain/amount.ts'
import { NAME_FLAGS, nameFlags } from '../../domain/text/name-flags.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { IMAGE_TEXT, URI_TEXT } from '../resources/tokens/schema.ts'
import { ApiError } from '../routing/error.ts'
import { TOKEN_TEXTS } from '../routing/schema.ts'
import type { GraphqlContext, TokenRow } from './context.ts'
import type { Row } from './shapes.ts'

const TYPE_NAME = 'Token'

const listTokens = query<TokenRow>('graphql/list_tokens')

/** One token per mint, in the order of `mints`; undefined for an unknown mint. */
export async function readTokens(
  db: Queryable,
  mints: readonly string[],
): Promise<(TokenRow | undefined)[]> {
  const rows = await listTokens(db, [mints])
  const byMint = new Map(rows.map((row) => [row.mint, row]))
  return mints.map((mint) => byMint.get(mint))
}

export type TokenType = GraphQLObjectType<TokenRow, GraphqlContext>

export const tokenType = (int64: GraphQLScalarType): TokenType =>
  new GraphQLObjectType({
    name: TYPE_NAME,
    fields: {
      mint: { type: new GraphQLNonNull(GraphQLString) },
      symbol: { type: GraphQLString, description: TOKEN_TEXTS.name },
      name: { type: GraphQLString, description: TOKEN_TEXTS.name },
      name_flags: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))),
        description: `Deceptive traits of symbol or name: ${NAME_FLAGS.join(' ')}`,
        resolve: ({ symbol, name }) => nameFlags(symbol, name),
      },
      decimals: {
        type: GraphQLInt,
        description: TOKEN_TEXTS.decimals,
      },
      creator: {
        type: GraphQLString,
        description: TOKEN_TEXTS.creator,
      },
      sector: { type: GraphQLString, description: 'Set by operators' },
      uri: { type: GraphQLString, description: URI_TEXT },
      image: { type: GraphQLString, description: IMAGE_TEXT },
      price_sol: {
        type: GraphQLFloat,
        description: 'Last executed price in its top pool, SOL per whole token; null without any',
        resolve: ({ price }) => price,
      },
      price_usd: {
        type: GraphQLFloat,
        description: 'The same in US dollars, by the rate of now',
        resolve: ({ price, sol_usd: rate }) => solToUsd(price, rate),
      },
      price_timestamp: {
        type: int64,
        description: TOKEN_TEXTS.priceTime,
        resolve: ({ price_ms }) => price_ms,
      },
      price_stale: {
        type: GraphQLBoolean,
        description: 'Whether that trade is older than a day; null without a price',
        resolve: ({ price_is_stale }) => price_is_stale,
      },
    },
  })

export function tokenFields(
  token: TokenType,
  names: ReadonlySet<string>,
): GraphQLFieldConfigMap<Row, GraphqlContext> {
  const mintField = ['token_address', 'mint'].find((name) => names.has(name))
  if (mintField === undefined || names.has('token')) return {}
  return {
    token: {
      type: token,
      description: 'Metadata of the token; null while it is unknown',
      resolve: ({ [mintField]: mint }, _args, { reads }) =>
        typeof mint === 'string' ? reads.token(mint) : null,
    },
  }
}

/** Throws ApiError where the query of an answer as of a slot selects a token: its facts and prices are those of now. */
export function refuseTokens(moment: string, run: GraphQLResolveInfo): void {
  if (!run.fieldNodes.some((node) => selectsToken(node.selectionSet, run.returnType, run))) return
  throw new ApiError(
    'AS_OF_UNSUPPORTED',
    `token does not support ${moment}: use tokensStats or prices with it`,
  )
}

function selectsToken(
  set: SelectionSetNode | undefined,
  of: GraphQLOutputType,
  run: Pick<GraphQLResolveInfo, 'fragments'>,
): boolean {
  const type = getNamedType(of)
  if (type.name === TYPE_NAME) return true
  if (set === undefined || !isObjectType(type)) return false
  return set.selections.some((each) => {
    if (each.kind === Kind.FIELD) {
      const field = type.getFields()[each.name.value]
      return field !== undefined && selectsToken(each.selectionSet, field.type, run)
    }
    const part = each.kind === Kind.INLINE_FRAGMENT ? each : run.fragments[each.name.value]
    return selectsToken(part?.selectionSet, of, run)
  })
}
