// The mint provider against a real HTTP server that answers, refuses, is slow and talks nonsense.

import test, { type ExecutionContext } from 'ava'
import type { FoundAccount } from '../../../chain/accounts/mint-account.ts'
import { openMints } from '../../../chain/accounts/providers.ts'
import { type NodeOptions, NodeUnavailable } from '../../../chain/rpc/json-rpc.ts'
import { recordingLog } from '../../support/recording-log.ts'
import {
  foundAnswer,
  type Misbehave,
  mintValue,
  sendJson,
  startBalanceNode,
} from '../../support/servers/balance-node.ts'

const MINT = '7qbRF6YsyGuLUVs6Y1q64bdVrfe4ZcUUz1JRdoVNUJnm'
const OTHER = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const HOLDER = 'G7EvNb4ErNUPu6LdFgEvGAcfuUi6vTtBzPF6zwiUjU2F'
const SYSTEM_PROGRAM = '11111111111111111111111111111111'
const TIMEOUT_MS = 1_000

async function withNode(t: ExecutionContext, options: Partial<NodeOptions> = {}) {
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const { log, lines } = recordingLog()
  const provider = openMints({ rpcUrl: node.rpcUrl, log, timeoutMs: 60_000, ...options })
  const request = (mint = MINT): Promise<FoundAccount> =>
    provider.find(mint, AbortSignal.timeout(60_000))
  return { node, lines, request }
}

test('a mint is read with its authorities, its extensions and its supply to the last digit', async (t) => {
  const { node, request } = await withNode(t)
  const state = { delegate: HOLDER }
  const extensions = [{ extension: 'permanentDelegate', state }, { extension: 'nonTransferable' }]
  const supply = '18446744073709551615'
  node.setAccount(
    MINT,
    mintValue({ mintAuthority: HOLDER, supply, extensions }, { isToken2022: true }),
  )
  t.deepEqual(await request(), {
    kind: 'mint',
    account: {
      program: 'spl-token-2022',
      decimals: 6,
      supply: 18_446_744_073_709_551_615n,
      mintAuthority: HOLDER,
      freezeAuthority: null,
      extensions: [
        { name: 'permanentDelegate', state },
        { name: 'nonTransferable', state: {} },
      ],
      epoch: 0,
    },
  })
  const [question] = node.questions
  t.is(question?.method, 'getAccountInfo')
  t.deepEqual(question?.params as unknown, [
    MINT,
    { encoding: 'jsonParsed', commitment: 'confirmed' },
  ])
  node.setAccount(OTHER, mintValue({ freezeAuthority: HOLDER }))
  const other = await request(OTHER)
  t.like(other, { kind: 'mint', account: { program: 'spl-token', freezeAuthority: HOLDER } })
})

test('distinguishes no account, another program and another kind of account from a mint', async (t) => {
  const { node, request } = await withNode(t)
  t.deepEqual(await request(), { kind: 'absent' })
  node.setAccount(MINT, { owner: SYSTEM_PROGRAM, data: ['', 'base64'], lamports: 1 })
  t.deepEqual(await request(), { kind: 'no_mint' })
  node.setAccount(MINT, mintValue({}, { type: 'account' }))
  t.deepEqual(await request(), { kind: 'no_mint' })
  node.setAccount(MINT, mintValue({ isInitialized: false }))
  t.deepEqual(await request(), { kind: 'no_mint' })
})

const withField =
  (fields: Record<string, unknown>): Misbehave =>
  (response) =>
    sendJson(response, foundAnswer(mintValue(fields)))

const MISBEHAVIOUR: Record<string, [Misbehave, NodeUnavailable['kind']]> = {
  'HTTP 500': [(response) => response.writeHead(500).end('oops'), 'provider is unreachable'],
  'a redirect': [
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'provider is unreachable',
  ],
  'not JSON': [(response) => response.end('<html>maintenance</html>'), 'invalid response'],
  'half a body': [
    (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"jsonrpc":')
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
  'no value': [(response) => sendJson(response, { result: {} }), 'invalid response'],
  // The node does not know the program's newest extension: not "a mint without any".
  'a mint that was not parsed': [
    (response) => {
      const { owner } = mintValue({}, { isToken2022: true }) as { owner: string }
      sendJson(response, foundAnswer({ owner, data: ['AA==', 'base64'] }))
    },
    'invalid response',
  ],
  'a supply as a number': [withField({ supply: 5 }), 'invalid response'],
  'a supply below 0': [withField({ supply: '-5' }), 'invalid response'],
  'a supply over 64 bits': [withField({ supply: `${2n ** 64n}` }), 'invalid response'],
  'an authority that is no address': [withField({ mintAuthority: 'me' }), 'invalid response'],
  'no word of an authority': [withField({ mintAuthority: undefined }), 'invalid response'],
  'extensions that are no list': [withField({ extensions: {} }), 'invalid response'],
  'an extension without a name': [withField({ extensions: [{}] }), 'invalid response'],
}

test('turns any malformed answer into one refusal with its reason', async (t) => {
  for (const [name, [misbehave, kind]] of Object.entries(MISBEHAVIOUR)) {
    const { node, request } = await withNode(t)
    node.misbehave(misbehave)
    const refusal = await t.throwsAsync(request(), { instanceOf: NodeUnavailable }, name)
    t.is(refusal?.kind, kind, name)
    node.misbehave(undefined)
    t.deepEqual(await request(), { kind: 'absent' }, name)
  }
})

test('a node that never answers is refused within the time-out, and left alone after five times', async (t) => {
  const {
    node,
    request: send,
    lines,
  } = await withNode(t, { timeoutMs: TIMEOUT_MS, restMs: 60_000 })
  node.misbehave(() => {})
  for (let index = 0; index < 5; index++) {
    const refusal = await t.throwsAsync(send(), { instanceOf: NodeUnavailable })
    t.is(refusal?.kind, 'provider timed out')
  }
  const requested = node.questions.length
  const left = await t.throwsAsync(send(), { instanceOf: NodeUnavailable })
  t.is(left?.kind, 'circuit breaker is open')
  t.is(node.questions.length, requested)
  t.is(lines.length, 1)
  t.regex(lines[0] ?? '', /node request failed/)
  t.false(lines.some((line) => line.includes(node.rpcUrl)))
})

test('continues to request other mints after errors about one', async (t) => {
  const { node, request: send } = await withNode(t)
  node.misbehave((response, question) => {
    if (question.params[0] === OTHER) sendJson(response, { error: { code: -1, message: 'no' } })
    else sendJson(response, foundAnswer(mintValue()))
  })
  for (let index = 0; index < 8; index++) await t.throwsAsync(send(OTHER))
  t.is((await send()).kind, 'mint')
})
