/** The key of this browser: tier, usage of the window, the way out, and first requests with it. */

import { useLoaded } from '../client/loaded.ts'
import type { Answer } from '../client/request.ts'
import { get, signOut } from '../client/request.ts'
import { needsKey } from '../client/session.ts'
import { countFigure } from '../format/number.ts'
import { Layout } from '../layout/layout.tsx'
import { Panel, States } from '../layout/panel.tsx'
import { Num } from '../layout/values.tsx'
import { Snippets } from './snippets.tsx'

type Credits = Answer<'getCredits'>

const RENEWED_MS = 5_000

export function AccountPage() {
  const credits = useLoaded('credits', (signal) => get('getCredits', {}, signal), {
    everyMs: RENEWED_MS,
  })
  const leave = async (): Promise<void> => {
    await signOut()
    needsKey.value = true
  }
  return (
    <Layout title="Account">
      <h1>Account</h1>
      <Panel
        title="Key of this browser"
        note="requests of these pages count like all others of the key"
        aside={
          <button type="button" class="button" onClick={() => void leave()}>
            Sign out
          </button>
        }
      >
        <States of={credits} rows={3}>
          {(found) => <Usage of={found} />}
        </States>
      </Panel>
      <Snippets />
    </Layout>
  )
}

function Usage({ of }: { of: Credits }) {
  const { current_window_used: used, current_window_remaining: left, rps_window_secs: seconds } = of
  return (
    <dl class="tiles">
      <div class="tile">
        <dt>Tier</dt>
        <dd>{of.tier}</dd>
      </div>
      <div class="tile">
        <dt>Requests of {String(seconds)} s</dt>
        {used === null || left === null ? (
          <dd>no cap</dd>
        ) : (
          <dd>
            <Num value={used} as={countFigure} />{' '}
            <span class="quiet">of {countFigure(Number(used) + Number(left)).exact}</span>
            <meter
              min={0}
              max={Number(used) + Number(left)}
              value={Number(used)}
              aria-label="Requests used"
            />
          </dd>
        )}
      </div>
      <div class="tile">
        <dt>Requests of this month</dt>
        <dd>
          <Num value={of.monthly_used} as={countFigure} />
        </dd>
        <dd class="quiet">{of.monthly_used_note}</dd>
      </div>
    </dl>
  )
}
