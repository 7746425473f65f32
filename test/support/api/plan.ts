// The plan of a statement as it ran with the settings of the API's connections, node by node.

import { escapeLiteral } from 'pg'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'

export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Loops'?: number
  'Actual Rows'?: number
  'Rows Removed by Filter'?: number
  /** Pages, of the nodes below it, too. */
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: Plan[]
}

/** How a connection plans: for the values of each call, or once for all (sql/plans.ts). */
type Planning = 'force_custom_plan' | 'force_generic_plan'
export const PLANNINGS: readonly Planning[] = ['force_custom_plan', 'force_generic_plan']

/** Every node of the plan, as it ran with the settings of the API's connections. */
export async function planAsRun(
  db: Db,
  name: string,
  parameters: readonly unknown[],
  planning: Planning = 'force_custom_plan',
): Promise<Plan[]> {
  return planOfText(db, query(name).text, parameters, planning)
}

/** The same of a statement that was made of another. */
export async function planOfText(
  db: Db,
  text: string,
  parameters: readonly unknown[],
  planning: Planning = 'force_custom_plan',
): Promise<Plan[]> {
  const connection = await db.connect()
  try {
    await connection.query('begin')
    for (const setting of ['enable_seqscan', 'enable_bitmapscan']) {
      await connection.query(`set local ${setting} = off`)
    }
    const explained = 'explain (analyze, buffers, timing off, format json)'
    if (planning === 'force_custom_plan') {
      const { rows } = await connection.query(`${explained} ${text}`, [...parameters])
      return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    }
    await connection.query('set local plan_cache_mode = force_generic_plan')
    await connection.query(`prepare kept as ${text}`)
    const values = parameters.map(literal).join()
    const { rows } = await connection.query(`${explained} execute kept (${values})`)
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    // With the prepared statement.
    connection.release(true)
  }
}

function literal(parameter: unknown): string {
  if (parameter === null) return 'null'
  if (Array.isArray(parameter)) return escapeLiteral(`{${parameter.join()}}`)
  return escapeLiteral(String(parameter))
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
