/**
 * Pages of the widest in Chromium: a wallet with 10,000 mints and a token with 5,000 candles of a minute, both from swaps
 * that all actors folded. Each is scrolled, sorted, paged and switched as a person does; nothing else runs.
 *
 * The longest frame includes what the rest of the machine takes; the longest task is CPU of the page's main thread.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { Event } from '../../domain/events/event.ts'
import { MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { TIMEFRAMES } from '../../domain/time/timeframe.ts'
import { publishEvents } from '../../streams/ingest/batcher.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import { startFeedApi } from '../feeds/fan-out.ts'
import { type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { programLog } from '../programs/program.ts'
import { startWorkerProgram } from '../publisher.ts'
import type { Stage } from '../stage.ts'
import { CHROMIUM, mint, pair, sampleSwap, signatureOf, trader } from '../test-support.ts'
import { firstFigureMs, longestFrame, signedIn, startBrowser } from './browser.ts'

const MINTS = 10_000
const CANDLES = 5_000
/** Every tenth position is closed. */
const CLOSED_EVERY = 10
const ACTORS = ['pool', 'ledger', 'ranking']
const FOLD_BOUND_MS = 300_000
const POLL_MS = 500
const WHEEL_PX = 500
const WHEELS = 8
const STEP_MS = 60
/** Answers of the last step are drawn by then. */
const REST_MS = 1_000
const WATCHED_MS = 15_000
const BUSY = trader(1)

/** Buttons by their text, in this order. */
const PAGES = {
  [`wallet with ${MINTS.toLocaleString('en-US')} mints`]: {
    path: `/wallet/${BUSY}`,
    pressed: ['realized', 'all', 'Next', 'Next', 'strict', 'unrealized', 'closed'],
  },
  [`token with ${CANDLES.toLocaleString('en-US')} candles`]: {
    path: `/token/${mint(0)}`,
    pressed: [
      ...TIMEFRAMES.slice(1),
      ...TIMEFRAMES.slice(0, 1),
      'SOL',
      'marks off',
      'market cap',
      'price',
    ],
  },
}
const NAMES = Object.keys(PAGES)

const frameOf = (name: string): string => `page of a ${name}, longest frame`
const taskOf = (name: string): string => `page of a ${name}, longest task of its main thread`

export const widePages: Measurement = {
  name: 'wide-pages',
  figures: NAMES.flatMap((name) => [
    { figure: frameOf(name), unit: 'ms', goal: '<= 100' },
    { figure: taskOf(name), unit: 'ms of CPU', goal: '<= 100' },
  ]),
  async round(context) {
    if (CHROMIUM === undefined) {
      context.say('wide-pages: this machine has no Chromium')
      return []
    }
    return context.stages.use((stage) => play(context, stage))
  },
}

async function play(context: BenchContext, stage: Stage): Promise<Sample[]> {
  const start = (actor: string) => startWorkerProgram(stage, context.workerFlags, [actor])
  const workers = await Promise.all(ACTORS.map(start))
  const { api, url, key } = await startFeedApi(context, stage)
  const browser = await startBrowser()
  try {
    await fill(stage)
    const samples: Sample[] = []
    for (const [name, { path, pressed }] of Object.entries(PAGES)) {
      const page = await signedIn(browser, url, key)
      samples.push(...(await watch(browser, page, { name, opened: url + path, pressed })))
      await page.context().close()
    }
    return samples
  } finally {
    await browser.close()
    await Promise.all([api, ...workers].map((program) => program.stop()))
  }
}

function* market(): Generator<Event> {
  const newestMs = Date.now() - MINUTE_MS
  let count = 0
  const swapOf = (n: number, ago: number, changes: object): Event => {
    const swap = sampleSwap({
      ...{ signature: signatureOf(count), slot: 1_000 + count++, timestamp: newestMs - ago },
      ...{ tokenAddress: mint(n), pairAddress: pair(n), user: BUSY, isBuy: true },
      ...changes,
    })
    return { kind: 'swap', swap }
  }
  for (let at = CANDLES - 1; at >= 0; at--) {
    const solAmount = 1_000_000_000 + (at % 97) * 10_000_000
    yield swapOf(0, at * MINUTE_MS, { user: trader(2 + (at % 50)), solAmount, isBuy: at % 3 > 0 })
  }
  for (let n = 0; n < MINTS; n++) yield swapOf(n, 0, { solAmount: 1_000_000 + n * 7_919 })
  for (let n = 1; n < MINTS; n += CLOSED_EVERY) {
    yield swapOf(n, 0, { solAmount: 2_000_000 + n * 7_907, isBuy: false })
  }
}

/** Until all actors folded it. */
async function fill({ db, jetStream, topology }: Stage): Promise<void> {
  const publisher = createPublisher(jetStream, topology, { log: programLog })
  const events = [...market()]
  const inOrder = async function* (): AsyncGenerator<readonly Event[]> {
    yield events
  }
  await publishEvents(inOrder(), { publish: publisher.publish, ...topology })
  const state = `
    select (select coalesce(sum(buy_count + sell_count), 0)::int from position) as folded,
      (select count(*)::int from candle_1m) as candles`
  for (const boundMs = sharedClockMs() + FOLD_BOUND_MS; ; await pause(POLL_MS)) {
    const { rows } = await db.query<{ folded: number; candles: number }>(state)
    const [found] = rows
    if (found?.folded === events.length && found.candles >= MINTS + CANDLES - 1) break
    if (sharedClockMs() > boundMs)
      throw new WrongResult(`of ${events.length} swaps: ${JSON.stringify(found)}`)
  }
  await db.query('analyze')
}

type Watched = { name: string; opened: string; pressed: readonly string[] }

async function watch(browser: Browser, page: Page, watched: Watched): Promise<Sample[]> {
  const { name, opened, pressed } = watched
  await firstFigureMs(page, opened)
  await page.waitForLoadState('networkidle')
  await browser.startTracing(page, { categories: ['toplevel'] })
  const frame = longestFrame(page, WATCHED_MS)
  await scroll(page)
  for (const text of pressed) {
    await page.getByRole('button', { name: text, exact: true }).first().click()
    await page.waitForLoadState('networkidle')
  }
  await scroll(page)
  await pause(REST_MS)
  const longest = await frame
  const trace = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] }
  return [
    { figure: frameOf(name), value: longest },
    { figure: taskOf(name), value: longestTaskMs(trace.traceEvents) },
  ]
}

/** To the end and back. */
async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 450)
  for (const direction of [1, -1]) {
    for (let count = 0; count < WHEELS; count++) {
      await page.mouse.wheel(0, direction * WHEEL_PX)
      await pause(STEP_MS)
    }
  }
}

/** `tdur`: CPU of the thread, in microseconds. */
type TraceEvent = {
  name: string
  ph: string
  pid: number
  tid: number
  tdur?: number
  args: { name?: string }
}

function longestTaskMs(events: readonly TraceEvent[]): number {
  const mains = events.filter(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  )
  const isMain = ({ pid, tid }: TraceEvent): boolean =>
    mains.some((main) => main.pid === pid && main.tid === tid)
  const tasks = events.filter((event) => event.ph === 'X' && isMain(event))
  const longest = tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0)
  if (longest === 0) throw new WrongResult('no task of the page was traced')
  return longest / 1_000
}
