/**
 * What those who control a mint can still do to those who hold it: one check a power. Pure.
 *
 * A check passes when the power is given up or never was. Powers come from the mint's authorities and from
 * its Token-2022 extensions, as a node names and parses them.
 */
import type { MintAccount, MintExtension } from './mint-account.ts'

export const MINT_CHECKS = [
  'mint_authority_revoked',
  'freeze_authority_revoked',
  'no_permanent_delegate',
  'no_transfer_fee',
  'no_transfer_hook',
  'transferable',
  'accounts_start_unfrozen',
  'not_pausable',
  'not_closable',
] as const
export type MintCheckName = (typeof MINT_CHECKS)[number]

/** `detail`: who holds the power, or how it is set; null where there is nothing to tell. */
export type MintCheck = { name: MintCheckName; passed: boolean; detail: string | null }

export function checkMint({
  mintAuthority,
  freezeAuthority,
  extensions,
}: Pick<MintAccount, 'mintAuthority' | 'freezeAuthority' | 'extensions'>): MintCheck[] {
  const stateOf = (name: string) => extensions.find((extension) => extension.name === name)?.state
  const held = (name: MintCheckName, holder: string | null): MintCheck => ({
    name,
    passed: holder === null,
    detail: holder,
  })
  const startsAs = textOf(stateOf('defaultAccountState'), 'accountState')
  const hook = stateOf('transferHook')
  return [
    held('mint_authority_revoked', mintAuthority),
    held('freeze_authority_revoked', freezeAuthority),
    held('no_permanent_delegate', textOf(stateOf('permanentDelegate'), 'delegate')),
    feeCheck(stateOf('transferFeeConfig')),
    held('no_transfer_hook', textOf(hook, 'programId') ?? textOf(hook, 'authority')),
    { name: 'transferable', passed: stateOf('nonTransferable') === undefined, detail: null },
    { name: 'accounts_start_unfrozen', passed: startsAs !== 'frozen', detail: startsAs },
    pauseCheck(stateOf('pausableConfig')),
    held('not_closable', textOf(stateOf('mintCloseAuthority'), 'closeAuthority')),
  ]
}

type State = MintExtension['state'] | undefined

/** A fee that is taken, and one that its authority may still bring. */
function feeCheck(state: State): MintCheck {
  const name = 'no_transfer_fee'
  const points = transferFeeBps(state)
  if (points > 0) return { name, passed: false, detail: `${points} bps` }
  const authority = textOf(state, 'transferFeeConfigAuthority')
  return { name, passed: authority === null, detail: authority }
}

function pauseCheck(state: State): MintCheck {
  const name = 'not_pausable'
  if (state?.paused === true) return { name, passed: false, detail: 'paused' }
  const authority = textOf(state, 'authority')
  return { name, passed: authority === null, detail: authority }
}

/** The greater of the fee of now and the one of the next epoch, in basis points; 0 without. */
export function transferFeeBps(state: State): number {
  const fees = ['olderTransferFee', 'newerTransferFee'].map((name) => {
    const fee = state?.[name]
    if (typeof fee !== 'object' || fee === null) return 0
    const points = 'transferFeeBasisPoints' in fee ? fee.transferFeeBasisPoints : 0
    return typeof points === 'number' ? points : 0
  })
  return Math.max(...fees)
}

function textOf(state: State, name: string): string | null {
  const text = state?.[name]
  return typeof text === 'string' && text !== '' ? text : null
}
