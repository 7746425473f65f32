/** Figures, curve and trades of a copy of the wallet. */

import { useMemo } from 'preact/hooks'
import type {
  CopyBacktest,
  CopyRange,
  CopyRun,
  CopyTrade,
} from '../../../clients/typescript/generated.ts'
import { LAMPORTS_PER_SOL } from '../../../domain/amount.ts'
import { counted } from '../../../domain/text/plural.ts'
import { shortText } from '../../../domain/text/short-text.ts'
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import { Plot } from '../../charts/deferred-plot.tsx'
import { symbols, useSymbols } from '../../client/symbols.ts'
import { countFigure, lamportsFigure, shareFigure } from '../../format/number.ts'
import { spaced } from '../../format/text.ts'
import { ColumnHeads } from '../../layout/column-heads.tsx'
import { Address, Num, Side, TokenLink, transactionPath, Unknown } from '../../layout/values.tsx'

type ResultsProps = { of: CopyBacktest; delays: readonly number[] }

export function Results({ of, delays }: ResultsProps) {
  const [run] = of.runs
  if (run === undefined) return null
  const trades = of.trades.filter((trade) => trade.run === 0)
  return (
    <>
      <Figures of={run} />
      <Curve runs={of.runs} delays={delays} />
      <Statuses of={run} />
      <Trades of={trades} />
      <p class="quiet legend">
        The first {counted(trades.length, 'order')} of {countFigure(run.orders).text}. Each is
        copied in the state of its pool that stored swaps show after the delay. Network and priority
        fees are paid, also by those that fail; what is held at the end is valued as if it were
        sold.{assumedText(run, of.assumptions)} Rule: /docs/semantics.md, Copying wallets. Result{' '}
        <span class="mono" title={of.result_hash}>
          {of.result_hash.slice(0, 12)}
        </span>
        , up to slot {String(of.as_of.slot)}.
      </p>
    </>
  )
}

/** Empty where the venues, or their swaps, state all fees. */
function assumedText(
  { priced }: CopyRun,
  { [ASSUMED_FEES]: bps }: CopyBacktest['assumptions'],
): string {
  const { fee_assumed: count } = priced
  if (Number(count) === 0) return ''
  return ` ${counted(count, 'fill')} on PumpSwap by ${bps} bps outside the legs, which no source stated.`
}

/** One figure where both bounds are equal. */
function Range({ of: { low, high }, isToned = false }: { of: CopyRange; isToned?: boolean }) {
  const least = <Num value={low} as={lamportsFigure} {...{ isToned }} />
  if (low === high) return least
  return (
    <>
      {least} to <Num value={high} as={lamportsFigure} {...{ isToned }} />
    </>
  )
}

function Figures({ of }: { of: CopyRun }) {
  const { priced, pnl_lamports, capital_needed_lamports, leader, settings } = of
  const share = priced.exact_share
  return (
    <dl class="copy-figures">
      <div>
        <dt>PnL of the copy, SOL</dt>
        <dd data-figure="copy_pnl">
          <Range of={pnl_lamports} isToned />
        </dd>
      </div>
      <div>
        <dt>Wallet itself, SOL realized</dt>
        <dd>
          <Num value={leader.realized_strict_lamports} as={lamportsFigure} isToned />
        </dd>
      </div>
      <div>
        <dt>Capital needed, SOL</dt>
        <dd>
          <Num value={capital_needed_lamports} as={lamportsFigure} />
        </dd>
      </div>
      <div>
        <dt>Priced exactly</dt>
        <dd data-figure="copy_exact">
          {share === null ? <Unknown /> : <Num value={share * 100} as={shareFigure} />}
        </dd>
      </div>
      <div>
        <dt>Delay</dt>
        <dd>{counted(settings.delay_slots, 'slot')}</dd>
      </div>
    </dl>
  )
}

/** `unpriced:no_depth` -> `unpriced: no depth` */
const statusText = (status: string): string => spaced(status).replace(':', ': ')

const solOf = (lamports: number | bigint): number => Number(lamports) / Number(LAMPORTS_PER_SOL)

/** PnL by delay: the band between the two bounds, which are one line where every fill is exact. */
function Curve({ runs, delays }: { runs: readonly CopyRun[]; delays: readonly number[] }) {
  const plotted = useMemo(() => {
    const points = runs
      .map(({ pnl_lamports: { low, high } }, at) => ({
        ...{ delay: delays[at] ?? 0, low: solOf(low), high: solOf(high) },
      }))
      .sort((a, b) => a.delay - b.delay)
    const line = (label: string, color: `--${string}`, values: number[]) => ({
      ...{ label, color, values },
    })
    return {
      x: points.map(({ delay }) => delay),
      series: [
        line(
          'At most, SOL',
          '--accent',
          points.map(({ high }) => high),
        ),
        line(
          'At least, SOL',
          '--brand',
          points.map(({ low }) => low),
        ),
      ],
    }
  }, [runs, delays])
  return (
    <Plot
      {...plotted}
      isBand
      xLabel="Delay, slots"
      xText={(delay) => (Number.isInteger(delay) ? String(delay) : '')}
      yText={shortText}
      label={`PnL of the copy in SOL by ${plotted.x.length} delays in slots`}
    />
  )
}

function Statuses({ of: { status } }: { of: CopyRun }) {
  const counts = Object.entries(status).sort(([, a], [, b]) => Number(b) - Number(a))
  return (
    <p class="quiet">
      {counts.map(([name, count]) => `${countFigure(count).text} ${statusText(name)}`).join(' · ')}
    </p>
  )
}

const HEADS = [
  ...['Side', 'Token', 'Status'],
  ...[{ number: 'SOL' }, { number: 'Realized, SOL' }],
  ...['Copied swap', 'State it met'],
]

function Trades({ of }: { of: readonly CopyTrade[] }) {
  useSymbols(of.map(({ mint }) => mint))
  return (
    <div class="scroll">
      <table>
        <ColumnHeads of={HEADS} />
        <tbody>
          {of.map((trade) => (
            <Trade key={`${trade.copies} ${trade.mint} ${trade.is_buy}`} of={trade} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Without links it has no meaning: the swap that was copied, and the swap whose state the copy met. */
function Trade({ of }: { of: CopyTrade }) {
  const { mint, state, copies, realized_lamports: realized } = of
  return (
    <tr data-copy={copies}>
      <td>
        <Side isBuy={of.is_buy} />
      </td>
      <td>
        <TokenLink mint={mint} symbol={symbols.value.get(mint)} />
      </td>
      <td>{statusText(of.status)}</td>
      <td class="num">
        <Range of={of.sol_lamports} />
      </td>
      <td class="num">{realized === null ? '' : <Range of={realized} isToned />}</td>
      <td>
        <Address of={copies} kind="signature" href={transactionPath(copies)} hasCopy={false} />
      </td>
      <td>
        {state !== null && (
          <Address
            of={state.signature}
            kind="signature"
            href={transactionPath(state.signature)}
            hasCopy={false}
          />
        )}
      </td>
    </tr>
  )
}
