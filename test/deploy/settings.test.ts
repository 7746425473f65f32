/** Files of settings for programs that are not started here, compared with the product's behaviour. */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import test from 'ava'
import { readConfig } from '../../deploy/config.ts'
import { TARGETS_FILE } from '../../deploy/processes/metrics-targets.ts'
import { ROOT } from '../support/sources.ts'

const pathOf = (name: string): string => join(ROOT, 'deploy', name)
const read = (name: string): string => readFileSync(pathOf(name), 'utf8')

type Prometheus = Record<'scrape_configs', { file_sd_configs?: { files: string[] }[] }[]>

test('prometheus.yaml, started from the root, finds the list that up writes', (t) => {
  const { scrape_configs } = parseYaml(read('prometheus.yaml')) as Prometheus
  const files = scrape_configs.flatMap(({ file_sd_configs = [] }) =>
    file_sd_configs.flatMap((listed) => listed.files),
  )
  // Prometheus resolves paths from the folder of its own file.
  const found = files.map((file) => resolve(dirname(pathOf('prometheus.yaml')), file))
  // `npm start` resolves paths from the folder in which it runs, which is the root for tests, too.
  t.deepEqual(found, [join(readConfig({}).home, TARGETS_FILE)])
  t.is(dirname(readConfig({}).home), ROOT.replace(/\/$/, ''))
})
