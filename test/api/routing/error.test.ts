// Every error has one code, every code one shape by family, and no internal text leaks through it. Pure.

import test from 'ava'
import { ApiError, type ErrorCode, renderError, toApiError } from '../../../api/routing/error.ts'

const thrown = (code: string, syscall?: string): Error =>
  Object.assign(new Error('select secret from somewhere'), { code, syscall })

test('errors become codes by class and SQLSTATE, and their texts are not sent', (t) => {
  const table: [unknown, ErrorCode][] = [
    [thrown('57014'), 'GATEWAY_TIMEOUT'],
    [new DOMException('select secret', 'TimeoutError'), 'GATEWAY_TIMEOUT'],
    [thrown('57P01'), 'UNAVAILABLE'],
    [thrown('08006'), 'UNAVAILABLE'],
    [thrown('53300'), 'UNAVAILABLE'],
    [thrown('ECONNREFUSED'), 'UNAVAILABLE'],
    [Object.assign(new Error('select secret'), { name: 'RequestError' }), 'UNAVAILABLE'],
    [thrown('ENOENT', 'connect'), 'UNAVAILABLE'],
    [thrown('EAI_AGAIN', 'getaddrinfo'), 'UNAVAILABLE'],
    [thrown('42601'), 'DATABASE'],
    [thrown('XX000'), 'DATABASE'],
    [new TypeError('select secret'), 'INTERNAL'],
    ['select secret', 'INTERNAL'],
    // A bug of ours has no code, whatever its class; a file is no server, and a status of HTTP no SQLSTATE.
    [new Error('two schemas are called "Secret"'), 'INTERNAL'],
    [new Error('secret: the connection of two schemas was terminated'), 'INTERNAL'],
    [thrown('ENOENT', 'open'), 'INTERNAL'],
    [thrown('EPERM', 'open'), 'INTERNAL'],
    [thrown('404'), 'INTERNAL'],
    [thrown('ERR_ASSERTION'), 'INTERNAL'],
  ]
  for (const [failure, code] of table) {
    const error = toApiError(failure)
    t.is(error.code, code)
    for (const family of ['swaps', 'enveloped'] as const) {
      t.false(JSON.stringify(renderError(error, family)).includes('secret'))
    }
  }
})

test('a code has the shape and status of its family', (t) => {
  const table = [
    ['INVALID_PARAM', 400, 'invalid_parameter', 400],
    ['MISSING_PARAM', 400, 'invalid_parameter', 400],
    ['NOT_FOUND', 404, 'not_found', 404],
    ['UNAVAILABLE', 503, 'service_unavailable', 503],
    ['GATEWAY_TIMEOUT', 504, 'service_unavailable', 503],
    ['INTERNAL', 500, 'internal_error', 500],
  ] as const
  for (const [code, status, flat, flatStatus] of table) {
    const error = new ApiError(code, 'text')
    const enveloped = { success: false, error: { code, message: 'text' } }
    t.like(renderError(error, 'enveloped'), { status, body: enveloped })
    const body = { error: flat, message: 'text' }
    t.like(renderError(error, 'swaps'), { status: flatStatus, body })
    const errors = [{ message: 'text', extensions: { code } }]
    t.deepEqual(renderError(error, 'graphql').body, { errors })
    t.is(renderError(error, 'graphql').status, status)
  }
  const failed = new ApiError('DATABASE', 'text')
  t.is(renderError(failed, 'swaps').body.error, 'database_error')
  t.like(renderError(failed, 'enveloped').body, { error: { code: 'INTERNAL' } })
})

test('reports a refused filter as a text only, other errors of its routes in the envelope', (t) => {
  for (const code of ['INVALID_PARAM', 'MISSING_PARAM'] as const) {
    const { status, body } = renderError(new ApiError(code, 'text'), 'filters')
    t.is(status, 400)
    t.deepEqual(body, { success: false, data: null, error: 'text' })
  }
  const late = renderError(new ApiError('GATEWAY_TIMEOUT', 'text'), 'filters')
  t.is(late.status, 504)
  t.like(late.body, { success: false, error: { code: 'GATEWAY_TIMEOUT', message: 'text' } })
})

test('401 and 429 are enveloped on every route, 429 and 503 report when to retry', (t) => {
  for (const code of ['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'] as const) {
    for (const family of ['swaps', 'graphql', 'filters'] as const) {
      const { body } = renderError(new ApiError(code, 'text'), family)
      t.like(body, { success: false, error: { code } })
    }
  }
  for (const code of ['RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'] as const) {
    t.is(renderError(new ApiError(code, 'text'), 'enveloped').headers['Retry-After'], '1')
  }
})
