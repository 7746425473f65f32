/** Requests of the console. An operator whose session has ended signs in again, and comes back to the page. */
import { Problem, readJson } from '../../client/request.ts'

/** The whole answer of a route of operators. Rejects with Problem. */
export async function requestAnswer<Value>(
  path: string,
  options: RequestInit = {},
): Promise<Value> {
  try {
    return await readJson<Value>(path, options)
  } catch (cause) {
    if (cause instanceof Problem && cause.kind === 'key')
      location.assign(`/admin?next=${encodeURIComponent(location.pathname)}`)
    throw cause
  }
}

/** The field `data` of the answer. */
export async function request<Value>(path: string, options: RequestInit = {}): Promise<Value> {
  return (await requestAnswer<Record<'data', Value>>(path, options)).data
}

export const POST = { method: 'POST' } as const
export const DELETE = { method: 'DELETE' } as const

export type PageOf<Row> = Record<'data', readonly Row[]> & { next_cursor: string | null }

/** All rows of a list, page by page. */
export async function requestAll<Row>(path: string, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const answer: PageOf<Row> = await requestAnswer(`${path}${more}`, { signal })
    rows.push(...answer.data)
    cursor = answer.next_cursor
  }
  return rows
}
