// Walks a list by its cursors to the end, as clients do: until next_cursor is null, however short a page is.

import { createKey } from '../../../api/gateway/keys/keys.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import type { Db } from '../../../sql/db.ts'
import { type Body, PATIENT_MS } from './api-under-test.ts'

type Walked = { rows: Body['data']; pages: number; shortPages: number }

export type Get = (path: string) => Promise<{ status: number; body: Body }>

/** With an unlimited key. A request that is refused for now is sent again, as clients do. */
export async function getter(db: Db, url: string): Promise<Get> {
  const { key } = await createKey(db, {
    tier: 'enterprise',
    environment: 'test',
    account: 'walker',
    by: 'test',
  })
  return async (path) => {
    let answer = { status: 503, body: {} as Body }
    await holdsWithin(PATIENT_MS, async () => {
      const response = await fetch(url + path, { headers: { 'X-API-Key': key } })
      answer = { status: response.status, body: (await response.json()) as Body }
      return answer.status !== 503
    })
    return answer
  }
}

export async function walkPages(
  get: Get,
  path: string,
  limits: readonly number[],
): Promise<Walked> {
  const walked: Walked = { rows: [], pages: 0, shortPages: 0 }
  for (let cursor: string | null = null; walked.pages === 0 || cursor !== null; walked.pages++) {
    const limit = limits[walked.pages % limits.length] ?? 1
    const after: string = cursor === null ? '' : `&cursor=${cursor}`
    const { status, body } = await get(`${path}limit=${limit}${after}`)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    if (cursor !== null && cursor === body.next_cursor) throw new Error(`${path} stands still`)
    walked.rows.push(...body.data)
    cursor = body.next_cursor
    if (cursor !== null && body.data.length < limit) walked.shortPages++
  }
  return walked
}
