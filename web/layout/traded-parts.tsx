/** Realized, win rate, volume or trades of a wallet in a span, by token: with the exact sums below. */

import type { Int64 } from '../../domain/amount.ts'
import type { PnlMode } from '../../domain/wallet/pnl-mode.ts'
import type { Answer, Parameters } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { symbols, useSymbols } from '../client/symbols.ts'
import {
  countFigure,
  decimalText,
  lamportsFigure,
  plainText,
  shareFigure,
} from '../format/number.ts'
import { exactSum } from '../format/sums.ts'
import { ColumnHeads } from './column-heads.tsx'
import { States } from './panel.tsx'
import { Differs, MoreParts, partRows, readPages, sumTitle } from './parts.tsx'
import { lotsPath, Num, TokenLink, Unknown } from './values.tsx'

type Traded = Answer<'getWalletTokens'>
type Token = Traded['tokens'][number]
type Sums = Omit<Token, 'mint'>

export type TradedKind = 'realized' | 'win_rate' | 'volume' | 'trades'

const SORTS = {
  realized: 'realized',
  win_rate: 'wins',
  volume: 'volume',
  trades: 'trades',
} as const
const RENEWED_MS = 30_000
const LAMPORT_DIGITS = 9

type TradedProps = {
  wallet: string
  mode: PnlMode
  kind: TradedKind
  /** A trailing window, or the first UTC date. */
  span: { window: NonNullable<Parameters<'getWalletTokens'>['window']> } | { from: string }
  /** The figure whose parts these are; undefined: not read yet. */
  figure: number | undefined
  /** Whether the figure is of now; absent: it is. */
  isOfNow?: boolean
}

export function TradedParts({ wallet, mode, kind, span, figure, isOfNow = true }: TradedProps) {
  const rows = partRows()
  const traded = useFigures(
    'getWalletTokens',
    `traded ${wallet} ${mode} ${kind} ${JSON.stringify(span)} ${rows}`,
    (read) =>
      readPages(
        rows,
        (page) =>
          read('getWalletTokens', {
            ...{ wallet, pnl_mode: mode, sort: SORTS[kind], ...span, ...page },
          }),
        ({ tokens }) => tokens,
      ),
    { everyMs: RENEWED_MS },
  )
  return (
    <States
      of={traded}
      rows={4}
      emptyText={({ page }) =>
        Number(page.total) === 0 ? 'No token was traded in this time.' : undefined
      }
    >
      {({ page, rows: tokens }) => {
        const total = Number(page.total)
        const isSame = figure === undefined || figureOf(kind, page.totals) === figure
        return (
          <>
            <Table {...{ wallet, tokens, total, sums: sumsOf(tokens) }} />
            <MoreParts shown={tokens.length} total={total} />
            <Differs isSame={isSame} areOfSlot={!isOfNow && !traded.isOfNow} />
          </>
        )
      }}
    </States>
  )
}

const NAMES = [
  'realized_lamports',
  'volume_lamports',
  'buy_count',
  'sell_count',
  'covered_sell_count',
  'win_count',
] as const

function sumsOf(tokens: readonly Token[]): Sums {
  const sums = NAMES.map((name) => [name, exactSum(tokens.map((token) => token[name]))])
  return Object.fromEntries(sums) as Sums
}

const solOf = (lamports: Int64): number => Number(decimalText(lamports, LAMPORT_DIGITS))

/** The figure that the parts sum up to, in the form of the API. */
function figureOf(kind: TradedKind, sums: Sums): number {
  if (kind === 'realized') return solOf(sums.realized_lamports)
  if (kind === 'volume') return solOf(sums.volume_lamports)
  if (kind === 'trades') return Number(sums.buy_count) + Number(sums.sell_count)
  return winRateOf(sums) ?? 0
}

/** Wins by covered sells; unknown without any. */
function winRateOf({ win_count: won, covered_sell_count: covered }: Sums): number | undefined {
  return Number(covered) === 0 ? undefined : Number(won) / Number(covered)
}

type TableProps = { wallet: string; tokens: readonly Token[]; total: number; sums: Sums }

function Table({ wallet, tokens, total, sums }: TableProps) {
  useSymbols(tokens.map(({ mint }) => mint))
  return (
    <div class="scroll">
      <table>
        <ColumnHeads
          of={[
            'Token',
            { number: 'Realized, SOL' },
            { number: 'Volume, SOL' },
            { number: 'Buys' },
            { number: 'Sells' },
            { number: 'With a known cost' },
            { number: 'Won' },
            'Swaps',
          ]}
        />
        <tbody>
          {tokens.map((token) => (
            <tr key={token.mint} data-part={token.mint}>
              <td>
                <TokenLink mint={token.mint} symbol={symbols.value.get(token.mint)} />
              </td>
              <Cells of={token} />
              <td>
                <a
                  href={lotsPath(wallet, token.mint)}
                  aria-label={`lots of ${symbols.value.get(token.mint) ?? token.mint}`}
                >
                  lots
                </a>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr data-sum="traded">
            <th scope="row">{sumTitle(tokens.length, total)}</th>
            <Cells of={sums} />
            <td data-figure="win_rate">
              <WinRate of={sums} />
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

function Cells({ of }: { of: Sums }) {
  return (
    <>
      {NAMES.map((name) => (
        <td key={name} class="num" data-figure={name}>
          {name.endsWith('lamports') ? (
            <Num value={of[name]} as={lamportsFigure} isToned={name === 'realized_lamports'} />
          ) : (
            <Num value={of[name]} as={countFigure} />
          )}
        </td>
      ))}
    </>
  )
}

function WinRate({ of }: { of: Sums }) {
  const rate = winRateOf(of)
  if (rate === undefined) return <Unknown />
  return (
    <Num
      value={rate}
      as={(value) => ({
        text: `${shareFigure(value * 100).text} won`,
        exact: `${plainText(value)} of the covered sells`,
      })}
    />
  )
}
