/** Totals of the market in the last hour and day, and the state of indexing. */
import { nounOf } from '../../domain/text/plural.ts'
import { MARKET_WINDOWS } from '../../domain/time/trade-window.ts'
import { now } from '../client/clock.ts'
import type { Answer } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { countFigure, exactFigure, solFigure } from '../format/number.ts'
import { durationText } from '../format/time.ts'
import { Panel, States } from '../layout/panel.tsx'
import { Num, Unknown } from '../layout/values.tsx'

type Stats = Answer<'getMarketStats'>['data']

/** The time for which the server caches it. */
const RENEWED_MS = 5_000

const ROWS = [
  ['swaps', 'Swaps', countFigure],
  ['volume_sol', 'Volume, SOL', solFigure],
  ['traders', 'Traders', countFigure],
  ['tokens', 'Tokens', countFigure],
  ['pools', 'Pools', countFigure],
] as const

export function Totals() {
  const stats = useFigures('getMarketStats', 'stats', (read) => read('getMarketStats', {}), {
    everyMs: RENEWED_MS,
  })
  return (
    <Panel title="Totals" class="totals" of={stats}>
      <States of={stats} rows={2}>
        {({ data: stats }) => (
          <>
            <dl class="tiles">
              {ROWS.map(([name, title, as]) => (
                <div key={name} class="tile">
                  <dt>{title}</dt>
                  {MARKET_WINDOWS.map((window) => (
                    <dd key={window} data-figure={`${window} ${name}`}>
                      <Num value={Number(stats.windows[window][name])} as={as} />{' '}
                      <span class="quiet">{window}</span>
                    </dd>
                  ))}
                </div>
              ))}
              <Indexing of={stats} />
            </dl>
          </>
        )}
      </States>
    </Panel>
  )
}

function Indexing({ of }: { of: Stats }) {
  const {
    newest_slot: slot,
    newest_timestamp: newest,
    indexing_lag_ms: lag,
    coverage_gaps: gaps,
  } = of
  return (
    <div class="tile">
      <dt>Indexing</dt>
      <dd title={newest === null ? undefined : `newest swap ${newest}`}>
        {newest === null || lag === null ? (
          <Unknown />
        ) : (
          <>
            <span class="num">{durationText(Math.max(0, now.value - Number(newest)))}</span>{' '}
            <span class="quiet">lag</span>
          </>
        )}
      </dd>
      <dd>
        {slot === null ? <Unknown /> : <Num value={slot} as={exactFigure} />}{' '}
        <span class="quiet">slot</span>
      </dd>
      <dd class="quiet">{coverageText(gaps)}</dd>
    </div>
  )
}

function coverageText(gaps: Stats['coverage_gaps']): string {
  if (gaps === undefined) return 'swaps came as lines'
  return gaps.length === 0
    ? 'no slot missing in 24h'
    : `${gaps.length} ${nounOf(gaps.length, 'gap')} of slots in 24h`
}
