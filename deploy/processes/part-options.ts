/**
 * Options of the parts of an installation that the environment names: where SwapStream listens, and providers of balances
 * and mints of a Solana node, none without one.
 */
import type { GrpcListening } from '../../api/feed/grpc/server.ts'
import type { WebhookSettings } from '../../api/webhooks/registration.ts'
import {
  type BalanceProvider,
  type MintProvider,
  openBalances,
  openMints,
} from '../../chain/accounts/providers.ts'
import type { Log } from '../../domain/log.ts'
import type { Config } from '../config.ts'

export function balancesOf({ balanceRpcUrl }: Config, log: Log): { balances?: BalanceProvider } {
  return balanceRpcUrl === undefined
    ? {}
    : { balances: openBalances({ rpcUrl: balanceRpcUrl, log }) }
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
