/** The pages of docs/pages.md that embed a chart, opened from a file as a developer opens it. */
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { chromium } from 'playwright-core'
import { WHY_SKIPPED } from '../api/openapi/browser.ts'
import { PATIENT_MS } from '../support/api/api-under-test.ts'
import { patientAnswer } from '../support/api/patient-answer.ts'
import { startDemo } from '../support/deploy/demo.ts'
import { temporaryFolder } from '../support/servers/servers.ts'
import { ROOT, readText } from '../support/sources.ts'
import { CHROMIUM } from '../support/web/chromium.ts'

/** Pages of HTML that the guide shows, whole. */
const PAGES = Array.from(
  readText('docs/pages.md').matchAll(/^```html\n([\s\S]*?)^```$/gm),
  ([, page = '']) => page,
)
const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

type Bar = { time: number; open: number; high: number; low: number; close: number }
type Candle = Omit<Bar, 'time'> & { timestamp: number }

/** Bars that the page holds: its own names are global. */
const BARS =
  'candles.data().map(({ time, open, high, low, close }) => ({ time, open, high, low, close }))'

inBrowser(
  `the charts of the guide draw the candles of the API and show a refusal${WHY_SKIPPED}`,
  async (t) => {
    const { url, key } = await startDemo(t)
    const read = async (path: string) => {
      const response = await patientAnswer(url + path, { 'X-API-Key': key })
      return (await response.json()) as never
    }
    const { results } = (await read('/trending?window=1h&limit=1')) as {
      results: { mint: string }[]
    }
    const mint = String(results[0]?.mint)
    const folder = await temporaryFolder(t)
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const browser = await chromium.launch({
      executablePath: String(CHROMIUM),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
      timeout: PATIENT_MS,
    })
    t.teardown(() => browser.close())
    const open = async (text: string, values: Record<string, string>) => {
      const filled = text.replaceAll(/http:\/\/127\.0\.0\.1:8080|YOUR_KEY|YOUR_MINT/g, (found) => {
        return String(values[found])
      })
      const path = join(folder, 'chart.html')
      await writeFile(path, filled)
      const page = await browser.newPage()
      await page.goto(pathToFileURL(path).href)
      return page
    }
    const values = { 'http://127.0.0.1:8080': url, YOUR_KEY: key, YOUR_MINT: mint }
    const answer = await read(`/api/v1/candles?timeframe=1m&token_address=${mint}`)
    const { data: rows } = answer as Record<'data', Candle[]>
    t.is(PAGES.length, 2)
    for (const text of PAGES) {
      const page = await open(text, values)
      await page.waitForFunction('candles.data().length > 0', undefined, { timeout: PATIENT_MS })
      const drawn = (await page.evaluate(BARS)) as Bar[]
      t.deepEqual(
        drawn,
        rows.map(({ timestamp, open: first, high, low, close }) => {
          return { time: timestamp / 1_000, open: first, high, low, close }
        }),
        text,
      )
      // The chart renews itself.
      await page.evaluate('candles.setData([])')
      await page.waitForFunction('candles.data().length > 0', undefined, { timeout: PATIENT_MS })
      const refused = await open(text, { ...values, YOUR_KEY: 'not_a_key' })
      await refused.getByText('key').waitFor({ timeout: PATIENT_MS })
      t.is(await refused.evaluate('candles.data().length'), 0)
    }
  },
)
