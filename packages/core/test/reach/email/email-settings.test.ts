// Settings of email, each seen on a plane with it and on one without it; a real relay on loopback.
import { afterAll, beforeAll } from '@jest/globals'
import type { Environment } from '@svc/core'
import { type TestPlane, testPlane } from '@svc/testing'
import { verifiedDomain } from '../../../../../test/support/sending-domain.ts'
import { type LoopbackSmtp, loopbackSmtp } from '../../../../../test/support/smtp-server.ts'
import { describeEffects, outcomeOf } from '../../platform/config/setting-effect.ts'

const DAY_MS = 86_400_000
const HOLDER = 'ann@acme.example'
let relay: LoopbackSmtp

beforeAll(async () => {
  relay = await loopbackSmtp()
})
afterAll(async () => relay[Symbol.asyncDispose]())

/** A plane that mails by the relay, as `svc.example`. */
async function mailing(env: Environment): Promise<TestPlane> {
  relay.recipients.clear()
  const own = {
    EMAIL_SMTP_URL: relay.url,
    EMAIL_SMTP_ALLOW_PLAINTEXT: 'true',
    EMAIL_SYSTEM_FROM: 'svc@svc.example',
  }
  const faked = testPlane({ env: { ...own, ...env } })
  await verifiedDomain(faked.plane, '', 'svc.example')
  return faked
}

const license = ({ plane, clock }: TestPlane, days: number) =>
  plane.licenses.issue({
    label: 'web',
    expiresAt: new Date(clock.now().getTime() + days * DAY_MS),
    contactEmail: HOLDER,
  })

async function sent({ plane }: TestPlane, owner = '') {
  const fields = { from: 'svc@svc.example', to: HOLDER, subject: 'hello', text: 'Good morning.' }
  const { id } = await plane.emails.sending.send({ owner, fields })
  await plane.emails.deliver()
  return id
}

/** Whether the contents of a message are kept two days after it was sent. */
async function contentsAreKept(env: Environment): Promise<boolean> {
  await using faked = await mailing(env)
  const id = await sent(faked)
  faked.clock.advance({ days: 2 })
  await faked.plane.emails.purge()
  return (await faked.storage.emailMessages.body(id)) !== undefined
}

/** The state of a message ten minutes after the relay had put it off. */
async function putOff(env: Environment): Promise<string> {
  await using faked = await mailing(env)
  relay.recipients.set(HOLDER, [451, 'later'])
  const id = await sent(faked)
  relay.recipients.clear()
  faked.clock.advance({ minutes: 10 })
  await faked.plane.emails.deliver()
  return (await faked.plane.emails.find(id)).state
}

/** Sends a second message to two people each, and returns whether it is taken. */
async function fourRecipients(env: Environment): Promise<string> {
  await using faked = await mailing(env)
  const { id: owner } = (await license(faked, 400)).license
  await verifiedDomain(faked.plane, owner, 'mail.example.com')
  const fields = {
    from: 'ann@mail.example.com',
    to: [HOLDER, 'bob@acme.example'],
    subject: 'hello',
    text: 'hi',
  }
  const send = () => faked.plane.emails.sending.send({ owner, fields })
  await send()
  return await outcomeOf(send())
}

/** Reminders of the end of a license that are planned 45 days before it. */
async function expiryReminders(env: Environment): Promise<number | undefined> {
  await using faked = await mailing(env)
  await license(faked, 60)
  faked.clock.advance({ days: 15 })
  return (await faked.plane.reminders.run({})).planned.license_expiry
}

/** Reminders of an unpaid invoice that are planned on its first day. */
async function dunningReminders(env: Environment): Promise<number | undefined> {
  await using faked = await mailing(env)
  const { id: licenseId } = (await license(faked, 400)).license
  faked.clock.advance({ days: 1 })
  const invoice = { licenseId, invoiceId: 'in_1', startedAt: faked.clock.now() }
  await faked.storage.billing.openDunning(invoice)
  return (await faked.plane.reminders.run({})).planned.billing_dunning
}

describeEffects('settings of email', [
  { name: 'EMAIL_BODY_RETENTION_DAYS', value: '1', seen: contentsAreKept, unset: true, set: false },
  { name: 'EMAIL_RETRY_SCHEDULE', value: '3600', seen: putOff, unset: 'sent', set: 'queued' },
  { name: 'EMAIL_DAILY_LIMIT', value: '3', seen: fourRecipients, unset: 'done', set: 'email-quota' },
  { name: 'LICENSE_EXPIRY_STEPS', value: '50', seen: expiryReminders, unset: 0, set: 1 },
  { name: 'DUNNING_STEPS', value: '5', seen: dunningReminders, unset: 1, set: 0 },
])
