// A real browser where there is one: Debian's Chromium, headless, that is let to the API only.

import type { ExecutionContext } from 'ava'
import { chromium, type Page } from 'playwright-core'
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

export async function openPage(
  t: ExecutionContext,
  url: string,
  { scheme = 'light', width = 1_280 }: Look = {},
): Promise<Opened> {
  const browser = await chromium.launch({
    executablePath: String(CHROMIUM),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: PATIENT_MS,
  })
  t.teardown(() => browser.close())
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme })
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
  await page.route('**/*', (requested) => {
    const other = requested.request().url()
    if (other.startsWith(origin) || other.startsWith('data:')) return requested.continue()
    complaints.push(`asked for ${other}`)
    return requested.abort()
  })
  await page.goto(url)
  return { page, complaints }
}
