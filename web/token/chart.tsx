/** Candles of a token with the choices of timeframe, unit and marks, all in the address. */

import { useMemo } from 'preact/hooks'
import { counted } from '../../domain/text/plural.ts'
import { shortened } from '../../domain/text/short-text.ts'
import { TIMEFRAMES } from '../../domain/time/timeframe.ts'
import { CandleChart } from '../charts/deferred-candle-chart.tsx'
import { choiceOf, choose, open, view } from '../client/location.ts'
import type { Answer } from '../client/request.ts'
import { useIsPinned } from '../client/slot/figures.ts'
import { Choice } from '../layout/choice.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Address, transactionPath, walletPath } from '../layout/values.tsx'
import { type Candles, useCandles } from './candles.ts'
import { useMarks, WHALE_MIN_SOL } from './marks.ts'

type Stats = Answer<'getTokenStats'>['data']

const UNITS = ['SOL', 'USD'] as const
const MEASURES = ['price', 'cap'] as const
const MARKS = ['on', 'off'] as const
const USUAL = { timeframe: '1m', unit: 'USD', measure: 'price', marks: 'on' } as const

type ChartProps = {
  mint: string
  name: string
  stats: Stats | undefined
  creator: string | undefined
}

export function ChartPanel({ mint, name, stats, creator }: ChartProps) {
  const timeframe = choiceOf('timeframe', TIMEFRAMES, USUAL.timeframe)
  const unit = choiceOf('unit', UNITS, USUAL.unit)
  const measure = choiceOf('show', MEASURES, USUAL.measure)
  const hasMarks = choiceOf('marks', MARKS, USUAL.marks) === 'on'
  const { query } = view.value
  const wallet = query.get('wallet') ?? undefined
  const candles = useCandles(mint, query.get('pool') ?? undefined, timeframe)
  const marks = useMarks({
    mint,
    pool: candles.value?.pool,
    creator: hasMarks ? creator : undefined,
    wallet,
    hasWhales: hasMarks,
    timeframe,
  })
  // Figures of the first answer: a chart must not be drawn again for each change of the rate.
  const scales = useMemo(() => scalesOf(stats), [mint, stats === undefined])
  const factor = factorOf(scales, unit, measure)
  const title = measure === 'price' ? 'Price' : 'Market cap'
  return (
    <Panel
      title={`${title}, ${unit}`}
      class="chart"
      of={candles}
      note={<Note unit={unit} candles={candles.value} />}
      aside={<Choices {...{ timeframe, unit, measure, hasMarks }} />}
    >
      {wallet !== undefined && <MarkedWallet wallet={wallet} />}
      <States
        of={candles}
        rows={12}
        emptyText={({ bars }) => {
          if (bars.length === 0) return 'No trade has set a price yet.'
          return factor === undefined ? unknownText(scales, unit) : undefined
        }}
      >
        {({ bars }) => (
          <CandleChart
            bars={bars}
            factor={factor ?? 1}
            marks={marks}
            label={`${title} of ${name} in ${unit}, ${counted(bars.length, 'candle')} of ${timeframe}`}
            onMark={(signature) => open(transactionPath(signature))}
          />
        )}
      </States>
      {hasMarks && (
        <p class="quiet legend">
          W: swaps of {WHALE_MIN_SOL} SOL or more. C: swaps of the creator. A click on a mark opens
          its transaction.
        </p>
      )}
    </Panel>
  )
}

type NoteProps = { unit: (typeof UNITS)[number]; candles: Candles | undefined }

function Note({ unit, candles }: NoteProps) {
  const isPinned = useIsPinned()
  const rate = unit === 'USD' ? `by the rate of ${isPinned ? 'then' : 'now'}` : ''
  if (!candles?.isOther || candles.pool === undefined) return rate
  return (
    <>
      {rate && `${rate}; `}of <Address of={candles.pool} kind="pool" />, the busiest pool: the top
      pool of the last day has few candles
    </>
  )
}

type ChoicesProps = {
  timeframe: (typeof TIMEFRAMES)[number]
  unit: (typeof UNITS)[number]
  measure: (typeof MEASURES)[number]
  hasMarks: boolean
}

function Choices({ timeframe, unit, measure, hasMarks }: ChoicesProps) {
  return (
    <div class="choices">
      <Choice
        name="timeframe"
        label="Timeframe"
        values={TIMEFRAMES}
        chosen={timeframe}
        usual={USUAL.timeframe}
      />
      <Choice name="unit" label="Unit" values={UNITS} chosen={unit} usual={USUAL.unit} />
      <Choice
        name="show"
        label="Show"
        values={MEASURES}
        chosen={measure}
        usual={USUAL.measure}
        textOf={(value) => (value === 'cap' ? 'market cap' : value)}
      />
      <Choice
        name="marks"
        label="Marks"
        values={MARKS}
        chosen={hasMarks ? 'on' : 'off'}
        usual={USUAL.marks}
        textOf={(value) => `marks ${value}`}
      />
    </div>
  )
}

function MarkedWallet({ wallet }: { wallet: string }) {
  return (
    <p class="quiet">
      • marks swaps of{' '}
      <a href={walletPath(wallet)} title={wallet}>
        {shortened(wallet)}
      </a>{' '}
      <button type="button" class="button" onClick={() => choose('wallet', undefined)}>
        Remove
      </button>
    </p>
  )
}

type Scales = Record<(typeof UNITS)[number] | (typeof MEASURES)[number], number | undefined>

/** Factors from SOL a token; undefined: not known. */
function scalesOf(stats: Stats | undefined): Scales {
  const { price_sol: price = null, price_usd: usd = null, market_cap_sol: cap = null } = stats ?? {}
  const ratio = (value: number | null) => (value === null || !price ? undefined : value / price)
  return { SOL: 1, price: 1, USD: ratio(usd), cap: ratio(cap) }
}

/** Undefined where a figure that it needs is not known. */
function factorOf(scales: Scales, unit: ChoicesProps['unit'], measure: ChoicesProps['measure']) {
  const { [unit]: rate, [measure]: share } = scales
  return rate === undefined || share === undefined ? undefined : rate * share
}

function unknownText(scales: Scales, unit: ChoicesProps['unit']): string {
  return unit === 'USD' && scales.USD === undefined
    ? 'The rate of SOL in USD is unknown.'
    : 'The supply is unknown, and with it the market cap.'
}
