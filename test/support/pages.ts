// Shared by tests of the pages: the figures that a page shows, what axe finds, and pictures of pages.

import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { BrowserContext, Page } from 'playwright-core'
import { parseExact } from '../../domain/text/exact-json.ts'
import { type Look, newContext, openPageIn } from '../api/openapi/browser.ts'
import { PATIENT_MS } from './api/api-under-test.ts'
import { patientAnswer } from './api/patient-answer.ts'
import { type Demo, startDemo } from './deploy/demo.ts'
import { ROOT } from './sources.ts'

/** Pictures of the last run; not committed. */
const PICTURES = join(ROOT, '.screenshots')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The widths in which each page is drawn, in both schemes. */
export const WIDTHS = [1_400, 390] as const
const SCHEMES = ['dark', 'light'] as const

/** The answer of the API to a key, with exact integers. */
export async function readAs<Answer = Row>({ url, key }: Demo, path: string): Promise<Answer> {
  const response = await patientAnswer(url + path, { 'X-API-Key': key })
  return parseExact(await response.text()) as Answer
}

/** Contexts of this thread that are signed in, by address and key. */
const signedInContexts = new Map<string, Promise<BrowserContext>>()

/** A page of the demo that is signed in with the key, at the path, with the cookies and the cache of the pages before. */
export async function signedIn(
  t: ExecutionContext,
  { url, key }: Pick<Demo, 'url' | 'key'>,
  path: string,
  look: Look = {},
) {
  return openPageIn(t, await signedInContext(url, key), url + path, look)
}

/** The one of this thread, which is forgotten when it could not be opened or its browser ended. */
function signedInContext(url: string, key: string): Promise<BrowserContext> {
  const name = `${url} ${key}`
  const known = signedInContexts.get(name)
  if (known !== undefined) return known
  const signing = signInContext(url, key)
  signedInContexts.set(name, signing)
  const forget = (): boolean => signedInContexts.delete(name)
  signing.then((context) => context.on('close', forget), forget)
  return signing
}

/** The same with a context of its own, for a test that changes cookies or goes offline. */
export async function signedInApart(
  t: ExecutionContext,
  { url, key }: Pick<Demo, 'url' | 'key'>,
  path: string,
  look: Look = {},
) {
  const context = await signInContext(url, key)
  t.teardown(() => context.close())
  return openPageIn(t, context, url + path, look)
}

async function signInContext(url: string, key: string): Promise<BrowserContext> {
  const context = await newContext()
  const options = { headers: { 'X-API-Key': key }, timeout: PATIENT_MS }
  const answer = await context.request.post(`${url}/session`, options)
  if (!answer.ok()) throw new Error(`POST /session: ${answer.status()}`)
  return context
}

/** Starts something for all tests of a file before the first, and ends it after the last. */
export function forFile<Started>(start: (t: ExecutionContext) => Promise<Started>): () => Started {
  const ends: (() => unknown)[] = []
  let started: { value: Started } | undefined
  test.serial.before(async () => {
    const t = { teardown: (end: () => unknown) => ends.unshift(end), log: () => {}, passed: true }
    started = { value: await start(t as unknown as ExecutionContext) }
  })
  test.after.always(async () => {
    for (const end of ends) await end()
  })
  return () => {
    if (started === undefined)
      throw new Error('not started: it starts before the tests of its file')
    return started.value
  }
}

let demoOfThread: (() => Demo) | undefined

/** One demo for all files of a thread that take it: their tests run one after the other, in the order of the files. */
export function demoForFile(): () => Demo {
  demoOfThread ??= forFile(startDemo)
  return demoOfThread
}

/** The part of an element of the browser that is read here. */
type Node = {
  getAttribute(name: string): string | null
  querySelectorAll(selector: string): Iterable<Node>
}

export type Row = Record<string, unknown>
type Shown = { name: string; exact: string | null }

/** Figures inside each element that `scope` selects, by the value of its attribute. */
export async function figuresOf(
  page: Page,
  attribute: string,
  scope = `[${attribute}]`,
): Promise<Map<string, Shown[]>> {
  const rows = await page.locator(scope).evaluateAll(
    (elements, name) =>
      (elements as unknown as Node[]).map((element) => [
        element.getAttribute(name) ?? '',
        Array.from(element.querySelectorAll('[data-figure]'), (holder) => ({
          name: holder.getAttribute('data-figure') ?? '',
          exact:
            Array.from(holder.querySelectorAll('.num[title]')).at(-1)?.getAttribute('title') ??
            null,
        })),
      ]),
    attribute,
  )
  return new Map(rows as [string, Shown[]][])
}

/** The number that a title states, as exact decimal digits. */
export function digitsOf(exact: string): string {
  return /^-?[\d,]+(?:\.\d+)?/.exec(exact)?.[0].replaceAll(',', '') ?? exact
}

/** Compares what a page shows with the row of the API that it shows. Returns the number of figures. */
export function compare(
  t: ExecutionContext,
  where: string,
  shown: readonly Shown[],
  row: Row,
): number {
  for (const { name, exact } of shown) {
    const value = row[name]
    const at = `${where} ${name}`
    if (value === null || value === undefined) t.is(exact, null, at)
    else if (typeof value === 'bigint' || Number.isInteger(value)) {
      const [digits = ''] = digitsOf(String(exact)).split('.')
      const whole = BigInt(digitsOf(String(exact)).replace('.', ''))
      // Integers of lamports and base units are shown as decimals, without zeros at the end.
      const padded = whole === 0n ? 0n : BigInt(value as bigint) / whole
      t.true(
        whole === 0n
          ? Number(value) === 0
          : BigInt(value as bigint) % whole === 0n && /^10*$/.test(String(padded)),
        `${at}: ${exact} is not ${value} (${digits})`,
      )
    } else t.is(Number(digitsOf(String(exact))), value as number, at)
  }
  return shown.length
}

/** Shown where the API had no connection or no time for a request; the page sends it again by itself. */
const UNANSWERED = 'The server does not answer'

/** Waits until every answer of the page is there. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('.loading').first().waitFor({ state: 'detached' })
  await page.getByText(UNANSWERED).first().waitFor({ state: 'detached' })
}

/** Pixels by which a page is wider than the screen. */
export const widthBeyond = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))

/** Rules of axe that read colors; the others read the document and its layout, which no scheme changes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Rules that axe finds broken, each with its first element; `rules`: those only. Nothing is loaded in advance, which only rules of
 * sound and video need.
 */
export async function brokenRules(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  return page.evaluate(
    async (options) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(options: object): Promise<{
            violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
          }>
        }
      }
      const { violations } = await axe.run(options)
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      )
    },
    { resultTypes: ['violations'], preload: false, ...(rules !== undefined && { runOnly: rules }) },
  )
}

/**
 * Asserts that the open page is accessible and no wider than the screen, in each scheme. A page follows its scheme while it
 * is open, so one browser draws it in both.
 */
export async function assertLooks(t: ExecutionContext, page: Page, title: string): Promise<void> {
  for (const [index, colorScheme] of SCHEMES.entries()) {
    await page.emulateMedia({ colorScheme })
    const name = `${title}-${colorScheme}-${page.viewportSize()?.width}`
    await takePicture(page, name)
    t.deepEqual(await brokenRules(page, index === 0 ? undefined : COLOR_RULES), [], name)
    const overflow = await widthBeyond(page)
    t.true(overflow <= 0, `${name} is ${overflow} px too wide`)
  }
}

/** `npm run screenshots` sets it: a picture costs as much as the checks of its page. */
const WANTS_PICTURES = process.env.SCREENSHOTS === '1'

export async function takePicture(page: Page, name: string): Promise<void> {
  if (!WANTS_PICTURES) return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}
