import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { endedWell, failedJob, HostedMachine } from './hosted-machine.ts'

/** An application that keeps lines in its volume, and says who it is. */
const SERVER = `
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
const file = '/data/uploads/lines'
createServer((request, response) => {
  if (request.url === '/add') appendFileSync(file, 'line\\n')
  if (request.url === '/env') return response.end(JSON.stringify(process.env))
  response.end(readFileSync(file, 'utf8'))
}).listen(process.env.PORT)
`

const definition = (more: object = {}) =>
  JSON.stringify({
    version: 1,
    processes: { web: { command: 'node server.js' } },
    release: 'echo "released by $(id -un) $SVC_RELEASE" >> "$SVC_VOLUME_UPLOADS/lines"; echo done it',
    volumes: { uploads: '/data/uploads' },
    ...more,
  })
const FILES = { 'server.js': SERVER, 'package.json': '{"type":"module"}', 'svc.json': definition() }

const booted = await HostedMachine.boot(['nft', 'git'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''

const lacks = (command: string): boolean =>
  typeof booted !== 'string' && booted.run(['sh', '-c', command]).code !== 0
const isBare = lacks('test -x /usr/lib/postgresql/*/bin/postgres')
const onPostgres = isBare ? test.skip : onHost
const unposted = isBare ? ' (skipped: this machine lacks postgresql)' : without
const isResticless = isBare || lacks('command -v restic')
const onRestic = isResticless ? test.skip : onHost
const unresticed = isResticless ? ' (skipped: this machine lacks restic or postgresql)' : without
const isKeyless = lacks('command -v redis-server && command -v redis-cli')
const onValkey = isKeyless ? test.skip : onHost
const unkeyed = isKeyless ? ' (skipped: this machine lacks redis)' : without

let host: HostedMachine
let machine: BootedMachine

beforeAll(async () => {
  if (typeof booted === 'string') return
  machine = booted
  host = await HostedMachine.install(machine)
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

describe('Volumes on a machine with systemd', () => {
  onHost(
    `a volume stands at its path for the application alone, and the release command writes to it as its user${without}`,
    () => {
      const first = endedWell(host.deploy('shop', host.commit('shop', FILES)))
      expect(first).toContain('done it')
      expect(first).not.toContain('there was no web')
      host.ask('shop', '/add')
      const log = endedWell(host.deploy('shop', host.commit('shop', { note: 'two' })))
      expect(log).toMatch(/there was no web for \d+\.\d s/)
      const lines = /^released by (sa-[a-z2-7]{10}) 1\nline\nreleased by \1 2$/
      expect(host.ask('shop')).toMatch(lines)
      expect(machine.sh('ls /data/uploads')).toBe('')
      const volumes = '/var/lib/svc-appsd/volumes'
      expect(machine.sh(`stat -c %a:%U ${volumes}/*`)).toBe('710:root')
      const seen = (path: string) => machine.run(['runuser', '-u', 'nobody', '--', 'ls', path])
      for (const path of [volumes, ...machine.sh(`echo ${volumes}/* ${volumes}/*/uploads`).split(' ')])
        expect(seen(path)).toMatchObject({ code: 2, err: expect.stringContaining('Permission denied') })
      expect(machine.sh('ls /run/systemd/system')).not.toContain('svc-task@')
    },
    60_000,
  )

  onHost(
    `a release command that fails, and paths of the system, change nothing${without}`,
    () => {
      const before = host.ask('shop')
      const broken = host.commit('shop', { 'svc.json': definition({ release: 'echo oh; exit 7' }) })
      const log = failedJob(host.deploy('shop', broken))
      expect(log).toContain('oh\n')
      expect(log).toContain('the release command: it ended with exit code 7')
      const odd = host.commit('shop', { 'svc.json': definition({ volumes: { a: '/etc/cron.d' } }) })
      expect(failedJob(host.deploy('shop', odd))).toContain('/etc/cron.d is of the system')
      expect(host.ask('shop')).toBe(before)
    },
    60_000,
  )

  onHost(
    `a removed application leaves its volumes, and says where; with its data it leaves nothing${without}`,
    () => {
      const user = machine.sh('ls /var/lib/svc-appsd/volumes')
      const folder = `/var/lib/svc-appsd/volumes/${user}`
      expect(endedWell(host.job('remove', { app: 'shop' }))).toContain(`its data stays, until it is removed`)
      expect(machine.sh(`cat ${folder}/uploads/lines`)).toContain('line')
      const again = host.commit('shop', { 'svc.json': definition() })
      endedWell(host.deploy('shop', again))
      expect(host.ask('shop')).toContain('line\n')
      expect(endedWell(host.job('remove', { app: 'shop', data: true }))).toContain(
        `its data is removed: ${folder}`,
      )
      expect(machine.sh(`ls ${folder}`)).toBe('')
    },
    60_000,
  )
})

/** An application that asks its database whatever it is asked. */
const ASKER = `
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x')
  if (pathname === '/env') return response.end(JSON.stringify(process.env))
  try {
    const url = (searchParams.get('url') ?? process.env.DATABASE_URL ?? '').replace('PASSWORD', new URL(process.env.DATABASE_URL).password)
    const words = ['-XAtq', '-v', 'ON_ERROR_STOP=1', url, '-c', searchParams.get('q')]
    response.end(execFileSync('psql', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
  } catch (error) {
    response.end('failed: ' + (error.stderr ?? error.message))
  }
}).listen(process.env.PORT)
`
const BLOG = {
  'server.js': ASKER,
  'package.json': '{"type":"module"}',
  'svc.json': JSON.stringify({ version: 1, processes: { web: { command: 'node server.js' } } }),
}

const database = (op: string, name: string, more: object = {}) =>
  host.job('db', { op, engine: 'postgres', name, ...more })
const sql = (q: string, url?: string) =>
  host.ask('blog', `/?${new URLSearchParams({ q, ...(url && { url }) })}`).trim()
const recorded = () => JSON.parse(machine.sh('cat /var/lib/svc-appsd/databases.json')).databases

describe('Databases on a machine with systemd', () => {
  onPostgres(
    `an app that is linked has its database, as a role of its own that connects to no other${unposted}`,
    () => {
      endedWell(host.deploy('blog', host.commit('blog', BLOG)))
      expect(sql('select 1')).toContain('failed')
      const made = endedWell(database('create', 'blog', { app: 'blog' }))
      expect(made).toContain('made the database blog of postgres')
      expect(made).toContain('blog gets the address of blog as DATABASE_URL')
      expect(sql('select current_user')).toBe('blog')
      sql('create table notes (text text); insert into notes select generate_series(1, 1000)')
      expect(endedWell(database('create', 'other'))).toContain('made the database other')
      const at = '?host=/run/svc-db-postgres'
      for (const [who, where] of [
        ['blog:PASSWORD', 'other'],
        ['blog:PASSWORD', 'postgres'],
        ['blog:PASSWORD', 'template1'],
        ['other:PASSWORD', 'other'],
        ['other.svc', 'other'],
        ['blog.svc', 'blog'],
        ['svc-db-postgres', 'postgres'],
      ])
        expect([who, where, sql('select 1', `postgresql://${who}@localhost/${where}${at}`)]).toEqual([
          who,
          where,
          expect.stringMatching(/^failed: /),
        ])
      for (const q of [
        'create temp table t (a int); select 1',
        'create role x',
        'copy notes to program $$id$$',
        'create database x',
        "alter role blog connection limit -1; select 'done'",
      ])
        sql(q)
      expect(sql("copy notes to program 'id'")).toContain('failed')
      expect(machine.sh('ss -Hltn')).not.toContain('5432')
    },
    60_000,
  )

  onPostgres(
    `its password stands nowhere but in two files and its process, and a rotation rolls the app${unposted}`,
    () => {
      const before = recorded().blog.password
      const log = endedWell(database('rotate', 'blog'))
      const { password, next } = recorded().blog
      expect(next).toBeUndefined()
      expect(password).not.toBe(before)
      expect(sql('select count(*) from notes')).toBe('1000')
      expect(log).not.toContain(password)
      expect(machine.sh('stat -c %a:%U /var/lib/svc-appsd/databases.json')).toBe('600:root')
      for (const secret of [before, password]) {
        const held = machine.sh(
          `grep -rlF '${secret}' /var/lib/svc-appsd /var/lib/svc /var/lib/svc-agent /etc/systemd || true`,
        )
        const files = held.split('\n').filter((path) => path !== '')
        expect(files.map((path) => path.replace(/units\/[^/]+/, 'unit'))).toEqual(
          secret === password
            ? expect.arrayContaining(['/var/lib/svc-appsd/databases.json', '/var/lib/svc-appsd/unit/env'])
            : [],
        )
        expect(files.length).toBeLessThan(3)
        expect(
          machine.sh('journalctl --no-pager -o cat; systemctl show "svc-*"; ps axww -o args'),
        ).not.toContain(secret)
      }
      const failing = host.commit('blog', {
        'server.js': 'console.log(process.env.DATABASE_URL); process.exit(3)',
      })
      const failed = failedJob(host.deploy('blog', failing))
      expect(failed).toContain('postgresql://blog:***@localhost/blog')
      host.commit('blog', { 'server.js': ASKER })
    },
    60_000,
  )

  onPostgres(
    `a restore brings a dump back beside the database and swaps them, and undo swaps again${unposted}`,
    () => {
      expect(endedWell(database('backup', 'blog'))).toMatch(/wrote \d{8}T\d{6}Z-backup, \d+ bytes/)
      sql('delete from notes where text::int > 10')
      expect(endedWell(database('restore', 'blog'))).toContain('restored blog: 1 tables, 1000 rows')
      expect(sql('select count(*) from notes')).toBe('1000')
      endedWell(database('undo', 'blog'))
      expect(sql('select count(*) from notes')).toBe('10')
      endedWell(database('undo', 'blog'))
      expect(sql('select count(*) from notes')).toBe('1000')
      const [dump] = machine
        .sh('ls /var/lib/svc-appsd/dumps/blog')
        .split('\n')
        .filter((name) => name.endsWith('-backup'))
      machine.sh(`truncate -s 900 /var/lib/svc-appsd/dumps/blog/${dump}`)
      expect(failedJob(database('restore', 'blog', { dump }))).toContain('pg_restore ended with exit code 1')
      expect(sql('select count(*) from notes')).toBe('1000')
      expect(failedJob(database('restore', 'blog', { dump: '20200101T000000Z-backup' }))).toContain(
        'no such dump',
      )
    },
    60_000,
  )

  onPostgres(
    `an order whose supervisor is killed is finished by the next one of the same kind${unposted}`,
    () => {
      const rows: [string, object, () => void][] = [
        [
          'create',
          { app: 'blog', as: 'SECOND_URL' },
          () => expect(machine.sh(`cat /var/lib/svc-appsd/units/svc-app@blog*/env`)).toContain('SECOND_URL'),
        ],
        ['backup', {}, () => {}],
        ['rotate', {}, () => expect(recorded().second.next).toBeUndefined()],
        ['restore', {}, () => {}],
        [
          'unlink',
          { app: 'blog' },
          () =>
            expect(machine.sh(`cat /var/lib/svc-appsd/units/svc-app@blog*/env`)).not.toContain('SECOND_URL'),
        ],
        ['drop', { confirm: 'second' }, () => expect(recorded().second).toBeUndefined()],
      ]
      for (const [op, more, check] of rows) {
        for (const delay of [0.7, 1]) {
          machine.sh(
            `systemd-run --quiet --on-active=${delay} --timer-property=AccuracySec=10ms systemctl kill --kill-who=main --signal=KILL svc-appsd`,
          )
          database(op, 'second', more)
          machine.sh('sleep 1.2; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done; sleep 0.3')
        }
        endedWell(database(op, 'second', more))
        check()
        expect(sql('select count(*) from notes')).toBe('1000')
      }
      expect(machine.sh('ls /var/lib/svc-appsd/dumps/second')).not.toContain('.part')
    },
    120_000,
  )

  onRestic(
    `a backup of an app has its volumes and databases, a restore brings both back, and a drill counts rows${unresticed}`,
    () => {
      const volumes = { uploads: '/data/uploads' }
      const given = { version: 1, processes: { web: { command: 'node server.js' } }, volumes }
      endedWell(host.deploy('blog', host.commit('blog', { 'svc.json': JSON.stringify(given) })))
      const file = '/data/uploads/a file'
      sql(`\\! echo one > '${file}'`)
      const now = () => [sql(`\\! cat '${file}'`), sql('select count(*) from notes')]
      expect(now()).toEqual(['one', '1000'])
      endedWell(host.job('backup', { app: 'blog' }))
      const { images } = host.plane.json<{ images: { id: string; tags: string[] }[] }>('images', 'list')
      const [{ id, tags } = { id: '', tags: [] }] = images
      expect(tags).toEqual(expect.arrayContaining(['volume=blog/uploads', 'database=blog/blog.postgres']))
      expect(machine.sh('ls /var/lib/svc-appsd/handover')).toBe('')
      sql(`\\! echo two > '${file}'`)
      sql('delete from notes')
      const restore = (...words: string[]) => {
        const { job } = host.plane.json<{ job: { id: string } }>('images', 'restore', id, ...words)
        return endedWell(host.followed(job.id))
      }
      machine.sh('install -d /srv/forged/volumes; tar -cf /srv/forged/volumes/uploads.tar -C /etc hostname')
      const forged = '--op restore --app blog --path /srv/forged'
      const { err } = machine.run([
        ...[
          'sh',
          '-c',
          `node /usr/local/lib/svc/svc-agent.mjs host-apps data --apps /var/lib/svc-agent/apps ${forged}`,
        ],
      ])
      expect(err).toContain('is no file of the handlers')
      const drilled = restore('--drill')
      expect(drilled).toContain('the volume uploads has 2 entries')
      expect(drilled).toContain('the database blog: 1 tables, 1000 rows')
      expect(now()).toEqual(['two', '0'])
      expect(restore('--data')).toContain('restored the volume uploads')
      expect(now()).toEqual(['one', '1000'])
      restore('--undo')
      expect(now()).toEqual(['two', '0'])
      restore('--undo')
      expect(now()).toEqual(['one', '1000'])
    },
    120_000,
  )

  onPostgres(
    `a swap or link that is cut off is finished by the order given again, and loses nothing${unposted}`,
    () => {
      const noted = (word: string) => `grep -q ${word} /var/lib/svc-appsd/databases.json`
      const rows = () => sql('select count(*) from notes')
      endedWell(database('backup', 'blog'))
      sql('delete from notes where text::int > 10')
      failedJob(host.killed(noted('moving'), () => database('restore', 'blog')))
      endedWell(database('restore', 'blog'))
      expect(rows()).toBe('1000')
      const dumps = machine.sh('ls /var/lib/svc-appsd/dumps/blog').split('\n')
      const before = dumps.filter((name) => name.endsWith('-before')).slice(-2)
      endedWell(database('restore', 'blog', { dump: before[0] }))
      expect(rows()).toBe('10')
      failedJob(host.killed(noted('moving'), () => database('undo', 'blog')))
      expect(endedWell(database('undo', 'blog'))).toContain('is the one from before')
      expect(rows()).toBe('1000')
      expect(recorded().blog).not.toHaveProperty('moving')
      endedWell(database('undo', 'blog'))
      expect(rows()).toBe('10')
      endedWell(database('undo', 'blog'))
      const link = () => database('link', 'other', { app: 'blog', as: 'LATE_URL' })
      failedJob(host.killed(noted('LATE_URL'), link))
      endedWell(link())
      expect(host.ask('blog', '/env')).toContain('"LATE_URL"')
      endedWell(database('unlink', 'other', { app: 'blog' }))
    },
    120_000,
  )

  onPostgres(
    `what would lose data, or is no name, is refused in words${unposted}`,
    () => {
      const rows: [string, string, object, string][] = [
        ['drop', 'blog', {}, 'confirm: expected blog, whose data goes'],
        ['drop', 'blog', { confirm: 'Blog' }, 'confirm: expected blog'],
        ['drop', 'blog', { confirm: 'blog' }, 'blog is linked to blog: unlink it first'],
        ['link', 'other', { app: 'blog' }, 'DATABASE_URL of blog is the address of blog'],
        ['link', 'other', { app: 'blog', as: 'LD_PRELOAD' }, 'LD_PRELOAD: svc sets this name itself'],
        [
          'rotate',
          'none-such',
          {},
          'there is no database none-such of postgres on this host: the op create makes it',
        ],
        ['undo', 'other', {}, 'no database from before a restore of other is kept'],
        ['explode', 'other', {}, 'op: expected one of create'],
        ['create', 'x";drop database blog;--', {}, 'name: expected a database name'],
      ]
      for (const [op, name, more, why] of rows) expect(failedJob(database(op, name, more))).toContain(why)
      expect(failedJob(host.job('db', { op: 'create', engine: 'valkey', name: 'blog' }))).toContain(
        'blog is a database of postgres',
      )
      expect(endedWell(database('list', 'all'))).toContain('blog (postgres): blog as DATABASE_URL')
      expect(sql('select count(*) from notes')).toBe('1000')
    },
    60_000,
  )

  onPostgres(
    `applications come back behind their databases when the machine starts${unposted}`,
    async () => {
      await machine.reboot()
      machine.sh(
        `until curl -sf -m 2 http://127.0.0.1:${host.record().apps.blog.port}/env; do sleep 0.2; done`,
      )
      expect(sql('select count(*) from notes')).toBe('1000')
      machine.sh('until curl -sf http://127.0.0.1:8080/healthz; do sleep 0.2; done')
    },
    60_000,
  )
})

describe('The end of an application with its data', () => {
  onPostgres(
    `takes the databases that no other app is linked to, whose dumps are kept${unposted}`,
    () => {
      endedWell(database('link', 'other', { app: 'blog', as: 'OTHER_URL' }))
      endedWell(database('link', 'other', { app: 'shop' }))
      const said = endedWell(host.job('remove', { app: 'blog', data: true }))
      expect(said).toContain('dropped the database blog')
      expect(said).toContain('the database other stays: shop has it too')
      expect(Object.keys(recorded())).toEqual(['other'])
      expect(machine.sh('ls /var/lib/svc-appsd/dumps/blog')).toMatch(/-dropped$/m)
      endedWell(host.job('remove', { app: 'blog', data: true }))
    },
    60_000,
  )
})

describe('Key-value databases on a machine with systemd', () => {
  const keyed = (op: string, more: object = {}) =>
    host.job('db', { op, engine: 'valkey', name: 'cache', ...more })
  const cli = (words: string) =>
    machine.sh(
      `set -- ${words}; redis-cli -s /run/svc-db-valkey/cache/valkey.sock --no-auth-warning -a "$(sed -n "s/^REDIS_PASSWORD='\\(.*\\)'/\\1/p" /var/lib/svc-appsd/units/svc-app@blog*/env)" "$@"`,
    )

  onValkey(
    `it is a unit and a user of its own, with a password that its app alone has${unkeyed}`,
    () => {
      endedWell(host.deploy('blog', host.commit('blog', { ...BLOG, note: 'keyed' })))
      endedWell(keyed('create', { app: 'blog' }))
      expect(cli('set a 1')).toBe('OK')
      expect(machine.sh('redis-cli -s /run/svc-db-valkey/cache/valkey.sock get a')).toContain('NOAUTH')
      expect(cli('config set dir /tmp')).toContain('NOPERM')
      endedWell(keyed('backup'))
      cli('set a 2')
      expect(endedWell(keyed('restore'))).toContain('restored cache: 1 keys')
      expect(cli('get a')).toBe('1')
      endedWell(keyed('undo'))
      expect(cli('get a')).toBe('2')
      endedWell(keyed('rotate'))
      expect(cli('get a')).toBe('2')
      expect(machine.sh('systemctl show --value -p User svc-db-valkey@cache')).toMatch(/^sk-[a-z2-7]{10}$/)
      endedWell(keyed('unlink', { app: 'blog' }))
      expect(endedWell(keyed('drop', { confirm: 'cache' }))).toContain('kept a dump for 7 days')
      expect(machine.sh('ls /etc/systemd/system /var/lib/svc-appsd/valkey')).not.toContain('cache')
    },
    90_000,
  )
})

describe('The end of everything', () => {
  onHost(
    `the doctor knows the servers of databases, and uninstall --purge leaves none${without}`,
    () => {
      const { checks } = JSON.parse(machine.run(['node', '/srv/svc-agent.mjs', 'doctor', '--json']).out) as {
        checks: { name: string; status: string }[]
      }
      const statusOf = (name: string) => checks.find((check) => check.name === name)?.status
      expect([statusOf('postgres'), statusOf('valkey')]).toEqual([
        isBare ? 'skipped' : 'ok',
        isKeyless ? 'skipped' : 'ok',
      ])
      expect(machine.run(['node', '/srv/svc-agent.mjs', 'uninstall', '--purge'])).toMatchObject({ code: 0 })
      expect(machine.sh('ls /etc/systemd/system /var/lib')).not.toMatch(/svc-db|svc-databases|svc-appsd/)
      expect(machine.run(['sh', '-c', "getent passwd | grep -E '^(sa-|sk-|svc-db)'"]).code).toBe(1)
      expect(machine.run(['pgrep', '-f', 'svc-appsd']).code).toBe(1)
    },
    60_000,
  )
})
