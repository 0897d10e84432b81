import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { etcdEnvironment, haproxySettings, NAMES, patroniSettings } from '../src/patroni/page.ts'
import { failoverTable } from '../src/patroni/table.ts'

const PLACE = { folder: '/srv/run', binaries: '/usr/lib/postgresql/17/bin', password: 'of-a-run' }
const ADDRESS = { db1: '198.18.77.11', db2: '198.18.77.12', db3: '198.18.77.13' }

test.each(NAMES)('The files of the page are those of %s with its own name and addresses', (name) => {
  const own = ADDRESS[name]
  const etcd = etcdEnvironment(name, PLACE)
  expect(etcd).toMatchObject({
    ETCD_NAME: name,
    ETCD_LISTEN_CLIENT_URLS: `http://${own}:2379`,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${own}:2380`,
    ETCD_DATA_DIR: '/srv/run/etcd',
  })
  const all = NAMES.map((each) => `${each}=http://${ADDRESS[each]}:2380`)
  expect(etcd.ETCD_INITIAL_CLUSTER).toBe(all.join(','))
  const text = patroniSettings(name, PLACE)
  expect(text).not.toMatch(/10\.0\.0\.|\/var\/|…/)
  const { postgresql, ...settings } = parse(text)
  expect(settings).toMatchObject({
    name,
    restapi: { listen: `${own}:8008`, connect_address: `${own}:8008` },
    // With API v3 Patroni 3.0.2 overwrites the lock of a new primary when the old one wakes up.
    etcd: { hosts: '198.18.77.11:2379,198.18.77.12:2379,198.18.77.13:2379' },
    bootstrap: { dcs: { synchronous_mode: true, failsafe_mode: true } },
  })
  expect(postgresql).toMatchObject({ listen: `${own}:5432`, data_dir: '/srv/run/data' })
  const { ttl, loop_wait, retry_timeout } = settings.bootstrap.dcs
  expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl)
})

const haproxy = (() => {
  try {
    execFileSync('haproxy', ['-v'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } })
    return test
  } catch {
    process.stdout.write('haproxy is not installed: the settings of docs/high-availability.md are not read\n')
    return test.skip
  }
})()

haproxy('HAProxy takes the settings of the page, which leave no address of it', () => {
  const text = haproxySettings({ database: 5001, service: 5002, replicas: [5003, 5004] })
  expect(text).not.toContain('10.0.0.')
  expect(text.match(/server \w+ \S+:\d+/g)).toEqual([
    'server db1 198.18.77.11:5432',
    'server db2 198.18.77.12:5432',
    'server db3 198.18.77.13:5432',
    'server svc1 127.0.0.1:5003',
    'server svc2 127.0.0.1:5004',
  ])
  const folder = mkdtempSync(join(tmpdir(), 'svc-haproxy-'))
  try {
    writeFileSync(join(folder, 'haproxy.cfg'), text)
    execFileSync('haproxy', ['-c', '-f', join(folder, 'haproxy.cfg')], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('The table has the span of each fault, and the violations below', () => {
  const figure = { name: 'a', limit: 2, stoodStill: 1.23, lastHost: 1, withoutJobs: 3 }
  const report = {
    figures: [figure, { ...figure, stoodStill: 0.9 }, { ...figure, name: 'b' }],
    breaches: [{ rule: 'I1', evidence: 'two owners' }],
    jobs: 7,
    acknowledgements: 8,
    hosts: 9,
  }
  expect(failoverTable(report).split('\n').slice(2)).toEqual([
    '| a | 2 | 0.9–1.2 | 1.0–1.0 | 3.0–3.0 |',
    '| b | 1 | 1.2 | 1.0 | 3.0 |',
    '',
    'failovers: 3 faults, 9 hosts, 7 jobs, 8 acknowledgements, 1 violations',
    '    I1: two owners',
  ])
})
