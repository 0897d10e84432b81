import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { type EndedJob, endedWell, failedJob, HostedMachine } from './hosted-machine.ts'
import { Visitors } from './visitors.ts'

const booted = await HostedMachine.boot(['nft', 'git', 'curl'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine

/** A program that says its word, and what the program at an address says when it is asked for that. */
const program = (word: string) => `
import { createServer, get } from 'node:http'
createServer((request, response) => {
  const variable = request.url.slice(1)
  if (variable === '') return response.end('${word}')
  const asked = get(process.env[variable], { agent: false }, async (answer) => {
    const parts = await answer.toArray()
    response.writeHead(answer.statusCode).end('${word} ' + Buffer.concat(parts))
  })
  asked.on('error', ({ code }) => response.writeHead(502).end(code))
}).listen(process.env.PORT)
`

let host: HostedMachine
let visitors: Visitors

/** Deploys a program that says a word, with more of a definition. */
function deploy(app: string, word: string, more: object = {}, web: object = {}): EndedJob {
  const processes = {
    web: { command: 'node server.mjs', ...web },
    ...('http' in more ? { admin: ADMIN } : {}),
  }
  const { http: _, ...rest } = more as { http?: true }
  const definition = { version: 1, stop: { grace_s: 5 }, processes, ...rest }
  const sha = host.commit(app, { 'server.mjs': program(word), 'svc.json': JSON.stringify(definition) })
  return host.deploy(app, sha)
}
const ADMIN = { command: 'node server.mjs', http: true }

const userOf = (app: string) =>
  machine.sh(`systemctl show --value -p User "$(ls /etc/systemd/system | grep 'svc-app@${app}:' | head -1)"`)
/** Asks a port as the user of an application: the exit code of curl, and what came. */
const asUser = (app: string, port: number | string) => {
  const { code, out } = machine.run([
    'runuser',
    '-u',
    userOf(app),
    '--',
    'curl',
    '-sS',
    '-m',
    '2',
    `http://127.0.0.1:${port}/`,
  ])
  return code === 0 ? out : code
}
const instanceOf = (app: string) =>
  machine.sh(`cat /var/lib/svc-appsd/units/svc-app@${app}:web:1:${host.record().apps[app].live.number}/port`)

beforeAll(async () => {
  if (typeof booted === 'string') return
  host = await HostedMachine.install(booted)
  visitors = new Visitors(booted)
  endedWell(deploy('api', 'api one', { http: true }))
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

onHost(
  `an app reaches those that it is linked to, at their ports that stay, and no other does${without}`,
  () => {
    endedWell(deploy('shop', 'shop', { links: ['api'] }))
    endedWell(deploy('other', 'other'))
    const { port, ports } = host.record().apps.api
    expect(host.ask('shop', '/SVC_LINK_API_URL')).toBe('shop api one')
    expect(host.ask('shop', '/SVC_LINK_API_ADMIN_URL')).toBe('shop api one')
    for (const each of [port, ports.admin, instanceOf('api')]) {
      expect(asUser('shop', each)).toBe('api one')
      expect([asUser('other', each), asUser('api', host.record().apps.shop.port)]).toEqual([7, 7])
    }
  },
  60_000,
)

onHost(
  `a deploy that fails opens no way, and the next release without the link has none${without}`,
  () => {
    const { port } = host.record().apps.api
    const broken = deploy('other', 'other', { links: ['api'] }, { health: { path: '/NONE', timeout_s: 3 } })
    expect(failedJob(broken)).toContain('web is not healthy')
    expect(asUser('other', port)).toBe(7)
    endedWell(deploy('other', 'other', { links: ['api'] }))
    expect(asUser('other', port)).toBe('api one')
    endedWell(deploy('other', 'other'))
    expect(asUser('other', port)).toBe(7)
  },
  60_000,
)

onHost(
  `links that lead nowhere are refused by name, and the live release serves on${without}`,
  () => {
    const rows: [string, string[], string][] = [
      ['shop', ['none'], 'links: there is no app none on this host: deploy it here first'],
      ['shop', ['shop'], 'links: shop reaches its own ports without one'],
      ['shop', ['api', 'api'], 'links: expected names that differ'],
      ['shop', ['../api'], 'links.0: expected the name of an application'],
      ['shop', ['a.b', 'a-b'], 'links: a-b and another one would have one variable'],
    ]
    for (const [app, links, why] of rows) expect(failedJob(deploy(app, 'never', { links }))).toContain(why)
    expect(host.ask('shop', '/SVC_LINK_API_URL')).toBe('shop api one')
  },
  60_000,
)

onHost(
  `two apps reach each other, also after the supervisor and its rules were gone${without}`,
  () => {
    endedWell(deploy('api', 'api two', { http: true, links: ['shop'] }))
    machine.sh(`systemctl restart svc-appsd; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done
    nft flush ruleset; sleep 1`)
    expect(host.ask('api', '/SVC_LINK_SHOP_URL')).toBe('api two shop')
    expect(host.ask('shop', '/SVC_LINK_API_URL')).toBe('shop api two')
    expect(asUser('other', host.record().apps.api.port)).toBe(7)
  },
  60_000,
)

onHost(
  `visitors of an app notice no deploy of the one that it asks for each answer${without}`,
  () => {
    const { port } = host.record().apps.shop
    const kinds = [
      { name: 'linked', path: '/SVC_LINK_API_URL' },
      { name: 'own', path: '/' },
    ]
    const seen = visitors.during({ port, kinds, perSecond: 40 }, () => {
      endedWell(deploy('api', 'api three', { http: true }))
      endedWell(deploy('api', 'api four', { http: true, links: ['shop'] }))
    })
    expect(seen).toMatchObject({ failed: {}, faults: [] })
    expect(seen.answered.linked).toBeGreaterThan(50)
  },
  60_000,
)

onHost(
  `at ::1 nobody answers for a port that stays, and a visitor of localhost gets the app all the while${without}`,
  () => {
    const { port } = host.record().apps.api
    machine.write(
      '/srv/intruder.mjs',
      `import { createServer } from 'node:http'
createServer((request, response) => response.end('an intruder')).listen({ host: '::1', port: ${port}, ipv6Only: true })`,
    )
    machine.sh(`systemd-run --quiet --uid=nobody --unit=intruder node /srv/intruder.mjs
    until grep -qi "$(printf ':%04X' ${port}) .* 0A " /proc/net/tcp6; do sleep 0.1; done`)
    const asked = (name: string) => machine.run(['curl', '-sS', '-m', '2', `http://${name}:${port}/`])
    expect(asked('[::1]').code).toBe(7)
    machine.write(
      '/srv/locals',
      `while ! test -e /srv/done; do curl -sS -m 2 http://localhost:${port}/ || echo failed; echo; done`,
    )
    machine.sh(
      'systemd-run --quiet --unit=locals --property=StandardOutput=file:/srv/locals.out sh /srv/locals',
    )
    endedWell(deploy('api', 'api five', { http: true }))
    machine.sh(
      'touch /srv/done; while systemctl -q is-active locals; do sleep 0.1; done; systemctl stop intruder',
    )
    const words = new Set(
      machine
        .sh('cat /srv/locals.out')
        .split('\n')
        .filter((line) => line !== ''),
    )
    expect([...words].sort()).toEqual(['api five', 'api four'])
  },
  60_000,
)

onHost(
  `an app that is gone is no obstacle to one that was linked to it, and its next one is reached${without}`,
  () => {
    endedWell(host.job('remove', { app: 'api' }))
    const { live } = host.record().apps.shop
    const source = { type: 'git', repo_url: 'file:///srv/shop', sha: live.sha }
    const log = endedWell(host.job('redeploy', { app: 'shop', source, restart: true }))
    expect(log).toContain('links: there is no app api on this host any more')
    expect(host.ask('shop')).toBe('shop')
    endedWell(deploy('api', 'api six'))
    endedWell(host.job('redeploy', { app: 'shop', source, restart: true }))
    expect(host.ask('shop', '/SVC_LINK_API_URL')).toBe('shop api six')
  },
  60_000,
)
