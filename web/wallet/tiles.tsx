/** The sums of a wallet, each with the mode and period that it is of. Each opens the parts that it is made of. */

import type { ComponentChildren } from 'preact'
import { nounOf } from '../../domain/text/plural.ts'
import type { Answer } from '../client/request.ts'
import { type Figures, useFigures, useNowMs } from '../client/slot/figures.ts'
import {
  countFigure,
  type Figure,
  lamportsFigure,
  plainText,
  shareFigure,
  solFigure,
  usdFigure,
} from '../format/number.ts'
import { SlotMark } from '../layout/head/slot.tsx'
import { openParts, PartsButton, PartsPanel } from '../layout/parts.tsx'
import { TradedParts } from '../layout/traded-parts.tsx'
import { Num, Unknown } from '../layout/values.tsx'
import { chosenMode, chosenPeriod, firstDateOf, MODE_TEXTS } from './choices.ts'
import { OpenParts } from './parts/open-positions.tsx'
import { SandwichParts, SandwichTile } from './parts/sandwiches.tsx'

type Risk = Answer<'getWalletRisk'>
type Performance = Answer<'getWalletPerformance'>
type Stats = Answer<'getWalletStats'>

const RENEWED_MS = 60_000

type TilesProps = {
  wallet: string
  risk: Risk
  /** Whether the open positions are those of now. */
  isOfNow: boolean
  performance: Figures<Performance>
}

export function Tiles({ wallet, risk, isOfNow, performance }: TilesProps) {
  const mode = chosenMode()
  const period = chosenPeriod()
  const stats = useFigures(
    'getWalletStats',
    `stats ${wallet} ${period}`,
    (read) => read('getWalletStats', { w: wallet, window: period }),
    { everyMs: RENEWED_MS },
  )
  return (
    <>
      <dl class="tiles">
        <Value of={risk} isOfNow={isOfNow} />
        <Tile
          name="realized"
          title={`Realized, ${period}`}
          of={performance}
          note={() => `SOL, ${mode}`}
        >
          {({ realized_sol: realized }) => <Gain figure="realized_sol" value={realized} />}
        </Tile>
        <Unrealized of={risk} isOfNow={isOfNow} />
        <Cost of={risk} isOfNow={isOfNow} />
        <Tile name="win_rate" title={`Win rate, ${period}`} of={stats} note={winNote}>
          {(found) => (
            <span data-figure="win_rate">
              <Num value={hasCoveredSell(found) ? found.win_rate : null} as={winFigure} />
            </span>
          )}
        </Tile>
        <Tile
          name="volume"
          title={`Volume, ${period}`}
          of={stats}
          note={({ total_trades: trades }) =>
            `SOL, ${countFigure(trades).text} ${nounOf(trades, 'trade')}`
          }
        >
          {({ total_volume_sol: volume }) => (
            <span data-figure="total_volume_sol">
              <Num value={volume} as={solFigure} />
            </span>
          )}
        </Tile>
        <SandwichTile wallet={wallet} />
      </dl>
      <SandwichParts wallet={wallet} />
      <Parts {...{ wallet, risk, isOfNow, performance, stats }} />
    </>
  )
}

type PartsProps = {
  wallet: string
  risk: Risk
  isOfNow: boolean
  performance: Figures<Performance>
  stats: Figures<Stats>
}

const OPEN_TITLES = { value: 'Value', unrealized: 'Unrealized', cost: 'Cost' } as const
const TRADED_TITLES = { realized: 'Realized', win_rate: 'Win rate', volume: 'Volume' } as const

/** Parts of the open figure; nothing while there is none. */
function Parts({ wallet, risk, isOfNow, performance, stats }: PartsProps) {
  const name = openParts()
  const mode = chosenMode()
  const period = chosenPeriod()
  const nowMs = useNowMs()
  if (isNameOf(OPEN_TITLES, name)) {
    return (
      <PartsPanel
        title={OPEN_TITLES[name]}
        note={`quantity times price of each open position, ${MODE_TEXTS[mode]}`}
      >
        <OpenParts {...{ wallet, mode, risk, isOfNow }} kind={name} />
      </PartsPanel>
    )
  }
  if (!isNameOf(TRADED_TITLES, name)) return null
  const figures = {
    realized: performance.value?.realized_sol,
    win_rate: stats.value?.win_rate,
    volume: stats.value?.total_volume_sol,
  }
  const of = name === 'realized' ? performance : stats
  const span = name === 'realized' ? { from: firstDateOf(period, nowMs) } : { window: period }
  return (
    <PartsPanel title={`${TRADED_TITLES[name]}, ${period}`} note={`by token, ${MODE_TEXTS[mode]}`}>
      <TradedParts
        {...{ wallet, mode, kind: name, span, figure: figures[name], isOfNow: of.isOfNow }}
      />
    </PartsPanel>
  )
}

function isNameOf<Titles extends object>(
  titles: Titles,
  name: string | undefined,
): name is keyof Titles & string {
  return name !== undefined && Object.hasOwn(titles, name)
}

type OpenProps = { of: Risk; isOfNow: boolean }

function Value({ of, isOfNow }: OpenProps) {
  const { priced_position_count: priced, open_count: open } = of
  // A sum of no known value is not 0.
  const isKnown = Number(priced) > 0 || Number(open) === 0
  return (
    <div class="tile">
      <dt>
        Value <SlotMark isOfNow={isOfNow} />
      </dt>
      <dd>
        <PartsButton name="value" label="value">
          <span data-figure="total_open_value_sol">
            <Num value={isKnown ? of.total_open_value_sol : null} as={solFigure} />
          </span>
        </PartsButton>{' '}
        <span class="quiet">SOL</span>
      </dd>
      <dd class="quiet" data-figure="total_open_value_usd">
        <Num value={isKnown ? of.total_open_value_usd : null} as={usdFigure} />
      </dd>
      <dd class="quiet">
        {countFigure(priced).text} of {countFigure(open).text} open {nounOf(open, 'position')} with
        a price
      </dd>
    </div>
  )
}

function Unrealized({ of, isOfNow }: OpenProps) {
  const mode = chosenMode()
  const cost = mode === 'strict' ? 'strict' : 'by weighted average cost'
  return (
    <div class="tile">
      <dt>
        Unrealized <SlotMark isOfNow={isOfNow} />
      </dt>
      <dd>
        <PartsButton name="unrealized" label="unrealized">
          <Gain figure="unrealized_sol" value={of.open_unrealized_sol[mode]} />
        </PartsButton>
      </dd>
      <dd class="quiet">
        SOL, {cost}, {countFigure(of.priced_position_count).text} of{' '}
        {countFigure(of.open_count).text} open {nounOf(of.open_count, 'position')}
      </dd>
    </div>
  )
}

function Cost({ of, isOfNow }: OpenProps) {
  const mode = chosenMode()
  return (
    <div class="tile">
      <dt>
        Cost <SlotMark isOfNow={isOfNow} />
      </dt>
      <dd>
        <PartsButton name="cost" label="cost">
          <span data-figure="open_cost_lamports">
            <Num value={of.open_cost_lamports[mode]} as={lamportsFigure} />
          </span>
        </PartsButton>
      </dd>
      <dd class="quiet">
        SOL, {mode === 'strict' ? 'of the lots that are left' : 'by weighted average cost'}
      </dd>
    </div>
  )
}

type TileProps<Found> = {
  /** Names its parts. */
  name: keyof typeof TRADED_TITLES
  title: string
  of: Figures<Found>
  note: (found: Found) => string
  children: (found: Found) => ComponentChildren
}

function Tile<Found>({ name, title, of, note, children }: TileProps<Found>) {
  const { value, problem, isOfNow } = of
  const waiting = problem === undefined ? <span class="quiet">…</span> : <Unknown />
  return (
    <div class="tile">
      <dt>
        {title} <SlotMark isOfNow={isOfNow} />
      </dt>
      <dd>
        {value === undefined ? (
          waiting
        ) : (
          <PartsButton name={name} label={TRADED_TITLES[name].toLowerCase()}>
            {children(value)}
          </PartsButton>
        )}
      </dd>
      <dd class="quiet">{value === undefined ? problem?.message : note(value)}</dd>
    </div>
  )
}

function Gain({ figure, value }: { figure: string; value: number | null }) {
  return (
    <span data-figure={figure}>
      <Num value={value} as={solFigure} isToned />
    </span>
  )
}

/** A win rate without a covered sell is 0 in the API, and means nothing. */
const hasCoveredSell = ({ covered_sell_count: covered }: Stats): boolean => Number(covered) > 0

function winNote(stats: Stats): string {
  return hasCoveredSell(stats)
    ? `${countFigure(stats.win_count).text} of ${countFigure(stats.covered_sell_count).text} ${nounOf(stats.covered_sell_count, 'sell')} with a profit`
    : 'no sell with a known cost'
}

function winFigure(value: number): Figure {
  return { text: shareFigure(value * 100).text, exact: `${plainText(value)} of the covered sells` }
}
