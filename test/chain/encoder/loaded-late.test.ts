/** The encoder serves tests and `up --demo chain`: no other command may load it. */
import test from 'ava'
import { readText, targetOf } from '../../support/sources.ts'

const ENCODER = /^chain\/(encode-|encoder\/|venues\/encoders\.ts|venues\/[\w-]+\/encode\.ts)/

/** Files that loading a file loads: imports of types and of `import()` aside. */
function loadedWith(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  const imports = readText(path).matchAll(
    /^(?:import|export)(?! type\b)[^;']*from '(\.[^']+\.ts)'/gm,
  )
  for (const [, specifier = ''] of imports) {
    const target = targetOf({ specifier }, path)
    if (target !== undefined) loadedWith(target, loaded)
  }
  return loaded
}

test('the table of sources loads no part of the encoder', (t) => {
  const loaded = loadedWith('chain/sources/table.ts')
  t.true(loaded.has('chain/decode.ts') && loaded.has('chain/sources/simulated.ts'))
  t.deepEqual(
    [...loaded].filter((path) => ENCODER.test(path)),
    [],
  )
})

test('the encoder is found where it is loaded', (t) => {
  t.true([...loadedWith('chain/encode-block.ts')].filter((path) => ENCODER.test(path)).length > 15)
})
