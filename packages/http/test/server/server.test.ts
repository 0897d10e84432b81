import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type TestPlane, testPlane } from '@svc/testing'
import { exchange } from '../../../../test/support/exchange.ts'
import { open } from '../../src/gates/open.ts'
import { createApp, json, type Listening, listen, route } from '../../src/index.ts'

const HERE = { host: '127.0.0.1', port: 0 }

let faked: TestPlane
beforeEach(() => {
  faked = testPlane()
})
afterEach(() => faked[Symbol.asyncDispose]())

/** A route that answers when the test says so. */
function held() {
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const slow = route({
    method: 'GET',
    path: '/slow',
    summary: 'Waits.',
    gate: open,
    replies: { 200: { description: 'Done.' } },
    handle: async () => {
      arrived.resolve()
      await release.promise
      return json({ done: true })
    },
  })
  return {
    arrived: arrived.promise,
    release: release.resolve,
    app: createApp(faked.plane, { routes: [slow] }),
  }
}

/**
 * Connects until the port refuses connections: for some turns the server still accepts connections under way.
 */
async function refused(place: number): Promise<void> {
  for (let code = ''; code !== 'ECONNREFUSED'; ) {
    const asked = exchange(place, { path: '/livez' })
    code = await asked.then(
      () => '',
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    )
  }
}

describe('draining', () => {
  it('makes the service unready, finishes the answer under way on a closing connection, and takes no more', async () => {
    const { arrived, release, app } = held()
    const server = await listen(app, { ...HERE, health: faked.plane.health })
    const answer = exchange(server.port, { path: '/slow', headers: { connection: 'keep-alive' } })
    await arrived
    const drained = server.drain()
    await refused(server.port)
    expect((await faked.plane.health.ready()).ok).toBe(false)
    release()
    expect(await answer).toMatchObject({
      status: 200,
      body: { done: true },
      headers: { connection: 'close' },
    })
    expect(await drained).toEqual({ lost: 0 })
  })

  it('goes on answering during its delay, each answer ending its connection', async () => {
    const server = await listen(createApp(faked.plane), {
      ...HERE,
      health: faked.plane.health,
      drainDelayMs: 60_000,
    })
    const drained = server.drain()
    const answer = await exchange(server.port, { path: '/healthz', headers: { connection: 'keep-alive' } })
    expect(answer).toMatchObject({ status: 503, headers: { connection: 'close' } })
    await server.cut()
    expect(await drained).toEqual({ lost: 0 })
  })

  it('cuts what is not finished at the deadline, and says how much', async () => {
    const { arrived, release, app } = held()
    const server = await listen(app, { ...HERE, drainDeadlineMs: 50 })
    const answer = exchange(server.port, { path: '/slow' })
    const lost = expect(answer).rejects.toThrow()
    await arrived
    expect(await server.drain()).toEqual({ lost: 1 })
    await lost
    release()
  })

  it('does not wait for connections that never asked anything, or only began to', async () => {
    const server = await listen(createApp(faked.plane), HERE)
    const [silent, begun] = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')]
    const closed = [silent, begun].map(
      (socket) => new Promise((resolve) => socket.resume().once('close', resolve)),
    )
    await new Promise<void>((resolve) => begun.write('GET / HTTP/1.1\r\n', () => resolve()))
    await exchange(server.port, { path: '/livez' })
    expect(await server.drain()).toEqual({ lost: 0 })
    await Promise.all(closed)
  })

  it('waits for the answer to a request with an expectation that nobody knows, too', async () => {
    const { arrived, release, app } = held()
    const server = await listen(app, HERE)
    const headers = { connection: 'keep-alive', expect: 'the-unexpected' }
    const answer = exchange(server.port, { path: '/slow', headers })
    await arrived
    const drained = server.drain()
    // The server closes connections that owe no answer within half a second.
    await new Promise((resolve) => setTimeout(resolve, 700))
    release()
    expect(await answer).toMatchObject({ status: 200 })
    expect(await drained).toEqual({ lost: 0 })
  })

  it('gives the same report when it is asked again, and disposing drains', async () => {
    let server: Listening
    {
      await using listening = await listen(createApp(faked.plane), HERE)
      server = listening
    }
    await refused(server.port)
    expect(await server.drain()).toEqual({ lost: 0 })
  })

  it('loses no request that was taken, under load of clients that keep their connections', async () => {
    const server = await listen(createApp(faked.plane), { ...HERE, health: faked.plane.health })
    const load = Array.from({ length: 16 }, () => keepAsking(server.port))
    await Promise.all(load.map(({ warm }) => warm))
    const report = await server.drain()
    const ends = await Promise.all(load.map(({ end }) => end))
    expect(report).toEqual({ lost: 0 })
    // Every client's last answer said that it was the last, and the port was closed afterwards.
    expect(ends).toEqual(Array(16).fill('refused after a goodbye'))
  })
})

/** Sends requests on one connection until the server refuses it. */
function keepAsking(port: number): { warm: Promise<void>; end: Promise<string> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const warm = Promise.withResolvers<void>()
  let goodbye = false
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: '/livez', agent }, (answer) => {
        goodbye = answer.headers.connection === 'close'
        answer.resume().once('end', resolve).once('error', reject)
      })
      sent.once('error', reject).end()
    })
  const loop = async () => {
    for (let asked = 0; ; asked += 1) {
      if (asked === 20) warm.resolve()
      try {
        await ask()
      } catch (error) {
        agent.destroy()
        const { code } = error as NodeJS.ErrnoException
        return code === 'ECONNREFUSED' && goodbye ? 'refused after a goodbye' : `${code} ${goodbye}`
      }
    }
  }
  return { warm: warm.promise, end: loop() }
}

describe('where it listens', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-socket-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('says under which address it can be reached', async () => {
    await using server = await listen(createApp(faked.plane), HERE)
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    expect(server.port).toBeGreaterThan(0)
  })

  it('refuses an address that is in use, and names it', async () => {
    await using first = await listen(createApp(faked.plane), HERE)
    await expect(
      listen(createApp(faked.plane), { host: '127.0.0.1', port: first.port }),
    ).rejects.toMatchObject({
      code: 'conflict',
      data: { detail: `127.0.0.1:${first.port} is in use by another process` },
    })
  })

  it('makes a socket file that only its owner may open, and removes it', async () => {
    const path = join(folder, 'svc.sock')
    const server = await listen(createApp(faked.plane), { path })
    expect(server.url).toBe(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await exchange(path, { path: '/livez' })).toMatchObject({ status: 200 })
    await server.drain()
    expect(() => statSync(path)).toThrow('ENOENT')
  })

  it('makes it so whatever the mask of the process is, and gives the mask back', async () => {
    const path = join(folder, 'svc.sock')
    const before = process.umask(0)
    try {
      const listening = listen(createApp(faked.plane), { path })
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(process.umask()).toBe(0)
      await using _ = await listening
    } finally {
      process.umask(before)
    }
  })

  it('refuses a socket file that somebody listens on', async () => {
    const path = join(folder, 'svc.sock')
    await using server = await listen(createApp(faked.plane), { path })
    await expect(listen(createApp(faked.plane), { path })).rejects.toMatchObject({ code: 'conflict' })
    expect(await exchange(server.url, { path: '/livez' })).toMatchObject({ status: 200 })
  })

  it('takes the place of a socket file that a killed process left', async () => {
    const path = join(folder, 'svc.sock')
    await leaveBehind(path)
    await using server = await listen(createApp(faked.plane), { path })
    expect(await exchange(server.url, { path: '/livez' })).toMatchObject({ status: 200 })
  })

  it('never removes a file that is no socket', async () => {
    const path = join(folder, 'precious')
    writeFileSync(path, 'text')
    await expect(listen(createApp(faked.plane), { path })).rejects.toMatchObject({ code: 'conflict' })
    expect(statSync(path).size).toBe(4)
  })
})

/** Leaves a socket file without a listener: a hard link keeps the file while the listener closes. */
async function leaveBehind(path: string): Promise<void> {
  const { linkSync } = await import('node:fs')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(`${path}.first`, resolve))
  linkSync(`${path}.first`, path)
  await new Promise((resolve) => server.close(resolve))
}
