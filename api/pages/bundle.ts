/**
 * Scripts and styles of the pages, bundled from web/ by esbuild in memory: once a process, at the first request of one, in
 * about a tenth of a second. Nothing is built when the packages are installed, so `npm ci --omit=dev` is enough, and
 * nothing is loaded from another host. See docs/decisions/0040-pages-for-people.md.
 */
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, constants, gzip } from 'node:zlib'
import { build, stop } from 'esbuild'
import type { Encoding } from '../http/compression.ts'

export type BundledFile = {
  /** File extension. */
  type: string
  body: Buffer
  encoded: Readonly<Record<Encoding, Buffer>>
  etag: string
  /** Whether its name changes with its content. */
  isFingerprinted: boolean
}
export type Bundle = ReadonlyMap<string, BundledFile>

const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
/** Browsers of 2023 and later: those have what the pages use of CSS and HTTP. */
const TARGETS = ['chrome114', 'firefox117', 'safari16.4']

/** By the name of the file that each makes. */
const ENTRIES = {
  main: 'main.tsx',
  styles: 'styles/styles.css',
  icon: 'icon.svg',
  charts: 'console/main.tsx',
  console: 'styles/console.css',
  bar: 'styles/bar.css',
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

async function makeBundle(): Promise<Bundle> {
  const { outputFiles } = await build({
    absWorkingDir: WEB,
    entryPoints: ENTRIES,
    outdir: 'built',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    write: false,
    target: TARGETS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: 'part-[hash]',
    loader: { '.svg': 'copy' },
    logLevel: 'silent',
  })
  // Its process would stay until this one ends.
  await stop()
  const files = await Promise.all(outputFiles.map(({ path, contents }) => fileOf(path, contents)))
  return new Map(files)
}

async function fileOf(path: string, contents: Uint8Array): Promise<[string, BundledFile]> {
  const name = basename(path)
  const body = Buffer.from(contents)
  const [br, zipped] = await Promise.all([toBrotli(body, BROTLI), toGzip(body)])
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const type = name.slice(name.lastIndexOf('.') + 1)
  const encoded = { br, gzip: zipped }
  return [name, { type, body, encoded, etag, isFingerprinted: name.startsWith('part-') }]
}
