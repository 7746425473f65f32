/** DuckDB as an independent reader of exported files. Integers of any width come out as bigints, lists as arrays. */
import { DuckDBDecimalValue, DuckDBInstance, DuckDBListValue } from '@duckdb/node-api'
import type { ExecutionContext } from 'ava'

type DuckRow = Record<string, unknown>
export type Duck = (sql: string) => Promise<DuckRow[]>

/** A database in memory, closed when the test has ended. */
export async function openDuck(t: ExecutionContext): Promise<Duck> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  t.teardown(() => {
    connection.closeSync()
    instance.closeSync()
  })
  return async (sql) => {
    const reader = await connection.runAndReadAll(sql)
    return reader
      .getRowObjects()
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
      )
  }
}

function plain(value: unknown): unknown {
  if (value instanceof DuckDBDecimalValue) return value.value
  return value instanceof DuckDBListValue ? value.items : value
}
