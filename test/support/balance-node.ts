/**
 * A JSON-RPC node of token accounts over real HTTP: it holds what a test gives it, counts what it is asked,
 * and misbehaves in every way that a test names.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type HeldAccount = {
  mint: string
  quantity: bigint
  decimals: number
  isNative?: boolean
  /** Of the newer token program. */
  isToken2022?: boolean
}
export type Question = {
  /** The header of that name. */
  authorization: string | undefined
  method: string
  params: [string, { programId: string }, { encoding: string; commitment: string }]
}
export type Misbehave = (response: ServerResponse, question: Question) => void

export type BalanceNode = {
  rpcUrl: string
  /** Questions asked so far. */
  questions: Question[]
  /** Replaces what the wallet holds. */
  hold(wallet: string, accounts: readonly HeldAccount[]): void
  /** Undefined: it behaves again. */
  misbehave(how: Misbehave | undefined): void
  /** No connection is taken until `back`. */
  away(): Promise<void>
  back(): Promise<void>
  stop(): Promise<void>
}

const NEWER_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

export async function startBalanceNode(): Promise<BalanceNode> {
  const held = new Map<string, readonly HeldAccount[]>()
  const questions: Question[] = []
  let behaviour: Misbehave | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers
    const question = { authorization, ...JSON.parse(await text(request)) } as Question
    questions.push(question)
    if (behaviour !== undefined) behaviour(response, question)
    else sendJson(response, accountsAnswer(question, held))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    rpcUrl: `http://127.0.0.1:${port}/`,
    questions,
    hold: (wallet, accounts) => held.set(wallet, accounts),
    misbehave: (how) => {
      behaviour = how
    },
    away: close,
    back: () => listen(port),
    stop: close,
  }
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** What a node answers, as `jsonParsed` documents it; `change` spoils the fields of each account. */
export function accountsAnswer(
  { params: [wallet, { programId }] }: Question,
  held: ReadonlyMap<string, readonly HeldAccount[]>,
  change: (fields: Record<string, unknown>) => void = () => {},
): { jsonrpc: string; id: number; result: { context: object; value: object[] } } {
  const isNewer = programId === NEWER_PROGRAM
  const accounts = (held.get(wallet) ?? []).filter(
    ({ isToken2022 = false }) => isToken2022 === isNewer,
  )
  const value = accounts.map((account) => accountOf(wallet, programId, account, change))
  return { jsonrpc: '2.0', id: 1, result: { context: { slot: 1 }, value } }
}

function accountOf(
  wallet: string,
  programId: string,
  { mint, quantity, decimals, isNative = false }: HeldAccount,
  change: (fields: Record<string, unknown>) => void,
): object {
  const near = Number(quantity) / 10 ** decimals
  const tokenAmount = { amount: `${quantity}`, decimals, uiAmount: near, uiAmountString: `${near}` }
  const fields = { mint, owner: wallet, isNative, state: 'initialized', tokenAmount }
  change(fields)
  const contents = { program: 'spl-token', parsed: { type: 'account', info: fields }, space: 165 }
  return {
    pubkey: wallet,
    account: { data: contents, executable: false, lamports: 2_039_280, owner: programId },
  }
}
