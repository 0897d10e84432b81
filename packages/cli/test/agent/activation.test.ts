import { generateKeyPairSync } from 'node:crypto'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { AgentBench } from './agent-bench.ts'

test('An agent activates with its key as bearer and keeps the verified token in a state folder that only it can read', async () => {
  await using bench = await AgentBench.open()
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 0)
  const [call] = bench.plane.called('activate')
  const memory = await bench.memory()
  expect(call?.headers.authorization).toBe(`Bearer ${bench.plane.licenseKey}`)
  expect(call?.body).toEqual({ fingerprint: memory.fingerprint, hostname: 'host-1' })
  expect(memory.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect((await stat(bench.stateDir)).mode & 0o777).toBe(0o700)
  expect((await stat(join(bench.stateDir, 'agent.json'))).mode & 0o777).toBe(0o600)
  await agent.stop()
})

test('The license key is not written to the state folder', async () => {
  await using bench = await AgentBench.open()
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('heartbeat').length > 1)
  await agent.stop()
  expect(JSON.stringify(await bench.memory())).not.toContain(bench.plane.licenseKey)
})

test('A rejected license ends the agent with license-rejected and without a claim', async () => {
  await using bench = await AgentBench.open()
  await expect(bench.start({ licenseKey: 'lk_other' }).done).rejects.toMatchObject({
    code: 'license-rejected',
  })
  expect(bench.plane.called('claim')).toEqual([])
})

test.each([
  ['signed by another key', {}, true, 'bad-signature'],
  ['bound to another host', { fp: 'other' }, false, 'wrong-fingerprint'],
  ['bound to no host', { fp: undefined }, false, 'wrong-fingerprint'],
  ['expired', { exp: 1_000_000 }, false, 'expired'],
  ['meant for somebody else', { aud: 'svc-relay' }, false, 'wrong-audience'],
])(
  'An activation token that is %s ends the agent before it claims',
  async (_what, claims, forged, reason) => {
    await using bench = await AgentBench.open()
    const key = forged ? generateKeyPairSync('ed25519').privateKey : undefined
    bench.plane.script('activate', ({ body }) => bench.plane.activation(body.fingerprint, claims, key))
    await expect(bench.start().done).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(reason),
    })
    expect(bench.plane.called('claim')).toEqual([])
  },
)

test('A plane without a signing key is worked for, with a warning', async () => {
  await using bench = await AgentBench.open()
  const body = { error: 'control plane signing key not configured' }
  bench.plane.script('activate', () => ({ status: 503, body }))
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 0)
  await agent.stop()
  expect(bench.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('cannot sign') }),
  )
})

test('A plane that is not ready yet is asked again until it answers', async () => {
  await using bench = await AgentBench.open()
  bench.plane.script('activate', () =>
    bench.plane.called('activate').length < 3 ? { status: 502 } : undefined,
  )
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 0)
  await agent.stop()
  expect(bench.plane.called('activate')).toHaveLength(3)
})

test('Keys that the plane does not answer for are asked for until they come, however often: the agent does not end', async () => {
  await using bench = await AgentBench.open()
  const looks = () => bench.plane.called('jwks').length
  bench.plane.script('jwks', () => {
    if (looks() % 3 === 0) return { status: 503 }
    return looks() < 10 ? { cut: 'before' } : undefined
  })
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 0)
  await agent.stop()
  expect(looks()).toBe(10)
  expect(bench.plane.called('activate')).toHaveLength(1)
})

test('An agent that waits for the keys of the plane ends in order when it is told to', async () => {
  await using bench = await AgentBench.open()
  bench.plane.script('jwks', () => ({ cut: 'before' }))
  const agent = bench.start()
  await bench.plane.until(() => bench.plane.called('jwks').length > 1)
  await expect(agent.stop()).resolves.toMatchObject({ succeeded: 0 })
  expect(bench.plane.called('claim')).toEqual([])
})

test('A plane that publishes no keys for the token it gave ends the agent before it claims', async () => {
  await using bench = await AgentBench.open()
  bench.plane.script('jwks', () => ({ body: { keys: [] } }))
  await expect(bench.start().done).rejects.toMatchObject({ code: 'forbidden' })
  expect(bench.plane.called('claim')).toEqual([])
})

test('An address that is no control plane ends the agent with unavailable', async () => {
  await using bench = await AgentBench.open()
  await expect(bench.start({ url: `${bench.plane.url}/elsewhere` }).done).rejects.toMatchObject({
    code: 'unavailable',
  })
})

test('A redirect is not followed, so the license key stays with the plane that was named', async () => {
  await using bench = await AgentBench.open()
  await using other = await AgentBench.open()
  const location = `${other.plane.url}/v1/license/activate`
  bench.plane.script('activate', () => ({ status: 307, headers: { location } }))
  await expect(bench.start().done).rejects.toMatchObject({ code: 'unavailable' })
  expect(other.plane.calls).toEqual([])
})

test('The fingerprint is minted once and survives a restart', async () => {
  await using bench = await AgentBench.open()
  for (const claims of [1, 2]) {
    const agent = bench.start()
    await bench.plane.until(() => bench.plane.called('activate').length >= claims)
    await agent.stop()
  }
  const fingerprints = bench.plane.called('activate').map(({ body }) => body.fingerprint)
  expect(fingerprints[0]).toMatch(/^[0-9a-f]{40}$/)
  expect(new Set(fingerprints).size).toBe(1)
})

test('A given fingerprint is used and kept', async () => {
  await using bench = await AgentBench.open()
  await bench.start({ fingerprint: 'fp-given', once: true }).done
  await bench.start({ once: true }).done
  expect(bench.plane.called('activate').map(({ body }) => body.fingerprint)).toEqual(['fp-given', 'fp-given'])
})

test('A second agent on the same state folder is refused and changes nothing in it, and may start once the first has ended', async () => {
  await using bench = await AgentBench.open()
  const first = bench.start()
  await bench.plane.until(() => bench.plane.called('claim').length > 0)
  // The first one lets the user of its handlers through.
  await chmod(bench.stateDir, 0o710)
  const written: string[] = []
  const writeHandlers = async () => void written.push('handlers')
  await expect(bench.start({ writeHandlers }).done).rejects.toMatchObject({ code: 'conflict' })
  expect((await stat(bench.stateDir)).mode & 0o777).toBe(0o710)
  expect(written).toEqual([])
  await first.stop()
  await expect(bench.start({ once: true }).done).resolves.toBeDefined()
})

test.each([
  ['no license key', { licenseKey: '' }, 'license-key-required'],
  ['a license key with a line end', { licenseKey: 'lk_1\n' }, 'invalid-input'],
  ['an address that is no URL', { url: 'plane' }, 'invalid-input'],
  ['an address of another protocol', { url: 'ftp://127.0.0.1' }, 'invalid-input'],
  ['an empty fingerprint', { fingerprint: '' }, 'invalid-input'],
])('An agent with %s is refused before it calls anybody', async (_what, fault, code) => {
  await using bench = await AgentBench.open()
  await expect(bench.start(fault).done).rejects.toMatchObject({ code })
  expect(bench.plane.calls).toEqual([])
})

test('A state folder whose memory is unreadable is not overwritten by a new identity', async () => {
  await using bench = await AgentBench.open()
  await mkdir(bench.stateDir)
  await writeFile(join(bench.stateDir, 'agent.json'), '{"finger')
  await expect(bench.start().done).rejects.toMatchObject({ code: 'conflict' })
  expect(await readFile(join(bench.stateDir, 'agent.json'), 'utf8')).toBe('{"finger')
})

test('An agent says at its start which kinds of jobs it can run, and warns when there are none', async () => {
  await using bench = await AgentBench.open()
  await bench.start({ once: true }).done
  bench.handler('stop', 'true')
  bench.handler('deploy', 'true')
  bench.handler('not-a.kind', 'true')
  await bench.start({ once: true }).done
  const said = bench.logged.filter(({ message }) => /handlers folder|kinds of jobs/.test(message))
  expect(said.map(({ level, fields }) => [level, fields.kinds])).toEqual([
    ['warn', undefined],
    ['info', ['deploy', 'stop']],
  ])
})
