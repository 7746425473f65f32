/**
 * Pages in Chromium beside 500 swaps a second through all actors: time from opening to the first figure, cold and with
 * the files in the browser's cache; the longest frame and the growth of memory while a page receives the market live.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from '../../test/support/web/chromium.ts'
import { startFeedApi } from '../feeds/fan-out.ts'
import { type BenchContext, type Measurement, type Sample, WrongResult } from '../measurement.ts'
import { order, startWorkerProgram } from '../pipeline/publisher.ts'
import type { JobsSaid } from '../programs/jobs-program.ts'
import { startProgram } from '../programs/program.ts'
import type { Stage } from '../stage.ts'

const SWAPS_PER_SECOND = 500
/** The market has tokens, positions and rankings by then. */
const WARM_UP_SECONDS = 30
const BOUND_MS = 30_000
const MIB = 1024 * 1024
const SECONDS_AN_HOUR = 3_600
const ACTORS = ['pool', 'ledger', 'ranking']
const PAGES = ['market', 'token', 'wallet'] as const
type PageName = (typeof PAGES)[number]

const beside = `beside ${SWAPS_PER_SECOND} swaps/s`
const firstOf = (name: PageName, cache: 'cold' | 'warm'): string =>
  `page of the ${name}, first figure, ${cache}, ${beside}`
const FRAME = `page of the market, longest frame, live ${beside}`
const GROWTH = `page of the market, growth of its heap, live ${beside}`

export const pages: Measurement = {
  name: 'pages',
  needsStack: true,
  figures: [
    ...PAGES.flatMap((name) =>
      (['cold', 'warm'] as const).map((cache) => {
        return { figure: firstOf(name, cache), unit: 'ms', goal: '<= 1,000' }
      }),
    ),
    { figure: FRAME, unit: 'ms', goal: '<= 100' },
    { figure: GROWTH, unit: 'MiB/h', digits: 1 },
  ],
  async round(context) {
    if (CHROMIUM === undefined) {
      context.say('pages: this machine has no Chromium')
      return []
    }
    return context.stages.use((stage) => play(context, stage))
  },
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const start = (actor: string) => startWorkerProgram(stage, context.workerFlags, [actor])
  const workers = await Promise.all(ACTORS.map(start))
  const shared = {
    databaseUrl: stage.databaseUrl,
    redisUrl: context.stack.redisUrl,
    prefix: stage.topology.prefix,
  }
  const jobs = startProgram<JobsSaid>('jobs-program.ts', shared, context.workerFlags)
  const { api, url, key } = await startFeedApi(context, stage)
  const publisher = await context.publisher()
  const browser = await chromium.launch({
    executablePath: String(CHROMIUM),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  try {
    const load = { run: 'steady', swapsPerSecond: SWAPS_PER_SECOND }
    const published = order(publisher, stage, load)
    await pause(WARM_UP_SECONDS * 1_000)
    const samples = await measure(
      browser,
      { url, key, paths: await pathsOf(stage) },
      context.seconds,
    )
    publisher.program.tell({ kind: 'enough' })
    await published
    return samples
  } finally {
    await browser.close()
    await Promise.all([api, jobs, ...workers].map((program) => program.stop()))
  }
}

type Paths = Record<PageName, string>

/** The token and the wallet that traded most. */
async function pathsOf({ db }: Stage): Promise<Paths> {
  const { rows } = await db.query<{ mint: string; wallet: string }>(`
    select
      (select address from token where id = (
        select token_id from position group by token_id order by sum(buy_count + sell_count) desc limit 1
      )) as mint,
      (select address from wallet where id = (
        select wallet_id from position group by wallet_id order by sum(buy_count + sell_count) desc limit 1
      )) as wallet`)
  const [found] = rows
  if (found?.mint == null) throw new WrongResult('no swap was folded before the pages were opened')
  const { mint, wallet } = found
  return { market: '/', token: `/token/${mint}`, wallet: `/wallet/${wallet}` }
}

async function measure(
  browser: Browser,
  { url, key, paths }: { url: string; key: string; paths: Paths },
  seconds: number,
): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const name of PAGES) {
    const page = await signedIn(browser, url, key)
    for (const cache of ['cold', 'warm'] as const) {
      const value = await firstFigureMs(page, url + paths[name])
      samples.push({ figure: firstOf(name, cache), value })
    }
    if (name === 'market') samples.push(...(await live(page, seconds)))
    await page.context().close()
  }
  return samples
}

/** With an empty cache. */
async function signedIn(browser: Browser, url: string, key: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } })
  page.setDefaultTimeout(BOUND_MS)
  await page.goto(`${url}/robots.txt`)
  await page.evaluate(async (value) => {
    await fetch('/session', { method: 'POST', headers: { 'X-API-Key': value } })
  }, key)
  return page
}

async function firstFigureMs(page: Page, opened: string): Promise<number> {
  await page.goto('about:blank')
  const begun = performance.now()
  await page.goto(opened, { waitUntil: 'commit' })
  await page.locator('main .num[title]').first().waitFor()
  return performance.now() - begun
}

async function live(page: Page, seconds: number): Promise<Sample[]> {
  const before = await heapBytes(page)
  const frame = await page.evaluate(async (boundMs) => {
    const { requestAnimationFrame } = globalThis as unknown as {
      requestAnimationFrame(call: (ms: number) => void): void
    }
    const next = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
    let longest = 0
    const begun = await next()
    for (let last = begun; last - begun < boundMs; ) {
      const now = await next()
      longest = Math.max(longest, now - last)
      last = now
    }
    return longest
  }, seconds * 1_000)
  const grown = ((await heapBytes(page)) - before) / MIB
  return [
    { figure: FRAME, value: frame },
    { figure: GROWTH, value: (grown * SECONDS_AN_HOUR) / seconds },
  ]
}

/** Bytes in use after a collection. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
