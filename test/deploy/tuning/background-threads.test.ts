/** How every process of `swaptide` is started, with and without tuning. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { NODE_FLAGS, TUNED_FLAGS } from '../../../bench/programs/node-flags.ts'
import { SWAPTIDE } from '../../support/programs/commands.ts'
import { ROOT } from '../../support/sources.ts'

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

onLinux(`lowers the priority of V8's background threads${suffix}`, async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...TUNED_FLAGS,
    '--eval',
    LISTING,
  ])
  const threads = JSON.parse(stdout) as [name: string, niceness: number][]
  const usual = threads.find(([name]) => name === 'MainThread')?.[1]
  if (usual === undefined) return t.fail(`no thread is the main one: ${stdout}`)
  const [workers, others] = [true, false].map((is) =>
    threads.filter(([name]) => (name === 'V8Worker') === is).map(([, niceness]) => niceness),
  )
  t.deepEqual([...new Set(workers)], [Math.min(usual + 5, 19)])
  t.deepEqual([...new Set(others)], [usual])
})

test('the bench starts programs with the flags of the command, tuned and not', async (t) => {
  const script = await readFile(SWAPTIDE, 'utf8')
  const root = ROOT.replace(/\/$/, '')
  const inScript = (flags: readonly string[]): string =>
    flags
      .join(' ')
      .replace(`${root}/`, '$root/')
      .replace(/ (\$root\S+)/, ' "$1"')
  t.true(script.includes(`exec "$node" ${inScript(NODE_FLAGS)} "$@"\n`))
  const added = TUNED_FLAGS.slice(NODE_FLAGS.length)
  t.true(script.includes(`set -- ${inScript(added)} "$entry" "$@"\n`))
  const { scripts } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'))
  const [, tunables] = /export GLIBC_TUNABLES="\$\{GLIBC_TUNABLES:-(.*)\}"$/m.exec(script) ?? []
  const shown = (flags: readonly string[]) => flags.join(' ').replace(`${root}/`, './')
  t.is(scripts.bench, `node ${shown(NODE_FLAGS)} bench/main.ts`)
  const variables = `SWAPTIDE_TUNE=1 GLIBC_TUNABLES=${tunables}`
  t.is(scripts['bench:tuned'], `${variables} node ${shown(TUNED_FLAGS)} bench/main.ts`)
})
