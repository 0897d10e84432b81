import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { CONTAINERS_CONF, endedWell, HostedMachine } from './hosted-machine.ts'

/** A server of pages with busybox, and the clients of both engines with the libraries of this machine. */
const DOCKERFILE = `FROM scratch
COPY busybox /bin/busybox
ENV PATH=/bin
RUN ["/bin/busybox", "sh", "-c", "busybox --install -s /bin"]
COPY root /
COPY site /site
RUN chmod +x /site/cgi-bin/*; adduser -D -u 70 guest 2>/dev/null || :
EXPOSE 3000
USER 70:70
CMD ["/bin/sh", "-c", "trap 'exit 0' TERM; httpd -f -p 3000 -h /site & wait"]
`
const SITE = {
  'site/cgi-bin/sql': `#!/bin/sh
printf 'content-type: text/plain\\r\\n\\r\\n'; psql "$DATABASE_URL" -Atc 'select current_user' 2>&1; id -u
`,
  'site/cgi-bin/my': `#!/bin/sh
printf 'content-type: text/plain\r\n\r\n'; export MYSQL_PWD="$BOX_PASSWORD"
mariadb --no-defaults -S "$BOX_SOCKET" -u "$BOX_USER" -BN "$BOX_NAME" -e 'select current_user()' 2>&1; id -u
`,
}

/** A container whose user keeps a file in a volume that nobody else reads. */
const VAULT = {
  Dockerfile: DOCKERFILE.replaceAll('70', '999'),
  'svc.json': JSON.stringify({ version: 1, volumes: { vault: '/vault' } }),
  'site/cgi-bin/put': `#!/bin/sh
printf 'content-type: text/plain\r\n\r\n'; umask 077; echo "$QUERY_STRING" > /vault/secret
`,
  'site/cgi-bin/get': `#!/bin/sh
printf 'content-type: text/plain\r\n\r\n'; stat -c '%u %a' /vault /vault/secret; cat /vault/secret
`,
}

const booted = await HostedMachine.boot(
  ['nft', 'git', 'podman', 'runc', 'newuidmap', 'slirp4netns', 'psql'],
  { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' },
)
const isBare =
  typeof booted !== 'string' &&
  booted.run(['sh', '-c', 'test -x /usr/lib/postgresql/*/bin/postgres']).code !== 0
const onPostgres = typeof booted === 'string' || isBare ? test.skip : test
const without =
  typeof booted === 'string'
    ? ` (skipped: ${booted})`
    : isBare
      ? ' (skipped: this machine lacks postgresql)'
      : ''
const isMariadbless =
  typeof booted === 'string' ||
  booted.run(['sh', '-c', 'command -v mariadbd && command -v mariadb']).code !== 0
const onMariadb = isMariadbless ? test.skip : onPostgres
const unmariaed = isMariadbless ? ' (skipped: this machine lacks mariadb)' : without
const isResticless = typeof booted === 'string' || booted.run(['sh', '-c', 'command -v restic']).code !== 0
const onRestic = isResticless ? test.skip : onPostgres
const unresticed = isResticless ? ' (skipped: this machine lacks restic)' : without
const machine = booted as BootedMachine
let host: HostedMachine

beforeAll(async () => {
  if (typeof booted === 'string' || isBare) return
  machine.write('/etc/containers/containers.conf', CONTAINERS_CONF)
  machine.sh(`chmod 0666 /dev/net/tun; mkdir -p /srv/box/root/bin; cp /bin/busybox /srv/box/
    cp /usr/lib/postgresql/*/bin/psql /srv/box/root/bin/
    cp /usr/bin/mariadb /srv/box/root/bin/ || :
    for program in /srv/box/root/bin/*; do ldd "$program"; done | grep -o '/[^ ]*' | while read file; do
      mkdir -p "/srv/box/root$(dirname "$file")"; cp -L "$file" "/srv/box/root$file"; done`)
  host = await HostedMachine.install(machine)
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

describe('Databases of the host in containers', () => {
  onPostgres(
    `a container reaches its database at its socket, also as another user and after the server began again${without}`,
    () => {
      endedWell(host.deploy('box', host.commit('box', { Dockerfile: DOCKERFILE, ...SITE })))
      expect(host.ask('box', '/cgi-bin/sql')).not.toContain('box\n')
      const made = endedWell(host.job('db', { op: 'create', engine: 'postgres', name: 'box', app: 'box' }))
      expect(made).toContain('box gets the address of box as DATABASE_URL')
      expect(host.ask('box', '/cgi-bin/sql')).toBe('box\n70')
      machine.sh('systemctl restart svc-db-postgres')
      expect(host.ask('box', '/cgi-bin/sql')).toBe('box\n70')
      endedWell(host.job('db', { op: 'unlink', engine: 'postgres', name: 'box', app: 'box' }))
      expect(host.ask('box', '/cgi-bin/sql')).not.toContain('box\n')
    },
    180_000,
  )

  onMariadb(
    `a container reaches its database of MariaDB, also after a restore, whose address is another one${unmariaed}`,
    () => {
      const order = (op: string, more: object = {}) =>
        endedWell(host.job('db', { op, engine: 'mariadb', name: 'my_box', ...more }))
      order('create', { app: 'box', as: 'BOX_URL' })
      expect(host.ask('box', '/cgi-bin/my')).toBe('my_box@localhost\n70')
      order('backup')
      order('restore')
      expect(host.ask('box', '/cgi-bin/my')).toBe('my_box@localhost\n70')
    },
    120_000,
  )
})

describe('Volumes of containers', () => {
  onRestic(
    `a file of another user of the container comes back from a backup as that user's${unresticed}`,
    () => {
      machine.sh('mkdir -p /srv/vault; cp -r /srv/box/busybox /srv/box/root /srv/vault')
      endedWell(host.deploy('vault', host.commit('vault', VAULT)))
      const put = (word: string) => host.ask('vault', `/cgi-bin/put?${word}`)
      const kept = () => host.ask('vault', '/cgi-bin/get').split('\n')
      put('one')
      const [folder = ''] = kept()
      expect(kept()).toEqual([folder, '999 600', 'one'])
      endedWell(host.job('backup', { app: 'vault' }))
      put('two')
      const { images } = host.plane.json<{ images: { id: string }[] }>('images', 'list')
      const restore = (...words: string[]) => {
        const { job } = host.plane.json<{ job: { id: string } }>(
          'images',
          'restore',
          images[0]?.id ?? '',
          ...words,
        )
        return endedWell(host.followed(job.id))
      }
      expect(restore('--data')).toContain('restored the volume vault')
      expect(kept()).toEqual([folder, '999 600', 'one'])
      put('three')
      expect(kept()).toEqual([folder, '999 600', 'three'])
      restore('--undo')
      expect(kept()).toEqual([folder, '999 600', 'two'])
    },
    180_000,
  )
})
