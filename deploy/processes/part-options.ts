/**
 * The parts of an installation and the options that the environment names: where SwapStream listens, providers of balances,
 * mints and names of a Solana node, none without one, and what reads links to pictures.
 */
import type { GrpcListening } from '../../api/feed/grpc/server.ts'
import type { WebhookSettings } from '../../api/webhooks/registration.ts'
import { type NamesProvider, openNames } from '../../chain/accounts/names-provider.ts'
import {
  type BalanceProvider,
  type MintProvider,
  openBalances,
  openMints,
} from '../../chain/accounts/providers.ts'
import type { Log } from '../../domain/log.ts'
import { type ImageReader, openImages } from '../../streams/outgoing/token-image.ts'
import { ACTOR_NAMES } from '../../workers/actors.ts'
import type { Config } from '../config.ts'

export function balancesOf({ balanceRpcUrl }: Config, log: Log): { balances?: BalanceProvider } {
  return balanceRpcUrl === undefined
    ? {}
    : { balances: openBalances({ rpcUrl: balanceRpcUrl, log }) }
}

/** Absent without a node. */
export function namesOf({ balanceRpcUrl, dasUrl }: Config, log: Log): { names?: NamesProvider } {
  return balanceRpcUrl === undefined
    ? {}
    : { names: openNames({ rpcUrl: balanceRpcUrl, dasUrl, log }) }
}

/** Absent unless an operator has switched it on. */
export function imagesOf({ tokenImages }: Config): { images?: ImageReader } {
  return tokenImages === undefined ? {} : { images: openImages(tokenImages) }
}

export function mintsOf({ balanceRpcUrl }: Config, log: Log): { mints?: MintProvider } {
  return balanceRpcUrl === undefined ? {} : { mints: openMints({ rpcUrl: balanceRpcUrl, log }) }
}

/** Where SwapStream listens. */
export function grpcOf({ host, grpcPort, grpcTls }: Config): GrpcListening {
  return { host, port: grpcPort, ...(grpcTls === undefined ? {} : { tls: grpcTls }) }
}

/** Absent without a key: webhooks cannot be created. */
export function webhooksOf(config: Config): { webhooks?: WebhookSettings } {
  const { webhookSecretKey: secretKey, webhookPolicy: policy } = config
  return secretKey === undefined ? {} : { webhooks: { secretKey, policy } }
}

/**
 * Commands of `up` that run as separate processes; its own process is the API.
 *
 * Decision: docs/decisions/0096-one-worker-process-by-default.md
 */
export function partsOf({ workerProcesses }: Pick<Config, 'workerProcesses'>): string[][] {
  const workers = ACTOR_NAMES.map((actor) => ['worker', actor])
  return [...(workerProcesses === 'each' ? workers : [['worker']]), ['jobs']]
}
