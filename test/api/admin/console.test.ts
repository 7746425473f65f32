// The console in a real browser, as an operator uses it; and its answers to others.

import test from 'ava'
import type { Page } from 'playwright-core'
import { mint, trader } from '../../support/market/sample-swap.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { LANE_COUNT, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { openPage, WHY_SKIPPED } from '../openapi/browser.ts'
import { consoleUnderTest, OPERATOR_KEY, publishPoison } from './console-under-test.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Operator token').fill(OPERATOR_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Operator token').waitFor({ state: 'detached' })
}

const row = (page: Page, text: string) => page.locator('tbody tr', { hasText: text })

test('without a session serves only a page to sign in', async (t) => {
  const { api } = await consoleUnderTest(t)
  const request = (path: string, method = 'GET') =>
    fetch(api.url + path, { method, redirect: 'manual' })
  const front = await request('/admin')
  t.is(front.status, 200)
  t.regex(
    front.headers.get('Content-Security-Policy') ?? '',
    /^default-src 'self'; object-src 'none'/,
  )
  const html = await front.text()
  t.regex(html, /data-page="sign-in"/)
  t.notRegex(html, /<script(?! type="module" src=)|<style|https?:/)
  for (const path of ['/admin/keys', '/admin/dead-letters', '/admin/queues']) {
    const answer = await request(path)
    t.is(answer.status, 302, path)
    t.is(answer.headers.get('Location'), `/admin?next=${encodeURIComponent(path)}`)
  }
  for (const [path, method] of [
    ['/admin/queues/api/queues', 'GET'],
    ['/admin/queues/api/queues/wallet-tags/pause', 'PUT'],
    ['/admin/queues/static/css/main.css', 'GET'],
    ['/admin/kols/import', 'POST'],
    ['/admin/sectors/import', 'POST'],
  ] as const) {
    t.is((await request(path, method)).status, 401, path)
  }
  for (const [, path = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g))
    t.is((await request(path)).status, 200, path)
})

inBrowser(`an operator signs in, sees the lanes and signs out${WHY_SKIPPED}`, async (t) => {
  const { api, pipeline } = await consoleUnderTest(t)
  await runWorker(t, pipeline)
  await publishPoison(pipeline, 2)
  const { page, complaints } = await openPage(t, `${api.url}/admin/keys`)
  await page.getByLabel('Operator token').fill('not the token')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('this is not the operator token').waitFor()
  await signIn(page)
  t.is(new URL(page.url()).pathname, '/admin/keys')
  await page.getByRole('link', { name: 'Lanes and jobs' }).click()
  const pools = page.locator('#lanes tbody tr', { hasText: 'pool' })
  await pools.first().waitFor()
  t.is(await pools.count(), LANE_COUNT)
  await page.locator('.tile', { hasText: 'dead letters that wait' }).getByText('2').waitFor()
  const lane = page.getByRole('columnheader', { name: 'Lane' })
  await lane.getByRole('button').click()
  await lane.getByRole('button').click()
  t.is(await lane.getAttribute('aria-sort'), 'descending')
  t.is(await page.locator('#lanes tbody tr td').nth(1).textContent(), String(LANE_COUNT - 1))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Operator token').waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(
  `a page says when the server is away, and when it is back it is quiet${WHY_SKIPPED}`,
  async (t) => {
    const { api } = await consoleUnderTest(t)
    const { page } = await openPage(t, `${api.url}/admin`)
    await signIn(page)
    await page.locator('#lanes tbody tr').first().waitFor()
    const away = page.getByText('The server does not answer').first()
    t.false(await away.isVisible())
    await page.context().setOffline(true)
    await away.waitFor()
    await page.context().setOffline(false)
    await away.waitFor({ state: 'hidden' })
  },
)

inBrowser(`a dead letter is read and sent again${WHY_SKIPPED}`, async (t) => {
  const { api, pipeline } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/dead-letters`)
  await signIn(page)
  await page.getByText('No dead letters: every event was taken.').waitFor()
  await runWorker(t, pipeline)
  await publishPoison(pipeline, 1)
  await page.reload()
  const letter = row(page, 'signature "tooShort"')
  await letter.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('was sent again. An event that is refused again').waitFor()
  await row(page, 'sent 20').waitFor()
  await untilCaughtUp(pipeline)
  await page.getByLabel('Show').selectOption('waiting')
  await page.getByText('1 wait to be sent again').waitFor()
  await page.getByRole('button', { name: 'Retry all that wait' }).click()
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Sent again: 1 dead letter.').waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(
  `a dead letter of FEED is counted, and is not to be sent again${WHY_SKIPPED}`,
  async (t) => {
    const { api, pipeline } = await consoleUnderTest(t)
    await pipeline.db.query(
      `insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
     values ('ledger', 0, 'e', 1, 0, 's', 'names nobody', ''), ('pool', 0, 'e', 1, 0, 's', 'poison', '')`,
    )
    const { page, complaints } = await openPage(t, `${api.url}/admin/dead-letters`)
    await signIn(page)
    await page.getByText('1 wait to be sent again').waitFor()
    const retriesOf = (reason: string): Promise<number> =>
      row(page, reason).getByRole('button', { name: 'Retry' }).count()
    await row(page, 'names nobody').getByText('counted').waitFor()
    t.is(await retriesOf('names nobody'), 0)
    await row(page, 'poison').getByText('waits').waitFor()
    t.is(await retriesOf('poison'), 1)
    t.deepEqual(complaints, [])
  },
)

inBrowser(`a key is created, shown once, rotated and revoked${WHY_SKIPPED}`, async (t) => {
  const { api } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/keys`)
  await signIn(page)
  await page.getByText('No keys yet').waitFor()
  await page.getByLabel('Tier').selectOption('developer')
  await page.getByLabel('Account').fill('<b>acme</b>')
  await page.getByRole('button', { name: 'Create' }).click()
  const made = page.locator('#made-key')
  await made.waitFor()
  const key = (await made.textContent()) ?? ''
  const statusOf = async (): Promise<number> =>
    (await fetch(`${api.url}/swaps`, { headers: { 'X-API-Key': key } })).status
  t.is(await statusOf(), 200)
  await row(page, '<b>acme</b>').waitFor()
  await page.reload()
  await row(page, '<b>acme</b>').getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await made.waitFor()
  t.not(await made.textContent(), key)
  await row(page, 'until 20').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  t.is(await statusOf(), 200)
  await row(page, 'until 20').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row(page, 'revoked 20').waitFor()
  await page.getByRole('link', { name: 'Audit' }).click()
  await row(page, 'revoked').getByText('key 1').waitFor()
  t.false((await page.content()).includes(key))
  t.deepEqual(complaints, [])
})

inBrowser(`a webhook is created, paused, resumed and deleted${WHY_SKIPPED}`, async (t) => {
  const { api } = await consoleUnderTest(t, {
    webhooks: { secretKey: 'a-key-for-secrets-of-this-test-alone', policy: 'allow' },
  })
  const { page, complaints } = await openPage(t, `${api.url}/admin/webhooks`)
  await signIn(page)
  await page.getByText('No webhooks yet').waitFor()
  await page.getByLabel('URL').fill('https://example.invalid/swaps')
  await page.getByLabel('Filter').fill('{"swap_type":"buy"}')
  await page.getByRole('button', { name: 'Create' }).click()
  const made = page.locator('#made-secret')
  await made.waitFor()
  const secret = (await made.textContent()) ?? ''
  t.regex(secret, /^whsec_.{44}$/)
  await row(page, 'example.invalid').getByRole('button', { name: 'Pause' }).click()
  await row(page, 'an operator paused it').getByRole('button', { name: 'Resume' }).click()
  await row(page, 'active').waitFor()
  await page.reload()
  await row(page, '"swap_type":"buy"').getByRole('button', { name: 'Delete' }).click()
  t.false((await page.content()).includes(secret))
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks yet').waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(`KOLs are added, imported, found and removed${WHY_SKIPPED}`, async (t) => {
  const { api } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/kols`)
  await signIn(page)
  await page.getByText('No KOLs here').waitFor()
  await page.getByLabel('Wallet').fill(trader(1))
  await page.getByLabel('Name').fill('Ann')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByText('Ann is added.').waitFor()
  const lines = `wallet,display_name\n${trader(2)},Bob\nnobody,Cat\n`
  await page.getByLabel('Lines to import').fill(lines)
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByText('1 added, 0 changed, 0 as before, 1 refused.').waitFor()
  await page.getByText('3 wallet "nobody": expected an address').waitFor()
  await page.getByLabel('Search').fill('bob')
  await row(page, 'Ann').waitFor({ state: 'detached' })
  await row(page, 'Bob').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Bob is removed.').waitFor()
  await page.getByText('1 KOL', { exact: true }).waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(`sectors are said, imported, found and taken away${WHY_SKIPPED}`, async (t) => {
  const { api, pipeline } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin`)
  await signIn(page)
  await page.getByRole('link', { name: 'Sectors' }).click()
  await page.getByText('No token has a sector').waitFor()
  await page.getByLabel('Mint').fill(` ${mint(1)} `)
  await page.getByLabel('Sector').fill('<b>zeal</b>')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByText('but no worker has applied it yet').waitFor()
  await runWorker(t, pipeline)
  await untilCaughtUp(pipeline)
  await page.reload()
  await row(page, mint(1)).getByText('<b>zeal</b>').waitFor()
  await page.getByLabel('Mint').fill(mint(1))
  await page.getByLabel('Sector').fill('ai')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByText(`${mint(1)} is in ai.`).waitFor()
  await row(page, mint(1)).getByText('ai', { exact: true }).waitFor()
  await page.getByLabel('Lines to import').fill(`mint,sector\n${mint(2)},game\nnobody,ai\n`)
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByText('1 stored, 1 refused.').waitFor()
  await page.getByText('3 token_address "nobody": expected an address').waitFor()
  await page.getByText('2 tokens', { exact: true }).waitFor()
  await page.getByLabel('Search').fill('GAME')
  await row(page, mint(1)).waitFor({ state: 'detached' })
  await row(page, mint(2)).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText(`${mint(2)} has no sector.`).waitFor()
  await page.getByText('1 token', { exact: true }).waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(`Bull Board shows a queue and its failed job, offline${WHY_SKIPPED}`, async (t) => {
  const { api, bench, pipeline } = await consoleUnderTest(t)
  const { databaseUrl } = pipeline
  bench.work({
    databaseUrl,
    functions: { 'wallet-tags': () => Promise.reject(new Error('the reason of this failure')) },
  })
  const queue = bench.queue()
  const requested = queue.requestAndWait(
    'wallet-tags',
    { wallet: trader(1) },
    AbortSignal.timeout(60_000),
  )
  await t.throwsAsync(requested, { message: /the reason of this failure/ })
  const { page, complaints } = await openPage(t, `${api.url}/admin/queues`)
  await signIn(page)
  await page.waitForURL('**/admin/queues')
  await page.getByText('chart-backfill').first().waitFor()
  await page.goto(`${api.url}/admin/queues/queue/wallet-tags?status=failed`)
  await page.getByText('the reason of this failure').first().waitFor()
  const paused = await page.evaluate(async () => {
    const answer = await fetch('/admin/queues/api/queues/wallet-tags/pause', { method: 'PUT' })
    return answer.status
  })
  t.is(paused, 200)
  await page.goto(`${api.url}/admin`)
  await page.locator('#queues').getByText('the reason of this failure').waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(`a session that ends leads back to its page${WHY_SKIPPED}`, async (t) => {
  const { api } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/replays`)
  await signIn(page)
  await page.getByText('No replay yet.').waitFor()
  await page.context().clearCookies()
  // The page renews its list by itself.
  await signIn(page)
  await page.getByText('No replay yet.').waitFor()
  t.is(new URL(page.url()).pathname, '/admin/replays')
  t.deepEqual(complaints, [])
})

inBrowser(`a list shows a change that was made while it was read${WHY_SKIPPED}`, async (t) => {
  const { api } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin`)
  await signIn(page)
  const { promise: changed, resolve: release } = Promise.withResolvers<void>()
  let lists = 0
  await page.route('**/admin/v1/keys', async (route) => {
    const answer = await route.fetch()
    if (++lists === 1) await changed
    await route.fulfill({ response: answer })
  })
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByLabel('Account').fill('acme')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('#made-key').waitFor()
  release()
  await row(page, 'acme').waitFor()
  t.is(lists, 2)
  t.deepEqual(complaints, [])
})

inBrowser(`a failed action shows its error until the next one${WHY_SKIPPED}`, async (t) => {
  const { api } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/replays`)
  await signIn(page)
  await page.getByLabel('To subject').fill('replay.<b>me</b>')
  await page.getByLabel('From').fill('yesterday')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.locator('#banner', { hasText: 'from "yesterday"' }).waitFor()
  t.is(await page.getByLabel('To subject').inputValue(), 'replay.<b>me</b>')
  await page.getByLabel('From').fill('')
  await page.getByLabel('To subject').fill('replay.me')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.locator('#banner', { hasText: 'The replay to replay.me is requested.' }).waitFor()
  await row(page, 'replay.me').getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await page.getByText('The replay stops within a second.').waitFor()
  t.deepEqual(
    complaints.filter((complaint) => !/\b400\b/.test(complaint)),
    [],
  )
})

inBrowser(`all dead letters are read, a hundred at a time${WHY_SKIPPED}`, async (t) => {
  const { api, pipeline } = await consoleUnderTest(t)
  await pipeline.db.query(
    `insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
     select 'ledger', 0, 'e', number, 0, 's', 'reason ' || number, '' from generate_series(1, 250) number`,
  )
  const { page, complaints } = await openPage(t, `${api.url}/admin/dead-letters`)
  await signIn(page)
  const more = page.getByRole('button', { name: 'Load more' })
  for (const count of [100, 200, 250]) {
    await page.locator(`tbody tr:nth-child(${count})`).waitFor()
    t.is(await page.locator('tbody tr').count(), count)
    if (count < 250) await more.click()
  }
  await more.waitFor({ state: 'detached' })
  t.is(await page.locator('tbody tr td').first().textContent(), '250')
  t.deepEqual(complaints, [])
})

inBrowser(`a file is imported as its bytes, and edited lines as text${WHY_SKIPPED}`, async (t) => {
  const { api } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/kols`)
  await signIn(page)
  const text = `wallet,display_name\n${trader(3)},Dan\n`
  const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff])])
  const file = { name: 'kols.csv', mimeType: 'text/csv', buffer: bytes }
  await page.getByLabel('File').setInputFiles(file)
  const lines = page.getByLabel('Lines to import')
  await page.waitForFunction('document.querySelector("textarea").value.includes("Dan")')
  await page.getByRole('button', { name: 'Import' }).click()
  await page.locator('#banner.bad', { hasText: 'refused' }).waitFor()
  await lines.fill(text)
  await page.getByRole('button', { name: 'Import' }).click()
  await page.locator('#banner.good', { hasText: '0 refused' }).waitFor()
  await row(page, 'Dan').waitFor()
  await page.getByLabel('Search').fill('nobody of this name')
  await page.getByText('No KOL contains this text.').waitFor()
  t.deepEqual(complaints, [])
})
