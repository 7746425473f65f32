/**
 * The pages of docs/start, executed as their readers do: each block of commands runs, in the order of the page, against a
 * running service. A block `sh` runs in a folder of the reader, `sh clone` in the clone; a block with a file's name is saved there.
 */
import { spawn } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { chromium } from 'playwright-core'
import { copyClient } from '../clients/typescript/packed.ts'
import { type Demo, startDemo } from '../support/deploy/demo.ts'
import {
  commandEnvironment,
  finished,
  type Ran,
  startCommand,
} from '../support/programs/commands.ts'
import { temporaryFolder } from '../support/servers/servers.ts'
import { ROOT } from '../support/sources.ts'
import { CHROMIUM } from '../support/web/chromium.ts'

const FOLDER = join(ROOT, 'docs/start')
const CLOSING = '```'
type Block = { kind: string; name: string; text: string }

async function blocksOf(page: string): Promise<Block[]> {
  const lines = (await readFile(join(FOLDER, page), 'utf8')).split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const opening = /^```(\w*) ?(.*)$/.exec(lines[at] ?? '')
    if (opening === null) continue
    const end = lines.indexOf(CLOSING, at + 1)
    const [, kind = '', name = ''] = opening
    blocks.push({ kind, name, text: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  return blocks
}

/** Runs a page: the outputs of its commands, in their order, and the folder of the reader. */
async function follow(page: string, demo: Demo, work: string, clone: string): Promise<string[]> {
  const { url, key, settings } = demo
  const environment = commandEnvironment({ ...settings, URL: url, KEY: key, WORK: work })
  const outputs: string[] = []
  for (const { kind, name, text } of await blocksOf(page)) {
    if (name !== '' && name !== 'clone') await writeFile(join(work, name), `${text}\n`)
    if (kind !== 'sh') continue
    const cwd = name === 'clone' ? clone : work
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', text], {
      cwd,
      env: environment,
    })
    const ran: Ran = await finished(child)
    if (ran.code !== 0) throw new Error(`${page}: ${text}\n${ran.stderr}${ran.stdout}`)
    outputs.push(`${ran.stdout}${ran.stderr}`)
  }
  return outputs
}

/** The part of a clone that the pages use: a package that is built there is left in no tree that other tests read. */
async function copyOfClone(t: ExecutionContext): Promise<string> {
  const clone = await temporaryFolder(t)
  for (const name of ['package.json', '.npmrc']) await cp(join(ROOT, name), join(clone, name))
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  await copyClient(join(clone, 'clients/typescript'))
  return clone
}

test('each page of the first five minutes does as it states', async (t) => {
  const demo = await startDemo(t)
  // Swaps come in all the time, as on the chain.
  const flow = ['simulate', '--seed', '8', '--rate', '50', '--swaps', '1000000']
  const market = startCommand(flow, demo.settings)
  t.teardown(() => market.kill('SIGKILL'))
  const work = await temporaryFolder(t)
  const clone = await copyOfClone(t)
  const folderOf = async (page: string): Promise<string> => {
    const folder = join(work, page)
    await mkdir(folder)
    return folder
  }
  const pages = (await readdir(FOLDER)).toSorted()
  t.deepEqual(pages, ['bot.md', 'dashboard.md', 'operator.md', 'quant.md'])

  const bot = await follow('bot.md', demo, await folderOf('bot'), clone)
  const [first = [], second = []] = bot.slice(-2).map((text) => text.trim().split('\n'))
  // The run ended at the first swap of a batch, which comes again; no other one does.
  t.is(second[0], first.at(-1))
  t.is(new Set([...first, ...second]).size, first.length + second.length - 1)

  market.kill('SIGINT')
  await finished(market)
  t.is((await demo.run(['status', '--wait', '--timeout', '120'])).code, 0)
  const quant = await follow('quant.md', demo, await folderOf('quant'), clone)
  t.regex(quant[0] ?? '', /swaps\.parquet: [\d,]+ rows/)
  t.regex(quant[1] ?? '', /swaps .+\n.+\n +\d{4,}/)
  t.regex(quant[2] ?? '', /"realized_pnl|"wallet":/)

  const operator = await follow('operator.md', demo, await folderOf('operator'), clone)
  t.regex(operator[0] ?? '', /^streams: /m)
  t.regex(operator[1] ?? '', /clean|equal|no difference/)

  const dashboard = await folderOf('dashboard')
  const [trending = '', candles = ''] = await follow('dashboard.md', demo, dashboard, clone)
  const [{ mint }] = JSON.parse(trending).data.trending.results
  t.true(JSON.parse(candles).data.length > 0)
  if (CHROMIUM === undefined) return t.log('the chart was not drawn: this machine has no Chromium')
  const html = await readFile(join(dashboard, 'chart.html'))
  const server = createServer((_, response) => response.end(html)).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const tab = await browser.newPage()
  const { port } = server.address() as AddressInfo
  await tab.goto(`http://127.0.0.1:${port}/#${demo.url},${demo.key},${mint}`)
  const points = await tab.locator('polyline').getAttribute('points')
  t.is(points?.split(' ').length, JSON.parse(candles).data.length)
})
