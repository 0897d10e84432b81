import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { packedFolder } from '../support/packed.ts'
import { BootedMachine } from './booted-machine.ts'
import { dependenciesOfPlane, InstalledPlane, type IssuedLicense } from './installed-plane.ts'
import { NOTHING_FAILED, Visitors } from './visitors.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const AGENT = '/srv/svc-agent.mjs'
const REPOSITORY = '/srv/shop'
/** An application that says who it is, streams, and knows its release. */
const server = (word: string, more = '') => `
import { createServer } from 'node:http'
import { userInfo } from 'node:os'
${more}
createServer((request, response) => {
  if (request.url === '/say') console.log('said\\n\\nand more of ${word}')
  if (request.url === '/read') return void request.resume().on('end', () => response.end('read')).on('error', () => {})
  if (request.url === '/up') return response.end('ok')
  if (request.url === '/env') return response.end(JSON.stringify(process.env))
  if (request.url === '/slow') return void setTimeout(() => response.end('${word}'), 1500)
  response.end('${word} ' + process.env.SVC_RELEASE + ' ' + userInfo().username)
}).listen(process.env.PORT)
`

const booted = await BootedMachine.boot({
  '/usr/local/bin/node': process.execPath,
  ...dependenciesOfPlane(CHECKOUT),
})
const needs = ['nft', 'git']
const lacking =
  typeof booted === 'string' ? booted : needs.find((program) => booted.run(['which', program]).code !== 0)
const onHost = lacking === undefined ? test : test.skip
const without = lacking === undefined ? '' : ` (skipped: ${lacking})`
const machine = booted as BootedMachine

const isBare = typeof booted !== 'string' && booted.run(['which', 'caddy']).code !== 0
const onProxied = isBare ? test.skip : onHost
const unproxied = isBare ? ' (skipped: this machine lacks caddy)' : without

/** The file of an operator who has sites of its own. */
const CADDYFILE = `{
	admin unix//var/lib/caddy/admin.sock
}
:8099 {
	respond "mine"
}
import /etc/caddy/svc/*.caddy
`

let visitors: Visitors
let plane: InstalledPlane
let issued: IssuedLicense

interface Done {
  readonly log: string
  readonly state: string
}

/** Commits files to the repository of the application, and returns the id. */
function commit(files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) machine.write(join(REPOSITORY, name), text)
  const git = `git -C ${REPOSITORY} -c user.name=a -c user.email=a@example.com`
  machine.sh(`${git} add --all && ${git} commit --quiet --allow-empty -m change`)
  return machine.sh(`git -C ${REPOSITORY} rev-parse HEAD`)
}

/** Runs a job to its end. */
function job(kind: string, payload: object): Done {
  const words = [
    'jobs',
    'enqueue',
    kind,
    '--license',
    issued.license.id,
    '--payload',
    JSON.stringify(payload),
  ]
  const { job: made } = plane.json<{ job: { id: string } }>(...words)
  const log = plane.svc('jobs', 'logs', made.id, '--follow').out
  const { job: ended } = plane.json<{ job: { state: string } }>('jobs', 'show', made.id)
  return { log, state: ended.state }
}
/** Shows the log of a job that ended otherwise. */
function ended({ log, state }: Done, wanted: string): void {
  if (state !== wanted) throw new Error(`the job ${state}, not ${wanted}:\n${log}`)
}
const deploy = (sha: string, env = {}): Done =>
  job('deploy', { app: 'shop', source: { type: 'git', repo_url: `file://${REPOSITORY}`, sha }, env })

const status = () => JSON.parse(machine.sh('cat /var/lib/svc-appsd/apps.json'))
const port = (): number => status().apps.shop.port
const ask = (path = '/') => machine.sh(`curl -sS -m 5 http://127.0.0.1:${port()}${path}`)
const units = () =>
  machine
    .sh('ls /etc/systemd/system')
    .split('\n')
    .filter((name) => name.startsWith('svc-app@'))
const property = (unit: string, name: string) => machine.sh(`systemctl show --value -p ${name} '${unit}'`)

/** Visitors ask all the time while work is done; those of the proxy keep their connections. */
const underLoad = (work: () => void, visited = port(), name?: string) =>
  visitors.reading(
    visited,
    ['/', '/', '/', '/slow'],
    work,
    name === undefined ? {} : { host: name, isKept: true },
  )

beforeAll(async () => {
  if (lacking !== undefined) return
  visitors = new Visitors(machine)
  plane = new InstalledPlane(machine, await packedFolder())
  machine.write(AGENT, readFileSync(join(await packedFolder(), 'svc-agent.mjs'), 'utf8'))
  machine.sh(
    `git init --quiet --initial-branch=main ${REPOSITORY}; git config --system --add safe.directory '*'`,
  )
  plane.start()
  issued = plane.json<IssuedLicense>('licenses', 'issue')
  const { code, err } = machine.run(
    ['node', AGENT, 'install', '--url', 'http://127.0.0.1:8080', '--apps'],
    `${issued.key}\n`,
  )
  if (code !== 0) throw new Error(err)
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

describe('Applications on a machine with systemd', () => {
  let first = ''
  let second = ''

  onHost(
    `a deploy runs as a unit of a user of its own, at a port that stays${without}`,
    () => {
      first = commit({
        'server.js': server('one'),
        'package.json': JSON.stringify({ type: 'module' }),
        'svc.json': JSON.stringify({
          version: 1,
          release: 'echo "released $GREETING by $(id -un)"',
          cron: [{ name: 'tick', schedule: '* * * * *', command: 'echo "ticked by $(id -un)"; exit 3' }],
          processes: {
            web: { command: 'node server.js', health: { path: '/up' }, count: 2, memory: '200M' },
          },
        }),
      })
      const done = deploy(first, { GREETING: "it's $HOME" })
      ended(done, 'succeeded')
      expect(done.log).toMatch(/released it's \$HOME by sa-[a-z2-7]{10}\n/)
      expect(ask()).toMatch(/^one 1 sa-[a-z2-7]{10}$/)
      expect(JSON.parse(ask('/env'))).toMatchObject({
        GREETING: "it's $HOME",
        SVC_APP: 'shop',
        SVC_SHA: first,
      })
      expect(units()).toEqual(['svc-app@shop:web:1:1.service', 'svc-app@shop:web:2:1.service'])
      expect(property(units()[0] ?? '', 'MemoryMax')).toBe(String(200 * 1024 * 1024))
    },
    60_000,
  )

  onHost(
    `a deploy and a deploy that fails change nothing for visitors${without}`,
    () => {
      second = commit({ 'server.js': server('two') })
      const broken = commit({ 'server.js': 'process.exit(3)' })
      const seen = underLoad(() => {
        ended(deploy(second), 'succeeded')
        const failed = deploy(broken)
        ended(failed, 'failed')
        expect(failed.log).toContain('web is not healthy: it ended with exit code 3')
        expect(ask()).toMatch(/^two 2 /)
        ended(deploy(first), 'succeeded')
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(seen.got.one).toBeGreaterThan(0)
      expect(seen.got.two).toBeGreaterThan(0)
      expect(units()).toEqual(['svc-app@shop:web:1:3.service', 'svc-app@shop:web:2:3.service'])
      expect(machine.sh('ls /var/lib/svc-appsd/units').split('\n')).toHaveLength(2)
    },
    120_000,
  )

  onHost(
    `visitors notice neither the end of the supervisor nor a reload of the host's firewall${without}`,
    () => {
      const seen = underLoad(() => {
        machine.sh(
          'systemctl kill --kill-who=main --signal=KILL svc-appsd; sleep 2; systemctl -q is-active svc-appsd',
        )
        // A restart may come at any point of its start.
        for (const at of [0.1, 0.25, 0.4, 1]) machine.sh(`systemctl restart svc-appsd; sleep ${at}`)
        expect(ask()).toMatch(/^one 3 /)
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      machine.sh('nft flush ruleset; sleep 0.5')
      expect(ask()).toMatch(/^one 3 /)
    },
    60_000,
  )

  onHost(
    `a supervisor that is killed in a deploy leaves one release live, and the job says which${without}`,
    () => {
      const seen = underLoad(() => {
        for (const [index, delay] of [0.9, 1.7].entries()) {
          const [sha, other] = index % 2 === 0 ? [second, first] : [first, second]
          machine.sh(
            `systemd-run --quiet --on-active=${delay} systemctl kill --kill-who=main --signal=KILL svc-appsd`,
          )
          const { state, log } = deploy(sha)
          machine.sh('sleep 1.5; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done; sleep 0.5')
          const { live } = status().apps.shop
          if (live.sha !== (state === 'succeeded' ? sha : other))
            throw new Error(`${live.sha} is live: ${log}`)
          const left = [1, 2].map((number) => `svc-app@shop:web:${number}:${live.number}.service`)
          expect(units()).toEqual(left)
          expect(machine.sh('ls /var/lib/svc-appsd/units').split('\n')).toHaveLength(2)
          ended(deploy(sha), 'succeeded')
        }
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      ended(deploy(first), 'succeeded')
    },
    120_000,
  )

  onProxied(
    `a domain leads to it by the proxy, with a certificate, and visitors notice no deploy${unproxied}`,
    () => {
      const refused = job('expose', { app: 'shop', domain: 'shop.example.com', port: 80, tls: 'internal' })
      ended(refused, 'failed')
      expect(refused.log).toContain('the proxy does not run: systemctl start caddy')
      machine.sh('systemctl start caddy')
      const unread = job('expose', { app: 'shop', domain: 'shop.example.com', port: 80, tls: 'internal' })
      expect(unread.log).toContain('the proxy reads no file of svc: write this above everything else')
      machine.write('/etc/caddy/Caddyfile', CADDYFILE)
      machine.sh('systemctl restart caddy')
      const internal = job('expose', { app: 'shop', domain: 'shop.example.com', port: 80, tls: 'internal' })
      ended(internal, 'succeeded')
      expect(internal.log).toMatch(/https:\/\/shop\.example\.com has a certificate until \d{4}-/)
      ended(job('expose', { app: 'shop', domain: 'plain.example.com', port: 80, tls: 'off' }), 'succeeded')
      const root = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt'
      const secure = `curl -sS -m 5 --cacert ${root} --resolve shop.example.com:443:127.0.0.1 https://shop.example.com/`
      expect(machine.sh(secure)).toMatch(/^one \d+ sa-/)
      ended(
        job('expose', { app: 'shop', domain: 'shop.example.com', port: 80, tls: 'internal', hsts: true }),
        'succeeded',
      )
      expect(machine.sh(`${secure} -D - -o /dev/null`).toLowerCase()).toContain(
        '\nstrict-transport-security: max-age=31536000\r',
      )
      const own = '/etc/caddy/certificates/own.example.com'
      machine.sh(`mkdir -p /etc/caddy/certificates; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
        -subj /CN=own.example.com -addext subjectAltName=DNS:own.example.com -keyout ${own}.key -out ${own}.crt 2>&1; chown caddy ${own}.key`)
      ended(
        job('expose', { app: 'shop', domain: 'own.example.com', port: 80, tls: 'certificate' }),
        'succeeded',
      )
      const chosen = secure.replaceAll('shop.example.com', 'own.example.com').replace(root, `${own}.crt`)
      expect(machine.sh(chosen)).toMatch(/^one \d+ sa-/)
      const seen = underLoad(
        () => {
          ended(deploy(second), 'succeeded')
          ended(deploy(first), 'succeeded')
        },
        80,
        'plain.example.com',
      )
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(seen.got.two).toBeGreaterThan(0)
    },
    120_000,
  )

  onProxied(
    `a domain that is refused changes nothing, whatever is wrong with it${unproxied}`,
    () => {
      const before = machine.sh('cat /etc/caddy/svc/*.caddy')
      machine.sh('echo 203.0.113.9 elsewhere.example.com >> /etc/hosts')
      const rows: [object, string][] = [
        [{ app: 'other', domain: 'shop.example.com', port: 9000 }, 'shop.example.com is taken on this host'],
        [
          { app: 'shop', domain: 'elsewhere.example.com', port: 80 },
          'elsewhere.example.com has 203.0.113.9, and none of this host',
        ],
        [{ app: 'shop', domain: 'a.example.com', port: 80, tls: 'own' }, 'tls: expected one of'],
        [
          { app: 'shop', domain: 'a.example.com', port: 80, tls: 'certificate' },
          'put the certificate of a.example.com into /etc/caddy/certificates/a.example.com.crt',
        ],
        [{ app: 'shop', domain: 'a.example.com', port: 80, path: '/x' }, 'path: write paths'],
        [{ app: 'shop', domain: 'a.example.com', port: 80, tls: 'off', allow: ['10.0.0.0/8 { }'] }, 'allow'],
        [
          { app: 'shop', domain: 'a.example.com', port: 80, tls: 'off', allow: ['999.1.1.1'] },
          "invalid IP address: '999.1.1.1'",
        ],
      ]
      for (const [payload, why] of rows) {
        const done = job('expose', payload)
        ended(done, 'failed')
        expect(done.log).toContain(why)
      }
      expect(machine.sh('cat /etc/caddy/svc/*.caddy')).toBe(before)
    },
    120_000,
  )

  onProxied(
    `visitors of some ranges, or with a password alone, or sent on: each as its domain says${unproxied}`,
    () => {
      const hash = machine.sh("caddy hash-password --plaintext 'a word'")
      const asked = (domain: string, more = '') =>
        machine.sh(
          `curl -s -m 5 -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: ${domain}' ${more} http://127.0.0.1/`,
        )
      const expose = (domain: string, more: object) =>
        ended(job('expose', { app: 'shop', domain, port: 80, tls: 'off', ...more }), 'succeeded')
      expose('near.example.com', { allow: ['127.0.0.0/8'] })
      expose('far.example.com', { allow: ['10.0.0.0/8', '::1'] })
      expose('closed.example.com', { basic_auth: { user: 'ann', hash } })
      expose('old.example.com', { redirect_to: 'plain.example.com' })
      expose('small.example.com', { max_body: '2K' })
      const sent = (bytes: number, more = '') =>
        asked('small.example.com', `${more} --data-binary ${'x'.repeat(bytes)}`).slice(0, 3)
      expect([sent(2048), sent(2049)]).toEqual(['200', '413'])
      const streamed = (bytes: number) => sent(bytes, '--request-target /read -H transfer-encoding:chunked')
      expect(streamed(2048)).toBe('200')
      expect(['413', '502']).toContain(streamed(9000))
      expect(asked('near.example.com')).toBe('200')
      expect(asked('far.example.com')).toBe('403')
      expect(asked('closed.example.com')).toBe('401')
      expect(asked('closed.example.com', "-u 'ann:a word'")).toBe('200')
      expect(asked('old.example.com')).toBe('301 http://plain.example.com/')
      ended(job('unexpose', { app: 'shop', domain: 'near.example.com' }), 'succeeded')
      expect(asked('near.example.com')).not.toContain('301')
      expect(machine.sh('cat /etc/caddy/svc/shop.caddy')).not.toContain('near.example.com')
    },
    120_000,
  )

  onHost(
    `an instance that was killed gets no visitors until systemd has started it again${without}`,
    () => {
      const [unit = ''] = units()
      machine.sh(`kill -9 ${property(unit, 'MainPID')}; sleep 0.6`)
      for (let time = 0; time < 10; time += 1) expect(ask()).toMatch(/^one \d+ /)
      machine.sh(`sleep 3; systemctl -q is-active '${unit}'`)
      expect(property(unit, 'NRestarts')).toBe('1')
    },
    60_000,
  )

  onHost(
    `a restart replaces what runs, and the output of all releases is kept, empty lines too${without}`,
    () => {
      const { number } = status().apps.shop.live
      ask('/say')
      ended(
        job('redeploy', {
          app: 'shop',
          source: { type: 'git', repo_url: `file://${REPOSITORY}`, sha: first },
        }),
        'succeeded',
      )
      expect(status().apps.shop.live.number).toBe(number)
      const source = { type: 'git', repo_url: `file://${REPOSITORY}`, sha: first }
      ended(job('redeploy', { app: 'shop', source, restart: true }), 'succeeded')
      expect(status().apps.shop.live.number).toBe(number + 1)
      ask('/say')
      const logs = `node /usr/local/lib/svc/svc-agent.mjs host-apps logs --apps /var/lib/svc-agent/apps --app shop --lines 1000`
      machine.sh('sleep 0.5')
      const lines = machine.sh(`runuser -u svc-apps -- ${logs}`).split('\n')
      const words = lines.map((line) => line.replace(/^\S+ web\.\d \| ?/, ''))
      expect(words.filter((line) => line === 'said')).toHaveLength(2)
      expect(words.filter((line) => line === 'and more of one')).toHaveLength(2)
      expect(words[words.indexOf('said') + 1]).toBe('')
    },
    60_000,
  )

  onHost(
    `commands run as the user of the application: at times of the clock, and when a person asks${without}`,
    () => {
      const apps = 'host-apps run --apps /var/lib/svc-agent/apps --app shop'
      const run = (command: string, input = '') => {
        const program = ['runuser', '-u', 'svc-apps', '--', 'node', '/usr/local/lib/svc/svc-agent.mjs']
        return machine.run([...program, ...apps.split(' '), `--command=${command}`], input)
      }
      expect(run('read first; echo "$first."; wc -c', `one\n${'x'.repeat(3_000_000)}`).out).toBe(
        'one.\n3000000\n',
      )
      expect(run('echo it reads nothing', 'x'.repeat(1_000_000))).toMatchObject({
        code: 0,
        out: 'it reads nothing\n',
      })
      expect(run('id -un; pwd; echo "$SVC_PROCESS"; exit 4')).toMatchObject({
        code: 4,
        out: expect.stringMatching(
          /^sa-[a-z2-7]{10}\n\/var\/lib\/svc-appsd\/releases\/shop\/\w{40}\nrun\.\d\n$/,
        ),
      })
      expect(run('touch ./written').err + run('cat /var/lib/svc-appsd/apps.json').out).not.toContain('shop')
      machine.sh('until grep -q tick /var/lib/svc-appsd/cron.json; do sleep 1; done')
      const asked = JSON.parse(
        machine
          .sh('curl -sS --unix-socket /run/svc-appsd/control.sock -X POST -d {} http://x/status')
          .split('\n')
          .at(-1) ?? '',
      )
      const [{ crons }] = JSON.parse(asked.text).apps
      expect(crons).toMatchObject([{ name: 'tick', fault: 'it ended with exit code 3' }])
      const told = () => plane.json<{ crons: { fault?: string }[] }>('apps', 'cron', 'list', 'shop').crons
      for (let seconds = 0; told()[0]?.fault === undefined && seconds < 70; seconds += 1)
        machine.sh('sleep 1')
      expect(told()).toMatchObject([{ name: 'tick', fault: 'it ended with exit code 3' }])
      const { app } = plane.json<{ app: { observed: object[] } }>('apps', 'show', 'shop')
      expect(app.observed).toMatchObject([{ state: 'up', up: 2, of: 2 }])
      expect(machine.sh('cat /var/lib/svc-appsd/logs/shop.log*')).toMatch(
        / cron\.tick \| ticked by sa-[a-z2-7]{10}$/m,
      )
      expect(machine.sh('ls /run/systemd/system; ls /var/lib/svc-appsd/units')).not.toContain('svc-task@')
    },
    90_000,
  )

  onHost(
    `more instances start, and those that are too many leave, and visitors notice nothing; in maintenance they get 503${without}`,
    () => {
      const adjust = (more: object): Done =>
        job('redeploy', {
          app: 'shop',
          source: { type: 'git', repo_url: `file://${REPOSITORY}`, sha: first },
          ...more,
        })
      const { number } = status().apps.shop.live
      const seen = underLoad(() => {
        ended(adjust({ scale: { web: 3 } }), 'succeeded')
        expect(units()).toHaveLength(3)
        ended(adjust({ scale: { web: 1 } }), 'succeeded')
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(units()).toEqual([`svc-app@shop:web:1:${number}.service`])
      expect(status().apps.shop).toMatchObject({ scale: { web: 1 }, live: { number } })
      const refused = adjust({ scale: { worker: 1 } })
      ended(refused, 'failed')
      expect(refused.log).toContain('shop has no process worker: web')
      ended(adjust({ maintenance: true }), 'succeeded')
      expect(machine.sh(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${port()}/`)).toBe('503')
      machine.sh('systemctl restart svc-appsd; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done')
      expect(machine.sh(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${port()}/`)).toBe('503')
      expect(property(units()[0] ?? '', 'ActiveState')).toBe('active')
      ended(adjust({ maintenance: false, scale: { web: 2 } }), 'succeeded')
      expect(ask()).toMatch(/^one \d+ /)
    },
    90_000,
  )

  onHost(
    `the doctor of the agent names each part of the host, and who has too many rights${without}`,
    () => {
      const look = () => {
        const { out } = machine.run(['node', AGENT, 'doctor', '--json'])
        const { checks } = JSON.parse(out) as { checks: { name: string; status: string; meaning: string }[] }
        return new Map(checks.map(({ name, ...check }) => [name, check]))
      }
      for (const name of ['agent', 'handlers', 'applications', 'rules'])
        expect([name, look().get(name)?.status]).toEqual([name, 'ok'])
      machine.sh('groupadd -f docker; usermod -a -G docker svc-apps')
      expect(look().get('handlers')?.meaning).toContain('svc-apps is in the group docker')
      expect(machine.run(['node', AGENT, 'doctor']).code).toBe(1)
      machine.sh('gpasswd -d svc-apps docker >/dev/null; systemctl stop svc-appsd')
      expect(look().get('applications')?.meaning).toContain('svc-appsd.service does not answer')
      machine.sh('systemctl start svc-appsd; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done')
      expect(look().get('applications')?.status).toBe('ok')
    },
    60_000,
  )

  onHost(
    `nobody but root, the proxy and the application itself connects to it, and nothing shows its variables${without}`,
    () => {
      const [unit = ''] = units()
      const folder = `/var/lib/svc-appsd/units/${unit.replace('.service', '')}`
      const instance = machine.sh(`cat '${folder}/port'`)
      expect(machine.sh(`curl -sS http://127.0.0.1:${instance}/`)).toMatch(/^one \d+ /)
      for (const at of [port(), instance])
        expect(
          machine.run(['runuser', '-u', 'nobody', '--', 'curl', '-sS', '-m', '2', `http://127.0.0.1:${at}/`])
            .code,
        ).not.toBe(0)
      expect(
        machine.run(['runuser', '-u', 'nobody', '--', 'cat', '/run/svc-appsd/control.sock']).code,
      ).not.toBe(0)
      for (const file of ['env', 'run', 'output'])
        expect(machine.run(['runuser', '-u', 'nobody', '--', 'cat', `${folder}/${file}`]).code).not.toBe(0)
      expect(machine.sh(`systemctl show '${unit}'`)).not.toContain('GREETING')
    },
    60_000,
  )

  onHost(
    `applications come back with the machine, while the plane is away${without}`,
    async () => {
      machine.sh('systemctl disable --quiet svc')
      await machine.reboot()
      machine.sh(`until curl -sf -m 2 http://127.0.0.1:${port()}/up; do sleep 0.2; done`)
      expect(ask()).toMatch(/^one \d+ /)
      machine.sh(
        'systemctl enable --quiet --now svc; until curl -sf http://127.0.0.1:8080/healthz; do sleep 0.2; done',
      )
    },
    60_000,
  )

  onHost(
    `a stopped application says so, and a removed one leaves no unit and no port${without}`,
    () => {
      const at = port()
      ended(job('stop', { app: 'shop' }), 'succeeded')
      expect(machine.sh(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${at}/`)).toBe('503')
      expect(units()).toEqual([])
      ended(job('remove', { app: 'shop' }), 'succeeded')
      expect(machine.run(['curl', '-s', '-m', '2', `http://127.0.0.1:${at}/`]).code).toBe(7)
      expect(machine.sh('nft list table inet svc_apps')).not.toContain(String(at))
      if (!isBare) expect(machine.sh('ls /etc/caddy/svc')).toBe('')
    },
    60_000,
  )

  onHost(
    `pages are served by a process of the application's user, beside a worker without a port${without}`,
    () => {
      const folder = '/srv/pages'
      const git = `git -C ${folder} -c user.name=a -c user.email=a@example.com`
      machine.write(`${folder}/index.html`, 'a page')
      machine.sh(
        `git init --quiet --initial-branch=main ${folder}; ${git} add --all; ${git} commit --quiet -m one`,
      )
      const deployed = (app: string, path: string) => {
        const sha = machine.sh(`git -C ${path} rev-parse HEAD`)
        ended(job('deploy', { app, source: { type: 'git', repo_url: `file://${path}`, sha } }), 'succeeded')
      }
      deployed('pages', folder)
      expect(machine.sh(`curl -sS http://127.0.0.1:${status().apps.pages.port}/`)).toBe('a page')
      const worker = '/srv/worker'
      machine.write(`${worker}/Procfile`, 'worker: while sleep 0.2; do date > "$HOME/beat"; done\n')
      machine.sh(`git init --quiet --initial-branch=main ${worker}; ${git.replace(folder, worker)} add --all
        ${git.replace(folder, worker)} commit --quiet -m one`)
      deployed('worker', worker)
      const users = units().map((unit) => property(unit, 'User'))
      expect(new Set(users).size).toBe(2)
      machine.sh(
        `test -f /var/lib/svc-appsd/state/${property('svc-app@worker:worker:1:1.service', 'User')}/beat`,
      )
      for (const app of ['pages', 'worker']) ended(job('remove', { app }), 'succeeded')
    },
    60_000,
  )

  onHost(
    `uninstall --purge leaves nothing of the applications${without}`,
    () => {
      ended(deploy(first), 'succeeded')
      expect(machine.run(['node', AGENT, 'uninstall', '--purge'])).toMatchObject({ code: 0 })
      expect(units()).toEqual([])
      expect(machine.run(['test', '-e', '/var/lib/svc-appsd']).code).toBe(1)
      expect(machine.run(['nft', 'list', 'table', 'inet', 'svc_apps']).code).toBe(1)
      expect(machine.run(['sh', '-c', 'getent passwd | grep ^sa-']).code).toBe(1)
    },
    60_000,
  )
})
