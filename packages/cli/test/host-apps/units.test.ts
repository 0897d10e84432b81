import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { OrderLines } from '../../src/host-apps/order-lines.ts'
import { appUserName } from '../../src/host-apps/system/app-user.ts'
import { builderName } from '../../src/host-apps/system/builds.ts'
import { SocketTable } from '../../src/host-apps/system/listening.ts'
import { OutputSpool } from '../../src/host-apps/system/output-spool.ts'
import { sitesText } from '../../src/host-apps/system/site-text.ts'
import { serviceAddress, switchRules } from '../../src/host-apps/system/switch-rules.ts'
import { transientUnit } from '../../src/host-apps/system/systemctl.ts'
import {
  BUILD_LIMITS,
  buildPlaces,
  builtFolder,
  envText,
  isUnitName,
  placesOf,
  runText,
  unitName,
  unitText,
} from '../../src/host-apps/system/unit-text.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-units-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const APPS = ['a', 'a-b', 'a.b', 'a_b', 'a--b', 'a-', 'a.web', '0', 'a'.repeat(63), 'web']
const PROCESSES = ['web', 'b-web', 'b', 'w-1']

test('Forty pairs of an application and a process have forty units, and users of their own', () => {
  const names = APPS.flatMap((app) =>
    PROCESSES.map((process) => unitName({ app, process, number: 1, release: 1 })),
  )
  expect(new Set(names).size).toBe(40)
  expect(names.filter((name) => !isUnitName(name))).toEqual([])
  // The kernel and useradd take 32 characters, systemd 255.
  expect(names.filter((name) => name.length > 255)).toEqual([])
  expect(new Set(APPS.map(appUserName)).size).toBe(APPS.length)
  expect(APPS.map(appUserName).filter((name) => !/^sa-[a-z2-7]{10}$/.test(name))).toEqual([])
  expect(APPS.map(builderName).filter((name) => !/^sb-[a-z2-7]{10}$/.test(name))).toEqual([])
})

test.each([
  'svc-app@a:web:1.service',
  'svc-app@../x:web:1:1.service',
  'svc-appsd.service',
  'a:web:1:1.service',
])('%s is no unit of an instance', (name) => expect(isUnitName(name)).toBe(false))

const HOSTILE = [
  "it's",
  '$HOME $(id) `id`',
  'two\nlines\n',
  '"quoted" \\ back\\slash',
  '%h %% %n',
  ' ; rm -rf / ;',
  "'",
  '#x=y',
  '\u00fc \u{1f600}',
  '',
]

test.each(HOSTILE)('The variable %j reaches the program as it is', (value) => {
  writeFileSync(join(folder, 'env'), envText({ WORD: value, LAST: 'l' }))
  const command = `exec ${process.execPath} -p 'JSON.stringify([process.env.WORD, process.env.LAST])'`
  writeFileSync(join(folder, 'run'), runText(folder, command))
  expect(JSON.parse(execFileSync('/bin/sh', [join(folder, 'run')], { encoding: 'utf8' }))).toEqual([
    value,
    'l',
  ])
})

test.each(HOSTILE.filter((text) => text !== '' && !text.includes('\n')))(
  'A command with %j in it is one line of a shell, and stands in no unit',
  (text) => {
    writeFileSync(join(folder, 'env'), '')
    writeFileSync(join(folder, 'run'), runText(folder, `printf %s '${text.replaceAll("'", `'\\''`)}'`))
    expect(execFileSync('/bin/sh', [join(folder, 'run')], { encoding: 'utf8' })).toBe(text)
  },
)

test('Names that no shell takes, and values with NUL, are no variables', () => {
  expect(envText({ 'a b': '1', '1A': '1', 'A=B': '1', $: '1', NUL: 'a\0b', GOOD_1: '1' })).toBe(
    "GOOD_1='1'\n",
  )
})

test('A unit has the limits that were chosen, and none that were not', () => {
  const folder = builtFolder('shop', 'a'.repeat(40))
  const place = { app: 'shop', process: 'web', number: 1, release: 2, user: 'sa-abc', folder }
  const stop = { signal: 'SIGINT', grace_s: 7 } as const
  const lines = placesOf('sa-abc', { uploads: '/data/uploads' })
  const text = unitText({ ...place, stop, lines, memory: '512M', cpus: 0.25 })
  for (const line of [
    'MemoryMax=512M',
    'CPUQuota=25%',
    'KillSignal=SIGINT',
    'TimeoutStopSec=7',
    'User=sa-abc',
    'ReadWritePaths=/var/lib/svc-appsd/state/sa-abc',
    `WorkingDirectory=/var/lib/svc-appsd/releases/shop/${'a'.repeat(40)}`,
    'BindPaths=/var/lib/svc-appsd/volumes/sa-abc/uploads:/data/uploads',
    'Restart=always',
  ])
    expect(text.split('\n')).toContain(line)
  const plain = { ...place, stop, lines: placesOf('sa-abc', {}) }
  expect(unitText(plain)).not.toMatch(/MemoryMax|CPUQuota|BindPaths|undefined/)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'The shell of an instance outlives its command at %s',
  async (signal) => {
    writeFileSync(join(folder, 'env'), '')
    const leaving = `setTimeout(() => { console.log('left'); process.exit() }, 300)`
    const program = `process.on('${signal}', () => ${leaving}); setInterval(() => {}, 1000); console.log('here')`
    writeFileSync(join(folder, 'run'), runText(folder, `${process.execPath} -e "${program}"`, false, signal))
    const shell = spawn('/bin/sh', [join(folder, 'run')], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { pid = 0 } = shell
    let said = ''
    let saidAtEnd: string | undefined
    shell.once('exit', () => {
      saidAtEnd = said
    })
    shell.stdout.on('data', (data) => {
      said += data
      // The whole group gets it, as systemd does it.
      if (said === 'here\n') process.kill(-pid, signal)
    })
    await once(shell, 'close')
    expect(saidAtEnd).toBe('here\nleft\n')
  },
)

test('A task reads its input from a file of its own, if it has any', () => {
  writeFileSync(join(folder, 'env'), '')
  writeFileSync(join(folder, 'input'), 'given')
  writeFileSync(join(folder, 'other'), 'other')
  const said = (hasInput: boolean) => {
    writeFileSync(join(folder, 'run'), runText(folder, 'cat; echo .', hasInput))
    return execFileSync('/bin/sh', ['-c', `exec /bin/sh ${folder}/run <${folder}/other`], {
      encoding: 'utf8',
    })
  }
  expect([said(true), said(false)]).toEqual(['given.\n', 'other.\n'])
})

test('A build sees the release that it makes, reads the live one, and has limits', () => {
  const [one, two] = ['a', 'b'].map((letter) => `/var/lib/svc-appsd/releases/shop/${letter.repeat(40)}`)
  const place = { app: 'shop', sha: 'a'.repeat(40) }
  const hidden = 'TemporaryFileSystem=/var/lib/svc-appsd/releases:mode=0755'
  const own = [hidden, `BindPaths=/work:${one}`]
  expect(buildPlaces(place, '/work')).toEqual(own)
  expect(buildPlaces({ ...place, live: place.sha }, '/work')).toEqual(own)
  expect(buildPlaces({ ...place, live: 'b'.repeat(40) }, '/work')).toEqual([
    ...own,
    `BindReadOnlyPaths=-${two}`,
  ])
  expect(BUILD_LIMITS).toEqual(expect.arrayContaining(['LimitNPROC=1024', 'MemoryMax=75%']))
})

test('Lines that an asker does not take in time are left out and counted', async () => {
  const taken: Buffer[] = []
  const slow = Promise.withResolvers<void>()
  const write = (bytes: Buffer, _: unknown, done: () => void) => {
    taken.push(bytes)
    void slow.promise.then(done)
  }
  const asker = new Writable({ write, highWaterMark: 1 })
  const lines = new OrderLines(asker, (text) => text.replace('secret', '***'))
  const line = `a secret ${'x'.repeat(990)}`
  for (let count = 0; count < 30_000; count += 1) {
    lines.say(line)
    if (count % 1_000 === 0) await new Promise(setImmediate)
  }
  expect(asker.writableLength).toBeLessThan(20_000_000)
  slow.resolve()
  lines.end({ kind: 'done', text: 'end' })
  await once(asker, 'finish')
  const said = Buffer.concat(taken)
    .toString()
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each))
  const [, missed] = /^\[svc\] (\d+) lines are left out/.exec(said.at(-2)?.text) ?? []
  expect(said.slice(0, -2)).toEqual(
    Array(30_000 - Number(missed)).fill({ kind: 'said', text: line.replace('secret', '***') }),
  )
  expect(said.at(-1)).toEqual({ kind: 'done', text: 'end' })
})

describe('The output of an instance', () => {
  const written = (lines: string[], path: string) => new OutputSpool(path, (line) => lines.push(line))

  test('is read line by line, empty ones too, whenever it comes', () => {
    const path = join(folder, 'output')
    writeFileSync(path, '')
    const lines: string[] = []
    using spool = written(lines, path)
    for (const part of ['one\n\ntw', 'o\n', '', 'thr\u00fc', 'e\n']) {
      appendFileSync(path, part)
      spool.look()
    }
    expect(lines).toEqual(['one', '', 'two', 'thr\u00fce'])
  })

  test('goes on where an earlier supervisor has ended, without a line twice', () => {
    const path = join(folder, 'output')
    writeFileSync(path, 'one\n')
    const lines: string[] = []
    const first = written(lines, path)
    first.look()
    appendFileSync(path, 'two\n')
    using second = written(lines, path)
    second.look()
    expect(lines).toEqual(['one', 'two'])
  })

  test('is given back to the disk once it was read, and no line is lost on the way', async () => {
    const path = join(folder, 'output')
    writeFileSync(path, '')
    const lines: string[] = []
    using spool = written(lines, path)
    const line = 'x'.repeat(999)
    for (let round = 0; round < 8; round += 1) {
      appendFileSync(path, `${line}\n`.repeat(1_000))
      spool.look()
    }
    expect(lines).toHaveLength(8_000)
    const held = () => statSync(path).blocks * 512
    for (let tries = 0; held() > 3_000_000 && tries < 200; tries += 1)
      await new Promise((done) => setTimeout(done, 20))
    expect(held()).toBeLessThan(3_000_000)
    appendFileSync(path, 'last\n')
    spool.look()
    expect(lines.at(-1)).toBe('last')
  })

  test('that comes faster than it is read is dropped in words', () => {
    const path = join(folder, 'output')
    writeFileSync(path, 'x'.repeat(65_000_000))
    const lines: string[] = []
    using spool = written(lines, path)
    spool.look()
    appendFileSync(path, 'after\n')
    spool.look()
    expect(lines).toEqual([
      '[svc] 65000000 bytes of output were dropped: it writes faster than this host reads',
      'after',
    ])
  })
})

test('The list of sockets says who listens at a port, and how many are connected to it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const uid = process.getuid?.() ?? 0
  expect(new SocketTable().isHeldBy(port, uid)).toBe(true)
  expect(new SocketTable().isHeldBy(port, uid + 1)).toBe(false)
  const accepted = once(server, 'connection')
  const client = connect(port, '127.0.0.1')
  await Promise.all([once(client, 'connect'), accepted])
  expect(new SocketTable().connectionsTo(port)).toBe(1)
  client.destroy()
  server.close()
  await once(server, 'close')
  expect(new SocketTable().isHeldBy(port, uid)).toBe(false)
})

const canRule = process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'nft', '--version']).status === 0
const onRules = canRule ? test : test.skip

onRules('The rules are taken by nft, the same twice, and anew over others', () => {
  const one = switchRules(
    [{ uid: 7, ways: [{ port: 20_001, instances: [21_001, 21_002] }], all: [21_001, 21_002] }],
    [0],
  )
  const other = switchRules([{ uid: 8, ways: [{ port: 20_002, instances: [] }], all: [21_009] }], [0, 33])
  expect(
    switchRules(
      [{ uid: 7, ways: [{ port: 20_001, instances: [21_001] }], all: [21_001, 21_777], linked: [9, 7] }],
      [0],
    ),
  ).toContain('{ 0 . 20001, 0 . 21001, 0 . 21777, 7 . 20001, 7 . 21001, 7 . 21777, 9 . 20001, 9 . 21001 }')
  const paths = [one, other, switchRules([], [0])].map((text, index) => {
    writeFileSync(join(folder, `${index}.nft`), text)
    return join(folder, `${index}.nft`)
  })
  const script = `nft -f ${paths[0]} && nft -f ${paths[0]} && nft -s list table inet svc_apps && nft -f ${paths[1]} && echo === && nft -s list table inet svc_apps && nft -f ${paths[2]}`
  const { status, stdout, stderr } = spawnSync('unshare', ['--net', 'sh', '-c', script], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [first = '', second = ''] = stdout.split('===')
  expect(first.match(/dnat ip to/g)).toHaveLength(1)
  expect(first).toContain('0 : 127.0.0.1 . 21001, 1 : 127.0.0.1 . 21002')
  expect(second).not.toMatch(/20001|21001|dnat/)
  expect(second).toContain('33 . 20002')
})

const VISITOR = `
import { createServer, connect } from 'node:net'
import { execFileSync } from 'node:child_process'
const [before, after] = process.argv.slice(2)
const nft = (rules) => execFileSync('nft', ['-f', rules])
const listening = (port, take) => new Promise((done) => { const server = createServer(take).listen(port, () => done(server)) })
const asked = () => new Promise((done) => {
  const socket = connect({ host: '127.0.0.1', port: 20001, localPort: 40001 })
  socket.once('data', (data) => { socket.destroy(); done(String(data)) })
  socket.once('error', ({ code }) => done(code))
  socket.write('x')
})
nft(before)
const old = await listening(21001, (socket) => socket.once('data', () => { socket.resetAndDestroy(); old.close() }))
await listening(21002, (socket) => socket.end('the new instance'))
const first = await asked()
nft(after)
console.log(first, await asked())
process.exit()
`

onRules('A visitor whose connection an instance broke off reaches the next one from the same port', () => {
  const paths = [21_001, 21_002].map((instance) => {
    const path = join(folder, `${instance}.nft`)
    writeFileSync(
      path,
      switchRules([{ uid: 7, ways: [{ port: 20_001, instances: [instance] }], all: [21_001, 21_002] }], [0]),
    )
    return path
  })
  const visitor = join(folder, 'visitor.mjs')
  writeFileSync(visitor, VISITOR)
  const script = 'ip link set lo up && exec "$@"'
  const words = ['--net', 'sh', '-c', script, 'sh', process.execPath, visitor, ...paths]
  const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' })
  expect([stderr, stdout]).toEqual(['', 'ECONNRESET the new instance\n'])
})

onRules('The addresses of services lead the processes of their application alone to its ports', () => {
  const address = serviceAddress('db')
  const names = [{ address, port: 5432, instances: [21_003, 21_004] }]
  const route = { uid: 7, ways: [{ port: 20_001, instances: [] }], all: [21_003, 21_004], names }
  const rules = switchRules(
    [route, { ...route, ways: [{ port: 20_002, instances: [] }], uid: 8, all: [], names: [] }],
    [0],
  )
  const { status, stdout } = spawnSync(
    'unshare',
    ['--net', 'sh', '-c', 'nft -f - && nft -n list table inet svc_apps'],
    {
      encoding: 'utf8',
      input: rules,
    },
  )
  expect(status).toBe(0)
  const about = stdout.split('\n').filter((line) => line.includes('198.19.'))
  expect(about).toEqual([
    expect.stringContaining(`meta skuid 7 ip daddr ${address} tcp dport 5432 dnat ip to numgen inc mod 2`),
    expect.stringMatching(/^\s*ip daddr 198\.19\.0\.0\/16 .*ct state 0x8 reject with tcp reset/),
  ])
  expect(serviceAddress('db')).toBe(address)
  expect(serviceAddress('cache')).not.toBe(address)
})

test('The files of domains name each as its owner chose', () => {
  const at = (domain: string, more = {}) => ({
    domain,
    port: 20_001,
    exposure: { app: 'shop', tls: 'auto' as const, ...more },
  })
  const text = sitesText('shop', [
    at('shop.example.com'),
    at('old.example.com', { redirect_to: 'shop.example.com' }),
    at('in.example.com', { tls: 'internal', allow: ['10.0.0.0/8', 'fd00::/8'] }),
    at('plain.example.com', { tls: 'off' }),
    { ...at('paths.example.com'), paths: { '/api': 20_002, '/api/v2': 20_003, '/b': 20_004 } },
    at('own.example.com', { tls: 'certificate', redirect_to: 'shop.example.com' }),
    at('strict.example.com', { hsts: true, max_body: '10M', allow: ['10.0.0.0/8'] }),
  ])
  expect(text).toBe(readFileSync(join(import.meta.dirname, 'sites.caddy'), 'utf8'))
})

test('systemd is told of a unit with every line of its file but those about its start with the machine', () => {
  const choices = { app: 'shop', process: 'web', number: 1, release: 2, user: 'sa-a', folder: '/srv/a b' }
  const stop = { signal: 'SIGTERM', grace_s: 5 } as const
  const text = unitText({ ...choices, stop, lines: placesOf('sa-a', { data: '/data' }), memory: '64M' })
  const { properties, command } = transientUnit(text)
  const lines = properties.map((word) => word.replace('--property=', ''))
  expect(command).toEqual(['/bin/sh', '/var/lib/svc-appsd/units/svc-app@shop:web:1:2/run'])
  const settings = text.split('\n').filter((line) => line.includes('='))
  expect(settings.filter((line) => !lines.includes(line))).toEqual([
    `ExecStart=${command.join(' ')}`,
    'WantedBy=multi-user.target',
  ])
  expect(lines).toEqual(
    expect.arrayContaining(['ProtectSystem=strict', 'NoNewPrivileges=yes', 'MemoryMax=64M']),
  )
})
