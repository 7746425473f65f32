// Introspection of arguments: texts of few values list them and the default. And how a refusal names them.

import test from 'ava'
import { getNamedType } from 'graphql'
import { nameOf } from '../../../api/graphql/fields.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { asker, introspected } from './ask.ts'

type Schema = { enum?: string[]; items?: { enum?: string[] }; default?: unknown }
type Operation = { security?: []; parameters: { name: string; schema: Schema }[] }
type Document = { paths: Record<string, { get?: Operation }> }

const under = apiForFile()

test('an argument of few values is a text whose description names them and its default', async (t) => {
  const { ask } = await asker(under())
  const fields = (await introspected(ask)).getQueryType()!.getFields()
  const { paths } = (await under().get('/openapi.json')).body as unknown as Document
  const seen = new Set<string>()
  for (const [path, { get }] of Object.entries(paths)) {
    const field = fields[nameOf(path)]
    if (field === undefined || get === undefined || get.security !== undefined) continue
    for (const { name, schema } of get.parameters) {
      const values = schema.enum ?? schema.items?.enum
      if (values === undefined) continue
      const argument = field.args.find((each) => each.name === name)
      const { description } = argument!
      t.is(getNamedType(argument!.type).toString(), 'String', `${path} ${name}`)
      t.true(description?.includes(`one of ${values.join(' ')}`), `${path} ${name}: ${description}`)
      const usual = schema.default === undefined ? /^(?!.*default)/ : `default ${schema.default}`
      t.regex(description!, new RegExp(usual), `${path} ${name}`)
      seen.add(name)
    }
  }
  const named = 'order window timeframe status sort pnl_mode period event extra_windows'
  for (const name of named.split(' ')) t.true(seen.has(name), name)
})

test('reports a refused argument by its name, also where the route names it otherwise', async (t) => {
  const { ask } = await asker(under())
  const { errors = [] } = await ask(
    `{ traderStats(wallet: "a") { wallet } walletChart(wallet: "b") { wallet } swaps(user: "c") { user }
       screener(mints: ["d"]) { total_matches } }`,
  )
  const told = errors.map(({ path, message }) => `${path}: ${/^\w+ "\w+"/.exec(message)}`)
  t.deepEqual(told.sort(), [
    'screener: mints "d"',
    'swaps: user "c"',
    'traderStats: wallet "a"',
    'walletChart: wallet "b"',
  ])
})
