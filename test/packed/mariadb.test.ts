import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { endedWell, failedJob, HostedMachine } from './hosted-machine.ts'

/** An application that asks its database whatever it is asked, also as others. */
const ASKER = `
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
const { DATABASE_SOCKET, DATABASE_USER, DATABASE_PASSWORD, DATABASE_NAME } = process.env
const asked = (q, { user = DATABASE_USER, name = DATABASE_NAME, password = DATABASE_PASSWORD } = {}) => {
  const words = ['--no-defaults', '--socket=' + DATABASE_SOCKET, '--user=' + user, '-BN', name, '-e', q]
  const env = { ...process.env, MYSQL_PWD: password }
  return new Promise((resolve) =>
    execFile('mariadb', words, { env }, (error, out) => resolve(error ? 'failed: ' + error.message : out)))
}
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x')
  const { q, ...who } = Object.fromEntries(searchParams)
  if (pathname === '/env') return response.end(JSON.stringify(process.env))
  if (pathname === '/many') {
    const all = await Promise.all(Array.from({ length: 24 }, () => asked('select sleep(2)')))
    return response.end(String(all.filter((each) => each.includes('max_user_connections')).length))
  }
  response.end(await asked(q, who))
}).listen(process.env.PORT)
`
const FILES = {
  'server.js': ASKER,
  'package.json': '{"type":"module"}',
  'svc.json': JSON.stringify({ version: 1, processes: { web: { command: 'node server.js' } } }),
}
const NAME = 'my_blog'
/** A name that is meant too where an underscore stands for any character. */
const ALIKE = 'myxblog'

const booted = await HostedMachine.boot(['nft', 'git', 'mariadbd', 'mariadb-install-db'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const isResticless = typeof booted === 'string' || booted.run(['sh', '-c', 'command -v restic']).code !== 0
const onRestic = isResticless ? test.skip : test
const unresticed = isResticless ? ' (skipped: this machine lacks restic or mariadb)' : ''

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

const database = (op: string, name = NAME, more: object = {}) =>
  host.job('db', { op, engine: 'mariadb', name, ...more })
const sql = (q: string, who: object = {}) =>
  host.ask('blog', `/?${new URLSearchParams({ q, ...who }).toString().replaceAll("'", '%27')}`).trim()
const recorded = () => JSON.parse(machine.sh('cat /var/lib/svc-appsd/databases.json')).databases
const rows = () => sql('select count(*) from notes')

describe('Databases of MariaDB on a machine with systemd', () => {
  onHost(
    `an app that is linked has its database, as an account of its own with rights on no other${without}`,
    () => {
      endedWell(host.deploy('blog', host.commit('blog', FILES)))
      expect(endedWell(database('create', NAME, { app: 'blog' }))).toContain(
        `made the database ${NAME} of mariadb`,
      )
      endedWell(database('create', ALIKE))
      expect(sql('select current_user()')).toBe(`${NAME}@localhost`)
      sql('create table notes (id int primary key auto_increment, text longtext)')
      sql("insert into notes (text) select concat('note ', seq) from seq_1_to_1000")
      expect(rows()).toBe('1000')
      const others = [
        { name: ALIKE },
        { name: 'mysql' },
        { user: ALIKE, name: ALIKE },
        ...['root', 'svc-db-mariadb', 'mysql', ''].map((user) => ({ user, name: 'mysql', password: '' })),
      ]
      for (const who of others)
        expect([who, sql('select 1', who)]).toEqual([who, expect.stringMatching(/^failed: .*denied/s)])
      for (const q of [
        'create table myxblog.mine (a int)',
        'create database third',
        'create user x',
        "select 1 into outfile '/tmp/x'",
        "load data infile '/etc/passwd' into table notes (text)",
        'select * from mysql.global_priv',
        'set global max_connections = 1',
        `alter user ${NAME}@localhost with max_user_connections 0`,
        `grant all on ${NAME}.* to ${ALIKE}@localhost`,
      ])
        expect([q, sql(q)]).toEqual([q, expect.stringContaining('denied')])
      expect(host.ask('blog', '/many')).toBe('4')
      expect(machine.sh('ss -Hltn')).not.toContain('3306')
      expect(machine.sh('systemctl show --value -p User svc-db-mariadb')).toBe('svc-db-mariadb')
    },
    90_000,
  )

  onHost(
    `its password stands in no statement, argument or log, and a rotation gives the app another${without}`,
    () => {
      const before = recorded()[NAME].password
      const log = endedWell(database('rotate'))
      const { password } = recorded()[NAME]
      expect(password).not.toBe(before)
      expect(rows()).toBe('1000')
      expect(sql('select 1', { password: before })).toContain('denied')
      const url = JSON.parse(host.ask('blog', '/env')).DATABASE_URL
      const socket = '/run/svc-db-mariadb/mysqld.sock'
      expect(url).toBe(`mysql://${NAME}:${password}@localhost/${NAME}?socket=${socket}&socketPath=${socket}`)
      for (const secret of [before, password]) {
        const said = machine.sh('journalctl --no-pager -o cat; systemctl show "svc-*"; ps axww -o args')
        expect(`${said}${log}`).not.toContain(secret)
        const held = machine.run([
          'grep',
          '-rlF',
          secret,
          '/var/lib/svc-appsd',
          '/var/lib/svc',
          '/etc/systemd',
        ]).out
        expect(held.split('\n').filter((path) => path !== '')).toHaveLength(secret === password ? 2 : 0)
      }
    },
    60_000,
  )

  onHost(
    `a restore brings back tables and programs beside the database and swaps them, and undo swaps again${without}`,
    () => {
      sql('create view short as select id from notes where id < 11')
      sql('create table log (note int, foreign key (note) references notes (id) on delete cascade)')
      sql('create trigger logged after insert on notes for each row insert into log values (new.id)')
      sql('create procedure counted() select count(*) from notes')
      expect(endedWell(database('backup'))).toMatch(/wrote \d{8}T\d{6}Z-backup, \d+ bytes/)
      sql('delete from notes where id > 10')
      expect(endedWell(database('restore'))).toContain(`restored ${NAME}: 2 tables, 1000 rows`)
      expect(rows()).toBe('1000')
      sql("insert into notes (text) values ('after')")
      const whole = () =>
        ['select count(*) from log', 'call counted()', 'select count(*) from short'].map((q) => sql(q))
      expect(whole()).toEqual(['1', '1001', '10'])
      expect(sql('select 1', { name: NAME })).toContain('denied')
      endedWell(database('undo'))
      expect([rows(), sql('select database()')]).toEqual(['10', NAME])
      endedWell(database('undo'))
      expect(rows()).toBe('1001')
    },
    90_000,
  )

  onHost(
    `a swap that is cut off is finished by the next supervisor, and its app has the database${without}`,
    () => {
      const used = () => sql('select database()')
      const noted = 'grep -q moving /var/lib/svc-appsd/databases.json'
      const before = used()
      failedJob(host.killed(noted, () => database('undo')))
      machine.sh(
        `until ! grep -q ${before}?socket /var/lib/svc-appsd/units/svc-app@blog*/env; do sleep 0.2; done`,
      )
      endedWell(database('undo'))
      expect([used() === before, rows()]).toEqual([false, '10'])
      const sides = '/var/lib/svc-appsd/mariadb/sides'
      failedJob(host.killed(`! grep -qx ${used()} ${sides}/${NAME}`, () => database('undo')))
      endedWell(database('undo'))
      expect([used(), rows()]).toEqual([before, '1001'])
    },
    90_000,
  )

  onHost(
    `a dump that is cut off, or asks for more than the app may, changes nothing${without}`,
    () => {
      const dumps = `/var/lib/svc-appsd/dumps/${NAME}`
      const [dump = ''] = machine
        .sh(`ls ${dumps}`)
        .split('\n')
        .filter((name) => name.endsWith('-backup'))
      const restored = () => failedJob(database('restore', NAME, { dump }))
      machine.sh(`truncate -s -30 ${dumps}/${dump}`)
      expect(restored()).toContain('the dump is cut off')
      const bad = (statement: string) =>
        machine.write(`${dumps}/${dump}`, `${statement}\n-- Dump completed\n`, 0o600)
      bad(`grant all on *.* to '${NAME}'@'localhost';`)
      expect(restored()).toMatch(/denied/)
      bad(`create table ${ALIKE}.taken (a int);`)
      expect(restored()).toMatch(/denied/)
      bad('create definer=root@localhost procedure p() select 1;')
      expect(restored()).toMatch(/denied/)
      bad('\\! cat /var/lib/svc-appsd/databases.json /var/lib/svc-appsd/mariadb/load.cnf\nselect nothing;')
      expect(restored()).not.toContain('my_blog":')
      expect(rows()).toBe('1001')
      expect(sql('show databases')).not.toContain(ALIKE)
      expect(machine.sh('ls /var/lib/svc-appsd/mariadb')).not.toContain('load.cnf')
    },
    90_000,
  )

  onRestic(
    `a backup of an app has its database, a drill counts its rows apart, and a restore brings it back${unresticed}`,
    () => {
      endedWell(host.job('backup', { app: 'blog' }))
      const { images } = host.plane.json<{ images: { id: string; tags: string[] }[] }>('images', 'list')
      const [{ id, tags } = { id: '', tags: [] }] = images
      expect(tags).toContain(`database=blog/${NAME}.mariadb`)
      sql('delete from notes')
      const restore = (...words: string[]) => {
        const { job } = host.plane.json<{ job: { id: string } }>('images', 'restore', id, ...words)
        return endedWell(host.followed(job.id))
      }
      expect(restore('--drill')).toContain(`the database ${NAME}: 2 tables, 1002 rows`)
      expect(rows()).toBe('0')
      expect(machine.sh('pgrep -c -x mariadbd')).toBe('1')
      restore('--data')
      expect(rows()).toBe('1001')
      restore('--undo')
      expect(rows()).toBe('0')
    },
    120_000,
  )

  onHost(
    `a dropped database leaves a dump and no account, and the doctor knows the server${without}`,
    () => {
      expect(failedJob(database('drop', NAME, { confirm: NAME }))).toContain('is linked to blog')
      endedWell(database('unlink', NAME, { app: 'blog' }))
      expect(endedWell(database('drop', NAME, { confirm: NAME }))).toContain('kept a dump for 7 days')
      const asRoot =
        'runuser -u svc-db-mariadb -- mariadb --no-defaults -BN -S /run/svc-db-mariadb/mysqld.sock'
      expect(machine.sh(`${asRoot} -e 'show databases; select user from mysql.user'`)).not.toContain(NAME)
      expect(machine.sh(`${asRoot} -e 'show databases; select user from mysql.user'`)).toContain(ALIKE)
      const { checks } = JSON.parse(machine.run(['node', '/srv/svc-agent.mjs', 'doctor', '--json']).out) as {
        checks: { name: string; status: string }[]
      }
      expect(checks.find(({ name }) => name === 'mariadb')?.status).toBe('ok')
      expect(machine.run(['node', '/srv/svc-agent.mjs', 'uninstall', '--purge'])).toMatchObject({ code: 0 })
      expect(machine.sh('ls /etc/systemd/system /var/lib; getent passwd')).not.toMatch(/svc-db|svc-appsd/)
    },
    60_000,
  )
})
