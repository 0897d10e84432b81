import { execFile, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type ProviderServer, serveProvider } from '../../../../test/support/provider-server.ts'
import { FakeClock } from '../../src/fake-clock.ts'
import { HetznerFake } from '../../src/hosts/provisioning/hetzner-fake.ts'

// The provider's own command, from the distribution: anything that it does not understand was made up by our
// fake.
const isThere = spawnSync('hcloud', ['--help']).error === undefined
if (!isThere) process.stdout.write('hcloud is not installed: the fake of Hetzner is not proven by it\n')

const TOKEN = 'a-token-of-the-fake-0123456789abcdef0123456789abcdef0123456789ab'
const NEW = ['--type', 'cx22', '--image', 'debian-12', '--location', 'fsn1', '--ssh-key', 'ops'] as const

interface Listed {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly labels: Readonly<Record<string, string>>
  readonly public_net: { readonly ipv4: { readonly ip: string } }
  readonly server_type: { readonly name: string }
}

describe('the fake of Hetzner, used by hcloud', () => {
  const clock = new FakeClock()
  let fake: HetznerFake
  let server: ProviderServer

  beforeAll(async () => {
    server = await serveProvider(
      // The suite's tests share the address, and each has a provider of its own.
      new Proxy({} as HetznerFake, { get: (_, name) => Reflect.get(fake, name).bind(fake) }),
      // A poll of an action lets its time pass.
      (path) => path.startsWith('/v1/actions') && clock.advance({ seconds: 10 }),
    )
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    fake = new HetznerFake(clock)
    fake.tokens.set(TOKEN, 'write')
    fake.prices.set('cx22', '4.5101000000000000')
    fake.pace = { ...fake.pace, action: 25, delete: 15 }
  })

  const hcloud = (...args: readonly string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const env = { PATH: process.env.PATH, HOME: '/nonexistent', HCLOUD_TOKEN: TOKEN }
      const options = { env: { ...env, HCLOUD_ENDPOINT: `${server.url}/v1` }, timeout: 20_000 }
      execFile('hcloud', ['--poll-interval', '5ms', ...args], options, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
      )
    })
  const create = (name: string, ...labels: readonly string[]) =>
    hcloud('server', 'create', '--name', name, ...NEW, ...labels.flatMap((label) => ['--label', label]))
  const list = async (...args: readonly string[]) =>
    // It says `null` when there is none.
    (JSON.parse((await hcloud('server', 'list', '--output', 'json', ...args)).out) ?? []) as readonly Listed[]
  const given = isThere ? it : it.skip

  given('makes a server and waits for its actions', async () => {
    const made = await create('svc-one', 'svc-order=pord_one', 'svc-nonce=0123abcd')
    expect(made).toMatchObject({ code: 0 })
    const [{ id } = { id: 0 }] = fake.live
    expect(made.out).toContain(`Server ${id} created`)
    expect(made.out).toMatch(/IPv4: 203\.0\.113\.\d+/)
    expect(fake.count('GET', '/v1/actions')).toBeGreaterThanOrEqual(3)
    expect(fake.live[0]).toMatchObject({ name: 'svc-one', labels: { 'svc-order': 'pord_one' } })
  })

  given('lists servers by the labels of one order, and describes one', async () => {
    await create('svc-one', 'svc-order=pord_one')
    await create('svc-two', 'svc-order=pord_two')
    expect(await list()).toHaveLength(2)
    const [found, ...more] = await list('--selector', 'svc-order==pord_two')
    expect(more).toEqual([])
    expect(found).toMatchObject({
      ...{ name: 'svc-two', status: 'running', labels: { 'svc-order': 'pord_two' } },
      server_type: { name: 'cx22' },
    })
    const one = JSON.parse((await hcloud('server', 'describe', 'svc-one', '--output', 'json')).out)
    expect(one).toMatchObject({ name: 'svc-one', image: { name: 'debian-12' } })
    expect(one.public_net.ipv4.ip).toMatch(/^203\.0\.113\./)
    const described = await hcloud('server', 'describe', 'svc-one')
    expect(described).toMatchObject({ code: 0, err: '' })
    expect(described.out).toContain('cx22')
  })

  given('deletes a server, and does not find it any more', async () => {
    await create('svc-one')
    const [{ id } = { id: 0 }] = fake.live
    expect(await hcloud('server', 'delete', String(id))).toMatchObject({ code: 0 })
    clock.advance({ seconds: 15 })
    expect(await list()).toEqual([])
    const gone = await hcloud('server', 'describe', String(id))
    expect(gone.code).not.toBe(0)
    expect(gone.err).toContain('not found')
  })

  given.each([
    ['a name that is taken', 'uniqueness_error', () => create('svc-one')],
    ['a place without room', 'resource_unavailable', async () => fake.full.add('fsn1')],
    ['a token that may only read', 'token_readonly', async () => fake.tokens.set(TOKEN, 'read')],
    ['a token that it does not know', 'unauthorized', async () => fake.tokens.clear()],
  ])('is told of %s', async (_, code, prepare) => {
    await prepare()
    const before = fake.live.length
    const refused = await create('svc-one')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain(`(${code}`)
    expect(fake.live).toHaveLength(before)
  })

  given('is told that the making of a server failed', async () => {
    fake.actionError = { code: 'server_error', message: 'the host is broken' }
    const failed = await create('svc-one')
    expect(failed.code).not.toBe(0)
    expect(failed.err).toContain('the host is broken')
  })
})
