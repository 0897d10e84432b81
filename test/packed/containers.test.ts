import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { CONTAINERS_CONF, endedWell, failedJob, HostedMachine } from './hosted-machine.ts'
import { NOTHING_FAILED, Visitors } from './visitors.ts'

/** A server of pages that are scripts, with nothing but busybox. */
const DOCKERFILE = `FROM scratch
COPY busybox /bin/busybox
ENV PATH=/bin
RUN ["/bin/busybox", "sh", "-c", "busybox --install -s /bin"]
COPY site /site
ARG GREETING
RUN chmod +x /site/cgi-bin/*; echo built as $(id -u), $GREETING
EXPOSE 3000
CMD ["/bin/sh", "-c", "trap 'exit 0' TERM; echo started; httpd -f -p 3000 -h /site & wait"]
`

/** Scripts of the server: what it is, what it knows, and one that takes its time. */
const site = (word: string) => ({
  'site/index.html': `${word} page`,
  'site/cgi-bin/who': `#!/bin/sh\nprintf 'content-type: text/plain\\r\\n\\r\\n${word} %s' "$SVC_RELEASE"\n`,
  'site/cgi-bin/env': "#!/bin/sh\nprintf 'content-type: text/plain\\r\\n\\r\\n'; cat /proc/1/environ\n",
  'site/cgi-bin/facts':
    "#!/bin/sh\nprintf 'content-type: text/plain\\r\\n\\r\\n'; cat /proc/1/status; cat /proc/self/uid_map\n",
  'site/cgi-bin/slow': `#!/bin/sh\nsleep 1\nprintf 'content-type: text/plain\\r\\n\\r\\n${word}'\n`,
})

const REGISTRY = 'registry.example.com:5000'
const REGISTRY_CONFIG = `version: 0.1
storage:
  filesystem:
    rootdirectory: /srv/registry/data
http:
  addr: 127.0.0.1:5000
  tls:
    certificate: /srv/registry/cert.pem
    key: /srv/registry/key.pem
auth:
  htpasswd:
    realm: test
    path: /srv/registry/htpasswd
`

// The control groups are in one tree, as on every Debian of today, whatever this machine has.
const booted = await HostedMachine.boot(['nft', 'git', 'podman', 'runc', 'newuidmap', 'slirp4netns'], {
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1',
})
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine
const isAlone = typeof booted !== 'string' && booted.run(['which', 'docker-registry']).code !== 0
const onRegistry = isAlone ? test.skip : onHost
const noRegistry = isAlone ? ' (skipped: this machine lacks docker-registry)' : without
let host: HostedMachine
let visitors: Visitors

const units = () =>
  machine
    .sh('ls /etc/systemd/system')
    .split('\n')
    .filter((name) => name.startsWith('svc-app@'))
const user = () => machine.sh(`systemctl show --value -p User '${units()[0]}'`)
/** The containers or images of the application, as its podman lists them. */
const podman = (...words: readonly string[]) =>
  machine
    .sh(
      `setpriv --reuid ${user()} --regid ${user()} --clear-groups env HOME=/var/lib/svc-appsd/containers/${user()} XDG_RUNTIME_DIR=/run/svc-app/${user()} podman --cgroup-manager=cgroupfs --log-level=error ${words.join(' ')}`,
    )
    .split('\n')
    .filter((line) => line !== '')
/** Starts a registry that wants a password, behind a certificate that the host's podman trusts. */
function openRegistry(): void {
  machine.sh(`mkdir -p /srv/registry /etc/containers/certs.d/${REGISTRY}; cd /srv/registry
    echo 127.0.0.1 registry.example.com >> /etc/hosts
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout key.pem -out cert.pem \\
      -subj /CN=registry.example.com -addext subjectAltName=DNS:registry.example.com 2>/dev/null
    cp cert.pem /etc/containers/certs.d/${REGISTRY}/ca.crt
    perl -e 'print "ann:", crypt("password-of-ann", "\\$2b\\$05\\$" . "a" x 22), "\\n"' > htpasswd`)
  machine.write('/srv/registry/config.yml', REGISTRY_CONFIG)
  machine.sh(`systemd-run --quiet --unit=registry docker-registry serve /srv/registry/config.yml
    until curl -s --cacert /srv/registry/cert.pem -o /dev/null https://${REGISTRY}/v2/; do sleep 0.1; done`)
}

const processes = () =>
  machine.sh("ps -eo args | grep -E 'conmon|slirp4netns|rootlessport' | grep -v grep || :")

/** Visitors ask all the time while work is done. */
const underLoad = (work: () => void) =>
  visitors.reading(host.record().apps.box.port, ['/', '/', '/cgi-bin/slow'], work)

beforeAll(async () => {
  if (typeof booted === 'string') return
  machine.write('/etc/containers/containers.conf', CONTAINERS_CONF)
  machine.sh(
    'chmod 0666 /dev/net/tun; mkdir -p /srv/box /srv/linked; cp /bin/busybox /srv/box/; cp /bin/busybox /srv/linked/',
  )
  host = await HostedMachine.install(machine)
  visitors = new Visitors(machine)
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

describe('Containers on a machine with systemd', () => {
  let first = ''

  onHost(
    `a Dockerfile is built and runs as the user of its application, with its variables${without}`,
    () => {
      first = host.commit('box', { Dockerfile: DOCKERFILE, ...site('one') })
      const env = { GREETING: "it's $HOME", LINES: 'a\nb "c" `d`\n', PATH: '/bin:/opt/bin' }
      const log = endedWell(host.deploy('box', first, { env }))
      expect(log).toContain('found Dockerfile: a container')
      expect(log).toContain('built as 0,\n')
      expect(log).toMatch(/the image is sha256:[0-9a-f]{64}/)
      expect(host.ask('box')).toBe('one page')
      expect(host.ask('box', '/cgi-bin/who')).toBe('one 1')
      const seen = host.ask('box', '/cgi-bin/env').split('\0')
      for (const [name, value] of Object.entries({ ...env, SVC_APP: 'box', SVC_SHA: first, PORT: '3000' }))
        expect(seen).toContain(`${name}=${value}`)
      const facts = host.ask('box', '/cgi-bin/facts')
      expect(facts).toMatch(/CapEff:\s+0{16}/)
      expect(facts).toMatch(/CapBnd:\s+0{16}/)
      expect(facts).toMatch(/NoNewPrivs:\s+1/)
      const [, uid] = machine.sh(`getent passwd ${user()}`).split(':').slice(1)
      expect(facts).toMatch(new RegExp(`^\\s+0\\s+${uid}\\s+1$`, 'm'))
      expect(machine.sh('ps -eo args')).not.toContain("it's $HOME")
      expect(machine.sh(`cat /etc/systemd/system/'${units()[0]}'`)).not.toContain('GREETING')
    },
    120_000,
  )

  onHost(
    `deploys, and those that fail in their build or their health, change nothing for visitors${without}`,
    () => {
      const svc = {
        version: 1,
        build: { type: 'dockerfile', args: { GREETING: "it's $(argued)" } },
        processes: {
          web: {
            port: 3000,
            count: 2,
            roll: 'beside',
            memory: '200M',
            health: { path: '/cgi-bin/who', timeout_s: 3 },
          },
          worker: { command: 'while sleep 0.2; do echo $SVC_PROCESS > $SVC_VOLUME_DATA/beat; done' },
        },
        volumes: { data: '/data' },
        release: 'echo migrated by $SVC_APP | tee /data/release',
        stop: { signal: 'SIGTERM', grace_s: 2 },
      }
      const second = host.commit('box', { ...site('two'), 'svc.json': JSON.stringify(svc) })
      const unbuilt = host.commit('box', { Dockerfile: `${DOCKERFILE}RUN exit 3\n` })
      const unwell = host.commit('box', { Dockerfile: DOCKERFILE, 'site/cgi-bin/who': '#!/bin/sh\nexit 1\n' })
      const seen = underLoad(() => {
        const log = endedWell(host.deploy('box', second))
        expect(log).toContain('migrated by box')
        expect(log).toContain("built as 0, it's $(argued)")
        expect(failedJob(host.deploy('box', unbuilt))).toContain(
          'the build of Dockerfile ended with exit code 3',
        )
        expect(failedJob(host.deploy('box', unwell))).toContain('web is not healthy: GET /cgi-bin/who')
        expect(host.ask('box', '/cgi-bin/who')).toBe('two 2')
        const back = endedWell(host.deploy('box', first))
        expect(back).toContain('the image is here already')
        endedWell(host.deploy('box', second))
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(seen.got.one).toBeGreaterThan(50)
      expect(seen.got.two).toBeGreaterThan(50)
      const [web = ''] = units()
      expect(units()).toHaveLength(3)
      expect(machine.sh(`systemctl show --value -p MemoryMax '${web}'`)).toBe(String(200 * 1024 * 1024))
      const pid = machine.sh(`systemctl show --value -p MainPID '${web}'`)
      const inner = machine.sh(`cat /proc/$(cat /proc/${pid}/task/${pid}/children | cut -d ' ' -f 1)/cgroup`)
      expect(inner).toContain(`0::${machine.sh(`systemctl show --value -p ControlGroup '${web}'`)}/`)
      const data = `/var/lib/svc-appsd/volumes/${user()}/data`
      expect(machine.sh(`cat ${data}/release ${data}/beat`)).toBe('migrated by box\nworker.1')
      const stranger = ['runuser', '-u', 'nobody', '--', 'cat', `${data}/release`]
      expect(machine.run(stranger).code).not.toBe(0)
      expect(podman('ps', '--format', '{{.Names}}').sort()).toEqual(['web.1.4', 'web.2.4', 'worker.1.4'])
    },
    180_000,
  )

  onHost(
    `the supervisor starts again and a container ends without a failed request, and its output is kept${without}`,
    () => {
      const seen = underLoad(() => {
        machine.sh(
          'kill -KILL $(systemctl show --value -p MainPID svc-appsd); sleep 2; systemctl restart svc-appsd; sleep 1',
        )
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      const [web = ''] = units()
      machine.sh(`systemctl kill --signal=KILL '${web}'; sleep 0.6`)
      for (let time = 0; time < 10; time += 1) expect(host.ask('box', '/cgi-bin/who')).toBe('two 4')
      machine.sh(`for turn in $(seq 50); do systemctl -q is-active '${web}' && break; sleep 0.2; done`)
      expect(machine.sh(`systemctl show --value -p NRestarts '${web}'`)).toBe('1')
      const logs =
        'node /usr/local/lib/svc/svc-agent.mjs host-apps logs --apps /var/lib/svc-agent/apps --app box --lines 1000'
      expect(machine.sh(`runuser -u svc-apps -- ${logs}`)).toMatch(/web\.1 \| started/)
    },
    120_000,
  )

  onHost(
    `a supervisor that is killed in a build leaves no work and no container, and the old release serves${without}`,
    () => {
      const slow = host.commit('box', { Dockerfile: `${DOCKERFILE}RUN sleep 30\n` })
      const seen = underLoad(() => {
        machine.sh('systemd-run --quiet --on-active=3 systemctl kill --signal=KILL svc-appsd')
        failedJob(host.deploy('box', slow))
        machine.sh('until test -S /run/svc-appsd/control.sock; do sleep 0.1; done; sleep 1')
      })
      expect(seen).toMatchObject(NOTHING_FAILED)
      expect(machine.sh("systemctl list-units --no-legend 'svc-work@*'")).toBe('')
      expect(machine.sh(`ls /var/lib/svc-appsd/containers/${user()}`)).toBe('')
      expect(podman('ps', '--all', '--format', '{{.Names}}')).toHaveLength(3)
    },
    120_000,
  )

  onRegistry(
    `an image of a private registry is a release, and its password is nowhere afterwards${noRegistry}`,
    () => {
      openRegistry()
      const image = `localhost/svc:${host.record().apps.box.live.sha}`
      podman('push', '--quiet', '--creds=ann:password-of-ann', image, `${REGISTRY}/acme/pulled:1.2`)
      const repo = ['--repo', `docker://${REGISTRY}/acme/pulled`]
      host.plane.json('apps', 'create', 'pulled', '--license', host.license, '--host', 'web-1', ...repo)
      expect(host.plane.svc('apps', 'deploy', 'pulled', '--ref', '1.2', '--follow').code).toBe(1)
      expect(machine.sh('ls /var/lib/svc-agent/apps')).not.toContain('pulled')
      const login = ['apps', 'registry', 'login', 'pulled', REGISTRY, '--user', 'ann']
      expect(host.plane.svcWith('password-of-ann\n', ...login)).toMatchObject({ code: 0 })
      const { job } = host.plane.json<{ job: { id: string } }>('apps', 'deploy', 'pulled', '--ref', '1.2')
      const log = endedWell(host.followed(job.id))
      expect(log).not.toContain('password-of-ann')
      expect(host.ask('pulled', '/cgi-bin/who')).toBe('two 1')
      const seen = host.ask('pulled', '/cgi-bin/env')
      expect(seen).not.toContain('REGISTRY')
      expect(seen).toContain(`SVC_SHA=${host.record().apps.pulled.live.sha}`)
      podman(
        'push',
        '--quiet',
        '--creds=ann:password-of-ann',
        `localhost/svc:${first}`,
        `${REGISTRY}/acme/pulled:1.3`,
      )
      const next = host.plane.json<{ job: { id: string } }>('apps', 'deploy', 'pulled', '--ref', '1.3')
      endedWell(host.followed(next.job.id))
      expect(host.ask('pulled', '/cgi-bin/who')).toBe('one 2')
      machine.sh('systemctl stop registry')
      const back = host.plane.json<{ job: { id: string } }>('apps', 'rollback', 'pulled')
      const said = endedWell(host.followed(back.job.id))
      expect(said).toMatch(/the image sha256:[0-9a-f]{64} of an earlier deploy is here/)
      expect(said).not.toContain('pull:')
      expect(host.ask('pulled', '/cgi-bin/who')).toBe('two 3')
      const again = host.plane.json<{ job: { id: string } }>('apps', 'restart', 'pulled')
      endedWell(host.followed(again.job.id))
      expect(host.ask('pulled', '/cgi-bin/who')).toBe('two 4')
      const left = machine.run(['grep', '-rl', 'password-of-ann', '/var/lib/svc-appsd', '/run/svc-app'])
      expect(left.out).toBe('')
      endedWell(host.job('remove', { app: 'pulled' }))
    },
    120_000,
  )

  onHost(
    `a container reaches the app that it is linked to, and no other port of the host${without}`,
    () => {
      const api = (word: string) =>
        host.commit('api', {
          'server.mjs': `require('http').createServer((_, response) => response.end('${word}')).listen(process.env.PORT)`,
          Procfile: 'web: node - < server.mjs\n',
        })
      endedWell(host.deploy('api', api('the api')))
      endedWell(host.deploy('other', host.commit('other', { 'index.html': 'another' })))
      const { port } = host.record().apps.other
      const asks = (name: string, port: string) => ({
        [`site/cgi-bin/${name}`]: `#!/bin/sh
printf 'content-type: text/plain\\r\\n\\r\\n'
address=\${SVC_LINK_API_URL#http://}
printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 \${address%:*} ${port} | tail -n 1 | grep . || echo refused
`,
      })
      const definition = {
        version: 1,
        build: { type: 'dockerfile' },
        processes: { web: { port: 3000 } },
        links: ['api'],
      }
      const sha = host.commit('linked', {
        Dockerfile: DOCKERFILE,
        ...site('linked'),
        ...asks('api', '${address#*:}'),
        ...asks('other', port),
        'svc.json': JSON.stringify(definition),
      })
      endedWell(host.deploy('linked', sha))
      expect(host.ask('linked', '/cgi-bin/api')).toBe('the api')
      expect(host.ask('linked', '/cgi-bin/other')).toBe('refused')
      endedWell(host.deploy('api', api('the next api')))
      expect(host.ask('linked', '/cgi-bin/api')).toBe('the next api')
      for (const app of ['linked', 'api', 'other']) endedWell(host.job('remove', { app }))
    },
    120_000,
  )

  onHost(
    `containers come back with the machine, while the plane is away${without}`,
    async () => {
      machine.sh('systemctl disable --quiet svc')
      await machine.reboot()
      machine.sh('chmod 0666 /dev/net/tun')
      machine.sh(`until curl -sf -m 2 http://127.0.0.1:${host.record().apps.box.port}/; do sleep 0.2; done`)
      expect(host.ask('box', '/cgi-bin/who')).toBe('two 4')
      machine.sh(
        'systemctl enable --quiet --now svc; until curl -sf http://127.0.0.1:8080/healthz; do sleep 0.2; done',
      )
    },
    120_000,
  )

  onHost(
    `a removed application leaves no unit, no process, no image and no folder of podman${without}`,
    () => {
      const name = user()
      endedWell(host.job('remove', { app: 'box' }))
      expect(units()).toEqual([])
      expect(processes()).toBe('')
      expect(machine.sh(`ls /var/lib/svc-appsd/containers /run/svc-app`)).not.toContain(name)
    },
    120_000,
  )

  onHost(
    `a host without podman says which packages it lacks, and nothing is left of the application${without}`,
    () => {
      machine.sh('mv /usr/bin/podman /usr/bin/newuidmap /srv/')
      const log = failedJob(host.deploy('box', first))
      machine.sh('mv /srv/podman /srv/newuidmap /usr/bin/')
      expect(log).toContain('containers need podman, uidmap on this host: apt-get install podman uidmap')
      expect(host.record().apps.box).toBeUndefined()
      expect(machine.sh('ls /var/lib/svc-appsd/containers')).toBe('')
    },
    120_000,
  )
})
