/** Connections through which statements of now read other rows than those of the tables. */
import type { QueryConfig } from 'pg'
import type { Queryable } from './driver/queryable.ts'
import { type Query, type QueryOptions, queryOf } from './query.ts'
import type { ShadowedForm } from './statements/shadowed.ts'

type ParametersOf<Source> = (source: Source) => Promise<readonly unknown[]> | readonly unknown[]
type Known<Source> = {
  readonly run: Query<Record<string, unknown>>
  readonly sources: readonly Source[]
}

/** `formOf`: the form of a statement, which is made once. It is planned for each call unless `options` are given. */
export function viewer<Source>(
  formOf: (statement: string) => ShadowedForm<Source>,
  options: QueryOptions = { isPlannedAnew: true },
): (db: Queryable, parametersOf: ParametersOf<Source>) => Queryable {
  const forms = new Map<string, Known<Source>>()
  const knownForm = (name: string, statement: string): Known<Source> => {
    const known = forms.get(name)
    if (known !== undefined) return known
    const { text, sources } = formOf(statement)
    const form = { run: queryOf(`${name}_past`, text, options), sources }
    forms.set(name, form)
    return form
  }
  return (db, parametersOf) => {
    const view = {
      async query({ name = '', text, values = [] }: QueryConfig) {
        const { run, sources } = knownForm(name, text)
        const parameters = await Promise.all(sources.map(parametersOf))
        return { rows: await run(db, [...values, ...parameters.flat()]) }
      },
    }
    return view as unknown as Queryable
  }
}
