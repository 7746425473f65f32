/** A query of the daily files of swaps, and its answer. */
import Type, { type Static } from 'typebox'
import { count, nullable } from '../../routing/schema.ts'

/** Characters of a query. */
export const SQL_LENGTH_MAX = 65_536
const ROWS_MAX = 10_000
const ROWS = 1_000

export const noParameters = Type.Object({})

export const sqlBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: SQL_LENGTH_MAX,
      description: 'One SELECT in the SQL of DuckDB over the table swaps',
    }),
    limit: Type.Integer({
      minimum: 1,
      maximum: ROWS_MAX,
      default: ROWS,
      description: 'Rows of the answer at most',
    }),
  },
  { title: 'SqlQuery' },
)

export const sqlAnswer = Type.Object(
  {
    columns: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          type: Type.String({ description: "DuckDB's name of the type" }),
        },
        { title: 'SqlColumn' },
      ),
      { description: 'Columns in the order of each row' },
    ),
    rows: Type.Array(Type.Unknown(), {
      description:
        'A list of values each: integers of any width digit for digit, decimals that a double cannot hold and times as texts',
    }),
    truncated: nullable(
      Type.Enum(['rows', 'bytes'], {
        description: 'The bound that cut the answer; null: it is whole',
      }),
    ),
    first_day: Type.String({ description: 'First day of the files, UTC' }),
    last_day: Type.String({ description: 'Last day of the files, UTC' }),
    day_count: count({ description: 'Days that have a file' }),
    days_with_gaps: count({ description: 'Days of which slots were not read' }),
  },
  { title: 'SqlAnswer' },
)
export type SqlAnswer = Static<typeof sqlAnswer>
