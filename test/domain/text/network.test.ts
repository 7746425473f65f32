/** Addresses and networks by hand-computed values. */
import test from 'ava'
import {
  clientText,
  holdsAddress,
  parseAddress,
  parseNetwork,
} from '../../../domain/text/network.ts'

test('an address is read in every form that a connection or a proxy writes', (t) => {
  const text = (given: string): string | undefined => {
    const ip = parseAddress(given)
    return ip === undefined ? undefined : clientText(ip)
  }
  for (const [given, shown] of [
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['0.0.0.0', '0.0.0.0'],
    // One client of IPv6 has 64 bits.
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ] as const) {
    t.is(text(given), shown, given)
  }
  for (const none of [
    ...[
      '',
      'unknown',
      '_hidden',
      '1.2.3',
      '1.2.3.256',
      '01.2.3.4',
      '1.2.3.4.5',
      '0x7f.1',
      '2130706433',
    ],
    ...['1.2.3.4:x', ':::', '1::2::3', 'g::1', '::1/64', '[::1', 'a:b', "1.2.3.4'", '１.2.3.4'],
  ]) {
    t.is(text(none), undefined, none)
  }
})

test('a network holds the addresses that share its first bits', (t) => {
  const holds = (network: string, ip: string): boolean =>
    holdsAddress(parseNetwork(network)!, parseAddress(ip)!)
  t.true(holds('10.0.0.0/8', '10.255.1.2'))
  t.false(holds('10.0.0.0/8', '11.0.0.0'))
  t.true(holds('10.0.0.0/8', '::ffff:10.1.1.1'))
  t.true(holds('127.0.0.1', '127.0.0.1'))
  t.false(holds('127.0.0.1', '127.0.0.2'))
  t.true(holds('2001:db8::/32', '2001:db8:ffff::1'))
  t.false(holds('2001:db8::/32', '2001:db9::1'))
  // All of IPv4, and nothing of IPv6.
  t.true(holds('0.0.0.0/0', '255.255.255.255'))
  t.false(holds('0.0.0.0/0', '2001:db8::1'))
  for (const none of [
    '',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'host',
    '1.2.3.4:80',
    '[::1]',
  ])
    t.is(parseNetwork(none), undefined, none)
})
