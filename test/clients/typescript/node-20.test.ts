// The packed client where the platform has no WebSocket: it names that, and reads the feed by the package "ws".

import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { feedApi } from '../../support/feed/feed-api.ts'
import { writeFeed } from '../../support/feed/written-feed.ts'
import { commandEnvironment } from '../../support/programs/commands.ts'
import { ROOT } from '../../support/sources.ts'
import { packClient, run } from './packed.ts'

const WS = pathToFileURL(join(ROOT, 'node_modules/ws/wrapper.mjs')).href
const PROGRAM = `
import { createClient, SwaptideError } from '@swaptide/client'
import WebSocket from '${WS}'
const [url, key, cursor] = process.argv.slice(2)
const client = createClient({ url, key, timeoutMs: 60_000 })
console.log((await client.getCredits()).tier)
try {
  await client.feed({ channel: 'swaps' }).next()
} catch (error) {
  console.log(error instanceof SwaptideError, error.code, error.message)
}
for (const feed of [
  client.feed({ channel: 'swaps', from: { cursor }, WebSocket }),
  createClient({ url, key, WebSocket }).feed({ channel: 'swaps', from: { cursor } }),
]) {
  const { value } = await feed.next()
  console.log(typeof value.slot, value.slot)
  await feed.return()
}
// A connection that is closed before it opens must not end the program.
const ended = new AbortController()
const early = createClient({ url, key, WebSocket }).feed({ channel: 'swaps', signal: ended.signal })
const next = early.next()
ended.abort()
console.log((await next).done)
`

/** A Node.js of version 20 on this machine. */
const NODE_20 = (commandEnvironment({}).PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'))

const cases = [
  ['Node.js without WebSocket', process.execPath, ['--no-experimental-websocket']],
  ['Node.js 20', NODE_20, []],
] as const

for (const [name, node, options] of cases) {
  const title = `the packed client on ${name}${node === undefined ? ' (skipped: this machine has none)' : ''}`
  const inNode = node === undefined ? test.skip : test
  inNode(title, async (t) => {
    const { pipeline, api, keyFor } = await feedApi(t)
    const { key } = await keyFor('enterprise')
    await writeFeed(pipeline, 0, 20, 10)
    const { folder, archive } = await packClient(t)
    const installed = join(folder, 'user/node_modules/@swaptide/client')
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xf', archive, '-C', installed, '--strip-components=1'])
    const program = join(folder, 'user/program.mjs')
    await writeFile(program, PROGRAM)
    const cursor = `${pipeline.topology.feed.epoch}-0`
    const { stdout } = await run(String(node), [...options, program, api.url, key, cursor])
    t.deepEqual(stdout.trim().split('\n'), [
      'enterprise',
      'true NO_WEBSOCKET this platform has no WebSocket: run Node.js 22 or later, or name the class of the package "ws" as `WebSocket`',
      'bigint 1000n',
      'bigint 1000n',
      'true',
    ])
  })
}

test('its types need those of Node.js only, and accept the classes of "ws" and of the platform', async (t) => {
  const { folder, archive } = await packClient(t)
  const modules = join(folder, 'user/node_modules')
  await mkdir(join(modules, '@swaptide/client'), { recursive: true })
  await run('tar', [
    '-xf',
    archive,
    '-C',
    join(modules, '@swaptide/client'),
    '--strip-components=1',
  ])
  for (const name of ['@types', 'ws', 'undici-types']) {
    await symlink(join(ROOT, 'node_modules', name), join(modules, name))
  }
  await writeFile(
    join(folder, 'user/use.mts'),
    `import WebSocket from 'ws'
     import { createClient, type Swap } from '@swaptide/client'
     const url = 'http://127.0.0.1:8080'
     createClient({ url, WebSocket: globalThis.WebSocket })
     const client = createClient({ url, WebSocket, timeoutMs: 1_000 })
     export const next = ({ slot, dex, pair_address }: Swap) => {
       void client.listSwapsInRange({ start_slot: slot, dex, pair_address })
       return client.feed({ channel: 'swaps', from: { slot }, filter: { venues: [dex] } }).next()
     }`,
  )
  const options = { target: 'es2022', lib: ['es2022'], types: ['node'], module: 'nodenext' }
  const compilerOptions = { ...options, strict: true, noEmit: true, skipLibCheck: false }
  const project = join(folder, 'user/tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions, files: ['use.mts'] }))
  const compiler = join(ROOT, 'clients/typescript/node_modules/typescript/bin/tsc')
  await t.notThrowsAsync(run(process.execPath, [compiler, '-p', project]))
})
