// Introspection of arguments: those of few values are enums, or texts that list them. And how a refusal names them.

import test from 'ava'
import { getNamedType, isEnumType } from 'graphql'
import { fieldName } from '../../../api/graphql/fields.ts'
import { declaredRoutes } from '../../../api/served-text.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { sampleSwap } from '../../support/market/sample-swap.ts'
import { asker, introspected } from './send-query.ts'

/** Fields of Query by the path of their route. */
const fieldNames = new Map(
  declaredRoutes().map((route) => [route.path as string, fieldName(route)]),
)

type Schema = { enum?: string[]; items?: { enum?: string[] }; default?: unknown }
type Operation = { security?: []; parameters: { name: string; schema: Schema }[] }
type Document = { paths: Record<string, { get?: Operation }> }

const under = apiForFile()

test('an argument of few values is an enum of them, or a text that lists them where one is no name', async (t) => {
  const { send } = await asker(under())
  const fields = (await introspected(send)).getQueryType()!.getFields()
  const { paths } = (await under().get('/openapi.json')).body as unknown as Document
  const seen = new Set<string>()
  const enums = new Set<string>()
  for (const [path, { get }] of Object.entries(paths)) {
    const field = fields[fieldNames.get(path) ?? '']
    if (field === undefined || get === undefined || get.security !== undefined) continue
    for (const { name, schema } of get.parameters) {
      const values = schema.enum ?? schema.items?.enum
      if (values === undefined) continue
      const argument = field.args.find((each) => each.name === name)
      const { description } = argument!
      const type = getNamedType(argument!.type)
      const isClosed = values.every((value) => /^[a-z_]\w*$/.test(value)) && name !== 'pnl_mode'
      t.is(isEnumType(type), isClosed, `${path} ${name}`)
      if (isEnumType(type)) {
        t.deepEqual(
          type.getValues().map((each) => each.name),
          values,
        )
        enums.add(name)
      } else t.is(type.toString(), 'String', `${path} ${name}`)
      t.true(description?.includes(`one of ${values.join(' ')}`), `${path} ${name}: ${description}`)
      const usual = schema.default === undefined ? /^(?!.*default)/ : `default ${schema.default}`
      t.regex(description!, new RegExp(usual), `${path} ${name}`)
      seen.add(name)
    }
  }
  const named = 'order window timeframe status sort pnl_mode period event extra_windows'
  for (const name of named.split(' ')) t.true(seen.has(name), name)
  t.deepEqual([...enums].sort(), ['by', 'event', 'include', 'order', 'sort', 'status', 'width'])
})

test('reports a refused argument by its name, also where the route names it otherwise', async (t) => {
  const { send } = await asker(under())
  const { errors = [] } = await send(
    `{ traderStats(wallet: "a") { wallet } walletChart(wallet: "b") { wallet } swaps(user: "c") { user }
       screener(mints: ["d"]) { total_matches } }`,
  )
  const reported = errors.map(({ path, message }) => `${path}: ${/^\w+ "\w+"/.exec(message)}`)
  t.deepEqual(reported.sort(), [
    'screener: mints "d"',
    'swaps: user "c"',
    'traderStats: wallet "a"',
    'walletChart: wallet "b"',
  ])
})

test('an enum is written as REST writes its text, and takes no text', async (t) => {
  const { send } = await asker(under())
  await insertSwaps(under().db, [sampleSwap({ isBuy: false })])
  const { data, errors } = await send('{ swaps(order: asc) { swap_type } protocols { kind } }')
  t.is(errors, undefined)
  t.deepEqual(data?.swaps, [{ swap_type: 'sell' }])
  const { body } = await under().get('/api/v1/protocols')
  t.deepEqual(
    data?.protocols,
    body.data.map(({ kind }) => ({ kind })),
  )
  const variable = 'query ($order: Order) { swaps(order: $order) { slot } }'
  t.is((await send(variable, { order: 'desc' })).errors, undefined)
  for (const refused of ['"asc"', 'newest']) {
    const { status, errors: failures } = await send(`{ swaps(order: ${refused}) { slot } }`)
    t.is(status, 400, refused)
    t.regex(failures?.[0]?.message ?? '', /Order/, refused)
  }
})
