/** Losses to sandwiches in trades of a token within a day, as a tile. */
import { nounOf } from '../../domain/text/plural.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { useFigures } from '../client/slot/figures.ts'
import { countFigure, lamportsFigure } from '../format/number.ts'
import { SlotMark } from '../layout/head/slot.tsx'
import { Num, Unknown } from '../layout/values.tsx'

const RENEWED_MS = 60_000

export function SandwichTile({ mint }: { mint: string }) {
  const { value, problem, isOfNow } = useFigures(
    'getMevSummary',
    `mev ${mint}`,
    (read, nowMs) =>
      read('getMevSummary', { by: 'token', token_address: mint, from: nowMs - DAY_MS }),
    { everyMs: RENEWED_MS },
  )
  const waiting = problem === undefined ? <span class="quiet">…</span> : <Unknown />
  const lost = value?.total.loss_lamports
  return (
    <div class="tile">
      <dt>
        Lost to sandwiches, 24h <SlotMark isOfNow={isOfNow} />
      </dt>
      <dd data-mev="day">
        {lost === undefined ? waiting : <Num value={lost.low} as={lamportsFigure} unit=" SOL" />}
      </dd>
      <dd class="quiet" title="By order of trades; intent is not proven">
        {value === undefined
          ? problem?.message
          : `${lost?.low === lost?.high ? '' : 'at least, '}${countFigure(value.total.victims).text} ${nounOf(value.total.victims, 'trade')}`}
      </dd>
    </div>
  )
}
