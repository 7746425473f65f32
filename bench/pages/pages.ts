/**
 * Pages in Chromium alongside 500 swaps a second through all actors: time from opening to the first figure, cold and with
 * the files in the browser's cache; the longest frame and the growth of memory while a page receives the market live.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { startFeedApi } from '../feeds/fan-out.ts'
import { type Sample, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import type { JobsMessage } from '../programs/jobs-program.ts'
import { startProgram } from '../programs/program.ts'
import { order, startWorkerProgram } from '../publisher.ts'
import type { Stage } from '../stage.ts'
import { CHROMIUM } from '../test-support.ts'
import { firstFigureMs, heapBytes, longestFrame, signedIn, startBrowser } from './browser.ts'

const SWAPS_PER_SECOND = 500
/** The market has tokens, positions and rankings by then. */
const WARM_UP_SECONDS = 30
const MIB = 1024 * 1024
/** Between two readings of the heap. */
const HEAP_EVERY_MS = 60_000
const ACTORS = ['pool', 'ledger', 'ranking']
const PAGES = ['market', 'token', 'wallet'] as const
type PageName = (typeof PAGES)[number]

const alongside = `alongside ${SWAPS_PER_SECOND} swaps/s`
const firstOf = (name: PageName, cache: 'cold' | 'warm'): string =>
  `page of the ${name}, first figure, ${cache}, ${alongside}`
const LIVE = ['market', 'token'] as const satisfies readonly PageName[]
const frameOf = (name: PageName): string => `page of the ${name}, longest frame, live ${alongside}`
const growthOf = (name: PageName): string =>
  `page of the ${name}, growth of its heap, live ${alongside}`

export const pages: Measurement = {
  name: 'pages',
  figures: [
    ...PAGES.flatMap((name) =>
      (['cold', 'warm'] as const).map((cache) => {
        return { figure: firstOf(name, cache), unit: 'ms', goal: '<= 1,000' }
      }),
    ),
    ...LIVE.flatMap((name) => [
      { figure: frameOf(name), unit: 'ms', goal: '<= 100' },
      { figure: growthOf(name), unit: 'MiB/h', digits: 1 },
    ]),
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
  const jobs = startProgram<JobsMessage>('jobs-program.ts', shared, context.workerFlags)
  const { api, url, key } = await startFeedApi(context, stage)
  const publisher = await context.publisher()
  const browser = await startBrowser()
  try {
    const load = { run: 'steady', swapsPerSecond: SWAPS_PER_SECOND }
    const published = order(publisher, stage, load)
    await pause(WARM_UP_SECONDS * 1_000)
    const paths = await pathsOf(stage)
    const samples = await measure(browser, { url, key, paths }, context)
    publisher.program.send({ kind: 'enough' })
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
  context: BenchContext,
): Promise<Sample[]> {
  const samples: Sample[] = []
  const opened = {} as Record<PageName, Page>
  for (const name of PAGES) {
    const page = await signedIn(browser, url, key)
    opened[name] = page
    for (const cache of ['cold', 'warm'] as const) {
      const value = await firstFigureMs(page, url + paths[name])
      samples.push({ figure: firstOf(name, cache), value })
    }
    await page.goto('about:blank')
  }
  for (const name of LIVE) await firstFigureMs(opened[name], url + paths[name])
  const watched = await Promise.all(LIVE.map((name) => live(name, opened[name], context)))
  return [...samples, ...watched.flat()]
}

/** Heap and frames while the page is live. Frames of a collection that is forced do not count. */
async function live(name: PageName, page: Page, context: BenchContext): Promise<Sample[]> {
  const begunMs = performance.now()
  const heap: Point[] = []
  let longest = 0
  for (;;) {
    const hours = (performance.now() - begunMs) / HOUR_MS
    const mebibytes = (await heapBytes(page)) / MIB
    heap.push([hours, mebibytes])
    context.say(`${name}: heap of ${mebibytes.toFixed(2)} MiB after ${(hours * 60).toFixed(1)} min`)
    const leftMs = begunMs + context.seconds * 1_000 - performance.now()
    if (leftMs <= 0) break
    const watched = longestFrame(page, Math.min(leftMs, HEAP_EVERY_MS))
    longest = Math.max(longest, await watched)
  }
  return [
    { figure: frameOf(name), value: longest },
    { figure: growthOf(name), value: slopeOf(heap) },
  ]
}

type Point = readonly [x: number, y: number]

/** Least squares. */
function slopeOf(points: readonly Point[]): number {
  const mean = (of: 0 | 1): number => points.reduce((sum, at) => sum + at[of], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const shared = points.reduce((sum, at) => sum + (at[0] - x) * (at[1] - y), 0)
  return shared / points.reduce((sum, at) => sum + (at[0] - x) ** 2, 0)
}
