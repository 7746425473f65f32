/**
 * Tokens by their statistics of a trailing window. The query of the page is that of the route of the same path, with the
 * columns besides: a request of a program becomes a page, and a page a request.
 */
import { WINDOW_NAMES } from '../../domain/time/trade-window.ts'
import { choiceOf } from '../client/location.ts'
import { PinnablePage } from '../client/slot/scope.tsx'
import { Choice } from '../layout/choice.tsx'
import { SlotLine } from '../layout/head/slot.tsx'
import { Layout } from '../layout/layout.tsx'
import { FIRST_PAGE } from '../layout/pager.tsx'
import { Filters } from './filters.tsx'
import { Results } from './results.tsx'

const USUAL = '24h'

export function ScreenerPage() {
  const window = choiceOf('window', WINDOW_NAMES, USUAL)
  return (
    <PinnablePage>
      <Layout title="Screener">
        <div class="heading">
          <h1>Screener</h1>
          <Choice
            name="window"
            label="Window"
            values={WINDOW_NAMES}
            chosen={window}
            usual={USUAL}
            also={FIRST_PAGE}
          />
          <span class="quiet">statistics of tokens in the window</span>
        </div>
        <SlotLine />
        <Filters />
        <Results window={window} />
      </Layout>
    </PinnablePage>
  )
}
