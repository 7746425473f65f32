/** Debian's order of versions: examples of deb-version(7) and of packages that the stack uses. */
import test from 'ava'
import { compareVersions } from '../../../../../deploy/local/packages/archive/versions.ts'

/** Each older than the next. */
const ORDERS: readonly (readonly string[])[] = [
  ['1.0~beta1~svn1245', '1.0~beta1', '1.0', '1.0a', '1.0+b1', '1.0.1'],
  ['~~', '~~a', '~', '', 'a'],
  ['17.9-1', '17.10-0+deb13u1', '17.10-1', '1:0.1-1'],
  ['2.19.3+dfsg-1~bpo12+1', '2.19.3+dfsg-1', '2.19.3+dfsg-1+b1', '2.19.3+dfsg-1+deb13u1'],
  ['5:8.0.2-3', '5:8.0.2-3+deb13u1', '5:8.0.2-3+deb13u10', '6:1'],
  ['1.2', '1.2-1', '1.2-1.1', '1.10'],
  ['0.9007199254740993', '0.9007199254740994'],
]

for (const order of ORDERS) {
  test(`${order.join(' < ')}`, (t) => {
    for (const [at, one] of order.entries()) {
      t.is(Math.sign(compareVersions(one, one)), 0)
      for (const other of order.slice(at + 1)) {
        t.is(Math.sign(compareVersions(one, other)), -1, `${one} before ${other}`)
        t.is(Math.sign(compareVersions(other, one)), 1, `${other} after ${one}`)
      }
    }
  })
}

test('zeros in front of a number, an absent epoch and an absent revision do not count', (t) => {
  for (const [one, other] of [
    ['1.01', '1.1'],
    ['0:1.1', '1.1'],
    ['1.1-0', '1.1'],
  ] as const) {
    t.is(compareVersions(one, other), 0)
  }
})
