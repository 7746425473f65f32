/** An audit as it is shown: the same for REST and GraphQL. Pure. */
import type { MintAccount } from '../../../chain/accounts/mint-account.ts'
import { checkMint, MINT_CHECKS, transferFeeBps } from '../../../chain/accounts/mint-check.ts'
import type { OnchainFound } from '../tokens/onchain.ts'
import type { AuditAnswer } from './schema.ts'

const UNKNOWN_CHECKS = MINT_CHECKS.map((name) => ({ name, passed: null, detail: null }))

export function presentAudit(
  mint: string,
  indexed: boolean,
  found: OnchainFound,
  computedMs: number,
): AuditAnswer {
  const account = found.kind === 'mint' ? found.account : undefined
  return {
    mint,
    indexed,
    onchain_status: found.kind,
    onchain: account === undefined ? null : presentAccount(account),
    checks: account === undefined ? UNKNOWN_CHECKS : checkMint(account),
    computed_at: computedMs,
  }
}

function presentAccount(account: MintAccount): NonNullable<AuditAnswer['onchain']> {
  const { program, decimals, supply, mintAuthority, freezeAuthority, extensions, epoch } = account
  const fee = extensions.find(({ name }) => name === 'transferFeeConfig')
  return {
    program,
    decimals,
    supply,
    mint_authority: mintAuthority,
    freeze_authority: freezeAuthority,
    transfer_fee_bps: transferFeeBps(fee?.state, epoch),
    extensions: extensions.map(({ name }) => name),
  }
}
