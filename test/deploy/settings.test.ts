/** Files of settings for programs that are not started here, held against what the product itself does. */
import { readFileSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'
import test from 'ava'
import { natsBounds } from '../../deploy/local/nats.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

type Compose = {
  services: Record<string, { command: string[]; configs?: { source: string; target: string }[] }>
  configs: Record<string, { content: string }>
}

test('the NATS of compose.yaml has the bounds of the embedded one', (t) => {
  const { services, configs } = parseYaml(read('compose.yaml')) as Compose
  const { command, configs: given = [] } = services.nats ?? { command: [] }
  t.deepEqual(given, [{ source: 'nats', target: command[1] ?? '' }])
  t.is(command[0], '-c')
  t.is(configs.nats?.content, natsBounds('/kept'))
})
