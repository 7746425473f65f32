// The balance provider against a real HTTP server that answers well, and then misbehaves in each way.

import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openBalances } from '../../../chain/accounts/providers.ts'
import { type NodeOptions, NodeUnavailable } from '../../../chain/rpc/json-rpc.ts'
import { TOKEN_PROGRAMS } from '../../../chain/transaction/token-program.ts'
import { recordingLog } from '../../support/recording-log.ts'
import {
  accountsAnswer,
  type BalanceNode,
  type Misbehave,
  sendJson,
  startBalanceNode,
} from '../../support/servers/balance-node.ts'

const WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
const OTHER_WALLET = 'G7EvNb4ErNUPu6LdFgEvGAcfuUi6vTtBzPF6zwiUjU2F'
const MINT = '7qbRF6YsyGuLUVs6Y1q64bdVrfe4ZcUUz1JRdoVNUJnm'
const OTHER_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
const U64_MAX = 18_446_744_073_709_551_615n
const TIMEOUT_MS = 400
/** Longer than any answer needs on a loaded machine. */
const BOUND_MS = 60_000

async function withNode(t: ExecutionContext, options: Partial<NodeOptions> = {}) {
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const recording = recordingLog()
  const { log } = recording
  const provider = openBalances({ rpcUrl: node.rpcUrl, log, timeoutMs: BOUND_MS, ...options })
  const request = (wallet = WALLET) => provider.heldBy(wallet, new AbortController().signal)
  return { node, request, provider, lines: recording.lines }
}

test('accounts of both programs are summed by mint, to the last digit', async (t) => {
  const { node, request } = await withNode(t)
  node.hold(WALLET, [
    { mint: MINT, quantity: U64_MAX, decimals: 6 },
    { mint: MINT, quantity: U64_MAX, decimals: 6 },
    { mint: OTHER_MINT, quantity: 9_007_199_254_740_993n, decimals: 0, isToken2022: true },
  ])
  t.deepEqual(await request(), [
    { mint: MINT, quantity: 2n * U64_MAX, decimals: 6 },
    { mint: OTHER_MINT, quantity: 9_007_199_254_740_993n, decimals: 0 },
  ])
  t.deepEqual(
    node.questions.map(({ method, params }) => [method, params[0], params[1].programId]).sort(),
    TOKEN_PROGRAMS.map((program) => ['getTokenAccountsByOwner', WALLET, program]).sort(),
  )
  t.is(node.questions[0]?.params[2].encoding, 'jsonParsed')
})

test('SOL, wrapped or not, and empty accounts are not held tokens', async (t) => {
  const { node, request } = await withNode(t)
  node.hold(WALLET, [
    { mint: WRAPPED_SOL, quantity: 5_000_000_000n, decimals: 9, isNative: true },
    { mint: MINT, quantity: 0n, decimals: 6 },
  ])
  t.deepEqual(await request(), [])
  t.deepEqual(await request(OTHER_WALLET), [])
})

/** The report of each error. Answers come from the server as the function sends them. */
const MISBEHAVIOUR: Record<string, [Misbehave, NodeUnavailable['kind']]> = {
  'HTTP 500': [(response) => response.writeHead(500).end('oops'), 'provider is unreachable'],
  'HTTP 429': [(response) => response.writeHead(429).end('{}'), 'provider is unreachable'],
  'a redirect': [
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'provider is unreachable',
  ],
  'no content': [(response) => response.writeHead(204).end(), 'provider is unreachable'],
  'an empty body': [(response) => response.end(), 'invalid response'],
  'not JSON': [(response) => response.end('<html>maintenance</html>'), 'invalid response'],
  'half a body': [
    (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"jsonrpc":')
      setImmediate(() => response.destroy())
    },
    'provider is unreachable',
  ],
  'a body cut without a length': [
    (response) => {
      response.write('{"jsonrpc":"2.0","result":{"value":[')
      setImmediate(() => response.destroy())
    },
    'provider is unreachable',
  ],
  'a connection that is closed at once': [
    (response) => response.destroy(),
    'provider is unreachable',
  ],
  'a JSON-RPC error': [
    (response) => sendJson(response, { error: { code: -32005, message: 'node is behind' } }),
    'provider refuses',
  ],
  'no result': [(response) => sendJson(response, { jsonrpc: '2.0' }), 'invalid response'],
  'a list': [(response) => sendJson(response, []), 'invalid response'],
  null: [(response) => sendJson(response, null), 'invalid response'],
  'a value that is no list': [
    (response) => sendJson(response, { result: { value: {} } }),
    'invalid response',
  ],
  'accounts that were not parsed': [
    (response) =>
      sendJson(response, { result: { value: [{ account: { data: ['AA==', 'base64'] } }] } }),
    'invalid response',
  ],
}

const CHANGES: Record<string, (fields: Record<string, unknown>) => void> = {
  'an amount as a number': (fields) => {
    fields.tokenAmount = { amount: 5, decimals: 6 }
  },
  'an amount with a fraction': (fields) => {
    fields.tokenAmount = { amount: '5.5', decimals: 6 }
  },
  'an amount below 0': (fields) => {
    fields.tokenAmount = { amount: '-5', decimals: 6 }
  },
  'an amount over 64 bits': (fields) => {
    fields.tokenAmount = { amount: `${U64_MAX + 1n}`, decimals: 6 }
  },
  'no decimals': (fields) => {
    fields.tokenAmount = { amount: '5' }
  },
  'a mint that is no address': (fields) => {
    fields.mint = 'not-an-address'
  },
  "another wallet's account": (fields) => {
    fields.owner = OTHER_WALLET
  },
}

function changed(node: BalanceNode, change: (fields: Record<string, unknown>) => void): void {
  const held = new Map([[WALLET, [{ mint: MINT, quantity: 5n, decimals: 6 }]]])
  node.misbehave((response, question) => {
    sendJson(response, accountsAnswer(question, held, change))
  })
}

test('turns any malformed answer into one refusal with its reason', async (t) => {
  for (const [name, [misbehave, kind]] of Object.entries(MISBEHAVIOUR)) {
    const { node, request } = await withNode(t)
    node.misbehave(misbehave)
    const refusal = await t.throwsAsync(request(), { instanceOf: NodeUnavailable }, name)
    t.is(refusal?.kind, kind, name)
    node.misbehave(undefined)
    t.deepEqual(await request(), [], name)
  }
})

test('one field that is wrong in one account makes the whole answer wrong', async (t) => {
  for (const [name, change] of Object.entries(CHANGES)) {
    const { node, request } = await withNode(t)
    changed(node, change)
    const refusal = await t.throwsAsync(request(), { instanceOf: NodeUnavailable }, name)
    t.is(refusal?.kind, 'invalid response', name)
    changed(node, () => {})
    t.deepEqual(await request(), [{ mint: MINT, quantity: 5n, decimals: 6 }], name)
  }
})

test('one program that fails is the whole answer', async (t) => {
  const { node, request } = await withNode(t)
  node.misbehave((response, question) => {
    if (question.params[1].programId === TOKEN_PROGRAMS[1]) response.writeHead(503).end()
    else sendJson(response, accountsAnswer(question, new Map()))
  })
  t.is(
    (await t.throwsAsync(request(), { instanceOf: NodeUnavailable }))?.kind,
    'provider is unreachable',
  )
})

test('a slow answer, a dripping one and one that never ends are refused within the time-out', async (t) => {
  const drip = (response: Parameters<Misbehave>[0]): void => {
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  }
  for (const misbehave of [() => {}, drip]) {
    const { node, request } = await withNode(t, { timeoutMs: TIMEOUT_MS })
    node.misbehave(misbehave)
    const requestedAt = performance.now()
    const refusal = await t.throwsAsync(request(), { instanceOf: NodeUnavailable })
    t.is(refusal?.kind, 'provider timed out')
    t.true(performance.now() - requestedAt < TIMEOUT_MS + BOUND_MS)
  }
})

test('a huge answer is cut off', async (t) => {
  const { node, request } = await withNode(t)
  let sent = 0
  node.misbehave((response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += 1
      if (!response.destroyed) response.once('drain', pour)
    }
    pour()
  })
  const refusal = await t.throwsAsync(request(), { instanceOf: NodeUnavailable })
  t.is(refusal?.kind, 'response is too large')
  t.true(sent < 200, `${sent} MiB`)
})

/** Between the fifth refusal and the next request less passes, on a loaded machine too. */
const REST_MS = 6_000

test('opens the circuit after five failures of the provider, logs it once, and recovers after the rest', async (t) => {
  const { node, request, lines } = await withNode(t, { restMs: REST_MS })
  await node.away()
  for (let index = 0; index < 5; index++) {
    t.is(
      (await t.throwsAsync(request(), { instanceOf: NodeUnavailable }))?.kind,
      'provider is unreachable',
    )
  }
  const left = await t.throwsAsync(request(), { instanceOf: NodeUnavailable })
  t.is(left?.kind, 'circuit breaker is open')
  t.is(lines.filter((line) => line.startsWith('warn')).length, 1)
  t.false(lines.some((line) => line.includes(node.rpcUrl)))
  await node.back()
  let balances: unknown
  for (; balances === undefined; await pause(20)) balances = await request().catch(() => undefined)
  t.deepEqual(balances, [])
  t.regex(lines.at(-1) ?? '', /node recovered/)
})

test('a refusal about one wallet does not stop requests for others', async (t) => {
  const { node, request } = await withNode(t)
  node.misbehave((response, question) => {
    const error = { code: -32012, message: 'too many accounts' }
    if (question.params[0] === OTHER_WALLET) sendJson(response, { error })
    else sendJson(response, accountsAnswer(question, new Map()))
  })
  for (let index = 0; index < 8; index++) await t.throwsAsync(request(OTHER_WALLET))
  t.deepEqual(await request(), [])
})

test('does not count a caller that aborts as an error of the provider', async (t) => {
  const { node, provider, lines } = await withNode(t)
  node.misbehave(() => {})
  for (let index = 0; index < 6; index++) {
    const gone = AbortSignal.timeout(20)
    await t.throwsAsync(provider.heldBy(WALLET, gone), { name: 'TimeoutError' })
  }
  t.deepEqual(lines, [])
  node.misbehave(undefined)
  t.deepEqual(await provider.heldBy(WALLET, AbortSignal.timeout(BOUND_MS)), [])
})

test('sends a password of the URL in a header', async (t) => {
  const { node } = await withNode(t)
  const url = new URL(node.rpcUrl)
  url.username = 'me'
  url.password = 'p@ss'
  const { log } = recordingLog()
  const provider = openBalances({ rpcUrl: url.href, log, timeoutMs: BOUND_MS })
  t.deepEqual(await provider.heldBy(WALLET, AbortSignal.timeout(BOUND_MS)), [])
  t.is(node.questions[0]?.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
})
