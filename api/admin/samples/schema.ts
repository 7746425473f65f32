/** Answer of /admin/v1/samples. */
import Type, { type Static } from 'typebox'
import { nullable } from '../../routing/schema.ts'
import { SERIES, type SeriesName } from './sample.ts'

const seriesOf = (description: string) =>
  Type.Array(nullable(Type.Number({ minimum: 0 })), { description })

export const sampleList = Type.Object({
  success: Type.Literal(true),
  data: Type.Object(
    {
      every_ms: Type.Integer({ description: 'Milliseconds between two samples' }),
      at: Type.Array(Type.String({ format: 'date-time' }), {
        description: 'Times of the samples, oldest first, none left out: at most 360',
      }),
      series: Type.Object(
        Object.fromEntries(
          Object.entries(SERIES).map(([name, text]) => [name, seriesOf(text)]),
        ) as Record<SeriesName, ReturnType<typeof seriesOf>>,
        { title: 'SampleSeries', description: 'A value for each of `at`; null: unknown, never 0' },
      ),
    },
    { title: 'Samples' },
  ),
})
export type SampleList = Static<typeof sampleList>
