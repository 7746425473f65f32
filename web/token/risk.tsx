/** Risk of a token: its score, and each factor with the evidence that it goes by. */

import type { Answer } from '../client/request.ts'
import { useFigures } from '../client/slot/figures.ts'
import { plainText } from '../format/number.ts'
import { ColumnHeads } from '../layout/column-heads.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Num } from '../layout/values.tsx'
import { EvidenceList, FACTOR_NAMES } from './parts/evidence.tsx'

type Risk = Answer<'getTokenRisk'>

const RENEWED_MS = 30_000
const LEVEL_CLASSES: Readonly<Record<Risk['level'], string>> = {
  low: 'up',
  medium: 'warn',
  high: 'down',
  critical: 'down',
}

type RiskPanelProps = { mint: string; decimals: number | null }

export function RiskPanel({ mint, decimals }: RiskPanelProps) {
  const risk = useFigures(
    'getTokenRisk',
    `risk ${mint}`,
    (read) => read('getTokenRisk', { mint }),
    { everyMs: RENEWED_MS },
  )
  return (
    <Panel title="Risk" of={risk} note="the sum of its factors; unknown ones count neither way">
      <States of={risk} rows={8}>
        {(found) => (
          <>
            <p class="score">
              <strong class={LEVEL_CLASSES[found.level]} data-figure="score">
                {found.score}
              </strong>{' '}
              of 100, {found.level}
            </p>
            <Factors of={found.factors} decimals={decimals} />
          </>
        )}
      </States>
    </Panel>
  )
}

/** In the order in which the API adds them. */
const pointsOf = (factors: Risk['factors']): number =>
  factors.reduce((sum, { points }) => sum + (points ?? 0), 0)

const pointsFigure = (value: number) => ({ text: value.toFixed(1), exact: plainText(value) })

type FactorsProps = { of: Risk['factors']; decimals: number | null }

function Factors({ of, decimals }: FactorsProps) {
  return (
    <table class="factors">
      <ColumnHeads of={['Factor', { number: 'Points' }, 'Evidence']} />
      <tbody>
        {of.map((factor) => (
          <tr key={factor.name} data-factor={factor.name}>
            <td>{FACTOR_NAMES[factor.name]}</td>
            <td class="num" data-figure="points">
              <Num value={factor.points} as={pointsFigure} />{' '}
              <span class="quiet">of {factor.max_points}</span>
            </td>
            <td class="evidence">
              <EvidenceList of={factor} decimals={decimals} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr data-sum="risk">
          <th scope="row">Sum</th>
          <td class="num">
            <Num value={pointsOf(of)} as={pointsFigure} /> <span class="quiet">of 100</span>
          </td>
          <td class="quiet">the score is this sum, rounded, and 100 at most</td>
        </tr>
      </tfoot>
    </table>
  )
}
