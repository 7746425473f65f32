/**
 * A prepared statement on its way: what its rows look like is asked once a connection, not with every
 * execution, its messages leave as one, and a row is read where it lies (row-parser.ts).
 *
 * Law: a statement's columns never change under its name (PostgreSQL refuses to execute it then), so what
 * the first execution was told of them holds for the connection's life. An execution that goes out before
 * that was heard asks for itself.
 */
import pg from 'pg'
import { parseInt8 } from './int8.ts'
import type { Queryable } from './queryable.ts'
import { type ReadRow, rowReader, type WireRow } from './row-parser.ts'

/** The client's connection and query as they work inside: its types tell what one calls from outside. */
type Wire = {
  _send(message: Buffer): boolean
  sync(): void
  parsedStatements: Readonly<Record<string, string>>
}
type Usual = {
  text: string
  name: string
  callback: Settle
  _result: { rows: unknown[]; _types: pg.CustomTypesConfig }
  _canceledDueToError: unknown
  /** Returns an error of the statement; then nothing was sent. */
  submit(wire: Wire): Error | null
  prepare(wire: Wire): void
}
type Settle = (fault: Error | null, result: { rows: unknown[] }) => void

const UsualQuery = pg.Query as unknown as new (text: string, values?: unknown[]) => Usual
const known = new WeakMap<Wire, Map<string, ReadRow>>()
const terse = new WeakMap<Wire, Wire>()

/** Rows of the statement; rejects with the database's error, told from where it was asked. */
export async function execute<Row extends pg.QueryResultRow>(
  db: Queryable,
  statement: pg.QueryConfig,
): Promise<Row[]> {
  const prepared = new Prepared(statement)
  try {
    const { rows } = await new Promise<{ rows: unknown[] }>((resolve, reject) => {
      const settle: Settle = (fault, result) => (fault ? reject(fault) : resolve(result))
      if (db instanceof pg.Pool) db.query(prepared as never, settle as never)
      else {
        prepared.callback = settle
        db.query(prepared as never)
      }
    })
    return rows as Row[]
  } catch (fault) {
    if (fault instanceof Error) Error.captureStackTrace(fault, execute)
    throw fault
  }
}

class Prepared extends UsualQuery {
  #read: ReadRow | undefined
  #isNew = false

  constructor({ name = '', text, values }: pg.QueryConfig) {
    // The client copies what it is given as an object, for longer than it does all else here.
    super(text, values)
    this.name = name
  }

  override submit(wire: Wire): Error | null {
    this.#read = known.get(wire)?.get(this.name)
    this.#isNew = this.#read === undefined
    const isAsBefore = !this.#isNew && wire.parsedStatements[this.name] === this.text
    if (!isAsBefore) return super.submit(wire)
    // One write as it is: it takes no cork.
    this.prepare(terseOf(wire))
    return null
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#read = rowReader(fields, this._result._types, parseInt8)
  }

  handleDataRow({ bytes, at }: WireRow): void {
    if (this._canceledDueToError) return
    try {
      this._result.rows.push((this.#read as ReadRow)(bytes, at))
    } catch (fault) {
      this._canceledDueToError = fault
    }
  }

  handleCommandComplete(_message: object, wire: Wire): void {
    if (this.#isNew) remember(wire, this.name, this.#read ?? noRow)
  }
}

function remember(wire: Wire, name: string, read: ReadRow): void {
  let ofWire = known.get(wire)
  if (ofWire === undefined) {
    ofWire = new Map()
    known.set(wire, ofWire)
  }
  ofWire.set(name, read)
}

function noRow(): never {
  throw new TypeError('a row of a statement that has none')
}

/** The connection without asking for columns, whose messages up to a sync are one write. */
function terseOf(wire: Wire): Wire {
  let made = terse.get(wire)
  if (made === undefined) {
    const messages: Buffer[] = []
    made = Object.create(wire, {
      describe: { value: () => {} },
      _send: { value: (message: Buffer) => messages.push(message) > 0 },
      sync: {
        value(this: Wire) {
          wire.sync.call(this)
          wire._send(Buffer.concat(messages.splice(0)))
        },
      },
    }) as Wire
    terse.set(wire, made)
  }
  return made
}
