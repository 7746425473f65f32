/** An upgrade as a user of `up` lives it: the next package over a home with data, and the way back once that is closed. */
import type { ExecutionContext } from 'ava'
import { createClient } from '../../clients/typescript/client.ts'
import { patientAnswer } from '../support/api/patient-answer.ts'
import { homeSettings, startUp, type Up } from '../support/deploy/started-up.ts'
import { finished, type Ran, runHere, startCommand } from '../support/programs/commands.ts'
import { until } from '../support/workers/pipeline.ts'
import type { Packages } from './earlier-version.ts'
import { swapOf } from './readers.ts'

/** Swaps of each of the three parts of the market: two before the upgrade, one after it. */
const PART_SWAPS = 150
const READ_BOUND_MS = 120_000
const REMOVAL = '9001_contract_later.sql'

type Swap = { signature: string; pair_address: string; ix_index: number }
type Run = (argv: readonly string[], input?: string) => Promise<Ran>

export async function upgradeHome(t: ExecutionContext, packages: Packages): Promise<void> {
  const settings = await homeSettings(t)
  const earlier = packages.install(packages.earlier, 'user')
  const first = await startUp(t, settings, ['--no-demo'], earlier)
  const run = runIn(settings, earlier)
  const [one = '', two = '', three = ''] = await market()
  await ingest(t, run, one, `${PART_SWAPS} swaps accepted, 0 duplicates`)
  const bot = startBot(first)
  await until('the bot has the first part', READ_BOUND_MS, () => bot.taken.length === PART_SWAPS)
  await ingest(t, run, two, `${PART_SWAPS} swaps accepted, 0 duplicates`)
  const cursor = await bot.cursor
  const paths = pathsOf(one)
  const answers = await answersOf(first, paths)
  await end(first)

  const newer = packages.install(packages.newer, 'user')
  t.is(newer, earlier)
  t.not((await run(['--version'])).stdout, '')
  const second = await startUp(t, settings, ['--no-demo'], newer)
  t.is(second.key, first.key)
  t.is(second.url, first.url)
  await assertSame(t, answers, await answersOf(second, paths))
  await ingest(t, run, one + two + three, `${PART_SWAPS} swaps accepted, ${2 * PART_SWAPS} dup`)
  const after = await readFrom(second, cursor, 3 * PART_SWAPS - bot.taken.length)
  t.deepEqual([...bot.taken, ...after].sort(), identitiesOf(one + two + three).sort())
  const verified = await run(['verify'])
  t.is(verified.code, 0, verified.stdout)

  const insert = `insert into migration (name, checksum) values ('${REMOVAL}', 'a')`
  t.is((await run(['psql', '-c', insert])).code, 0)
  await end(second)
  const refused = await run(['up', '--no-demo'])
  t.is(refused.code, 1)
  t.regex(refused.stderr, /this one uses: 9001_contract_later.sql: start the newer version, or/)
}

const runIn =
  (settings: Record<string, string>, program: string): Run =>
  (argv, input) =>
    finished(startCommand(argv, settings, program), input)

async function end({ child, ended }: Up): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

/** Lines of a market in three parts. */
async function market(): Promise<string[]> {
  const swaps = String(3 * PART_SWAPS)
  const { stdout } = await runHere(['simulate', '--stdout', '--swaps', swaps, '--seed', '9'])
  const parts = ['', '', '']
  let count = 0
  for (const line of stdout.trimEnd().split('\n')) {
    if (isSwap(line)) count += 1
    const at = Math.min(2, Math.floor(Math.max(0, count - 1) / PART_SWAPS))
    parts[at] += `${line}\n`
  }
  return parts
}

const isSwap = (line: string): boolean => swapIn(line).kind === 'swap'
const swapIn = (line: string) => JSON.parse(line) as Swap & { kind: string } & Row

type Row = Record<string, unknown>

const swapsOf = (text: string) => text.trimEnd().split('\n').filter(isSwap).map(swapIn)

const identityOf = (swap: Swap): string => swapOf(swap.signature, swap.pair_address, swap.ix_index)

const identitiesOf = (text: string): string[] => swapsOf(text).map(identityOf)

/** Ingests the lines and waits for every table. */
async function ingest(t: ExecutionContext, run: Run, text: string, printed: string): Promise<void> {
  const ingested = await run(['ingest', '-'], text)
  t.true(ingested.stdout.startsWith(printed), ingested.stdout + ingested.stderr)
  const waited = await run(['status', '--wait', '--timeout', '300'])
  t.is(waited.code, 0, waited.stdout + waited.stderr)
}

/** A bot that reads the feed from its start, and ends at the second batch with the cursor after the first one. */
function startBot({ url, key }: Up) {
  const taken: string[] = []
  const signal = AbortSignal.timeout(READ_BOUND_MS)
  const feed = createClient({ url, key }).feed({ channel: 'swaps', from: { slot: 0 }, signal })
  const read = async (): Promise<string> => {
    let from: string | undefined
    for await (const swap of feed) {
      // The cursor moves with the first swap of the next batch, which comes again.
      if (taken.length === 0) from = feed.cursor
      else if (feed.cursor !== undefined && feed.cursor !== from) return feed.cursor
      taken.push(identityOf(swap))
    }
    throw new Error(`the cursor did not move after ${taken.length} swaps`)
  }
  return { taken, cursor: read() }
}

/** The next swaps after the cursor. */
async function readFrom({ url, key }: Up, cursor: string, count: number): Promise<string[]> {
  const taken: string[] = []
  const signal = AbortSignal.timeout(READ_BOUND_MS)
  const options = { channel: 'swaps', from: { cursor }, signal } as const
  for await (const swap of createClient({ url, key }).feed(options)) {
    taken.push(identityOf(swap))
    if (taken.length === count) return taken
  }
  throw new Error(`${taken.length} of ${count} swaps came after the cursor`)
}

/** Paths whose answers rest on the swaps before the upgrade. */
function pathsOf(text: string): string[] {
  const [swap] = swapsOf(text)
  if (swap === undefined) throw new Error('the market has no swap')
  const { token_address: mint, user: wallet, signature } = swap
  return [
    '/swaps?limit=1000',
    `/swaps/${signature}`,
    '/pool-events?limit=100',
    `/api/v1/candles?token_address=${mint}&timeframe=1m&limit=500`,
    `/tokens/${mint}/ath`,
    `/v2/pnl/wallets/${wallet}/positions`,
    `/v2/pnl/wallets/${wallet}/positions/${mint}/lots`,
    `/wallets/${wallet}/trades?limit=100`,
    `/v2/pnl/tokens/${mint}/first-buyers`,
  ]
}

async function answersOf({ url, key }: Up, paths: readonly string[]): Promise<Map<string, Row>> {
  const answers = new Map<string, Row>()
  for (const path of paths) {
    const answer = await patientAnswer(url + path, { 'X-API-Key': key, Int64: 'string' })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    // The rule of the prices in words, which a version may word better.
    const { price_semantics: _, ...figures } = (await answer.json()) as Row
    answers.set(path, figures)
  }
  return answers
}

/** A later version may add fields to an answer; it removes and changes none. */
function assertSame(
  t: ExecutionContext,
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
): void {
  for (const [path, answer] of before) t.like(after.get(path), answer, path)
}
