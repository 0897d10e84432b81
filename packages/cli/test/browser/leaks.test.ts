import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { SOURCES } from '../support/svc-process.ts'

const has = (program: string, args: readonly string[]) => spawnSync(program, args).status === 0
/** A network of its own, whose packets are counted; where that is not possible the suite is skipped. */
const isPossible =
  existsSync('/usr/bin/chromium') &&
  process.getuid?.() === 0 &&
  has('unshare', ['-n', 'true']) &&
  has('unshare', ['-n', 'nft', 'list', 'tables'])
const counted = isPossible ? describe : describe.skip

/**
 * Every address is routed to this machine, where it is counted. A datagram of the script itself shows that
 * the counters count.
 */
const SCRIPT = `set -e
ip link set lo up
ip addr add 198.18.0.2/32 dev lo
ip route add default dev lo
nft add table inet seen
nft 'add chain inet seen out { type filter hook output priority 0; }'
nft 'add counter inet seen datagrams'
nft 'add counter inet seen connections'
nft 'add rule inet seen out meta l4proto udp counter name datagrams'
nft 'add rule inet seen out tcp flags & (syn | ack) == syn ip daddr != { 127.0.0.1, 127.0.0.2 } counter name connections'
nft 'add rule inet seen out meta nfproto ipv6 tcp flags & (syn | ack) == syn counter name connections'
bash -c 'echo one > /dev/udp/198.18.0.1/53'
"$@" browser doctor --json
nft list counters`

counted('the browser in a network whose packets are counted', () => {
  test('sends no datagram, asks no name server, and connects to the proxy alone', () => {
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-n', 'sh', '-c', SCRIPT, 'sh', process.execPath, ...SOURCES],
      { env: { PATH: process.env.PATH, BROWSER_NO_SANDBOX: '1' }, encoding: 'utf8', timeout: 60_000 },
    )
    const [document = '', counters = ''] = stdout.split(/(?=table inet seen)/)
    expect([JSON.parse(document || '{}'), stderr]).toMatchObject([{ ok: true }, expect.any(String)])
    const packets = [...counters.matchAll(/counter (\w+) \{\s*packets (\d+)/g)]
    // One datagram is the script's.
    expect(packets.map(([, name, count]) => [name, Number(count)])).toEqual([
      ['datagrams', 1],
      ['connections', 0],
    ])
  })
})
