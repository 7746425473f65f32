// The pages for people: their contents, and that they work in a browser without access to other hosts.

import test from 'ava'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { openPage, WHY_SKIPPED } from './browser.ts'

const INT64_MAX = '9223372036854775807'
const under = apiForFile()
const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

test.serial.before(async () => {
  await insertSwaps(under().db, [
    sampleSwap({ signature: signatureOf(1), tokenAmount: BigInt(INT64_MAX) }),
  ])
})

test('both pages and all their files come without a key, from here only', async (t) => {
  const { url } = under().api
  for (const path of ['/docs', '/graphql']) {
    const answer = await fetch(url + path, { headers: { Accept: 'text/html,*/*;q=0.8' } })
    t.is(answer.status, 200)
    t.regex(answer.headers.get('Content-Type') ?? '', /^text\/html/)
    t.regex(
      answer.headers.get('Content-Security-Policy') ?? '',
      /^default-src 'none'; script-src 'self' 'sha256-/,
    )
    const html = await answer.text()
    t.notRegex(html, /https?:/)
    const files = Array.from(
      html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g),
      ([, file]) => file,
    )
    t.true(files.length >= 2)
    for (const file of files) {
      const got = await fetch(url + file)
      t.is(got.status, 200, file)
      t.true((await got.text()).length > 1_000, file)
    }
  }
  for (const path of [
    '/docs/assets/package.json',
    '/docs/assets/..%2f..%2fpackage.json',
    '/docs/assets/constructor',
  ]) {
    const { status } = await under().call(path)
    t.is(status, 404, path)
  }
})

test('serves GraphQL, and requires a key, where the client does not accept a page', async (t) => {
  for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
    const answer = await fetch(`${under().api.url}/graphql`, { headers: { Accept: accept } })
    t.is(answer.status, 401, accept)
    await answer.body?.cancel()
  }
})

inBrowser(
  `the playground runs a query with a key of its headers panel${WHY_SKIPPED}`,
  async (t) => {
    const { api, key } = under()
    const { page, complaints } = await openPage(t, `${api.url}/graphql`)
    const headers = page.locator('.graphiql-editor-tool .CodeMirror').nth(1)
    await headers.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(`{"X-API-Key": "${key}"}`)
    await page.getByLabel('Re-fetch GraphQL schema').click()
    const query = page.locator('.graphiql-query-editor .CodeMirror')
    await query.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('{ swaps(limit: 1) { token_amount swap_type } }')
    await page.locator('button.graphiql-execute-button').click()
    const result = page.locator('.result-window')
    await result.getByText(INT64_MAX).waitFor()
    await page.getByLabel('Show Documentation Explorer').click()
    await page
      .locator('.graphiql-doc-explorer')
      .getByText('Query', { exact: true })
      .first()
      .waitFor()
    t.deepEqual(complaints, [])
  },
)

const COLORS = `Array.from(
  document.querySelectorAll('.title, .renderedMarkdown p, .opblock-tag, .opblock-summary-path'),
  (part) => getComputedStyle(part).color,
)`

for (const scheme of ['light', 'dark'] as const) {
  inBrowser(`the text of the reference is legible: ${scheme}${WHY_SKIPPED}`, async (t) => {
    const { page } = await openPage(t, `${under().api.url}/docs`, { scheme })
    await page.locator('.opblock-summary-path').first().waitFor()
    const colors = await page.evaluate<string[]>(COLORS)
    t.true(colors.length > 50)
    const isBright = (color: string) => Math.min(...(color.match(/\d+/g) ?? []).map(Number)) > 127
    t.deepEqual(
      colors.filter((color) => isBright(color) !== (scheme === 'dark')),
      [],
    )
  })
}

inBrowser(`the reference takes a key and tries a request${WHY_SKIPPED}`, async (t) => {
  const { api, key } = under()
  const { page, complaints } = await openPage(t, `${api.url}/docs`)
  await page.locator('button.authorize').first().click()
  await page.locator('.modal-ux input').first().fill(key)
  await page.locator('.modal-ux button.authorize').first().click()
  await page.locator('.modal-ux .close-modal').click()
  await page.locator('#operations-swaps-listSwaps .opblock-summary-control').click()
  const operation = page.locator('#operations-swaps-listSwaps')
  const begun = async (name: string): Promise<string> =>
    operation.locator(`tr[data-param-name="${name}"] input`).inputValue()
  t.is(await begun('limit'), '10', "of the route's example")
  t.is(await begun('user'), '', 'of itself only')
  await operation.locator('tr[data-param-name="pair_address"] input').fill('')
  await operation.getByRole('button', { name: 'Execute' }).click()
  const answer = operation.locator('.live-responses-table')
  await answer.getByText(INT64_MAX).first().waitFor()
  t.deepEqual(complaints, [])
})
