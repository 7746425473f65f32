/**
 * Decision records and the code that they explain lead to each other, and documents name files that exist.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { listFiles, ROOT, readText } from './support/sources.ts'

const FILES = listFiles()
const RECORDS = FILES.filter((path) => /^docs\/decisions\/\d{4}-/.test(path))
const CODE = FILES.filter((path) => /\.(tsx?|sql)$/.test(path) && !path.startsWith('test/'))
const PAGES = FILES.filter((path) => /^docs\/.*\.md$|^[A-Z]+\.md$/.test(path))
/** A path of ours between backticks: in one of our folders and with an extension, or a folder. */
const NAMED =
  /`((?:api|bench|chain|deploy|docs|domain|history|lake|proto|sql|streams|test|web|workers)\/[\w./-]*(?:\.\w+|\/))`/g
/** Pages that describe the past: their paths are those of then. */
const HISTORICAL = /^CHANGELOG\.md$|^docs\/decisions\/not-taken\.md$/

test('every decision record is linked from a file that it explains', (t) => {
  const linked = new Set(
    CODE.flatMap((path) => readText(path).match(/docs\/decisions\/\d{4}-[\w-]+\.md/g) ?? []),
  )
  t.deepEqual(
    RECORDS.filter((record) => !linked.has(record)),
    [],
  )
})

test('the list of decision records names each once, in order', (t) => {
  const links = readText('docs/decisions/README.md').matchAll(/^- \[(\d{4}) .*\]\((.*)\)$/gm)
  const listed = Array.from(links, ([, number = '', name = '']) => {
    t.true(name.startsWith(`${number}-`), name)
    return `docs/decisions/${name}`
  })
  t.deepEqual(listed, RECORDS.toSorted())
})

test('every link to a decision record resolves', (t) => {
  const broken = FILES.filter((path) => /\.(ts|sql|md)$/.test(path)).flatMap((path) =>
    Array.from(readText(path).matchAll(/decisions\/(\d{4}[\w-]*)(\.md)?/g))
      .filter(([, name]) => !RECORDS.includes(`docs/decisions/${name}.md`))
      .map(([link]) => `${path} links ${link}`),
  )
  t.deepEqual(broken, [])
})

test('every file and folder that a document names exists', (t) => {
  const missing = PAGES.filter((path) => !HISTORICAL.test(path)).flatMap((path) =>
    Array.from(readText(path).matchAll(NAMED), ([, named = '']) => named)
      .filter((named) => !existsSync(join(ROOT, named)))
      .map((named) => `${path} names ${named}`),
  )
  t.deepEqual(missing, [])
})
