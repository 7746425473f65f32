/**
 * The image of deploy/Dockerfile: its steps in an empty root folder, and the service that starts there as its account, with servers of
 * the test. Builders of images carry out the same steps.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { hostSources } from '../../../deploy/local/packages/apt.ts'
import { hostNpm, isCached, isIgnored, makeImage, startImage } from '../../support/deploy/image.ts'
import { settingsOf } from '../../support/programs/commands.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { testRedis } from '../../support/servers/redis.ts'
import { stackDefaults, temporaryFolder } from '../../support/servers/servers.ts'
import { readText } from '../../support/sources.ts'
import { openPipeline, until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 120_000
const npmFolder = hostNpm()
const canMount =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
const { debianMirror } = stackDefaults(() => {})
const hasMirror = debianMirror !== undefined || (await hostSources()) !== undefined

function whyNot(): string {
  if (npmFolder === undefined) return " (skipped: the host's npm is not one that npm installed)"
  if (!isCached()) return " (skipped: npm's cache lacks packages of the lock file)"
  if (!hasMirror) return " (skipped: the host's apt has no mirror of Debian)"
  return canMount ? '' : ' (skipped: this account cannot mount)'
}

const REASON = whyNot()
const where = REASON === '' ? test : test.skip

where(`the steps make a root in which the service answers${REASON}`, async (t) => {
  const root = join(await temporaryFolder(t), 'root')
  mkdirSync(root)
  const beganAt = performance.now()
  await makeImage(root, npmFolder ?? '')
  t.log(`made in ${((performance.now() - beganAt) / 1_000).toFixed(1)} s`)
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const port = await ownPort()
  const settings = { ...settingsOf(pipeline, redisUrl), PORT: `${port}`, GRPC_PORT: '0' }
  const child = startImage(root, ['up', '--no-demo'], settings)
  t.teardown(() => child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      printed += piece
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ready = until('the service has started', BOUND_MS, () => printed.includes('Ctrl-C'))
  await Promise.race([ready, ended])
  t.is(child.exitCode, null, printed)
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  t.is(answer.status, 200, await answer.text())
  child.kill('SIGTERM')
  t.is(await ended, 0, printed)
  t.regex(printed, /data +\/swaptide\/\.swaptide\n/)
})

test('leaves out what a clone makes, and its tests', (t) => {
  const made = readText('.gitignore').trimEnd().split('\n')
  for (const line of made) {
    const path = line.replace('*', 'any').replace(/\/$/, '')
    t.true(isIgnored(path), line)
  }
  for (const path of ['.git', 'test', 'bench', 'docs/pictures']) t.true(isIgnored(path), path)
  for (const path of ['.npmrc', 'deploy/swaptide', 'docs/rest.md', 'web/main.tsx', 'package.json'])
    t.false(isIgnored(path), path)
})
