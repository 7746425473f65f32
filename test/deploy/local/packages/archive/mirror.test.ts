/**
 * A mirror that Node reads: nothing is used that Debian's keys do not prove, and each fault is named. The made mirror is
 * signed by the test's keys; the last test reads the mirror of the host's own apt, with Debian's.
 */
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Header } from 'tar'
import { hostSources } from '../../../../../deploy/local/packages/apt.ts'
import { unpackDeb } from '../../../../../deploy/local/packages/archive/deb.ts'
import { debianMirror } from '../../../../../deploy/local/packages/archive/mirror.ts'
import { openArchive } from '../../../../../deploy/local/packages/open-archive.ts'
import {
  archiveOf,
  type Key,
  type MadeMirror,
  type MadePackage,
  makeDeb,
  makeKey,
  serveMirror,
  suiteFiles,
  xz,
} from '../../../../support/servers/debian/made-mirror.ts'
import { temporaryFolder } from '../../../../support/servers/servers.ts'

const NOW_MS = Date.now()
const DAY_MS = 86_400_000
const RING = 'usr/share/keyrings/debian-archive-keyring.pgp'
const MAIN = 'dists/trixie/InRelease'
const UPDATES = 'dists/trixie-updates/InRelease'
const SECURITY = 'security/dists/trixie-security/InRelease'

const [KEY, STRANGER] = await Promise.all([makeKey('archive'), makeKey('stranger')])

async function packagesOf(ring: Buffer): Promise<MadePackage[]> {
  const keyRing = await makeDeb({ [RING]: ring })
  const tool = await makeDeb({ 'usr/bin/tool': 'old' })
  return [
    { name: 'debian-archive-keyring', version: '1', deb: keyRing },
    { name: 'tool', version: '1.0', depends: 'libtool1 (>= 1), virtual', deb: tool },
    { name: 'libtool1', version: '1', deb: await makeDeb({ 'usr/lib/libtool.so': 'library' }) },
  ]
}

const PACKAGES = await packagesOf(KEY.binary)
const NEWER = { name: 'tool', version: '1.0+deb13u1', depends: 'libtool1' }
const NEWER_TOOL = { ...NEWER, deb: await makeDeb({ 'usr/bin/tool': 'new' }) }

const sources = await hostSources()
const url = /^URIs: (https?:\S+)$/m.exec(sources ?? '')?.[1]

type Changes = {
  keys?: readonly Key[]
  packages?: readonly MadePackage[]
  codename?: string
  origin?: string
  validUntil?: string | undefined
  isByHash?: boolean
}

type Suites = Partial<Record<'main' | 'updates' | 'security', Changes>>

const OLD = new Date(NOW_MS - DAY_MS).toUTCString()
const REFUSED: Record<string, [changes: Suites, message: RegExp]> = {
  'signed by a stranger': [
    { main: { keys: [STRANGER] } },
    /suite trixie: no archive key .+ signed/,
  ],
  'whose security is signed by a stranger': [
    { security: { keys: [STRANGER] } },
    /suite trixie-security: no archive key of Debian has signed it/,
  ],
  'with a key ring of a stranger': [
    { main: { packages: await packagesOf(STRANGER.binary), keys: [STRANGER] } },
    /suite trixie: the key ring has none of Debian's archive keys/,
  ],
  'without a key ring': [
    { main: { packages: PACKAGES.slice(1) } },
    /suite trixie: the mirror has no package "debian-archive-keyring"/,
  ],
  'with an old release of security': [
    { security: { validUntil: OLD } },
    /suite trixie-security: it was valid until 20.+: the mirror, or the clock of this host/,
  ],
  'with an old release of updates': [
    { updates: { validUntil: OLD } },
    /trixie-updates: it was valid/,
  ],
  'with a main release that has expired': [{ main: { validUntil: OLD } }, /trixie: it was valid/],
  'whose security has no end of validity': [
    { security: { validUntil: undefined } },
    /trixie-security: it does not state until when it is valid/,
  ],
  'with an end of validity that is no time': [
    { updates: { validUntil: 'soon' } },
    /not state until/,
  ],
  'with another release in the place of trixie': [
    { main: { codename: 'bookworm' } },
    /suite trixie: it is the release "bookworm"/,
  ],
  'of another distribution': [{ main: { origin: 'Else' } }, /its origin is "Else", not "Debian"/],
}
/** A sound mirror but for the changes of one suite. */
async function made(t: ExecutionContext, changes: Suites = {}) {
  const shared = { keys: [KEY], nowMs: NOW_MS }
  const suite = (codename: string, packages: readonly MadePackage[], changed: Changes = {}) =>
    suiteFiles(codename, { codename, packages, ...shared, ...changed })
  const files = new Map([
    ...(await suite('trixie', PACKAGES, { validUntil: undefined, ...changes.main })),
    ...(await suite('trixie-updates', [], changes.updates)),
  ])
  const security = await suite('trixie-security', [NEWER_TOOL], changes.security)
  for (const [path, bytes] of security) files.set(`security/${path}`, bytes)
  const mirror = await serveMirror(t, files)
  return { mirror, archive: await archiveOn(t, mirror) }
}

async function archiveOn(t: ExecutionContext, { url }: MadeMirror, fingerprint = KEY.fingerprint) {
  return debianMirror({
    ...{ mirror: url, architecture: 'amd64', env: {}, now: () => NOW_MS },
    scratch: await temporaryFolder(t),
    fingerprints: new Set([fingerprint]),
  })
}

test('fetches the newest packages of all suites, with their dependencies', async (t) => {
  const { mirror, archive } = await made(t)
  t.is(await archive.update(), undefined)
  const found = await archive.dependencies(['tool'])
  t.deepEqual(
    [...found],
    [
      ['tool', ['libtool1']],
      ['libtool1', []],
    ],
  )
  const { files, bytes } = await archive.plan(['tool', 'libtool1'])
  t.deepEqual(files, ['tool_1.0+deb13u1_all.deb', 'libtool1_1_all.deb'])
  const folder = await temporaryFolder(t)
  await archive.download(['tool', 'libtool1'], folder)
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size))
  t.is(sizes[0] ?? 0, bytes - (sizes[1] ?? 0))
  const root = join(folder, 'root')
  await mkdir(root)
  for (const file of files) await unpackDeb(await readFile(join(folder, file)), root)
  t.is(await readFile(join(root, 'usr/bin/tool'), 'utf8'), 'new')
  t.true(mirror.requests.every((path) => !path.includes('tool_1.0_all')))
})

test('a mirror without a suite of updates is used, and names what it lacks', async (t) => {
  const { mirror, archive } = await made(t)
  mirror.files.delete(UPDATES)
  mirror.files.delete(SECURITY)
  t.is(await archive.update(), 'the mirror has no suite trixie-updates, trixie-security')
  t.deepEqual((await archive.plan(['tool'])).files, ['tool_1.0_all.deb'])
  mirror.files.delete(MAIN)
  await t.throwsAsync(archive.update(), { message: /trixie\/InRelease: HTTP status 404$/ })
})

test('a security archive elsewhere, and a list without by-hash', async (t) => {
  const { mirror } = await made(t, { main: { isByHash: false } })
  const url = `${mirror.url}/ ${mirror.url}-security/`
  const archive = await archiveOn(t, { ...mirror, url })
  t.is(await archive.update(), undefined)
  t.deepEqual((await archive.plan(['tool'])).files, ['tool_1.0+deb13u1_all.deb'])
})

for (const [name, [changes, message]] of Object.entries(REFUSED)) {
  test(`refuses a mirror ${name}`, async (t) => {
    const { archive } = await made(t, changes)
    await t.throwsAsync(archive.update(), { message })
  })
}

test('a signature of one trusted key suffices', async (t) => {
  const { archive } = await made(t, { main: { keys: [STRANGER, KEY] } })
  t.is(await archive.update(), undefined)
})

test('a release whose text was changed after it was signed is refused', async (t) => {
  const { mirror, archive } = await made(t)
  const text = mirror.files.get(MAIN)?.toString() ?? ''
  mirror.files.set(MAIN, Buffer.from(text.replace('Date: ', 'Date:  ')))
  await t.throwsAsync(archive.update(), { message: /suite trixie: no archive key .+ signed it/ })
  for (const broken of ['', 'Not Found', text.slice(0, text.length / 2), 'Origin: Debian\n']) {
    mirror.files.set(MAIN, Buffer.from(broken))
    await t.throwsAsync(archive.update(), { message: /suite trixie: / })
  }
})

test('lists and packages that are changed, cut or longer are refused by their names', async (t) => {
  const { mirror, archive } = await made(t)
  const list = [...mirror.files.keys()].find((path) => path.includes('trixie/main')) ?? ''
  const broken: [name: string, change: (bytes: Buffer) => Buffer, reason: RegExp][] = [
    ['changed', (bytes) => Buffer.from(bytes).fill(0, 40, 41), /SHA-256 is not the one/],
    ['cut', (bytes) => bytes.subarray(0, 50), /50 bytes of \d+: the file is cut$/],
    ['empty', () => Buffer.alloc(0), /0 bytes of \d+: the file is cut$/],
    ['longer', (bytes) => Buffer.concat([bytes, Buffer.from('x')]), /more than the \d+ bytes/],
  ]
  const folder = await temporaryFolder(t)
  for (const [name, change, reason] of broken) {
    const sound = mirror.files.get(list) as Buffer
    mirror.files.set(list, change(sound))
    const error = await t.throwsAsync(archive.update(), { message: reason }, name)
    t.true(error?.message.includes('/by-hash/SHA256/'), name)
    mirror.files.set(list, sound)
    await archive.update()
    const path = 'pool/main/libtool1_1_all.deb'
    const deb = mirror.files.get(path) as Buffer
    mirror.files.set(path, change(deb))
    await t.throwsAsync(archive.download(['libtool1'], folder), { message: reason }, name)
    mirror.files.set(path, deb)
  }
  t.deepEqual(await readdir(folder), [])
})

test('follows redirects, repeats a request that failed, and gives up with the reason', async (t) => {
  const { mirror, archive } = await made(t)
  let failures = 0
  mirror.disturb = (path, response) => {
    if (path === MAIN) response.writeHead(302, { location: `${mirror.url}/moved` }).end()
    else if (path === 'moved') response.writeHead(200).end(mirror.files.get(MAIN))
    else if (path === UPDATES && failures++ < 2) response.writeHead(503).end()
    else return false
    return true
  }
  t.is(await archive.update(), undefined)
  t.is(failures, 3)
  const always: [path: string, answer: (response: MadeResponse) => void, reason: RegExp][] = [
    [UPDATES, (response) => response.writeHead(503).end(), /HTTP status 503$/],
    [UPDATES, (response) => response.destroy(), /InRelease: .*(socket hang up|ECONNRESET)/],
    [SECURITY, (response) => response.writeHead(403).end(), /HTTP status 403$/],
    [MAIN, (response) => redirect(response, `${mirror.url}/${MAIN}`), /too many redirects$/],
    [MAIN, (response) => redirect(response, 'file:///etc/passwd'), /expected http or https$/],
  ]
  for (const [at, answer, message] of always) {
    mirror.disturb = (path, response) => {
      if (path === at) answer(response)
      return path === at
    }
    await t.throwsAsync(archive.update(), { message })
  }
})

type MadeResponse = Parameters<NonNullable<MadeMirror['disturb']>>[1]
const redirect = (response: MadeResponse, location: string): void => {
  response.writeHead(301, { location }).end()
}

/** An archive with one empty file. */
function tarOf(path: string): Buffer {
  const header = Buffer.alloc(1_536)
  new Header({ path, mode: 0o644, size: 0, type: 'File', mtime: new Date(0) }).encode(header, 0)
  return header
}

test('a package that is no archive, is cut, lacks data or is packed in an unknown way is refused', async (t) => {
  const folder = await temporaryFolder(t)
  const deb = await makeDeb({ 'usr/a': 'a' })
  const broken: [Buffer, RegExp][] = [
    [Buffer.from('<html>'), /is no package/],
    [deb.subarray(0, deb.length - 9), /is cut, or has no member data\.tar/],
    [archiveOf({ 'debian-binary': Buffer.from('2.0\n') }), /is cut, or has no member/],
    [archiveOf({ 'data.tar.bz9': Buffer.from('x') }), /"data\.tar\.bz9", .+ unknown way/],
    [archiveOf({ 'data.tar.xz': Buffer.from('not xz at all') }), /./],
    [archiveOf({ 'data.tar.xz': (await xz(Buffer.alloc(900, 'x'))).subarray(0, 60) }), /./],
  ]
  for (const outside of ['../a', '/tmp/swaptide-outside', 'usr/../../a']) {
    const packed = await xz(tarOf(outside))
    broken.push([archiveOf({ 'data.tar.xz': packed }), /the file ".+", outside of its folder/])
  }
  for (const [bytes, message] of broken) {
    await t.throwsAsync(unpackDeb(bytes, folder), { message })
  }
  t.deepEqual(await readdir(folder), [])
})

const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0
const lacks =
  url === undefined || !hasDpkg ? ' (skipped: the host has no Debian sources or no dpkg)' : ''
const whereDebian = lacks === '' ? test : test.skip

whereDebian(
  `reads the real archive with Debian's keys, and unpacks as dpkg does${lacks}`,
  async (t) => {
    const scratch = await temporaryFolder(t)
    const options = { cacheDir: scratch, folder: scratch, debian: 'amd64', env: {} }
    const archive = await openArchive({ ...options, mirror: url })
    t.is(await archive.update(), undefined)
    t.is(await readFile(join(scratch, 'debian-mirror'), 'utf8'), `${url}\n`)
    const names = ['libnss-wrapper', 'nats-server', 'tzdata']
    const [files, ours, theirs] = ['files', 'ours', 'theirs'].map((name) =>
      join(scratch, name),
    ) as [string, string, string]
    for (const folder of [files, ours, theirs]) await mkdir(folder)
    await archive.download(names, files)
    for (const file of await readdir(files)) {
      await unpackDeb(await readFile(join(files, file)), ours)
      spawnSync('dpkg-deb', ['-x', join(files, file), theirs])
    }
    t.deepEqual(await treeOf(ours), await treeOf(theirs))
  },
)

/** Path, mode and content or target of every file. */
async function treeOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length)
    if (entry.isSymbolicLink()) return `${name} -> ${await readlink(path)}`
    const { mode } = await stat(path)
    if (entry.isDirectory()) return `${name} ${mode.toString(8)}`
    return `${name} ${mode.toString(8)} ${(await readFile(path)).toString('base64').slice(0, 64)}`
  })
  return (await Promise.all(lines)).toSorted()
}
