/**
 * What a wallet holds on chain, asked of a Solana node over JSON-RPC.
 *
 * Law: the answer is whole or it is BalancesUnavailable, whatever went wrong and within the time-out: no
 * other error, no part of a list. A node that fails again and again is left alone for a while. The URL may
 * hold a key: no message repeats it.
 */
import { Breaker } from './breaker.ts'
import type { Log } from './log.ts'
import {
  accountsRequest,
  readTokenBalances,
  TOKEN_PROGRAMS,
  type TokenBalance,
  UnusableAnswer,
} from './token-account.ts'

export type BalanceProvider = {
  /** Each mint that the wallet holds some of. Rejects with BalancesUnavailable, or as the signal says. */
  heldBy(wallet: string, signal: AbortSignal): Promise<TokenBalance[]>
}

export type BalanceFault =
  | 'provider is away'
  | 'provider is slow'
  | 'provider refuses'
  | 'answer makes no sense'
  | 'answer is too long'
  | 'provider is left alone for a while'
  | 'too many questions under way'

export class BalancesUnavailable extends Error {
  override name = 'BalancesUnavailable'
  readonly fault: BalanceFault

  constructor(fault: BalanceFault, text = '', options?: ErrorOptions) {
    super(text === '' ? fault : `${fault}: ${text}`, options)
    this.fault = fault
  }

  /** Not of the wallet alone that was asked about. */
  get isOfProvider(): boolean {
    return !FAULTS_OF_WALLET.has(this.fault)
  }
}

export type BalanceOptions = {
  rpcUrl: string
  log: Log
  /** Milliseconds for a whole answer. */
  timeoutMs?: number
  /** Milliseconds that a failing provider is left alone. */
  restMs?: number
}

const TIMEOUT_MS = 2_500
const BREAKER = { failuresMax: 5, restMs: 10_000 }
/** Questions under way at once in a process. */
const QUESTIONS_MAX = 64
/** About 20,000 accounts. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** A long list, a refusal or an account that cannot be read may be about one wallet alone. */
const FAULTS_OF_WALLET: ReadonlySet<BalanceFault> = new Set([
  'provider refuses',
  'answer makes no sense',
  'answer is too long',
])

export function openBalances(options: BalanceOptions): BalanceProvider {
  const { log, timeoutMs = TIMEOUT_MS, restMs = BREAKER.restMs } = options
  const endpoint = endpointOf(options.rpcUrl)
  const breaker = new Breaker({ ...BREAKER, restMs })
  let questions = 0
  let isFailing = false
  const succeed = (): void => {
    breaker.succeed()
    if (isFailing) log.info('the balance provider answers again')
    isFailing = false
  }
  const fail = (refusal: BalancesUnavailable): void => {
    breaker.fail(performance.now())
    if (!isFailing) log.warn({ err: refusal }, 'the balance provider fails')
    isFailing = true
  }
  return {
    async heldBy(wallet, signal) {
      signal.throwIfAborted()
      if (questions >= QUESTIONS_MAX) throw new BalancesUnavailable('too many questions under way')
      if (!breaker.allows(performance.now())) {
        throw new BalancesUnavailable('provider is left alone for a while')
      }
      questions += 1
      try {
        const balances = await askAll(endpoint, wallet, timeoutMs, signal)
        succeed()
        return balances
      } catch (cause) {
        if (signal.aborted) throw signal.reason
        const refusal = refusalOf(cause)
        if (refusal.isOfProvider) fail(refusal)
        throw refusal
      } finally {
        questions -= 1
      }
    },
  }
}

type Endpoint = { url: string; headers: Record<string, string> }

/** fetch takes no password in a URL. */
function endpointOf(rpcUrl: string): Endpoint {
  const url = new URL(rpcUrl)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    url.username = ''
    url.password = ''
  }
  return { url: url.href, headers }
}

async function askAll(
  endpoint: Endpoint,
  wallet: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<TokenBalance[]> {
  // One that failed ends the other.
  const ended = new AbortController()
  const bound = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(timeoutMs)])
  try {
    const answers = await Promise.all(
      TOKEN_PROGRAMS.map((program) => ask(endpoint, accountsRequest(wallet, program), bound)),
    )
    return readTokenBalances(wallet, answers)
  } finally {
    ended.abort()
  }
}

/** One question's answer as JSON. */
async function ask(
  { url, headers }: Endpoint,
  question: object,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(question),
    redirect: 'manual',
    signal,
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new BalancesUnavailable('provider is away', `HTTP status ${response.status}`)
  }
  const text = await readBounded(response)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BalancesUnavailable('answer makes no sense', 'it is not JSON', { cause })
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw new BalancesUnavailable('answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function refusalOf(cause: unknown): BalancesUnavailable {
  if (cause instanceof BalancesUnavailable) return cause
  if (cause instanceof UnusableAnswer) {
    const fault = cause.isRefusal ? 'provider refuses' : 'answer makes no sense'
    return new BalancesUnavailable(fault, cause.message, { cause })
  }
  const isLate = cause instanceof Error && cause.name === 'TimeoutError'
  return new BalancesUnavailable(isLate ? 'provider is slow' : 'provider is away', '', { cause })
}
