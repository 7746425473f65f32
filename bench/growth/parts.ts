/** The parts of a growing history that were measured, in a table of its database: the next run continues after them. */
import type { Db } from '../../sql/db.ts'

/** `part`: from 0 on. Rates are null where a run was ended within the part. */
export type GrowthPart = {
  part: number
  /** Swaps of this part, and swaps of it and the parts before that are sealed. */
  swaps: number
  sealed: number
  /** Until pool and ledger had committed all. */
  swaps_per_second: number | null
  /** CPU of the process and of PostgreSQL. */
  seal_micros: number | null
  /** Size of the database. */
  bytes: number
}
/** `isWhole`: no run was ended within it. */
type Begun = { part: number; isWhole: boolean }

export class GrowthParts {
  private readonly db: Db

  private constructor(db: Db) {
    this.db = db
  }

  /** Makes the table where the database has none. */
  static async open(db: Db): Promise<GrowthParts> {
    await db.query(
      `create table if not exists bench_part (
        part integer primary key, swaps bigint, sealed bigint, swaps_per_second double precision,
        seal_micros double precision, bytes bigint
      )`,
    )
    return new GrowthParts(db)
  }

  async begin(): Promise<Begun> {
    const { rows } = await this.db.query<{ part: number }>(
      'select part from bench_part where swaps is null',
    )
    const [ended] = rows
    if (ended !== undefined) return { part: ended.part, isWhole: false }
    const added = await this.db.query<{ part: number }>(
      'insert into bench_part (part) select count(*) from bench_part returning part',
    )
    return { part: added.rows[0]!.part, isWhole: true }
  }

  async end(part: GrowthPart): Promise<void> {
    const { swaps, sealed, swaps_per_second, seal_micros, bytes } = part
    await this.db.query(
      `update bench_part set swaps = $2, sealed = $3, swaps_per_second = $4, seal_micros = $5, bytes = $6
       where part = $1`,
      [part.part, swaps, sealed, swaps_per_second, seal_micros, bytes],
    )
  }

  async list(): Promise<GrowthPart[]> {
    const { rows } = await this.db.query<GrowthPart>(
      'select * from bench_part where swaps is not null order by part',
    )
    return rows
  }
}
