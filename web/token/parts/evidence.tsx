/** Factors of risk and their evidence in words, each value in its unit. */

import type { ComponentChildren } from 'preact'
import type { TokenRisk } from '../../../clients/typescript/generated.ts'
import { nounOf } from '../../../domain/text/plural.ts'
import { shortText } from '../../../domain/text/short-text.ts'
import {
  countFigure,
  type Figure,
  plainText,
  shareFigure,
  solFigure,
  tokensFigure,
} from '../../format/number.ts'
import { spaced } from '../../format/text.ts'
import { Num, Unknown, WalletLink } from '../../layout/values.tsx'

type Factor = TokenRisk['factors'][number]

export const FACTOR_NAMES: Readonly<Record<Factor['name'], string>> = {
  rugged: 'Price collapsed in a day',
  fallen_from_peak: 'Fallen from its peak',
  top10_concentration: 'Held by few',
  creator_holds: 'Creator holds',
  creator_sold: 'Creator sold',
  single_pool: 'One pool only',
  low_liquidity: 'Low liquidity',
  few_holders: 'Few holders',
  fresh_mint: 'Young token',
  mint_authority: 'More can be minted',
  freeze_authority: 'Accounts can be frozen',
  token_extensions: 'Powers of its extensions',
}

export const CHECK_NAMES: Readonly<Record<string, string>> = {
  mint_authority_revoked: 'Nothing more can be minted',
  freeze_authority_revoked: 'Accounts cannot be frozen',
  no_permanent_delegate: 'Tokens cannot be taken by a delegate',
  no_transfer_fee: 'Transfers cost no fee',
  no_transfer_hook: 'Transfers run no other program',
  transferable: 'Tokens can be transferred',
  accounts_start_unfrozen: 'New accounts are not frozen',
  not_pausable: 'Transfers cannot be paused',
  not_closable: 'The mint cannot be closed',
}

type Show = (value: never, decimals: number | null) => ComponentChildren
const hoursFigure = (value: number): Figure => ({
  text: value < 48 ? `${shortText(value)} h` : `${shortText(value / 24)} d`,
  exact: `${plainText(value)} ${nounOf(value, 'hour')}`,
})
const price: Show = (value: number) => <Num value={value} as={solFigure} unit=" SOL" />
const share: Show = (value: number) => <Num value={value} as={shareFigure} />
const count: Show = (value: number) => <Num value={value} as={countFigure} />
const text: Show = (value: string) => <span>{value}</span>

/** Names and forms of evidence by the field of the API. */
const EVIDENCE: Readonly<Record<string, { title: string; show: Show }>> = {
  open: { title: 'Price a day ago', show: price },
  close: { title: 'Price at the end', show: price },
  window: { title: 'Over', show: text },
  price: { title: 'Price now', show: price },
  peak: { title: 'Highest price', show: price },
  fallen_pct: { title: 'Fallen by', show: share },
  top10_pct: { title: 'Ten largest hold', show: share },
  holder_count: { title: 'Holders', show: count },
  creator: { title: 'Creator', show: (value: string) => <WalletLink wallet={value} /> },
  balance_atomic: {
    title: 'Tokens of the creator',
    show: (value: number | bigint, decimals) => (
      <Num value={value} as={(units) => tokensFigure(units, decimals)} />
    ),
  },
  held_pct: { title: 'Share of all held', show: share },
  sold_sol: { title: 'Sold for', show: price },
  left_sol: { title: 'Still held, worth', show: price },
  sold_pct: { title: 'Share sold', show: share },
  traded_pools: { title: 'Pools with a trade', show: count },
  liquidity_sol: { title: 'Both sides of the top pool', show: price },
  age_hours: {
    title: 'Since the first swap',
    show: (value: number) => <Num value={value} as={hoursFigure} />,
  },
  holder: { title: 'Authority', show: (value: string) => <WalletLink wallet={value} /> },
  failed_checks: {
    title: 'Failed checks',
    show: (value: string[]) => (
      <span>
        {value.length === 0
          ? 'none'
          : value.map((name) => `not: ${CHECK_NAMES[name] ?? spaced(name)}`).join(', ')}
      </span>
    ),
  },
}

type EvidenceProps = { of: Factor; decimals: number | null }

export function EvidenceList({ of, decimals }: EvidenceProps) {
  const isRevoked = of.points === 0 && 'holder' in of.evidence && of.evidence.holder === null
  if (isRevoked) return <span>revoked</span>
  return (
    <>
      {Object.entries(of.evidence).map(([name, value]) => {
        const { title = spaced(name), show = text } = EVIDENCE[name] ?? {}
        return (
          <span key={name} data-evidence={name}>
            <span class="quiet">{title}</span>{' '}
            {value === null || value === undefined ? <Unknown /> : show(value as never, decimals)}
          </span>
        )
      })}
    </>
  )
}
