/**
 * Writes generated.ts of the venues whose makers publish the IDL of their program in a package:
 * layouts of its events.
 *
 *   npm install --no-save @pump-fun/pump-sdk @meteora-ag/cp-amm-sdk @meteora-ag/dlmm \
 *     @meteora-ag/dynamic-bonding-curve-sdk
 *   node chain/venues/generate.ts
 *   npm ci
 *
 * The packages are no dependencies of the project: the layouts that they publish are checked in.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { FIXED_WIDTHS } from '../decoder/layout.ts'

type IdlType =
  | string
  | { defined?: IdlName; array?: [string, number]; vec?: string | { defined: IdlName } }
type IdlName = { name: string } | string
type IdlField = { name: string; type: IdlType }
type IdlStruct = { name: string; type: { kind: string; fields?: IdlField[] } }
type Idl = {
  events: { name: string; discriminator?: number[] }[]
  types: IdlStruct[]
}

/** Where the IDL of a venue lies in its package, and the events that are read, by the constant that names their layout. */
const SOURCES: readonly {
  venue: string
  from: string
  name?: string
  events: Readonly<Record<string, string>>
}[] = [
  {
    venue: 'pumpfun',
    from: '@pump-fun/pump-sdk/src/idl/pump.json',
    events: {
      PUMP_TRADE: 'TradeEvent',
      PUMP_CREATE: 'CreateEvent',
      PUMP_MIGRATION: 'CompletePumpAmmMigrationEvent',
    },
  },
  {
    venue: 'pumpswap',
    from: '@pump-fun/pump-sdk/src/idl/pump_amm.json',
    events: {
      PUMPSWAP_BUY: 'BuyEvent',
      PUMPSWAP_SELL: 'SellEvent',
      PUMPSWAP_CREATE_POOL: 'CreatePoolEvent',
      PUMPSWAP_DEPOSIT: 'DepositEvent',
      PUMPSWAP_WITHDRAW: 'WithdrawEvent',
    },
  },
  {
    venue: 'meteora-damm-v2',
    from: '@meteora-ag/cp-amm-sdk',
    name: 'CpAmmIdl',
    events: {
      DAMM_V2_SWAP2: 'EvtSwap2',
      DAMM_V2_CREATE_POOL: 'EvtInitializePool',
      DAMM_V2_LIQUIDITY: 'EvtLiquidityChange',
    },
  },
  {
    venue: 'meteora-dbc',
    from: '@meteora-ag/dynamic-bonding-curve-sdk',
    name: 'DynamicBondingCurveIdl',
    events: {
      DBC_SWAP: 'EvtSwap',
      DBC_SWAP2: 'EvtSwap2',
      DBC_SWAP2_WITH_HOOK: 'EvtSwap2WithTransferHook',
      DBC_CREATE_POOL: 'EvtInitializePool',
      DBC_CREATE_POOL_WITH_HOOK: 'EvtInitializePoolWithTransferHook',
    },
  },
  {
    venue: 'meteora-dlmm',
    from: '@meteora-ag/dlmm',
    name: 'IDL',
    events: {
      DLMM_SWAP: 'Swap',
      DLMM_SWAP2: 'Swap2Evt',
      DLMM_CREATE_POOL: 'LbPairCreate',
      DLMM_ADD_LIQUIDITY: 'AddLiquidity',
      DLMM_REMOVE_LIQUIDITY: 'RemoveLiquidity',
    },
  },
]

/** Bytes of each scalar; the payload holds a string's length. */
const WIDTHS: Readonly<Record<string, number>> = { ...FIXED_WIDTHS, string: Number.NaN }

const PACKAGES = join(import.meta.dirname, '../../node_modules')
const require = createRequire(import.meta.url)
for (const { venue, from, name, events } of SOURCES) {
  const idl =
    name === undefined
      ? (JSON.parse(await readFile(join(PACKAGES, from), 'utf8')) as Idl)
      : (require(from) as Record<string, Idl>)[name]
  if (idl === undefined) throw new Error(`package "${from}": expected the IDL as "${name}"`)
  const layouts = Object.entries(events).flatMap(([constant, event]) =>
    layoutOf(idl, constant, event),
  )
  await writeFile(
    join(import.meta.dirname, venue, 'generated.ts'),
    `// Written by ../generate.ts from the program's IDL; not edited by hand.\n\n${layouts.join('\n')}`,
  )
}

function layoutOf(idl: Idl, constant: string, event: string): string[] {
  const declared = idl.events.find((each) => each.name === event)
  if (declared === undefined) throw new Error(`event "${event}": expected in the IDL`)
  const discriminator =
    declared.discriminator === undefined
      ? createHash('sha256').update(`event:${event}`).digest('hex').slice(0, 16)
      : Buffer.from(declared.discriminator).toString('hex')
  return [
    `export const ${constant} = {`,
    `  name: '${event}',`,
    `  discriminator: '${discriminator}',`,
    '  fields: [',
    ...fieldsOf(idl, event, '').map(([field, type]) => `    ['${field}', '${type}'],`),
    '  ],',
    '} as const',
    '',
  ]
}

/**
 * Fields in order, those of a struct under its name and a dot; fields from the first of an unknown width on are left
 * out.
 */
function fieldsOf(idl: Idl, struct: string, prefix: string): [string, string][] {
  const fields: [string, string][] = []
  const declared = idl.types.find((each) => each.name === struct)?.type.fields ?? []
  for (const { name, type } of declared) {
    if (typeof type === 'string') {
      if (WIDTHS[type] === undefined) break
      fields.push([prefix + name, type])
      continue
    }
    if (type.array !== undefined) {
      const [element, length] = type.array
      for (let at = 0; at < length; at++) fields.push([`${prefix}${name}.${at}`, element])
      continue
    }
    if (type.vec !== undefined) {
      const width = elementWidth(idl, type.vec)
      if (!Number.isInteger(width)) break
      fields.push([prefix + name, `vec${width}`])
      continue
    }
    const nested =
      type.defined === undefined ? [] : fieldsOf(idl, nameOf(type.defined), `${prefix}${name}.`)
    if (nested.length === 0) break
    fields.push(...nested)
  }
  return fields
}

/** Bytes of a list's element; NaN where they differ by element. */
function elementWidth(idl: Idl, element: string | { defined: IdlName }): number {
  if (typeof element === 'string') return WIDTHS[element] ?? Number.NaN
  const fields = fieldsOf(idl, nameOf(element.defined), '')
  return fields.reduce((sum, [, type]) => sum + (WIDTHS[type] ?? Number.NaN), 0)
}

function nameOf(name: IdlName): string {
  return typeof name === 'string' ? name : name.name
}
