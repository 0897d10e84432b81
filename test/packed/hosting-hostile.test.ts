import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { endedWell, HostedMachine } from './hosted-machine.ts'

const booted = await HostedMachine.boot(['nft', 'git', 'curl'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine
const isBare = typeof booted !== 'string' && booted.run(['which', 'caddy']).code !== 0

const SECRET = 'a-secret-of-the-victim'
const VICTIM = `
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
writeFileSync(process.env.HOME + '/kept', process.env.SECRET)
createServer((request, response) => response.end(process.env.SECRET)).listen(process.env.PORT)
createServer((request, response) => response.end(process.env.SECRET)).listen(process.env.HOME + '/own.sock')
`
const SOCKET = '/var/lib/caddy/admin.sock'
const CADDYFILE = `{
	admin unix/${SOCKET}
}
import /etc/caddy/svc/*.caddy
`

let host: HostedMachine
beforeAll(async () => {
  if (typeof booted === 'string') return
  host = await HostedMachine.install(booted)
  endedWell(deploy('victim', VICTIM, { volumes: { uploads: '/data/uploads' } }))
  if (isBare) return
  machine.write('/etc/caddy/Caddyfile', CADDYFILE)
  machine.sh('systemctl restart caddy')
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

/** Deploys a program, whose definition has this besides. */
function deploy(app: string, program: string, more: object = {}, web: object = {}) {
  const process = { command: 'node server.mjs', health: { path: '/up', timeout_s: 15 }, ...web }
  const definition = { version: 1, stop: { grace_s: 2 }, processes: { web: process }, ...more }
  const sha = host.commit(app, { 'server.mjs': program, 'svc.json': JSON.stringify(definition) })
  return host.deploy(app, sha, { env: { SECRET } })
}

const userOf = (app: string) =>
  machine.sh(`systemctl show --value -p User "$(ls /etc/systemd/system | grep 'svc-app@${app}:' | head -1)"`)
const processesOf = (user: string) => Number(machine.sh(`ps -L -u ${user} -o lwp= | wc -l`))
/** The victim answers within a second, while others do harm. */
const demandVictim = () =>
  expect(machine.sh(`curl -sS -m 1 http://127.0.0.1:${host.record().apps.victim.port}/`)).toBe(SECRET)

const SERVES = `
import { createServer } from 'node:http'
createServer((request, response) => response.end('it serves')).listen(process.env.PORT)
`

onHost(
  `an app that starts processes without end has no more than it may, and its neighbour answers${without}`,
  () => {
    const many = `${SERVES}
import { spawn } from 'node:child_process'
setTimeout(() => spawn('sh', ['-c', 'for n in $(seq 3000); do sleep 60 & done; wait'], { stdio: 'ignore' }), 1500)
`
    endedWell(deploy('many', many))
    const user = userOf('many')
    let most = 0
    for (let look = 0; look < 20 && most < 1_000; look += 1) {
      machine.sh('sleep 0.5')
      most = Math.max(most, processesOf(user))
      demandVictim()
    }
    machine.sh('sleep 2')
    expect(most).toBeGreaterThan(500)
    expect(processesOf(user)).toBeLessThan(2_100)
    endedWell(host.job('remove', { app: 'many' }))
    expect(processesOf(user)).toBe(0)
  },
  120_000,
)

onHost(
  `an app that writes 3 GB of output fills neither the disk nor the log of the host${without}`,
  () => {
    const writer = `${SERVES}
import { spawn } from 'node:child_process'
setTimeout(() => spawn('sh', ['-c', 'yes "a line of no use" | head -c 3000000000'], { stdio: 'inherit' }), 1500)
`
    endedWell(deploy('writer', writer))
    const log = '/var/lib/svc-appsd/logs/writer.log'
    const used = () => Number(machine.sh('du -s -m /var/lib/svc-appsd | cut -f 1'))
    const writes = () => machine.run(['pgrep', '-u', userOf('writer'), '-x', 'head']).code === 0
    const before = used()
    let most = 0
    machine.sh('sleep 2')
    for (let look = 0; look < 100 && writes(); look += 1) {
      most = Math.max(most, used())
      demandVictim()
      machine.sh('sleep 0.2')
    }
    expect(writes()).toBe(false)
    machine.sh('sleep 2')
    expect(most - before).toBeLessThan(1_500)
    expect(used() - before).toBeLessThan(100)
    expect(machine.run(['sh', '-c', `grep -q 'bytes of output were dropped' ${log} ${log}.1`]).code).toBe(0)
    endedWell(host.job('remove', { app: 'writer' }))
  },
  120_000,
)

onHost(
  `an app that ignores its stop signal ends after its grace time, with everything that it has started${without}`,
  () => {
    const stubborn = `${SERVES}
import { spawn } from 'node:child_process'
process.on('SIGTERM', () => {})
spawn('setsid', ['sh', '-c', "trap '' TERM; while :; do sleep 1; done"], { stdio: 'ignore', detached: true })
`
    endedWell(deploy('stubborn', stubborn))
    const user = userOf('stubborn')
    const began = performance.now()
    endedWell(deploy('stubborn', SERVES))
    endedWell(deploy('stubborn', stubborn))
    endedWell(host.job('stop', { app: 'stubborn' }))
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(processesOf(user)).toBe(0)
    endedWell(host.job('remove', { app: 'stubborn' }))
  },
  120_000,
)

onHost(
  `a health path that leads to the addresses of a cloud's secrets leads nobody there${without}`,
  () => {
    const metadata = '169.254.169.254'
    machine.write(
      '/srv/metadata.mjs',
      `import { createServer } from 'node:http'
createServer((request, response) => { console.log(request.url); response.end() }).listen(8169, '${metadata}')`,
    )
    machine.sh(`ip address add ${metadata}/32 dev lo
      systemd-run --quiet --unit=metadata --property=StandardOutput=file:/srv/asked node /srv/metadata.mjs
      until curl -sf http://${metadata}:8169/proof; do sleep 0.1; done`)
    const leading = `
import { createServer } from 'node:http'
createServer((request, response) =>
  response.writeHead(302, { location: 'http://${metadata}:8169/latest/meta-data' }).end()).listen(process.env.PORT)
`
    endedWell(deploy('leading', leading))
    // Two of the checks of an instance that runs.
    machine.sh('sleep 11')
    expect(machine.sh('cat /srv/asked')).toBe('/proof')
    for (const path of [`http://${metadata}:8169/`, `//${metadata}:8169/`, `@${metadata}:8169/`])
      expect(deploy('leading', SERVES, {}, { health: { path } }).log).not.toContain('meta-data')
    expect(machine.sh('cat /srv/asked')).toBe('/proof')
    endedWell(host.job('remove', { app: 'leading' }))
  },
  120_000,
)

/** The places of the victim, which stay the same in all of its states. */
interface Places {
  readonly port: number
  readonly instance: string
  readonly user: string
  readonly unit: string
  readonly pid: string
  readonly sha: string
}

const LISTENS = (port: number) =>
  `node -e "require('net').createServer().on('error', () => process.exit(1)).listen(${port}, '127.0.0.1', () => process.exit(0))"`

/** Each tries to get something of the victim, and succeeds when it does. */
const attempts = ({ port, instance, user, unit, pid, sha }: Places): Readonly<Record<string, string>> => ({
  'its port': `curl -s -m 2 -o /dev/null http://127.0.0.1:${port}/`,
  'the port of its instance': `curl -s -m 2 -o /dev/null http://127.0.0.1:${instance}/`,
  'its socket': `curl -sf -m 2 --unix-socket /var/lib/svc-appsd/state/${user}/own.sock http://x/`,
  'its files': `cat /var/lib/svc-appsd/state/${user}/kept`,
  'its volume': `ls /var/lib/svc-appsd/volumes/${user}/uploads`,
  'its release': `ls /var/lib/svc-appsd/releases/victim/${sha}`,
  'its commit': `ls /var/lib/svc-agent/apps/victim`,
  'its variables': `cat '/var/lib/svc-appsd/units/${unit}/env'`,
  'its output': 'cat /var/lib/svc-appsd/logs/victim.log',
  'the record of all': 'cat /var/lib/svc-appsd/apps.json',
  'its process': `kill -0 ${pid}`,
  'the variables of its process': `cat /proc/${pid}/environ`,
  'the socket of orders':
    'curl -sf -m 2 --unix-socket /run/svc-appsd/control.sock -X POST -d {} http://x/status',
})
/** The same of the proxy, which leads to the victim. */
const PROXIED: Readonly<Record<string, string>> = {
  'the administration of the proxy': `curl -sf -m 2 -H 'Host;' --unix-socket ${SOCKET} http://x/config/`,
  'the keys of its certificates': 'ls /var/lib/caddy/.local/share/caddy/pki/authorities',
  'who may visit it': 'cat /etc/caddy/svc/victim.caddy',
}

const order = (more: object) => {
  const { sha } = host.record().apps.victim.live
  const source = { type: 'git', repo_url: 'file:///srv/victim', sha }
  return endedWell(host.job('redeploy', { app: 'victim', source, ...more }))
}
const STATES: Readonly<Record<string, () => void>> = {
  running: () => {},
  'in maintenance': () => order({ maintenance: true }),
  stopped: () => endedWell(host.job('stop', { app: 'victim' })),
  removed: () => endedWell(host.job('remove', { app: 'victim' })),
}

onHost(
  `an app gets nothing of its neighbour, in any of its states${without}${isBare ? ' (without caddy)' : ''}`,
  () => {
    endedWell(deploy('hostile', SERVES))
    const { port, live } = host.record().apps.victim
    const unit = `svc-app@victim:web:1:${live.number}`
    const show = (name: string) => machine.sh(`systemctl show --value -p ${name} '${unit}.service'`)
    const instance = machine.sh(`cat '/var/lib/svc-appsd/units/${unit}/port'`)
    const places = { port, instance, unit, user: show('User'), pid: show('MainPID'), sha: live.sha }
    if (!isBare)
      endedWell(host.job('expose', { app: 'victim', domain: 'a.example.com', port: 80, tls: 'internal' }))
    const all = { ...attempts(places), ...(isBare ? {} : PROXIED) }
    // Root gets all of it, so that each attempt is one that could succeed.
    for (const [name, command] of Object.entries(all))
      expect([name, machine.run(['sh', '-c', command]).code]).toEqual([name, 0])
    for (const [state, begin] of Object.entries(STATES)) {
      begin()
      const own = state === 'removed' ? {} : { 'its port for itself': LISTENS(port) }
      const lines = Object.entries({ ...all, ...own }).map(
        ([name, command]) => `if ( ${command} ) >/dev/null 2>&1; then echo 'GOT ${name}'; fi`,
      )
      machine.write('/srv/attempts', `${lines.join('\n')}\necho tried all as "$(id -un)"\n`)
      const program = [
        'runuser',
        '-u',
        'svc-apps',
        '--',
        'node',
        '/usr/local/lib/svc/svc-agent.mjs',
        'host-apps',
      ]
      const run = [
        'run',
        '--apps',
        '/var/lib/svc-agent/apps',
        '--app',
        'hostile',
        '--command=sh /srv/attempts',
      ]
      const { out } = machine.run([...program, ...run])
      expect([state, out]).toEqual([state, `tried all as ${userOf('hostile')}\n`])
    }
  },
  120_000,
)
