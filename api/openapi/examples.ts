/**
 * Examples of the documents: the recorded ones, or those of an installation. Requests follow
 * from the declarations of the routes and the market, answers are the recorded ones.
 *
 * In answers only addresses, signatures, slots, times and venues become the installation's: figures show a shape, and
 * reading real ones requires a key. A parameter without a value has no example, and a test names it.
 *
 * Decision: docs/decisions/0087-examples-are-recorded.md
 */
import { parseExact } from '../../domain/text/exact-json.ts'
import type { ExampleMarket } from '../examples/market.ts'
import { type RecordedExamples, recordedExamples } from '../examples/recorded.ts'
import { writerOf } from '../routing/json.ts'
import type { ParameterSchema } from '../routing/parameters.ts'
import type { Route } from '../routing/route.ts'
import { PROGRAM_NAME } from '../routing/venue-naming.ts'
import { localizerOf } from './installation/localize.ts'
import { parameterValues } from './parameter-values.ts'

export type Examples = {
  market: ExampleMarket
  /** Example of one parameter, independent of the others. */
  parameter(path: string, name: string, schema: object): unknown
  /** Answer to the example request of the route; undefined: none was recorded. */
  answer(route: Pick<Route, 'operationId' | 'answer'>): unknown
  /** Message of the route's error for what does not exist. */
  missing(route: Pick<Route, 'operationId'>): string | undefined
}

/** `live`: of an installation; what it lacks is that of the recorded market. */
export function examplesOf(
  live: Partial<ExampleMarket> = {},
  recorded: RecordedExamples = recordedExamples(),
): Examples {
  const market = { ...recorded.market, ...live }
  const values = parameterValues(market)
  const localize = localizerOf(recorded.market, market)
  return {
    market,
    parameter: (path, name, schema) =>
      values[`${path} ${name}`] ?? values[name] ?? ofSchema(schema as ParameterSchema),
    answer({ operationId, answer }) {
      const example = recorded.answers[operationId]?.answer
      const beginning = (answer as { examples?: readonly unknown[] }).examples?.[0]
      return example === undefined ? beginning : withNames(answer, localize(example))
    },
    missing: ({ operationId }) => recorded.answers[operationId]?.missing,
  }
}

type Choice = { enum?: readonly unknown[]; examples?: readonly unknown[] }

/** A value other than the default. */
function ofSchema(schema: ParameterSchema): unknown {
  const own = schema as ParameterSchema & Choice
  const rows = own.items as Choice | undefined
  if (own.examples !== undefined) return own.examples[0]
  if (own.type === 'boolean') return own.default !== true
  return (own.enum ?? rows?.enum)?.find((value) => value !== own.default)
}

/** The answer with venues named as its schema has them. */
function withNames(schema: Route['answer'], answer: unknown): unknown {
  if (!JSON.stringify(schema).includes(`"${PROGRAM_NAME}"`)) return answer
  return parseExact(writerOf(schema)(answer))
}
