/**
 * deploy/compose.yaml, which needs images that this machine may not reach: it has the form of the compose specification, all that it
 * names exists, and it agrees with the Dockerfile and the program.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import test from 'ava'
import { SETTINGS } from '../../../deploy/config/settings.ts'
import { readConfig } from '../../../deploy/config.ts'
import { natsBounds } from '../../../deploy/local/servers/nats.ts'
import { metricsPortOf } from '../../../deploy/processes/listening.ts'
import { partsOf } from '../../../deploy/processes/part-options.ts'
import { dockerfile } from '../../support/deploy/dockerfile.ts'
import { ROOT, readText } from '../../support/sources.ts'

type Entry = {
  image?: string
  build?: { context: string; dockerfile: string }
  command?: string[]
  environment?: Record<string, string>
  configs?: { source: string; target: string }[]
  volumes?: string[]
  ports?: string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}
type Compose = {
  services: Record<string, Entry>
  configs: Record<string, { content: string }>
  volumes: Record<string, null>
}

const TEXT = readText('deploy/compose.yaml')
const COMPOSE = parseYaml(TEXT) as Compose
const { services, configs, volumes } = COMPOSE
/** Image, folder of the data there, and port, by the pages of the images. */
const SERVERS = {
  postgres: {
    image: /^timescale\/timescaledb:2\.\d+\.\d+-pg17$/,
    data: '/var/lib/postgresql/data',
  },
  nats: { image: /^nats:2\.10$/, data: '/kept' },
  redis: { image: /^redis:8$/, data: '/data' },
}
const VARIABLE = /\$\{(\w+):-([^}]*)\}/g

function entry(name: string): Entry {
  const found = services[name]
  if (found === undefined) throw new Error(`there is no service "${name}"`)
  return found
}

/** Settings of the service where none of the variables is set. */
const environment = Object.fromEntries(
  Object.entries(entry('swaptide').environment ?? {}).map(([name, value]) => [
    name,
    value.replace(VARIABLE, (_, _name, otherwise) => otherwise),
  ]),
)

test('has the form of the compose specification', (t) => {
  // The specification's own, which the linter brings. Its dialect is named by an address that Ajv does not know.
  const { $schema, ...schema } = JSON.parse(
    readText('node_modules/dclint/schemas/compose.schema.json'),
  )
  t.regex($schema, /draft-07/)
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  t.true(isValid(COMPOSE), JSON.stringify(isValid.errors))
  const wrong = structuredClone(COMPOSE) as { services: Record<string, Record<string, unknown>> }
  Object.assign(wrong.services.nats ?? {}, { port: ['4222:4222'] })
  t.false(isValid(wrong))
})

test('sets settings that the program has, from variables of the same names', (t) => {
  const set = entry('swaptide').environment ?? {}
  t.deepEqual(
    Object.keys(set).filter((name) => !Object.hasOwn(SETTINGS, name)),
    [],
  )
  const variables = Array.from(TEXT.matchAll(/\$\{?(\w+)/g), ([, name]) => name)
  for (const name of variables) t.regex(set[`${name}`] ?? '', /^\$\{\w+:-[^}]*\}$/, name)
  const { host, port, grpcPort, metricsPort } = readConfig(environment)
  t.like({ host, port, grpcPort }, { host: '0.0.0.0', port: 8080, grpcPort: 50051 })
  // The comment lists the port of each process, with the one of a source last.
  const config = readConfig(environment)
  const names = ['API', ...partsOf(config).map(([part]) => part), 'source']
  const ports = names.map((name, at) => `${metricsPortOf({ metricsPort }, at)} (${name})`)
  const [last, ...others] = ports.reverse()
  t.true(TEXT.includes(`swaptide:${others.reverse().join(', ')}, and ${last}`), `${ports}`)
})

test('names the services, accounts, volumes and files that are there', (t) => {
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = entry('postgres').environment ?? {}
  t.is(
    environment.DATABASE_URL,
    `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@postgres:5432/${POSTGRES_DB}`,
  )
  t.is(environment.NATS_URL, 'nats://nats:4222')
  t.is(environment.REDIS_URL, 'redis://redis:6379')
  const stored: (string | undefined)[] = []
  for (const [name, { image, data }] of Object.entries(SERVERS)) {
    t.regex(entry(name).image ?? '', image)
    const [volume, target] = entry(name).volumes?.[0]?.split(':') ?? []
    stored.push(volume)
    t.is(target, data, name)
  }
  const { build, volumes: own, depends_on: needed } = entry('swaptide')
  t.deepEqual(Object.keys(needed ?? {}).sort(), Object.keys(SERVERS).sort())
  for (const [name, { condition }] of Object.entries(needed ?? {})) {
    const isChecked = entry(name).healthcheck !== undefined
    t.is(condition, isChecked ? 'service_healthy' : 'service_started', name)
  }
  const context = join(ROOT, 'deploy', build?.context ?? '')
  t.is(resolve(context), resolve(ROOT))
  t.true(existsSync(join(context, build?.dockerfile ?? 'absent')))
  const [volume, home] = own?.[0]?.split(':') ?? []
  t.deepEqual([...stored, volume].sort(), Object.keys(volumes).sort())
  const { folder } = dockerfile()
  t.is(home, join(folder, SETTINGS.SWAPTIDE_HOME.default))
})

test('opens the ports of the image, on this machine only', (t) => {
  const { ports } = dockerfile()
  t.deepEqual(
    entry('swaptide').ports,
    ports.map((port) => `127.0.0.1:${port}:${port}`),
  )
  const { port, grpcPort } = readConfig(environment)
  t.deepEqual(ports, [port, grpcPort])
  for (const name of Object.keys(SERVERS)) t.is(entry(name).ports, undefined, name)
})

test('gives NATS the bounds of the embedded one', (t) => {
  const { command, configs: given = [] } = entry('nats')
  t.deepEqual(given, [{ source: 'nats', target: command?.[1] ?? '' }])
  t.is(command?.[0], '-c')
  t.is(configs.nats?.content, natsBounds('/kept'))
})

test('takes the service for healthy while /readyz answers 200', async (t) => {
  const { port } = readConfig(environment)
  const [kind, program, ...argv] = entry('swaptide').healthcheck?.test ?? []
  t.deepEqual([kind, program], ['CMD', 'node'])
  t.true(argv.some((text) => text.includes(`:${port}/`)))
  const requested: (string | undefined)[] = []
  let status = 200
  const server = createServer(({ url }, response) => {
    requested.push(url)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  const check = async (): Promise<number> => {
    const texts = argv.map((text) => text.replace(`:${port}/`, `:${own}/`))
    const [code] = await once(spawn(process.execPath, texts, { stdio: 'ignore' }), 'exit')
    return code
  }
  t.is(await check(), 0)
  status = 503
  t.is(await check(), 1)
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
  t.is(await check(), 1)
  t.deepEqual(requested, ['/readyz', '/readyz'])
})
