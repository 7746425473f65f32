/** Parts of a transaction in sandwiches: its role with the lamports, and links to the other legs. */
import type { Answer } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { lamportsFigure } from '../format/number.ts'
import { Panel } from '../layout/panel.tsx'
import { Address, Num, transactionPath, Unknown } from '../layout/values.tsx'
import { Fact } from './fact.tsx'

type Part = Answer<'getTransactionMev'>['swaps'][number]

const TITLES = {
  front: 'Front leg of a sandwich',
  victim: 'Victim of a sandwich',
  back: 'Back leg of a sandwich',
  backrun: 'Back-run',
} as const
const ROLES = { front: 'Front leg', victim: 'Victim', back: 'Back leg' } as const
const NOTE = 'by order of trades; intent is not proven'

const keyOf = ({ pair_address: pair, ix_index: index, role, sandwich }: Part): string =>
  `${pair} ${index} ${role} ${sandwich?.legs[0]?.signature}`

/** Nothing for a transaction without a part in one. */
export function Sandwiches({ signature }: { signature: string }) {
  const { value, isOfNow } = useFigures('getTransactionMev', `mev ${signature}`, (read) =>
    read('getTransactionMev', { signature }),
  )
  const parts = value?.swaps.filter(({ role }) => role !== null) ?? []
  return (
    <>
      {parts.map((part) => (
        <PartPanel
          key={keyOf(part)}
          part={part}
          isOfNow={isOfNow}
          isPending={value?.status === 'pending'}
        />
      ))}
    </>
  )
}

type PartPanelProps = { part: Part; isOfNow: boolean; isPending: boolean }

function PartPanel({ part, isOfNow, isPending }: PartPanelProps) {
  const { role, loss, backrun, sandwich } = part
  if (role === null) return null
  return (
    <Panel
      title={TITLES[role]}
      note={isPending ? `${NOTE}, may still change` : NOTE}
      of={{ isOfNow }}
      class="swap"
    >
      <dl class="facts" data-role={role}>
        {loss !== null && (
          <Fact name="Lost, SOL" figure="loss">
            <Num value={loss.low} as={lamportsFigure} />
            {loss.basis === 'bounded' && (
              <>
                {' to '}
                {loss.high === null ? <Unknown /> : <Num value={loss.high} as={lamportsFigure} />}
              </>
            )}
          </Fact>
        )}
        {backrun !== null && (
          <>
            <Fact name="Profit, SOL" figure="profit_lamports">
              <Num value={backrun.profit_lamports} as={lamportsFigure} />
            </Fact>
            <Fact name="Directly after">
              <Address
                of={backrun.after}
                kind="signature"
                href={transactionPath(backrun.after)}
                hasCopy={false}
              />
            </Fact>
          </>
        )}
        {sandwich !== null && <Legs of={sandwich} />}
      </dl>
    </Panel>
  )
}

function Legs({ of }: { of: NonNullable<Part['sandwich']> }) {
  return (
    <>
      <Fact name="Profit of the attacker, SOL" figure="profit_lamports">
        <Num value={of.profit_lamports} as={lamportsFigure} isToned />
      </Fact>
      <Fact name="Width">{of.width}</Fact>
      {of.legs.map((leg) => (
        <Fact key={`${leg.signature} ${leg.ix_index} ${leg.role}`} name={ROLES[leg.role]}>
          <Address
            of={leg.signature}
            kind="signature"
            href={transactionPath(leg.signature)}
            hasCopy={false}
          />{' '}
          <span class="quiet">
            {leg.is_buy ? 'buys' : 'sells'} for <Num value={leg.sol_amount} as={lamportsFigure} />{' '}
            SOL
          </span>
        </Fact>
      ))}
    </>
  )
}
