import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TRIES_ALL } from '../support/sample.ts'
import type { BootedMachine } from './booted-machine.ts'
import { tracesOf, wantedTraces } from './host-leftovers.ts'
import { endedWell, failedJob, HostedMachine } from './hosted-machine.ts'
import { Visitors } from './visitors.ts'

const MEASURE_MS = 3_000
/** Seconds that streams and sockets of an instance go on when it gets no new visitors. */
const GRACE_S = 2
/** The moment at which an instance got its last visitor is known as exactly as visitors come. */
const SLACK_MS = 250

const { deploys, failures, rollbacks, requests, mostPerSecond } = TRIES_ALL
  ? { deploys: 20, failures: 5, rollbacks: 5, requests: 100_000, mostPerSecond: 1_000 }
  : { deploys: 3, failures: 1, rollbacks: 1, requests: 5_000, mostPerSecond: 300 }

const booted = await HostedMachine.boot(['nft', 'git', 'curl'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine
const hasProxy = typeof booted !== 'string' && booted.run(['which', 'caddy']).code === 0
const withProxy = hasProxy
  ? 'and domains of other applications'
  : '(without domains: this machine lacks caddy)'

const CADDYFILE = `{
	admin unix//var/lib/caddy/admin.sock
}
import /etc/caddy/svc/*.caddy
`

const SERVER = readFileSync(join(import.meta.dirname, 'visited-app.mjs'), 'utf8')

let host: HostedMachine
let visitors: Visitors
beforeAll(async () => {
  if (typeof booted === 'string') return
  host = await HostedMachine.install(booted)
  visitors = new Visitors(machine)
  // The upload of one application goes on while the other one changes.
  machine.sh(`sed -i 's/svc-agent.mjs run /&--concurrency 2 /' /etc/systemd/system/svc-agent.service
    systemctl daemon-reload; systemctl restart svc-agent`)
  endedWell(deploy('shop'))
  good.push(host.record().apps.shop.live.sha)
  endedWell(deploy('depot', { stop: { grace_s: 20 } }))
  if (!hasProxy) return
  machine.write('/etc/caddy/Caddyfile', CADDYFILE)
  machine.sh('systemctl restart caddy')
  endedWell(expose('shop'))
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

let commits = 0
/** The commits of releases that visitors met. */
const good: string[] = []

/** Deploys the next commit, whose definition has this besides. */
function deploy(app: string, more: object = {}, web: object = {}) {
  commits += 1
  const process = { command: 'node server.mjs', health: { path: '/up', timeout_s: 15 }, count: 2, ...web }
  const definition = { version: 1, stop: { grace_s: GRACE_S }, processes: { web: process }, ...more }
  const files = { 'server.mjs': `${SERVER}// ${commits}\n`, 'svc.json': JSON.stringify(definition) }
  return host.deploy(app, host.commit(app, files))
}

const expose = (app: string) =>
  host.job('expose', { app, domain: `${app}.example.com`, port: 80, tls: 'off' })
const unexpose = (app: string) => host.job('unexpose', { app, domain: `${app}.example.com` })

/** The order to change the release that runs. */
const change = (app: string, more: object): object => {
  const { sha } = host.record().apps[app].live
  return { app, source: { type: 'git', repo_url: `file:///srv/${app}`, sha }, ...more }
}
const changed = (more: object) => endedWell(host.job('redeploy', change('shop', more)))

/** Goes back to the release before. */
function rollBack(): void {
  const before = good.at(-2) ?? ''
  endedWell(
    host.job('redeploy', { app: 'shop', source: { type: 'git', repo_url: 'file:///srv/shop', sha: before } }),
  )
  expect(host.record().apps.shop.live.sha).toBe(before)
}

/** Each fails in a step of its own. */
const FAILURES: Readonly<Record<string, () => ReturnType<typeof deploy>>> = {
  'the build: it ended with exit code 3': () => deploy('shop', { build: { command: 'exit 3' } }),
  'the release command: it ended with exit code 4': () => deploy('shop', { release: 'exit 4' }),
  'web is not healthy: it ended with exit code 5': () => deploy('shop', {}, { command: 'exit 5' }),
  'web is not healthy: GET /nowhere': () =>
    deploy(
      'shop',
      {},
      { command: 'node -e "setTimeout(() => {}, 60000)"', health: { path: '/nowhere', timeout_s: 1 } },
    ),
}

/** Whether a turn has a failure of this kind. */
const fails = (turn: number, kind: number) => turn < failures * 3 && kind % 3 === turn % 3

/** Everything that changes applications, in turn. */
function changes(): void {
  for (let turn = 0; turn < deploys || visitors.counts[0] < requests; turn += 1) {
    // It ends with the uploads that it has, which takes longer than everything else.
    const beside = turn % 10 === 0 ? host.enqueued('redeploy', change('depot', { restart: true })) : undefined
    endedWell(deploy('shop'))
    good.push(host.record().apps.shop.live.sha)
    for (const [kind, [words, failed]] of Object.entries(FAILURES).entries())
      if (fails(turn, kind)) expect(failedJob(failed())).toContain(words)
    if (turn < rollbacks) rollBack()
    if (hasProxy && turn % 3 === 1) endedWell(expose('depot'))
    if (turn % 3 === 0) changed({ scale: { web: 3 } })
    if (turn % 3 === 1) changed({ restart: true })
    if (turn % 3 === 2) changed({ scale: { web: 2 } })
    if (hasProxy && turn % 3 === 2) endedWell(unexpose('depot'))
    if (beside !== undefined) endedWell(host.followed(beside))
  }
}

onHost(
  `visitors notice nothing of deploys, failed deploys, rollbacks, restarts, scaling ${withProxy}${without}`,
  () => {
    const began = performance.now()
    const { shop, depot } = host.record().apps
    const proxied = hasProxy ? [{ name: 'proxied', port: 80, isKept: true, host: 'shop.example.com' }] : []
    const kinds = [{ name: 'new' }, { name: 'kept', isKept: true }, ...proxied]
    const choices = {
      port: shop.port,
      kinds,
      uploadPort: depot.port,
      lasting: 4,
      measureMs: MEASURE_MS,
      mostPerSecond,
    }
    const seen = visitors.during(choices, changes)
    const { lives, ...figures } = seen
    console.info(
      JSON.stringify({ ...figures, lives: lives.length, ms: Math.round(performance.now() - began) }),
    )
    expect({ failed: seen.failed, faults: seen.faults }).toEqual({ failed: {}, faults: [] })
    expect(seen.answered).toEqual(seen.asked)
    expect(Math.min(...Object.values(seen.answered))).toBeGreaterThan(requests / 4)
    expect(seen.uploads).toBeGreaterThanOrEqual(4)
    for (const kind of ['stream', 'socket'])
      expect(lives.filter((life) => life.kind === kind).length).toBeGreaterThan(deploys)
    const early = lives.filter(
      ({ how, afterMs }) => how !== 'asked to end' || afterMs < GRACE_S * 1000 - SLACK_MS,
    )
    expect(early).toEqual([])
    expect(tracesOf(host)).toEqual(wantedTraces(host))
  },
  TRIES_ALL ? 1_800_000 : 300_000,
)
