import { afterAll, beforeAll, expect } from '@jest/globals'
import { firewallJson, firewallJsonOf, readSecuritySettings } from '@svc/core/adapters'
import { firewallText } from '../../../../core/src/hosts/node-security/firewall-text.ts'
import { ADDRESS, inNamespaces, NetnsRig, type Peer, skipped } from './netns-rig.ts'

const HOST = { sshPorts: [22], pickup: true }
const settings = (fields: object = {}) =>
  readSecuritySettings({
    firewall: {
      enabled: true,
      allow: [
        { ports: ['22'], proto: 'tcp' },
        { ports: ['8080', '9000-9001'], proto: 'tcp', comment: "it's the `web`" },
      ],
      ...fields,
    },
  })

let rig: NetnsRig
let client: Peer
let server: Peer
let inner: Peer

const load = (document: string) => {
  rig.run(
    'sh',
    '-c',
    'umask 077; cat >/tmp/$0.json; nft -j -c -f /tmp/$0.json && nft -j -f /tmp/$0.json; code=$?; rm /tmp/$0.json; exit $code',
    rig.namespace('h'),
    {
      input: document,
    },
  )
}
const apply = (fields: object = {}, host = HOST) => load(firewallJson(settings(fields), host))

beforeAll(async () => {
  if (skipped !== '') return
  rig = NetnsRig.open()
  ;[client, server, inner] = await Promise.all([rig.peer('c'), rig.peer('h'), rig.peer('d')])
  for (const port of [22, 7000, 9000]) await server.listen(port)
  await inner.listen(80)
})
afterAll(async () => {
  if (skipped === '') await rig[Symbol.asyncDispose]()
})

const OFF = firewallJson(readSecuritySettings({}), HOST)
const FAMILIES = [
  ['IPv4', ADDRESS.v4],
  ['IPv6', ADDRESS.v6],
] as const

/** Opens two connections to each port; the first says something. */
async function opened(address: string, ...ports: readonly number[]) {
  const busy = await Promise.all(ports.map((port) => client.connect(address, port)))
  const idle = await Promise.all(ports.map((port) => client.connect(address, port)))
  for (const link of busy) expect(await client.echo(link, 'before')).toBe(true)
  return [...busy, ...idle]
}
const alive = (links: readonly unknown[]) => Promise.all(links.map((link) => client.echo(link, 'behind')))

inNamespaces.each(FAMILIES)(
  `Over %s connections from before the first apply go on, busy and idle, on a host that tracked none${skipped}`,
  async (_, address) => {
    load(OFF)
    const links = await opened(address, 7000)
    apply()
    expect(await alive(links)).toEqual([true, true])
    const now = await Promise.all([22, 9000, 7000].map((port) => client.reaches(address, port)))
    expect(now).toEqual([true, true, 'dropped'])
    // Without the rule for them they would be cut.
    load(OFF)
    const others = await opened(address, 7000)
    apply({}, { ...HOST, pickup: false })
    expect(await alive(others)).toEqual([false, false])
  },
  30_000,
)

inNamespaces.each(FAMILIES)(
  `Over %s a published port of a container is open by a rule for that port of the host alone${skipped}`,
  async (_, address) => {
    load(OFF)
    rig.publish()
    const links = await opened(address, 8081)
    apply()
    expect(await alive(links)).toEqual([true, true])
    const now = await Promise.all([8080, 8081].map((port) => client.reaches(address, port)))
    expect(now).toEqual([true, 'dropped'])
  },
  30_000,
)

inNamespaces(`What the container asks of the host and of others is left alone${skipped}`, async () => {
  apply()
  await client.listen(7100)
  expect(await inner.reaches('172.31.0.1', 7000)).toBe(true)
  expect(await inner.reaches('fd01::1', 7000)).toBe(true)
  // The client has no way back to the container but through the host.
  rig.run('nft', '-f', '-', {
    input:
      'table ip out {\n chain post {\n type nat hook postrouting priority srcnat; oifname eth0 masquerade\n }\n}\n',
  })
  expect(await inner.reaches('10.9.0.2', 7100)).toBe(true)
  expect(await server.reaches('10.9.0.2', 7100)).toBe(true)
})

inNamespaces(
  `A rule with a source opens to that source alone, and deny_from comes first${skipped}`,
  async () => {
    const from = (...ranges: string[]) => ({ allow: [{ ports: ['9000'], proto: 'tcp', from: ranges }] })
    apply(from('10.9.0.0/30', '192.0.2.1'))
    expect(await client.reaches(ADDRESS.v4, 9000)).toBe(true)
    expect(await client.reaches(ADDRESS.v6, 9000)).toBe('dropped')
    apply({ ...from('fd00:9::/64'), deny_from: ['10.9.0.2'] })
    expect(await client.reaches(ADDRESS.v6, 9000)).toBe(true)
    expect(await client.reaches(ADDRESS.v4, 9000)).toBe('dropped')
  },
)

inNamespaces(`ssh takes a number of new connections a minute of each source${skipped}`, async () => {
  apply({ ssh_rate_limit: 2 })
  const tries = []
  for (let at = 0; at < 3; at += 1) tries.push(await client.reaches(ADDRESS.v4, 22))
  expect(tries).toEqual([true, true, 'dropped'])
  expect(await client.reaches(ADDRESS.v4, 9000)).toBe(true)
  expect(await client.reaches(ADDRESS.v6, 22)).toBe(true)
  apply({ ssh_rate_limit: 0 })
  for (let at = 0; at < 8; at += 1) expect(await client.reaches(ADDRESS.v4, 22)).toBe(true)
})

inNamespaces(`The rules that people are shown are the rules of the kernel${skipped}`, () => {
  const wide = settings({ deny_from: ['198.51.100.0/24', '2001:db8::/32'], icmp: false, log_drops: true })
  load(firewallJson(wide, HOST))
  const byJson = rig.rules()
  rig.run('nft', 'delete', 'table', 'inet', 'svc_fw')
  rig.run('nft', '-f', '-', { input: firewallText(wide, HOST) })
  expect(rig.rules()).toBe(byJson)
  expect(byJson).toContain('comment "it\'s the `web`"')
})

inNamespaces(`A table is put back as it was listed, and so is the lack of one${skipped}`, async () => {
  apply({ ssh_rate_limit: 3 })
  await client.reaches(ADDRESS.v4, 22)
  const before = rig.rules().replace(/\t*elements = \{[^}]*\}\n/s, '')

  const listed = JSON.parse(rig.run('nft', '-j', 'list', 'table', 'inet', 'svc_fw'))
  apply({ icmp: false })
  load(firewallJsonOf(listed))
  expect(rig.rules()).toBe(before)
  load(firewallJsonOf(undefined))
  expect(rig.rules()).toBe('')
})

inNamespaces(
  `A ruleset that nft does not take changes nothing, and no other table is touched${skipped}`,
  () => {
    apply()
    const before = [rig.rules(), rig.run('nft', 'list', 'table', 'ip', 'nat')]
    const broken = JSON.parse(firewallJson(settings(), HOST))
    broken.nftables.push({ add: { rule: { family: 'inet', table: 'svc_fw', chain: 'none', expr: [] } } })
    expect(() => load(JSON.stringify(broken))).toThrow()
    expect([rig.rules(), rig.run('nft', 'list', 'table', 'ip', 'nat')]).toEqual(before)
    load(firewallJson(readSecuritySettings({}), HOST))
    expect([rig.rules(), rig.run('nft', 'list', 'table', 'ip', 'nat')]).toEqual(['', before[1]])
  },
)
