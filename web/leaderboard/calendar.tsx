/** Realized SOL of the KOLs, day by day, as a heatmap. */

import type { KolCalendar as Calendar } from '../../clients/typescript/generated.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { dateOf, dayMsOf, isUtcDate } from '../../domain/time/utc-day.ts'
import type { PnlMode } from '../../domain/wallet/pnl-mode.ts'
import { Heatmap, type HeatRow } from '../charts/heatmap.tsx'
import { choiceOf, choose, view } from '../client/location.ts'
import { useFigures } from '../client/slot/figures.ts'
import { solFigure } from '../format/number.ts'
import { Choice } from '../layout/choice.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { FigureLink, WalletLink, walletViewPath } from '../layout/values.tsx'
import { Realized } from './ranks.tsx'

/** The periods up to the longest that the API accepts. */
const DAYS = ['7', '30', '90'] as const
const USUAL_DAYS = '30'
const TOP = ['10', '20', '30'] as const
const USUAL_TOP = '10'
const RENEWED_MS = 60_000

export function KolCalendar({ mode }: { mode: PnlMode }) {
  const days = choiceOf('days', DAYS, USUAL_DAYS)
  const top = choiceOf('top_n', TOP, USUAL_TOP)
  const to = view.value.query.get('to') ?? undefined
  const from = firstDay(to, Number(days))
  const calendar = useFigures(
    'getKolCalendar',
    `calendar ${mode} ${from} ${to} ${top}`,
    (read) => read('getKolCalendar', { from, to, pnl_mode: mode, top_n: top }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel
      title="KOLs by day"
      class="calendar"
      of={calendar}
      note={`top ${top} of all time; a day without a trade is 0`}
      aside={
        <div class="choices">
          <label class="until">
            Until{' '}
            <input
              type="date"
              value={to ?? ''}
              onChange={({ currentTarget: { value } }) =>
                choose('to', value === '' ? undefined : value)
              }
            />
          </label>
          <Choice
            name="days"
            label="Days"
            values={DAYS}
            chosen={days}
            usual={USUAL_DAYS}
            textOf={(value) => `${value}d`}
          />
          <Choice
            name="top_n"
            label="KOLs"
            values={TOP}
            chosen={top}
            usual={USUAL_TOP}
            textOf={(value) => `top ${value}`}
          />
        </div>
      }
    >
      <States
        of={calendar}
        rows={8}
        emptyText={({ rows }) =>
          rows.length === 0 ? 'No wallet that an operator named a KOL has traded yet.' : undefined
        }
      >
        {(found) => (
          <Heatmap
            label={`Realized SOL of KOLs, ${found.from} to ${found.to}`}
            titles={['KOL', 'All time']}
            days={found.days}
            rows={found.rows.map((row) => heatRowOf(row, mode))}
            as={solFigure}
          />
        )}
      </States>
    </Panel>
  )
}

/** First of so many days up to a date or today; undefined: the date is none, which the API refuses. */
function firstDay(to: string | undefined, days: number): string | undefined {
  if (to !== undefined && !isUtcDate(to)) return undefined
  return dateOf((to === undefined ? Date.now() : dayMsOf(to)) - (days - 1) * DAY_MS)
}

function heatRowOf(row: Calendar['rows'][number], mode: PnlMode): HeatRow {
  const { wallet, display_name: name, twitter_handle: handle } = row
  return {
    key: wallet,
    name,
    heading: (
      <>
        <WalletLink wallet={wallet} name={name} />
        {handle !== '' && <span class="quiet handle">@{handle}</span>}
      </>
    ),
    total: (
      <td class="num" data-figure="all_time_realized_sol">
        <FigureLink
          href={walletViewPath(wallet, { pnl_mode: mode, period: 'all', parts: 'realized' })}
          label={`realized of ${name}`}
        >
          <Realized value={row.all_time_realized_sol} />
        </FigureLink>
      </td>
    ),
    values: row.cells.map(({ realized_sol: realized }) => realized),
    // The trades of the day.
    hrefOf: (day) => walletViewPath(wallet, { pnl_mode: mode, day }),
  }
}
