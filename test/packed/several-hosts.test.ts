import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { HostedMachine } from './hosted-machine.ts'
import { NOTHING_FAILED, Visitors } from './visitors.ts'

const DESK = '/srv/desk'
const PORT = 8080
const HOSTS = ['web-1', 'web-2'] as const
const RELAY = ['RELAY_MODE=embedded', `RELAY_URL=ws://127.0.0.1:${PORT}`]

const booted = await Promise.all(HOSTS.map((name) => HostedMachine.boot(['nft', 'git', 'curl'], {}, name)))
const lacking = booted.find((each) => typeof each === 'string')
const onHosts = lacking === undefined ? test : test.skip
const without = lacking === undefined ? '' : ` (skipped: ${lacking})`
const machines = booted as readonly BootedMachine[]
const [one, two] = machines as [BootedMachine, BootedMachine]
let host: HostedMachine
let visitors: Visitors

/** A program that says a word and its host, and does not start on a host that has this file. */
const program = (word: string) => `
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
if (existsSync('/srv/refuses-${word}')) process.exit(3)
createServer((request, response) => response.end('${word} ' + hostname())).listen(process.env.PORT)
`
const DEFINITION = { version: 1, stop: { grace_s: 2 }, processes: { web: { command: 'node server.mjs' } } }

/** Commits the program at the desk, where no server of git is. */
function commit(word: string): void {
  one.write(`${DESK}/server.mjs`, program(word))
  one.write(`${DESK}/svc.json`, JSON.stringify(DEFINITION))
  const git = `git -C ${DESK} -c user.name=a -c user.email=a@example.com`
  one.sh(`test -d ${DESK}/.git || git init --quiet --initial-branch=main ${DESK}
    ${git} add --all && ${git} commit --quiet -m ${word}`)
}
const svc = (...words: readonly string[]) => host.plane.svcIn(DESK, 'apps', ...words)
/** Runs a command, and shows its words when it ends otherwise. */
function demand(code: number, ...words: readonly string[]) {
  const ran = svc(...words)
  if (ran.code !== code)
    throw new Error(`svc apps ${words.join(' ')} ended with ${ran.code}: ${ran.err}${ran.out}`)
  return ran
}
/** The apps of a machine, by their records. */
const appsOf = (machine: BootedMachine) => JSON.parse(machine.sh('cat /var/lib/svc-appsd/apps.json')).apps
const ask = (machine: BootedMachine, app: string) =>
  machine.run(['curl', '-sS', '-m', '5', `http://127.0.0.1:${appsOf(machine)[app].port}/`]).out
const answers = (app: string) => machines.map((machine) => ask(machine, app))

beforeAll(async () => {
  if (lacking !== undefined) return
  host = await HostedMachine.install(one, RELAY)
  await two.reach(PORT, one)
  two.sh("git config --system --add safe.directory '*'")
  await host.join(two)
  visitors = new Visitors(two)
  one.sh(
    `until [ "$(curl -sS -H @/srv/token -d '{}' http://127.0.0.1:${PORT}/api/v1/operations/fleet.servers | grep -o '"web-[12]"' | sort -u | wc -l)" = 2 ]; do sleep 0.2; done`,
  )
}, 240_000)
afterAll(async () => {
  for (const each of booted) if (typeof each !== 'string') await each[Symbol.asyncDispose]()
})

onHosts(
  `the commit of a folder is sent to both hosts, and runs on one after the other${without}`,
  () => {
    commit('first')
    const hosts = HOSTS.flatMap((name) => ['--host', name])
    demand(0, 'create', 'shop', '--license', host.license, ...hosts)
    demand(0, 'deploy', 'shop', '--upload', '--follow')
    expect(answers('shop')).toEqual(['first web-1', 'first web-2'])
  },
  180_000,
)

onHosts(
  `a release that the second host refuses stays on the first, and visitors of the second notice nothing${without}`,
  () => {
    commit('second')
    two.sh('touch /srv/refuses-second')
    const seen = visitors.reading(appsOf(two).shop.port, ['/'], () => {
      const { out } = demand(1, 'deploy', 'shop', '--upload', '--follow')
      expect(out).toContain('web is not healthy: it ended with exit code 3')
    })
    expect(seen).toMatchObject({ ...NOTHING_FAILED, got: { first: expect.any(Number) } })
    expect(answers('shop')).toEqual(['second web-1', 'first web-2'])
    two.sh('rm /srv/refuses-second')
    demand(0, 'deploy', 'shop', '--upload', '--follow')
    expect(answers('shop')).toEqual(['second web-1', 'second web-2'])
  },
  180_000,
)

onHosts(
  `an app moves with the commit that was sent, back, and away for good${without}`,
  () => {
    demand(0, 'create', 'blog', '--license', host.license, '--host', 'web-1')
    demand(0, 'deploy', 'blog', '--upload', '--follow')
    expect(ask(one, 'blog')).toBe('second web-1')
    two.sh('touch /srv/refuses-second')
    expect(demand(1, 'move', 'blog', '--to', 'web-2').err).toContain('The move stands still')
    expect(ask(one, 'blog')).toBe('second web-1')
    two.sh('rm /srv/refuses-second')
    demand(0, 'move', 'blog', '--to', 'web-2')
    expect(ask(two, 'blog')).toBe('second web-2')
    expect(appsOf(one).blog.stopped).toBe(true)
    demand(0, 'move', 'blog', '--undo')
    expect(ask(one, 'blog')).toBe('second web-1')
    expect(appsOf(two).blog.stopped).toBe(true)
    demand(0, 'move', 'blog', '--to', 'web-2')
    demand(0, 'move', 'blog', '--finish')
    expect([appsOf(one).blog, ask(two, 'blog')]).toEqual([undefined, 'second web-2'])
    expect(answers('shop')).toEqual(['second web-1', 'second web-2'])
  },
  240_000,
)
