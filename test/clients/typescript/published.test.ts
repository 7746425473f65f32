// The client as users run it: the example of its README from the packed package, and in a browser, both with a feed that
// goes through a restart of the API.

import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { openPage, WHY_SKIPPED } from '../../api/openapi/browser.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import { writeFeed } from '../../support/feed/written-feed.ts'
import { sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { startChild } from '../../support/programs/feed-server.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { ROOT } from '../../support/sources.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { until } from '../../support/workers/pipeline.ts'
import { packClient, run } from './packed.ts'

const INT64_MAX = 9_223_372_036_854_775_807n
/** Swaps among the events of a message of ten. */
const SWAPS_A_MESSAGE = 9

async function started(t: ExecutionContext) {
  const port = await ownPort()
  const { pipeline, api: first, another } = await feedApi(t)
  await first.stop()
  let api = await another({ port })
  const { db } = pipeline
  const swap = sampleSwap({ isBuy: true, signature: signatureOf(1), tokenAmount: INT64_MAX })
  await insertSwaps(db, [swap])
  await insertLedger(db, [])
  const wanted = { tier: 'pro', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(db, wanted)
  const restart = async () => {
    await api.stop()
    api = await another({ port })
  }
  return { pipeline, swap, key, url: `http://127.0.0.1:${port}`, restart }
}

test('the example of the README prints exact quantities and the feed, through a restart', async (t) => {
  const { pipeline, swap, key, url, restart } = await started(t)
  const { folder, archive } = await packClient(t)
  const installed = join(folder, 'user/node_modules/@swaptide/client')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xf', archive, '-C', installed, '--strip-components=1'])
  const readme = await readFile(join(installed, 'README.md'), 'utf8')
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? []
  t.true(example.trim().split('\n').length <= 10)
  const program = join(folder, 'user/example.mjs')
  await writeFile(program, example)
  const child = startChild(t, [program, url, key, swap.user])
  const printed: string[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    printed.push(line),
  )
  await until('its position', 60_000, () => printed.length > 0)
  t.is(printed[0], `${swap.tokenAddress} ${INT64_MAX}n ${swap.solAmount}n`)
  // The client subscribes a moment later: events written before that are not in its feed.
  let written = 0
  await until('its first event', 60_000, async () => {
    await writeFeed(pipeline, written++ * 10, 1, 10)
    return printed.length > 1
  })
  await restart()
  const had = printed.length
  await writeFeed(pipeline, written * 10, 1, 10)
  await until('events after the restart', 60_000, () => printed.length >= had + SWAPS_A_MESSAGE)
  t.true(printed.slice(1).every((line) => /^swap \w+ \d+n$/.test(line)))
  child.kill()
  await once(child, 'exit')
})

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

inBrowser(
  `reads, errors and the feed work in a browser, through a restart${WHY_SKIPPED}`,
  async (t) => {
    const { pipeline, swap, key, url, restart } = await started(t)
    const { outputFiles } = await build({
      entryPoints: [join(ROOT, 'clients/typescript/client.ts')],
      bundle: true,
      format: 'iife',
      globalName: 'swaptide',
      write: false,
    })
    const { page } = await openPage(t, `${url}/robots.txt`)
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    // The code for the page is given as text: it has no other scope.
    const position = await page.evaluate(`(async () => {
    window.client = swaptide.createClient({ url: '${url}', key: '${key}' })
    const { positions } = await client.getWalletPositions({ wallet: '${swap.user}', status: 'all' })
    const quantity = positions[0].balance_atomic
    return typeof quantity + ' ' + quantity
  })()`)
    t.is(position, `bigint ${INT64_MAX}`)
    const error = await page.evaluate(`client.listSwaps({ limit: 0 }).catch((error) =>
    [error instanceof swaptide.SwaptideError, error.status, error.code].join(' '))`)
    t.is(error, 'true 400 invalid_parameter')
    await page.evaluate(`(() => {
    window.slots = []
    const from = { cursor: '${pipeline.topology.feed.epoch}-0' }
    const read = async () => {
      for await (const { slot } of client.feed({ channel: 'swaps', from })) slots.push(String(slot))
    }
    read().catch((error) => slots.push(String(error)))
  })()`)
    const count = async (least: number) =>
      ((await page.evaluate('slots.length')) as number) >= least
    await writeFeed(pipeline, 0, 20, 10)
    await until('the events', 60_000, () => count(20 * SWAPS_A_MESSAGE))
    await restart()
    await writeFeed(pipeline, 200, 20, 10)
    await until('events after the restart', 60_000, () => count(40 * SWAPS_A_MESSAGE))
    const slots = (await page.evaluate('slots')) as string[]
    const expected = Array.from({ length: 400 }, (_, n) => n).filter((n) => n % 10 !== 9)
    t.deepEqual(
      slots,
      expected.map((n) => String(1_000 + n)),
    )
  },
)
