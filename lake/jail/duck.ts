/**
 * DuckDB in memory over the files of the lake, closed off before it sees a query.
 *
 * Law: after `lock_configuration` no statement can change a setting; files that are not listed cannot be opened, whatever a query
 * names.
 */
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  StatementType,
} from '@duckdb/node-api'
import { PLANNED_MIB, type Refusal, THREADS } from './limits.ts'
import { type ParsedStatements, refusalOf } from './statement.ts'

const SETTINGS = {
  threads: String(THREADS),
  memory_limit: `${PLANNED_MIB}MiB`,
  temp_directory: '',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
}
const ONE_SELECT = 'only one SELECT is run'

/** A query that is not run, with the reason. */
export class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal, message: string) {
    super(message)
    this.refusal = refusal
  }
}

/** The text as part of a literal. */
export const quoted = (text: string): string => text.replaceAll("'", "''")

/** A database in memory over the files, whose settings are locked. */
export async function openDuck(files: readonly string[]): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:', SETTINGS)).connect()
  const list = `[${files.map((path) => `'${quoted(path)}'`).join()}]`
  for (const statement of [
    "set TimeZone = 'UTC'",
    `create view swaps as select * from read_parquet(${list})`,
    `set allowed_paths = ${list}`,
    'set enable_external_access = false',
    'set lock_configuration = true',
  ]) {
    await connection.run(statement)
  }
  return connection
}

/** Throws Refused for a statement that is not a permitted query, and for a text that is no SQL. */
export async function judge(connection: DuckDBConnection, sql: string): Promise<void> {
  const reader = await connection.runAndReadAll('values (json_serialize_sql($1::varchar))', [sql])
  const parsed = JSON.parse(String(reader.getRows()[0]?.[0])) as ParsedStatements & {
    error_type?: string
  }
  if (parsed.error && parsed.error_type === 'parser') {
    throw new Refused('invalid', parsed.error_message ?? 'the text is no SQL')
  }
  const refusal = refusalOf(parsed, ['swaps'])
  if (refusal !== undefined) throw new Refused('refused', refusal)
}

export async function prepare(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql)
  if (statements.count !== 1) throw new Refused('refused', ONE_SELECT)
  const prepared = await statements.prepare(0)
  if (prepared.statementType !== StatementType.SELECT) {
    throw new Refused('refused', ONE_SELECT)
  }
  return prepared
}
