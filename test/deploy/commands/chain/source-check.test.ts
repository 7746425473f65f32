/** `swaptide source check` against the test servers of JSON-RPC and Yellowstone, sound and with faults. */
import test, { type ExecutionContext } from 'ava'
import { chain, script } from '../../../support/chain/geyser/run.ts'
import type { Step } from '../../../support/chain/geyser/script.ts'
import {
  type GeyserServerOptions,
  startGeyserServer,
} from '../../../support/chain/geyser/server.ts'

import {
  type PortalServerOptions,
  startPortal,
} from '../../../support/chain/portal/portal-server.ts'
import { type RpcServerOptions, startRpcServer } from '../../../support/chain/rpc-server.ts'
import { type Json, makeChain, type ServedChain } from '../../../support/chain/served-chain.ts'
import { type Ran, runHere } from '../../../support/programs/commands.ts'

const KEY = 'key-of-the-provider'
const TOKEN = 'token-of-the-provider'
const makeNode = (): ServedChain => makeChain({ slots: 30, transactions: 120 })

async function checkNode(
  t: ExecutionContext,
  options: RpcServerOptions = {},
  served = makeNode(),
  path = KEY,
): Promise<Ran> {
  const server = await startRpcServer(served, { key: KEY, ...options })
  t.teardown(() => server.stop())
  const SOURCE_RPC_URL = server.url.replace(KEY, path)
  const ran = await runHere(['source', 'check', '--rate', '20'], { SOURCE_RPC_URL })
  t.false(`${ran.stdout}${ran.stderr}`.includes(path))
  return ran
}

async function checkStream(
  t: ExecutionContext,
  steps: readonly Step[],
  options: Partial<GeyserServerOptions> = {},
  environment: Record<string, string> = { SOURCE_GEYSER_X_TOKEN: TOKEN },
  seconds = 60,
): Promise<Ran> {
  const server = await startGeyserServer({ script: steps, token: TOKEN, ...options })
  t.teardown(() => server.stop())
  const argv = ['source', 'check', '--endpoint', server.url, '--seconds', String(seconds)]
  const ran = await runHere(argv, environment)
  for (const token of [TOKEN, ...Object.values(environment)]) {
    t.false(`${ran.stdout}${ran.stderr}`.includes(token))
  }
  return ran
}

const blocks = [...chain.blocks.keys()]

/** The script without the updates of one transaction of a slot. */
function withoutOne(slot: number): Step[] {
  const steps = script('held')
  const lost = steps.find((step) => step.kind === 'transaction' && step.slot === slot)
  return steps.map((step) => (step === lost ? ({ ...step, without: 'both' } as Step) : step))
}

/** The findings by subject, as `pass text`; the last of a subject. */
const findingsOf = ({ stdout }: Ran): Record<string, string> =>
  Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, grade, subject = '', text] =
          /^(pass|warn|fail) {2}(.{12}) {2}(.+)$/.exec(line) ?? []
        return [subject.trim(), `${grade} ${text}`]
      }),
  )

test('a sound node passes, and its key is not repeated', async (t) => {
  const ran = await checkNode(t, { isGzipped: true })
  t.is(ran.code, 0, ran.stderr)
  const found = findingsOf(ran)
  t.regex(found.reachable ?? '', /^pass 127\.0\.0\.1:\d+$/)
  t.is(found.version, 'pass 3.0.4')
  t.regex(
    found.commitment ?? '',
    /^pass confirmed 285000129, finalized 285000129, 0 slots between$/,
  )
  t.regex(found.history ?? '', /^warn blocks from slot 285000100 on, some 0\.0 days: /)
  t.regex(found.getBlocks ?? '', /^pass \d+ of 100 slots have a block$/)
  t.is(found.getBlock, 'pass transactions of versions up to 1')
  t.regex(found.contents ?? '', /^pass 360 transactions with inner instructions, logs, /)
  t.regex(found.size ?? '', /^pass [\d,]+ kB a block, sent as gzip$/)
  t.regex(found.latency ?? '', /^(pass|warn) [\d,]+ ms for the slowest of 3 blocks/)
  t.regex(found.clock ?? '', /^warn newest block is .* old: the provider lags, or the clock /)
  t.is(found['rate limit'], 'pass 20 requests in a second, none refused')
})

test('names what a node lacks, and what to do', async (t) => {
  let headers = 0
  const older = await checkNode(t, {
    transactionVersionMax: 0,
    disturb({ method, params }) {
      if (method === 'getFirstAvailableBlock') return 'server_error'
      const { transactionDetails } = (params[1] ?? {}) as Json
      if (transactionDetails === 'none' && ++headers > 15) return 'throttled'
      return undefined
    },
  })
  t.is(older.code, 0, older.stdout)
  const found = findingsOf(older)
  t.regex(found.getBlock ?? '', /^warn version 1 of transactions is refused .*: update the node$/)
  t.regex(found.size ?? '', /^warn .* kB a block, not compressed: gzip would save nine tenths$/)
  t.regex(found.history ?? '', /^warn first block not reported \(HTTP status 500\)/)
  t.regex(
    found['rate limit'] ?? '',
    /^warn 5 of 20 requests in a second refused .*: use a lower --rate/,
  )
})

/** A node that lacks the inner instructions of only the last transaction that has some. */
function withIncomplete(): ReturnType<typeof makeNode> {
  const chain = makeNode()
  const [slot, block] = Array.from(chain.blocks).at(-1) ?? []
  if (slot === undefined || block === undefined) throw new Error('expected a block')
  const index = block.transactions.findLastIndex(({ meta }) => {
    const { err, innerInstructions } = meta as { err: unknown; innerInstructions: unknown[] }
    return err === null && innerInstructions.length > 0
  })
  const transactions = block.transactions.map((each, at) => {
    return at === index
      ? { ...each, meta: { ...(each.meta as Json), innerInstructions: null } }
      : each
  })
  chain.blocks.set(slot, { ...block, transactions })
  return chain
}

test('fails where a node cannot be a source, with exit code 1', async (t) => {
  const stripped = makeNode()
  for (const block of stripped.blocks.values()) {
    block.transactions = block.transactions.map((each) => ({
      ...each,
      meta: { ...(each.meta as Json), innerInstructions: null, logMessages: null },
    }))
  }
  const cases: [string, string, RegExp, Promise<Ran>][] = [
    [
      'a wrong key',
      'reachable',
      /^fail HTTP status 401: check the key/,
      checkNode(t, {}, undefined, 'a-wrong-key'),
    ],
    [
      'an incomplete result',
      'contents',
      /^fail 1 of 360 transactions lack a part, \w+ its innerInstructions: /,
      checkNode(t, {}, withIncomplete()),
    ],
    ['no logs', 'contents', /^fail no transaction has logs: /, checkNode(t, {}, stripped)],
    ...(
      [
        ['getVersion', 'silent-port', 'reachable', /^fail .*check host, port and network/, 'cut'],
        [
          'getVersion',
          'throttled',
          'reachable',
          /^fail HTTP status 429: the rate limit /,
          'throttled',
        ],
        ['getBlocks', 'no list', 'getBlocks', /^fail the list is empty: use a node /, 'empty_list'],
        [
          'getBlock',
          'no results',
          'getBlock',
          /^fail slot \d+: transaction 0 is not one /,
          'no_results',
        ],
        ['getBlock', 'no time', 'getBlock', /^fail slot \d+: it has no block time/, 'no_time'],
        [
          'getSlot',
          'a node that lags',
          'commitment',
          /^fail getSlot at confirmed: .*-32005/,
          'behind',
        ],
      ] as const
    ).map(([method, name, subject, text, error]): [string, string, RegExp, Promise<Ran>] => [
      name,
      subject,
      text,
      checkNode(t, { disturb: (request) => (request.method === method ? error : undefined) }),
    ]),
  ]
  for (const [name, subject, text, running] of cases) {
    const ran = await running
    t.is(ran.code, 1, `${name}: ${ran.stdout}`)
    t.regex(findingsOf(ran)[subject] ?? ran.stdout, text, name)
  }
})

test('a sound stream passes, and its token is not repeated', async (t) => {
  const ran = await checkStream(t, script('held'))
  t.is(ran.code, 0, ran.stdout)
  const found = findingsOf(ran)
  t.regex(found.reachable ?? '', /^pass 127\.0\.0\.1:\d+$/)
  t.is(found['x-token'], 'pass accepted')
  t.regex(found.slots ?? '', /^pass \d+ updates .*confirmed/)
  t.regex(found.transactions ?? '', /^pass \d+ updates of the venues$/)
  t.regex(found.statuses ?? '', /^pass \d+ updates of transactions$/)
  t.regex(found.blocks_meta ?? '', /^pass \d+ updates at confirmed$/)
  t.is(found.order, 'pass statuses came in the order processed, confirmed, finalized')
  t.is(found.complete, 'pass 10 slots with as many transactions as counted')
  t.regex(
    found.traffic ?? '',
    /^pass [\d,]+ kB\/s, [\d.]+ blocks\/s: [\d.]+ GB a day at this pace$/,
  )
})

test('reports slots that do not come whole or in order, and a stream that ends', async (t) => {
  const lossy = withoutOne(Number(blocks[3]))
  const lost = findingsOf(await checkStream(t, lossy))
  t.regex(lost.complete ?? '', /^warn 1 slot incomplete, 10 complete, slot \d+ first: set SOURCE_/)
  const slot = blocks[4]
  const early: Step = {
    kind: 'slot',
    slot: Number(slot),
    update: { slot, status: 'SLOT_FINALIZED' },
  }
  const disordered = findingsOf(await checkStream(t, [early, ...script('held')]))
  t.regex(disordered.order ?? '', new RegExp(`^warn statuses of 1 slot came in .*, slot ${slot} `))
  const cut = script('held').toSpliced(60, 0, { kind: 'cut', skipped: 0 })
  const ended = await checkStream(t, cut)
  t.regex(findingsOf(ended).stream ?? ended.stdout, /^warn ended after .*: a source opens it again/)
})

test('fails where a stream cannot be a source, with exit code 1', async (t) => {
  const wrong = await checkStream(t, script('held'), {}, { SOURCE_GEYSER_X_TOKEN: 'a-wrong-token' })
  t.is(wrong.code, 1)
  t.regex(findingsOf(wrong)['x-token'] ?? '', /^fail gRPC status 16 .*: check --x-token-file or /)
  const withoutMetas = script('held').filter(({ kind }) => kind !== 'meta')
  const metas = await checkStream(t, withoutMetas, {}, undefined, 5)
  t.is(metas.code, 1)
  t.regex(
    findingsOf(metas).blocks_meta ?? '',
    /^fail none came: the provider must allow this filter$/,
  )
  t.regex(findingsOf(metas).complete ?? '', /^fail no slot came whole/)
})

test('explains what to name where there is nothing to check, or nothing answers', async (t) => {
  const none = await runHere(['source', 'check'], {})
  t.is(none.code, 2)
  t.regex(none.stderr, /nothing to check: name --rpc or --endpoint, or set SOURCE_RPC_URL/)
  const nobody = ['--rpc', 'http://127.0.0.1:2', '--endpoint', 'http://127.0.0.1:2']
  const { code, stdout } = await runHere(['source', 'check', ...nobody], {})
  t.is(code, 1)
  t.is(stdout.match(/^fail {2}reachable .*: check host, port and network/gm)?.length, 2)
})

async function checkThePortal(
  t: ExecutionContext,
  served: ServedChain,
  options: PortalServerOptions = {},
): Promise<Ran> {
  const portal = await startPortal(served, options)
  t.teardown(() => portal.stop())
  return await runHere(['source', 'check', '--portal', portal.url], {})
}

/** A chain whose newest block is of now. */
function ofNow(served: ServedChain): ServedChain {
  const endS = Math.floor(Date.now() / 1_000)
  for (const [slot, block] of served.blocks) {
    served.blocks.set(slot, { ...block, blockTime: endS - (served.to - slot) * 60 })
  }
  return served
}

/** Slots around the first one of transactions of version 1, every one of this version. */
function versioned(version: number): ServedChain {
  const served = ofNow(makeChain({ from: 447_120_000, slots: 120, transactions: 60 }))
  for (const [slot, block] of served.blocks) {
    const transactions = block.transactions.map((each) => ({ ...each, version }))
    served.blocks.set(slot, { ...block, transactions })
  }
  return served
}

test('a portal passes with a chain of headers, transactions of version 1 and a short delay', async (t) => {
  const served = versioned(1)
  // A loaded machine may take longer to the look at the newest block than that may be old.
  const disturb = (): undefined => void ofNow(served)
  const ran = await checkThePortal(t, served, { disturb })
  t.is(ran.code, 0, ran.stdout)
  const found = findingsOf(ran)
  t.regex(found.headers ?? '', /^pass \d+ blocks of 100 slots, each by its parent/)
  t.regex(found['version 1'] ?? '', /^pass 20 blocks after slot 447120000: .* of 1/)
  t.regex(found.clock ?? '', /^pass newest block is/)
  t.regex(found.pages ?? '', /^(pass|warn) .* for the slowest of 3 pages/)
  t.regex(found.times ?? '', /^pass an hour ago was slot \d+/)
  t.regex(found.commitment ?? '', /^pass newest \d+, finalized \d+/)
})

test('a portal whose blocks lack transactions of version 1, or that lags, is warned of', async (t) => {
  const old = findingsOf(await checkThePortal(t, versioned(0)))
  t.regex(old['version 1'] ?? '', /^warn .* transactions of version 1 may be missing/)
  const early = findingsOf(await checkThePortal(t, makeChain({ slots: 30, transactions: 5 })))
  t.regex(early['version 1'] ?? '', /^warn no block after slot 447120000/)
  t.regex(early.clock ?? '', /^warn newest block is .* old/)
  t.regex(early.times ?? '', /^warn no block is younger than an hour/)
})

test('a portal that lacks a block, or cannot be reached, fails', async (t) => {
  const served = versioned(1)
  const lost = [...served.blocks.keys()].at(-40) ?? 0
  served.blocks.delete(lost)
  const holed = await checkThePortal(t, served)
  t.is(holed.code, 1)
  t.regex(findingsOf(holed).headers ?? '', new RegExp(`^fail .* sends no block of slot ${lost}`))
  const refused = await checkThePortal(t, versioned(1), { disturb: () => 401 })
  t.is(refused.code, 1)
  t.regex(findingsOf(refused).reachable ?? '', /^fail .*HTTP status 401.*check the URL and the key/)
})
