// The OpenAPI document by the linter of the Redocly command, its recommended rules, offline.

import { createConfig, lintFromString } from '@redocly/openapi-core'
import test from 'ava'
import { apiUnderTest } from '../../support/api/api-under-test.ts'

/** Rules that do not fit, each with its reason. */
const LEFT_OUT = {
  // Health and the documents have no parameters that could be refused.
  'operation-4xx-response': 'off',
} as const

test('the document is clean by a public linter', async (t) => {
  const { api } = await apiUnderTest(t, { adminKey: 'an operator of this test' })
  const source = await (await fetch(`${api.url}/openapi.json`)).text()
  const config = await createConfig({ extends: ['recommended'], rules: { ...LEFT_OUT } })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  t.deepEqual(
    problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
    ),
    [],
  )
})
