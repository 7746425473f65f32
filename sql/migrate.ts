/**
 * Applies migrations/NNNN_*.sql in order, each once, each in a transaction, one process at a time.
 * A file that was edited after it landed is refused: what stands in the database is what it said.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Db } from './db.ts'
import { query } from './query.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
const createMigrationTable = query('migrations/create_migration')
const lockMigrations = query('migrations/lock_migrations')
const listMigrations = query<{ name: string; checksum: string }>('migrations/list_migrations')
const insertMigration = query('migrations/insert_migration')

/** Brings the schema up to date; answers with the names of the files that it applied. */
export async function migrate(db: Db, log: (line: string) => void = () => {}): Promise<string[]> {
  const connection = await db.connect()
  const applied: string[] = []
  try {
    await lockMigrations(connection)
    await createMigrationTable(connection)
    const known = new Map((await listMigrations(connection)).map((row) => [row.name, row.checksum]))
    const names = readdirSync(FOLDER)
      .filter((name) => name.endsWith('.sql'))
      .sort()
    for (const name of names) {
      const text = readFileSync(new URL(name, FOLDER), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      if (known.get(name) === checksum) continue
      if (known.has(name)) throw new Error(`migration "${name}" was edited after it was applied`)
      await connection.query('begin')
      await connection.query(text)
      await insertMigration(connection, [name, checksum])
      await connection.query('commit')
      applied.push(name)
      log(`applied ${name}`)
    }
    return applied
  } finally {
    // The lock is the session's: it goes with the connection, whatever happened.
    connection.release(true)
  }
}
