// The OpenAPI document by two public linters, the rules that each recommends, offline.

import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type IConstructorOpts, Spectral } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import test from 'ava'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'

/** Rules that do not fit, each with its reason. */
const LEFT_OUT = {
  // Health and the documents have no parameters that could be refused.
  'operation-4xx-response': 'off',
} as const

const under = apiForFile({
  adminKey: 'an operator of this test',
  operations: NO_OPERATIONS,
  publicPages: { requestsMax: 600, proxies: [] },
})
const documentOf = async () => (await fetch(`${under().api.url}/openapi.json`)).text()

test('the document is clean by the linter of Redocly', async (t) => {
  const source = await documentOf()
  const config = await createConfig({ extends: ['recommended'], rules: { ...LEFT_OUT } })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  t.deepEqual(
    problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
    ),
    [],
  )
})

async function spectralProblems(source: string): Promise<string[]> {
  const spectral = new Spectral({} as IConstructorOpts)
  spectral.setRuleset({ extends: [[rulesets.oas as never, 'recommended']] })
  const problems = await spectral.run(source)
  return problems.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)
}

test('the document is clean by the linter of Spectral, which finds what is missing', async (t) => {
  const source = await documentOf()
  t.deepEqual(await spectralProblems(source), [])
  const untold = JSON.parse(source)
  delete untold.info.contact
  t.deepEqual(
    (await spectralProblems(JSON.stringify(untold))).map((each) => each.split(' ')[0]),
    ['info-contact'],
  )
})
