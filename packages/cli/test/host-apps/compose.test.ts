import { expect, test } from '@jest/globals'
import { readImageOrder } from '@svc/core/adapters'
import { type Compose, readCompose } from '../../src/host-apps/compose/compose-file.ts'
import { interpolated } from '../../src/host-apps/compose/interpolate.ts'
import { megabytesOf, secondsOf, wordsOf } from '../../src/host-apps/compose/words.ts'

const FILES: Readonly<Record<string, string>> = {
  '.env': 'TAG=16\nSHARED=of the file\n',
  'nginx.conf': '',
  src: '',
  Dockerfile: '',
  'docker/Dockerfile': '',
  '.': '',
  'web.env': 'A=1\nSECRET=placeholder\n',
}
const read = (
  text: string,
  more: {
    env?: Record<string, string>
    visited?: string
    also?: Readonly<Record<string, number | undefined>>
    files?: Readonly<Record<string, string>>
  } = {},
): Compose => {
  const files = more.files ?? FILES
  return readCompose({
    file: 'compose.yaml',
    text,
    repository: { base: '.', text: (path) => files[path], has: (path) => files[path] !== undefined },
    env: more.env ?? {},
    visited: more.visited,
    more: more.also,
  })
}
const serviceOf = (text: string, more: Parameters<typeof read>[1] = {}) =>
  read(`services:\n  web:\n    image: a/b:1\n    ports: ["80:3000"]\n${text}`, more).services[0]

test('An ordinary file is read whole', () => {
  const { services, notes } = read(
    `
version: "3.9"
x-common: &common
  restart: unless-stopped
  environment: &env
    DATABASE_URL: postgres://app:\${DB_PASSWORD}@db:5432/app
services:
  web:
    <<: *common
    build:
      context: .
      dockerfile: docker/Dockerfile
      target: run
      args: { VERSION: "1.2" }
    command: node server.js --name "a b"
    ports: ["8080:3000"]
    depends_on:
      db: { condition: service_healthy }
      migrate: { condition: service_completed_successfully }
    volumes: ["uploads:/data/uploads", "./nginx.conf:/etc/nginx.conf:ro"]
    deploy: { replicas: 2, resources: { limits: { cpus: "0.5", memory: 256M } } }
  migrate: { build: ., command: [npm, run, migrate], depends_on: [db] }
  db:
    image: postgres:\${TAG}
    volumes: [{ type: volume, source: pg_data, target: /var/lib/postgresql/data }]
    healthcheck: { test: "pg_isready -U app", interval: 5s, retries: 5, start_period: 1m30s }
    stop_grace_period: 1m
    shm_size: 128mb
volumes: { uploads: , pg_data: }
`,
    { env: { DB_PASSWORD: 'of the app' } },
  )
  const [web, migrate, db] = services
  expect(web).toMatchObject({
    processName: 'web',
    visited: 3000,
    build: { context: undefined, file: 'docker/Dockerfile', target: 'run', args: { VERSION: '1.2' } },
    files: { '/etc/nginx.conf': 'nginx.conf' },
    after: { db: 'healthy', migrate: 'completed' },
    process: { count: 2, roll: 'replace', memory: '256M', cpus: 0.5 },
    service: {
      command: ['node', 'server.js', '--name', 'a b'],
      env: { DATABASE_URL: 'postgres://app:of the app@db:5432/app' },
      volumes: { uploads: '/data/uploads' },
    },
  })
  expect(migrate).toMatchObject({ processName: 'migrate', service: { once: true } })
  expect(db).toMatchObject({
    image: 'postgres:16',
    service: {
      names: ['db'],
      volumes: { 'pg-data': '/var/lib/postgresql/data' },
      check: { test: ['/bin/sh', '-c', 'pg_isready -U app'], interval_s: 5, retries: 5, start_s: 90 },
      stop: { signal: 'SIGTERM', grace_s: 60 },
      shm: '128M',
    },
  })
  expect(notes).toEqual([
    'services.web.volumes.1: ./nginx.conf is mounted as the repository has it, and cannot be written to',
  ])
})

const inWeb = (line: string) => `services:\n  web:\n    image: a/b:1\n    ports: ["80:3000"]\n    ${line}\n`

test.each<[string, string]>([
  [inWeb('privileged: true'), 'services.web.privileged: refused: it would reach into the host'],
  [inWeb('privileged: "yes"'), 'services.web.privileged: refused'],
  [inWeb('network_mode: host'), 'services.web.network_mode: refused'],
  [inWeb('network_mode: "container:other"'), 'services.web.network_mode: refused'],
  [inWeb('network_mode: "service:db"'), 'services.web.network_mode: refused'],
  [inWeb('pid: host'), 'services.web.pid: refused'],
  [inWeb('ipc: host'), 'services.web.ipc: refused'],
  [inWeb('uts: host'), 'services.web.uts: refused'],
  [inWeb('userns_mode: host'), 'services.web.userns_mode: refused'],
  [inWeb('cgroup: host'), 'services.web.cgroup: refused'],
  [inWeb('cgroup_parent: /'), 'services.web.cgroup_parent: refused'],
  [inWeb('devices: ["/dev/sda:/dev/sda"]'), 'services.web.devices: refused'],
  [inWeb('device_cgroup_rules: ["a *:* rwm"]'), 'services.web.device_cgroup_rules: refused'],
  [inWeb('gpus: all'), 'services.web.gpus: refused'],
  [inWeb('runtime: io.containerd.kata.v2'), 'services.web.runtime: refused'],
  [inWeb('security_opt: ["seccomp=unconfined"]'), 'services.web.security_opt: refused'],
  [inWeb('security_opt: ["no-new-privileges:false"]'), 'services.web.security_opt: refused'],
  [inWeb('sysctls: { net.core.somaxconn: 1 }'), 'services.web.sysctls: refused'],
  [inWeb('cap_add: [SYS_ADMIN]'), 'services.web.cap_add: refused: SYS_ADMIN'],
  [inWeb('cap_add: [ALL]'), 'services.web.cap_add: refused: ALL'],
  [inWeb('cap_add: [cap_net_admin]'), 'services.web.cap_add: refused: NET_ADMIN'],
  [inWeb('extends: { file: ../other.yaml, service: x }'), 'services.web.extends: refused'],
  [inWeb('volumes_from: [other]'), 'services.web.volumes_from: refused'],
  [inWeb('external_links: [other]'), 'services.web.external_links: refused'],
  [inWeb('extra_hosts: ["db:10.0.0.1"]'), 'services.web.extra_hosts: refused'],
  [inWeb('extra_hosts: ["db:10.0.0.1", "x:host-gateway"]'), 'services.web.extra_hosts: refused'],
  [inWeb('volumes: ["./.env.production:/app/.env"]'), './.env.production is not in the repository'],
  [inWeb('group_add: [docker]'), 'services.web.group_add: refused'],
  [inWeb('secrets: [a]'), 'services.web.secrets: refused: set a variable'],
  [inWeb('volumes: ["/:/host"]'), 'a folder of the host is not mounted'],
  [inWeb('volumes: ["/var/run/docker.sock:/var/run/docker.sock"]'), 'a folder of the host is not mounted'],
  [inWeb('volumes: ["../other:/x"]'), '../other: a folder of the host is not mounted'],
  [inWeb('volumes: ["./src/../../x:/x"]'), 'a folder of the host is not mounted'],
  [inWeb('volumes: ["./.git:/x"]'), './.git: a folder of the host is not mounted'],
  [inWeb('volumes: ["~/.ssh:/x"]'), 'a folder of the host is not mounted'],
  [inWeb('volumes: ["${HOME}/x:/x"]'), 'a folder of the host is not mounted'],
  [inWeb('volumes: [{ type: bind, source: /etc, target: /x }]'), 'a folder of the host is not mounted'],
  [
    inWeb('volumes: [{ type: bind, source: etc/../../x, target: /x }]'),
    'a folder of the host is not mounted',
  ],
  [inWeb('volumes: [{ type: npipe, source: x, target: /x }]'), 'npipe is not carried out'],
  [inWeb('volumes: ["src:/x"]'), 'the volume src is not declared under volumes'],
  [inWeb('volumes: ["./src:/x:suid"]'), 'the option suid is not carried out'],
  [inWeb('volumes: ["./src:/x:rshared"]'), 'the option rshared is not carried out'],
  [inWeb('volumes: ["./src:/x,rw"]'), 'expected an absolute path of plain words'],
  [inWeb('volumes: ["./src:x"]'), 'expected an absolute path of plain words'],
  [inWeb('volumes: ["./src:/x/../etc"]'), 'expected an absolute path of plain words'],
  [inWeb('volumes: ["./src:/proc/sys"]'), '/proc/sys is the kernel'],
  [inWeb('tmpfs: ["/sys"]'), '/sys is the kernel'],
  [
    `${inWeb('volumes: ["a:/x"]')}volumes: { a: { driver_opts: { type: none, o: bind, device: / } } }\n`,
    'volumes.a.driver_opts',
  ],
  [`${inWeb('volumes: ["a:/x"]')}volumes: { a: { driver: nfs } }\n`, 'volumes.a.driver'],
  [`${inWeb('')}volumes: { a_b: , a-b: }\n`, 'another volume is a-b too'],
  [inWeb('user: "--privileged"'), 'services.web.user: expected a user'],
  [inWeb('working_dir: "/a b"'), 'services.web.working_dir: expected an absolute path'],
  [inWeb('hostname: "a --privileged"'), 'is no name of a host'],
  [inWeb('mem_limit: much'), 'services.web.mem_limit: expected a size'],
  [inWeb('cpus: 0'), 'services.web.cpus: expected a number'],
  [inWeb('scale: 99'), 'expected a whole number from 1 to 10'],
  [inWeb('stop_signal: SIGKILL'), 'services.web.stop_signal: expected one of'],
  [inWeb('stop_grace_period: 1d'), 'services.web.stop_grace_period: expected a time'],
  [inWeb('env_file: ../.env'), '../.env is not in the repository'],
  [inWeb('env_file: /etc/shadow'), '/etc/shadow is not in the repository'],
  [inWeb('environment: ["A B=1"]'), 'A B is no name of a variable'],
  [inWeb('command: "sh -c \'x"'), 'services.web.command: a quote is not closed'],
  [inWeb('depends_on: [nobody]'), 'services.web.depends_on.nobody: there is no such service'],
  [inWeb('depends_on: { web: { condition: service_started } }'), 'web waits for web'],
  [inWeb('depends_on: { web: { condition: soon } }'), 'expected one of service_started'],
  [inWeb('commmand: x'), 'services.web.commmand: not known'],
  [inWeb('healthcheck: { test: [RUN, x] }'), 'services.web.healthcheck.test: expected'],
  [inWeb('environment: { A: "${B:?say it}" }'), 'services.web.environment.A: B is not set: say it'],
  [inWeb('environment: { A: "${A:-${B:-${C}}}" }'), 'nests deeper'],
  [inWeb('environment: { A: "$(id)" }'), 'a dollar that names no variable'],
  [
    'services:\n  web: { build: { context: .., } }',
    'services.web.build.context: .. is not in the repository',
  ],
  ['services:\n  web: { build: { context: "https://x.example/a.git" } }', 'services.web'],
  ['services:\n  web: { build: { context: ., ssh: default } }', 'services.web.build.ssh: refused'],
  ['services:\n  web: { build: { context: ., network: host } }', 'services.web.build.network: refused'],
  ['services:\n  web: { build: { context: ., privileged: true } }', 'services.web.build.privileged: refused'],
  [
    'services:\n  web: { build: { context: ., additional_contexts: { a: / } } }',
    'additional_contexts: refused',
  ],
  ['services:\n  web: { build: { context: ., dockerfile: ../../x } }', 'services.web.build.dockerfile'],
  ['services:\n  web: { image: "--privileged" }', 'services.web.image: expected the name of an image'],
  ['services:\n  web: { ports: ["80:80"] }', 'services.web: it has neither image nor build'],
  ['services:\n  web: { image: a, ports: ["3000-3010:3000-3010"] }', 'expected a port such as'],
  ['services:\n  web: { image: a, ports: ["80:70000"] }', 'expected a port such as'],
  ['services:\n  web: { image: a, ports: ["82:80", "81:81"] }', 'visitors are led to one of them: 80, 81'],
  [
    'services:\n  a: { image: a, ports: ["8:8"] }\n  b: { image: b, ports: ["9:9"] }',
    'a, b have some: say which answers visitors',
  ],
  [
    'services:\n  a: { image: a, depends_on: [b] }\n  b: { image: b, depends_on: [a] }',
    'a waits for b waits for a',
  ],
  [
    'services:\n  a: { image: a, depends_on: { b: { condition: service_healthy } } }\n  b: { image: b }',
    'b has no healthcheck',
  ],
  ['services:\n  "a b": { image: a }\n', 'is no name of a host'],
  ['services:\n  "1": { image: a }\n', 'expected a name that begins with a letter'],
  ['services:\n  a_b: { image: a }\n  a-b: { image: a }\n', 'a_b is a-b too'],
  ['services:\n  s46: { image: a }\n  s92: { image: a }\n', 'it has the address of s46'],
  ['include: [other.yaml]\nservices: {}', 'include: refused'],
  ['services: {}', 'services: there is none'],
  ['[]', 'expected names with values'],
  ['services:\n  web: [', 'the file'],
  ['services:\n  a: { image: a }\n  a: { image: b }\n', 'the file'],
  [
    `services:\n${Array.from({ length: 17 }, (_, index) => `  s${index}: { image: a }\n`).join('')}`,
    'expected at most 16',
  ],
  [
    `a: &a [${'x,'.repeat(99)}x]\n${Array.from('bcdefgh', (name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(99)}x]`).join('\n')}\nservices: {}`,
    'the file',
  ],
  [
    `x-a: &a [${'x,'.repeat(999)}x]\nservices:\n  web: { image: a, command: [${'*a,'.repeat(49)}*a] }`,
    'its aliases make more than 20000 values',
  ],
  ['x'.repeat(300_000), 'more than 262144 characters'],
])('A hostile file of row %# is refused before anything is built', (text, words) => {
  expect(() => read(text)).toThrow(words)
})

test('Values that ask for nothing are no refusal, and what means nothing is said', () => {
  const { services, notes } = read(
    inWeb(`privileged: false
    network_mode: bridge
    security_opt: ["no-new-privileges:true"]
    cap_add: [NET_BIND_SERVICE]
    devices: []
    ulimits: { nofile: 1 }
    extra_hosts: ["host.docker.internal:host-gateway"]
    labels: { a: b }`),
  )
  expect(services).toHaveLength(1)
  expect(notes).toEqual([
    'services.web.ulimits means nothing here',
    'services.web.extra_hosts means nothing here: no container has a way to the host',
  ])
})

test('A container has the capabilities that stay within it, less those that it drops', () => {
  expect(serviceOf('')?.process.capabilities).toContain('SETUID')
  expect(serviceOf('    cap_drop: [ALL]')?.process.capabilities).toEqual([])
  expect(serviceOf('    cap_drop: [ALL]\n    cap_add: [CAP_CHOWN]')?.process.capabilities).toEqual(['CHOWN'])
})

test('Variables of the application come before those of a committed file, and take its place when it is not there', () => {
  const env = { SECRET: 'of the app', OTHER: 'x' }
  expect(serviceOf('    env_file: web.env', { env })?.service.env).toEqual({ A: '1', SECRET: 'of the app' })
  expect(serviceOf('    env_file: .env.production', { env })?.service.env).toEqual(env)
  expect(serviceOf('    environment: [SHARED, "B=${SECRET}"]', { env })?.service.env).toEqual({
    SHARED: 'of the file',
    B: 'of the app',
  })
  expect(serviceOf('', { env })?.service.env).toEqual({})
})

test('Variables that a service leaves to its application may be the addresses of databases', () => {
  expect(serviceOf('    environment: { DATABASE_URL: , SHARED: , A: "" }')?.service.wants).toEqual([
    'DATABASE_URL',
  ])
  expect(serviceOf('    environment: [DATABASE_URL, A=b]')?.service.wants).toEqual(['DATABASE_URL'])
  expect(serviceOf('    env_file: [.env.production]')?.service.wants).toEqual(['*'])
  expect(serviceOf('    env_file: web.env')?.service.wants).toBeUndefined()
})

test('A path that the repository has not got is a volume', () => {
  const { services, notes } = read(inWeb('volumes: ["./data/db:/var/lib/db", "/cache", "./src:/app"]'))
  expect(services[0]?.service).toMatchObject({ volumes: { 'data-db': '/var/lib/db' }, scratch: ['/cache'] })
  expect(services[0]?.files).toEqual({ '/app': 'src' })
  expect(services[0]?.process.roll).toBe('replace')
  expect(notes.join()).toContain('./data/db is not in the repository, so it is the volume data-db')
})

test.each<[string, string | undefined, string, number | undefined]>([
  ['a: { image: a, ports: ["8080:3000"] }\n  b: { image: b }', undefined, 'a', 3000],
  ['a: { image: a, ports: ["80:80", "443:443"] }', undefined, 'a', 80],
  ['a: { image: a, ports: ["80:8080", "9000:9000"] }', undefined, 'a', 8080],
  ['web: { image: a, ports: ["8080:3000"] }\n  b: { image: b, ports: ["9:9"] }', undefined, 'web', 3000],
  [
    'a: { image: a, ports: ["80:80"] }\n  db: { image: b, ports: ["127.0.0.1:5432:5432"] }',
    undefined,
    'a',
    80,
  ],
  ['a: { image: a, ports: [{ target: 80, published: 8080 }] }', undefined, 'a', 80],
  ['a: { image: a, ports: ["1:1"] }\n  b: { image: b, ports: ["2:2"] }', 'b', 'b', 2],
  ['web: { image: a, expose: [3000] }', undefined, 'web', 3000],
  ['a: { image: a, ports: ["[::1]:80:80"] }\n  web: { image: b }', undefined, 'web', undefined],
  ['nginx: { image: a, ports: [80] }\n  web: { image: b }', undefined, 'nginx', 80],
  ['nginx: { image: a, ports: ["80:80"] }\n  web: { image: b, ports: ["8:8"] }', undefined, 'nginx', 80],
  ['a: { image: a, ports: ["5672:5672", "15672:15672"] }', undefined, 'a', 15672],
  ['a: { image: a, ports: ["8:8"] }\n  db: { image: b, ports: ["5432:5432"] }', undefined, 'a', 8],
])('Visitors of %s are led to a service', (services, visited, name, port) => {
  const more = visited === undefined ? {} : { visited }
  const web = read(`services:\n  ${services}`, more).services.find(({ processName }) => processName === 'web')
  expect([web?.name, web?.visited]).toEqual([name, port])
})

test('Further services answer visitors at their own ports, or at those that svc.json says', () => {
  const services = `services:
  web: { image: a, ports: ["80:3000"], depends_on: { migrate: { condition: service_completed_successfully } } }
  migrate: { image: a }
  Api: { image: b, expose: [4000] }
  admin: { image: c, ports: ["8080:8080", "9000:9000"] }
`
  const { services: placed } = read(services, { also: { api: undefined, admin: 9000 } })
  expect(placed.map(({ processName, process, visited }) => [processName, process.http, visited])).toEqual([
    ['web', undefined, 3000],
    ['migrate', undefined, undefined],
    ['api', true, 4000],
    ['admin', true, 9000],
  ])
  for (const [also, why] of [
    [{ none: undefined }, 'processes.none of svc.json: there is no such process: web, migrate, api, admin'],
    [{ migrate: 80 }, 'services.migrate: it answers visitors, and others wait for its end'],
    [{ admin: undefined }, 'services.admin.ports: visitors are led to one of them: 8080, 9000'],
  ] as const)
    expect(() => read(services, { also })).toThrow(why)
})

test.each<[string, string]>([
  ['a$$b', 'a$b'],
  ['$A-${A}', 'x-x'],
  ['${E:-d}${E-d}', 'd'],
  ['${N:-d}${N-d}', 'dd'],
  ['${A:+y}${N:+y}${E+y}', 'yy'],
  ['${N:-${A}}', 'x'],
  ['${N:-$$}', '$'],
  ['${A:?no}', 'x'],
  ['${N}', ''],
])('%s is %s', (text, value) => {
  const env: Readonly<Record<string, string>> = { A: 'x', E: '' }
  expect(interpolated(text, (name) => env[name]).text).toBe(value)
})

test('Values that name themselves a thousand times have an end', () => {
  expect(() => interpolated('$A'.repeat(1_000), () => 'x'.repeat(1_000))).toThrow('more than 65536')
})

test('Words, times and sizes are those of compose files', () => {
  expect(wordsOf(`a "b c" 'd "e' f\\ g ""`)).toEqual(['a', 'b c', 'd "e', 'f g', ''])
  expect(wordsOf('"a \\" \\n"')).toEqual(['a " \\n'])
  expect(wordsOf('"a')).toBeUndefined()
  expect(['1m30s', '500ms', '2h', '10', 's'].map(secondsOf)).toEqual([90, 1, 7_200, undefined, undefined])
  expect(['512m', '2gb', '1K', '268435456', 'x'].map(megabytesOf)).toEqual([512, 2_048, 1, 256, undefined])
})

test.each(['.', 'src', '.docker/nginx.conf', 'a b/c+d@e'])(
  'An order may name the path %s of a repository',
  (path) => {
    const order = { app: 'shop', sha: 'a'.repeat(40), file: path, files: { ['b'.repeat(64)]: path } }
    expect(readImageOrder(order)).toEqual(order)
  },
)

test.each(['..', '../x', '/etc', 'a/../b', './a', '.git/config', 'a//b', 'a\nb', "a'b", '$(id)', ''])(
  'No order names the path %j',
  (path) => {
    const order = { app: 'shop', sha: 'a'.repeat(40) }
    expect(() => readImageOrder({ ...order, file: path })).toThrow('invalid-input')
    expect(() => readImageOrder({ ...order, context: path })).toThrow('invalid-input')
    expect(() => readImageOrder({ ...order, files: { ['b'.repeat(64)]: path } })).toThrow('invalid-input')
  },
)
