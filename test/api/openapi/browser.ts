// A real browser where there is one: Debian's Chromium, headless, that is let to the API only.

import test, { type ExecutionContext } from 'ava'
import { type Browser, chromium, type Page } from 'playwright-core'
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

export type Look = { scheme?: 'dark' | 'light'; width?: number }

/** One for all tests of a thread, until it ends: its start takes 0.4 s of CPU. */
let started: Promise<Browser> | undefined

test.after.always(async () => {
  await (await started)?.close()
})

function browserOfThread(): Promise<Browser> {
  started ??= startBrowser()
  return started
}

async function startBrowser(): Promise<Browser> {
  const forget = (): void => {
    started = undefined
  }
  try {
    const browser = await chromium.launch({
      executablePath: String(CHROMIUM),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
      timeout: PATIENT_MS,
    })
    browser.on('disconnected', forget)
    return browser
  } catch (failure) {
    forget()
    throw failure
  }
}

/** A page with cookies, storage and a cache of its own, which end with the test. */
export async function openPage(
  t: ExecutionContext,
  url: string,
  { scheme = 'light', width = 1_280 }: Look = {},
): Promise<Opened> {
  const browser = await browserOfThread()
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
  })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENT_MS)
  const complaints: string[] = []
  const { origin } = new URL(url)
  page.on('pageerror', (failure) => complaints.push(`error: ${failure.message}`))
  page.on('console', (line) => {
    if (line.type() === 'error' && !PASSES.test(line.text())) complaints.push(line.text())
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
