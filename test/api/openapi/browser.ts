// A real browser where there is one: Debian's Chromium, headless, that reaches the API only. The tests of a thread share one
// browser, whose start costs a second of CPU; their pages share cookies and a cache only where a test requests it.

import test, { type ExecutionContext } from 'ava'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { PATIENT_MS } from '../../support/api/api-under-test.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'

/** For the name of a test that is skipped. */
export const WHY_SKIPPED = CHROMIUM === undefined ? ' (skipped: no Chromium on this machine)' : ''

export type Opened = {
  page: Page
  /** Errors of the page, its requests to other hosts, and violations of its policy. */
  complaints: string[]
}

/** Refused keys, and refusals of a busy API, after which the page sends the request again. */
const PASSES = /\b(?:401|503|504)\b/

/** Figures of a token as of a slot, refused while its newest facts are of a later line: the page shows those of now. */
const REFUSED_OF_SLOT = /\/(?:stats\/tokens?\b|v2\/pnl\/tokens\/\w+\/first-buyers).*\bas_of_slot=/

export type Look = { scheme?: 'dark' | 'light'; width?: number }

let browserOfThread: Promise<Browser> | undefined

test.after.always(async () => {
  await (await browserOfThread)?.close()
})

/** Cookies and a cache of their own. One that crashed is started again. */
export async function newContext(): Promise<BrowserContext> {
  const before = browserOfThread
  const running = await before?.catch(() => undefined)
  // The first of the tests that find none at the same time starts one for all: a second one would never be closed.
  if (running?.isConnected() !== true && browserOfThread === before) browserOfThread = launch()
  return (await (browserOfThread as Promise<Browser>)).newContext()
}

/** An interceptor of requests would do without the cache and cost a quarter of each page: names of other hosts do not resolve. */
function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: String(CHROMIUM),
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage'],
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
    timeout: PATIENT_MS,
  })
}

/** A page with a context of its own. */
export async function openPage(t: ExecutionContext, url: string, look: Look = {}): Promise<Opened> {
  const context = await newContext()
  t.teardown(() => context.close())
  return openPageIn(t, context, url, look)
}

export async function openPageIn(
  t: ExecutionContext,
  context: BrowserContext,
  url: string,
  { scheme = 'light', width = 1_280 }: Look = {},
): Promise<Opened> {
  const page = await context.newPage()
  t.teardown(() => page.close())
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme: scheme })
  page.setDefaultTimeout(PATIENT_MS)
  const complaints: string[] = []
  const { origin } = new URL(url)
  page.on('pageerror', (failure) => complaints.push(`error: ${failure.message}`))
  page.on('console', (line) => {
    const [text, { url: from }] = [line.text(), line.location()]
    if (line.type() !== 'error' || PASSES.test(text)) return
    if (/\b400\b/.test(text) && REFUSED_OF_SLOT.test(from)) return
    complaints.push(`${text} ${from}`)
  })
  page.on('request', (requested) => {
    const other = requested.url()
    if (!other.startsWith(origin) && !other.startsWith('data:'))
      complaints.push(`asked for ${other}`)
  })
  await page.goto(url)
  return { page, complaints }
}
