/**
 * Scripts and styles of the pages, bundled from web/ by esbuild in memory. A package holds the result, and neither
 * web/ nor esbuild; a clone builds when it starts. See docs/decisions/0045-pages-name-their-scripts.md.
 */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type OutputFile, stop } from 'esbuild'
import { PAGE_PATHS, type PagePath, pageNameOf, type Shell } from './shell.ts'

export type BuiltFile = { name: string; body: Buffer }
export type BuiltPages = {
  /** Their names change with their content. */
  fingerprinted: readonly BuiltFile[]
  named: readonly BuiltFile[]
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
  entryPoints: [
    { out: 'icon', in: 'icon.svg' },
    { out: 'console', in: 'console/main.tsx' },
    { out: 'console', in: 'styles/console.css' },
    { out: 'bar', in: 'styles/bar.css' },
  ],
  loader: { '.svg': 'copy' },
} as const satisfies BuildOptions

/** Rejects with esbuild's error where a source of web/ is wrong. */
export async function buildPages(): Promise<BuiltPages> {
  const [pages, others] = await Promise.all([build(PAGES), build(OTHERS)])
  // The process of esbuild would stay until this one ends.
  await stop()
  const shellOf = (path: PagePath) => [path, shellFiles(pages.metafile, path)] as const
  return {
    fingerprinted: pages.outputFiles.map(fileOf),
    named: others.outputFiles.map(fileOf),
    pages: Object.fromEntries(PAGE_PATHS.map(shellOf)) as BuiltPages['pages'],
  }
}

function fileOf({ path, contents }: OutputFile): BuiltFile {
  return { name: basename(path), body: Buffer.from(contents) }
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
