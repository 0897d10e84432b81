import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { verifiedDomain } from '../../../../../../test/support/sending-domain.ts'
import { type LoopbackSmtp, loopbackSmtp } from '../../../../../../test/support/smtp-server.ts'
import { digestMail } from '../../../../src/watch/alerts/channels/alert-mail.ts'
import { FleetScene } from '../fleet-scene.ts'

const FROM = 'alerts@svc.example'
let relay: LoopbackSmtp

beforeAll(async () => {
  relay = await loopbackSmtp()
})
afterAll(async () => {
  await relay[Symbol.asyncDispose]()
})

/** Opens a scene whose tenant has mail addresses. */
async function told({ isVerified = true, env = {} }: { isVerified?: boolean; env?: object } = {}) {
  relay.received.length = 0
  const own = { EMAIL_SMTP_URL: relay.url, EMAIL_SMTP_ALLOW_PLAINTEXT: 'true', EMAIL_SYSTEM_FROM: FROM }
  const scene = await FleetScene.open({ env: { ...own, ...env } }, 'acme')
  const { plane } = scene.test
  if (isVerified) await verifiedDomain(plane, '', 'svc.example')
  const run = (name: string, input: object) => plane.operations.run(name, input, 'ann')
  const set = (to: readonly string[]) => run('alerts.mail-set', { tenant: 'acme', to })
  await set(['Ops <ops@acme.example>', 'ann@acme.example', 'ops@acme.example'])
  const letters = async () => {
    await plane.emails.deliver()
    const said = relay.received.map(({ raw }) => String(raw))
    relay.received.length = 0
    return said
  }
  return { scene, plane, run, set, letters, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

describe('alerts by mail', () => {
  it('each change is one message to all addresses of the tenant, said to be automatic', async () => {
    await using stage = await told()
    const { scene, letters } = stage
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    const envelopes = relay.received.length
    expect(envelopes).toBe(0)
    const [opened = '', ...others] = await letters()
    expect(others).toEqual([])
    expect(opened).toMatch(/^From: alerts@svc\.example/m)
    expect(opened).toMatch(/^To: ops@acme\.example, ann@acme\.example/m)
    expect(opened).toMatch(/^Subject: \[svc\] firing: .*web-1/m)
    expect(opened).toMatch(/^Auto-Submitted: auto-generated/im)
    expect(opened).toContain('svc alerts show alr_')
    await scene.beat({ diskPct: 10 })
    await scene.tick()
    expect(await letters()).toEqual([expect.stringMatching(/^Subject: \[svc\] resolved: /m)])
    const [alert] = (await stage.plane.alerts.list(PLATFORM, {})).alerts
    expect(alert?.notifiedAt).toBeDefined()
  })

  it('waits for the domain of EMAIL_SYSTEM_FROM to be verified, and is not sent twice', async () => {
    await using stage = await told({ isVerified: false })
    const { scene, plane, letters } = stage
    const ticks = async (count: number) => {
      for (let tick = 0; tick < count; tick += 1) {
        await scene.beat({ diskPct: 95 })
        await scene.tick()
      }
    }
    await ticks(3)
    expect(await letters()).toEqual([])
    const [alert] = (await plane.alerts.list(PLATFORM, {})).alerts
    const reports = await plane.storage.alertDeliveries.reports(alert?.id ?? '')
    expect(reports.find(({ channel }) => channel === 'mail')).toMatchObject({
      state: 'due',
      error: 'sending-domain-unverified',
    })
    await verifiedDomain(plane, '', 'svc.example')
    await ticks(4)
    expect(await letters()).toHaveLength(1)
  })

  it('is given up when every address bounced before, or the addresses are gone', async () => {
    await using stage = await told()
    const { scene, plane, letters } = stage
    const errors = async () => {
      const { alerts } = await plane.alerts.list(PLATFORM, {})
      const reports = await Promise.all(alerts.map(({ id }) => plane.storage.alertDeliveries.reports(id)))
      return reports
        .flat()
        .flatMap(({ channel, state, error }) => (channel === 'mail' ? [[state, error]] : []))
    }
    const now = scene.test.clock.now()
    for (const address of ['ops@acme.example', 'ann@acme.example'])
      await plane.storage.emailSuppressions.add({ owner: '', address, reason: 'bounced', days: 30 }, now)
    await scene.beat({ diskPct: 95 })
    await scene.tick()
    await scene.tick()
    expect([await letters(), await errors()]).toEqual([[], [['failed', 'all-suppressed']]])
  })

  it('a test message goes out at once; bad addresses and a service without a relay are refused', async () => {
    await using stage = await told()
    const { run, set, letters } = stage
    expect(await run('alerts.mail-test', { tenant: 'acme' })).toEqual({ id: expect.stringMatching(/^em_/) })
    expect(await letters()).toEqual([expect.stringMatching(/^Subject: \[svc\] test/m)])
    for (const to of [[], ['nobody'], ['a@x.example\r\nBcc: b@x.example'], ['a@x.example, b@x.example']])
      await expect(set(to)).rejects.toMatchObject({ code: 'invalid-input' })
    expect((await run('alerts.mailboxes', {})).mailboxes).toMatchObject([
      { addresses: ['ops@acme.example', 'ann@acme.example'] },
    ])
    await run('alerts.mail-remove', { tenant: 'acme' })
    for (const verb of ['test', 'remove'])
      await expect(run(`alerts.mail-${verb}`, { tenant: 'acme' })).rejects.toMatchObject({
        code: 'not-found',
      })
    await expect(told({ env: { EMAIL_SMTP_URL: '' } })).rejects.toMatchObject({
      code: 'email-not-configured',
    })
  })

  it('what a host calls itself never makes a line of its own', () => {
    const alert = { kind: 'disk_high', severity: 'warning', id: 'alr_1', startsAt: new Date(0) } as const
    const notices = [{ transition: 'firing', alert: { ...alert, summary: 'web\r\nBcc: x\u202e 95 %' } }]
    const { subject, text } = digestMail({ notices } as unknown as Parameters<typeof digestMail>[0])
    expect(subject).toBe('[svc] firing: web Bcc: x 95 %')
    expect(text.split('\n')).toHaveLength(4)
    const many = Array.from({ length: 103 }, () => notices[0])
    const long = digestMail({ notices: many } as unknown as Parameters<typeof digestMail>[0])
    expect([long.subject, long.text.trimEnd().split('\n').at(-1)]).toEqual([
      '[svc] alerts: 103 firing',
      'and 3 more: svc alerts list',
    ])
  })
})
