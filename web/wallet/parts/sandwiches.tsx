/** Losses of a wallet to sandwiches in all, as a tile, and by day as its parts. */
import { nounOf } from '../../../domain/text/plural.ts'
import type { Answer } from '../../client/request.ts'
import { useFigures } from '../../client/slot/figures.ts'
import { countFigure, lamportsFigure } from '../../format/number.ts'
import { SlotMark } from '../../layout/head/slot.tsx'
import { States } from '../../layout/panel.tsx'
import { openParts, PartsButton, PartsPanel } from '../../layout/parts.tsx'
import { Num, Unknown } from '../../layout/values.tsx'

type Mev = Answer<'getWalletMev'>

const NAME = 'sandwiches'
const RENEWED_MS = 60_000
const RULE = 'by order of trades; intent is not proven'

const useMev = (wallet: string) =>
  useFigures('getWalletMev', `mev ${wallet}`, (read) => read('getWalletMev', { wallet }), {
    everyMs: RENEWED_MS,
  })

export function SandwichTile({ wallet }: { wallet: string }) {
  const { value, problem, isOfNow } = useMev(wallet)
  const waiting = problem === undefined ? <span class="quiet">…</span> : <Unknown />
  return (
    <div class="tile">
      <dt>
        Lost to sandwiches, all <SlotMark isOfNow={isOfNow} />
      </dt>
      <dd>
        {value === undefined ? (
          waiting
        ) : (
          <PartsButton name={NAME} label="lost to sandwiches">
            <span data-mev="suffered">
              <Num value={value.suffered.loss_lamports.low} as={lamportsFigure} />
            </span>
          </PartsButton>
        )}
      </dd>
      <dd class="quiet">{value === undefined ? problem?.message : noteOf(value.suffered)}</dd>
    </div>
  )
}

const noteOf = ({ victims, loss_lamports: { low, high } }: Mev['suffered']): string =>
  `SOL${low === high ? '' : ' at least'}, in ${countFigure(victims).text} ${nounOf(victims, 'trade')}`

/** Nothing while other parts, or none, are open. */
export function SandwichParts({ wallet }: { wallet: string }) {
  return openParts() === NAME ? <Days wallet={wallet} /> : null
}

function Days({ wallet }: { wallet: string }) {
  const mev = useMev(wallet)
  return (
    <PartsPanel title="Lost to sandwiches, all" note={`by day, UTC, ${RULE}`}>
      <States
        of={mev}
        rows={4}
        emptyText={({ suffered }) =>
          Number(suffered.victims) === 0 ? 'No trade of this wallet was sandwiched.' : undefined
        }
      >
        {({ days, suffered }) => (
          <>
            <table>
              <thead>
                <tr>
                  <th scope="col">Day</th>
                  <th scope="col" class="num">
                    Trades
                  </th>
                  <th scope="col" class="num">
                    Lost, SOL
                  </th>
                </tr>
              </thead>
              <tbody>
                {days
                  .filter((each) => Number(each.suffered.victims) > 0)
                  .map(({ day, suffered: lost }) => (
                    <tr key={day}>
                      <td>{day}</td>
                      <td class="num">
                        <Num value={lost.victims} as={countFigure} />
                      </td>
                      <td class="num" data-figure="loss_lamports">
                        <Num value={lost.loss_lamports.low} as={lamportsFigure} />
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
            <p data-sum={NAME}>
              <strong>Sum</strong>{' '}
              <span data-figure="loss_lamports">
                <Num value={suffered.loss_lamports.low} as={lamportsFigure} unit=" SOL" />
              </span>
            </p>
          </>
        )}
      </States>
    </PartsPanel>
  )
}
