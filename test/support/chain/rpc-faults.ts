/**
 * Faults between a node and its clients, by name or drawn by a seed. Each request for a slot is disturbed a few times
 * at most, so that a client that insists gets everything.
 */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { Prng } from '../../../streams/simulator/prng.ts'
import type { Json, ServedBlock } from './served-chain.ts'

/** The answer that a request would get. */
export class Reply {
  readonly response: ServerResponse
  readonly body: Json
  readonly #isPacked: boolean

  constructor(response: ServerResponse, body: Json, isPacked: boolean) {
    this.response = response
    this.body = body
    this.#isPacked = isPacked
  }

  get text(): string {
    return JSON.stringify(this.body)
  }

  send(body: Json = this.body): void {
    this.sendText(JSON.stringify(body))
  }

  sendText(text: string, headers: Record<string, string | number> = JSON_TYPE): void {
    if (!this.#isPacked) this.response.writeHead(200, headers).end(text)
    else {
      this.response
        .writeHead(200, { ...headers, 'content-encoding': 'gzip' })
        .end(gzipSync(text, { level: 1 }))
    }
  }

  refuse(code: number, message: string): void {
    const { jsonrpc, id } = this.body
    this.send({ jsonrpc, id, error: { code, message } })
  }

  status(status: number, headers: Record<string, string> = {}): void {
    this.response.writeHead(status, headers).end('not now')
  }

  /** The block with some of its fields replaced. */
  change(change: (block: ServedBlock) => Json): void {
    const block = this.body.result as ServedBlock
    this.send({ ...this.body, result: { ...block, ...change(block) } })
  }
}

/** Results that lack a part, as those of nodes without extended metadata, or that have it empty. */
const LACKING = {
  no_metadata: { innerInstructions: null, logMessages: null },
  no_inner_instructions: { innerInstructions: null },
  no_logs: { logMessages: null },
  no_balances_before: { preTokenBalances: null },
  no_balances_after: { postTokenBalances: undefined },
  no_loaded_addresses: { loadedAddresses: null },
  empty_inner_instructions: { innerInstructions: [] },
  empty_logs: { logMessages: [] },
  broken_inner_instructions: { innerInstructions: [{ index: 0, instructions: null }] },
} as const satisfies Record<string, Json>

type LackingFault = keyof typeof LACKING
/** By fault, the part that is missing. */
export const LACKED_PARTS = Object.entries(LACKING).map(
  ([fault, parts]) => [fault as LackingFault, Object.keys(parts)[0] ?? ''] as const,
)

function withoutParts(): Record<LackingFault, (reply: Reply) => void> {
  const faults = Object.entries(LACKING).map(([fault, parts]) => {
    const lose = ({ meta, ...rest }: Json): Json => ({
      ...rest,
      meta: { ...(meta as Json), ...parts },
    })
    const send = (reply: Reply): void =>
      reply.change(({ transactions = [] }) => ({ transactions: transactions.map(lose) }))
    return [fault, send]
  })
  return Object.fromEntries(faults)
}

const JSON_TYPE = { 'content-type': 'application/json' }
const PARENT_IN_FUTURE = 1_000_000

const OF_EVERY_METHOD = {
  throttled: (reply: Reply) => reply.status(429, { 'retry-after': '0' }),
  behind: (reply: Reply) => reply.refuse(-32_005, 'Node is behind by 150 slots'),
  truncated: (reply: Reply) => reply.sendText(truncated(reply)),
  cut: ({ response, text }: Reply) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': text.length })
    response.write(text.slice(0, text.length / 2), () => response.destroy())
  },
  // The client gives up; its connection ends then, or with the server.
  silent: () => {},
  server_error: (reply: Reply) => reply.status(500),
  gateway_page: (reply: Reply) => reply.sendText('<html>Bad gateway</html>'),
  not_gzip: ({ response, text }: Reply) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(text)
  },
  other_request: (reply: Reply) => reply.send({ ...reply.body, id: -1 }),
}

const OF_BLOCKS = {
  not_yet: (reply: Reply) => reply.refuse(-32_004, 'Block not available for slot'),
  null_result: (reply: Reply) => reply.send({ ...reply.body, result: null }),
  false_skip: (reply: Reply) =>
    reply.refuse(-32_007, 'Slot was skipped, or missing due to ledger jump to recent snapshot'),
  false_skip_long_term: (reply: Reply) =>
    reply.refuse(-32_009, 'Slot was skipped, or missing in long-term storage'),
  broken_messages: (reply: Reply) =>
    reply.change(({ transactions = [] }) => ({
      transactions: transactions.map((each) => ({ ...each, transaction: ['AQ==', 'base64'] })),
    })),
  no_transactions: (reply: Reply) => reply.change(() => ({ transactions: undefined })),
  lost_transactions: (reply: Reply) => reply.change(() => ({ transactions: [] })),
  no_results: (reply: Reply) =>
    reply.change(({ transactions = [] }) => ({
      transactions: transactions.map((each) => ({ ...each, meta: null })),
    })),
  ...withoutParts(),
  no_hash: (reply: Reply) => reply.change(() => ({ blockhash: undefined })),
  no_time: (reply: Reply) => reply.change(() => ({ blockTime: null })),
  wrong_parent: (reply: Reply) =>
    reply.change(({ parentSlot }) => ({ parentSlot: parentSlot + PARENT_IN_FUTURE })),
}

const OF_LISTS = {
  short_list: (reply: Reply) =>
    reply.send({ ...reply.body, result: (reply.body.result as number[]).slice(0, -2) }),
  empty_list: (reply: Reply) => reply.send({ ...reply.body, result: [] }),
}

const OF_SLOTS = {
  older_slot: (reply: Reply) =>
    reply.send({ ...reply.body, result: Number(reply.body.result) - 5 }),
}

/** Faults that no repetition mends: sent only where a test demands them. */
const LASTING = {
  far_slot: (reply: Reply) => reply.send({ ...reply.body, result: 10 ** 12 }),
}

const PASSING = { ...OF_EVERY_METHOD, ...OF_BLOCKS, ...OF_LISTS, ...OF_SLOTS }
const ALL = { ...PASSING, ...LASTING }

export type Fault = keyof typeof ALL
export const FAULTS = Object.keys(PASSING) as Fault[]
/** Faults of getBlock. */
export const BLOCK_FAULTS = Object.keys({ ...OF_EVERY_METHOD, ...OF_BLOCKS }) as Fault[]

export function misbehave(fault: Fault, reply: Reply): void {
  ALL[fault](reply)
}

export type RpcRequest = {
  method: string
  params: readonly unknown[]
  /** How often the same method was requested with the same first parameter before. */
  attempt: number
}
export type Disturb = (request: RpcRequest) => Fault | undefined

/** The text up to a place that the id of the request chooses: any, since the text ends with a brace. */
function truncated({ text, body }: Reply): string {
  return text.slice(0, new Prng([Number(body.id), 78]).unit() * text.length)
}

/** Faults of a method in addition to those that every method has; of one that is not listed, none. */
const OWN: Record<string, object> = {
  getBlock: OF_BLOCKS,
  getBlocks: OF_LISTS,
  getSlot: OF_SLOTS,
}

/** `share` of the requests fail, each slot's at most `attemptsMax` times. */
export function faultsBySeed(seed: number, share: number, attemptsMax = 2): Disturb {
  const prng = new Prng([seed, 77])
  return ({ method, attempt }) => {
    const isDisturbed = prng.unit() < share
    const faults = Object.keys({ ...OF_EVERY_METHOD, ...OWN[method] }) as Fault[]
    const fault = faults[Math.floor(prng.unit() * faults.length)]
    return isDisturbed && attempt < attemptsMax ? fault : undefined
  }
}
