/**
 * A mirror of Debian with packages made by the test and signed by its own keys: every file can be changed before it is
 * served. Lists and packages are compressed by the host's xz, as Debian's are.
 */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { createCleartextMessage, generateKey, readPrivateKey, sign } from 'openpgp'
import { create } from 'tar'
import { runCommand } from '../../../../deploy/local/command.ts'

const ENV = { PATH: process.env.PATH ?? '' }
const DAY_MS = 86_400_000

export type Key = { fingerprint: string; armored: string; binary: Buffer }

export async function makeKey(name: string): Promise<Key> {
  const { privateKey } = await generateKey({ userIDs: [{ name }], format: 'object' })
  const binary = Buffer.from(privateKey.toPublic().write())
  return { fingerprint: privateKey.getFingerprint(), armored: privateKey.armor(), binary }
}

/** A text with a signature of each key. */
async function signed(text: string, keys: readonly Key[]): Promise<string> {
  const signingKeys = await Promise.all(
    keys.map(({ armored }) => readPrivateKey({ armoredKey: armored })),
  )
  return await sign({ message: await createCleartextMessage({ text }), signingKeys })
}

export async function xz(bytes: Buffer): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-xz-'))
  try {
    await writeFile(join(folder, 'file'), bytes)
    await runCommand('xz', ['-0', join(folder, 'file')], { env: ENV })
    return await readFile(join(folder, 'file.xz'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A package with these files, by their paths. */
export async function makeDeb(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-deb-'))
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    const tar = join(folder, '.tar')
    await create({ cwd: folder, file: tar }, Object.keys(files))
    const packed = await xz(await readFile(tar))
    return archiveOf({ 'debian-binary': Buffer.from('2.0\n'), 'data.tar.xz': packed })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The ar archive of these members. */
export function archiveOf(members: Readonly<Record<string, Buffer>>): Buffer {
  const parts = Object.entries(members).flatMap(([name, content]) => [
    Buffer.from(
      `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${`${content.length}`.padEnd(10)}\`\n`,
    ),
    content,
    Buffer.alloc(content.length % 2, '\n'),
  ])
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}

export type MadePackage = { name: string; version: string; depends?: string; deb: Buffer }

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const poolPath = ({ name, version }: MadePackage): string => `pool/main/${name}_${version}_all.deb`

type SuiteOptions = {
  codename: string
  packages: readonly MadePackage[]
  keys: readonly Key[]
  nowMs: number
  origin?: string
  /** Absent: a week after `nowMs`. */
  validUntil?: string | undefined
  /** Whether lists are served by their hashes; absent: they are. */
  isByHash?: boolean
}

/** The files of a suite, by their paths below the archive's URL. */
export async function suiteFiles(
  name: string,
  options: SuiteOptions,
): Promise<Map<string, Buffer>> {
  const { codename, packages, keys, nowMs, origin = 'Debian', isByHash = true } = options
  const stanzas = packages.map((each) =>
    [
      `Package: ${each.name}`,
      `Version: ${each.version}`,
      ...(each.depends === undefined ? [] : [`Depends: ${each.depends}`]),
      `Filename: ${poolPath(each)}`,
      `Size: ${each.deb.length}`,
      `SHA256: ${sha256(each.deb)}`,
    ].join('\n'),
  )
  const list = await xz(Buffer.from(`${stanzas.join('\n\n')}\n`))
  const week = new Date(nowMs + 7 * DAY_MS).toUTCString()
  const validUntil = 'validUntil' in options ? options.validUntil : week
  const release = [
    `Origin: ${origin}`,
    `Codename: ${codename}`,
    `Date: ${new Date(nowMs).toUTCString()}`,
    ...(validUntil === undefined ? [] : [`Valid-Until: ${validUntil}`]),
    ...(isByHash ? ['Acquire-By-Hash: yes'] : []),
    'SHA256:',
    ` ${sha256(list)} ${list.length} main/binary-amd64/Packages.xz`,
  ].join('\n')
  const folder = `dists/${name}`
  const listPath = isByHash ? `by-hash/SHA256/${sha256(list)}` : 'Packages.xz'
  return new Map([
    [`${folder}/InRelease`, Buffer.from(await signed(release, keys))],
    [`${folder}/main/binary-amd64/${listPath}`, list],
    ...packages.map((each) => [poolPath(each), each.deb] as const),
  ])
}

export type MadeMirror = {
  url: string
  /** By path below the main archive; those of the security archive begin with "security/". */
  files: Map<string, Buffer>
  requests: string[]
  /** Answers a request instead of the file. */
  disturb: ((path: string, response: ServerResponse) => boolean) | undefined
}

/** Serves files until the test ends. */
export async function serveMirror(
  t: ExecutionContext,
  files: Map<string, Buffer>,
): Promise<MadeMirror> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '')
      .replace(/^\/debian\//, '')
      .replace(/^\/debian-security\//, 'security/')
    mirror.requests.push(path)
    if (mirror.disturb?.(path, response)) return
    const file = mirror.files.get(path)
    response.writeHead(file === undefined ? 404 : 200).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const mirror: MadeMirror = {
    ...{ url: `http://127.0.0.1:${port}/debian`, files, requests: [], disturb: undefined },
  }
  return mirror
}
