import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { systemClock } from '@svc/core'
import { releaseFolder, runtimeFolder } from '../../src/host-apps/apps-folder.ts'
import { endLeftovers } from '../../src/host-apps/leftovers.ts'
import { ProcessRuntime } from '../../src/host-apps/process-runtime.ts'
import { Supervisor } from '../../src/host-apps/supervisor.ts'
import { eventually, isAlive } from '../agent/agent-bench.ts'
import { AppsBench, openSupervisor, processOf, SERVER, sha, webRelease } from './apps-bench.ts'

const pidOf = async (bench: AppsBench, app = 'shop') => Number((await bench.get(app, '/pid')).body)

/** Opens a connection that the application echoes. */
async function echo(bench: AppsBench, app: string): Promise<Socket> {
  const { frontPort: port } = bench.supervisor
  const headers = { host: `${app}.localhost`, connection: 'Upgrade', upgrade: 'websocket' }
  const asked = request({ host: '127.0.0.1', port, headers, agent: false })
  asked.end()
  const [, socket] = await once(asked, 'upgrade')
  return socket
}

/** Begins an upload. The returned call ends it, and gives the answer. */
function upload(bench: AppsBench, app: string): () => Promise<string> {
  const { frontPort: port } = bench.supervisor
  const headers = { host: `${app}.localhost` }
  const asked = request({ host: '127.0.0.1', port, path: '/upload', method: 'POST', headers, agent: false })
  const answered = once(asked, 'response')
  asked.write('begun ')
  return async () => {
    asked.end('ended')
    const [response] = await answered
    return text(response)
  }
}

const said = async (socket: Socket, words: string): Promise<string> => {
  socket.write(words)
  return String((await once(socket, 'data'))[0])
}

test('A release is put back with the variables that it had, while the host keeps it', async () => {
  await using bench = await AppsBench.open()
  const wordOf = async () => JSON.parse((await bench.get('shop', '/env')).body).WORD
  const deploy = (letter: string, word: string) =>
    bench.deploy('shop', webRelease(sha(letter), { env: { WORD: word } }))
  const back = (letter: string) =>
    bench.supervisor.deploy(
      { app: 'shop', release: webRelease(sha(letter), { env: { WORD: 'of today' } }), former: true },
      () => {},
      new AbortController().signal,
    )
  await deploy('a', 'first')
  await expect(back('b')).rejects.toThrow(`no variables of ${sha('b').slice(0, 12)} any more`)
  await deploy('b', 'second')
  await deploy('b', 'third')
  await back('a')
  expect(await wordOf()).toBe('first')
  await bench.restart()
  await back('b')
  expect(await wordOf()).toBe('third')
  for (const letter of ['c', 'd']) await deploy(letter, letter)
  await expect(back('a')).rejects.toThrow('any more')
  expect(await wordOf()).toBe('d')
  await back('b')
  expect(await wordOf()).toBe('third')
})

test('Each process with visitors has an address of its own, and the name of an app comes first', async () => {
  await using bench = await AppsBench.open()
  const says = (word: string, more = {}) =>
    processOf(
      `node -e "require('http').createServer((_, r) => r.end('${word}')).listen(process.env.PORT)"`,
      more,
    )
  const processes = {
    web: says('web'),
    api: says('api', { http: true }),
    worker: processOf('exec sleep 60'),
  }
  await bench.deploy('shop', webRelease(sha('a'), { processes }))
  const of = async (name: string) => {
    const { status, body } = await bench.get(name)
    return status === 200 ? body : status
  }
  expect(
    await Promise.all(['shop', 'api.shop', 'worker.shop', 'web.shop', 'x.shop', 'api.x'].map(of)),
  ).toEqual(['web', 'api', 404, 'web', 404, 404])
  await bench.deploy('api.shop', webRelease(sha('b'), { processes: { web: says('other') } }))
  expect(await of('api.shop')).toBe('other')
  await bench.supervisor.stop('shop')
  expect(await of('web.shop')).toBe(503)
})

test('Three deploys under load: no request fails, and streams and upgraded connections stay with the old release', async () => {
  await using bench = await AppsBench.open()
  await bench.deploy(
    'shop',
    webRelease(sha('a'), { processes: { web: processOf('node server.js', { count: 2 }) } }),
  )
  const kept = new Agent({ keepAlive: true })
  const answers: string[] = []
  let isLoaded = true
  const client = async (agent?: Agent) => {
    while (isLoaded) {
      const { status, body } = await bench.get('shop', '/', { ...(agent && { agent }) })
      answers.push(`${status} ${body}`)
    }
  }
  const clients = [client(kept), client(kept), client(), client()]
  for (const letter of ['b', 'c', 'd']) {
    const stream = await bench.response('shop', '/stream')
    const socket = await echo(bench, 'shop')
    const before = await said(socket, 'hello')
    const finish = upload(bench, 'shop')
    const deployed = bench.deploy('shop', webRelease(sha(letter)))
    expect(await text(stream)).toBe('part '.repeat(8))
    expect(await said(socket, 'hello')).toBe(before)
    expect(await finish()).toBe('took 11')
    socket.end()
    await deployed
  }
  isLoaded = false
  await Promise.all(clients)
  kept.destroy()
  const kinds = new Set(answers)
  expect([...kinds].sort()).toEqual(['200 release 1', '200 release 2', '200 release 3', '200 release 4'])
  expect(answers.at(-1)).toBe('200 release 4')
  expect(bench.said.join('\n')).not.toMatch(/[1-9]\d* open connections were cut/)
  expect(bench.current('shop')).toBe(`releases/${sha('d')}`)
})

test('A connection that stays open longer than the grace time is cut, and the log says so', async () => {
  await using bench = await AppsBench.open()
  const stop = { signal: 'SIGTERM' as const, grace_s: 1 }
  await bench.deploy('shop', webRelease(sha('a'), { stop }))
  const old = await pidOf(bench)
  const socket = await echo(bench, 'shop')
  const gone = once(socket, 'close')
  await bench.deploy('shop', webRelease(sha('b'), { stop }))
  await gone
  expect(bench.said.at(-1)).toMatch(/the old instances ended after [\d.]+ s: 1 open connections were cut/)
  expect(await isAlive(old)).toBe(false)
})

test.each<[string, ReturnType<typeof webRelease>, string]>([
  [
    'ends at its start',
    webRelease(sha('b'), { processes: { web: processOf('echo no such luck; exit 7') } }),
    'it ended with exit code 7',
  ],
  [
    'never listens',
    webRelease(sha('b'), {
      processes: { web: processOf('echo no such luck; sleep 60', { health: { timeout_s: 1 } }) },
    }),
    'ECONNREFUSED',
  ],
  [
    'has no such health page',
    webRelease(sha('b'), {
      processes: {
        web: processOf('echo no such luck; node server.js', { health: { path: '/up', timeout_s: 1 } }),
      },
    }),
    'GET /up at port',
  ],
  [
    'has a worker that ends',
    webRelease(sha('b'), {
      processes: { web: processOf('node server.js'), worker: processOf('echo no such luck; exit 1') },
    }),
    'worker is not healthy: it ended with exit code 1',
  ],
])('A release that %s leaves the old one serving, and its last words are said', async (_, release, why) => {
  await using bench = await AppsBench.open()
  await bench.deploy('shop', webRelease(sha('a')))
  const old = await pidOf(bench)
  const other = SERVER.replace(
    "if (request.url === '/pid')",
    "if (request.url === '/up') { response.statusCode = 404; return response.end() }\nif (request.url === '/pid')",
  )
  await expect(bench.deploy('shop', release, { 'server.js': other })).rejects.toThrow(why)
  expect(bench.said.join('\n')).toContain('no such luck')
  expect(await pidOf(bench)).toBe(old)
  expect(bench.current('shop')).toBe(`releases/${sha('a')}`)
  expect(bench.supervisor.status()).toMatchObject([{ sha: sha('a'), number: 1, state: 'up' }])
})

test('A deploy whose caller is gone before the switch changes nothing and leaves no process', async () => {
  await using bench = await AppsBench.open()
  await bench.deploy('shop', webRelease(sha('a')))
  const caller = new AbortController()
  const web = processOf('echo $$ > pid; sleep 60')
  const deployed = bench.deploy(
    'shop',
    webRelease(sha('b'), { processes: { web } }),
    undefined,
    caller.signal,
  )
  deployed.catch(() => {})
  await eventually(() => bench.pidIn('shop', sha('b')) > 0)
  caller.abort()
  await expect(deployed).rejects.toThrow('called off')
  expect(await isAlive(bench.pidIn('shop', sha('b')))).toBe(false)
  expect((await bench.get('shop')).body).toBe('release 1')
})

test('A process that ends is started again, and one that replaces is never there twice', async () => {
  await using bench = await AppsBench.open()
  const work =
    'mkdir $SHARED/at-work || echo twice; trap "rmdir $SHARED/at-work; exit 0" TERM; echo begun $SVC_RELEASE; sleep 60 & wait'
  const worker = processOf(work, { roll: 'replace' })
  const env = { SHARED: bench.apps }
  const processes = { web: processOf('node server.js'), worker }
  await bench.deploy('shop', webRelease(sha('a'), { processes, env }))
  const first = await pidOf(bench)
  await bench.get('shop', '/exit').catch(() => {})
  await eventually(async () => (await bench.get('shop')).status === 200)
  expect(await pidOf(bench)).not.toBe(first)
  expect(bench.supervisor.status()[0]?.processes[0]?.restarts).toBeGreaterThan(0)
  const old = bench.supervisor.status()[0]?.processes.find(({ process }) => process === 'worker')?.pid ?? 0
  await bench.deploy('shop', webRelease(sha('b'), { processes, env }))
  expect(bench.said.join('\n')).toContain('the old worker ended, so that the new one can start')
  expect(await isAlive(old)).toBe(false)
  expect(await bench.output('shop')).not.toContain('twice')
  expect(await bench.output('shop')).toMatch(/begun 1[\s\S]*it ended with exit code 3[\s\S]*begun 2/)
})

test('Everything that a process has started ends with it, also what ignores the signal', async () => {
  await using bench = await AppsBench.open()
  const web = processOf("(trap '' TERM; echo $$ > pid; sleep 60) & exec node server.js")
  await bench.deploy(
    'shop',
    webRelease(sha('a'), { processes: { web }, stop: { signal: 'SIGTERM', grace_s: 1 } }),
  )
  const pids = [await pidOf(bench), bench.pidIn('shop', sha('a'))]
  expect(await bench.supervisor.stop('shop')).toBe(true)
  for (const pid of pids) expect(await isAlive(pid)).toBe(false)
  expect(await bench.get('shop')).toEqual({
    status: 503,
    body: 'The application takes no visitors at the moment.\n',
  })
})

test('Applications come back after a restart at the same port, those that were stopped do not', async () => {
  await using bench = await AppsBench.open()
  await bench.deploy('shop', webRelease(sha('a'), { env: { GREETING: "it's\n$HOME" } }))
  await bench.deploy('blog', webRelease(sha('a')))
  await bench.supervisor.stop('blog')
  const { frontPort } = bench.supervisor
  const old = await pidOf(bench)
  await bench.restart()
  expect(await isAlive(old)).toBe(false)
  expect(bench.supervisor.frontPort).toBe(frontPort)
  await eventually(async () => (await bench.get('shop')).status === 200)
  const env = JSON.parse((await bench.get('shop', '/env')).body)
  expect(env).toMatchObject({ GREETING: "it's\n$HOME", SVC_APP: 'shop', SVC_RELEASE: '1', SVC_SHA: sha('a') })
  expect((await bench.get('blog')).status).toBe(503)
  expect(await bench.supervisor.remove('blog', true, false, () => {})).toBe(true)
  expect((await bench.get('blog')).status).toBe(404)
})

test('A volume outlives releases and the removal of its application, until it is removed with its data', async () => {
  await using bench = await AppsBench.open()
  const work = 'echo $SVC_RELEASE >> $SVC_VOLUME_UP_LOADS/log; exec node server.js'
  const release = (letter: string) =>
    webRelease(sha(letter), {
      processes: { web: processOf(work, { roll: 'replace' }) },
      volumes: { 'up-loads': '/data/uploads' },
    })
  await bench.deploy('shop', release('a'))
  await bench.deploy('shop', release('b'))
  const folder = join(bench.apps, '.volumes/shop')
  const log = join(folder, 'up-loads/log')
  expect(readFileSync(log, 'utf8')).toBe('1\n2\n')
  expect(bench.said.join('\n')).toMatch(/there was no web for \d+\.\d s/)
  const said: string[] = []
  expect(await bench.supervisor.remove('shop', true, false, (line) => said.push(line))).toBe(true)
  expect(said).toEqual([`its data stays, until it is removed with its data: ${folder}`])
  expect(existsSync(log)).toBe(true)
  expect(await bench.supervisor.remove('shop', true, true, (line) => said.push(line))).toBe(false)
  expect(said.at(-1)).toBe(`its data is removed: ${folder}`)
  expect(existsSync(log)).toBe(false)
})

test('The front tells strangers nothing, and applications nothing of the console', async () => {
  await using bench = await AppsBench.open()
  await bench.deploy('shop', webRelease(sha('a')))
  for (const name of ['other', '__proto__', 'constructor'])
    expect(await bench.get(name)).toEqual({ status: 404, body: 'There is no such application here.\n' })
  expect((await bench.get('x', '/', { headers: { host: '127.0.0.1' } })).status).toBe(404)
  const headers = { cookie: 'a=1; svc_session=v1.secret; b=2', 'x-forwarded-for': '203.0.113.9' }
  const seen = JSON.parse((await bench.get('shop', '/headers', { headers })).body)
  expect(seen.cookie).toBe('a=1; b=2')
  expect(seen['x-forwarded-for']).toBe('127.0.0.1')
})

test('Static files are served from the folder, hidden ones are not, and other paths get the fallback', async () => {
  await using bench = await AppsBench.open()
  const files = {
    'public/index.html': 'home',
    'public/a.txt': 'a',
    'public/.hidden': 'no',
    'server.js': 'no',
  }
  const { processes: _, ...rest } = webRelease(sha('a'))
  const folder = { folder: 'public' }
  await bench.deploy('site', { ...rest, static: folder }, files)
  expect((await bench.get('site')).body).toBe('home')
  expect((await bench.get('site', '/a.txt')).body).toBe('a')
  for (const path of ['/.hidden', '/server.js', '/../server.js', '/deep'])
    expect((await bench.get('site', path)).status).toBe(404)
  await bench.deploy('site', { ...rest, sha: sha('b'), static: { ...folder, fallback: 'index.html' } }, files)
  expect(await bench.get('site', '/deep')).toEqual({ status: 200, body: 'home' })
})

test('A supervisor that fails at its start leaves no port in use, and no process', async () => {
  await using bench = await AppsBench.open()
  await bench.deploy('shop', webRelease(sha('a')))
  await bench.deploy('other', webRelease(sha('b')))
  const { frontPort } = bench.supervisor
  await bench.supervisor[Symbol.asyncDispose]()
  // The log of the second one cannot be opened.
  const log = join(runtimeFolder(bench.apps), 'logs', 'other.log')
  rmSync(log)
  mkdirSync(log)
  await expect(openSupervisor(bench.apps)).rejects.toMatchObject({ code: 'EISDIR' })
  const server = createServer().listen(frontPort, '127.0.0.1')
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  expect(await endLeftovers(bench.apps)).toBe(0)
  rmSync(log, { recursive: true })
  bench.supervisor = await openSupervisor(bench.apps)
})

test('a release command runs before the switch and once for a job: an attempt that finds it begun fails in words', async () => {
  await using bench = await AppsBench.open()
  const deployed = (letter: string, before: string, job: string) =>
    bench.deploy('shop', webRelease(sha(letter), { before }), undefined, undefined, job)
  await deployed('a', 'echo "moved by $SVC_APP" > moved; cat moved', 'job_1')
  expect(bench.said).toContain('moved by shop')
  await expect(deployed('b', 'exit 9', 'job_2')).rejects.toThrow(
    'the release command: it ended with exit code 9',
  )
  expect((await bench.get('shop')).body).toBe('release 1')
  const note = join(runtimeFolder(bench.apps), 'release-shop.json')
  writeFileSync(note, JSON.stringify({ job: 'job_3', at: '2026-03-01T10:00:00.000Z' }))
  await expect(deployed('b', 'touch again', 'job_3')).rejects.toThrow(
    /began at 2026-03-01.* did not come to its end/,
  )
  expect(existsSync(join(releaseFolder(bench.apps, 'shop', sha('b')), 'again'))).toBe(false)
  await deployed('b', 'touch again', 'job_4')
  expect(existsSync(note)).toBe(false)
  expect((await bench.get('shop')).body).toBe('release 2')
})

test('a release command that was cut off with the asker is not run again by its job, and by a new one it is', async () => {
  await using bench = await AppsBench.open()
  const before = 'echo begun >> "$HOME_OF/begins"; test -e "$HOME_OF/quick" || sleep 60'
  const release = (letter: string) => webRelease(sha(letter), { before, env: { HOME_OF: bench.apps } })
  const off = new AbortController()
  const going = bench.deploy('shop', release('a'), undefined, off.signal, 'job_1')
  await eventually(async () => existsSync(join(bench.apps, 'begins')))
  off.abort()
  await expect(going).rejects.toThrow('called off')
  writeFileSync(join(bench.apps, 'quick'), '')
  await expect(bench.deploy('shop', release('a'), undefined, undefined, 'job_1')).rejects.toThrow(
    'did not come to its end',
  )
  await bench.deploy('shop', release('a'), undefined, undefined, 'job_2')
  expect(readFileSync(join(bench.apps, 'begins'), 'utf8')).toBe('begun\nbegun\n')
})

test('a command in a release has its variables and its end, and is ended with the asker and by the time limit', async () => {
  await using bench = await AppsBench.open()
  await bench.deploy('shop', webRelease(sha('a'), { env: { WORD: 'one' } }))
  const said: string[] = []
  const run = (command: string, signal: AbortSignal) =>
    bench.supervisor.run('shop', { command }, (line) => said.push(line), signal)
  expect(await run('echo "$WORD $SVC_APP $SVC_RELEASE"; exit 3', AbortSignal.timeout(60_000))).toBe(
    'it ended with exit code 3',
  )
  expect(said).toEqual(['one shop 1'])
  const off = new AbortController()
  const going = run('trap "exit 0" TERM; echo began; sleep 60 & wait', off.signal)
  await eventually(async () => said.includes('began'))
  off.abort()
  expect(await going).toBe('it was called off')
  const live = bench.supervisor.find('shop')?.live
  const limited = live?.run('cron.slow', { command: 'sleep 60', timeoutS: 0.2 }, AbortSignal.timeout(60_000))
  expect(await limited).toBe('it ran longer than 0.2 s, and was ended')
  await expect(bench.supervisor.run('blog', { command: 'true' }, () => {}, off.signal)).rejects.toThrow(
    'no app blog',
  )
})

test('A change of the counts starts healthy instances first, ends those that are too many, and is kept by later deploys', async () => {
  await using bench = await AppsBench.open()
  const release = (letter: string) =>
    webRelease(sha(letter), {
      processes: {
        web: processOf('node server.js'),
        worker: processOf('echo begun; sleep 60', { count: 2 }),
      },
    })
  await bench.deploy('shop', release('a'))
  const adjust = (scale: Readonly<Record<string, number>>) =>
    bench.supervisor.adjust(
      { app: 'shop', scale },
      (line) => bench.said.push(line),
      AbortSignal.timeout(60_000),
    )
  const running = () =>
    bench.supervisor.status()[0]?.processes.map(({ process, number, up }) => `${process}.${number} ${up}`)
  const pids = () =>
    new Map(
      bench.supervisor.status()[0]?.processes.map((each) => [`${each.process}.${each.number}`, each.pid]),
    )
  const before = pids()
  let isLoaded = true
  const answers = new Set<number | undefined>()
  const client = async () => {
    while (isLoaded) answers.add((await bench.get('shop')).status)
  }
  const clients = [client(), client()]
  await adjust({ web: 3, worker: 0 })
  expect(running()).toEqual(['web.1 true', 'web.2 true', 'web.3 true'])
  expect(pids().get('web.1')).toBe(before.get('web.1'))
  expect(await isAlive(before.get('worker.2') ?? 0)).toBe(false)
  await adjust({ web: 2 })
  expect(running()).toEqual(['web.1 true', 'web.2 true'])
  isLoaded = false
  await Promise.all(clients)
  expect([...answers]).toEqual([200])
  await expect(adjust({ cron: 1 })).rejects.toThrow('shop has no process cron: web, worker')
  await bench.deploy('shop', release('b'))
  expect(running()).toEqual(['web.1 true', 'web.2 true'])
  await bench.restart()
  await eventually(async () => running()?.join() === 'web.1 true,web.2 true')
  await bench.supervisor.stop('shop')
  await expect(adjust({ web: 1 })).rejects.toThrow('shop does not run here')
})

test('A new instance that is not healthy changes no count', async () => {
  await using bench = await AppsBench.open()
  const once = 'test ! -e taken || exit 5; : > taken; exec node server.js'
  await bench.deploy('shop', webRelease(sha('a'), { processes: { web: processOf(once) } }))
  const say = (line: string) => bench.said.push(line)
  const scaled = bench.supervisor.adjust({ app: 'shop', scale: { web: 2 } }, say, AbortSignal.timeout(60_000))
  await expect(scaled).rejects.toThrow('web is not healthy: it ended with exit code 5')
  expect(bench.supervisor.status()[0]?.processes).toHaveLength(1)
  expect((await bench.get('shop')).status).toBe(200)
  await bench.supervisor.adjust({ app: 'shop', scale: { web: 1 } }, say, AbortSignal.timeout(60_000))
  expect((await bench.get('shop')).status).toBe(200)
})

test('In maintenance visitors get 503 while the processes run, also after a restart and a deploy', async () => {
  await using bench = await AppsBench.open()
  await bench.deploy('shop', webRelease(sha('a')))
  await bench.deploy(
    'site',
    { ...webRelease(sha('a')), processes: undefined, static: {} },
    { 'index.html': 'page' },
  )
  const adjust = async (maintenance: boolean) => {
    for (const app of ['shop', 'site'])
      await bench.supervisor.adjust({ app, maintenance }, () => {}, AbortSignal.timeout(60_000))
  }
  const answers = async () => [(await bench.get('shop')).status, (await bench.get('site')).status]
  await adjust(true)
  expect(await answers()).toEqual([503, 503])
  expect(bench.supervisor.status()).toMatchObject([{ state: 'up', maintenance: true }, { maintenance: true }])
  await bench.restart()
  await eventually(async () => bench.supervisor.status()[0]?.state === 'up')
  await bench.deploy('shop', webRelease(sha('b')))
  expect(await answers()).toEqual([503, 503])
  await adjust(false)
  expect(await answers()).toEqual([200, 200])
})

test('A supervisor that cannot begin leaves no front behind', async () => {
  const apps = mkdtempSync(join(tmpdir(), 'svc-apps-'))
  let port = 0
  const opened = Supervisor.open({
    ...{ apps, runtime: runtimeFolder(apps), clock: systemClock, record: undefined },
    open: async (record, find) => {
      const timing = { aliveMs: 1, backoffMs: 1, backoffMaxMs: 1 }
      const runtime = await ProcessRuntime.open(
        { record, apps, host: {}, mark: {}, timing, frontPort: 0 },
        find,
      )
      port = runtime.frontPort
      runtime.ready = () => Promise.reject(new Error('no rules'))
      return runtime
    },
  })
  await expect(opened).rejects.toThrow('no rules')
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
})
