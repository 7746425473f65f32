/**
 * The answer of a provider of the Digital Asset Standard (DAS) to getAssetBatch: names of mints by an index of its own. Pure.
 *
 * Law: an asset counts for the mint that its id names, where that was requested; an answer of another form is refused whole.
 */
import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import { OWN_SCHEMA } from '../../domain/own-schema.ts'
import type { TokenTexts } from '../../domain/text/token-text.ts'
import { throwIfRefused, UnusableAnswer } from '../rpc/rpc-answer.ts'

const text = Type.Optional(Type.Unknown())
const asset = Type.Union([
  Type.Null(),
  Type.Object({
    id: Type.String(),
    content: Type.Optional(
      Type.Object({
        json_uri: text,
        metadata: Type.Optional(Type.Object({ name: text, symbol: text })),
      }),
    ),
    token_info: Type.Optional(Type.Object({ symbol: text })),
  }),
])
const assets = Type.Array(asset)
const answered = Type.Object({
  result: Type.Union([assets, Type.Object({ items: assets })]),
})
const ajv = new Ajv(OWN_SCHEMA)
const isAnswered = ajv.compile<Static<typeof answered>>(answered)

export function assetsRequest(mints: readonly string[]): object {
  return { jsonrpc: '2.0', id: 1, method: 'getAssetBatch', params: { ids: mints } }
}

/** Texts by mint; mints that the provider does not know are absent. Throws UnusableAnswer. */
export function readAssets(
  mints: readonly string[],
  answer: unknown,
): ReadonlyMap<string, TokenTexts> {
  throwIfRefused(answer)
  if (!isAnswered(answer)) {
    throw new UnusableAnswer(`not a list of assets: ${ajv.errorsText(isAnswered.errors)}`, false)
  }
  const { result } = answer
  const wanted = new Set(mints)
  const found = new Map<string, TokenTexts>()
  for (const each of Array.isArray(result) ? result : result.items) {
    if (each === null || !wanted.has(each.id)) continue
    const { metadata = {}, json_uri } = each.content ?? {}
    found.set(each.id, {
      ...textOf('name', metadata.name),
      ...textOf('symbol', metadata.symbol ?? each.token_info?.symbol),
      ...textOf('uri', json_uri),
    })
  }
  return found
}

const textOf = (name: keyof TokenTexts, value: unknown): TokenTexts =>
  typeof value === 'string' ? { [name]: value } : {}
