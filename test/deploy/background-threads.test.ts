/** How every process of `swaptide` is started: with room, in huge pages, and with background threads that give way. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { NODE_FLAGS } from '../bench/node-flags.ts'
import { SWAPTIDE } from '../support/commands.ts'

const LISTING = `
  const { readdirSync, readFileSync } = require('node:fs')
  const threads = readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync('/proc/self/task/' + thread + '/stat', 'latin1')
    const [, name, rest] = /\\((.*)\\) (.*)/.exec(stat)
    return [name, Number(rest.split(' ')[16])]
  })
  console.log(JSON.stringify(threads))`

const isLinux = process.platform === 'linux'
const onLinux = isLinux ? test : test.skip
const suffix = isLinux ? '' : ' (skipped: threads have no niceness of their own here)'

onLinux(`background threads of V8 give way to all others${suffix}`, async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...NODE_FLAGS, '--eval', LISTING])
  const threads = JSON.parse(stdout) as [name: string, niceness: number][]
  const usual = threads.find(([name]) => name === 'MainThread')?.[1]
  if (usual === undefined) return t.fail(`no thread is the main one: ${stdout}`)
  const [behind, others] = [true, false].map((is) =>
    threads.filter(([name]) => (name === 'V8Worker') === is).map(([, niceness]) => niceness),
  )
  t.deepEqual([...new Set(behind)], [Math.min(usual + 5, 19)])
  t.deepEqual([...new Set(others)], [usual])
})

test('the bench starts its programs as the command starts its own', async (t) => {
  const script = await readFile(SWAPTIDE, 'utf8')
  const [, flags = ''] = /^exec "\$node" (.*?) "\$root\/deploy\/cli\.ts"/ms.exec(script) ?? []
  const root = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')
  const given = flags.split(/[\s\\]+/).filter((flag) => flag !== '')
  t.deepEqual(
    given.map((flag) => flag.replaceAll('"', '').replace('$root', root)),
    [...NODE_FLAGS],
  )
  const { scripts } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  const [, tunables] = /^export GLIBC_TUNABLES="\$\{GLIBC_TUNABLES:-(.*)\}"$/m.exec(script) ?? []
  const variables = `GLIBC_TUNABLES=${tunables}`
  t.true(
    scripts.bench.startsWith(
      `${variables} node ${NODE_FLAGS.join(' ').replace(`${root}/`, './')} `,
    ),
    scripts.bench,
  )
})
