/** The workflow of a public forge runs what CI runs anywhere, on every Node that the package states it supports. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import test from 'ava'
import { ROOT, readText } from '../../support/sources.ts'

type Step = { uses?: string; run?: string; with?: Record<string, unknown> }
type Workflow = {
  jobs: Record<
    string,
    { 'timeout-minutes': number; strategy: { matrix: { node: number[] } }; steps: Step[] }
  >
}

test('CI runs its one program on the oldest Node that is supported and on each later LTS', (t) => {
  const { jobs } = parseYaml(readText('.github/workflows/ci.yml')) as Workflow
  t.deepEqual(Object.keys(jobs), ['test'])
  const { steps, strategy, 'timeout-minutes': minutes } = jobs.test as Workflow['jobs'][string]
  const { engines, dependencies } = JSON.parse(readText('package.json'))
  const { node } = strategy.matrix
  t.is(`>=${node[0]}`, engines.node)
  t.is(node.at(-1), Number.parseInt(dependencies.node, 10))
  t.deepEqual(
    node,
    node.map((_, at) => (node[0] ?? 0) + 2 * at),
  )
  t.is(minutes, 90)
  const [checkout, setup, ...runs] = steps
  // The upgrade test takes an earlier commit from the history.
  t.is(checkout?.with?.['fetch-depth'], 0)
  t.regex(`${setup?.uses}`, /^actions\/setup-node@v\d+$/)
  t.deepEqual(runs, [{ run: 'bash .ci/run' }])
  t.true(existsSync(join(ROOT, '.ci/run')))
})
