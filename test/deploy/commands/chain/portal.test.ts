/**
 * `swaptide backfill --portal` and `swaptide source portal` with real servers: killed again and again, they lose and double
 * nothing, and coverage names the portal as the source of its slots.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { addressOf } from '../../../../chain/encoder/keys.ts'
import type { Event } from '../../../../domain/events/event.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import {
  type PortalServerOptions,
  startPortal,
} from '../../../support/chain/portal/portal-server.ts'
import { chainAnswer } from '../../../support/chain/real-chain.ts'
import {
  eventsOfChain,
  FIRST_SLOT,
  forkChain,
  makeChain,
  type ServedChain,
} from '../../../support/chain/served-chain.ts'
import { finished, runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'
import { openPipeline, readSwap, until } from '../../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const SLOTS = 60
const RANGE = ['--from', String(FIRST_SLOT), '--to', String(FIRST_SLOT + SLOTS - 1)]

const NAMED_MINT = 'AqFe2tk1BRx6czUuRPGUZ8mtvcBGDZYsG6oPvELwzray'

async function open(t: ExecutionContext, options: PortalServerOptions = {}) {
  const chain = makeChain({ slots: SLOTS, transactions: 30 })
  const portal = await startPortal(chain, { pageBlocks: 10, ...options })
  t.teardown(() => portal.stop())
  const pipeline = await openPipeline(t)
  const settings = { ...settingsOf(pipeline), SOURCE_PORTAL_URL: portal.url }
  return { chain, portal, pipeline, settings }
}

const lines = (events: readonly Event[]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()
const swapsOf = (events: readonly Event[]): number =>
  events.filter(({ kind }) => kind === 'swap').length

/** Appends the recorded call of Metaplex that names a mint, here a mint of its own. */
function addNaming({ blocks }: ServedChain, slot: number): string {
  const mint = addressOf(`named in ${slot}`)
  const text = JSON.stringify(chainAnswer('transactions/mqSGNwKK8GZW7Pzt.json'))
  blocks.get(slot)?.transactions.push(JSON.parse(text.replaceAll(NAMED_MINT, mint)))
  return mint
}

test('backfill reads a range from a portal, and reads no covered slot again', async (t) => {
  const { chain, portal, pipeline, settings } = await open(t)
  const first = await runHere(['backfill', '--portal', ...RANGE], settings)
  t.is(first.code, 0, first.stderr)
  const swaps = swapsOf(eventsOfChain(chain))
  t.true(first.stdout.startsWith(`${SLOTS} slots, ${SLOTS - chain.blocks.size} of them skipped; `))
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  const covered = await listCoverage(pipeline.db)
  t.is(covered.length, 1)
  t.like(covered[0], { from: FIRST_SLOT, to: chain.to, source: 'portal', swaps })
  const { length } = portal.requests
  const second = await runHere(['backfill', ...RANGE, '--portal', portal.url], settings)
  t.is(second.code, 0, second.stderr)
  t.is(portal.requests.length, length)
})

test('a backfill that is killed again and again stores each swap once, and each name of a mint', async (t) => {
  const { chain, portal, pipeline, settings } = await open(t)
  const slots = [...chain.blocks.keys()].filter((_, at) => at % 10 === 0)
  const mints = slots.map((slot) => addNaming(chain, slot)).toSorted()
  for (let kill = 1; kill <= 4; kill++) {
    const child = startCommand(['backfill', '--portal', '--streams', '2', ...RANGE], settings)
    const ran = finished(child)
    let left = kill
    portal.disturb = ({ path }) => {
      if (path.endsWith('stream') && --left === 0) child.kill('SIGKILL')
      return left % 2 === 0 ? 'cut_line' : undefined
    }
    await ran
  }
  portal.disturb = undefined
  const last = await runHere(['backfill', '--portal', ...RANGE], settings)
  t.is(last.code, 0, last.stderr)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  const [whole, ...rest] = await listCoverage(pipeline.db)
  t.deepEqual(rest, [])
  t.like(whole, { from: FIRST_SLOT, to: chain.to, swaps: swapsOf(eventsOfChain(chain)) })
  const { rows } = await pipeline.db.query('select address from mint_name order by address')
  t.deepEqual(
    rows.map(({ address }) => address),
    mints,
  )
})

test('source portal follows the chain, resumes after an interruption, and retracts a fork', async (t) => {
  const { chain, portal, pipeline, settings } = await open(t, {
    newest: FIRST_SLOT + 20,
    waitMs: 5,
  })
  async function follow(to: number): Promise<{ code: number | null; stderr: string }> {
    const child = startCommand(['source', 'portal'], settings)
    t.teardown(() => child.kill('SIGKILL'))
    const ran = finished(child)
    await until(`coverage reaches slot ${to}`, BOUND_MS, async () => {
      return (await listCoverage(pipeline.db)).some((range) => range.to >= to)
    })
    child.kill('SIGTERM')
    return ran
  }
  const newest = Math.max(...[...chain.blocks.keys()].filter((slot) => slot <= portal.newest))
  const first = await follow(newest)
  t.is(first.code, 0, first.stderr)
  t.regex(
    first.stderr,
    new RegExp(`following 127.0.0.1:\\d+ \\(confirmed\\) from slot ${newest}\n`),
  )
  const left = chain.blocks.get(newest)?.blockhash
  const before = eventsOfChain(chain, newest, newest)
  forkChain(chain, newest, { seed: 5, transactions: 30, skipShare: 0 })
  portal.newest = chain.to
  const second = await follow(chain.to)
  t.is(second.code, 0, second.stderr)
  t.regex(second.stderr, new RegExp(`from slot ${newest + 1}`))
  t.true(second.stderr.includes(`${newest} blockhash ${left}`), second.stderr)
  const [whole, ...rest] = await listCoverage(pipeline.db)
  t.deepEqual(rest, [])
  t.like(whole, { from: newest, to: chain.to, source: 'portal' })
  const stored = lines(await readSwap(pipeline))
  const retraction: Event = { kind: 'retract', retraction: { slot: newest, blockhash: left ?? '' } }
  const expected = [...before, retraction, ...eventsOfChain(chain, newest)]
  t.deepEqual(stored, lines(expected))
})

test('reports slots whose logs the portal dropped', async (t) => {
  const { settings } = await open(t, { dropsLogs: () => true })
  const { code, stderr } = await runHere(['backfill', '--portal', ...RANGE], settings)
  t.is(code, 0, stderr)
  t.regex(
    stderr,
    new RegExp(`slot ${FIRST_SLOT}: the portal dropped the logs of \\d+ transactions?`),
  )
})

test('sends the header of a file to the portal only, and shows it nowhere', async (t) => {
  const { portal, settings } = await open(t, {
    refusal: (headers) => `no access with ${headers['x-api-key']}`,
  })
  const file = join(await temporaryFolder(t), 'header')
  const headersSent = (name: string) => new Set(portal.requests.map(({ headers }) => headers[name]))
  await writeFile(file, 'a-key-of-the-portal\n')
  const first = await runHere(
    ['backfill', '--portal', '--portal-header-file', file, ...RANGE],
    settings,
  )
  t.is(first.code, 0, first.stderr)
  t.deepEqual(headersSent('x-api-key'), new Set(['a-key-of-the-portal']))
  portal.disturb = () => 403
  const again = ['backfill', '--portal', '--force', ...RANGE]
  const refused = await runHere(again, { ...settings, SOURCE_PORTAL_HEADER_FILE: file })
  t.is(refused.code, 1)
  t.regex(refused.stderr, /HTTP status 403: "no access with \*\*\*"/)
  portal.disturb = undefined
  portal.requests.length = 0
  await writeFile(file, 'Authorization: Bearer another-key\n')
  const named = await runHere(again, { ...settings, SOURCE_PORTAL_HEADER_FILE: file })
  t.is(named.code, 0, named.stderr)
  t.deepEqual(headersSent('authorization'), new Set(['Bearer another-key']))
  for (const text of ['', 'two words', 'a: b\nc: d', 'Content-Length: 7', 'x-key: caf\u00e9']) {
    await writeFile(file, text)
    const wrong = await runHere(again, { ...settings, SOURCE_PORTAL_HEADER_FILE: file })
    t.is(wrong.code, 2, text)
    t.true(wrong.stderr.includes(`portal header file "${file}": expected one line`), wrong.stderr)
  }
  const absent = await runHere([...again, '--portal-header-file', `${file}-2`], settings)
  t.regex(absent.stderr, /portal header file ".*-2": ENOENT/)
  t.notRegex(first.stderr + refused.stderr + named.stderr, /key-of|another-key/)
})

test('a redirect is refused, and the key does not travel to where it leads', async (t) => {
  const elsewhere = await startPortal(makeChain({ slots: SLOTS, transactions: 30 }))
  t.teardown(() => elsewhere.stop())
  const { portal, settings, pipeline } = await open(t, {
    redirectsTo: `${elsewhere.url}/finalized-stream`,
  })
  const file = join(await temporaryFolder(t), 'header')
  await writeFile(file, 'a-key-of-the-portal\n')
  const keyed = { ...settings, SOURCE_PORTAL_HEADER_FILE: file }
  // Requests by POST and, for times, by GET.
  const byTime = ['--from', '2024-08-21T00:00:00Z', '--to', RANGE[3] ?? '']
  for (const status of [301, 302, 307, 308]) {
    portal.disturb = () => status
    for (const range of [RANGE, byTime]) {
      const { code, stderr } = await runHere(['backfill', '--portal', ...range], keyed)
      t.is(code, 1, stderr)
      t.regex(stderr, new RegExp(`from 127\\.0\\.0\\.1:\\d+: HTTP status ${status}`))
      t.notRegex(stderr, /a-key/)
    }
  }
  t.true(portal.requests.every(({ headers }) => headers['x-api-key'] === 'a-key-of-the-portal'))
  t.deepEqual(elsewhere.requests, [])
  t.deepEqual(await readSwap(pipeline), [])
})

test('explains a wrong URL, a wrong number of streams, and what the portal refuses', async (t) => {
  const { portal, settings } = await open(t)
  const cases: [argv: string[], message: RegExp][] = [
    [['backfill', '--portal', 'ftp://x', ...RANGE], /portal "ftp:\/\/x": expected/],
    [['backfill', '--portal', '--streams', '17', ...RANGE], /--streams "17": expected/],
    [['source', 'portal', portal.url, 'more'], /"more"/],
    [['backfill', '--verify', '3', ...RANGE], /--verify concerns a portal: add --portal/],
    [['backfill', '--streams', '8', ...RANGE], /--streams concerns a portal: add --portal/],
    [
      ['backfill', '--car', '.', '--portal-header-file', 'x', ...RANGE],
      /--portal-header-file concerns a portal/,
    ],
    [['backfill', portal.url, ...RANGE], new RegExp(portal.url)],
  ]
  for (const [argv, message] of cases) {
    const { code, stderr } = await runHere(argv, settings)
    t.is(code, 2, argv.join(' '))
    t.regex(stderr, message)
  }
  portal.disturb = () => 400
  const refused = await runHere(['backfill', '--portal', ...RANGE], settings)
  t.is(refused.code, 1)
  t.regex(refused.stderr, /HTTP status 400: "not now"/)
})
