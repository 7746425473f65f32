/**
 * A JSON-RPC node of token accounts and mints over real HTTP: it holds a test's accounts, counts its requests, and
 * misbehaves in every way that a test names.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { ownPort } from './own-port.ts'

type HeldAccount = {
  mint: string
  quantity: bigint
  decimals: number
  isNative?: boolean
  /** Whether it is of the newer token program. */
  isToken2022?: boolean
}
type Question = {
  /** The header of that name. */
  authorization: string | undefined
  method: string
  /** The second one is the request's settings where nothing is filtered. */
  params: [string, { programId: string }, { encoding: string; commitment: string }]
}
export type Misbehave = (response: ServerResponse, question: Question) => void

export type BalanceNode = {
  rpcUrl: string
  /** Requests so far. */
  questions: Question[]
  /** Replaces the wallet's holdings. */
  hold(wallet: string, accounts: readonly HeldAccount[]): void
  /** The account at an address, as getAccountInfo and getMultipleAccounts return it. */
  setAccount(account: string, value: object): void
  /** The asset of a mint, as getAssetBatch of DAS returns it. */
  list(mint: string, asset: object): void
  /** Undefined: it behaves again. */
  misbehave(how: Misbehave | undefined): void
  /** No connection is accepted until `back`. */
  away(): Promise<void>
  back(): Promise<void>
  stop(): Promise<void>
}

const OLDER_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const NEWER_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

export async function startBalanceNode(): Promise<BalanceNode> {
  const held = new Map<string, readonly HeldAccount[]>()
  const placed = new Map<string, object>()
  const assets = new Map<string, object>()
  const questions: Question[] = []
  let behaviour: Misbehave | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers
    const question = { authorization, ...JSON.parse(await text(request)) } as Question
    questions.push(question)
    if (behaviour !== undefined) behaviour(response, question)
    else if (question.method === 'getAccountInfo') {
      sendJson(response, foundAnswer(placed.get(question.params[0]) ?? null))
    } else if (question.method === 'getMultipleAccounts') {
      const addresses = question.params[0] as unknown as string[]
      const value = addresses.map((key) => placed.get(key) ?? null)
      sendJson(response, { jsonrpc: '2.0', id: 1, result: { context: { slot: 1 }, value } })
    } else if (question.method === 'getAssetBatch') {
      const { ids } = question.params as unknown as { ids: string[] }
      sendJson(response, { jsonrpc: '2.0', id: 1, result: ids.map((id) => assets.get(id) ?? null) })
    } else sendJson(response, accountsAnswer(question, held))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  // No other server takes it while this one is away.
  const port = await ownPort()
  await listen(port)
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
    setAccount: (account, value) => placed.set(account, value),
    list: (mint, asset) => assets.set(mint, asset),
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

export function foundAnswer(value: object | null, slot = 1): object {
  return { jsonrpc: '2.0', id: 1, result: { context: { slot }, value } }
}

/** The account of a mint, as `jsonParsed` documents it; `fields` override the usual ones. */
export function mintValue(
  fields: Record<string, unknown> = {},
  { isToken2022 = false, type = 'mint' }: { isToken2022?: boolean; type?: string } = {},
): object {
  const contents = {
    decimals: 6,
    freezeAuthority: null,
    isInitialized: true,
    mintAuthority: null,
    supply: '1000000000000000',
    ...fields,
  }
  const program = isToken2022 ? 'spl-token-2022' : 'spl-token'
  return {
    data: { parsed: { info: contents, type }, program, space: 82 },
    executable: false,
    lamports: 1_461_600,
    owner: isToken2022 ? NEWER_PROGRAM : OLDER_PROGRAM,
    rentEpoch: 0,
    space: 82,
  }
}

/** A node's answer, as `jsonParsed` documents it; `change` spoils the fields of each account. */
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
