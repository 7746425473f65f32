/** Mappings that are refused: by themselves, or for the columns of a table. */
import test from 'ava'
import { BY_NAME, MappingError, readMapping } from '../../../../streams/ingest/columns/mapping.ts'
import { type Column, rowReader } from '../../../../streams/ingest/columns/row-reader.ts'
import { SWAP_LINE } from '../../../support/events/sample-event.ts'

const INVALID: [text: string, reason: RegExp][] = [
  ['', /^expected a JSON object: /],
  ['[]', /^expected a JSON object, found \[\]$/],
  ['{"kind":"swap","kind":"token"}', /^key "kind": expected the key once in its object$/],
  ['{"fields":{},"columns":{}}', /^the mapping: unknown key "columns": /],
  [
    '{"kind":"swaps"}',
    /^kind "swaps": expected one of swap pool_event token retract, or {"column": \.\.\.}$/,
  ],
  ['{"kind":{"value":"order"}}', /^kind\.value "order": expected one of swap/],
  ['{"fields":[]}', /^fields \[\]: expected an object$/],
  [
    '{"fields":{"sol_amout":"a"}}',
    /^fields "sol_amout": no field has this name: did you mean "sol_amount"\?$/,
  ],
  [
    '{"fields":{"slot":7}}',
    /^fields\.slot 7: expected the name of a column, {"value": \.\.\.} or {"column": \.\.\.}$/,
  ],
  ['{"fields":{"slot":""}}', /^fields\.slot "": expected the name of a column$/],
  [
    '{"fields":{"slot":{"colum":"a"}}}',
    /^fields\.slot: unknown key "colum": did you mean "column"\?$/,
  ],
  [
    '{"fields":{"slot":{"column":"a","unit":"ms"}}}',
    /^fields\.slot\.unit: only a timestamp has a unit$/,
  ],
  [
    '{"fields":{"timestamp":{"column":"a","unit":"min"}}}',
    /^fields\.timestamp\.unit "min": expected one of s ms us ns iso utc$/,
  ],
  [
    '{"fields":{"slot":{"column":"a","decimals":2}}}',
    /^fields\.slot\.decimals: only an amount has decimals$/,
  ],
  [
    '{"fields":{"sol_amount":{"column":"a","decimals":19}}}',
    /^fields\.sol_amount\.decimals 19: expected an integer of 0 to 18, or the name of a column$/,
  ],
  [
    '{"fields":{"sol_amount":{"column":"a","decimals":1.5}}}',
    /^fields\.sol_amount\.decimals 1\.5: /,
  ],
  [
    '{"fields":{"quote_decimals":{"value":19}}}',
    /^fields\.quote_decimals\.value 19: expected an integer of 0 to 18$/,
  ],
  [
    '{"fields":{"sol_amount":{"value":9223372036854775808}}}',
    /^fields\.sol_amount\.value 9223372036854775808: expected an integer of 0 to 2\^63-1$/,
  ],
  [
    '{"fields":{"is_buy":{"column":"a","values":{"b":"maybe"}}}}',
    /^fields\.is_buy\.values\.b "maybe": expected true or false$/,
  ],
  ['{"fields":{"is_buy":{"cases":[]}}}', /^fields\.is_buy\.cases \[\]: expected a list of/],
  [
    '{"fields":{"is_buy":{"cases":[{"column":"a","use":"b"}]}}}',
    /^fields\.is_buy\.cases\[0\]\.is absent: expected the text of a cell$/,
  ],
  ['{"empty":"NULL"}', /^empty "NULL": expected a list of texts/],
]

for (const [text, reason] of INVALID) {
  test(`refuses the mapping ${text}`, (t) => {
    t.throws(() => readMapping(text), { instanceOf: MappingError, message: reason })
  })
}

const named = (...names: string[]): Column[] => names.map((name) => ({ name }))
const REQUIRED = [...Object.keys(SWAP_LINE)].filter((name) => name !== 'kind')

const UNFIT: [name: string, mapping: string, columns: Column[], reason: RegExp][] = [
  [
    'no column of kinds',
    '{}',
    named('slot'),
    /^no column "kind": state it in a mapping, such as {"kind": "swap"}; the file has slot$/,
  ],
  [
    'a column that the file lacks',
    '{"kind":"retract","fields":{"slot":"block_slot"}}',
    named('block_slt', 'x'),
    /^no column "block_slot" for field slot: did you mean "block_slt"\? the file has block_slt, x$/,
  ],
  [
    'a column that occurs twice',
    '{"kind":"retract","fields":{"slot":"a"}}',
    named('a', 'b', 'a'),
    /^column "a" of field slot occurs 2 times$/,
  ],
  [
    'a column of decimals that the file lacks',
    '{"kind":"token","fields":{"token_address":"a","supply":{"column":"a","decimals":"d"}}}',
    named('a'),
    /^no column "d" for field supply: /,
  ],
  [
    'required fields without a column',
    '{"kind":"swap","fields":{"slot":"a"}}',
    named('a'),
    /^no column for signature, timestamp, token_address, .*, which every swap must have$/,
  ],
  [
    'an amount of floating-point numbers',
    '{"kind":"swap"}',
    [
      ...named(...REQUIRED.filter((name) => name !== 'sol_amount')),
      { name: 'sol_amount', isFloat: true },
    ],
    /^column "sol_amount" of field sol_amount has floating-point numbers, which are not exact/,
  ],
  [
    'a column that is not read',
    '{"kind":"retract"}',
    [{ name: 'slot', unusable: 'is nested: expected a flat column' }],
    /^column "slot" of field slot is nested: expected a flat column$/,
  ],
]

for (const [name, text, columns, reason] of UNFIT) {
  test(`refuses a table with ${name}`, (t) => {
    const mapping = text === '{}' ? BY_NAME : readMapping(text)
    t.throws(() => rowReader(mapping, columns), { instanceOf: MappingError, message: reason })
  })
}
