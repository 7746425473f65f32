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
const TIMEOUT_MS = 300

async function withNode(t: ExecutionContext, options: Partial<NodeOptions> = {}) {
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const { log, lines } = recordingLog()
  const provider = openMints({ rpcUrl: node.rpcUrl, log, timeoutMs: 60_000, ...options })
  const ask = (mint = MINT): Promise<FoundAccount> =>
    provider.find(mint, AbortSignal.timeout(60_000))
  return { node, lines, ask }
}

test('a mint is read with its authorities, its extensions and its supply to the last digit', async (t) => {
  const { node, ask } = await withNode(t)
  const state = { delegate: HOLDER }
  const extensions = [{ extension: 'permanentDelegate', state }, { extension: 'nonTransferable' }]
  const supply = '18446744073709551615'
  node.place(MINT, mintValue({ mintAuthority: HOLDER, supply, extensions }, { isToken2022: true }))
  t.deepEqual(await ask(), {
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
  node.place(OTHER, mintValue({ freezeAuthority: HOLDER }))
  const other = await ask(OTHER)
  t.like(other, { kind: 'mint', account: { program: 'spl-token', freezeAuthority: HOLDER } })
})

test('distinguishes no account, another program and another kind of account from a mint', async (t) => {
  const { node, ask } = await withNode(t)
  t.deepEqual(await ask(), { kind: 'absent' })
  node.place(MINT, { owner: SYSTEM_PROGRAM, data: ['', 'base64'], lamports: 1 })
  t.deepEqual(await ask(), { kind: 'no_mint' })
  node.place(MINT, mintValue({}, { type: 'account' }))
  t.deepEqual(await ask(), { kind: 'no_mint' })
  node.place(MINT, mintValue({ isInitialized: false }))
  t.deepEqual(await ask(), { kind: 'no_mint' })
})

const withField =
  (fields: Record<string, unknown>): Misbehave =>
  (response) =>
    sendJson(response, foundAnswer(mintValue(fields)))

const MISBEHAVIOUR: Record<string, [Misbehave, NodeUnavailable['kind']]> = {
  'HTTP 500': [(response) => response.writeHead(500).end('oops'), 'provider is away'],
  'a redirect': [
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'provider is away',
  ],
  'not JSON': [(response) => response.end('<html>maintenance</html>'), 'answer makes no sense'],
  'half a body': [
    (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"jsonrpc":')
      setImmediate(() => response.destroy())
    },
    'provider is away',
  ],
  'a connection that is closed at once': [(response) => response.destroy(), 'provider is away'],
  'a JSON-RPC error': [
    (response) => sendJson(response, { error: { code: -32005, message: 'node is behind' } }),
    'provider refuses',
  ],
  'no result': [(response) => sendJson(response, { jsonrpc: '2.0' }), 'answer makes no sense'],
  'no value': [(response) => sendJson(response, { result: {} }), 'answer makes no sense'],
  // The node does not know the program's newest extension: not "a mint without any".
  'a mint that was not parsed': [
    (response) => {
      const { owner } = mintValue({}, { isToken2022: true }) as { owner: string }
      sendJson(response, foundAnswer({ owner, data: ['AA==', 'base64'] }))
    },
    'answer makes no sense',
  ],
  'a supply as a number': [withField({ supply: 5 }), 'answer makes no sense'],
  'a supply below 0': [withField({ supply: '-5' }), 'answer makes no sense'],
  'a supply over 64 bits': [withField({ supply: `${2n ** 64n}` }), 'answer makes no sense'],
  'an authority that is no address': [withField({ mintAuthority: 'me' }), 'answer makes no sense'],
  'no word of an authority': [withField({ mintAuthority: undefined }), 'answer makes no sense'],
  'extensions that are no list': [withField({ extensions: {} }), 'answer makes no sense'],
  'an extension without a name': [withField({ extensions: [{}] }), 'answer makes no sense'],
}

test('turns any malformed answer into one refusal with its reason', async (t) => {
  for (const [name, [misbehave, kind]] of Object.entries(MISBEHAVIOUR)) {
    const { node, ask } = await withNode(t)
    node.misbehave(misbehave)
    const refusal = await t.throwsAsync(ask(), { instanceOf: NodeUnavailable }, name)
    t.is(refusal?.kind, kind, name)
    node.misbehave(undefined)
    t.deepEqual(await ask(), { kind: 'absent' }, name)
  }
})

test('a node that never answers is refused within the time-out, and left alone after five times', async (t) => {
  const { node, ask, lines } = await withNode(t, { timeoutMs: TIMEOUT_MS, restMs: 60_000 })
  node.misbehave(() => {})
  for (let index = 0; index < 5; index++) {
    const refusal = await t.throwsAsync(ask(), { instanceOf: NodeUnavailable })
    t.is(refusal?.kind, 'provider is slow')
  }
  const asked = node.questions.length
  const left = await t.throwsAsync(ask(), { instanceOf: NodeUnavailable })
  t.is(left?.kind, 'provider is left alone for a while')
  t.is(node.questions.length, asked)
  t.is(lines.length, 1)
  t.regex(lines[0] ?? '', /node request failed/)
  t.false(lines.some((line) => line.includes(node.rpcUrl)))
})

test('continues to request other mints after errors about one', async (t) => {
  const { node, ask } = await withNode(t)
  node.misbehave((response, question) => {
    if (question.params[0] === OTHER) sendJson(response, { error: { code: -1, message: 'no' } })
    else sendJson(response, foundAnswer(mintValue()))
  })
  for (let index = 0; index < 8; index++) await t.throwsAsync(ask(OTHER))
  t.is((await ask()).kind, 'mint')
})
