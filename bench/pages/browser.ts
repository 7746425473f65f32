/** Chromium as measurements of the pages use it: a signed-in page, the first figure of one, its frames and its heap. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from '../test-support.ts'

const BOUND_MS = 30_000

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: String(CHROMIUM),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}

/** With an empty cache. */
export async function signedIn(browser: Browser, url: string, key: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } })
  page.setDefaultTimeout(BOUND_MS)
  await page.goto(`${url}/robots.txt`)
  await page.evaluate(async (value) => {
    await fetch('/session', { method: 'POST', headers: { 'X-API-Key': value } })
  }, key)
  return page
}

export async function firstFigureMs(page: Page, opened: string): Promise<number> {
  await page.goto('about:blank')
  const begun = performance.now()
  await page.goto(opened, { waitUntil: 'commit' })
  await page.locator('main .num[title]').first().waitFor()
  return performance.now() - begun
}

export function longestFrame(page: Page, boundMs: number): Promise<number> {
  return page.evaluate(async (bound) => {
    const { requestAnimationFrame } = globalThis as unknown as {
      requestAnimationFrame(call: (ms: number) => void): void
    }
    const next = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
    let longest = 0
    const begun = await next()
    for (let last = begun; last - begun < bound; ) {
      const now = await next()
      longest = Math.max(longest, now - last)
      last = now
    }
    return longest
  }, boundMs)
}

/** Bytes in use after a collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
