/**
 * Scripts and styles of the pages, prepared once a process, in the background once it is ready, or at the first request
 * of one: those that a package holds, else bundled from web/. Nothing is built when the packages are installed, so
 * `npm ci --omit=dev` is enough, and nothing is loaded from another host. See docs/decisions/0040-pages-for-people.md.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, constants, gzip } from 'node:zlib'
import type { Log } from '../../domain/log.ts'
import type { Encoding } from '../http/compression.ts'
import type { BuiltFile, BuiltPages } from './build.ts'
import { readBuilt } from './built.ts'

export type BundledFile = {
  /** File extension. */
  type: string
  body: Buffer
  encoded: Readonly<Record<Encoding, Buffer>>
  etag: string
  /** Whether its name changes with its content. */
  isFingerprinted: boolean
}
type Bundle = {
  files: ReadonlyMap<string, BundledFile>
  /** Names of the files that each page needs from the beginning. */
  pages: BuiltPages['pages']
}

/** A tenth larger than the best, in a twentieth of its time. */
const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const toBrotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
const toGzip = promisify(gzip)

let made: Promise<Bundle> | undefined

/** All files by name. A failure is not cached. */
export function bundleOf(): Promise<Bundle> {
  made ??= makeBundle().catch((cause: unknown) => {
    made = undefined
    throw new Error('failed to bundle the pages', { cause })
  })
  return made
}

/** Bundles them before a request needs them; requests report an error again. */
export function bundleInBackground(log: Log): void {
  bundleOf().catch((err: unknown) => log.error({ err }, 'failed to bundle the pages'))
}

async function makeBundle(): Promise<Bundle> {
  const { fingerprinted, named, pages } = (await readBuilt()) ?? (await buildInClone())
  const files = await Promise.all([filesOf(fingerprinted, true), filesOf(named, false)])
  return { files: new Map(files.flat()), pages }
}

/** Loaded only there: a package does not depend on the bundler. */
async function buildInClone(): Promise<BuiltPages> {
  const { buildPages } = await import('./build.ts')
  return buildPages()
}

async function filesOf(
  files: readonly BuiltFile[],
  isFingerprinted: boolean,
): Promise<[string, BundledFile][]> {
  return Promise.all(
    files.map(async ({ name, body }) => {
      const [br, zipped] = await Promise.all([toBrotli(body, BROTLI), toGzip(body)])
      const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
      const type = name.slice(name.lastIndexOf('.') + 1)
      return [name, { type, body, encoded: { br, gzip: zipped }, etag, isFingerprinted }]
    }),
  )
}
