// The fetched packages, and the message where they are unavailable: no test here needs a network.

import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { StackUnavailable } from '../../../../deploy/local/host.ts'
import { parseDependencies, parseUris } from '../../../../deploy/local/packages/apt.ts'
import {
  closure,
  ensurePrefix,
  type PrefixOptions,
} from '../../../../deploy/local/packages/prefix.ts'
import { ownPort } from '../../../support/servers/own-port.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'

const DEPENDS = `redis-tools
  Depends: adduser
  Depends: libssl3t64
 |Depends: debconf
  Depends: <debconf-2.0>
    cdebconf
libssl3t64
  Depends: libc6
  PreDepends: libzstd1
libzstd1
  Depends: libc6
libc6
  Depends: libgcc-s1
adduser
  Depends: libperl5
`

test('dependencies are read by package, alternatives too, virtual ones not', (t) => {
  const dependencies = parseDependencies(DEPENDS)
  t.deepEqual(dependencies.get('redis-tools'), ['adduser', 'libssl3t64', 'debconf'])
  t.deepEqual(dependencies.get('libssl3t64'), ['libc6', 'libzstd1'])
})

test('the closure holds the roots and their libraries, without dependencies of maintainer scripts', (t) => {
  t.deepEqual(closure(['redis-tools'], parseDependencies(DEPENDS)), [
    'libc6',
    'libgcc-s1',
    'libssl3t64',
    'libzstd1',
    'redis-tools',
  ])
})

test('excludes the large compiler of PostgreSQL', (t) => {
  const dependencies = new Map([['postgresql-17', ['libllvm19', 'libpq5', 'zlib1g']]])
  t.deepEqual(closure(['postgresql-17'], dependencies), ['libpq5', 'postgresql-17', 'zlib1g'])
})

test('reads files and their sizes from the download list of apt', (t) => {
  const text = `'http://mirror.test/a_1%3a2_amd64.deb' a_1%3a2_amd64.deb 1000 SHA256:00
'http://mirror.test/b_1_all.deb' b_1_all.deb 234 SHA256:00
`
  t.deepEqual(parseUris(text), { files: ['a_1%3a2_amd64.deb', 'b_1_all.deb'], bytes: 1234 })
})

function prefixOptions(cacheDir: string): PrefixOptions {
  return {
    cacheDir,
    debianMirror: undefined,
    env: { PATH: '' },
    log: () => {},
    platform: 'linux',
    arch: 'x64',
  }
}

test('another system or processor is refused with the other two ways', async (t) => {
  const cacheDir = await temporaryFolder(t)
  for (const other of [{ platform: 'darwin' }, { arch: 'riscv64' }]) {
    await t.throwsAsync(ensurePrefix({ ...prefixOptions(cacheDir), ...other }), {
      instanceOf: StackUnavailable,
      message: /DATABASE_URL, NATS_URL and REDIS_URL.*docker compose/,
    })
  }
})

test('a host without apt and without a mirror gets the one line to type', async (t) => {
  const cacheDir = await temporaryFolder(t)
  await t.throwsAsync(ensurePrefix(prefixOptions(cacheDir)), {
    instanceOf: StackUnavailable,
    message:
      /the host has no apt-get, apt-cache, apt-config, gpgv\. .+ "swaptide up --debian-mirror http:\/\/HOST\/debian"/,
  })
})

test('a mirror that no program answers is named, and not remembered; one remembered is used', async (t) => {
  const cacheDir = await temporaryFolder(t)
  const port = await ownPort()
  const mirror = `http://127.0.0.1:${port}/debian`
  const message = new RegExp(
    `could not be fetched \\(${mirror}/dists/trixie/InRelease: .*ECONNREFUSED`,
  )
  const options = prefixOptions(cacheDir)
  await t.throwsAsync(ensurePrefix({ ...options, debianMirror: mirror }), { message })
  t.deepEqual(await readdir(cacheDir), [])
  await writeFile(join(cacheDir, 'debian-mirror'), `${mirror}\n`)
  await t.throwsAsync(ensurePrefix(options), { message })
})

for (const mirror of [
  'debian',
  'ftp://mirror.test/debian',
  'http://',
  'http://mirror.test/debian ftp',
]) {
  test(`"${mirror}" is refused as the URL of a mirror`, async (t) => {
    const cacheDir = await temporaryFolder(t)
    await t.throwsAsync(ensurePrefix({ ...prefixOptions(cacheDir), debianMirror: mirror }), {
      instanceOf: StackUnavailable,
      message: /the Debian mirror ".+" is no URL: expected http:\/\/HOST\/debian/,
    })
  })
}
