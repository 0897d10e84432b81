import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readPage, root } from '../docs/page.ts'
import { packedFolder } from '../support/packed.ts'
import type { BootedMachine } from './booted-machine.ts'
import { CONTAINERS_CONF, HostedMachine } from './hosted-machine.ts'
import { InstalledPlane } from './installed-plane.ts'

/** docs/hosting.md, word for word: each block of each section, on the server or at the desk as it says. */
const PAGE = 'docs/hosting.md'
const DOMAINS = ['shop', 'hello', 'counter', 'pages'].map((name) => `${name}.example.com`)
const STEP_MS = 120_000

/** The authority of certificates: a second Caddy, whose network of its own has ports 80 and 443 too. */
const AUTHORITY = `{
	admin off
	skip_install_trust
}
ca.example.com {
	tls internal
	acme_server
}
`
const AUTHORITY_ROOT = '/srv/ca-root.crt'

/** Images of docker.io come from a registry of this machine. */
const REGISTRIES_CONF = `[[registry]]
prefix = "docker.io"
location = "127.0.0.1:5000"
insecure = true
`
const REGISTRY = `version: 0.1
storage:
  filesystem:
    rootdirectory: /srv/registry
http:
  addr: 127.0.0.1:5000
`
const BUSYBOX = `FROM scratch
COPY busybox /bin/busybox
ENV PATH=/bin
RUN ["/bin/busybox", "sh", "-c", "busybox --install -s /bin"]
`

const booted = await HostedMachine.boot(
  ['nft', 'git', 'caddy', 'restic', 'podman', 'runc', 'newuidmap', 'slirp4netns']
    .concat(['docker-registry', 'redis-server', 'busybox', 'ip', 'psql'])
    .concat('/usr/lib/postgresql/*/bin/postgres'),
  { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' },
)
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine

/** The blocks below each heading of the page. */
function sectionsOf(path: string): Map<string, readonly string[]> {
  const { blocks, prose } = readPage(path, readFileSync(join(root, path), 'utf8'))
  const heads = prose.flatMap((line, index) =>
    line.startsWith('## ') ? [[line.slice(3), index] as const] : [],
  )
  return new Map(
    heads.map(([head, at], index) => {
      const end = heads[index + 1]?.[1] ?? prose.length
      return [head, blocks.filter(({ line }) => line > at && line <= end).map(({ text }) => text)]
    }),
  )
}
const sections = sectionsOf(PAGE)

/** Words of the page that stand for something of the reader's. */
const names = new Map([
  ['https://svc.example', 'http://127.0.0.1:8080'],
  [
    'admin unix//var/lib/caddy/admin.sock',
    `$&\n\tacme_ca https://ca.example.com/acme/local/directory\n\tacme_ca_root ${AUTHORITY_ROOT}`,
  ],
])

/** Runs a block where its first line says, in the folder that the block before has left. */
function follow(block: string, input = ''): string {
  const place = /^# (on the server|at your desk)\n/.exec(block)?.[1]
  if (place === undefined) throw new Error(`the block does not say where it is run: ${block}`)
  const home = place === 'on the server' ? '/srv/server' : '/srv/desk'
  let text = block.replace(/^apt-get install .*$/m, 'true')
  for (const [word, meant] of names) text = text.replaceAll(word, () => meant.replace('$&', word))
  const script = `export HOME=${home}; cd "$(cat ${home}/.folder)"; ${text}\npwd > ${home}/.folder`
  const { code, out, err } = machine.run(['bash', '--norc', '-euo', 'pipefail', '-c', script], input, STEP_MS)
  if (code === 0) return out
  throw new Error(`${block}\nended with ${code}: ${err}${out}`)
}

/** Follows all blocks of a section, and returns what they printed. */
const section = (head: string): string => (sections.get(head) ?? []).map((block) => follow(block)).join('')

function openAuthority(): void {
  machine.write('/srv/ca/Caddyfile', AUTHORITY)
  machine.sh(`ip netns add ca
    ip link add toca type veth peer name host netns ca
    ip addr add 10.77.0.1/24 dev toca; ip link set toca up
    ip -n ca addr add 10.77.0.2/24 dev host; ip -n ca link set host up; ip -n ca link set lo up
    echo 10.77.0.2 ca.example.com >> /etc/hosts
    for name in ${DOMAINS.join(' ')}; do echo "10.77.0.1 $name" >> /etc/hosts; done
    systemd-run --quiet --unit=authority --setenv=XDG_DATA_HOME=/srv/ca --setenv=HOME=/srv/ca \\
      ip netns exec ca caddy run --config /srv/ca/Caddyfile
    until test -s /srv/ca/caddy/pki/authorities/local/root.crt; do sleep 0.1; done
    cp /srv/ca/caddy/pki/authorities/local/root.crt ${AUTHORITY_ROOT}; chmod 644 ${AUTHORITY_ROOT}`)
}

/** The images of the page, made of this machine's own programs. */
function openRegistry(): void {
  machine.write('/etc/containers/containers.conf', CONTAINERS_CONF)
  machine.write('/etc/containers/registries.conf.d/docker.conf', REGISTRIES_CONF)
  machine.write('/srv/registry.yml', REGISTRY)
  machine.write('/srv/images/busybox/Dockerfile', BUSYBOX)
  machine.write(
    '/srv/images/redis/Dockerfile',
    `${BUSYBOX}COPY root /\nENV PATH=/usr/bin:/bin\nVOLUME /data\nWORKDIR /data\nEXPOSE 6379\nCMD ["/usr/bin/redis-server"]\n`,
  )
  machine.sh(`chmod 0666 /dev/net/tun
    systemd-run --quiet --unit=registry docker-registry serve /srv/registry.yml
    cd /srv/images; cp /bin/busybox busybox; cp /bin/busybox redis
    for file in /usr/bin/redis-server $(ldd /usr/bin/redis-server | grep -o '/[^ ]*'); do
      mkdir -p "redis/root$(dirname $file)"; cp -L $file "redis/root$file"
    done
    until curl -s -o /dev/null http://127.0.0.1:5000/v2/; do sleep 0.1; done
    for image in busybox:1.37 redis:7; do
      podman --root /srv/store --storage-driver vfs --cgroup-manager cgroupfs build -q -t 127.0.0.1:5000/library/$image \${image%:*}
      podman --root /srv/store --storage-driver vfs --cgroup-manager cgroupfs push -q --tls-verify=false 127.0.0.1:5000/library/$image
    done`)
}

/** The desk: a user of git, and the command of the plane. */
async function prepare(): Promise<void> {
  const plane = new InstalledPlane(machine, await packedFolder())
  plane.start()
  machine.write(
    '/usr/local/bin/svc',
    '#!/bin/sh\nexec runuser -u svc -- /opt/svc/node_modules/.bin/svc "$@" --data-dir /var/lib/svc\n',
    0o755,
  )
  machine.write(
    '/srv/server/svc-agent.mjs',
    readFileSync(join(await packedFolder(), 'svc-agent.mjs'), 'utf8'),
  )
  machine.sh(`mkdir -p /srv/desk /srv/git; echo /srv/desk > /srv/desk/.folder; echo /srv/server > /srv/server/.folder
    for name in shop hello counter pages; do git init --quiet --bare --initial-branch=main /srv/git/$name.git; done
    git config --system url.file:///srv/git/.insteadOf https://git.example/acme/
    git config --system safe.directory '*'
    git config --system user.name ann; git config --system user.email ann@example.com
    echo 'cacert = ${AUTHORITY_ROOT}' > /srv/desk/.curlrc`)
}

beforeAll(async () => {
  if (typeof booted === 'string') return
  await prepare()
  openAuthority()
  openRegistry()
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

onHost(
  `a server is made ready${without}`,
  () => {
    const [license = '', install = '', caddy = ''] = sections.get('A server') ?? []
    const [, key = ''] = /^key {2}(\S+)$/m.exec(follow(license)) ?? []
    follow(install, `${key}\n`)
    expect(follow(caddy)).toContain('applications')
  },
  STEP_MS,
)

onHost(
  `an application with a database and a secret runs${without}`,
  () => {
    const said = section('An application')
    expect(said).toMatch(/web\.1 \(port \d+\).* healthy/)
    expect(said).toContain('switched to release 1')
    expect(said).not.toMatch(/postgresql:\/\//)
  },
  STEP_MS,
)

onHost(
  `its domain has a public certificate, of an authority that looked at it${without}`,
  () => {
    expect(section('A domain')).toMatch(/has a certificate until .*\nvisit 1\nvisit 2\n/s)
    expect(follow('# at your desk\ncurl -sS https://shop.example.com/secret')).toBe('set\n')
    const shown = follow('# at your desk\ncurl -sSv https://shop.example.com/ 2>&1')
    expect(shown).toMatch(/issuer: .*Caddy Local Authority/)
  },
  STEP_MS,
)

onHost(
  `the next release, and the way back${without}`,
  () => {
    expect(section('The next release, and the way back')).toMatch(/\nvisitor \d+\n.*\nvisit \d+\n$/s)
  },
  STEP_MS,
)

onHost(
  `a backup, and what it brings back${without}`,
  () => {
    const [backup = '', restore = ''] = sections.get('Backups') ?? []
    follow(backup)
    const listed = follow('# at your desk\nsvc images list --host web-1 --state available --json')
    const { images } = JSON.parse(listed) as { images: { checksum: string }[] }
    names.set('4bba301e', images[0]?.checksum.slice(0, 8) ?? '')
    expect(follow(restore)).toMatch(
      /^visit \d+\n.*\na note\nrestoring .*the database shop: 1 tables, [4-6] rows\n/s,
    )
  },
  STEP_MS,
)

onHost(
  `a Dockerfile${without}`,
  () => expect(section('A Dockerfile')).toMatch(/\nhello from a container\n$/),
  STEP_MS,
)

onHost(
  `a compose file with a database${without}`,
  () => expect(section('A compose file')).toMatch(/\n:1\r?\n\+OK\r?\n$/),
  STEP_MS,
)

onHost(
  `a static site${without}`,
  () => expect(section('A static site')).toMatch(/\n<h1>Pages<\/h1>\n$/),
  STEP_MS,
)

onHost(
  `the worker and the commands at times of the clock have run${without}`,
  () => {
    const { crons } = JSON.parse(
      follow(
        '# at your desk\nuntil svc apps cron list shop --json | grep -q last_at; do sleep 2; done; svc apps cron list shop --json',
      ),
    )
    expect(crons).toMatchObject([{ name: 'clean' }])
    expect(machine.sh('cat /var/lib/svc-appsd/logs/shop.log')).toMatch(/worker\.1 \| /)
  },
  STEP_MS,
)

/** Two processes that say who they are, and what they were asked for. */
const TWO = `
import { createServer } from 'node:http'
createServer((request, response) => response.end(process.env.SVC_PROCESS + ' ' + request.url + '\\n')).listen(process.env.PORT)
`

onHost(
  `a path of a domain is another process's, and both keep their ports${without}`,
  () => {
    machine.sh(
      'git init --quiet --bare --initial-branch=main /srv/git/two.git; echo 10.77.0.1 two.example.com >> /etc/hosts',
    )
    machine.write('/srv/desk/two/server.js', TWO)
    machine.write('/srv/desk/two/package.json', '{"type":"module"}')
    const processes = {
      web: { command: 'node server.js' },
      api: { command: 'node server.js', http: true, count: 2 },
    }
    machine.write('/srv/desk/two/svc.json', JSON.stringify({ version: 1, processes }))
    const deploy = (more = '') =>
      follow(`# at your desk
cd /srv/desk/two; test -d .git || git init --quiet --initial-branch=main .
git add --all; git commit --quiet --allow-empty --message one; git push --quiet https://git.example/acme/two.git HEAD:main
svc apps deploy two --sha "$(git rev-parse HEAD)" --follow${more}`)
    follow(
      '# at your desk\nsvc apps create two --license acme --host web-1 --repo https://git.example/acme/two.git',
    )
    deploy()
    const expose = (options: string) =>
      follow(
        `# at your desk\nsvc apps domains add two two.example.com --tls off ${options} --follow || echo failed`,
      )
    const ask = (path: string) =>
      follow(`# at your desk\ncurl --silent --show-error --path-as-is http://two.example.com${path}`)
    expect(expose('--path /x=worker')).toContain('two has no process worker with visitors here')
    expose('--path /api=api /api/v2=web')
    const rows: [string, RegExp][] = [
      ['/', /^web\.1 \/$/],
      ['/api', /^api\.\d \/api$/],
      ['/api/x?y=z', /^api\.\d \/api\/x\?y=z$/],
      ['/apis', /^web\.1 /],
      ['/api/v2/x', /^web\.1 /],
      ['/api/v2x', /^api\.\d /],
    ]
    for (const [path, answer] of rows)
      expect([path, ask(path).trim()]).toEqual([path, expect.stringMatching(answer)])
    deploy()
    for (const [path, answer] of rows)
      expect([path, ask(path).trim()]).toEqual([path, expect.stringMatching(answer)])
    expose('--process api')
    expect(ask('/')).toMatch(/^api\.\d /)
  },
  STEP_MS,
)
