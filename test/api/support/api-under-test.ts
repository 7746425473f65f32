// The real application on a free port over a database of its own, and requests to it. Every answer
// of a route is held against the schema that /openapi.json gives for it.

import { Ajv, type ValidateFunction } from 'ajv'
import type { ExecutionContext } from 'ava'
import { type Api, type ApiOptions, startApi } from '../../../api/main.ts'
import { createKey } from '../../../api/gateway/keys.ts'
import type { Db } from '../../../sql/db.ts'
import type { Log } from '../../../streams/log.ts'
import { testDatabase } from '../../support/database.ts'

export type Answer = {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: placeholder
  body: any
}

export type ApiUnderTest = {
  db: Db
  databaseUrl: string
  api: Api
  key: string
  keyId: number
  /** Lines of the log, as JSON. */
  lines: string[]
  /** GET with the key, checked against the document. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** GET as it is, without a key unless the headers bring one. */
  fetch(path: string, headers?: Record<string, string>): Promise<Answer>
  stop(): Promise<void>
}
