/** Links and paths of the pages: those of the server, and those that the program in the browser has. */
import test from 'ava'
import { PAGE_LINKS } from '../../../api/http/page-links.ts'
import { PAGE_PATHS, pageNameOf } from '../../../api/pages/shell.ts'
import { readText } from '../../support/sources.ts'

test('the header in the browser has the links of the pages of the server', (t) => {
  const [, list = ''] =
    /^const LINKS = \[\n(.*?)^\] as const$/ms.exec(readText('web/layout/head/parts.tsx')) ?? []
  const links = Array.from(list.matchAll(/\['(.*)', '(.*)'\]/g), ([, path, text]) => [path, text])
  t.deepEqual(links, PAGE_LINKS as unknown as typeof links)
})

test('the browser opens the pages of the server without a reload, and no other path', (t) => {
  const [, pattern = ''] =
    /^const OWN_PATHS = \/(.*)\/i$/m.exec(readText('web/client/location.ts')) ?? []
  const own = new RegExp(pattern, 'i')
  for (const page of PAGE_PATHS) {
    const path = page.replace(/:\w+/, 'x')
    t.true(own.test(path), path)
    t.is(own.test(`${path}/`), path !== '/', `${path}/`)
  }
  const named = [...(pattern.match(/[a-z]+/g) ?? [])].sort()
  t.deepEqual(
    named,
    PAGE_PATHS.filter((path) => path !== '/')
      .map(pageNameOf)
      .sort(),
  )
  for (const other of ['/docs', '/admin', '/token', '/token/x/y']) t.false(own.test(other), other)
})
