/**
 * A JSON-RPC node of blocks over real HTTP: it serves a chain up to its newest slot, as getVersion,
 * getFirstAvailableBlock, getSlot, getBlocks, getBlocksWithLimit, getBlock and getTransaction do, counts the requests, and misbehaves
 * as a test demands (rpc-faults.ts).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Disturb, type Fault, misbehave, Reply, type RpcRequest } from './rpc-faults.ts'
import type { Json, ServedBlock, ServedChain } from './served-chain.ts'
import { asBase64 } from './wire-form.ts'

export type RpcServerOptions = {
  /** Newest slot at first; absent: the end of the chain. */
  newest?: number
  disturb?: Disturb
  /** The newest version of transactions that the node accepts in a request. */
  transactionVersionMax?: number
  isGzipped?: boolean
  /** Part of the URL's path, as providers demand it. */
  key?: string
  port?: number
}

export type RpcServer = {
  url: string
  chain: ServedChain
  requests: RpcRequest[]
  /** Faults that were sent. */
  faults: Map<Fault, number>
  /** Slots beyond it do not exist yet. */
  newest: number
  /** Slots by which lists and blocks lag what getSlot reports, as where two nodes share a URL. */
  lag: { lists: number; blocks: number }
  disturb: Disturb | undefined
  stop(): Promise<void>
}

type Question = { id: number; method: string; params: unknown[] }

export async function startRpcServer(
  chain: ServedChain,
  options: RpcServerOptions = {},
): Promise<RpcServer> {
  const attempts = new Map<string, number>()
  const path = options.key === undefined ? '/' : `/${options.key}`
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const node: RpcServer = {
    url: `http://127.0.0.1:${port}${path}`,
    chain,
    requests: [],
    faults: new Map(),
    newest: options.newest ?? chain.to,
    lag: { lists: 0, blocks: 0 },
    disturb: options.disturb,
    async stop() {
      if (!server.listening) return
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const question = JSON.parse(await text(request)) as Question
    const { id, method, params } = question
    if (request.url !== path) {
      response.writeHead(401).end()
      return
    }
    const name = `${method}:${params[0]}`
    const attempt = attempts.get(name) ?? 0
    attempts.set(name, attempt + 1)
    const requested = { method, params, attempt }
    node.requests.push(requested)
    const fault = node.disturb?.(requested)
    const body: Json = { jsonrpc: '2.0', ...answerOf(node, question, options), id }
    const isPacked =
      options.isGzipped === true && /gzip/.test(`${request.headers['accept-encoding']}`)
    const reply = new Reply(response, body, isPacked)
    if (fault === undefined) {
      reply.send()
      return
    }
    node.faults.set(fault, (node.faults.get(fault) ?? 0) + 1)
    misbehave(fault, reply)
  }
  return node
}

type Answer = { result: unknown } | { error: { code: number; message: string } }

const refusal = (code: number, message: string): Answer => ({ error: { code, message } })

function answerOf(
  node: RpcServer,
  { method, params }: Question,
  options: RpcServerOptions,
): Answer {
  const slots = Array.from(node.chain.blocks.keys()).filter((slot) => slot <= node.newest)
  const listed = slots.filter((slot) => slot <= node.newest - node.lag.lists)
  const [first, second] = params as number[]
  if (method === 'getSlot') return { result: slots.at(-1) }
  if (method === 'getVersion') return { result: { 'feature-set': 1, 'solana-core': '3.0.4' } }
  if (method === 'getFirstAvailableBlock') return { result: slots[0] }
  if (method === 'getBlocks') {
    return { result: listed.filter((slot) => slot >= Number(first) && slot <= Number(second)) }
  }
  if (method === 'getBlocksWithLimit') {
    return { result: listed.filter((slot) => slot >= Number(first)).slice(0, second) }
  }
  if (method === 'getTransaction') return { result: transactionOf(node, String(params[0])) }
  if (method !== 'getBlock') return refusal(-32_601, 'Method not found')
  const settings = params[1] as {
    transactionDetails: string
    encoding: string
    maxSupportedTransactionVersion: number
  }
  const versionMax = options.transactionVersionMax ?? 1
  if (settings.maxSupportedTransactionVersion > versionMax) {
    return refusal(-32_602, 'Invalid params: maxSupportedTransactionVersion')
  }
  const slot = Number(first)
  if (slot > node.newest - node.lag.blocks)
    return refusal(-32_004, `Block not available for slot ${slot}`)
  const block = node.chain.blocks.get(slot)
  if (block === undefined) {
    return refusal(
      -32_007,
      `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
    )
  }
  return { result: inOrder(withDetails(block, settings)) }
}

function transactionOf({ chain, newest }: RpcServer, signature: string): Json | null {
  for (const [slot, { transactions, blockTime }] of chain.blocks) {
    const found = transactions.find((each) => signatureOf(each) === signature)
    if (found !== undefined && slot <= newest) return { slot, blockTime, ...encoded(found) }
  }
  return null
}

const signatureOf = ({ transaction }: Json): string | undefined =>
  (transaction as { signatures: string[] }).signatures[0]

function withDetails(
  block: ServedBlock,
  { transactionDetails, encoding }: { transactionDetails: string; encoding: string },
): Json {
  const { transactions, ...rest } = block
  if (transactionDetails === 'none') return rest
  if (transactionDetails === 'full') {
    return encoding === 'base64' ? { ...rest, transactions: transactions.map(encoded) } : block
  }
  return { ...rest, signatures: transactions.map(signatureOf) }
}

const encodedEntries = new WeakMap<Json, Json>()

function encoded(entry: Json): Json {
  const known = encodedEntries.get(entry)
  if (known !== undefined) return known
  const made = inOrder(asBase64({ ...entry, meta: inOrder(entry.meta as Json) }))
  encodedEntries.set(entry, made)
  return made
}

/** With its names in alphabetical order, as nodes write them. */
const inOrder = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).toSorted(([a], [b]) => (a < b ? -1 : 1)))
