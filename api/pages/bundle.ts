/**
 * Scripts and styles of the pages, bundled from web/ by esbuild in memory: once a process, in the background once it is
 * ready, or at the first request of one. Nothing is built when the packages are installed, so `npm ci --omit=dev` is enough,
 * and nothing is loaded from another host. See docs/decisions/0040-pages-for-people.md and
 * docs/decisions/0045-pages-name-their-scripts.md.
 */
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, constants, gzip } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type OutputFile, stop } from 'esbuild'
import type { Log } from '../../domain/log.ts'
import type { Encoding } from '../http/compression.ts'
import { PAGE_PATHS, type PagePath, pageNameOf, type Shell } from './shell.ts'

export type BundledFile = {
  /** File extension. */
  type: string
  body: Buffer
  encoded: Readonly<Record<Encoding, Buffer>>
  etag: string
  /** Whether its name changes with its content. */
  isFingerprinted: boolean
}
export type Bundle = {
  files: ReadonlyMap<string, BundledFile>
  /** Names of the files that each page needs from the beginning. */
  pages: Readonly<Record<PagePath, Shell>>
}

const WEB = fileURLToPath(new URL('../../web/', import.meta.url))
/** Browsers of 2023 and later: those have what the pages use of CSS and HTTP. */
const TARGETS = ['chrome114', 'firefox117', 'safari16.4']

const COMMON = {
  absWorkingDir: WEB,
  outdir: 'built',
  bundle: true,
  format: 'esm',
  minify: true,
  write: false,
  target: TARGETS,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'silent',
} as const satisfies BuildOptions

/** Parts of a page are fetched when they are needed; each name has a hash of the content. */
const PAGES = {
  ...COMMON,
  entryPoints: { main: 'main.tsx', styles: 'styles/styles.css' },
  splitting: true,
  metafile: true,
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
} as const satisfies BuildOptions

/** Files of the other pages, by the names that their HTML has. */
const OTHERS = {
  ...COMMON,
  entryPoints: {
    icon: 'icon.svg',
    charts: 'console/main.tsx',
    console: 'styles/console.css',
    bar: 'styles/bar.css',
  },
  loader: { '.svg': 'copy' },
} as const satisfies BuildOptions

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
  const [pages, others] = await Promise.all([build(PAGES), build(OTHERS)])
  // Its process would stay until this one ends.
  await stop()
  const [hashed, named] = await Promise.all([
    filesOf(pages.outputFiles, true),
    filesOf(others.outputFiles, false),
  ])
  const shellOf = (path: PagePath) => [path, shellFiles(pages.metafile, path)] as const
  return {
    files: new Map([...hashed, ...named]),
    pages: Object.fromEntries(PAGE_PATHS.map(shellOf)) as Bundle['pages'],
  }
}

function shellFiles({ outputs }: Metafile, path: PagePath): Shell {
  const made = Object.entries(outputs)
  const madeOf = (entry: string): string | undefined =>
    made.find(([, { entryPoint }]) => entryPoint === entry)?.[0]
  const [main, styles, page] = [
    'main.tsx',
    'styles/styles.css',
    `${pageNameOf(path)}/page.tsx`,
  ].map(madeOf)
  if (main === undefined || styles === undefined) throw new Error('the pages have no entry')
  const needed = new Set<string>()
  const add = (file: string, hasDeferred: boolean): void => {
    if (needed.has(file)) return
    needed.add(file)
    for (const { path: imported, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' || (hasDeferred && kind === 'dynamic-import'))
        add(imported, hasDeferred)
    }
  }
  add(main, false)
  // A page that is part of the entry has no file of its own. Its charts are needed with the first answer.
  if (page !== undefined) add(page, true)
  needed.delete(main)
  return {
    script: basename(main),
    styles: basename(styles),
    parts: [...needed].map((file) => basename(file)),
  }
}

async function filesOf(
  files: readonly OutputFile[],
  isFingerprinted: boolean,
): Promise<[string, BundledFile][]> {
  return Promise.all(
    files.map(async ({ path, contents }) => {
      const name = basename(path)
      const body = Buffer.from(contents)
      const [br, zipped] = await Promise.all([toBrotli(body, BROTLI), toGzip(body)])
      const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
      const type = name.slice(name.lastIndexOf('.') + 1)
      return [name, { type, body, encoded: { br, gzip: zipped }, etag, isFingerprinted }]
    }),
  )
}
