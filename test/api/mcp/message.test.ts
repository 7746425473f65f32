// Messages of JSON-RPC and origins of pages, by tables.

import test from 'ava'
import { BATCH_MAX, messageOf, refusedBatch, rpcError } from '../../../api/mcp/message.ts'
import { mayUse } from '../../../api/mcp/origin.ts'
import { parseExact } from '../../../domain/text/exact-json.ts'

for (const [text, kind, id] of [
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}', 'request', 1],
  ['{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}', 'request', 'a'],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 'request', 9_007_199_254_740_993n],
  ['{"jsonrpc":"2.0","method":"notifications/initialized"}', 'notification', undefined],
  ['{"jsonrpc":"2.0","id":1,"result":{}}', 'response', undefined],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}}', 'response', undefined],
  ['null', 'invalid', null],
  ['5', 'invalid', null],
  ['[]', 'invalid', null],
  ['{}', 'invalid', null],
  ['{"jsonrpc":"1.0","id":7,"method":"ping"}', 'invalid', 7],
  ['{"jsonrpc":"2.0","id":7}', 'invalid', 7],
  ['{"jsonrpc":"2.0","id":7,"method":5}', 'invalid', 7],
  ['{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', 'invalid', 7],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 'invalid', null],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 'invalid', null],
] as const) {
  test(`${text} is of the kind ${kind}`, (t) => {
    const message = messageOf(parseExact(text))
    t.is(message.kind, kind)
    t.is('id' in message ? message.id : undefined, id)
  })
}

test('an error repeats the id exactly', (t) => {
  t.is(
    rpcError(9_007_199_254_740_993n, 'invalid', 'no'),
    '{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32600,"message":"no"}}',
  )
})

test('versions of the protocol before 2025-06-18 have batches', (t) => {
  for (const version of [undefined, '2024-11-05', '2025-03-26']) {
    t.is(refusedBatch([1], version), undefined)
    t.regex(refusedBatch([], version) ?? '', /empty/)
    t.regex(refusedBatch(Array(BATCH_MAX + 1).fill(1), version) ?? '', /at most 50/)
  }
  for (const version of ['2025-06-18', '2025-11-25']) {
    t.regex(refusedBatch([1], version) ?? '', /no batches/)
  }
})

for (const [origin, host, isAllowed] of [
  ['', 'api.example', true],
  ['http://127.0.0.1:8080', '127.0.0.1:8080', true],
  ['http://localhost:8080', 'Localhost:8080', true],
  ['http://[::1]:8080', '[::1]:8080', true],
  ['http://swaptide.localhost', 'swaptide.localhost', true],
  // Another port or host is another origin.
  ['http://127.0.0.1:8081', '127.0.0.1:8080', false],
  ['http://localhost:8080', '127.0.0.1:8080', false],
  ['https://evil.example', '127.0.0.1:8080', false],
  // A name that was bound to the address of this server.
  ['http://evil.example:8080', 'evil.example:8080', false],
  ['http://127.0.0.1.evil.example', '127.0.0.1.evil.example', false],
  ['null', '127.0.0.1:8080', false],
  ['nonsense', '127.0.0.1:8080', false],
  ['https://app.example', 'api.example', true],
  ['https://app.example.evil', 'api.example', false],
] as const) {
  test(`a page of "${origin}" at the host "${host}" is ${isAllowed ? 'allowed' : 'refused'}`, (t) => {
    t.is(mayUse(origin, host, ['https://app.example']), isAllowed)
  })
}
