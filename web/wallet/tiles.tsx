/** The sums of a wallet: value, realized, unrealized, win rate and volume, each with the mode and period that it is of. */
import type { ComponentChildren } from 'preact'
import type { Answers } from '../client/answers.ts'
import { type Loaded, useLoaded } from '../client/loaded.ts'
import { get } from '../client/request.ts'
import {
  countFigure,
  type Figure,
  plainText,
  shareFigure,
  solFigure,
  usdFigure,
} from '../format/number.ts'
import { Num, Unknown } from '../layout/values.tsx'
import { chosenMode, chosenPeriod } from './choices.ts'

type Risk = Answers['/v2/pnl/wallets/{wallet}/risk']
type Performance = Answers['/v2/pnl/wallets/{wallet}/performance']
type Positions = Answers['/v2/pnl/wallets/{wallet}/positions']
type Stats = Answers['/wallets/{w}/stats']

/** As many as one request returns. */
const POSITIONS_MAX = 200
const RENEWED_MS = { positions: 30_000, stats: 60_000 }

type TilesProps = { wallet: string; risk: Risk; performance: Loaded<Performance> }

export function Tiles({ wallet, risk, performance }: TilesProps) {
  const mode = chosenMode()
  const period = chosenPeriod()
  const positions = useLoaded(
    `open ${wallet} ${mode}`,
    (signal) =>
      get(
        '/v2/pnl/wallets/{wallet}/positions',
        { wallet, pnl_mode: mode, limit: POSITIONS_MAX },
        signal,
      ),
    { everyMs: RENEWED_MS.positions },
  )
  const stats = useLoaded(
    `stats ${wallet} ${period}`,
    (signal) => get('/wallets/{w}/stats', { w: wallet, window: period }, signal),
    { everyMs: RENEWED_MS.stats },
  )
  return (
    <dl class="tiles">
      <Value of={risk} />
      <Tile title={`Realized, ${period}`} of={performance} note={() => `SOL, ${mode}`}>
        {({ realized_sol: realized }) => <Gain figure="realized_sol" value={realized} />}
      </Tile>
      <Tile title="Unrealized, now" of={positions} note={unrealizedNote}>
        {(found) => <Gain figure="unrealized_sol" value={unrealizedOf(found)} />}
      </Tile>
      <Tile title={`Win rate, ${period}`} of={stats} note={winNote}>
        {(found) => (
          <span data-figure="win_rate">
            <Num value={hasCoveredSell(found) ? found.win_rate : null} as={winFigure} />
          </span>
        )}
      </Tile>
      <Tile
        title={`Volume, ${period}`}
        of={stats}
        note={({ total_trades: trades }) => `SOL, ${countFigure(trades).text} trades`}
      >
        {({ total_volume_sol: volume }) => (
          <span data-figure="total_volume_sol">
            <Num value={volume} as={solFigure} />
          </span>
        )}
      </Tile>
    </dl>
  )
}

function Value({ of }: { of: Risk }) {
  const { priced_position_count: priced, open_count: open } = of
  // A sum of no known value is not 0.
  const isKnown = Number(priced) > 0 || Number(open) === 0
  return (
    <div class="tile">
      <dt>Value, now</dt>
      <dd data-figure="total_open_value_sol">
        <Num value={isKnown ? of.total_open_value_sol : null} as={solFigure} />{' '}
        <span class="quiet">SOL</span>
      </dd>
      <dd class="quiet" data-figure="total_open_value_usd">
        <Num value={isKnown ? of.total_open_value_usd : null} as={usdFigure} />
      </dd>
      <dd class="quiet">
        {countFigure(priced).text} of {countFigure(open).text} open positions have a price
      </dd>
    </div>
  )
}

type TileProps<Found> = {
  title: string
  of: Loaded<Found>
  note: (found: Found) => string
  children: (found: Found) => ComponentChildren
}

function Tile<Found>({ title, of: { value, problem }, note, children }: TileProps<Found>) {
  const waiting = problem === undefined ? <span class="quiet">…</span> : <Unknown />
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd>{value === undefined ? waiting : children(value)}</dd>
      <dd class="quiet">{value === undefined ? problem?.message : note(value)}</dd>
    </div>
  )
}

function Gain({ figure, value }: { figure: string; value: number | null }) {
  return (
    <span data-figure={figure}>
      <Num value={value} as={solFigure} class={toneOf(value)} />
    </span>
  )
}

/** The colour of a gain or a loss. */
export function toneOf(value: number | bigint | null): string {
  return !value ? '' : value > 0 ? 'up' : 'down'
}

/** Sum over the positions with a price; null where there are positions and none has one. */
function unrealizedOf({ positions }: Positions): number | null {
  const known = positions.flatMap(({ unrealized_sol: value }) => value ?? [])
  if (known.length === 0 && positions.length > 0) return null
  return known.reduce((sum, value) => sum + value, 0)
}

function unrealizedNote({ positions, total, pnl_mode: mode }: Positions): string {
  const priced = positions.filter(({ unrealized_sol: value }) => value !== null).length
  const cost = mode === 'strict' ? 'strict' : 'by weighted average cost'
  const all = `SOL, ${cost}, ${priced} of ${countFigure(total).text} open positions`
  return Number(total) > positions.length ? `${all}, the ${positions.length} of most value` : all
}

/** A win rate without a covered sell is 0 in the API, and means nothing. */
const hasCoveredSell = ({ best_trade_mint: mint }: Stats): boolean => mint !== null

function winNote(stats: Stats): string {
  return hasCoveredSell(stats)
    ? `${countFigure(stats.win_count).text} sells with a profit`
    : 'no sell with a known cost'
}

function winFigure(value: number): Figure {
  return { text: shareFigure(value * 100).text, exact: `${plainText(value)} of the covered sells` }
}
