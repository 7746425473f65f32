// The plan of a statement as it ran with the settings of the API's connections, node by node.

import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Loops'?: number
  'Actual Rows'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** Every node of the plan, as it ran with the settings of the API's connections. */
export async function planAsRun(
  db: Db,
  name: string,
  parameters: readonly unknown[],
): Promise<Plan[]> {
  const connection = await db.connect()
  try {
    await connection.query('begin')
    for (const setting of ['enable_seqscan', 'enable_bitmapscan']) {
      await connection.query(`set local ${setting} = off`)
    }
    const text = `explain (analyze, timing off, format json) ${query(name).text}`
    const { rows } = await connection.query(text, [...parameters])
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await connection.query('rollback')
    connection.release()
  }
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
