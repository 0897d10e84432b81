import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sample } from '../support/sample.ts'
import type { BootedMachine } from './booted-machine.ts'
import { CONTAINERS_CONF, endedWell, failedJob, HostedMachine, hasSaid } from './hosted-machine.ts'
import { NOTHING_FAILED, Visitors } from './visitors.ts'

const dockerfile = (more: string) => `FROM scratch AS run
COPY busybox /bin/busybox
ENV PATH=/bin
RUN ["/bin/busybox", "sh", "-c", "busybox --install -s /bin"]
${more}`

const WEB = dockerfile(`ARG WORD
COPY site /site
RUN chmod +x /site/cgi-bin/*; echo "$WORD" > /word
CMD ["/bin/sh", "-c", "trap 'exit 0' TERM; httpd -f -p 3000 -h /site & wait"]
FROM run AS other
RUN exit 9
`)
/** A database whose answer is the times at which it was started. */
const DB = dockerfile(`EXPOSE 5432
CMD ["/bin/sh", "-c", "trap 'exit 0' TERM; echo started >> /var/lib/db/starts; nc -ll -p 5432 -e wc -l /var/lib/db/starts & wait"]
`)

const head = "#!/bin/sh\nprintf 'content-type: text/plain\\r\\n\\r\\n'\n"
const site = (word: string) => ({
  'web/Dockerfile': WEB,
  'db/Dockerfile': DB,
  'web/site/index.html': `${word} page`,
  'web/site/cgi-bin/db': `${head}answer=$(nc -w 3 my_db 5432 </dev/null) && echo "${word} $answer"\n`,
  'web/site/cgi-bin/facts': `${head}cat /word /etc/conf; cat /proc/1/status; cat /proc/1/environ; cat /etc/hosts\n`,
  'conf/web.conf': 'of the repository\n',
})

const compose = (more: { db?: string; web?: string; services?: string } = {}) => ({
  'compose.yaml': `
services:
  front:
    build: { context: web, target: run, args: { WORD: "\${WORD:-none}" } }
    ports: ["8080:3000"]
    environment: { SECRET: , GREETING: "hi \${WHO:?}" }
    volumes: ["./conf/web.conf:/etc/conf"]
    depends_on:
      my_db: { condition: service_healthy }
      migrate: { condition: service_completed_successfully }
    stop_grace_period: 2s
    mem_limit: 200m
    ${more.web ?? ''}
  worker:
    build: { context: web, target: run }
    command: [sh, -c, "trap 'exit 0' TERM; while sleep 0.2; do date > /shared/beat; done & wait"]
    tmpfs: /scratch
    read_only: true
    volumes: ["shared:/shared"]
    user: "1000:1000"
    stop_grace_period: 2s
  migrate:
    build: { context: web, target: run }
    command: sh -c 'echo migrated after $$(nc -w 3 my_db 5432 </dev/null); test "$FAIL" != migrate'
    depends_on: [my_db]
    environment: [FAIL]
  my_db:
    build: db
    volumes: ["data:/var/lib/db"]
    healthcheck: { test: [CMD, test, -s, /var/lib/db/starts], interval: 1s }
    stop_grace_period: 2s
    ${more.db ?? ''}
${more.services ?? ''}
volumes: { data: , shared: }
`,
})

const booted = await HostedMachine.boot(['nft', 'ip', 'git', 'podman', 'runc', 'newuidmap', 'slirp4netns'], {
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1',
})
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine
let host: HostedMachine
let visitors: Visitors
const ENV = { WORD: 'argued', SECRET: "it's $HOME", WHO: 'all' }

const units = () =>
  machine
    .sh('ls /etc/systemd/system')
    .split('\n')
    .filter((name) => name.startsWith('svc-app@'))
const unitOf = (process: string) => units().find((unit) => unit.includes(`:${process}:`)) ?? ''
const pidOf = (process: string) => machine.sh(`systemctl show --value -p MainPID '${unitOf(process)}'`)
/** The containers of the application, by their processes that watch over them. */
const containers = () =>
  machine
    .sh("ps -eo args | grep '[/]usr/bin/conmon' || :")
    .split('\n')
    .filter((line) => line !== '')
const deploy = (sha: string, more: object = {}) => host.deploy('box', sha, { env: { ...ENV, ...more } })

/** Visitors ask all the time while work is done. */
const underLoad = (work: () => void) =>
  visitors.reading(host.record().apps.box.port, ['/', '/cgi-bin/db'], work)

beforeAll(async () => {
  if (typeof booted === 'string') return
  machine.write('/etc/containers/containers.conf', CONTAINERS_CONF)
  machine.sh(
    'chmod 0666 /dev/net/tun; mkdir -p /srv/box/web /srv/box/db; cp /bin/busybox /srv/box/web; cp /bin/busybox /srv/box/db',
  )
  host = await HostedMachine.install(machine)
  host.hurryAgent()
  visitors = new Visitors(machine)
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

/** Programs that are killed in a deploy, and the moments. */
const KILLS: readonly (readonly ['svc-agent' | 'svc-appsd', string, string])[] = [
  ['svc-agent', 'before the new release starts', hasSaid('migrate runs to its end')],
  ['svc-agent', 'after the switch', hasSaid('switched to ')],
  ['svc-appsd', 'before the new release starts', hasSaid('migrate runs to its end')],
  ['svc-appsd', 'before the switch', hasSaid('web.1 ')],
]

describe('Compose files on a machine with systemd', () => {
  let first = ''
  let earlier = ''
  let rounds = 0

  onHost(
    `services run, find each other by name, and begin in their order${without}`,
    () => {
      first = host.commit('box', { ...compose(), ...site('one') })
      const log = endedWell(deploy(first))
      expect(log).toContain('found compose.yaml')
      expect(log).toContain('front is the process web')
      expect(log).toContain('migrated after 1 /var/lib/db/starts')
      expect(host.ask('box')).toBe('one page')
      expect(host.ask('box', '/cgi-bin/db')).toBe('one 1 /var/lib/db/starts')
      const facts = host.ask('box', '/cgi-bin/facts')
      for (const words of [
        'argued\n',
        'of the repository\n',
        "SECRET=it's $HOME\0",
        'GREETING=hi all\0',
        'my_db',
      ])
        expect(facts).toContain(words)
      expect(facts).toMatch(/NoNewPrivs:\s+1/)
      expect(facts).not.toContain('WHO=')
      expect(units()).toHaveLength(3)
      expect(machine.sh(`systemctl show --value -p MemoryMax '${unitOf('web')}'`)).toBe(
        String(200 * 1024 * 1024),
      )
    },
    180_000,
  )

  onHost(
    `a database is left running beside deploys, and nobody misses it${without}`,
    () => {
      const before = [unitOf('my-db'), pidOf('my-db')]
      const seen = underLoad(() => {
        for (const word of ['two', 'three', 'four']) {
          const log = endedWell(deploy(host.commit('box', site(word))))
          expect(log).toContain('left running, as nothing of it changed: my-db')
          expect(host.ask('box', '/cgi-bin/db')).toBe(`${word} 1 /var/lib/db/starts`)
        }
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect([unitOf('my-db'), pidOf('my-db')]).toEqual(before)
    },
    180_000,
  )

  onHost(
    `deploys that fail in a service change nothing, and a file that is refused builds nothing${without}`,
    () => {
      const before = units().sort()
      const seen = underLoad(() => {
        const sha = host.commit('box', { ...compose({ db: 'environment: { A: b }' }), ...site('five') })
        expect(failedJob(deploy(sha, { FAIL: 'migrate' }))).toContain(
          'migrate did not end well: it ended with exit code 1',
        )
        const unwell = host.commit('box', compose({ web: 'healthcheck: { test: "exit 3", interval: 1s }' }))
        expect(failedJob(deploy(unwell))).toContain('web is not healthy: its health check ended with 3')
        const hostile = host.commit('box', compose({ web: 'privileged: true' }))
        const log = failedJob(deploy(hostile))
        expect(log).toContain('services.front.privileged: refused: it would reach into the host')
        expect(log).not.toContain('STEP')
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(units().sort()).toEqual(before)
    },
    180_000,
  )

  onHost(
    `a database that changes is replaced with its data, and no other user reaches it${without}`,
    () => {
      const sha = host.commit('box', compose({ db: 'environment: { A: b }' }))
      const log = endedWell(deploy(sha))
      expect(log).toMatch(/the old (?:worker, )?my-db ended, so that the new one can start/)
      expect(host.ask('box', '/cgi-bin/db')).toBe('five 2 /var/lib/db/starts')
      const address = host.ask('box', '/cgi-bin/facts').match(/^(\S+)\s+my_db$/m)?.[1] ?? ''
      expect(address).toMatch(/^198\.19\./)
      const asked = (name: string) =>
        machine.run(['runuser', '-u', name, '--', 'busybox', 'nc', '-w', '2', address, '5432']).out
      expect(asked(machine.sh(`systemctl show --value -p User '${unitOf('web')}'`))).toContain('starts')
      expect(asked('nobody')).toBe('')
      const [, inner = ''] =
        machine
          .sh(`cat '/var/lib/svc-appsd/units/${unitOf('my-db').slice(0, -8)}/reached'`)
          .match(/,(\d+)/) ?? []
      const stranger = ['runuser', '-u', 'nobody', '--', 'busybox', 'nc', '-w', '2', '127.0.0.1', inner]
      expect(machine.run(stranger).out).toBe('')
    },
    120_000,
  )

  onHost(
    `a supervisor that starts again knows what was left running, and the machine brings it back${without}`,
    async () => {
      const before = [unitOf('my-db'), pidOf('my-db')]
      machine.sh('systemctl restart svc-appsd; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done')
      expect([unitOf('my-db'), pidOf('my-db')]).toEqual(before)
      earlier = host.record().apps.box.live.sha
      endedWell(deploy(host.commit('box', site('six'))))
      expect([unitOf('my-db'), pidOf('my-db')]).toEqual(before)
      machine.sh('systemctl disable --quiet svc')
      await machine.reboot()
      machine.sh('chmod 0666 /dev/net/tun')
      machine.sh(
        `until curl -sf -m 2 http://127.0.0.1:${host.record().apps.box.port}/cgi-bin/db; do sleep 0.2; done`,
      )
      expect(host.ask('box', '/cgi-bin/db')).toBe('six 3 /var/lib/db/starts')
      expect(unitOf('my-db')).toBe(before[0])
      machine.sh(
        'systemctl enable --quiet --now svc; until curl -sf http://127.0.0.1:8080/healthz; do sleep 0.2; done',
      )
    },
    120_000,
  )

  onHost(
    `an earlier commit has the images of before, with no repository and no build${without}`,
    () => {
      const before = pidOf('my-db')
      machine.sh('mv /srv/box /srv/away')
      const log = endedWell(deploy(earlier))
      machine.sh('mv /srv/away /srv/box')
      for (const service of ['web', 'worker', 'migrate', 'my-db'])
        expect(log).toContain(`the image of ${service} is here already`)
      expect(log).not.toContain('STEP')
      expect(log).toContain('left running, as nothing of it changed: my-db')
      expect(host.ask('box', '/cgi-bin/db')).toBe('five 3 /var/lib/db/starts')
      expect(pidOf('my-db')).toBe(before)
    },
    120_000,
  )

  onHost.each(sample(KILLS, KILLS.length))(
    `a deploy outlives the end of %s %s, and the database runs on${without}`,
    (unit, _, condition) => {
      const before = [unitOf('my-db'), pidOf('my-db')]
      const { sha: old } = host.record().apps.box.live
      rounds += 1
      const sha = host.commit('box', site(`round${rounds}`))
      const source = { type: 'git', repo_url: 'file:///srv/box', sha }
      let state = ''
      const seen = underLoad(() => {
        const id = host.enqueued('deploy', { app: 'box', source, env: ENV })
        ;({ state } = host.killedIn(id, condition, unit))
        machine.sh('sleep 3')
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(host.record().apps.box.live.sha).toBe(state === 'succeeded' ? sha : old)
      expect([unitOf('my-db'), pidOf('my-db')]).toEqual(before)
      expect(units()).toHaveLength(3)
      expect(containers()).toHaveLength(3)
      endedWell(deploy(sha))
      expect(host.ask('box')).toBe(`round${rounds} page`)
    },
    120_000,
  )

  onHost(
    `a further service has visitors at a port of its own, who notice no deploy${without}`,
    () => {
      const services = `  admin:
    build: { context: web, target: run }
    expose: ["3000"]
    stop_grace_period: 2s`
      const processes = { admin: { http: true } }
      const definition = JSON.stringify({ version: 1, build: { type: 'compose' }, processes })
      const none = { 'svc.json': definition.replace('"admin"', '"none"') }
      expect(failedJob(deploy(host.commit('box', none)))).toContain(
        'processes.none of svc.json: there is no such process: web, worker, migrate, my-db',
      )
      endedWell(deploy(host.commit('box', { ...compose({ services }), 'svc.json': definition })))
      const { port, ports } = host.record().apps.box
      expect(ports.admin).not.toBe(port)
      const seen = visitors.reading(ports.admin, ['/'], () => {
        endedWell(deploy(host.commit('box', site('last'))))
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(seen.got.last).toBeGreaterThan(0)
      expect(machine.sh(`curl -sS -m 5 http://127.0.0.1:${ports.admin}/`)).toBe('last page')
    },
    180_000,
  )

  onHost(
    `a removed application leaves no unit and no rule${without}`,
    () => {
      endedWell(host.job('remove', { app: 'box' }))
      expect(units()).toEqual([])
      expect(machine.sh('nft list table inet svc_apps')).not.toContain('198.19.')
      expect(machine.sh('ls /var/lib/svc-appsd/containers')).toBe('')
    },
    120_000,
  )
})
