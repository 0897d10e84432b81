import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sample, TRIES_ALL } from '../support/sample.ts'
import type { BootedMachine } from './booted-machine.ts'
import { type HostTraces, tracesOf, wantedTraces } from './host-leftovers.ts'
import { endedWell, HostedMachine, hasSaid } from './hosted-machine.ts'
import { Visitors } from './visitors.ts'

/** Kills of each program at drawn moments of a deploy, besides those at its steps. */
const DRAWN = TRIES_ALL ? 90 : 0
const LONGEST_MS = 4_000
const SETTLES_MS = 15_000

const booted = await HostedMachine.boot(['nft', 'git', 'curl'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine

/** A request that it has when it is asked to end is lost, as with most programs. */
const SERVER = `
import { createServer } from 'node:http'
const own = process.env.SVC_RELEASE + '/' + process.env.SVC_PROCESS
const server = createServer((request, response) => {
  response.setHeader('x-instance', own)
  if (request.url === '/slow') setTimeout(() => response.end(own), 700)
  else response.end(process.env.SVC_SHA)
})
setTimeout(() => server.listen(process.env.PORT), 300)
`
const DEFINITION = {
  version: 1,
  build: { command: 'sleep 0.3' },
  release: 'sleep 0.3',
  stop: { grace_s: 3 },
  processes: { web: { command: 'node server.mjs', health: { path: '/up', timeout_s: 15 } } },
}

let host: HostedMachine
let visitors: Visitors
beforeAll(async () => {
  if (typeof booted === 'string') return
  host = await HostedMachine.install(booted)
  visitors = new Visitors(machine)
  host.hurryAgent()
  endedWell(host.followed(deploying().id))
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

let commits = 0

/** Begins to deploy the next commit. */
function deploying(): { readonly id: string; readonly sha: string } {
  commits += 1
  const files = { 'server.mjs': `${SERVER}// ${commits}\n`, 'svc.json': JSON.stringify(DEFINITION) }
  const sha = host.commit('shop', files)
  const source = { type: 'git', repo_url: 'file:///srv/shop', sha }
  return { id: host.enqueued('deploy', { app: 'shop', source }), sha }
}

const instances = (state: string) =>
  `[ "$(systemctl list-units --all --plain --no-legend --state=${state} 'svc-app@shop:*' | wc -l)" -gt 1 ]`

/** The moments of a deploy, as conditions of a shell; a step begins when the one before has ended. */
const MOMENTS: Readonly<Record<string, string>> = {
  'when it is taken': 'test -d "$work"',
  'in the fetch': hasSaid('fetching '),
  'when it is fetched': hasSaid('found '),
  'in the build': hasSaid('build: '),
  'in the release command': hasSaid('release command: '),
  'when the release command has ended': hasSaid('release command done'),
  'when the new instance starts': instances('active,activating'),
  'when the new instance is healthy': hasSaid('web.1 '),
  'when it has switched': hasSaid('switched to '),
  'while the old instance has visitors': `${hasSaid('switched to ')} && sleep 0.3`,
  'when the old instance has ended': hasSaid('the old instances ended'),
  'when it has ended': hasSaid('shop is at '),
}
const PROGRAMS = { agent: 'svc-agent', supervisor: 'svc-appsd' } as const
type Program = keyof typeof PROGRAMS

const drawn = (name: Program): [string, Program, string][] =>
  Array.from({ length: DRAWN }, () => {
    const seconds = ((Math.random() * LONGEST_MS) / 1000).toFixed(2)
    return [`${seconds} s after its order`, name, `sleep ${seconds}`]
  })
const ROUNDS = (Object.keys(PROGRAMS) as Program[]).flatMap((name) => [
  ...Object.entries(MOMENTS).map(([moment, condition]): [string, Program, string] => [
    moment,
    name,
    condition,
  ]),
  ...drawn(name),
])

/** Kills a program at a moment of a deploy. Returns how that ended, once everything has come to rest. */
function killedAt(condition: string, program: Program) {
  const before: string = host.record().apps.shop.live.sha
  const { id, sha } = deploying()
  const { state, log } = host.killedIn(id, condition, PROGRAMS[program])
  return { state, log, wanted: state === 'succeeded' ? sha : before }
}

/** The traces of applications, once they are as they should be, or do not change to that for a while. */
function settled(): { readonly found: HostTraces; readonly wanted: HostTraces } {
  const end = performance.now() + SETTLES_MS
  for (;;) {
    const [found, wanted] = [tracesOf(host), wantedTraces(host)]
    if (JSON.stringify(found) === JSON.stringify(wanted) || performance.now() > end) return { found, wanted }
    machine.sh('sleep 0.2')
  }
}

onHost.each(sample(ROUNDS, 2))(
  `a deploy %s outlives the end of the %s: its job says which release is live, and nothing is left over${without}`,
  (_, program, condition) => {
    const { port } = host.record().apps.shop
    const kinds = ['/', '/', '/', '/slow'].map((path) => ({ name: path, path }))
    let ended = { state: '', log: '', wanted: '' }
    const seen = visitors.during({ port, kinds, perSecond: 40 }, () => {
      ended = killedAt(condition, program)
    })
    const { found, wanted } = settled()
    const { live } = host.record().apps.shop
    if (live.sha !== ended.wanted)
      throw new Error(`the job ${ended.state}, and ${live.sha} is live: ${ended.log}`)
    const faults = { failed: seen.failed, faults: seen.faults }
    expect({ said: host.ask('shop'), ...faults, ...found }).toEqual({
      ...{ said: live.sha, failed: {}, faults: [] },
      ...wanted,
    })
  },
  120_000,
)

onHost(
  `a deploy after all of them leaves the releases that are kept, and no others${without}`,
  () => {
    const { id, sha } = deploying()
    endedWell(host.followed(id))
    const of = (folder: string) => machine.sh(`ls ${folder}`).split('\n')
    const kept = of('/var/lib/svc-agent/apps/shop/releases')
    expect(kept).toHaveLength(3)
    expect(kept).toContain(sha)
    // The next deploy removes the one that this one has let go.
    const built = of('/var/lib/svc-appsd/releases/shop')
    expect(built).toEqual(expect.arrayContaining(kept))
    expect(built.length).toBeLessThanOrEqual(4)
  },
  60_000,
)
