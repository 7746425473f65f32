/** Values by pool: a pair with two mints is two pools. */
import test from 'ava'
import { ByPool } from '../../../workers/pool/by-pool.ts'

test('finds a pool only by its pair and its mint together', (t) => {
  const values = new ByPool<number>()
  values.set({ pairAddress: 'p', tokenAddress: 'm' }, 1)
  values.set({ pairAddress: 'p', tokenAddress: 'n' }, 2)
  values.set({ pairAddress: 'q', tokenAddress: 'm' }, 3)
  values.set({ pairAddress: 'p', tokenAddress: 'm' }, 4)
  const at = (pairAddress: string, tokenAddress: string) =>
    values.get({ pairAddress, tokenAddress })
  t.deepEqual([at('p', 'm'), at('p', 'n'), at('q', 'm')], [4, 2, 3])
  t.deepEqual([at('q', 'n'), at('m', 'p')], [undefined, undefined])
  t.is(values.size, 3)
  values.clear()
  t.is(values.size, 0)
  t.is(at('p', 'm'), undefined)
})
