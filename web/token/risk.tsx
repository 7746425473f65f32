/** Risk of a token: its score, and each factor with the evidence that it goes by. */

import type { Answers } from '../client/answers.ts'
import { useLoaded } from '../client/loaded.ts'
import { get } from '../client/request.ts'
import { plainText, shortText } from '../format/number.ts'
import { shortened, spaced } from '../format/text.ts'
import { Panel, States } from '../layout/panel.tsx'
import { Num, Unknown } from '../layout/values.tsx'

type Risk = Answers['/tokens/{mint}/risk']

const RENEWED_MS = 30_000
const LEVEL_CLASSES: Readonly<Record<Risk['level'], string>> = {
  low: 'up',
  medium: 'warn',
  high: 'down',
  critical: 'down',
}

export function RiskPanel({ mint }: { mint: string }) {
  const risk = useLoaded(`risk ${mint}`, (signal) => get('/tokens/{mint}/risk', { mint }, signal), {
    everyMs: RENEWED_MS,
  })
  return (
    <Panel title="Risk" note="the sum of its factors; what is unknown counts neither way">
      <States of={risk} rows={8}>
        {(found) => (
          <>
            <p class="score">
              <strong class={LEVEL_CLASSES[found.level]} data-figure="score">
                {found.score}
              </strong>{' '}
              of 100, {found.level}
            </p>
            <Factors of={found.factors} />
          </>
        )}
      </States>
    </Panel>
  )
}

const pointsFigure = (value: number) => ({ text: value.toFixed(1), exact: plainText(value) })

function Factors({ of }: { of: Risk['factors'] }) {
  return (
    <table class="factors">
      <thead>
        <tr>
          <th scope="col">Factor</th>
          <th scope="col" class="num">
            Points
          </th>
          <th scope="col">Evidence</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ name, points, max_points: most, evidence }) => (
          <tr key={name} data-factor={name}>
            <td>{spaced(name)}</td>
            <td class="num" data-figure="points">
              <Num value={points} as={pointsFigure} /> <span class="quiet">of {most}</span>
            </td>
            <td class="evidence">
              {Object.entries(evidence).map(([key, value]) => (
                <span key={key}>
                  <span class="quiet">{spaced(key)}</span> <Evidence of={value} />
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Evidence({ of }: { of: unknown }) {
  if (of === null || of === undefined) return <Unknown />
  if (typeof of === 'number')
    return <Num value={of} as={(value) => ({ text: shortText(value), exact: plainText(value) })} />
  if (Array.isArray(of))
    return <span>{of.length === 0 ? 'none' : of.map(String).map(spaced).join(', ')}</span>
  const text = String(of)
  return <span title={text}>{shortened(text)}</span>
}
