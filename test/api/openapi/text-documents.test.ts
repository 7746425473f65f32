// The documents of this version as text: what /llms.txt lists, and nothing else.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { ROOT, readText } from '../../support/sources.ts'

const under = apiForFile()
const read = (path: string): Promise<Response> => fetch(under().api.url + path)
const DOCUMENTS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.md'),
)

test('llms.txt lists every document once, and each link is answered without a key', async (t) => {
  const answer = await read('/llms.txt')
  t.is(answer.headers.get('Content-Type'), 'text/plain; charset=utf-8')
  const text = await answer.text()
  t.regex(text, /^# Swaptide\n\n> /)
  const links = [...text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, path = '']) => path)
  t.is(new Set(links).size, links.length)
  const documents = links.filter((path) => path.startsWith('/docs/'))
  t.deepEqual(documents.sort(), DOCUMENTS.map((name) => `/docs/${name}`).sort())
  for (const path of links) {
    const found = await read(path)
    t.is(found.status, 200, path)
    if (!path.endsWith('.md')) continue
    t.is(found.headers.get('Content-Type'), 'text/markdown; charset=utf-8')
    t.is(await found.text(), readText(path.slice(1)), path)
  }
})

test('links between documents lead to documents here', async (t) => {
  let count = 0
  for (const name of DOCUMENTS) {
    const text = readText(`docs/${name}`)
    for (const [, target = ''] of text.matchAll(/\]\(([^)#:]+\.md)(?:#[^)]*)?\)/g)) {
      const { pathname } = new URL(target, `http://here/docs/${name}`)
      if (!pathname.startsWith('/docs/')) continue
      t.is((await read(pathname)).status, 200, `${name} -> ${pathname}`)
      count += 1
    }
  }
  t.true(count > 50)
})

test('no other file is served', async (t) => {
  for (const path of [
    '/docs/nothing.md',
    '/docs/..%2fREADME.md',
    '/docs/decisions/..%2f..%2fREADME.md',
    '/docs/%2e%2e/README.md',
    '/docs/pictures/market.png',
    '/docs/constructor.md',
  ]) {
    const { status } = await read(path)
    t.true(status === 404 || status === 401, `${path}: ${status}`)
  }
})
