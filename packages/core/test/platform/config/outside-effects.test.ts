// Settings of calls to the outside, each seen on a plane with it and on one without it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, ofLicense } from '@svc/core'
import { DigitalOceanFake, FakeClock, FakeTimers, fakeOutbound, HetznerFake, testPlane } from '@svc/testing'
import { ProvisioningBench, TOKENS } from '../../hosts/provisioning/provisioning-bench.ts'
import { describeEffects, outcomeOf } from './setting-effect.ts'

/** Whether the token of a provider is found good at this address of this machine. */
const atOwnAddress = (provider: 'hetzner' | 'digitalocean', base: string) => async (env: Environment) => {
  await using faked = testPlane({
    env: {
      PROVISIONING_HETZNER_TOKEN: TOKENS.hetzner,
      PROVISIONING_DIGITALOCEAN_TOKEN: TOKENS.digitalocean,
      ...env,
    },
    parts: { providerOutbound: fakeOutbound({ [base]: providers[provider]() }) },
  })
  return await outcomeOf(faked.plane.providerCredentials.verify(provider))
}
const providers = {
  hetzner: () => {
    const fake = new HetznerFake(new FakeClock())
    fake.tokens.set(TOKENS.hetzner, 'write')
    return fake
  },
  digitalocean: () => {
    const fake = new DigitalOceanFake(new FakeClock())
    fake.tokens.set(TOKENS.digitalocean, 'write')
    return fake
  },
}

/** Takes an order a step further, two hours after its token was verified. */
async function orderAfterTwoHours(env: Environment): Promise<string> {
  await using bench = await ProvisioningBench.open({ env })
  const order = await bench.order()
  bench.clock.advance({ hours: 2 })
  return await bench.step(order)
}

/** Sources of certificates that a scan could not ask, and the requests that came to this machine. */
async function certificateSources(env: Environment) {
  const domain = 'shop.example'
  await using faked = testPlane({ env: { ATTACK_SURFACE_MAX_CONCURRENT: '1', ...env } })
  const { surface } = faked.plane
  const { id } = await faked.license()
  const { name, value } = surface.challenge(id, domain)
  faked.dns.answer(name, value)
  await surface.add(id, domain)
  const started = await surface.start(id, { domain, checks: ['ct'] })
  await surface.runDue()
  await surface.idle()
  const { scan } = await surface.scan(ofLicense(id), started.outcome === 'queued' ? started.scan.id : '')
  return (scan.result?.errors ?? []).map(({ source }) => source)
}

/** How many of three scans are under way while no name server answers. */
async function scansAtOnce(env: Environment): Promise<number> {
  const clock = new FakeClock()
  await using faked = testPlane({ env, clock, parts: { timers: new FakeTimers(clock) } })
  const { surface } = faked.plane
  const { id } = await faked.license()
  const started: string[] = []
  for (const domain of ['a.example', 'b.example', 'c.example']) {
    const { name, value } = surface.challenge(id, domain)
    faked.dns.answer(name, value)
    faked.dns.replies(domain, 'silence')
    await surface.add(id, domain)
    const answer = await surface.start(id, { domain, checks: ['ports'] })
    if (answer.outcome === 'queued') started.push(answer.scan.id)
  }
  await surface.runDue()
  await sleep(50)
  const states = await Promise.all(
    started.map(async (each) => (await surface.scan(ofLicense(id), each)).scan.state),
  )
  return states.filter((state) => state === 'running').length
}

/** Whether a domain without a DMARC record verifies. */
async function withoutDmarc(env: Environment): Promise<unknown> {
  await using faked = testPlane({ env })
  const { id } = await faked.license()
  const { domain } = await faked.plane.emailDomains.add(id, 'mail.example.com')
  const shown = await faked.plane.operations.run('email-domains.show', { id: domain.id }, 'ann')
  for (const { record, name, value } of shown.domain.records)
    if (record !== 'DMARC' && value !== undefined) faked.dns.answer(name, value)
  faked.dns.answer('_spf.svc.example', 'v=spf1 ip4:11.22.33.44 -all')
  const { verified } = await faked.plane.operations.run('email-domains.verify', { id: domain.id }, 'ann')
  return verified
}

describeEffects('settings of what is asked outside', [
  {
    name: 'PROVISIONING_HETZNER_API_BASE',
    value: 'http://127.0.0.1:9',
    seen: atOwnAddress('hetzner', 'http://127.0.0.1:9'),
    unset: 'unavailable',
    set: 'done',
  },
  {
    name: 'PROVISIONING_DIGITALOCEAN_API_BASE',
    value: 'http://127.0.0.1:9',
    seen: atOwnAddress('digitalocean', 'http://127.0.0.1:9'),
    unset: 'unavailable',
    set: 'done',
  },
  {
    name: 'CT_URL',
    value: 'http://127.0.0.2:9/?q={domain}',
    seen: certificateSources,
    unset: ['127.0.0.1'],
    set: ['127.0.0.2'],
  },
  {
    name: 'CERTSPOTTER_TOKEN',
    value: 'a-token-of-the-monitor',
    seen: certificateSources,
    unset: ['127.0.0.1'],
    set: ['127.0.0.1', 'certspotter'],
  },
  {
    name: 'PROVISIONING_CREDENTIAL_MAX_AGE_HOURS',
    value: '1',
    seen: orderAfterTwoHours,
    unset: 'requested > pricing advanced',
    set: 'closed: credential',
  },
  { name: 'ATTACK_SURFACE_MAX_CONCURRENT', value: '1', seen: scansAtOnce, unset: 0, set: 1 },
  { name: 'EMAIL_REQUIRE_DMARC', value: 'false', seen: withoutDmarc, unset: false, set: true },
])
