/** The candle chart; its library is fetched alongside the first answers, so that figures do not wait for it. */
import { deferred } from '../layout/deferred.tsx'

export const CandleChart = deferred(
  async () => (await import('./candle-chart.tsx')).CandleChart,
  (text) => (
    <div class="candles quiet" role="status">
      {text}
    </div>
  ),
)
